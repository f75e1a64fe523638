"""Counts over options: Gini, entropy, repeat share, and whether the choice is even."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.stats.estimate import (
    FEWEST,
    Estimate,
    Floats,
    check_level,
    clopper_pearson,
    few_units_note,
    size_correction,
)

DRAWS = 9999
BATCH = 2_000_000  # counts drawn at a time, so that memory stays small
P_RANGE = (1e-15, 0.999)  # the search for a p-value ends here; above it is 1


def _checked(counts: ArrayLike, *, whole: bool = False) -> Floats:
    array = np.asarray(counts, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"expected one count per option, not the shape {array.shape}")
    wrong = array[~np.isfinite(array) | (array < 0) | (whole & (array != np.round(array)))]
    if wrong.size:
        kind = "whole counts" if whole else "counts"
        raise ValueError(f"expected {kind} of 0 or more, not {wrong[0]}")
    return array


def _gini_of_rows(counts: Floats) -> Floats:
    options = counts.shape[-1]
    weights = 2 * np.arange(1, options + 1) - options - 1
    ginis: Floats = np.sort(counts, axis=-1) @ weights / (options * counts.sum(axis=-1))
    return ginis


def gini(counts: ArrayLike) -> float:
    """Return the Gini coefficient of counts over options, zeros included.

    >>> gini([20, 8, 4, 0, 0])
    0.6
    """
    array = _checked(counts)
    if array.sum() == 0:
        return math.nan  # nothing was chosen
    return max(0.0, float(_gini_of_rows(array)))


def gini_max(options: int) -> float:
    """Return the largest Gini coefficient that this many options can have.

    >>> gini_max(5)
    0.8
    """
    if options < 1:
        raise ValueError(f"the number of options must be at least 1, not {options!r}")
    return (options - 1) / options


def entropy_bits(counts: ArrayLike) -> float:
    """Return the entropy of counts in bits.

    >>> entropy_bits([16, 16, 0, 0, 0])
    1.0
    """
    array = _checked(counts)
    if array.sum() == 0:
        return math.nan  # nothing was chosen
    shares = array[array > 0] / array.sum()
    return max(0.0, -float((shares * np.log2(shares)).sum()))


def normalized_entropy(counts: ArrayLike) -> float:
    """Return the entropy of counts as a share of the largest possible entropy.

    >>> round(normalized_entropy([16, 10, 3, 2, 1]), 6)
    0.754032
    """
    options = _checked(counts).size
    if options == 1:
        return math.nan  # one option leaves no choice
    return entropy_bits(counts) / math.log2(options)


def _batches(n: int, shares: Floats, draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    size = max(1, BATCH // shares.size)
    for start in range(0, draws, size):
        yield generator.multinomial(n, shares, size=min(size, draws - start))


def gini_if_even(
    options: int, choices: int, *, seed: int = 0, draws: int = DRAWS
) -> tuple[float, float]:
    """Return the mean and the 95% point of Gini when each option is equally likely.

    >>> [round(value, 2) for value in gini_if_even(5, 32)]
    [0.18, 0.29]
    """
    if options < 1 or choices < 1 or draws < 1:
        raise ValueError(f"expected 1 or more, not {options}, {choices} and {draws}")
    shares = np.full(options, 1 / options)
    parts = [_gini_of_rows(batch.astype(float)) for batch in _batches(choices, shares, draws, seed)]
    ginis = np.concatenate(parts)
    return float(ginis.mean()), float(np.quantile(ginis, 0.95))


def even_test(
    counts: ArrayLike, shares: ArrayLike | None = None, *, seed: int = 0, draws: int = DRAWS
) -> float:
    """Return the Monte Carlo p-value of Pearson's chi-square (Hope 1968).

    Without shares each option is equally likely. NaN with one option or no choices.

    >>> even_test([32, 0, 0, 0, 0])
    0.0001
    """
    observed = _checked(counts, whole=True)
    target = _checked(np.ones(observed.size) if shares is None else shares)
    if target.size != observed.size or target.sum() == 0 or draws < 1:
        raise ValueError(f"expected {observed.size} shares with a sum above 0, not {target}")
    n = int(observed.sum())
    if n == 0 or observed.size == 1:
        return math.nan  # no choice was made
    possible = target > 0
    if observed[~possible].any():
        return 1 / (draws + 1)  # an option that the target excludes was chosen
    target = target[possible] / target.sum()
    expected = n * target
    statistic = float(((observed[possible] - expected) ** 2 / expected).sum())
    as_large = statistic * (1 - 1e-9)
    hits = 0
    for batch in _batches(n, target, draws, seed):
        hits += int((((batch - expected) ** 2 / expected).sum(axis=1) >= as_large).sum())
    return (hits + 1) / (draws + 1)


def _repeat_share(counts: Floats) -> float:
    n = counts.sum()
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))


def _repeat_interval(counts: Floats, alpha: float, cap: float) -> tuple[float, float]:
    n = float(counts.sum())
    share = _repeat_share(counts)
    if share in (0.0, 1.0):
        return clopper_pearson(share * n / 2, n / 2 if share else n, alpha)
    p = counts / n
    second, third = float((p**2).sum()), float((p**3).sum())
    variance = (4 * (n - 2) * (third - second**2) + 2 * (second - second**2)) / (n * (n - 1))
    size = min(cap * n, second * (1 - second) / variance) * size_correction(alpha, n - 1)
    return clopper_pearson(share * size, size, alpha)


def _repeat_problem(counts: Floats) -> str:
    if counts.size == 1:
        return "one option leaves no choice"
    n = int(counts.sum())
    return "" if n >= FEWEST else few_units_note(n, "draws")


def repeat_share(counts: ArrayLike, *, ci: float = 0.95) -> Estimate:
    """Return how often two draws are equal (Simpson 1949), zeros included in the counts.

    >>> estimate = repeat_share([20, 8, 4, 0, 0])
    >>> round(estimate.value, 4), round(estimate.low, 4), round(estimate.high, 4)
    (0.4516, 0.2963, 0.6141)
    """
    array = _checked(counts, whole=True)
    alpha = 1 - check_level(ci)
    n, note = int(array.sum()), _repeat_problem(array)
    value = _repeat_share(array) if n > 1 and array.size > 1 else math.nan
    if note:
        return Estimate(value, units=n, note=note)
    low, high = _repeat_interval(array, alpha, 3)
    low = max(low, 1 / array.size)
    return Estimate(value, low, max(low, high), units=n)


def effective_options(counts: ArrayLike, *, ci: float = 0.95) -> Estimate:
    """Return the inverse of the repeat share, at most the number of options.

    >>> effective_options([16, 0, 0, 0, 0]).value
    1.0
    """
    share = repeat_share(counts, ci=ci)
    options = float(np.size(counts))

    def inverse(value: float) -> float:
        # max keeps NaN, its first argument
        return 1 / max(value, 1 / options)

    ends = inverse(share.high), inverse(share.low)
    return Estimate(inverse(share.value), *ends, units=share.units, note=share.note)


def difference_of_repeat_shares(
    counts_a: ArrayLike, counts_b: ArrayLike, *, ci: float = 0.95
) -> Estimate:
    """Return repeat share A minus B by MOVER (Newcombe 1998), with p by inversion.

    >>> estimate = difference_of_repeat_shares([30, 1, 1], [12, 10, 10])
    >>> round(estimate.value, 4), estimate.p < 0.001
    (0.5625, True)
    """
    a, b = _checked(counts_a, whole=True), _checked(counts_b, whole=True)
    alpha = 1 - check_level(ci)
    n = int(a.sum() + b.sum())
    note = _repeat_problem(a) or _repeat_problem(b)
    if note:
        return Estimate(math.nan, units=n, note=note)
    share_a, share_b = _repeat_share(a), _repeat_share(b)

    def ends(at: float) -> tuple[float, float]:
        (low_a, high_a), (low_b, high_b) = (_repeat_interval(x, at, math.inf) for x in (a, b))
        low = math.hypot(share_a - low_a, high_b - share_b)
        high = math.hypot(high_a - share_a, share_b - low_b)
        return share_a - share_b - low, share_a - share_b + high

    def excludes_zero(at: float) -> bool:
        low, high = ends(at)
        return low > 0 or high < 0

    # The interval shrinks as alpha grows; p is where it first excludes 0.
    inside, outside = (math.log(end) for end in P_RANGE)
    p = 1.0
    if excludes_zero(math.exp(outside)):
        while outside - inside > 1e-9:
            middle = (inside + outside) / 2
            inside, outside = (
                (inside, middle) if excludes_zero(math.exp(middle)) else (middle, outside)
            )
        p = math.exp(outside)
    return Estimate(share_a - share_b, *ends(alpha), p, units=n)
