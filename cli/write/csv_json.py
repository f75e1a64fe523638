"""CSV and JSON: full precision for machines."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, Final, NamedTuple

from scoresheet.cli.write.cell_maker import cell_maker
from scoresheet.cli.write.cell_text import GUARDED, UNSEEN, csv_safe, escape_control_characters
from scoresheet.cli.write.csv_padded import padded_columns, padded_lines
from scoresheet.metrics.columns import elements

_BLOCK: Final = 10_000  # rows that are looked at together
_FEWER: Final = 500  # likewise, of rows that are made on the way, and elements of a list in JSON
_BELOW, _BELOW_LIST = "\n  ", "\n    "  # how lines begin in an entry of a JSON file, and in an element of its list


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]], *, raw: bool = False) -> None:
    """Write rows as UTF-8 CSV: floats with all their digits, undefined as empty, text that cannot run as a formula."""
    left = iter(rows)
    blocks = iter(lambda: list(map(list, zip(*islice(left, _FEWER), strict=True))), [])
    _write_blocks(path, header, blocks, raw=raw, wrote=lambda _: None)


def write_columns(
    path: Path,
    header: Sequence[str],
    columns: Sequence[Sequence[Any]],
    *,
    raw: bool = False,
    wrote: Callable[[int], None] = lambda _: None,
) -> None:
    """Write columns as `write_csv` does rows; `wrote` hears of them, some at a time."""
    rows = len(columns[0]) if columns else 0
    padded = padded_columns(columns, raw=raw)

    def block(start: int) -> list[list[Any]] | Lines:
        stop = min(start + _BLOCK, rows)
        lines = None if padded is None else padded_lines(padded, start, stop)
        return [elements(values, start, stop) for values in columns] if lines is None else Lines(stop - start, lines)

    _write_blocks(path, header, map(block, range(0, rows, _BLOCK)), raw=raw, wrote=wrote)


class Lines(NamedTuple):
    """Some rows as lines that are done."""

    rows: int
    text: bytes


def _write_blocks(
    path: Path,
    header: Sequence[str],
    blocks: Iterable[list[list[Any]] | Lines],
    *,
    raw: bool,
    wrote: Callable[[int], None],
) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(_fields(list(header), raw=raw))  # a judge or a stream may be what a column is called by
        for block in blocks:
            if isinstance(block, Lines):
                stream.flush()
                stream.buffer.write(block.text)
                wrote(block.rows)
                continue
            columns = [_fields(values, raw=raw) for values in block]
            lines = cell_maker().csv_lines(columns) if len(columns) > 1 else None  # one that is empty needs quotes
            if lines is None:
                writer.writerows(zip(*columns, strict=True))
            else:
                stream.flush()
                stream.buffer.write(lines)
            wrote(len(columns[0]))


def _fields(values: list[Any], *, raw: bool) -> list[Any]:
    """Return the values of a column as the writer is given them: it gives numbers all digits, and None an empty cell.

    What all values of a column are is seen at once, and mostly there is nothing to be done to any.
    """
    types = set(map(type, values))
    if types == {float}:
        return [None if value != value else value for value in values] if math.isnan(sum(values)) else values  # noqa: PLR0124
    if types == {int}:
        return values
    if types == {str}:
        different = set(values)
        plain = "".join(different).isprintable()
        if raw or not any(value[:1] in GUARDED for value in different if value):
            return values if plain else [escape_control_characters(value) for value in values]
    shown = escape_control_characters if raw else lambda text: csv_safe(escape_control_characters(text))
    return [shown(value) if isinstance(value, str) else None if value != value else value for value in values]  # noqa: PLR0124


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, of a mapping one entry after the other; undefined and infinite numbers are null."""
    if not isinstance(value, Mapping) or not value:
        path.write_text(as_json(value) + "\n", encoding="utf-8")
        return
    with path.open("w", encoding="utf-8") as stream:
        for place, (key, each) in enumerate(value.items()):
            stream.write(f"{',' if place else '{'}\n  {as_json(str(key))}: ")
            if isinstance(each, list) and len(each) > _FEWER:
                for number, one in enumerate(each):
                    stream.write(f"{',' if number else '['}\n    {_json_text(one, _BELOW_LIST)}")
                stream.write("\n  ]")
            else:
                stream.write(_json_text(each, _BELOW))
        stream.write("\n}\n")


def as_json(value: Any) -> str:
    """Return a value as readable JSON text; what cannot be seen in it is escaped as JSON does, and so still there."""
    return _json_text(value, "\n")


def _json_text(value: Any, line: str) -> str:
    """Return the text of a value in lines that begin with `line`."""
    pieces: list[str] = []
    _add_json(pieces, value, line)
    text = "".join(pieces)
    return text if text.isascii() else UNSEEN.sub(lambda unseen: json.dumps(unseen.group())[1:-1], text)


def _add_json(pieces: list[str], value: Any, line: str) -> None:
    """Add the text of a value in lines that begin with `line`; the standard library takes four times as long."""
    if isinstance(value, str):
        pieces.append(_quoted(value))
    elif isinstance(value, float):
        pieces.append(float.__repr__(value) if math.isfinite(value) else "null")
    elif type(value) is int:
        pieces.append(str(value))
    elif isinstance(value, dict | Mapping):
        # keys that look the same once written are one
        _add_items(pieces, "{}", {f"{_quoted(str(key))}: ": each for key, each in value.items()}.items(), line)
    elif isinstance(value, list | tuple):
        _add_items(pieces, "[]", [("", each) for each in value], line)
    else:
        pieces.append(json.dumps(value, allow_nan=False))


def _add_items(pieces: list[str], ends: str, items: Collection[tuple[str, Any]], line: str) -> None:
    """Add values one below the other between the ends, each after its head; if there are none, the ends alone."""
    before, below = ends[0], f"{line}  "
    for head, value in items:
        if type(value) is float and math.isfinite(value):  # as most are, and a call for each would be most of the time
            pieces.append(f"{before}{below}{head}{value!r}")
        else:
            pieces.append(f"{before}{below}{head}")
            _add_json(pieces, value, below)
        before = ","
    pieces.append(f"{line}{ends[1]}" if items else ends)


@lru_cache(maxsize=1_024)  # the lines of a page have the same names, and the same models
def _quoted(text: str) -> str:
    return encode_basestring(escape_control_characters(text))
