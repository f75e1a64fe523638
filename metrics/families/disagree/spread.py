"""How far judges are apart on each item: mean, spread, consensus, reliability, and who stands alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bands import TOLERANCE

_NORMAL: Final = 0.6745  # MAD over standard deviation in a normal distribution
_LAST_DIGITS: Final = 1e-14  # of a value: what sums in another order may differ by
SINGLE: Final = (1.0, 0.7)  # consensus and reliability of one judge
NOBODY: Final = (0.0, 0.0)  # and of none


@dataclass(frozen=True)
class OutlierRules:
    """From where on a judge stands alone."""

    outlier: float = 1.5  # standard deviations from the mean
    robust: float = 3.5  # robust standard deviations from the median
    mad_floor: float = 0.02  # the least MAD, so that judges who nearly agree make no outliers


class Disagreement(NamedTuple):
    """What the judges of one item come to; outliers by their places among the scores."""

    judges: int
    mean: float
    variance: float
    std_dev: float
    cv: float
    minimum: float
    maximum: float
    consensus: float
    reliability: float
    outliers: tuple[int, ...]
    robust_outliers: tuple[int, ...]
    outliers_can_fire: bool


class Disagreements(NamedTuple):
    """The same for many items: an array per statistic, outliers as items × judges."""

    judges: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    std_dev: NDArray[np.float64]
    cv: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    consensus: NDArray[np.float64]
    reliability: NDArray[np.float64]
    outliers: NDArray[np.bool_]
    robust_outliers: NDArray[np.bool_]
    outliers_can_fire: NDArray[np.bool_]


class Spread(NamedTuple):
    """Sample statistics of each row, over what is there."""

    counts: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    cv: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]


def overall_scores(
    scores: NDArray[np.float64],
    confidence: NDArray[np.float64] | None = None,
    relevance: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return each judge's overall score of each item, Σ w·s / Σ w over dimensions with w = confidence × relevance.

    All are items × judges × dimensions; a missing score is NaN and has no weight. No weight at all: undefined.

    >>> import numpy as np
    >>> scores, confidence, relevance = np.array([[[[0.8, 0.6, 0.9]], [[0.9, 0.5, 0.8]], [[0.7, 0.3, 0.9]]]])[0]
    >>> round(float(overall_scores(scores[None], confidence[None], relevance[None])[0, 0]), 3)
    0.828
    """
    known = ~np.isnan(scores)
    if confidence is None and relevance is None:
        return row_means(scores)
    weights = known.astype(float)
    for factor in (confidence, relevance):
        weights = weights if factor is None else weights * np.where(known, factor, 0.0)
    total = weights.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (weights * np.where(known, scores, 0.0)).sum(axis=-1) / total
    low, high = _bounds(np.where(weights > 0, scores, np.nan))
    return np.where(total > 0, np.where(low == high, low, found), np.nan)


def noise_of(
    scores: NDArray[np.float64],
    confidence: NDArray[np.float64] | None = None,
    relevance: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return by how much the arithmetic may have moved each overall score; a single dimension is not moved at all."""
    dimensions = scores.shape[-1]
    if dimensions < 2:
        return np.zeros(scores.shape[:-1])
    size = overall_scores(np.abs(scores), confidence, relevance)
    return np.asarray((dimensions + 4) * np.finfo(float).eps * size)


def tied(values: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values in which those that nothing but noise keeps apart are equal, for whoever counts equal ones.

    >>> import numpy as np
    >>> tied(np.array([0.1 + 0.2, 0.3, 0.4]), np.full(3, 1e-15)).tolist()
    [0.3, 0.3, 0.4]
    """
    known = np.flatnonzero(~np.isnan(values))
    flat, may_move = values.ravel()[known], noise.ravel()[known]
    order = np.argsort(flat, kind="stable")
    apart = np.diff(flat[order]) > may_move[order][1:] + may_move[order][:-1]
    groups = np.concatenate([[0], np.cumsum(apart)]) if len(order) else np.zeros(0, dtype=np.int64)
    firsts = np.flatnonzero(np.concatenate([[True], apart])) if len(order) else groups
    result = values.copy()
    result.ravel()[known[order]] = flat[order][firsts][groups]
    return result


def row_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what is there along the last axis; equal values have exactly their value as mean."""
    known = ~np.isnan(values)
    counts = known.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(known, values, 0.0).sum(axis=-1) / counts
    low, high = _bounds(values)
    return np.where(counts > 0, np.where(low == high, low, found), np.nan)


def _bounds(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lowest and the highest of what is there along the last axis, infinite where there is nothing."""
    known = ~np.isnan(values)
    low = np.where(known, values, np.inf).min(axis=-1, initial=np.inf)
    high = np.where(known, values, -np.inf).max(axis=-1, initial=-np.inf)
    return low, high


def spread(values: NDArray[np.float64]) -> Spread:
    """Return sample statistics of each row; fewer than two values have no variance, a mean of 0 or less no CV.

    Values that differ in their last digits only do not vary.
    """
    known = ~np.isnan(values)
    counts = known.sum(axis=1)
    mean = row_means(values)
    low, high = _bounds(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = high - low <= _LAST_DIGITS * np.maximum(np.abs(low), np.abs(high))
        about = np.where(known & ~alike[:, None], values - mean[:, None], 0.0)
        variance = np.where(counts > 1, (about * about).sum(axis=1) / (counts - 1), np.nan)
        cv = np.where(mean > 0, np.sqrt(variance) / mean, np.nan)
    nobody = counts == 0
    return Spread(counts, mean, variance, cv, np.where(nobody, np.nan, low), np.where(nobody, np.nan, high))


def disagreements(
    overall: Sequence[Sequence[float]] | NDArray[np.float64], rules: OutlierRules | None = None
) -> Disagreements:
    """Return what the judges of each item come to; `overall` is items × judges on the scale 0 to 1, NaN for missing."""
    rules = rules or OutlierRules()
    values = np.asarray(overall, dtype=float)
    values = values if values.ndim == 2 else values.reshape(len(values), 0)
    found = spread(values)
    counts = found.counts
    consensus = np.maximum(0.0, 1 - 2 * found.cv)
    reliability = consensus * (1 - np.minimum(1.0, 5 * found.variance))
    reliability = np.clip(np.where(consensus > 0.8 + TOLERANCE, reliability + 0.1, reliability), 0.0, 1.0)
    for judges, (agreed, trusted) in ((1, SINGLE), (0, NOBODY)):
        consensus = np.where(counts == judges, agreed, consensus)
        reliability = np.where(counts == judges, trusted, reliability)
    deviation = np.sqrt(found.variance)
    # what is no distance at all, for scores of this size
    least = TOLERANCE * np.maximum(np.abs(found.minimum), np.abs(found.maximum))
    # the farthest that one of n can be from their mean is (n-1)/√n standard deviations
    can_fire = (counts - 1) / np.sqrt(np.maximum(counts, 1)) > rules.outlier + TOLERANCE
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.abs(values - found.mean[:, None]) / deviation[:, None] > rules.outlier + TOLERANCE
    return Disagreements(
        judges=counts,
        mean=found.mean,
        variance=found.variance,
        std_dev=deviation,
        cv=found.cv,
        minimum=found.minimum,
        maximum=found.maximum,
        consensus=consensus,
        reliability=reliability,
        outliers=far & can_fire[:, None] & (deviation > least)[:, None],
        robust_outliers=_far_from_median(values, rules, least),
        outliers_can_fire=can_fire,
    )


def disagreement(scores: Sequence[float], rules: OutlierRules | None = None) -> Disagreement:
    """Return what the judges of one item come to: their overall scores on the scale 0 to 1, NaN for missing.

    >>> found = disagreement([0.8, 0.85, 0.82, 0.1, 0.83])
    >>> round(found.cv, 6), round(found.consensus, 5), round(found.reliability, 6), found.outliers
    (0.477545, 0.04491, 0.021231, (3,))
    """
    many = disagreements([list(scores)], rules)
    return Disagreement(
        judges=int(many.judges[0]),
        mean=float(many.mean[0]),
        variance=float(many.variance[0]),
        std_dev=float(many.std_dev[0]),
        cv=float(many.cv[0]),
        minimum=float(many.minimum[0]),
        maximum=float(many.maximum[0]),
        consensus=float(many.consensus[0]),
        reliability=float(many.reliability[0]),
        outliers=tuple(many.outliers[0].nonzero()[0].tolist()),
        robust_outliers=tuple(many.robust_outliers[0].nonzero()[0].tolist()),
        outliers_can_fire=bool(many.outliers_can_fire[0]),
    )


def cultural_consensus(competence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return max(0, 1 - CV) of the judges' cultural competence; one judge alone has none."""
    return np.maximum(0.0, 1 - spread(competence).cv)


def _far_from_median(values: NDArray[np.float64], rules: OutlierRules, least: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return who is far from the median, in units that no outlier can stretch."""
    away = np.abs(values - _medians(values)[:, None])
    unit = np.maximum(_medians(away), rules.mad_floor)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((_NORMAL * away / unit > rules.robust + TOLERANCE) & (away > least[:, None]))


def _medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    counts = known.sum(axis=1)
    if not values.shape[1]:
        return np.full(len(values), math.nan)
    ordered = np.sort(np.where(known, values, np.inf), axis=1)
    rows = np.arange(len(values))
    low = ordered[rows, np.maximum((counts - 1) // 2, 0)]
    high = ordered[rows, np.minimum(counts // 2, values.shape[1] - 1)]
    nobody = counts == 0
    low, high = np.where(nobody, np.nan, low), np.where(nobody, np.nan, high)
    return np.asarray(low + (high - low) / 2)
