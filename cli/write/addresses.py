"""Addresses of cells: A1, and names of worksheets before them."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

_NAMES_KEPT: Final = 1_024
_PLAIN: Final = re.compile(r"[^\W\d][\w.]*")
# what a program would take for a cell, and what begins as a row or a column does in another way to write addresses
_CELL, _ROW, _COLUMN = re.compile(r"([A-Z]{1,3})(\d+)"), re.compile(r"R(\d+)"), re.compile(r"R?C(\d+)")
_LAST_ROW, _LAST_COLUMN, _LAST_COLUMN_NAME = 1_048_576, 16_384, (3, "XFD")


@cache
def column_name(place: int) -> str:
    """Return what a column is called, the first of them at 0.

    >>> column_name(0), column_name(25), column_name(26), column_name(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    name, left = "", place + 1
    while left:
        left, letter = divmod(left - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def absolute_range(row: int, column: int, last_row: int, last_column: int) -> str:
    """Return the cells from one to another, wherever a formula with them is copied to.

    >>> absolute_range(0, 0, 4, 1), absolute_range(2, 0, 2, 0)
    ('$A$1:$B$5', '$A$3')
    """
    first, last = f"${column_name(column)}${row + 1}", f"${column_name(last_column)}${last_row + 1}"
    return first if first == last else f"{first}:{last}"


@lru_cache(_NAMES_KEPT)
def quoted_name(sheet: str) -> str:
    """Return a sheet's name as it stands before an address.

    >>> quoted_name("Summary"), quoted_name("it's"), quoted_name("R1"), quoted_name("XFE1")
    ('Summary', "'it''s'", "'R1'", 'XFE1')
    """
    if _PLAIN.fullmatch(sheet) and not _is_address(sheet.upper()):
        return sheet
    return "'" + sheet.replace("'", "''") + "'"


def _is_address(name: str) -> bool:
    """Return whether a program would take a name for cells."""
    if found := _CELL.fullmatch(name):
        return (len(found[1]), found[1]) <= _LAST_COLUMN_NAME and 0 < int(found[2]) <= _LAST_ROW
    if found := _ROW.match(name):
        return 0 < int(found[1]) <= _LAST_ROW
    if found := _COLUMN.match(name):
        return 0 < int(found[1]) <= _LAST_COLUMN
    return name in ("R", "C", "RC")
