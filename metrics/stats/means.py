"""The mean of what is defined."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


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
    return math.fsum(known.tolist()) / known.size if known.size else math.nan
