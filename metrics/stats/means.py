"""The mean of what is defined."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

_AT_ONCE: Final = 65_536  # numbers that are looked at together
_FEW: Final = 200  # numbers that Python adds as soon
_MOST_PARTS: Final = 4  # of numbers of very many sizes: then Python adds what is left of them
_EXACT: Final = 52  # bits of a whole number
_POWERS: Final = 900  # of 2, whose products are still numbers with all their bits


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values that are defined, exactly summed, so that their order cannot matter.

    >>> mean([1.0, math.nan, 2.0]), mean([math.nan])
    (1.5, nan)
    """
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def mean_of_array(values: NDArray[np.float64]) -> float:
    """Return the same of an array, without looking at every value in turn."""
    known = values[~np.isnan(values)]
    return exact_sum(known) / known.size if known.size else math.nan


def exact_sum(values: NDArray[np.float64]) -> float:
    """Return what `math.fsum` does: the sum as if made of all digits, and rounded once.

    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 1_000))
    1000.0
    """
    some = (values[start : start + _AT_ONCE] for start in range(0, values.size, _AT_ONCE))
    return math.fsum(chain.from_iterable(map(exact_parts, some)))


def exact_parts(values: NDArray[np.float64]) -> list[float]:
    """Return numbers, mostly few, whose sum is exactly that of the values.

    Counted in a unit that is a power of 2, the values as whole numbers add up without rounding, in whatever order, as
    long as they stay below 2 to the power of 53; what was cut off them, which is exact too, is counted in a smaller
    unit.

    >>> exact_parts(np.array([0.5, 0.25] * 100))
    [75.0]
    """
    parts: list[float] = []
    rest = values
    while rest.size >= _FEW and len(parts) < _MOST_PARTS:
        largest = float(np.abs(rest).max())
        if not largest:
            return parts
        power = _EXACT - rest.size.bit_length() - math.frexp(largest)[1]
        if not math.isfinite(largest) or abs(power) > _POWERS:
            break
        unit = 2.0**-power
        whole = np.rint(rest / unit)
        parts.append(float(whole.sum()) * unit)
        rest = rest - whole * unit
    return [*parts, *rest.tolist()]
