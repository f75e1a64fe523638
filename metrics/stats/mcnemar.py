"""McNemar's exact test: whether two classifiers differ on the same samples."""

from __future__ import annotations

import math
import sys
from typing import Final

_WHOLE_NUMBERS: Final = 1_000  # samples up to which binomial sums are made of whole numbers
_SMALLEST: Final = sys.float_info.min


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the exact p-value of McNemar's test: whether two classifiers differ on the same samples.

    Parameters
    ----------
    only_one, only_other : int
        The samples that only the one, and only the other, got right.

    Returns
    -------
    float
        The two-sided binomial p-value; 1 where neither count is the larger, or both are 0. It is never 0: what is too
        small for a number is the smallest one.

    Raises
    ------
    ValueError
        If a count is below 0 or not whole.

    References
    ----------
    Q. McNemar (1947), Note on the Sampling Error of the Difference Between Correlated Proportions or Percentages,
    Psychometrika 12.

    Examples
    --------
    >>> mcnemar_p(0, 5), mcnemar_p(3, 3), mcnemar_p(0, 0)
    (0.0625, 1.0, 1.0)
    >>> mcnemar_p(0, 5_000) > 0
    True
    """
    for count in (only_one, only_other):
        if not (count >= 0 and count == int(count)):
            raise ValueError(f"samples cannot be {count}; counts are whole and at least 0")
    only_one, only_other = int(only_one), int(only_other)
    few, total = min(only_one, only_other), only_one + only_other
    if 2 * few >= total:
        return 1.0
    if total <= _WHOLE_NUMBERS:
        return min(1.0, float(2 * sum(math.comb(total, k) for k in range(few + 1)) / 2**total))
    # the terms fall fast to the left of the largest, which alone needs logarithms
    largest = math.lgamma(total + 1) - math.lgamma(few + 1) - math.lgamma(total - few + 1) - total * math.log(2)
    share, terms, k = 1.0, [1.0], few
    while k > 0 and share > 1e-18:
        share *= k / (total - k + 1)
        terms.append(share)
        k -= 1
    return max(_SMALLEST, min(1.0, 2 * math.exp(largest) * math.fsum(terms)))
