"""How far judges are apart on each item: mean, dispersion, consensus, reliability, and who stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import checked_shares
from scoresheet.metrics.families.disagree.constants import (
    BONUS_ABOVE,
    CONSENSUS_SLOPE,
    NO_JUDGE,
    ONE_JUDGE,
    RELIABILITY_BONUS,
    RELIABILITY_SLOPE,
    OutlierRules,
)
from scoresheet.metrics.families.disagree.outliers import can_outlie, outliers_from_mean, outliers_from_median
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.rows import row_bounds, row_counts, row_sums

_LAST_DIGITS: Final = 1e-14  # of a value: what sums in another order may differ by


class Disagreement(NamedTuple):
    """What the judges of one item come to.

    Attributes
    ----------
    judges : int
        Judges with a score.
    mean, variance, std_dev, cv : float
        Of their scores, over n - 1; the last is the standard deviation over the mean. NaN for fewer than two judges,
        but for the mean; a mean of 0 or less has no `cv`.
    minimum, maximum : float
        The lowest and the highest score.
    consensus : float
        1 less the cv, as steep as CONSENSUS_SLOPE, at least 0; 1 for one judge, 0 for none.
    reliability : float
        The consensus, less what a large variance takes of it (RELIABILITY_SLOPE), with a bonus where it is high;
        decreed for one judge and for none.
    outliers : tuple of int
        Positions of the judges who are far from the mean.
    robust_outliers : tuple of int
        Positions of those who are far from the median.
    outliers_can_fire : bool
        Whether there are judges enough for one to be that far from the mean.
    """

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
    """What the judges of many items come to: the statistics of `Disagreement`, an array each.

    Attributes
    ----------
    judges : ndarray of int, shape (n_items,)
        Judges with a score.
    mean, variance, std_dev, cv : ndarray of float, shape (n_items,)
        Of their scores.
    minimum, maximum : ndarray of float, shape (n_items,)
        The lowest and the highest score.
    consensus, reliability : ndarray of float, shape (n_items,)
        How far they agree, and how far that can be trusted.
    outliers : ndarray of bool, shape (n_items, n_judges)
        Who is far from the mean.
    robust_outliers : ndarray of bool, shape (n_items, n_judges)
        Who is far from the median.
    outliers_can_fire : ndarray of bool, shape (n_items,)
        Whether there are judges enough for one to be that far from the mean.
    """

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


class Dispersion(NamedTuple):
    """Sample statistics of each row, over what is there."""

    counts: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    cv: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]


def row_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what is there along the last axis; equal values have exactly their value as mean."""
    known = ~np.isnan(values)
    counts, (low, high) = row_counts(known), row_bounds(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = row_sums(np.where(known, values, 0.0)) / counts
    return np.where(counts > 0, np.where(low == high, low, means), np.nan)


def dispersion(values: NDArray[np.float64]) -> Dispersion:
    """Return sample statistics of each row; fewer than two values have no variance, a mean of 0 or less no CV.

    Values that differ in their last digits only do not vary.
    """
    known = ~np.isnan(values)
    counts = row_counts(known)
    mean = row_means(values)
    low, high = row_bounds(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        is_constant = high - low <= _LAST_DIGITS * np.maximum(np.abs(low), np.abs(high))
        deviations = np.where(known & ~is_constant[:, None], values - mean[:, None], 0.0)
        variance = np.where(counts > 1, row_sums(deviations * deviations) / (counts - 1), np.nan)
        cv = np.where(mean > 0, np.sqrt(variance) / mean, np.nan)
    nobody = counts == 0
    return Dispersion(counts, mean, variance, cv, np.where(nobody, np.nan, low), np.where(nobody, np.nan, high))


def disagreements(
    overall: Sequence[Sequence[float]] | NDArray[np.float64], rules: OutlierRules | None = None
) -> Disagreements:
    """Return what the judges of each of many items come to.

    Parameters
    ----------
    overall : array_like of float, shape (n_items, n_judges)
        The judges' overall scores on the scale 0 to 1; NaN for missing.
    rules : OutlierRules, optional
        From where on a judge stands alone.

    Returns
    -------
    Disagreements
        An array per statistic.

    Raises
    ------
    ValueError
        If the scores are no table of numbers from 0 to 1.

    Examples
    --------
    >>> many = disagreements([[0.8, 0.85, 0.82, 0.1, 0.83], [0.5, 0.5, 0.5, 0.5, 0.5]])
    >>> many.consensus.round(3).tolist(), many.outliers[0].tolist()
    ([0.045, 1.0], [False, False, False, True, False])
    """
    rules = rules or OutlierRules()
    values = checked_shares("scores", overall, 2, gaps=True, empty=True)
    judged = dispersion(values)
    consensus, reliability = _consensus_and_reliability(judged)
    std_dev = np.sqrt(judged.variance)
    # what is no distance at all, for scores of this size
    least = TOLERANCE * np.maximum(np.abs(judged.minimum), np.abs(judged.maximum))
    can_fire = can_outlie(judged.counts, rules)
    return Disagreements(
        judges=judged.counts,
        mean=judged.mean,
        variance=judged.variance,
        std_dev=std_dev,
        cv=judged.cv,
        minimum=judged.minimum,
        maximum=judged.maximum,
        consensus=consensus,
        reliability=reliability,
        outliers=outliers_from_mean(values, judged.mean, std_dev, least, rules) & can_fire[:, None],
        robust_outliers=outliers_from_median(values, least, rules),
        outliers_can_fire=can_fire,
    )


def _consensus_and_reliability(judged: Dispersion) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    consensus = np.maximum(0.0, 1 - CONSENSUS_SLOPE * judged.cv)
    reliability = consensus * (1 - np.minimum(1.0, RELIABILITY_SLOPE * judged.variance))
    has_bonus = consensus > BONUS_ABOVE + TOLERANCE
    reliability = np.clip(np.where(has_bonus, reliability + RELIABILITY_BONUS, reliability), 0.0, 1.0)
    for judges, (agreed, trusted) in ((1, ONE_JUDGE), (0, NO_JUDGE)):
        consensus = np.where(judged.counts == judges, agreed, consensus)
        reliability = np.where(judged.counts == judges, trusted, reliability)
    return consensus, reliability


def disagreement(scores: Sequence[float], rules: OutlierRules | None = None) -> Disagreement:
    """Return what the judges of one item come to: dispersion, consensus, reliability, and who stands alone.

    Parameters
    ----------
    scores : sequence of float, length n_judges
        The judges' overall scores on the scale 0 to 1; NaN for missing.
    rules : OutlierRules, optional
        From where on a judge stands alone.

    Returns
    -------
    Disagreement
        The statistics of the item.

    Raises
    ------
    ValueError
        If the scores are no row of numbers from 0 to 1.

    Examples
    --------
    >>> one = disagreement([0.8, 0.85, 0.82, 0.1, 0.83])
    >>> round(one.cv, 6), round(one.consensus, 5), round(one.reliability, 6), one.outliers
    (0.477545, 0.04491, 0.021231, (3,))
    """
    many = disagreements(checked_shares("scores", scores, 1, gaps=True, empty=True)[None, :], rules)
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
    return np.maximum(0.0, 1 - dispersion(competence).cv)
