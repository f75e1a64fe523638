"""The mean of what is defined."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

_AT_ONCE: Final = 65_536  # numbers that are Python's at a time


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
    if 0 < known.size <= _AT_ONCE:
        return math.fsum(known.tolist()) / known.size
    some = (known[start : start + _AT_ONCE].tolist() for start in range(0, known.size, _AT_ONCE))
    return math.fsum(chain.from_iterable(some)) / known.size if known.size else math.nan
