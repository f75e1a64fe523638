"""Numbers of a column of texts that are written with a point at the same place, as shares are: all at once."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Integers
from scoresheet.metrics.stored_columns import Texts

_MOST_DIGITS: Final = 15  # that any whole number of is held exactly
_POINT, _ZERO, _NINE = b".0"[0], b"0"[0], b"9"[0]
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
    digits = np.delete(table, point, axis=1)
    is_plain = (table[:, point] == _POINT) & ((digits >= _ZERO) & (digits <= _NINE) | (digits == 0)).all(axis=1)
    is_plain &= digits[:, 0] > 0  # a point alone is no number
    others = np.flatnonzero(~is_plain)
    if len(others) * _FEW > len(padded):
        return None
    digits[digits == 0] = _ZERO  # the last ones of a shorter cell
    places = digits.shape[1]
    whole = (digits - _ZERO).astype(np.float64) @ np.array([float(10**place) for place in reversed(range(places))])
    values = whole / float(10 ** (places - point))
    values[others] = 0.0
    return PlainDecimals(values, others)
