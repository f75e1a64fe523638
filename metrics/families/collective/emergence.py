"""Emergence: whether the collective is more than its best member, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.bootstrap import RESAMPLES

FAILURE, MARGINAL, STRONG, EXTRAORDINARY = "failure", "marginal", "strong", "extraordinary"
FAILURE_BELOW: Final = 1.0  # ratios between which the bands lie
MARGINAL_BELOW: Final = 2.0
STRONG_UP_TO: Final = 10.0
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
        If there are no members.

    Examples
    --------
    >>> round(emergence_ratio(0.85, [0.10, 0.12]), 6), emergence_ratio(0.5, [0.0]), emergence_ratio(0.0, [0.0])
    (7.083333, inf, nan)
    """
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

    Examples
    --------
    >>> round(efficiency(0.8468, 60), 4), round(efficiency(0.76, 428), 4)
    (1.4113, 0.1776)
    """
    return 100 * accuracy / params_m if params_m > 0 else math.nan


def emergence_interval(collective: ArrayLike, streams: ArrayLike, *, seed: int = 0) -> tuple[float, float]:
    """Return the interval of the emergence ratio, by drawing samples with all their predictions.

    The best member is chosen anew in each resample. Samples with the same hits and misses are alike, so that only how
    often each pattern is drawn has to be drawn.

    Parameters
    ----------
    collective : array_like of bool, shape (n_samples,)
        On which samples the collective is right.
    streams : array_like of bool, shape (n_samples, n_streams)
        On which samples each of its members is right.
    seed : int, optional
        Seed of the resamples.

    Returns
    -------
    low, high : float
        The percentiles of the resampled ratios; NaN for fewer than two samples.

    Raises
    ------
    ValueError
        If there are no members, or they have not the collective's samples.

    Examples
    --------
    >>> low, high = emergence_interval([True] * 9 + [False], [[True, False]] * 5 + [[False, True]] * 5)
    >>> round(low, 2), round(high, 2)
    (1.0, 2.0)
    """
    fused, alone = np.asarray(collective, dtype=bool), np.asarray(streams, dtype=bool)
    samples = len(fused)
    if samples < 2:
        return (math.nan, math.nan)
    accuracies = alone.mean(axis=0)
    best = accuracies.max()
    # a difference of two accuracies has at most this standard error
    leading = np.argsort(-accuracies, kind="stable")
    near = [stream for stream in leading.tolist() if accuracies[stream] >= best - _FAR / math.sqrt(samples)]
    hits, counts = _patterns(np.column_stack([fused, alone[:, near]]))
    rng = np.random.default_rng(seed)
    batch = max(1, 5_000_000 // len(hits))
    ratios = []
    for start in range(0, RESAMPLES, batch):
        drawn = rng.multinomial(samples, counts / samples, size=min(batch, RESAMPLES - start))
        totals = drawn @ hits
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios.append(totals[:, 0] / totals[:, 1:].max(axis=1))
    together = np.concatenate(ratios)
    together = together[~np.isnan(together)]
    # between a number and infinity there is nothing to interpolate
    low, high = np.percentile(together, (2.5, 97.5), method="nearest" if np.isinf(together).any() else "linear")
    return (float(low), float(high))


def _patterns(table: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different rows of a table of hits, and how often each is there."""
    if table.shape[1] > _BITS:
        packed, counts = np.unique(np.packbits(table, axis=1), axis=0, return_counts=True)
        return np.unpackbits(packed, axis=1, count=table.shape[1]).astype(float), counts
    powers = np.left_shift(np.int64(1), np.arange(table.shape[1], dtype=np.int64))
    patterns, counts = np.unique(table.astype(np.int64) @ powers, return_counts=True)
    return (patterns[:, None] >> np.arange(table.shape[1]) & 1).astype(float), counts
