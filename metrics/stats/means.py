"""The mean of what is defined."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

_MANY: Final = 2_000  # numbers from which on they are not summed as Python's own
_LARGEST: Final = 2.0**900  # beyond, what is split off would not be finite


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

    Of many values the first digits are split off, so few of them that their sum is exact in any order, then the next
    ones, until nothing is left; what is rounded is the sum of these few sums.

    References
    ----------
    S. M. Rump, T. Ogita, S. Oishi (2008), Accurate Floating-Point Summation Part I: Faithful Rounding, SIAM Journal on
    Scientific Computing 31.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 1_000))
    1000.0
    """
    if values.size < _MANY:
        return math.fsum(values.tolist())
    sums = []
    rest = values
    while largest := float(np.abs(rest).max()):
        if not largest < _LARGEST:
            return math.fsum(values)
        # so far above all that even their sum is below it
        above = math.ldexp(1.0, math.frexp(largest)[1] + values.size.bit_length() + 1)
        first = (rest + above) - above
        sums.append(float(first.sum()))
        rest = rest - first
    return math.fsum(sums)
