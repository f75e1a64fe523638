"""Sums of the ratio level's distances over all pairs of many values, without looking at every pair."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_KINDS: Final = 3_000  # different values up to which every two are looked at
_STEP: Final = 0.2  # of ln t; the rule's error falls as exp(-π²/step), here far below the last digit
_BEFORE: Final = 21.0  # how far before -ln(largest value) and after -ln(least) the integrand is below the last digit
_AFTER: Final = 3.2
_BLOCK: Final = 1_000  # values that are looked at at once
_CANCELLED: Final = 1e-5  # mean distance below which the difference of large sums has lost too many digits


def relative_distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances of the ratio level."""
    sums = one + other
    return np.asarray(((one - other) / np.where(sums != 0, sums, 1.0)) ** 2)


def summed_distances(kinds: NDArray[np.float64], often: NDArray[np.float64]) -> float:
    """Return the sum of the distances of every two values, in both orders; `often` says how often each is there.

    >>> import numpy as np
    >>> summed_distances(np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    7.0
    """
    if len(kinds) <= MOST_KINDS:
        return _pair_by_pair(kinds, often)
    points = Points(kinds)
    sums = np.zeros(len(points))
    for start in range(0, len(kinds), _BLOCK):
        block = slice(start, start + _BLOCK)
        sums += often[block] @ points.of(kinds[block])
    total, zeros = float(often.sum()), float(often[kinds == 0].sum())
    found = float(points.distances(sums, total, zeros))
    return found if found > _CANCELLED * total * total else _pair_by_pair(kinds, often)


class Points:
    """Where exponentials of values are summed, so that a square of sums stands for a sum over pairs.

    The distance is 1 - 4ck/(c + k)², and ck/(c + k)² is the integral over t of t·(c·exp(-tc))·(k·exp(-tk)).
    Over ln t the trapezoidal rule is exact to the last digit with few points; pairs of zeros have no distance.
    """

    def __init__(self, values: NDArray[np.float64]) -> None:
        above = values[values > 0]
        low, high = (math.log(above.min()), math.log(above.max())) if above.size else (0.0, 0.0)
        self._logs = np.arange(-high - _BEFORE, -low + _AFTER + _STEP, _STEP)

    def __len__(self) -> int:
        return len(self._logs)

    def of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each value adds at each point."""
        with np.errstate(divide="ignore"):
            products = np.exp(np.log(values)[:, None] + self._logs[None, :])
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num(products * np.exp(-products)))

    def distances(
        self, sums: NDArray[np.float64], total: float | NDArray[np.float64], zeros: float | NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the sum of all distances from the sums over values, the number of values and that of zeros."""
        return np.asarray(total * total - zeros * zeros - 4 * _STEP * (sums * sums).sum(axis=-1))


def _pair_by_pair(kinds: NDArray[np.float64], often: NDArray[np.float64]) -> float:
    found = 0.0
    for start in range(0, len(kinds), _BLOCK):
        block = slice(start, start + _BLOCK)
        found += float(often[block] @ (relative_distance(kinds[block, None], kinds[None, :]) @ often))
    return found
