"""TREC files: rankings (run files) and judgments (qrels), fields between blanks, no header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scoresheet.cli.input.formats.csv_files import SHEET, check_lines, decode_text
from scoresheet.cli.input.formats.text_files import file_bytes, first_bytes
from scoresheet.cli.input.formats.types import Content, ReadRules, Table
from scoresheet.cli.input.grid import Grid
from scoresheet.cli.input.limits import refuse_over
from scoresheet.metrics.columns import row_numbers
from scoresheet.metrics.problems import reject

# The rank of a run file is not what orders it (its score is), so it does not get the name that would.
TREC_RANK: Final = "trec_rank"
TAG: Final = "tag"
_JUDGED: Final = 4  # fields
_FIELDS: Final = {
    6: ("query", "q0", "item", TREC_RANK, "score", TAG),
    _JUDGED: ("query", "subtopic", "item", "relevance"),
}
_BLANKS: Final = re.compile(r"[ \t]+")  # an id may hold any other white space
_NUMBER: Final = re.compile(rb"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")


def read_trec(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a run or qrels file; the rows have the numbers of the lines."""
    numbers: list[int] = []
    rows: list[list[str]] = []
    names: tuple[str, ...] = ()
    text = decode_text(file_bytes(path, rules.limits), rules.encoding)
    check_lines(text, rules.limits)
    for number, line in enumerate(text.split("\n"), start=1):
        cells = _BLANKS.split(line.strip(" \t\r")) if line.strip(" \t\r") else []
        if not cells or _is_remark([cell.encode() for cell in cells]):
            continue
        names = names or _FIELDS.get(len(cells), ())
        if len(cells) != len(names):
            expected = f"{len(names)}, as in the first line" if names else "6 (a run) or 4 (judgments)"
            reject("bad-csv", f"line {number} has {len(cells)} fields, expected {expected}")
        numbers.append(number)
        rows.append(cells)
    if not rows:
        reject("no-rows", "the file has no lines")
    if len(rows) * len(names) > rules.limits.cells:
        refuse_over(rules.limits, "cells", len(rows) * len(names), "the file has")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    if len(names) == _JUDGED:
        columns["trec_qrels"] = ["TREC"] * len(rows)
    if len(set(columns.get(TAG, ()))) > 1:
        columns["model"] = columns[TAG]  # several runs in one file, each by its tag
    return Content([Table(SHEET, Grid(columns, row_numbers(numbers)))], [])


def looks_like_trec(path: Path) -> bool:
    """Return whether the first line of a text file has as many fields as a run or qrels file."""
    cells = _first_line(path)
    return _has_fields(cells)


def _has_fields(cells: Sequence[bytes]) -> bool:
    if len(cells) not in _FIELDS:
        return False
    numbers = cells[3:5] if len(cells) == 6 else cells[3:]  # rank and score, or the grade
    return all(_NUMBER.fullmatch(cell) for cell in numbers)


def _is_remark(cells: Sequence[bytes]) -> bool:
    """Return whether a line is a remark: it begins with a # and has not the fields of a file.

    >>> _is_remark([b"#", b"judged", b"in", b"May"]), _is_remark([b"#1", b"Q0", b"d", b"1", b"2.5", b"bm25"])
    (True, False)
    """
    return cells[0].startswith(b"#") and not _has_fields(cells)


def _first_line(path: Path) -> list[bytes]:
    """Return the fields of the first line that has any and is no remark."""
    lines = (line.split() for line in first_bytes(path).splitlines() if line.strip())
    return next((cells for cells in lines if not _is_remark(cells)), [])
