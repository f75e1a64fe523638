"""Counts: how evenly a total is spread over declared options, zeros included. Every family that counts uses these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import checked_counts

_HUGE: Final = 1e290
Numbers = NDArray[np.float64]
Counts = NDArray[np.int32] | NDArray[np.int64] | Numbers


def gini(counts: Sequence[float]) -> float:
    """Return the Gini coefficient of counts over declared options: 0 for all equal, (n-1)/n for all on one.

    Parameters
    ----------
    counts : sequence of float, length n_options
        How often each option was chosen, 0 for those never chosen.

    Returns
    -------
    float
        The coefficient; NaN for a single option, or where nothing was chosen.

    Raises
    ------
    ValueError
        If there are no counts, or one is negative, not finite or no number.

    Examples
    --------
    >>> gini([32, 0, 0, 0, 0]), gini([7, 7, 7]), gini([5])
    (0.8, 0.0, nan)
    """
    ordered = sorted(_scaled(checked_counts(counts)))
    n, total = len(ordered), math.fsum(ordered)
    if n < 2 or not total:
        return math.nan  # inequality among fewer than two, or of nothing, has no value
    # written as a sum of differences from the middle rank, so that equal counts give exactly 0
    spread = math.fsum((2 * rank - n - 1) * value for rank, value in enumerate(ordered, start=1))
    return abs(spread) / (n * total)


def entropy(counts: Sequence[float], base: float = 2.0) -> float:
    """Return the Shannon entropy of counts, in bits unless another base is named.

    Parameters
    ----------
    counts : sequence of float, length n_options
        How often each option was chosen; one never chosen adds nothing.
    base : float, optional
        The base of the logarithm: 2 for bits, e for nats.

    Returns
    -------
    float
        The entropy, 0 or more; NaN where nothing was chosen.

    Raises
    ------
    ValueError
        If there are no counts, or one is negative, not finite or no number; or the base is not above 1.

    References
    ----------
    C. E. Shannon (1948), A Mathematical Theory of Communication, Bell System Technical Journal 27.

    Examples
    --------
    >>> entropy([16, 16, 0]), entropy([0, 0])
    (1.0, nan)
    """
    if not 1 < base < math.inf:
        raise ValueError(f"base cannot be {base}; a logarithm that grows has one above 1")
    return _bits(_scaled(checked_counts(counts))) / math.log2(base)


def _scaled(counts: Sequence[float]) -> Sequence[float]:
    """Return counts whose sum is a number: of those near the largest there is, only their shares matter."""
    largest = max(counts)
    return [count / largest for count in counts] if largest > _HUGE else counts


def _bits(counts: Sequence[float]) -> float:
    """Return the entropy in bits of counts that were checked."""
    total = math.fsum(counts)
    if not total:
        return math.nan  # nothing was chosen, so nothing is uncertain or certain
    shares = [count / total for count in counts if count]
    # a share of all is log(1) = 0, and -0.0 is no number to print
    return abs(math.fsum(share * math.log2(share) for share in shares))


def normalized_entropy(counts: Sequence[float]) -> float:
    """Return the entropy as a share of its maximum, the logarithm of the number of options.

    Parameters
    ----------
    counts : sequence of float, length n_options
        How often each option was chosen, 0 for those never chosen: they raise the maximum.

    Returns
    -------
    float
        The share from 0 to 1; NaN for a single option, or where nothing was chosen.

    Raises
    ------
    ValueError
        If there are no counts, or one is negative, not finite or no number.

    Examples
    --------
    >>> normalized_entropy([7, 7, 0, 0])
    0.5
    """
    numbers = _scaled(checked_counts(counts))
    n = len(numbers)
    if n < 2:
        return math.nan  # one option leaves nothing to choose
    share = _bits(numbers) / math.log2(n)
    return 1.0 if share > 1 else share  # by the last digit of the arithmetic


def miller_madow(counts: Sequence[float]) -> float:
    """Return the entropy in bits with Miller and Madow's correction for small samples, (used - 1) / 2N nats.

    Parameters
    ----------
    counts : sequence of float, length n_options
        How often each option was chosen: N in all, on so many that were used.

    Returns
    -------
    float
        The corrected entropy, which may exceed the logarithm of the number of options; NaN where nothing was chosen.

    Raises
    ------
    ValueError
        If there are no counts, or one is negative, not finite or no number.

    References
    ----------
    G. A. Miller (1955), Note on the bias of information estimates, in Information Theory in Psychology.

    Examples
    --------
    >>> miller_madow([1, 1]) == 1 + 1 / (4 * math.log(2))
    True
    """
    numbers = checked_counts(counts)
    total = math.fsum(numbers) if max(numbers) <= _HUGE else math.inf
    if not total:
        return math.nan
    used = sum(1 for count in numbers if count)
    return _bits(_scaled(numbers)) + (used - 1) / (2 * total * math.log(2))


def rank_sums(counts: Counts) -> NDArray[np.int64]:
    """Return Σ i·y_i, y ascending, of each row: for whole counts an integer, so that equal Ginis compare as equal.

    For a given number of options and a given total it orders rows as their Ginis do.

    >>> import numpy as np
    >>> rank_sums(np.array([[1, 0, 2], [1, 1, 1]])).tolist()
    [8, 6]
    """
    ranks = np.arange(1.0, counts.shape[-1] + 1)  # floats multiply faster, and hold whole numbers up to 2^53
    return np.asarray(np.sort(counts, axis=-1).astype(np.float64) @ ranks).astype(np.int64)


def gini_of_rank_sums(sums: Counts, options: int | Numbers, total: float | Numbers) -> Numbers:
    """Return the Ginis that belong to rank sums over this many options and this total."""
    return np.asarray(2 * sums / (options * total) - (options + 1) / options)


def gini_rows(counts: Counts, options: Numbers) -> Numbers:
    """Return the Gini of each row; a row has so many options, and zeros for those that only other rows have.

    >>> import numpy as np
    >>> gini_rows(np.array([[3, 1, 0], [2, 2, 0]]), np.array([3.0, 2.0])).tolist()
    [0.5, 0.0]
    """
    totals = counts.sum(axis=1).astype(float)
    # the zeros that do not count take the lowest ranks, and only shift the others
    sums = rank_sums(counts) - (counts.shape[1] - options) * totals
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.abs(gini_of_rank_sums(sums, options, totals))
    found = np.where(found < 1e-15, 0.0, found)  # equal counts, but for the last digit of the arithmetic
    return np.where((options > 1) & (totals > 0), found, np.nan)


def entropy_rows(counts: Counts, base: float = 2.0) -> Numbers:
    """Return the Shannon entropy of each row, in bits unless another base is named.

    >>> import numpy as np
    >>> entropy_rows(np.array([[16, 16, 0], [0, 0, 0]])).tolist()
    [1.0, nan]
    """
    totals = counts.sum(axis=1, keepdims=True).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(counts > 0, counts / totals, 1.0)
    found = np.abs((shares * np.log(shares)).sum(axis=1)) / math.log(base)
    return np.where(totals[:, 0] > 0, found, np.nan)


def entropy_groups(groups: NDArray[np.int64], counts: NDArray[np.int64], number: int) -> Numbers:
    """Return the Shannon entropy in bits of each of so many groups; `groups` says whose each count is.

    >>> import numpy as np
    >>> entropy_groups(np.array([0, 0, 2]), np.array([4, 4, 3]), 3).tolist()
    [1.0, nan, 0.0]
    """
    totals = np.bincount(groups, weights=counts, minlength=number)
    kinds = np.bincount(groups, minlength=number)
    repeated = counts > 1  # a count of 1 adds 1·log 1 = 0, and most counts are 1
    some = counts[repeated]
    sums = np.bincount(groups[repeated], weights=some * np.log2(some), minlength=number)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log2(totals) - sums / totals
    # of one kind, or of nothing: said outright, for the arithmetic's last digits would not
    return np.where(kinds > 1, np.clip(found, 0.0, np.log2(np.maximum(kinds, 1))), np.where(kinds == 1, 0.0, np.nan))
