"""The compiled maker of cells and its twin in Python: the same bytes of any table, and no memory not given back."""

from __future__ import annotations

import csv
import gc
import hashlib
import io
import math
import random
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from scoresheet.cli.write import cell_maker, cells
from scoresheet.cli.write.cell_maker import CellMaker, chosen_maker
from scoresheet.cli.write.cell_text import CELL_LIMIT
from scoresheet.cli.write.cells import LONG, CellEnds
from scoresheet.cli.write.shared_strings import SharedStrings
from scoresheet.cli.write.text_width import lines
from scoresheet.metrics.compiled import PURE, Compiled
from tests.helpers.kernels import COMPILED, has_compiler, using

ROOT = Path(__file__).resolve().parents[2]
TABLES_IN_A_BLOCK = 300
STARTS = ('<c r="A', '" s="1"')

WORDS = (
    *(
        "a",
        "the",
        "R&D",
        "<b>",
        "x > y",
        '"quoted"',
        "now, then",
        "'tis",
        "_x0041_",
        "_x0041_x0042_",
        "_xyz",
        "_",
        "100 %",
        "é",
        "猫",
    ),
    *("\t", "\n", "\r\n", "\x00", "\x1f", "\x7f", "\x80", "\x9f", "\xa0", "\ud800", "\udfff", "\ufdd0", "\ufffe", "😀"),
    *("\U0001fffe", "\U0010ffff", "\ufffd", "\ufdcf", "\u3000", "<r>", "</r>"),
)
NUMBERS = (0, 0.0, -0.0, 1, -1, 7, 0.1, 1 / 3, 2.5e-17, 1e300, -1e-300, 10**15 - 1, 10**15, -(10**15), 10**17, 10**40)
OTHERS = (None, True, False, math.nan, math.inf, -math.inf, np.float64(0.25), np.float64("nan"), np.int64(12))


@pytest.fixture
def compiled() -> Iterator[CellMaker]:
    with using(COMPILED):
        yield cell_maker.cell_maker()


def random_text(rng: random.Random) -> str:
    length = rng.choice([0, 1, 2, 5, 12, 40])
    return rng.choice(["", " "]).join(rng.choices(WORDS, k=length)) * rng.choice([1, 1, 1, 30])


def random_value(rng: random.Random, kind: int) -> Any:
    if kind == 0:
        return random_text(rng)
    if kind == 1:
        return rng.choice(NUMBERS) if rng.random() < 0.5 else rng.random()
    if kind == 2:
        return rng.choice(
            ["balanced", "poor", "", "a long text that is met again and again in one and the same column"]
        )
    return rng.choice([random_text(rng), rng.choice(NUMBERS), rng.choice(OTHERS)])


class Table(SharedStrings):
    """A table of shared strings; a string can be one that it cannot take."""

    def __init__(self, refused: str | None = None) -> None:
        super().__init__()
        self.refused = refused

    def number(self, string: str) -> int:
        """Return the number of a string."""
        if string == self.refused:
            raise ZeroDivisionError
        return super().number(string)


def made_by(maker: CellMaker, blocks: list[list[list[Any]]], widths: list[float]) -> list[Any]:
    """Return all that a maker makes of the blocks of one workbook: XML, heights, and the shared strings."""
    table = Table()
    ends = CellEnds(table)
    made: list[Any] = []
    for columns in blocks:
        block = maker.block(columns, ends)
        tallest = [1] * len(columns[0])
        for values, width in zip(columns, widths, strict=False):
            maker.raise_lines(tallest, values, width)
        starts = [(f'<c r="{chr(65 + place)}', f'" s="{place}"') for place in range(len(columns))]
        made += [block.xml(2, starts, [16 * count if count > 1 else 0 for count in tallest]), tallest]
    return [*made, b"".join(table.pieces()), list(ends.known.items())]


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.soak) for part in range(1, 40))])
def test_both_makers_make_the_same_of_random_tables(compiled: CellMaker, part: int) -> None:
    rng = random.Random(f"cells {part}")
    twin = chosen_maker({PURE: "1"})
    for _ in range(TABLES_IN_A_BLOCK):
        kinds = [rng.randrange(4) for _ in range(rng.randint(1, 5))]
        blocks = [
            [[random_value(rng, kind) for _ in range(rows)] for kind in kinds]
            for rows in rng.choices([0, 1, 3, 8], k=rng.randint(1, 3))
        ]
        widths = [rng.choice([7, 11.0, 23, 51]) for _ in kinds]
        assert made_by(compiled, blocks, widths) == made_by(twin, blocks, widths)


def test_both_makers_count_an_infinity_as_often_as_it_stands_there(compiled: CellMaker) -> None:
    blocks = [[[math.inf, math.inf, 1.0, -math.inf, 1.0, math.inf]]]
    assert made_by(compiled, blocks, [9]) == made_by(chosen_maker({PURE: "1"}), blocks, [9])


def test_plain_lines_of_a_csv_are_those_of_the_standard_library(compiled: CellMaker) -> None:
    rng = random.Random("lines")
    plain = {compiled: 0, chosen_maker({PURE: "1"}): 0}
    for _ in range(TABLES_IN_A_BLOCK):
        kinds, rows = [rng.randrange(4) for _ in range(rng.randint(2, 4))], rng.choice([1, 3])
        columns = [[random_value(rng, kind) for _ in range(rows)] for kind in kinds]
        wanted = io.StringIO()
        csv.writer(wanted, lineterminator="\n").writerows(zip(*columns, strict=True))
        for maker in plain:
            lines = maker.csv_lines(columns)
            assert lines is None or lines == wanted.getvalue().encode()
            plain[maker] += lines is not None
    assert min(plain.values()) > TABLES_IN_A_BLOCK / 20
    for maker in plain:
        numbers: list[list[Any]] = [
            [0.0, -0.0, 0.0, -0.0],
            [1, -(2**63), 2**63 - 1, 0],
            [1e22, None, 5e-324, -1.7976931348623157e308],
        ]
        assert maker.csv_lines(numbers) == (
            b"0.0,1,1e+22\n-0.0,-9223372036854775808,\n0.0,9223372036854775807,5e-324\n-0.0,0,-1.7976931348623157e+308\n"
        )
        marked: list[list[Any]] = [["a", 'b,"c"\n,', '"'], [",", 1.5, '""']]
        assert maker.csv_lines(marked) == b'a,","\n"b,""c""\n,",1.5\n"""",""""""\n'
        assert maker.csv_lines([["a", "b"], ["c", "\r"]]) is None


def test_cells_hold_what_a_reader_reads(compiled: CellMaker) -> None:
    """Of both makers, by a parser that knows neither."""
    long = "tall & <thin> " * 20
    for maker in (compiled, chosen_maker({PURE: "1"})):
        ends = CellEnds(Table())
        block = maker.block([["short", long, "", None], [1 / 3, 2, math.nan, -4.0]], ends)
        xml = block.xml(7, [STARTS, ('<c r="B', '" s="2"')], [0, 32, 0, 48.5])
        rows = ElementTree.fromstring(b"<x>" + xml + b"</x>")
        assert [(row.get("r"), row.get("ht")) for row in rows] == [
            ("7", None),
            ("8", "32"),
            ("9", None),
            ("10", "48.5"),
        ]
        assert [[(cell.get("r"), cell.get("t")) for cell in row] for row in rows] == [
            [("A7", "s"), ("B7", None)],
            [("A8", "inlineStr"), ("B8", None)],
            [],
            [("B10", None)],
        ]
        assert ["".join(row.itertext()) for row in rows] == ["00.3333333333333333", f"{long}2", "", "-4"]


@pytest.mark.parametrize("text", ["x" * LONG, "xx" * LONG, "x" * CELL_LIMIT, "x" * (CELL_LIMIT + 1), "😀" * 20_000])
def test_texts_at_the_edges_are_the_same(compiled: CellMaker, text: str) -> None:
    for value in (text, text[:-1] + "\n", f"<r>{text}</r>", text + "\ud800"):
        blocks = [[[value, value, value]]]
        assert made_by(compiled, blocks, [20]) == made_by(chosen_maker({PURE: "1"}), blocks, [20])


def test_heights_are_those_of_the_lines(compiled: CellMaker) -> None:
    texts = ["", "x", *("x" * length for length in range(1, 900)), "猫" * 30, "a\nb\nc", "x" * 90 + "\n", "é" * 200]
    for maker in (compiled, chosen_maker({PURE: "1"})):
        for width in (7, 22.5, 51):
            tallest = [1] * len(texts)
            maker.raise_lines(tallest, texts, width)
            assert tallest == [1 if not text else lines(text, width) for text in texts]


def test_the_compiled_maker_refuses_what_is_no_table(compiled: CellMaker) -> None:
    ends = CellEnds(Table())
    for wrong in (["a"], [("a",)], "a", [["a"], ["b", "c"]]):
        with pytest.raises((TypeError, ValueError)):
            compiled.block(wrong, ends)  # type: ignore[arg-type]
    block = compiled.block([["a"]], ends)
    for starts, heights in (([], [0]), ([STARTS], []), ([("a", 1)], [0]), ([STARTS], ["x"])):
        with pytest.raises((TypeError, ValueError)):
            block.xml(1, starts, heights)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        compiled.block([["a"]], CellEnds(Table(refused="a")))
    for wrong in (["a"], [("a",)], "a", [["a"], ["b", "c"]]):
        with pytest.raises((TypeError, ValueError)):
            compiled.csv_lines(wrong)  # type: ignore[arg-type]


def test_the_compiled_maker_gives_back_its_memory(compiled: CellMaker) -> None:
    rng = random.Random("memory")
    blocks = [[[random_value(rng, kind) for _ in range(20)] for kind in range(4)] for _ in range(20)]

    def go_over_all() -> None:
        for columns in blocks:
            made_by(compiled, [columns], [20.0] * 4)
            compiled.csv_lines(columns)
        with pytest.raises(ZeroDivisionError):
            compiled.block([["long " * 30, "a"]], CellEnds(Table(refused="a")))

    go_over_all()
    gc.collect()
    every = [value for columns in blocks for values in columns for value in values if isinstance(value, str)]
    texts = [text for text in every if len(text) > 1]  # a shorter one is the same object wherever anybody has it
    counts = list(map(sys.getrefcount, texts))
    tracemalloc.start()
    try:
        before = tracemalloc.take_snapshot()
        for _ in range(5):
            go_over_all()
        gc.collect()
        grown = tracemalloc.take_snapshot().compare_to(before, "filename")
    finally:
        tracemalloc.stop()
    assert sum(line.size_diff for line in grown if line.traceback[0].filename == __file__) < 1_000
    assert list(map(sys.getrefcount, texts)) == counts


def test_the_maker_is_built_where_there_is_a_compiler_from_the_source_that_is_here() -> None:
    if not has_compiler():
        pytest.skip("no compiler")
    source = (ROOT / "cli/write/_cells.c").read_bytes().replace(b"\r\n", b"\n")
    chosen = chosen_maker({})
    assert (chosen.name, chosen.reason) == (f"C {hashlib.sha256(source).hexdigest()[:12]}", "compiled"), "make env"
    assert f"#define REVISION {cell_maker.REVISION} ".encode() in source


@pytest.mark.usefixtures("compiled")
def test_the_twin_is_used_where_it_is_asked_for_or_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_maker({PURE: "1"}).block is cells.Block
    assert chosen_maker({PURE: "0"}).reason == "compiled"
    monkeypatch.setattr(cell_maker, "REVISION", cell_maker.REVISION + 1)
    assert "install scoresheet anew" in chosen_maker({}).reason
    monkeypatch.setattr(cell_maker, "_PART", Compiled(None, "the compiled one was not built"))
    assert chosen_maker({})[::4] == ("Python", "the compiled one was not built")
