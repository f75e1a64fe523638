"""Emergence: whether the collective is more than its best member, and whether that could be chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.bootstrap import CI_PERCENTILES, RESAMPLES, percentile_interval

_FAR: Final = 6.0  # standard errors below the best from which on a stream is best in no resample
_BITS: Final = 62  # hits and misses that fit into one number
_EXACT: Final = 1_000  # samples up to which binomial sums are made of whole numbers


class ErrorDiversity(NamedTuple):
    """How differently two classifiers err."""

    q: float
    disagreement: float
    double_fault: float


def emergence_ratio(collective: float, individual: Sequence[float]) -> float:
    """Return the collective's accuracy over the best individual one; 0 over 0 is undefined.

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
    if ratio < 1 - TOLERANCE:
        return "failure"
    if ratio < 2 - TOLERANCE:
        return "marginal"
    return "strong" if ratio <= 10 + TOLERANCE else "extraordinary"


def efficiency(accuracy: float, params_m: float) -> float:
    """Return the accuracy in percent per million parameters.

    >>> round(efficiency(0.8468, 60), 4), round(efficiency(0.76, 428), 4)
    (1.4113, 0.1776)
    """
    return 100 * accuracy / params_m if params_m > 0 else math.nan


def emergence_interval(
    collective: NDArray[np.bool_], streams: NDArray[np.bool_], *, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of the ratio: samples are drawn with all their predictions, the best chosen anew.

    Samples with the same hits and misses are alike, so that only how often each kind is drawn has to be drawn.
    """
    samples = len(collective)
    if samples < 2:
        return (math.nan, math.nan)
    accuracies = streams.mean(axis=0)
    best = accuracies.max()
    # a difference of two accuracies has at most this standard error
    leading = np.argsort(-accuracies, kind="stable")
    near = [place for place in leading.tolist() if accuracies[place] >= best - _FAR / math.sqrt(samples)]
    hits, counts = _kinds(np.column_stack([collective, streams[:, near]]))
    rng = np.random.default_rng(seed)
    batch = max(1, 5_000_000 // len(hits))
    ratios = []
    for start in range(0, RESAMPLES, batch):
        drawn = rng.multinomial(samples, counts / samples, size=min(batch, RESAMPLES - start))
        found = drawn @ hits
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios.append(found[:, 0] / found[:, 1:].max(axis=1))
    together = np.concatenate(ratios)
    together = together[~np.isnan(together)]
    if np.isinf(together).any():  # between a number and infinity there is nothing to interpolate
        low, high = np.percentile(together, CI_PERCENTILES, method="nearest")
        return (float(low), float(high))
    return percentile_interval(together)


def _kinds(table: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different rows of a table of hits, and how often each is there."""
    if table.shape[1] > _BITS:
        packed, counts = np.unique(np.packbits(table, axis=1), axis=0, return_counts=True)
        return np.unpackbits(packed, axis=1, count=table.shape[1]).astype(float), counts
    powers = np.left_shift(np.int64(1), np.arange(table.shape[1], dtype=np.int64))
    kinds, counts = np.unique(table.astype(np.int64) @ powers, return_counts=True)
    return (kinds[:, None] >> np.arange(table.shape[1]) & 1).astype(float), counts


def mcnemar_p(only_one: int, only_other: int) -> float:
    """Return the exact p-value of McNemar's test: samples that only one, and only the other, got right.

    >>> mcnemar_p(0, 5), mcnemar_p(3, 3), mcnemar_p(0, 0)
    (0.0625, 1.0, 1.0)
    """
    few, total = min(only_one, only_other), only_one + only_other
    if 2 * few >= total:
        return 1.0
    if total <= _EXACT:
        return min(1.0, float(2 * sum(math.comb(total, k) for k in range(few + 1)) / 2**total))
    # the terms fall fast to the left of the largest, which alone needs logarithms
    largest = math.lgamma(total + 1) - math.lgamma(few + 1) - math.lgamma(total - few + 1) - total * math.log(2)
    share, terms, k = 1.0, [1.0], few
    while k > 0 and share > 1e-18:
        share *= k / (total - k + 1)
        terms.append(share)
        k -= 1
    return min(1.0, 2 * math.exp(largest) * math.fsum(terms))


def error_diversity(
    one: Sequence[bool] | NDArray[np.bool_], other: Sequence[bool] | NDArray[np.bool_]
) -> ErrorDiversity:
    """Return Yule's Q, the share of samples on which only one is right, and on which both are wrong.

    >>> error_diversity([True, True, False, False], [True, False, True, False])
    ErrorDiversity(q=0.0, disagreement=0.5, double_fault=0.25)
    """
    first, second = np.asarray(one, dtype=bool), np.asarray(other, dtype=bool)
    samples = len(first)
    if not samples:
        return ErrorDiversity(math.nan, math.nan, math.nan)
    both, neither = int((first & second).sum()), int((~first & ~second).sum())
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    agreeing, apart = both * neither, only_first * only_second
    q = (agreeing - apart) / (agreeing + apart) if agreeing + apart else math.nan
    return ErrorDiversity(q, (only_first + only_second) / samples, neither / samples)
