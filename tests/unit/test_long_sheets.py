"""Long sheets: columns that take little memory, and what is scored in blocks of rows, however large these are."""

from __future__ import annotations

import errno
import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoresheet.cli.input.formats import table_builder
from scoresheet.cli.run import model_reports, model_worker, spreading
from scoresheet.cli.write import cells, spilled, worksheet
from scoresheet.metrics import columns, spread, stored_columns, text_columns
from scoresheet.metrics.cells import Cells
from scoresheet.metrics.columns import Chained, Coded, Column, NumberColumn
from scoresheet.metrics.columns import row_numbers as numbered
from scoresheet.metrics.families.entropy import blocks as entropy_blocks
from scoresheet.metrics.families.entropy import overlaps
from scoresheet.metrics.families.entropy.inputs import TextSheet
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.score import score_sheet as score_texts
from scoresheet.metrics.families.sinfo import score
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.family import ParsedSheet
from scoresheet.metrics.problems import InputError, reject
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.stored_columns import ArrayStore, ByteStore, NumberTable, Texts, TextWriter
from scoresheet.metrics.tables import every_column, object_frame, plain_frame
from scoresheet.metrics.text_columns import coded_cells, coded_texts, sorted_places
from tests.helpers.files import digests, read_csv, sheet_rows, write_csv
from tests.helpers.runs import Run
from tests.helpers.soak import examples

CELLS = st.lists(st.text(st.characters(exclude_categories=()), max_size=8), max_size=12)  # lone surrogates too


@examples(60)
@given(CELLS, st.integers(0, 20), st.integers(1, 4), st.data())
def test_texts_read_as_the_list_they_were_made_of(cells: list[str], held: int, rows: int, data: st.DataObject) -> None:
    writer = TextWriter(ByteStore(held))
    for start in range(0, len(cells), rows):
        writer.add(cells[start : start + rows])
    texts = writer.texts()
    assert list(texts) == cells == texts
    assert writer.longest == max(map(len, cells), default=0)
    places = data.draw(st.lists(st.integers(0, len(cells) - 1), max_size=9) if cells else st.just([]))
    assert texts.take(np.array(places, dtype=np.int64)) == [cells[place] for place in places]
    first, last = sorted((data.draw(st.integers(-14, 14)), data.draw(st.integers(-14, 14))))
    assert texts[first:last] == cells[first:last]
    assert pickle.loads(pickle.dumps(texts)) == cells
    assert Chained([texts, ["x"], texts[1:]])[1:] == [*cells, "x", *cells[1:]][1:]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (Coded.of(["b", "a", "b"]), ["b", "a", "b"]),
        (Coded.joined([Coded.of(["b"]), Coded.of(["a", "b"])]), ["b", "a", "b"]),
        (NumberColumn(np.array([0.5, 2.0])), [0.5, 2.0]),
        (NumberColumn(np.array([3.0, 2.0]), whole=True), [3, 2]),
        (numbered([2, 5, 6]), [2, 5, 6]),
        (numbered([4, 5, 6]), [4, 5, 6]),
    ],
)
def test_columns_read_as_lists(column: Sequence[object], values: list[object]) -> None:
    assert list(column) == values
    assert [type(value) for value in column] == [type(value) for value in values]
    assert list(column[1:]) == values[1:]
    assert column[-1] == values[-1]
    with pytest.raises(IndexError):
        column[len(values)]


def test_an_undefined_whole_number_stays_undefined() -> None:
    first, second = NumberColumn(np.array([np.nan, 2.0]), whole=True)
    assert np.isnan(first)
    assert second == 2
    assert isinstance(second, int)


@pytest.mark.parametrize("is_long", [True, False])
def test_a_frame_of_columns_is_one_of_their_values(monkeypatch: pytest.MonkeyPatch, is_long: bool) -> None:
    if is_long:
        monkeypatch.setattr(stored_columns, "BATCH", 2)
    frame = object_frame({"a": Texts.of(["x", "y", "z"]), "b": [1, None, "q"]}, index=[2, 3, 5])
    assert isinstance(frame["a"].array, Cells) == is_long  # a list of few takes little memory too
    assert list(map(list, every_column(frame))) == [["x", "y", "z"], [1, None, "q"]]
    plain = object_frame({"a": ["x", "y", "z"], "b": [1, None, "q"]}, index=[2, 3, 5])
    assert plain_frame(frame).equals(plain)
    for chosen in (frame.iloc[[2, 0]], frame.drop(index=[3]).iloc[::-1], frame[frame["a"] != "y"].iloc[::-1]):
        assert chosen["a"].tolist() == ["z", "x"]
    assert plain_frame(frame.reindex([5, 9]))["a"].tolist()[0] == "z"


@pytest.mark.parametrize("held", [0, 10**6])
@pytest.mark.parametrize(("shortest", "widest"), [(0, 7), (0, 8), (3, 16), (8, 9), (0, 17), (4, 4)])
def test_a_column_has_each_different_text_once_in_the_order_of_rows(held: int, shortest: int, widest: int) -> None:
    rng = np.random.default_rng([widest, shortest])
    letters = ["a", "b", "\0", "é", "猫", "\ud800"]
    different: list[str] = []
    while len(different) < 300:
        text = "".join(rng.choice(letters, size=rng.integers(0, widest + 1)))
        if shortest <= len(text.encode(errors="surrogatepass")) <= widest:
            different.append(text)
    cells = [different[place] for place in rng.integers(0, len(different), 3_000)]
    store = ByteStore(held)
    writer, other = TextWriter(store), TextWriter(store)
    for start in range(0, len(cells), 700):  # as columns of a table lie there
        writer.add(cells[start : start + 700])
        other.add(["of another column"])
    texts, wanted = writer.texts(), Coded.of(cells)
    assert (texts.words() is None) == (widest > 16)
    found = coded_cells(texts)
    assert found.values == wanted.values
    assert found.codes.tolist() == wanted.codes.tolist()
    backwards = np.arange(len(cells))[::-1]
    assert coded_cells(texts.take(backwards)).values == Coded.of(cells[::-1]).values
    assert coded_cells(wanted.take(backwards)).values == Coded.of(cells[::-1]).values


def test_arrays_come_back_as_they_went_however_little_is_held() -> None:
    for held in (0, 10**6):
        store = ArrayStore(held)
        parts = [np.arange(6).reshape(3, 2), np.zeros((0, 2), dtype=np.int64), np.array([[7, 8]])]
        for part in parts:
            store.add(part)
        assert store.joined().tolist() == np.concatenate(parts).tolist()
        assert [piece.tolist() for piece in store.pieces()] == [part.tolist() for part in parts]


def predictions(rows: int) -> Iterator[tuple[str, str]]:
    """Rows with duplicates far apart, empty predictions, an unknown idiom, and scripts of all widths."""
    texts = ("one two three.", "", "drei Wörter hier", "三个字 and words", "one two three.", "x" * 70)
    for row in range(rows):
        yield f"idiom {row % 5}" if row != 7 else "unknown", f"{texts[row % len(texts)]} {row % 9 or ''}".strip()


COMMANDS = {
    "sinfo": ("outs", "refs"),
    "entropy": ("outs",),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_reports_are_the_same_whatever_the_size_of_a_block(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    header = ("Idiom", "Prediction") if command == "sinfo" else ("id", "text")
    write_csv(tmp_path / "outs/m.csv", [header, *predictions(40)])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((f"idiom {n}", f"one two {n}") for n in range(5))])
    found = {}
    for rows in (10_000, 1, 2, 7):
        for module, name, size in (
            (spread, "BLOCK_ROWS", rows),
            (table_builder, "_ROWS", rows),
            (columns, "BATCH", rows),
            (stored_columns, "BATCH", rows),
            (text_columns, "_MANY", rows),
            (entropy_blocks, "_TEXTS", rows),
            (overlaps, "_RUNS", 3 * rows),
        ):
            monkeypatch.setattr(module, name, size)
        for store in (ByteStore, ArrayStore, NumberTable):
            monkeypatch.setattr(store.__init__, "__defaults__", (rows,))
        assert run(command, *COMMANDS[command], "-o", f"res{rows}", "--fresh").code == 0
        found[rows] = {
            path.name: path.read_bytes()
            for path in (tmp_path / f"res{rows}").iterdir()
            if path.is_file() and path.name != "manifest.json"
        }
    assert all(each == found[10_000] for each in found.values())
    assert len(found[1]) > 4


def test_a_workbook_written_in_blocks_has_the_cells_of_one_written_at_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "outs/m.csv", [("id", "text"), *predictions(40)])
    run("entropy", "outs", "-o", "whole")
    for module, name, size in (
        (worksheet, "_BLOCK", 7),
        (spilled, "HELD_BYTES", 100),
        (cells, "MOST_MET", 2),
        (cells, "MOST_SHARED", 9),
    ):
        monkeypatch.setattr(module, name, size)
    run("entropy", "outs", "-o", "blocks")
    whole, blocks = (sheet_rows(tmp_path / folder / "m_entropy.xlsx", "Sheet1") for folder in ("whole", "blocks"))
    assert whole == blocks
    assert len(whole) == 41


@pytest.mark.processes
@pytest.mark.parametrize(("command", "stem"), [("sinfo", "s_info"), ("entropy", "entropy")])
def test_reports_are_the_same_however_many_processes_share_a_sheet(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, stem: str
) -> None:
    monkeypatch.setattr(spread, "BLOCK_ROWS", 3)
    monkeypatch.setattr(entropy_blocks, "_TEXTS", 3)
    header = ("Idiom", "Prediction") if command == "sinfo" else ("id", "text")
    write_csv(tmp_path / "outs/m.csv", [header, *predictions(40)])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((f"idiom {n}", f"one two {n}") for n in range(5))])
    for jobs in ("1", "3"):
        assert run(command, *COMMANDS[command], "-o", f"res{jobs}", "-j", jobs).code == 0
    assert read_csv(tmp_path / f"res1/m_{stem}.csv") == read_csv(tmp_path / f"res3/m_{stem}.csv")
    for name in (f"m_{stem}.csv", f"m_{stem}.xlsx", f"{stem}_results.csv", "metrics.json"):
        assert (tmp_path / "res1" / name).read_bytes() == (tmp_path / "res3" / name).read_bytes()


def test_texts_in_blocks_that_know_nothing_of_each_other_have_the_numbers_of_texts_in_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # words that later blocks have first, in another order than earlier ones: sums by code would end in another digit
    rng = np.random.default_rng(5)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.3, 80) % 300) + ". 三个字" for _ in range(60)]
    sheet = TextSheet(name="s", rows=60, row_numbers=range(60), ids=texts, texts=texts, unusable_rows={})
    monkeypatch.setattr(entropy_blocks, "_TEXTS", 4)

    class Apart:
        """Each block by what was there when the first was begun, the last ones first."""

        def at_once(self, blocks: int, /) -> int:
            return blocks

        def __call__(self, work: Callable[[ParsedSheet], object], parts: Sequence[ParsedSheet], /) -> Iterator[object]:
            return reversed([work(part) for part in reversed(parts)])

        def done(self, rows: int, /) -> None:
            return

    alone, spread_out = (
        score_texts(sheet, EntropyOptions(), spread).value for spread in (IN_TURN, cast("Spread", Apart()))
    )
    assert alone.units.to_frame().equals(spread_out.units.to_frame())
    assert alone.diversity == spread_out.diversity
    assert list(alone.phrases) == list(spread_out.phrases)


@examples(40)
@given(CELLS, st.integers(1, 6))
def test_coded_texts_are_those_of_a_dictionary_however_many_they_are(cells: list[str], many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_columns, "_MANY", many)
        coded = coded_texts(cells)
        assert list(coded) == cells
        assert list(coded.values) == list(dict.fromkeys(cells))
        assert [coded.values[place] for place in sorted_places(coded.values)] == sorted(set(cells))


def test_texts_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_columns, "_MANY", 2)
    monkeypatch.setattr(text_columns, "hash", len, raising=False)
    assert list(coded_texts(["ab", "cd", "ab", "e"])) == ["ab", "cd", "ab", "e"]


def test_a_table_of_numbers_reads_as_its_columns_however_little_is_held() -> None:
    for held in (0, 10**6):
        table = NumberTable(held)
        table.add({"a": np.array([1.0, np.nan]), "b": np.array([3, 4])})
        table.add({"a": np.array([7.0])})
        table.add({"a": np.array([8.0, 9.0]), "b": np.array([5, 6])})
        whole = table.column("a", whole=True)
        assert [value for value in whole if value == value] == [1, 7, 8, 9]  # noqa: PLR0124
        assert list(whole[2:]) == [7, 8, 9]
        assert list(whole[2:][1:]) == [8, 9]
        assert list(whole[3:1:-1]) == [8, 7]
        assert list(whole.take(np.array([4, 0]))) == [9, 1]
        assert np.array_equal(table.array("b"), [3, 4, np.nan, 5, 6], equal_nan=True)
        assert np.isnan(table.array("c")).all()
        assert np.array_equal(np.asarray(whole[3:]), [8, 9])


@pytest.mark.processes
def test_a_process_that_dies_on_a_block_costs_its_model_alone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> object:
        if sheet.model == "bad" and sheet.row_numbers[0] > 20:
            os.kill(os.getpid(), signal.SIGKILL)
        return usual(sheet, context, options)

    usual = score._scored_block
    monkeypatch.setattr(score, "_scored_block", dying)
    monkeypatch.setattr(spread, "BLOCK_ROWS", 3)
    for model in ("bad", "good"):
        write_csv(tmp_path / f"outs/{model}.csv", [("Idiom", "Prediction"), *predictions(40)])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((f"idiom {n}", f"one two {n}") for n in range(5))])
    ended = run("sinfo", "outs", "refs", "-o", "res", "-j", "4")
    assert ended.code == 3
    assert "killed by signal 9" in ended.err
    assert [(line["Model Name"], line["Status"]) for line in read_csv(tmp_path / "res/s_info_results.csv")] == [
        ("good", "ok"),
        ("bad", "failed"),
    ]


NUMBERS = range(6)
SHEETS: dict[str, tuple[list[tuple[object, ...]], list[tuple[object, ...]]]] = {  # rows of a sheet, and references
    "sinfo": (
        [("Idiom", "Prediction"), *((f"i{n}", f"one two {n}") for n in NUMBERS)],
        [("idiom", "explanation"), *((f"i{n}", "one 1") for n in NUMBERS)],
    ),
    "mode-collapse": (
        [("level", "parent", "choice", "count"), (0, "", "a", 9), (0, "", "b", 4), (1, "a", "c", 5), (1, "b", "d", 5)],
        [("level", "option"), (0, "a"), (0, "b"), (1, "c"), (1, "d")],
    ),
    "diversity": (
        [("query", "item", "rank"), *((f"q{n}", f"d{rank}", rank) for n in NUMBERS for rank in (1, 2))],
        [("query", "subtopic", "item", "relevance"), *((f"q{n}", n % 2, f"d{1 + n % 3}", 1) for n in NUMBERS)],
    ),
    "disagree": (
        [("item", "judge", "score"), *((f"i{n}", own, n * own % 5 / 4) for n in NUMBERS for own in (1, 2, 3))],
        [],
    ),
    "entropy": ([("id", "text"), *((n, f"one two three four {n} words") for n in NUMBERS)], []),
}


@pytest.mark.processes
@pytest.mark.parametrize("command", SHEETS)
def test_reports_are_the_same_however_many_sheets_are_scored_and_reports_written_at_once(
    command: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_reports, "_LARGE", 1)
    (header, *rows), references = SHEETS[command]
    every = [("sheet", *header), *((f"s{sheet}", *row) for sheet in range(5) for row in rows[sheet % 2 :])]
    write_csv(tmp_path / "outs/m.csv", every)
    if references:
        write_csv(tmp_path / "refs/r.csv", references)
    found = []
    for jobs in ("1", "3"):
        given = ["outs", "refs"] if references else ["outs"]
        assert run(command, *given, "-o", f"res{jobs}", "-j", jobs).code == 0
        found.append(digests(tmp_path / f"res{jobs}"))
    assert found[0] == found[1]
    assert len(found[0]) > 3


@pytest.mark.processes
def test_a_process_that_dies_on_a_sheet_costs_its_model_alone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> object:
        if sheet.name == "s3" and sheet.model == "bad":
            os.kill(os.getpid(), signal.SIGKILL)
        return usual(sheet, context, options)

    usual = score._scored_block
    monkeypatch.setattr(score, "_scored_block", dying)
    rows = [(f"s{sheet}", *row) for sheet in range(5) for row in predictions(4)]
    for model in ("bad", "good"):
        write_csv(tmp_path / f"outs/{model}.csv", [("sheet", "Idiom", "Prediction"), *rows])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((f"idiom {n}", f"one two {n}") for n in range(5))])
    ended = run("sinfo", "outs", "refs", "-o", "res", "-j", "4")
    assert ended.code == 3
    assert "killed by signal 9" in ended.err
    assert {line["Model Name"]: line["Status"] for line in read_csv(tmp_path / "res/s_info_results.csv")} == {
        "good": "ok",
        "bad": "failed",
    }


@pytest.mark.parametrize(
    ("rows", "processes", "at_once"),
    [
        ([5, 5, 5], 2, 2),
        ([5, 5, 5], 8, 3),
        ([90, 5, 5], 2, 1),
        ([60, 40], 2, 2),
        ([5], 4, 1),
        ([], 4, 1),
        ([5] * 2, 1, 1),
    ],
)
def test_sheets_are_worked_on_at_once_unless_one_is_nearly_all(rows: list[int], processes: int, at_once: int) -> None:
    sheets = [ParsedSheet(name=str(place), rows=own) for place, own in enumerate(rows)]
    assert model_worker._sheets_at_once(sheets, processes) == at_once


@dataclass(frozen=True, kw_only=True)
class HeldSheet(ParsedSheet):
    texts: Texts
    scores: NDArray[np.float64]


def test_what_the_worker_holds_of_a_sheet_is_not_sent_back_to_it() -> None:
    sheets = [HeldSheet(name=str(n), rows=1, texts=Texts.of(["a"]), scores=np.zeros(3)) for n in range(2)]
    done = list(spreading.in_processes(lambda sheet: (sheet, sheet.texts, [sheet.scores]), sheets, 2, fewest=1))
    for sheet, (same, texts, scores) in zip(sheets, done, strict=True):
        assert same is sheet
        assert texts is sheet.texts
        assert scores[0] is sheet.scores


def test_what_is_done_beside_comes_when_it_is_asked_for_and_so_does_its_error() -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "a.csv")

    with spreading.beside(os.getpid) as done:
        assert done() != os.getpid()
    with spreading.beside(full) as failed, pytest.raises(OSError, match=r"No space left.*a\.csv") as raised:
        failed()
    assert raised.value.errno == errno.ENOSPC


def test_a_process_that_takes_long_is_said_to_be_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(block: ParsedSheet) -> str:
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
        return block.name

    monkeypatch.setattr(spreading, "_PATIENCE", 0.02)
    said: list[int] = []
    done = spreading.in_processes(work, blocks(2), 2, fewest=1, is_at_work=lambda: said.append(1))
    assert list(done) == ["0", "1"]
    assert said


def blocks(number: int) -> list[ParsedSheet]:
    return [ParsedSheet(name=str(place), rows=1) for place in range(number)]


def test_what_processes_do_comes_in_the_order_of_the_blocks() -> None:
    done = list(spreading.in_processes(lambda block: (block.name, "x" * 200_000), blocks(9), 2))
    assert [name for name, _ in done] == [str(place) for place in range(9)]


def test_what_a_block_raises_is_raised_where_its_turn_is() -> None:
    def work(block: ParsedSheet) -> str:
        if block.name == "5":
            reject("no-rows", "five is refused")
        return block.name

    done = spreading.in_processes(work, blocks(12), 3)
    assert [next(done) for _ in range(5)] == list("01234")
    with pytest.raises(InputError, match="five is refused"):
        next(done)


def test_an_error_that_cannot_travel_says_what_it_was() -> None:
    class Local(Exception):
        pass

    def work(block: ParsedSheet) -> None:
        raise Local(block.name)

    with pytest.raises(RuntimeError, match="Local: 0"):
        list(spreading.in_processes(work, blocks(8), 2))


def test_columns_are_no_lists_and_have_no_hash() -> None:
    assert isinstance(Texts.of(["a"]), Column)
    with pytest.raises(TypeError):
        hash(Texts.of(["a"]))
    assert Texts.of(["a"]) != "a"


MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.soak
def test_the_memory_of_a_long_table_follows_its_blocks(tmp_path: Path) -> None:
    references = [(f"idiom {n}", f"one two three {n}") for n in range(1_000)]
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *references])
    rows = ((f"idiom {n % 1_000}", f"{n} " + "one two four five six " * 18) for n in range(150_000))
    large = write_csv(tmp_path / "outs/m.csv", [("Idiom", "Prediction"), *rows])
    assert large.stat().st_size > 60_000_000
    command = [sys.executable, "-m", "scoresheet.cli", "sinfo", "outs", "refs", "-o", "res", "-j", "1"]
    # a process starts with the peak of the one that started it, and this one is large
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    code, megabytes = map(int, done.stdout.split())
    assert code == 0
    assert megabytes < 300  # as Python strings alone the cells would take more than that


def test_texts_that_a_disk_takes_no_more_say_where_they_were_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ByteStore(held=0)

    class Full:
        def write(self, _data: object) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None: ...

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(OSError, match=r"No space left on device for temporary files in .*TMPDIR names another") as full:
        store.add(b"abc")
    assert full.value.errno == 28


@pytest.mark.parametrize("room", [0, 4, 9, 10**9])
def test_what_a_run_cannot_do_without_stays_in_memory_where_a_disk_is_full(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small(io.FileIO):
        def write(self, data: Any) -> int:
            free = max(0, room - self.tell())
            if not free:
                raise OSError(28, "No space left on device")
            return super().write(bytes(data[:free]))

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Small(tmp_path / "small", "w+"))
    store, pieces = ByteStore(held=3, must_stay=True), [b"a", b"b", b"cde", b"", b"fghij", b"k"]
    starts = [store.add(piece) for piece in pieces]
    whole = b"".join(pieces)
    assert [store.read(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)] == pieces
    ends = [(start, stop) for stop in range(12) for start in range(stop + 1)]
    assert all(store.read(start, stop) == whole[start:stop] for start, stop in ends)
    assert len(store) == len(whole)


def test_texts_are_written_whole_where_a_disk_takes_them_in_pieces_and_a_lost_end_is_no_text() -> None:
    store = ByteStore(held=0)

    class InPieces(io.BytesIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data[:2]))

    pieces = InPieces()
    store._write(pieces, b"abcdefg")
    assert pieces.getvalue() == b"abcdefg"
    assert (store.add(b"abc"), store.add(b"de")) == (0, 3)
    assert store.read(1, 5) == b"bcde"
    assert store._file is not None
    store._file.truncate(4)
    with pytest.raises(OSError, match="shorter than what was written"):
        store.read(1, 5)
