"""The lines of a CSV made of arrays: where columns are codes, whole numbers and texts held as bytes, and all plain.

A field is as many bytes as the widest of its column; those that it does not need are NUL, and are dropped from all
lines at once. No Python object is made of any cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.cli.write.cell_text import GUARDED, csv_safe, escape_control_characters
from scoresheet.metrics.columns import Coded, Column, NumberColumn
from scoresheet.metrics.stored_columns import Texts

_QUOTED: Final = b',"\r\n'  # what a field with quotes around it may hold
_WIDEST: Final = 64  # bytes of a field: more would be mostly padding
_MOST_VALUES: Final = 4_096  # that a column of codes or numbers has
_IS_PLAIN: Final = np.array([32 <= byte < 127 and byte not in _QUOTED for byte in range(256)])  # ASCII that is shown
_IS_GUARDED: Final = np.array([chr(byte) in GUARDED for byte in range(256)])

Fields = NDArray[np.bytes_]  # with the comma after each
PaddedColumn = Callable[[int, int], Fields | None]  # those of some rows; None where one is not plain


def padded_columns(columns: Sequence[Sequence[object]], *, raw: bool) -> list[PaddedColumn] | None:
    """Return columns whose fields are made of arrays; None if there is one of another kind, or none beside another."""
    found: list[PaddedColumn] = []
    for values in columns:
        padded = _padded_column(values, raw=raw) if isinstance(values, Column) else None
        if padded is None:
            return None
        found.append(padded)
    return found if len(found) > 1 else None  # a line of an empty field alone would need quotes


def padded_lines(columns: Sequence[PaddedColumn], start: int, stop: int) -> bytes | None:
    """Return the lines of some rows; None where a field is not plain."""
    fields: list[Fields] = []
    for column in columns:
        own = column(start, stop)
        if own is None:
            return None
        fields.append(own)
    lines = np.empty(len(fields[0]), [(f"{place}", own.dtype) for place, own in enumerate(fields)])
    for place, own in enumerate(fields):
        lines[f"{place}"] = own
    data = lines.view(np.uint8)
    # the last comma of a line ends it: it is the last byte that is there
    last = data.reshape(len(lines), -1)[:, -fields[-1].dtype.itemsize :]
    last[last == ord(",")] = ord("\n")
    return bytes(data[data != 0])


def _padded_column(values: Column[object], *, raw: bool) -> PaddedColumn | None:
    if isinstance(values, Coded):
        return _of_codes(values, raw=raw)
    if isinstance(values, NumberColumn):
        return _of_numbers(values)
    return _of_texts(values, raw=raw) if isinstance(values, Texts) and values.widest < _WIDEST else None


def _of_codes(values: Coded[object], *, raw: bool) -> PaddedColumn | None:
    """Return the fields of different values, made once for each."""
    if not 0 < len(values.values) <= _MOST_VALUES:
        return None
    texts = [text for text in values.values if isinstance(text, str)]
    if len(texts) < len(values.values):
        return None
    shown = map(escape_control_characters, texts)
    return _looked_up(list(shown if raw else map(csv_safe, shown)), values.codes)


def _of_numbers(values: NumberColumn) -> PaddedColumn | None:
    """Return the fields of whole numbers that are not far from each other."""
    if not np.issubdtype(values.values.dtype, np.signedinteger) or not len(values):
        return None
    numbers: NDArray[np.signedinteger] = np.asarray(values.values)
    least, most = int(numbers.min()), int(numbers.max())
    if most - least >= _MOST_VALUES:
        return None
    return _looked_up(list(map(str, range(least, most + 1))), numbers, least)


def _looked_up(texts: Sequence[str], codes: NDArray[np.signedinteger], first: int = 0) -> PaddedColumn | None:
    """Return the fields of texts by their numbers, of which this is the first."""
    joined = "".join(texts)
    if not joined.isprintable() or any(chr(mark) in joined for mark in _QUOTED):
        return None
    fields = np.array([f"{text},".encode() for text in texts])
    if fields.dtype.itemsize > _WIDEST:
        return None
    return lambda start, stop: fields[codes[start:stop].astype(np.int64) - first if first else codes[start:stop]]


def _of_texts(values: Texts, *, raw: bool) -> PaddedColumn:
    def fields(start: int, stop: int) -> Fields | None:
        padded = values.padded(start, stop)
        if padded is None or not len(padded):
            return None
        width = padded.dtype.itemsize
        table = padded.view(np.uint8).reshape(-1, width)
        if not (_IS_PLAIN[table] | (table == 0)).all() or (not raw and _IS_GUARDED[table[:, 0]].any()):
            return None
        found = np.zeros((len(table), width + 1), np.uint8)
        found[:, :width] = table
        found[np.arange(len(table)), np.count_nonzero(table, axis=1)] = ord(",")
        return np.asarray(found.view(f"S{width + 1}")[:, 0])

    return fields
