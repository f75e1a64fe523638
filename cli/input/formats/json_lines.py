"""JSON Lines: one object per line, its keys the columns, numbers kept as they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scoresheet.cli.input.formats.csv_files import SHEET, decode_text
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.types import Content, ReadRules
from scoresheet.metrics.problems import reject


def read_jsonlines(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a JSON Lines file; a key that a line lacks is an empty cell."""
    objects = list(_objects(decode_text(path.read_bytes(), rules.encoding)))
    names = list(dict.fromkeys(key for _, line in objects for key in line))
    builder = TableBuilder(SHEET, refusal="file skipped")
    records = ((number, [_cell(line.get(name)) for name in names]) for number, line in objects)
    table = builder.build([(0, names), *records], strict=True, blanks=True)
    if table is None:
        reject("no-rows", "the file has no objects")
    return Content([table], builder.problems)


def _objects(text: str) -> Iterator[tuple[int, dict[str, object]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            pairs = json.loads(line, parse_float=_Number, parse_int=_Number, object_pairs_hook=_Pairs)
        except (json.JSONDecodeError, RecursionError) as error:
            reject("not-a-table", f"line {number} is not JSON: {error}")
        if not isinstance(pairs, _Pairs):
            reject("not-a-table", f"line {number} is not an object with column names")
        value = dict(pairs)
        if len(value) < len(pairs):
            reject("duplicate-header", f"line {number} has the same key twice")
        yield number, value


class _Number(str):
    """A number as it is written."""


class _Pairs(list[tuple[str, object]]):
    """An object's keys and values, in order and with repetitions."""


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return str(value)
        case _:
            return "TRUE" if value is True else "FALSE" if value is False else _nested(value)


def _nested(value: object) -> str:
    """Return JSON text that says the same as the file's."""
    match value:
        case _Number():
            return str(value)
        case _Pairs():
            return (
                "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_nested(each)}" for key, each in value) + "}"
            )
        case list():
            return "[" + ", ".join(map(_nested, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
