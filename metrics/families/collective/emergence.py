"""Emergence: whether the collective is more than its best member, and by how much."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.checks import check_between, check_whole, checked_hits, checked_shares
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    FEWEST_CLUSTERS,
    Interval,
    check_confidence,
    expanded_tail,
    too_few,
)

FAILURE, MARGINAL, STRONG, EXTRAORDINARY = "failure", "marginal", "strong", "extraordinary"
FAILURE_BELOW: Final = 1.0  # ratios between which the bands lie
MARGINAL_BELOW: Final = 2.0
STRONG_UP_TO: Final = 10.0
SAMPLES: Final = "samples"  # what is drawn, and by which systems are compared
TOO_FEW: Final = f"too few {SAMPLES}"  # the band where there is no interval
_FAR: Final = 6.0  # standard errors below the best from which on a stream is best in no resample
_BITS: Final = 62  # hits and misses that fit into one number


def emergence_ratio(collective: float, individual: Sequence[float]) -> float:
    """Return the collective's accuracy over the best individual one.

    Parameters
    ----------
    collective : float
        The accuracy of the collective.
    individual : sequence of float, length n_streams
        The accuracies of its members.

    Returns
    -------
    float
        Above 1 the whole is more than its best part. Infinite where no member is ever right and the collective is; 0
        over 0 is NaN.

    Raises
    ------
    ValueError
        If there are no members, or an accuracy is not between 0 and 1.

    Examples
    --------
    >>> round(emergence_ratio(0.85, [0.10, 0.12]), 6), emergence_ratio(0.5, [0.0]), emergence_ratio(0.0, [0.0])
    (7.083333, inf, nan)
    """
    check_between("collective", collective, 0, 1)
    return ratio_to_best(collective, checked_shares("individual", individual, 1).tolist())


def ratio_to_best(collective: float, individual: Sequence[float]) -> float:
    """Return the same, unchecked: a history may log percent, and NaN is what is not known."""
    best = max(individual)
    if best > 0:
        return collective / best
    return math.inf if collective > 0 else math.nan


def emergence_band(ratio: float) -> str:
    """Return what a ratio is called; 10 is still strong.

    >>> emergence_band(0.99), emergence_band(1.0), emergence_band(10.0), emergence_band(math.inf)
    ('failure', 'marginal', 'strong', 'extraordinary')
    """
    if math.isnan(ratio):
        return ""
    if ratio < FAILURE_BELOW - TOLERANCE:
        return FAILURE
    if ratio < MARGINAL_BELOW - TOLERANCE:
        return MARGINAL
    return STRONG if ratio <= STRONG_UP_TO + TOLERANCE else EXTRAORDINARY


def band_of_emergence(interval: Interval) -> str:
    """Return the band that the whole interval lies in, or both that its ends lie in; in words if there is none.

    >>> band_of_emergence(Interval(1.1, 1.4)), band_of_emergence(Interval(0.9, 2.4))
    ('marginal', 'failure to strong')
    """
    if not interval.is_known:
        return TOO_FEW
    first, last = emergence_band(interval.low), emergence_band(interval.high)
    return first if first == last else f"{first} to {last}"


def efficiency(accuracy: float, params_m: float) -> float:
    """Return the accuracy in percent per million parameters.

    Parameters
    ----------
    accuracy : float
        The accuracy, from 0 to 1.
    params_m : float
        The parameters, in millions.

    Returns
    -------
    float
        The ratio; NaN for no parameters.

    Raises
    ------
    ValueError
        If the accuracy is not between 0 and 1, or the parameters are below 0 or no number.

    Examples
    --------
    >>> round(efficiency(0.8468, 60), 4), round(efficiency(0.76, 428), 4)
    (1.4113, 0.1776)
    """
    check_between("accuracy", accuracy, 0, 1)
    check_between("params_m", params_m, 0, sys.float_info.max)
    return 100 * accuracy / params_m if params_m > 0 else math.nan


class EmergenceIntervals(NamedTuple):
    """The interval of the emergence ratio, and how large it could be with the same confidence."""

    ratio: Interval
    ceiling: float  # upper end of 1 / best accuracy, the ratio of a perfect collective; NaN without an interval


def emergence_interval(
    collective: ArrayLike, streams: ArrayLike, *, confidence: float = CONFIDENCE_LEVEL, seed: int = 0
) -> Interval:
    """Return the interval of the emergence ratio, by drawing samples with all their predictions.

    The ratio is the least of the collective's accuracy over each member's, so its lower end is the least of the
    members' lower ends, and its upper end the least of their upper ends, each at a level that is divided by the number
    of members. To choose the best member anew in each resample would be to choose the luckiest each time.

    Samples are drawn from those given and two more: one that only the collective gets right, and one that all members
    but not the collective do. Few samples may lack either kind, and the resamples of such a set have no spread.

    Parameters
    ----------
    collective : array_like of bool, shape (n_samples,)
        On which samples the collective is right.
    streams : array_like of bool, shape (n_samples, n_streams)
        On which samples each of its members is right.
    confidence : float, optional
        The share of such intervals that are to hold the true ratio.
    seed : int, optional
        Seed of the resamples.

    Returns
    -------
    Interval
        The ends `low` and `high` of the expanded percentile interval, where `high` may be infinite; NaN for fewer than
        five samples. `note` says why there is none.

    Raises
    ------
    ValueError
        If there are no samples or no members, they have not the collective's samples, anything but right (1) and wrong
        (0) is among them, or the confidence or the seed is none.

    Examples
    --------
    >>> interval = emergence_interval([True] * 9 + [False], [[True, False]] * 5 + [[False, True]] * 5)
    >>> interval.low < 1.8 < interval.high
    True
    >>> emergence_interval([True, False], [[True], [False]]).note
    'too few samples for an interval: 2, at least 5 are needed'
    """
    check_whole("seed", seed)
    fused, alone = checked_hits("collective", collective, 1), checked_hits("streams", streams, 2)
    if not alone.size or len(fused) != len(alone):
        raise ValueError(
            f"streams need a filled row for each of the {len(fused)} samples; their shape is {alone.shape}"
        )
    check_confidence(confidence)
    return emergence_intervals(fused, alone, confidence=confidence, seed=seed).ratio


def emergence_intervals(
    collective: NDArray[np.bool_], streams: NDArray[np.bool_], *, confidence: float, seed: int
) -> EmergenceIntervals:
    """Return the same as `emergence_interval`, unchecked, and the upper end of the ratio of a perfect collective."""
    samples, members = streams.shape
    if samples < FEWEST_CLUSTERS:
        return EmergenceIntervals(Interval(math.nan, math.nan, too_few(samples, SAMPLES)), math.nan)
    accuracies = streams.mean(axis=0)
    # a difference of two accuracies has at most this standard error
    near = np.flatnonzero(accuracies >= accuracies.max() - _FAR / math.sqrt(samples))
    hits, counts = _patterns(np.column_stack([collective, streams[:, near]]))
    ratios, ceilings = _resampled_ratios(hits, counts, samples, seed)
    low = expanded_tail(confidence, samples)
    high = expanded_tail(1 - (1 - confidence) / members, samples)
    # nothing lies between a number and infinity, so that ends are values that were drawn
    interval = Interval(_least(ratios, low, "lower"), _least(ratios, 1 - high, "higher"))
    return EmergenceIntervals(interval, _least(ceilings, 1 - high, "higher"))


def _resampled_ratios(
    hits: NDArray[np.float64], counts: NDArray[np.int64], samples: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the resampled ratios, one per resample and member, of the collective and of one that is always right.

    Samples with the same hits and misses are alike, so that only how often each pattern is drawn has to be drawn.
    """
    only_collective = np.eye(1, hits.shape[1])
    kinds = np.vstack([hits, only_collective, 1 - only_collective])
    weights = np.append(counts, [1, 1]) / (samples + 2)
    rng = np.random.default_rng(seed)
    batch = max(1, 5_000_000 // len(kinds))
    sizes = [min(batch, RESAMPLES - start) for start in range(0, RESAMPLES, batch)]
    totals = np.concatenate([rng.multinomial(samples, weights, size=size) @ kinds for size in sizes])
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals[:, :1] / totals[:, 1:], samples / totals[:, 1:]


def _least(ratios: NDArray[np.float64], share: float, method: Literal["lower", "higher"]) -> float:
    """Return the least over members of the value that this share of a member's defined ratios lies below."""
    found = []
    for member in ratios.T:
        defined = member[~np.isnan(member)]  # 0 / 0 is none
        if len(defined):
            found.append(float(np.quantile(defined, share, method=method)))
    return min(found)


def _patterns(table: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different rows of a table of hits, and how often each is there."""
    if table.shape[1] > _BITS:
        packed, counts = np.unique(np.packbits(table, axis=1), axis=0, return_counts=True)
        return np.unpackbits(packed, axis=1, count=table.shape[1]).astype(float), counts
    powers = np.left_shift(np.int64(1), np.arange(table.shape[1], dtype=np.int64))
    patterns, counts = np.unique(table.astype(np.int64) @ powers, return_counts=True)
    return (patterns[:, None] >> np.arange(table.shape[1]) & 1).astype(float), counts
