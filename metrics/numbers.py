"""Numbers in cells: every cell is text until a family asks for a number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # options are read by this module too, and have no need of it
    import numpy as np
    from numpy.typing import NDArray

_WHOLE: Final = re.compile(r"\+?(\d{1,15})(?:\.0*)?")
_LARGEST_WEIGHT: Final = 1e100  # beyond, sums of weights would not be finite


def parse_count(text: str) -> int | None:
    """Return the whole number of 0 or more that a cell holds; None for anything else.

    >>> parse_count(" 3 "), parse_count("3.0"), parse_count("3.5"), parse_count("-1"), parse_count("")
    (3, 3, None, None, None)
    """
    found = _WHOLE.fullmatch(text.strip())
    return int(found[1]) if found else None


def parse_float(text: str) -> float | None:
    """Return the finite number that a cell holds; None for anything else, such as 1_0, which Python would take.

    >>> parse_float(" -1.5e3 "), parse_float("1_0"), parse_float("inf"), parse_float("1,5")
    (-1500.0, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value + 0.0 if math.isfinite(value) and "_" not in text else None  # -0 is 0


def parse_floats(cells: Sequence[str]) -> NDArray[np.float64]:
    """Return the same of many cells, of which some are the same; NaN where there is none.

    >>> parse_floats(["1", "2.5", "1", "x"]).tolist()
    [1.0, 2.5, 1.0, nan]
    """
    import numpy as np

    found = {cell: parse_float(cell) for cell in set(cells)}
    values = {cell: math.nan if value is None else value for cell, value in found.items()}
    return np.fromiter(map(values.__getitem__, cells), np.float64, len(cells))


def format_float(value: float) -> str:
    """Return the fewest digits that mean exactly this number, whole numbers without a point.

    >>> format_float(5.0), format_float(1000001.0), format_float(0.3333333), format_float(1e-7)
    ('5', '1000001', '0.3333333', '1e-07')
    """
    return repr(float(value)).removesuffix(".0")


def parse_decimal(text: str) -> Decimal | None:
    """Return the same number to its last digit, where two that differ must not become one.

    >>> parse_decimal("1.0") == parse_decimal("1")
    True
    >>> parse_decimal("9007199254740993") == parse_decimal("9007199254740992")
    False
    """
    value = parse_float(text)
    if value is None:
        return None
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond what even a Decimal holds, which a float takes for 0
        return Decimal(value)


def parse_weight(text: str) -> float | None:
    """Return the share or other weight of 0 or more that a cell holds; 50% is 0.5.

    >>> parse_weight("50%"), parse_weight("2"), parse_weight("-1"), parse_weight("x")
    (0.5, 2.0, None, None)
    """
    cell = text.strip()
    value = parse_float(cell.removesuffix("%"))
    if value is None or not 0 <= value < _LARGEST_WEIGHT:
        return None
    return value / 100 if cell.endswith("%") else value
