"""Progress is for people at a terminal: what is said while models are compared, and that nobody else hears it."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoresheet.cli.input.discover import Discovery, ModelInput, Source
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.loading import load_sheets
from scoresheet.cli.run.messages import Message, RowsRead, RowsScored, RowsWritten, ShareRead
from scoresheet.cli.run.side_tables import TableSource, read_side_table
from scoresheet.cli.settings import Settings
from scoresheet.cli.terminal.progress import Bar, Progress
from scoresheet.metrics.families.sinfo.schema import SCHEMA
from tests.helpers.files import write_book, write_csv


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("wanted", "models", "said"), [(True, 1_500, True), (True, 1, False), (False, 1_500, False)])
def test_that_models_are_being_compared_is_said_where_there_are_several(
    monkeypatch: pytest.MonkeyPatch, wanted: bool, models: int, said: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(wanted=wanted).comparing(models):
        pass
    assert ("comparing 1,500 models …" in terminal.getvalue()) == said


def test_a_name_cannot_steer_the_terminal_that_shows_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(wanted=True).models(["m\x1b]0;mine\x07\x9b"]) as bar:
        bar.on_message(0, RowsRead(1))
        bar.on_message(0, RowsScored("s\u202e", 1))
    assert "m\\x1b]0;mine\\x07\\x9b" in terminal.getvalue()
    assert not {"\x07", "\x9b", "\u202e"} & set(terminal.getvalue())


def test_the_bar_moves_with_what_is_read_scored_written_and_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    completed = []
    with Progress(wanted=True).models(["large"]) as bar:
        read = (ShareRead(0.3), ShareRead(0.9))
        for message in (
            *read,
            RowsRead(10),
            RowsScored("s", 4),
            RowsScored("s", 6),
            RowsWritten(5, 20),
            RowsWritten(15, 20),
        ):
            bar.on_message(0, message)
            completed.append(bar.display.tasks[0].completed)  # type: ignore[attr-defined]
        bar.finished(0)
    assert completed == sorted(set(completed))
    assert completed[-1] == pytest.approx(1)
    with Progress(wanted=True).comparing(3) as tell:
        tell(2, 3)
    assert "large · reading" in terminal.getvalue()
    assert "large · writing" in terminal.getvalue()
    assert "2/3" in terminal.getvalue()


def test_a_bar_of_models_that_are_only_read_is_full_when_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with Progress(wanted=True).models(["one", "two"], read_alone=True) as bar:
        bar.on_message(1, ShareRead(0.5))
        assert bar.display.tasks[0].completed == pytest.approx(0.5)  # type: ignore[attr-defined]
        bar.finished(1)
        assert bar.display.tasks[0].completed == pytest.approx(1)  # type: ignore[attr-defined]


def test_how_much_of_a_models_files_is_read_is_heard_as_they_are(tmp_path: Path) -> None:
    rows = [("a", "b"), *((number, "x" * 400) for number in range(4_000))]
    paths = [write_csv(tmp_path / name, rows) for name in ("one.csv", "two.csv")]
    packed = tmp_path / "three.csv.gz"
    packed.write_bytes(gzip.compress(random.Random(0).randbytes(300_000).hex().encode() + b"\n1\n"))
    model = ModelInput("m", tuple(Source(path, path.name) for path in (*paths, packed)), folder=True)
    shares: list[float] = []
    loaded = load_sheets(model, ReadRules(), on_share=shares.append)
    assert [len(sheet.grid) for sheet in loaded.sheets] == [4_000, 4_000, 1]
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] == pytest.approx(1)
    assert len(set(shares)) > 10


def test_the_sheets_of_a_workbook_are_heard_as_they_are_read(tmp_path: Path) -> None:
    book = write_book(tmp_path / "m.xlsx", {str(number): [("a", "b"), (1, 2)] for number in range(4)})
    shares: list[float] = []
    load_sheets(ModelInput("m", (Source(book, "m.xlsx"),)), ReadRules(), on_share=shares.append)
    assert shares == [0, 0.25, 0.5, 0.75]


def _shares_of(path: Path, rows: int) -> list[float]:
    """What is heard while a file of so many rows is read."""
    shares: list[float] = []
    loaded = load_sheets(ModelInput("m", (Source(path, path.name),)), ReadRules(), on_share=shares.append)
    assert [len(sheet.grid) for sheet in loaded.sheets] == [rows]
    return shares


@pytest.mark.parametrize("name", ["m.jsonl", "m.json", "columns.json", "m.parquet"])
def test_how_much_is_read_is_heard_of_json_and_parquet_too(tmp_path: Path, name: str) -> None:
    rows = [{"a": str(number), "b": {"c": number}} for number in range(12_000)]
    path = tmp_path / name
    if name == "m.jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    elif name == "m.json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif name == "columns.json":
        path.write_text(json.dumps({key: [row[key] for row in rows] for key in ("a", "b")}), encoding="utf-8")
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.table({"a": [str(row["a"]) for row in rows]}), path)
    shares = _shares_of(path, len(rows))
    assert shares == sorted(shares)
    assert len(set(shares)) > 10
    assert shares[0] < 0.1
    assert 0.9 < shares[-1] <= 1


class _Heard(Bar):
    """Keeps what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[tuple[int, Message]] = []
        self.done: list[int] = []

    def on_message(self, task: int, message: Message) -> None:
        self.messages.append((task, message))

    def finished(self, task: int) -> None:
        self.done.append(task)


class _HeardProgress(Progress):
    def __init__(self) -> None:
        super().__init__(wanted=False)
        self.bar = _Heard()
        self.names: list[str] = []

    @contextmanager
    def files(self, names: Sequence[str]) -> Iterator[Bar]:
        self.names += names
        yield self.bar


def test_a_side_table_is_heard_of_as_it_is_read(tmp_path: Path) -> None:
    rows = [("idiom", "explanation"), *((f"idiom {number}", "word " * 60) for number in range(5_000))]
    sources = [Source(write_csv(tmp_path / name, rows), name) for name in ("one.csv", "two.csv")]
    assert SCHEMA.references is not None
    progress = _HeardProgress()
    source = TableSource(SCHEMA.references, Discovery(), sources)
    table = read_side_table(source, ReadRules(), Settings(), (), progress)
    assert len(table.table) == 10_000
    assert progress.names == ["one.csv", "two.csv"]
    assert sorted(progress.bar.done) == [0, 1]
    for task in (0, 1):
        shares = [each.share for own, each in progress.bar.messages if own == task and isinstance(each, ShareRead)]
        assert len(shares) > 3
        assert shares == sorted(shares)


def test_the_bar_of_files_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(wanted=True).files(["references.csv"]) as bar:
        bar.on_message(0, ShareRead(0.25))
        assert bar.display.tasks[0].completed == pytest.approx(0.25)  # type: ignore[attr-defined]
        bar.finished(0)
    assert "references.csv · reading" in terminal.getvalue()
    assert " file " in terminal.getvalue()
