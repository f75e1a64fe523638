"""Counts: Gini, entropy, repeat share, whether a choice is even, whether a member is dead."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr

from scoresheet.metrics import stats as est
from scoresheet.metrics.stats import Estimate, Floats

DRAWS = 9999
Statistic: TypeAlias = Callable[[Floats, Floats], Floats]  # of rows of counts and the shares


def _checked(counts: ArrayLike) -> Floats:
    array = est.checked(counts, "counts of 0 or more", wrong=lambda x: ~(x >= 0) | np.isinf(x))
    if not array.size:
        raise ValueError("expected one count per option, not the shape (0,)")
    return array


def _ginis(counts: Floats, _: ArrayLike = ()) -> Floats:
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


@lru_cache(maxsize=256)  # cells of a run often have as many draws
def _simulated(statistic: Statistic, n: int, shares: tuple[float, ...], seed: int) -> Floats:
    """Return the statistic of random counts of n choices, one for each draw."""
    generator, target = np.random.default_rng(seed), np.array(shares)
    # In nine parts, so that many options need little memory.
    parts = (generator.multinomial(n, target, DRAWS // 9) for _ in range(9))
    return np.concatenate([statistic(counts.astype(float), target) for counts in parts])


def gini_if_even(options: int, choices: int, *, seed: int = 0) -> tuple[float, float]:
    """Return the mean and the 95% point of Gini when each option is equally likely.

    >>> [round(value, 2) for value in gini_if_even(5, 32)]
    [0.18, 0.29]
    """
    ginis = _simulated(_ginis, choices, (1 / options,) * options, seed)
    return float(ginis.mean()), float(np.quantile(ginis, 0.95))


def even_test(counts: ArrayLike, shares: ArrayLike | None = None, *, seed: int = 0) -> float:
    """Return the Monte Carlo p-value of Pearson's chi-square (Hope 1968).

    Without shares each option is equally likely. NaN with one option or no choices.

    >>> even_test([32, 0, 0, 0, 0])
    0.0001
    """
    observed = _checked(counts)
    target = _checked(np.ones(observed.size) if shares is None else shares)
    n, possible = int(observed.sum()), target > 0
    if n == 0 or observed.size == 1:
        return math.nan  # no choice was made
    if observed[~possible].any():
        return 1 / (DRAWS + 1)  # an option that the target excludes was chosen
    target = target[possible] / target.sum()
    as_large = float(_chi_squares(observed[possible], target)) * (1 - 1e-9)
    hits = int((_simulated(_chi_squares, n, tuple(target.tolist()), seed) >= as_large).sum())
    return (hits + 1) / (DRAWS + 1)


def _chi_squares(counts: Floats, shares: Floats) -> Floats:
    """Return Pearson's chi-square of each row."""
    expected = counts.sum(axis=-1, keepdims=True) * shares
    return np.asarray(((counts - expected) ** 2 / expected).sum(axis=-1))


def _repeat_share(counts: Floats, alpha: float, cap: float) -> Estimate:
    """Return the repeat share with an effective size of at most `cap` times the draws."""
    n = float(counts.sum())
    value = float((counts * (counts - 1)).sum() / (n * (n - 1))) if n > 1 else math.nan
    if counts.size == 1:
        return Estimate(math.nan, units=int(n), note="one option leaves no choice")
    if note := est.few_units_note(int(n), "draws"):
        return Estimate(value, units=int(n), note=note)
    p = counts / n
    second, third = float((p**2).sum()), float((p**3).sum())
    variance = (4 * (n - 2) * (third - second**2) + 2 * (second - second**2)) / (n * (n - 1))
    size = n / 2 if value == 1 else n
    if 0 < value < 1:
        size = min(cap * n, second * (1 - second) / variance) * est.size_correction(alpha, n - 1)
    return Estimate(value, *est.clopper_pearson(value * size, size, alpha), units=int(n))


def repeat_share(counts: ArrayLike, *, ci: float = 0.95) -> tuple[Estimate, Estimate]:
    """Return how often two draws are equal (Simpson 1949), and the effective number of options.

    The number is the inverse of the share, at most the number of options, zeros included.

    >>> [round(estimate.value, 4) for estimate in repeat_share([20, 8, 4, 0, 0])]
    [0.4516, 2.2143]
    """
    array = _checked(counts)
    share, even = _repeat_share(array, est.alpha_of(ci), 3), 1 / array.size
    value, low, high = np.maximum([share.value, share.low, share.high], even)
    options = replace(share, value=1 / value, low=1 / high, high=1 / low)
    return replace(share, low=low, high=high), options


def _mover(a: Floats, b: Floats, alpha: float) -> Estimate:
    x, y = _repeat_share(a, alpha, math.inf), _repeat_share(b, alpha, math.inf)
    value, units = x.value - y.value, x.units + y.units
    if note := x.note or y.note:
        return Estimate(math.nan, units=units, note=note)
    low = value - math.hypot(x.value - x.low, y.high - y.value)
    high = value + math.hypot(x.high - x.value, y.value - y.low)
    return Estimate(value, low, high, units=units)


def difference_of_repeat_shares(
    counts_a: ArrayLike, counts_b: ArrayLike, *, ci: float = 0.95
) -> Estimate:
    """Return repeat share A minus B by MOVER (Newcombe 1998), with p by inversion.

    >>> round(difference_of_repeat_shares([30, 1, 1], [12, 10, 10]).value, 4)
    0.5625
    """
    a, b = _checked(counts_a), _checked(counts_b)
    result = _mover(a, b, est.alpha_of(ci))
    if result.note:
        return result
    # The interval shrinks as alpha grows; p is where it first excludes 0.
    ends = [math.log(1e-15), highest := math.log(0.999)]
    for _ in range(36):  # to nine digits
        middle = sum(ends) / 2
        found = _mover(a, b, math.exp(middle))
        excludes_zero = found.low > 0 or found.high < 0
        ends[1 if excludes_zero else 0] = middle
    return replace(result, p=math.exp(ends[1]) if ends[1] < highest else 1.0)


def dead_member(
    hits: int, samples: int, *, threshold: float = 0.01, members: int = 1, ci: float = 0.95
) -> Estimate:
    """Return a member's share of hits with its one-sided Clopper-Pearson upper bound.

    The member is dead where the high end, corrected for the number of members, is below the
    threshold. The threshold of an expert is min(0.01, 0.1 / K).

    >>> dead_member(0, 100).note
    '0 of 100: too few to tell (299 needed)'
    """
    if samples == 0:
        return Estimate(math.nan, note="no samples")
    share, alpha = hits / samples, est.alpha_of(ci) / members
    _, high = est.clopper_pearson(hits, samples, 2 * alpha)
    note = f"{hits} of {samples}: too few to tell" if share < threshold <= high else ""
    if note and hits == 0:
        note += f" ({math.floor(math.log(alpha) / math.log1p(-threshold)) + 1} needed)"
    return Estimate(share, 0.0, high, units=samples, note=note)
