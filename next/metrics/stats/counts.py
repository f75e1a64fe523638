"""Counts over options: Gini, entropy, repeat share, and whether the choice is even."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from scoresheet.metrics.stats import estimate as est
from scoresheet.metrics.stats.estimate import Estimate, Floats

DRAWS = 9999
BATCH = 2_000_000  # counts drawn at a time, so that memory stays small


def _checked(counts: ArrayLike, *, whole: bool = False) -> Floats:
    array = est.checked(counts, "counts of 0 or more", wrong=lambda x: ~(x >= 0) | np.isinf(x))
    if not array.size:
        raise ValueError("expected one count per option, not the shape (0,)")
    return est.checked(array, "whole counts", wrong=lambda x: whole & (x != np.round(x)))


def _ginis(counts: Floats) -> Floats:
    """Return the Gini coefficient of each row."""
    options = counts.shape[-1]
    weights = 2 * np.arange(1, options + 1) - options - 1
    return np.asarray(np.sort(counts, axis=-1) @ weights / (options * counts.sum(axis=-1)))


def gini(counts: ArrayLike) -> float:
    """Return the Gini coefficient of counts over options, zeros included.

    >>> gini([20, 8, 4, 0, 0])
    0.6
    """
    array = _checked(counts)
    if array.sum() == 0:
        return math.nan  # nothing was chosen
    return max(0.0, float(_ginis(array)))


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
    return max(0.0, float(entr(array / array.sum()).sum()) / math.log(2))


def normalized_entropy(counts: ArrayLike) -> float:
    """Return the entropy of counts as a share of the largest possible entropy.

    >>> round(normalized_entropy([16, 10, 3, 2, 1]), 6)
    0.754032
    """
    bits, options = entropy_bits(counts), np.size(counts)
    return bits / math.log2(options) if options > 1 else math.nan  # one option leaves no choice


def _simulated(statistic: Callable[[Floats], Floats], n: int, shares: Floats, seed: int) -> Floats:
    """Return the statistic of random counts of n choices, one for each draw."""
    generator = np.random.default_rng(seed)
    batch = max(1, BATCH // shares.size)
    sizes = [min(batch, DRAWS - start) for start in range(0, DRAWS, batch)]
    drawn = (generator.multinomial(n, shares, size).astype(np.float64) for size in sizes)
    return np.concatenate([statistic(counts) for counts in drawn])


def gini_if_even(options: int, choices: int, *, seed: int = 0) -> tuple[float, float]:
    """Return the mean and the 95% point of Gini when each option is equally likely.

    >>> [round(value, 2) for value in gini_if_even(5, 32)]
    [0.18, 0.29]
    """
    if options < 1 or choices < 1:
        raise ValueError(f"expected 1 or more, not {options} options and {choices} choices")
    ginis = _simulated(_ginis, choices, np.full(options, 1 / options), seed)
    return float(ginis.mean()), float(np.quantile(ginis, 0.95))


def even_test(counts: ArrayLike, shares: ArrayLike | None = None, *, seed: int = 0) -> float:
    """Return the Monte Carlo p-value of Pearson's chi-square (Hope 1968).

    Without shares each option is equally likely. NaN with one option or no choices.

    >>> even_test([32, 0, 0, 0, 0])
    0.0001
    """
    observed = _checked(counts, whole=True)
    target = _checked(np.ones(observed.size) if shares is None else shares)
    if target.size != observed.size or target.sum() == 0:
        raise ValueError(f"expected {observed.size} shares with a sum above 0, not {target}")
    n, possible = int(observed.sum()), target > 0
    if n == 0 or observed.size == 1:
        return math.nan  # no choice was made
    if observed[~possible].any():
        return 1 / (DRAWS + 1)  # an option that the target excludes was chosen
    target = target[possible] / target.sum()

    def chi_square(counts: Floats) -> Floats:
        return np.asarray(((counts - n * target) ** 2 / (n * target)).sum(axis=-1))

    as_large = chi_square(observed[possible]) * (1 - 1e-9)
    hits = int((_simulated(chi_square, n, target, seed) >= as_large).sum())
    return (hits + 1) / (DRAWS + 1)


def _repeat_share(counts: Floats) -> float:
    n = counts.sum()
    if n < 2 or counts.size == 1:
        return math.nan  # no choice was repeated
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))


def _repeat_interval(counts: Floats, alpha: float, cap: float) -> tuple[float, float]:
    n, share = float(counts.sum()), _repeat_share(counts)
    if share in (0.0, 1.0):
        return est.clopper_pearson(share * n / 2, n / 2 if share else n, alpha)
    p = counts / n
    second, third = float((p**2).sum()), float((p**3).sum())
    variance = (4 * (n - 2) * (third - second**2) + 2 * (second - second**2)) / (n * (n - 1))
    size = min(cap * n, second * (1 - second) / variance) * est.size_correction(alpha, n - 1)
    return est.clopper_pearson(share * size, size, alpha)


def _repeat_note(counts: Floats) -> str:
    if counts.size == 1:
        return "one option leaves no choice"
    return est.few_units_note(int(counts.sum()), "draws")


def repeat_share(counts: ArrayLike, *, ci: float = 0.95) -> Estimate:
    """Return how often two draws are equal (Simpson 1949), zeros included in the counts.

    >>> round(repeat_share([20, 8, 4, 0, 0]).value, 4)
    0.4516
    """
    array, alpha = _checked(counts, whole=True), est.alpha_of(ci)
    value, units = _repeat_share(array), int(array.sum())
    if note := _repeat_note(array):
        return Estimate(value, units=units, note=note)
    low, high = np.maximum(_repeat_interval(array, alpha, 3), 1 / array.size)
    return Estimate(value, low, high, units=units)


def effective_options(counts: ArrayLike, *, ci: float = 0.95) -> Estimate:
    """Return the inverse of the repeat share, at most the number of options.

    >>> effective_options([16, 0, 0, 0, 0]).value
    1.0
    """
    share = repeat_share(counts, ci=ci)
    value, high, low = 1 / np.maximum([share.value, share.low, share.high], 1 / np.size(counts))
    return Estimate(value, low, high, units=share.units, note=share.note)


def difference_of_repeat_shares(
    counts_a: ArrayLike, counts_b: ArrayLike, *, ci: float = 0.95
) -> Estimate:
    """Return repeat share A minus B by MOVER (Newcombe 1998), with p by inversion.

    >>> round(difference_of_repeat_shares([30, 1, 1], [12, 10, 10]).value, 4)
    0.5625
    """
    a, b, alpha = _checked(counts_a, whole=True), _checked(counts_b, whole=True), est.alpha_of(ci)
    units = int(a.sum() + b.sum())
    if note := _repeat_note(a) or _repeat_note(b):
        return Estimate(math.nan, units=units, note=note)
    share_a, share_b = _repeat_share(a), _repeat_share(b)

    def ends(alpha: float) -> tuple[float, float]:
        (low_a, high_a), (low_b, high_b) = (_repeat_interval(x, alpha, math.inf) for x in (a, b))
        low = math.hypot(share_a - low_a, high_b - share_b)
        high = math.hypot(high_a - share_a, share_b - low_b)
        return share_a - share_b - low, share_a - share_b + high

    def excludes_zero(log_alpha: float) -> bool:
        low, high = ends(math.exp(log_alpha))
        return low > 0 or high < 0

    # The interval shrinks as alpha grows; p is where it first excludes 0.
    inside, outside = math.log(1e-15), math.log(0.999)
    for _ in range(36):  # to nine digits
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if excludes_zero(middle) else (middle, outside)
    p = math.exp(outside) if excludes_zero(outside) else 1.0
    return Estimate(share_a - share_b, *ends(alpha), p, units)
