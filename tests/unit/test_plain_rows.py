"""Rows of a table that are taken as a whole block come to what they come to one by one."""

from __future__ import annotations

import csv
import gc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from scoresheet.cli.input.formats import delimited_records, table_builder, text_files
from scoresheet.cli.input.formats.csv_files import read_delimited
from scoresheet.cli.input.formats.delimited_records import CutPiece, plain_block
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.metrics.problems import InputError, Problem

NAMES = ["query", "item", "rank"]
CELLS = ["a", "b ", "7", "文", "", " ", "\ufeff", "query", "item"]


def read(rows: Sequence[list[str]], *, blanks: bool) -> tuple[object, list[Problem]]:
    """Return the cells and numbers of a table of these rows, or why it is refused, and the notes."""
    builder = TableBuilder("Sheet1", refusal="file skipped")
    try:
        table = builder.build(enumerate([NAMES, *rows], start=1), strict=True, blanks=blanks)
    except InputError as error:
        return error.problem, builder.problems
    assert table is not None
    return (list(table.grid.rows), [list(table.grid.cells(name)) for name in NAMES]), builder.problems


@pytest.mark.parametrize("blanks", [False, True])
def test_a_block_of_plain_rows_is_read_as_its_rows_are(blanks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(0)
    monkeypatch.setattr(table_builder, "_ROWS", 4)  # so that plain blocks and others follow each other
    is_plain = table_builder._is_plain
    taken = []

    def counted(*given: object, **more: object) -> bool:
        taken.append(is_plain(*given, **more))  # type: ignore[arg-type]
        return is_plain(*given, **more)  # type: ignore[arg-type]

    for odd in (0.0, 0.02, 0.2):
        for _ in range(60):
            rows = [[rng.choice(CELLS if rng.random() < odd else CELLS[:4]) for _ in NAMES] for _ in range(14)]
            rows = [row + ["", "x"][: rng.randint(1, 2)] if rng.random() < odd / 2 else row for row in rows]
            rows = [row[: rng.randint(0, 3)] if rng.random() < odd else row for row in rows]
            monkeypatch.setattr(table_builder, "_is_plain", counted)
            together = read(rows, blanks=blanks)
            monkeypatch.setattr(table_builder, "_is_plain", lambda *_, **__: False)
            assert together == read(rows, blanks=blanks)
    assert any(taken)
    assert not all(taken)


def test_what_is_wrong_with_a_row_is_said_before_what_is_wrong_below_it() -> None:
    def records() -> object:
        yield 1, NAMES
        yield 2, ["q", "i", "1", "beyond"]
        raise InputError(Problem(kind="bad-csv", message="never closed", effect="file skipped"))

    with pytest.raises(InputError, match="line 2"):
        TableBuilder("Sheet1", refusal="file skipped").build(records(), strict=True)  # type: ignore[arg-type]


ODD_LINES = [
    '"a, b",c,7',
    'a,"b\nc",7',
    "a,b",
    "a,b,7,",
    "",
    "query,item,rank",
    "a,b,7,x",
    'a,b"c,7',
    " , ,",
    ",,",
    '"a,b,7',
]


@pytest.mark.parametrize("short", [0, 64], ids=["as strings", "as bytes"])
@pytest.mark.parametrize("names", [NAMES, NAMES[:1]], ids=["several columns", "one column"])
def test_pieces_of_a_csv_that_are_cut_at_their_separators_are_read_as_their_records_are(
    names: list[str], short: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(1)
    monkeypatch.setattr(delimited_records, "_SHORT", short)
    monkeypatch.setattr(text_files, "_PIECE", 40)  # so that many pieces are plain, and some lines are in two
    path = tmp_path / "runs.csv"
    taken = []

    def counted(*given: object) -> object:
        taken.append(plain_block(*given) is not None)  # type: ignore[arg-type]
        return plain_block(*given)  # type: ignore[arg-type]

    in_bytes = []
    in_lines = CutPiece._lines

    def as_bytes(piece: CutPiece) -> object:
        in_bytes.append(piece)
        return in_lines(piece)

    monkeypatch.setattr(CutPiece, "_lines", as_bytes)

    def content() -> object:
        try:
            found = read_delimited(path, ReadRules())
        except InputError as error:
            return error.problem
        grid = found.tables[0].grid
        return list(grid.rows), [list(grid.cells(name)) for name in names], found.problems

    for odd in (0.0, 0.02, 0.1):
        for _ in range(60):
            cells = [*CELLS[:3], "wide" * rng.randint(1, 20), ""] if rng.random() < 0.5 else CELLS[:4]
            lines = [",".join(rng.choice(cells) for _ in names) for _ in range(rng.randint(0, 20))]
            lines = [rng.choice(ODD_LINES) if rng.random() < odd else line for line in lines]
            end = rng.choice(["\n", "\r\n", "\n", "\r", "\r\r\n"])
            text = end.join([",".join(names), *lines]) + rng.choice(["", end])
            path.write_bytes((text.replace("\r\n", "\n", 3) if rng.random() < 0.2 else text).encode())
            monkeypatch.setattr(delimited_records, "plain_block", counted)
            in_pieces = content()
            monkeypatch.setattr(delimited_records, "plain_block", lambda *_: None)
            assert in_pieces == content()
    assert sum(taken) > 100
    assert not all(taken)
    assert (len(in_bytes) > 50) == bool(short)


def test_a_csv_whose_head_was_looked_at_is_read_whatever_is_collected_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long a cell may be is set for all readers of the csv module: one left halfway must not set it back."""
    usual = csv.field_size_limit()
    path = tmp_path / "answers.csv"
    long = "y" * (usual + 1)
    path.write_text("\n".join(["id,text", *(f'{number},"some text"' for number in range(300)), f'x,"{long}"']))
    columns, collected = TableBuilder.build, []

    def collecting(builder: TableBuilder, records: Iterable[tuple[int, list[str]]], **more: bool) -> object:
        def each() -> Iterator[tuple[int, list[str]]]:
            for record in records:
                collected.append(gc.collect())
                yield record

        return columns(builder, each(), **more)

    monkeypatch.setattr(TableBuilder, "build", collecting)
    (table,) = read_delimited(path, ReadRules()).tables
    assert table.grid.cells("text")[300] == long
    assert collected
    assert csv.field_size_limit() == usual


@pytest.mark.parametrize("line", ["", "  ", ",", '""'])
def test_a_blank_row_that_was_named_as_the_header_is_said_to_be_blank(line: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"id,text\n{line}\n1,some words\n")
    with pytest.raises(InputError, match="row 2 was named as the header and is blank"):
        read_delimited(path, ReadRules(header_row=2))
