"""Long sheets: columns that take little memory, and what is scored in blocks of rows, however large these are."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.input.formats import table_builder
from scoresheet.cli.run import spreading
from scoresheet.cli.write import cells, spilled, worksheet
from scoresheet.metrics import columns, spread
from scoresheet.metrics.columns import ArrayStore, ByteStore, Chained, Coded, Column, NumberColumn, Texts, TextWriter
from scoresheet.metrics.columns import row_numbers as numbered
from scoresheet.metrics.families.entropy import corpus
from scoresheet.metrics.families.sinfo import score
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.family import ParsedSheet
from scoresheet.metrics.problems import InputError, reject
from scoresheet.metrics.tables import object_frame, plain_frame
from tests.helpers.files import read_csv, sheet_rows, write_csv
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


def test_a_frame_of_columns_is_one_of_their_values() -> None:
    frame = object_frame({"a": Texts.of(["x", "y", "z"]), "b": [1, None, "q"]}, index=[2, 3, 5])
    plain = object_frame({"a": ["x", "y", "z"], "b": [1, None, "q"]}, index=[2, 3, 5])
    assert plain_frame(frame).equals(plain)
    for chosen in (frame.iloc[[2, 0]], frame.drop(index=[3]).iloc[::-1], frame[frame["a"] != "y"].iloc[::-1]):
        assert chosen["a"].tolist() == ["z", "x"]
    assert plain_frame(frame.reindex([5, 9]))["a"].tolist()[0] == "z"


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
            (columns, "_BATCH", rows),
            (corpus, "_RUNS", 3 * rows),
        ):
            monkeypatch.setattr(module, name, size)
        for store in (ByteStore, ArrayStore):
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
def test_reports_are_the_same_however_many_processes_share_a_sheet(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "BLOCK_ROWS", 3)
    write_csv(tmp_path / "outs/m.csv", [("Idiom", "Prediction"), *predictions(40)])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((f"idiom {n}", f"one two {n}") for n in range(5))])
    for jobs in ("1", "3"):
        assert run("sinfo", "outs", "refs", "-o", f"res{jobs}", "-j", jobs).code == 0
    assert read_csv(tmp_path / "res1/m_s_info.csv") == read_csv(tmp_path / "res3/m_s_info.csv")
    for name in ("m_s_info.csv", "m_s_info.xlsx", "s_info_results.csv", "metrics.json"):
        assert (tmp_path / "res1" / name).read_bytes() == (tmp_path / "res3" / name).read_bytes()


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
