"""Trend: whether a series rises or falls, by Kendall's test against its order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist
from typing import Final, NamedTuple

_EXACT: Final = 50  # values up to which all orders are counted


class Trend(NamedTuple):
    """How a series goes."""

    values: int
    tau: float  # from -1, falls at each step, to 1; NaN for fewer than two values
    p_value: float  # two-sided


def kendall_trend(values: Sequence[float]) -> Trend:
    """Return whether later values are higher: Kendall's tau-a with the order, and its p-value.

    Without equal values and up to fifty of them the p-value is exact; else it is that of the normal approximation with
    the variance of ties and a correction for continuity. NaN is left out.

    References
    ----------
    H. B. Mann (1945), Nonparametric Tests Against Trend, Econometrica 13.
    M. G. Kendall (1970), Rank Correlation Methods, Griffin.

    Examples
    --------
    >>> rising = kendall_trend([1, 2, 3, 4, 5])
    >>> rising.tau, round(rising.p_value, 4)
    (1.0, 0.0167)
    """
    known = [value for value in values if not math.isnan(value)]
    number = len(known)
    if number < 2:
        return Trend(number, math.nan, math.nan)
    score = sum((later > earlier) - (later < earlier) for earlier, later in combinations(known, 2))
    tau = score / math.comb(number, 2)
    tied = [count for count in Counter(known).values() if count > 1]
    if not tied and number <= _EXACT:
        return Trend(number, tau, _exact_p(number, abs(score)))
    variance = (_spread(number) - sum(map(_spread, tied))) / 18
    if variance == 0:
        return Trend(number, tau, 1.0)  # all values are the same
    return Trend(number, tau, min(1.0, 2 * NormalDist().cdf(-max(0, abs(score) - 1) / math.sqrt(variance))))


def _spread(number: int) -> int:
    return number * (number - 1) * (2 * number + 5)


def _exact_p(number: int, score: int) -> float:
    """Return the share of all orders with a score this far from 0; a score is the pairs in order less those not."""
    inversions = _inversions(number)
    fewest = (math.comb(number, 2) - score) // 2
    return min(1.0, 2 * sum(inversions[: fewest + 1]) / math.factorial(number))


@lru_cache(maxsize=_EXACT)
def _inversions(number: int) -> tuple[int, ...]:
    """Return in how many orders of so many values each number of pairs is out of order."""
    counts = [1]
    for size in range(2, number + 1):
        longer = len(counts) + size - 1
        counts = [sum(counts[max(0, total - size + 1) : total + 1]) for total in range(longer)]
    return tuple(counts)
