"""Tables that are written already, with a column more or under another name, whatever their format."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from tests.helpers.files import table_text

Change = Callable[[list[list[Any]]], list[list[Any]]]  # of a header and the rows below it
_SEPARATORS = ",;\t"
_RUN = 6  # fields of a TREC run; the last is its tag


def added(names: Sequence[str], values: Sequence[str]) -> Change:
    """Columns more, whose values take turns down the rows, in each column alike."""

    def change(rows: list[list[Any]]) -> list[list[Any]]:
        head, *body = rows
        new = ([values[place % len(values)]] * len(names) for place in range(len(body)))
        return [[*head, *names], *([*row, *cells] for row, cells in zip(body, new, strict=True))]

    return change


def renamed(old: str, new: str) -> Change:
    """A column under another name."""
    return lambda rows: [[new if name == old else name for name in rows[0]], *rows[1:]]


def alter_table(path: Path, change: Change) -> bool:
    """Change the tables of a file below what stands above their headers; False if the file has none with headers."""
    if path.suffix == ".xlsx":
        _alter_book(path, change)
        return True
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    kind = Path(path.name.removesuffix(".gz")).suffix
    if kind in (".jsonl", ".json"):
        new = _altered_json(text, change, lines=kind == ".jsonl")
    elif kind in (".csv", ".tsv"):
        new = _altered_text(text, change)
    else:
        return False
    path.write_bytes(gzip.compress(new.encode(), mtime=0) if path.suffix == ".gz" else new.encode())
    return True


def headers(path: Path) -> list[str]:
    """The headers of a file's tables; none of a file that has no header."""
    found: list[str] = []

    def look(rows: list[list[Any]]) -> list[list[Any]]:
        found.extend(map(str, rows[0]))
        return rows

    alter_table(path, look)
    return found


def alter_tags(path: Path, values: Sequence[str]) -> bool:
    """Give the lines of a TREC run these tags in turn; False if the file is none."""
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
    if any(len(line.split()) != _RUN for line in lines):
        return False
    tagged = "".join(
        f"{line.rpartition(' ')[0]} {values[place % len(values)]}\n" for place, line in enumerate(lines)
    ).encode()
    path.write_bytes(gzip.compress(tagged, mtime=0) if path.suffix == ".gz" else tagged)
    return True


def _altered_text(text: str, change: Change) -> str:
    cut = {sep: list(csv.reader(io.StringIO(text), delimiter=sep)) for sep in _SEPARATORS}

    def regular(sep: str) -> int:
        """How many rows the separator cuts into the same number of fields."""
        width, count = Counter(len(row) for row in cut[sep] if row).most_common(1)[0]
        return count if width > 1 else 0

    sep = max(_SEPARATORS, key=regular)
    usual = Counter(len(row) for row in cut[sep] if row).most_common(1)[0][0]
    place = next(number for number, row in enumerate(cut[sep]) if len(row) == usual)
    return table_text([*cut[sep][:place], *change(cut[sep][place:])], sep)


def _altered_json(text: str, change: Change, *, lines: bool) -> str:
    value = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    if isinstance(value, dict):
        head, *body = change([list(value), *map(list, zip(*value.values(), strict=True))])
        return json.dumps(dict(zip(head, map(list, zip(*body, strict=True)), strict=True)), ensure_ascii=False)
    names = list(dict.fromkeys(name for each in value for name in each))
    head, *body = change([names, *([each.get(name) for name in names] for each in value)])
    objects = [dict(zip(head, row, strict=True)) for row in body]
    if not lines:
        return json.dumps(objects, ensure_ascii=False)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def _alter_book(path: Path, change: Change) -> None:
    book = openpyxl.load_workbook(path)
    for sheet in book.worksheets:
        rows = [list(row) for row in sheet.values]
        filled = [sum(cell is not None for cell in row) for row in rows]
        place = filled.index(max(filled))  # titles are cells alone
        for number, row in enumerate(change(rows[place:]), start=place + 1):
            for column, cell in enumerate(row, start=1):
                sheet.cell(number, column, cell)
    book.save(path)
