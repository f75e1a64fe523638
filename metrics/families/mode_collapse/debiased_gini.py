"""The Gini without what a small sample adds to it, with its interval: a parametric bootstrap, inverted.

A sample of an even chooser is not even, so the Gini of a sample is too high, the more so the fewer samples and the more
options there are. Asked is which chooser has, in samples of this size, the Gini that was seen. Choosers are tried along
a path from the even one over the shares seen, freed of noise, to one that always chooses the same. The chooser whose
samples have on average the Gini seen gives the debiased Gini; those for which the one seen would just not be surprising
give the ends of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from scoresheet.metrics.checks import check_whole, checked_whole_counts
from scoresheet.metrics.families.mode_collapse.sampled_choosers import Numbers, drawn_ginis, with_drawable_shares
from scoresheet.metrics.stats.concentration import gini, normalized_entropy
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    FEWEST_CLUSTERS,
    Interval,
    check_confidence,
    significance_level,
    too_few,
)

_Key = tuple[tuple[int, ...], int]  # the counts above 0 in descending order, and the number of options

SAMPLES: Final = "samples"  # what is drawn, and what there may be too few of
SAMPLES_PER_OPTION: Final = 0.6  # below, the samples do not tell a favourite's neighbours from options never chosen
# where choosers are tried: 0 is the even one, 1 has the shares seen without their noise, 2 always chooses the same
_PATH: Final = np.array([0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92, 0.97, 1, 1.03, 1.1, 1.25, 1.6, 2])
_SHARES_SEEN: Final = int(np.flatnonzero(_PATH == 1)[0])
_DRAWS: Final = 200  # samples drawn of each chooser
_STANDS_OUT: Final = 0.05  # a count that chance gives any option this seldom is no noise
_SHAPE_REACH: Final = 2.0  # standard errors by which the spread of the other shares may be less or more
_SMALL_REST: Final = 0.4  # of the samples: so few do not tell a long tail from a short one
_ALIKE: Final = 0.3  # of the standard deviation of a sample's Gini
_MOST_KEPT: Final = 16_384  # cells whose curves are kept, two kilobytes each


class DebiasedGini(NamedTuple):
    """The Gini of a chooser, as far as a sample tells it.

    Attributes
    ----------
    value : float
        The debiased Gini; NaN where there is no Gini.
    low, high : float
        The ends of its confidence interval; NaN for too few samples.
    note : str
        Why there is no interval.
    entropy_low, entropy_high : float
        The normalised entropies of the choosers at the upper and the lower end.
    """

    value: float
    low: float
    high: float
    note: str
    entropy_low: float
    entropy_high: float

    @property
    def interval(self) -> Interval:
        """The interval, with why there is none."""
        return Interval(self.low, self.high, self.note)


_UNDEFINED: Final = DebiasedGini(math.nan, math.nan, math.nan, "", math.nan, math.nan)


class _Curve(NamedTuple):
    """The choosers along a path: Gini and normalised entropy of each, and what the Gini of its samples is like."""

    gini: Numbers
    entropy: Numbers
    mean: Numbers
    variance: Numbers
    third_moment: Numbers


Curves = tuple[_Curve, _Curve]  # over shares as flat, and as steep, as those seen may well be
_KEPT: Final[dict[tuple[tuple[int, ...], int, int], Curves]] = {}  # by counts above 0, number of options and seed


def debiased_gini(counts: Sequence[int], *, confidence: float = CONFIDENCE_LEVEL, seed: int = 0) -> DebiasedGini:
    """Return the Gini of the chooser itself, not of its sample, with a confidence interval.

    Parameters
    ----------
    counts : sequence of int, length n_options
        How often each option was chosen, 0 for those never chosen.
    confidence : float, optional
        The share of such intervals that are to hold the chooser's Gini.
    seed : int, optional
        Seed of the draws.

    Returns
    -------
    DebiasedGini
        The debiased Gini `value` with `low` and `high`. All of it is NaN for fewer than two options, or where nothing
        was chosen; the ends are NaN for too few samples, and `note` says so.

    Raises
    ------
    ValueError
        If there are no counts or one is no whole number from 0 on, or the confidence or the seed is none.

    References
    ----------
    B. Efron, R. J. Tibshirani (1993), An Introduction to the Bootstrap, Chapman and Hall, chapters 10 and 12.

    Examples
    --------
    >>> even, uneven = debiased_gini([8, 7, 7, 5, 5]), debiased_gini([20, 4, 3, 3, 2])
    >>> even.value, even.low, 0.3 < uneven.value < gini([20, 4, 3, 3, 2])
    (0.0, 0.0, True)
    >>> debiased_gini([2, 1]).note
    'too few samples for an interval: 3, at least 5 are needed'
    """
    check_confidence(confidence)
    check_whole("seed", seed)
    return debiased_gini_of_cells([checked_whole_counts(counts)], confidence=confidence, seed=seed)


def debiased_gini_of_cells(
    cells: Sequence[Sequence[int]], *, confidence: float = CONFIDENCE_LEVEL, seed: int = 0
) -> DebiasedGini:
    """Return the mean Gini of several choosers, debiased together.

    One by one, an even cell's Gini is debiased to 0 or to more, never to less, and the mean of many would be too high;
    so all cells go along their paths in step, until the mean of their samples' Ginis is the one seen.
    """
    keys = _keys(cells)
    if not keys:
        return _UNDEFINED
    flat, steep = _sides(keys, confidence, seed)
    value, note = (flat.value + steep.value) / 2, _why_no_interval(keys)
    if note:
        return _UNDEFINED._replace(value=value, note=note)
    return DebiasedGini(
        value,
        min(flat.low, steep.low),
        max(flat.high, steep.high),
        "",
        min(flat.entropy_low, steep.entropy_low),
        max(flat.entropy_high, steep.entropy_high),
    )


class GiniDifference(NamedTuple):
    """The debiased Gini of one model less that of another over the same cells, with its interval if there is one."""

    value: float
    low: float
    high: float


def gini_difference(
    ours: Sequence[Sequence[int]],
    theirs: Sequence[Sequence[int]],
    *,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
) -> GiniDifference:
    """Return how far two mean debiased Ginis are apart.

    The interval is made of those of the two (the method of variance estimates recovery). How flat their shares really
    are is uncertain for both alike, so that flat is held to flat and steep to steep.

    References
    ----------
    G. Y. Zou, A. Donner (2008), Construction of confidence limits about effect measures: a general approach,
    Statistics in Medicine 27.

    Examples
    --------
    >>> same = gini_difference([[20, 5, 5]], [[5, 20, 5]])
    >>> same.value, same.low < 0 < same.high
    (0.0, True)
    """
    keys, other_keys = _keys(ours), _keys(theirs)
    if not keys or not other_keys:
        return GiniDifference(math.nan, math.nan, math.nan)
    values, lows, highs = [], [], []
    for one, other in zip(_sides(keys, confidence, seed), _sides(other_keys, confidence, seed), strict=True):
        difference = one.value - other.value
        values.append(difference)
        lows.append(difference - math.hypot(one.value - one.low, other.high - other.value))
        highs.append(difference + math.hypot(one.high - one.value, other.value - other.low))
    value = sum(values) / 2
    if _why_no_interval(keys) or _why_no_interval(other_keys):
        return GiniDifference(value, math.nan, math.nan)
    return GiniDifference(value, min(lows), max(highs))


def _keys(cells: Sequence[Sequence[int]]) -> list[_Key]:
    """Return what the curves of cells depend on, in an order of its own: neither options nor cells have one."""
    measured = [counts for counts in cells if len(counts) > 1 and any(counts)]
    return sorted((tuple(sorted(filter(None, counts), reverse=True)), len(counts)) for counts in measured)


def _sides(keys: Sequence[_Key], confidence: float, seed: int) -> list[DebiasedGini]:
    """Return the debiased Gini by shares as flat, and as steep, as those seen may well be."""
    if len(keys) == 1 and len(keys[0][0]) == 1:
        return [_all_on_one(sum(keys[0][0]), keys[0][1], confidence)] * 2
    ginis = [gini([*used, *[0] * (options - len(used))]) for used, options in keys]
    # a Gini moves in steps; half of one, so that an end is not what the last sample made it
    step = math.fsum(1 / (options * sum(used)) for used, options in keys) / len(keys)
    curves = [_curves(used, options, seed) for used, options in keys]
    flat = _mean_curve([pair[0] for pair in curves])
    steep = flat if all(one is other for one, other in curves) else _mean_curve([pair[1] for pair in curves])
    return [_solved(curve, math.fsum(ginis) / len(keys), step, confidence) for curve in (flat, steep)]


def _all_on_one(samples: int, options: int, confidence: float) -> DebiasedGini:
    """Return what a cell says of which every sample fell on one option.

    The end is exact: the least favourite that all samples fall on with half the chance that is left to be wrong. The
    others share alike, since no other chooser with such a favourite has so small a Gini.
    """
    share = max((significance_level(confidence) / 2) ** (1 / samples), 1 / options)
    shares = [share, *[(1 - share) / (options - 1)] * (options - 1)]
    most = 1 - 1 / options
    return DebiasedGini(most, gini(shares), most, "", 0.0, normalized_entropy(shares))


def _solved(curve: _Curve, seen: float, step: float, confidence: float) -> DebiasedGini:
    """Return where on a curve the Gini seen is what samples have on average, and where it is just no surprise."""
    middle = _place(curve.mean, seen)
    low, high = _ends(curve, seen, step, confidence)
    low, high = min(low, middle), max(high, middle)
    value, least, most = (_at(curve.gini, place) for place in (middle, low, high))
    return DebiasedGini(value, least, most, "", _at(curve.entropy, high), _at(curve.entropy, low))


def _why_no_interval(keys: Sequence[_Key]) -> str:
    """Return why cells have no interval: too few samples, of which too many could have fallen on any option."""
    samples = sum(sum(used) for used, _ in keys)
    options = sum(options for _, options in keys)
    if samples < FEWEST_CLUSTERS:
        return too_few(samples, SAMPLES)
    if samples >= SAMPLES_PER_OPTION * options or all(_is_plain(used, options) for used, options in keys):
        return ""
    needed = math.ceil(SAMPLES_PER_OPTION * options)
    return f"too few samples for an interval: {samples:,} for {options:,} options, at least {needed:,} are needed"


def _is_plain(used: Sequence[int], options: int) -> bool:
    """Return whether most samples of a cell fell on options that stand out: the rest then tells little either way."""
    return sum(used[_standing_out(used, options) :]) < _SMALL_REST * sum(used)


def _ends(curve: _Curve, seen: float, step: float, confidence: float) -> tuple[float, float]:
    """Return the places of the least and the most uneven chooser whose samples may well have the Gini seen."""
    reach = NormalDist().inv_cdf(1 - significance_level(confidence) / 2)
    deviation = np.sqrt(curve.variance)
    # Cornish and Fisher: near its largest value a Gini cannot go up as far as down
    skew = np.divide(curve.third_moment, curve.variance, out=np.zeros_like(deviation), where=curve.variance > 1e-18)
    lean = (reach**2 - 1) / 6 * np.clip(skew, -deviation, deviation)
    low = _place(curve.mean + reach * deviation + lean, seen - step)
    if seen >= curve.gini[-1] - 1e-12:
        return low, 2.0
    # samples more even than those of an even chooser say no more than these do
    return low, _place(curve.mean - reach * deviation + lean, max(seen, float(curve.mean[0])) + step)


def _place(values: Numbers, wanted: float) -> float:
    """Return the first place of the path at which values that grow along it reach one."""
    growing = np.maximum.accumulate(values) + 1e-12 * np.arange(len(values))
    return float(np.interp(wanted, growing, _PATH))


def _at(values: Numbers, place: float) -> float:
    return float(np.interp(place, _PATH, values))


def _mean_curve(curves: Sequence[_Curve]) -> _Curve:
    """Return the mean over cells that are sampled independently of each other."""
    number = len(curves)
    if number == 1:
        return curves[0]
    sums = [np.sum(parts, axis=0) for parts in zip(*curves, strict=True)]
    return _Curve(sums[0] / number, sums[1] / number, sums[2] / number, sums[3] / number**2, sums[4] / number**3)


def drawn_curves(counts: Sequence[int], seed: int) -> Curves | None:
    """Return what takes long of a cell's debiased Gini, so that it can be done elsewhere; None where it has none."""
    keys = _keys([counts])
    return _curves(*keys[0], seed) if keys else None


def keep_curves(counts: Sequence[int], seed: int, curves: Curves | None) -> None:
    """Keep the curves of a cell that were drawn elsewhere."""
    keys = _keys([counts])
    if keys and curves is not None:
        _keep((*keys[0], seed), curves)


def _keep(key: tuple[tuple[int, ...], int, int], curves: Curves) -> None:
    _KEPT.pop(key, None)
    while len(_KEPT) >= _MOST_KEPT:
        del _KEPT[next(iter(_KEPT))]  # the oldest
    _KEPT[key] = curves


def _curves(used: tuple[int, ...], options: int, seed: int) -> Curves:
    """Return the curves of a cell; it is asked for by itself, with its sheet, with its model, in every comparison."""
    key = (used, options, seed)
    if key not in _KEPT:
        _keep(key, _made_curves(used, options, seed))
    return _KEPT[key]


def _made_curves(used: tuple[int, ...], options: int, seed: int) -> Curves:
    """Return what samples are like along two paths: over shares as flat, and as steep, as those seen may well be."""
    flat, steep = shapes(used, options)
    total = sum(used)
    cell = (seed, options, *used)
    first = _curve(flat, total, cell, np.random.default_rng(cell))
    # shares that differ by far less than samples of them do lead to the same choosers
    apart = float(steep @ _weights(options) - flat @ _weights(options))
    if apart <= _ALIKE * math.sqrt(first.variance[_SHARES_SEEN]):
        return first, first
    return first, _curve(steep, total, cell, np.random.default_rng((*cell, 1)))


def shapes(used: Sequence[int], options: int) -> tuple[Numbers, Numbers]:
    """Return the shares seen, in descending order, without their noise: as flat and as steep as they may well be.

    `used` are the counts above 0 in descending order. An option keeps its share where it stands out of all below it; so
    do those never chosen where one of the others would hardly be missed by chance. Each group is drawn to its mean, so
    that its variance is what is left of the one seen once that of sampling is taken away; for the rest, how much that
    is, is itself uncertain.

    >>> flat, steep = shapes([20, 2, 1, 1, 1], 8)
    >>> flat.round(3).tolist()
    [0.8, 0.029, 0.029, 0.029, 0.029, 0.029, 0.029, 0.029]
    >>> steep.round(3).tolist()  # a small rest: its long tail may be none
    [0.8, 0.08, 0.04, 0.04, 0.04, 0.0, 0.0, 0.0]
    """
    counts = np.zeros(options)
    counts[: len(used)] = used
    # those never chosen are no noise either, where none of the others that are alike would be missed by chance
    first, last = _standing_out(used, len(used)), len(used)
    rest = used[first:]
    if not rest or (options - len(used)) * math.exp(-sum(rest) / len(rest)) >= _STANDS_OUT:
        first, last = _standing_out(used, options), options
    counts[:first] = _without_noise(counts[:first], _dispersion(counts[:first]))
    middle, total = counts[first:last], counts.sum()
    flat, steep = counts.copy(), counts.copy()
    least, most = _dispersions(middle)
    flat[first:last] = _without_noise(middle, least)
    steep[first:last] = _without_noise(middle, most if middle.sum() >= _SMALL_REST * total else math.inf)
    return flat / total, steep / total


def _without_noise(counts: Numbers, dispersion: float) -> Numbers:
    """Return counts drawn towards their mean: of a variance so many times the mean, sampling makes the one mean."""
    if len(counts) < 2:
        return counts
    mean = float(counts.mean())
    return mean + (math.sqrt(1 - 1 / dispersion) if dispersion > 1 else 0.0) * (counts - mean)


def _dispersion(counts: Numbers) -> float:
    """Return the variance over the mean, which is 1 for options that are chosen alike."""
    return float(counts.var(ddof=1) / counts.mean()) if len(counts) > 1 and counts.any() else 1.0


def _dispersions(counts: Numbers) -> tuple[float, float]:
    """Return how little and how much dispersion may well be behind the one seen."""
    seen, freedom = _dispersion(counts), len(counts) - 1
    if freedom < 1 or not counts.any():
        return seen, seen
    reach = math.exp(_SHAPE_REACH * math.sqrt(2 / freedom))
    # of few samples hardly two fall on one option, however few options they come from
    pairs = float((counts * (counts - 1)).sum()) / 2
    more = _SHAPE_REACH * math.sqrt(pairs + 1) + _SHAPE_REACH**2 / 2
    return seen / reach, max(seen * reach, seen + 2 * more / (float(counts.mean()) * freedom))


def _standing_out(used: Sequence[int], options: int) -> int:
    """Return how many of the counts are more than chance gives any of as many options that share the rest alike."""
    rest = sum(used)
    for place, count in enumerate(used):
        others = options - place - 1
        rest -= count
        if count < 2 or not others or (others + 1) * _at_least(count, rest / others) >= _STANDS_OUT:
            return place
    return len(used)


def _at_least(count: int, mean: float) -> float:
    """Return the chance that a Poisson count reaches this one; beyond all doubt, 0 or 1."""
    if count > mean + 40 * math.sqrt(mean) + 40:
        return 0.0
    if mean > count:
        return 1.0
    # the terms from this count on, which fall by at least mean / (count + 1)
    term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1)) if mean else 0.0
    total, place = 0.0, count
    while term > 1e-12 * total and term > 0:
        total += term
        place += 1
        term *= mean / place
    return total


def _curve(shape: Numbers, samples: int, cell: tuple[int, ...], rng: np.random.Generator) -> _Curve:
    """Return what samples of this size are like of each chooser on the path over these shares."""
    options = len(shape)
    even, single = np.full(options, 1 / options), np.eye(1, options)[0]
    outward, onward = np.minimum(_PATH, 1)[:, None], np.maximum(_PATH - 1, 0)[:, None]
    choosers = np.maximum(even + outward * (shape - even) + onward * (single - shape), 0.0)
    choosers = with_drawable_shares(choosers / choosers.sum(axis=1, keepdims=True), samples)
    drawn = drawn_ginis(choosers, samples, _DRAWS, cell, rng)
    mean = drawn.mean(axis=0)
    away = drawn - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(choosers > 0, -choosers * np.log(choosers), 0.0).sum(axis=1)
    # the shares descend, but for the single one, which only grows: no sorting is needed
    ginis = choosers @ _weights(options)
    ginis[0] = 0.0  # of equal shares, to the last digit
    return _Curve(
        ginis,
        np.minimum(bits / math.log(options), 1.0),
        mean,
        (away**2).mean(axis=0),
        (away**3).mean(axis=0),
    )


def _weights(options: int) -> Numbers:
    """Return what descending shares are multiplied by to give their Gini."""
    return (2 * np.arange(options, 0, -1) - options - 1) / options
