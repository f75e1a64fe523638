"""How far apart the judges of an item may be before it is rare for their panel: what makes a flag a high one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import RARE_SPREAD
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.beta_distribution import f_quantile
from scoresheet.metrics.stats.rows import row_bounds


def spread_limits(variances: NDArray[np.float64], judges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each item the standard deviation that a panel of this alpha hardly ever exceeds (RARE_SPREAD).

    The mean variance of items is (1 - alpha) times the variance of all scores; by how much a single item exceeds that
    of the others follows the F distribution where judges err alike on all items. The item itself is left out of what it
    is held to, so that it cannot hide behind its own spread. NaN where there is no other item with two judges.

    >>> spread_limits(np.array([0.01, 0.01, 0.01, 0.25]), np.array([3, 3, 3, 3])).round(2).tolist()
    [1.56, 1.56, 1.56, 0.52]
    """
    known = judges > 1
    freedom = np.where(known, judges - 1, 0)
    sums = np.where(known, variances * freedom, 0.0)
    rest_freedom = freedom.sum() - freedom
    limits = np.full(len(judges), np.nan)
    usable = known & (rest_freedom > 0)
    rest = (sums.sum() - sums[usable]) / rest_freedom[usable]
    pairs = list(zip(freedom[usable].tolist(), rest_freedom[usable].tolist(), strict=True))
    quantiles = {pair: f_quantile(1 - RARE_SPREAD, *pair) for pair in set(pairs)}
    limits[usable] = np.sqrt(np.maximum(rest, 0.0) * np.array([quantiles[pair] for pair in pairs]))
    return limits


def score_step(scores: NDArray[np.float64]) -> float:
    """Return the smallest distance of two different scores: on a coarse scale, a step of it.

    >>> score_step(np.array([0.25, 0.5, 1.0, np.nan]))
    0.25
    """
    steps = np.diff(np.unique(scores[~np.isnan(scores)]))
    steps = steps[steps > TOLERANCE]
    return float(steps.min()) if len(steps) else 0.0


def is_rare_spread(
    scores: NDArray[np.float64], variances: NDArray[np.float64], judges: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which items are farther apart than their panel hardly ever is (RARE_SPREAD), and by more than a step.

    Judges a step apart on a coarse scale are no quarrel, however well the panel agrees; `scores` is items × judges.
    """
    limits = spread_limits(variances, judges)
    low, high = row_bounds(scores)
    with np.errstate(invalid="ignore"):
        beyond = np.sqrt(variances) > limits + TOLERANCE
    return np.asarray(beyond & (judges > 1) & (high - low > score_step(scores) + TOLERANCE))
