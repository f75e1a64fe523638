"""McNemar's exact test: whether two classifiers differ on the same samples."""

from __future__ import annotations

import math
import sys
from typing import Final

from scoresheet.metrics.checks import check_whole

_WHOLE_NUMBERS: Final = 1_000  # samples up to which binomial sums are made of whole numbers
_SUMMED: Final = 1_000_000  # samples up to which they are made of logarithms; beyond, these lose too many digits
_LEAST_P_VALUE: Final = sys.float_info.min  # what is that improbable is not impossible


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the exact p-value of McNemar's test: whether two classifiers differ on the same samples.

    Parameters
    ----------
    only_one, only_other : int
        The samples that only the one, and only the other, got right.

    Returns
    -------
    float
        The two-sided binomial p-value; 1 where neither count is the larger, or both are 0. Never 0: what is less than
        the smallest normal number is given as that number, an upper bound.

    Raises
    ------
    ValueError
        If a count is negative or not whole.

    References
    ----------
    Q. McNemar (1947), Note on the Sampling Error of the Difference Between Correlated Proportions or Percentages,
    Psychometrika 12.

    R. Lugannani, S. Rice (1980), Saddle Point Approximation for the Distribution of the Sum of Independent Random
    Variables, Advances in Applied Probability 12: for more than a million samples, where it misses the exact value by
    less than a part in a billion.

    Examples
    --------
    >>> mcnemar_p(0, 5), mcnemar_p(3, 3), mcnemar_p(0, 0)
    (0.0625, 1.0, 1.0)
    >>> 0 < mcnemar_p(0, 10**9) < 1e-300
    True
    """
    check_whole("only_one", only_one)
    check_whole("only_other", only_other)
    few, total = int(min(only_one, only_other)), int(only_one) + int(only_other)
    if 2 * few + 1 >= total:
        return 1.0
    if total <= _WHOLE_NUMBERS:
        p_value = float(2 * sum(math.comb(total, k) for k in range(few + 1)) / 2**total)
    else:
        p_value = _summed(few, total) if total <= _SUMMED else _saddle_point(few, total)
    return min(1.0, max(p_value, _LEAST_P_VALUE))


def _summed(few: int, total: int) -> float:
    """Return both tails by their terms, which fall fast to the left of the largest; that alone needs logarithms."""
    largest = math.lgamma(total + 1) - math.lgamma(few + 1) - math.lgamma(total - few + 1) - total * math.log(2)
    share, terms, k = 1.0, [1.0], few
    while k > 0 and share > 1e-18:
        share *= k / (total - k + 1)
        terms.append(share)
        k -= 1
    return 2 * math.exp(largest) * math.fsum(terms)


def _saddle_point(few: int, total: int) -> float:
    """Return both tails by the approximation of Lugannani and Rice, corrected for whole numbers.

    Counts may be too large for floats; only their ratios are taken.
    """
    apart = total - 2 * few - 1  # the difference of the counts, half a sample nearer the middle at either side
    try:
        square = apart * apart / total
    except OverflowError:
        return 0.0
    share = apart / total
    if share < 1e-3:
        ratio = 1 + share**2 / 6 + share**4 / 15  # of the deviance to its first term
    else:
        below = (1 - share) * math.log1p(-share) if share < 1 else 0.0
        ratio = ((1 + share) * math.log1p(share) + below) / share**2
    root = math.sqrt(square * ratio)
    density = math.exp(-root * root / 2) / math.sqrt(2 * math.pi)
    # 1/sqrt(square) - 1/root, without the difference of two numbers that are nearly equal
    return math.erfc(root / math.sqrt(2)) + 2 * density * (ratio - 1) / (root * (1 + math.sqrt(ratio)))
