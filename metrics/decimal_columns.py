"""Numbers of a column of texts that are written with a point at the same place, as shares are: all at once."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Integers
from scoresheet.metrics.stored_columns import Texts

_MOST_DIGITS: Final = 15  # that any whole number of is held exactly
_POINT, _ZERO = b".0"
_NINE: Final = 9
_ROWS: Final = 4_096  # cells that are looked at together
_FEW: Final = 8  # one cell in so many may be written in another way


class PlainDecimals(NamedTuple):
    """The numbers of a column, and the places of cells that are not written so, where any number stands."""

    values: NDArray[np.float64]
    others: Integers


def plain_decimals(cells: Texts) -> PlainDecimals | None:
    """Return the numbers of cells that are digits and a point, where the first has it; None if they are not most.

    The digits are a whole number, the places behind the point a power of ten, and both are held exactly: so their ratio
    is the very number that Python reads.

    >>> plain_decimals(Texts.of(["0.25", "1.5", "0.", "1e-3", "3.75", "0.0", "1.0", "0.5", "9.0"]))
    PlainDecimals(values=array([0.25, 1.5 , 0.  , 0.  , 3.75, 0.  , 1.  , 0.5 , 9.  ]), others=array([3]))
    """
    padded = cells.padded() if 1 < cells.widest <= _MOST_DIGITS + 1 else None
    if padded is None or not len(padded):
        return None
    point = padded[0].find(b".")
    if point < 0:
        return None
    table = padded.view(np.uint8).reshape(len(padded), -1)
    values, others = np.empty(len(table)), []
    for start in range(0, len(table), _ROWS):
        numbers, is_plain = _some_decimals(table[start : start + _ROWS], point)
        values[start : start + _ROWS] = numbers
        if not is_plain.all():
            others.append(np.flatnonzero(~is_plain) + start)
    found = np.concatenate(others) if others else np.zeros(0, np.int64)
    return None if len(found) * _FEW > len(padded) else PlainDecimals(values, found)


def _some_decimals(table: NDArray[np.uint8], point: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the numbers of some cells, a row of bytes each, and which of them are plain; the others are 0."""
    digits = np.delete(table, point, axis=1)
    is_plain = (table[:, point] == _POINT) & (digits[:, 0] > 0)  # a point alone is no number
    digits[digits == 0] = _ZERO  # the last ones of a shorter cell
    digits -= _ZERO
    is_digit = digits <= _NINE
    if not is_digit.all():
        is_plain &= is_digit.all(axis=1)
    places = digits.shape[1]
    whole = digits.astype(np.float64) @ np.array([float(10**place) for place in reversed(range(places))])
    return np.where(is_plain, whole / float(10 ** (places - point)), 0.0), is_plain
