"""Outliers: judges far from the mean, or from the median in units that no outlier can stretch."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import MAD_OF_NORMAL, OutlierRules
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.rows import row_counts


def can_outlie(counts: NDArray[np.int64], rules: OutlierRules) -> NDArray[np.bool_]:
    """Return whether one of so many judges can be an outlier at all.

    The farthest that one of n can be from their mean is (n - 1)/√n standard deviations.

    >>> import numpy as np
    >>> can_outlie(np.array([4, 5]), OutlierRules()).tolist()
    [False, True]
    """
    return np.asarray((counts - 1) / np.sqrt(np.maximum(counts, 1)) > rules.outlier + TOLERANCE)


def most_judges_without_outlier(rules: OutlierRules) -> int:
    """Return up to how many judges none can be an outlier.

    >>> most_judges_without_outlier(OutlierRules())
    4
    """
    return next(judges for judges in count(1) if can_outlie(np.array([judges + 1]), rules)[0])


def outliers_from_mean(
    values: NDArray[np.float64],
    means: NDArray[np.float64],
    std_devs: NDArray[np.float64],
    least: NDArray[np.float64],
    rules: OutlierRules,
) -> NDArray[np.bool_]:
    """Return who is far from the mean of an item, items × judges; `least` is what is no distance at all."""
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.abs(values - means[:, None]) / std_devs[:, None] > rules.outlier + TOLERANCE
    return np.asarray(far & (std_devs > least)[:, None])


def outliers_from_median(
    values: NDArray[np.float64], least: NDArray[np.float64], rules: OutlierRules
) -> NDArray[np.bool_]:
    """Return who is far from the median, in units that no outlier can stretch."""
    distances = np.abs(values - _medians(values)[:, None])
    unit = np.maximum(_medians(distances), rules.mad_floor)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        far = MAD_OF_NORMAL * distances / unit > rules.robust + TOLERANCE
        return np.asarray(far & (distances > least[:, None]))


def _medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    counts = row_counts(known)
    if not values.shape[1]:
        return np.full(len(values), math.nan)
    ordered = np.sort(np.where(known, values, np.inf), axis=1)
    rows = np.arange(len(values))
    low = ordered[rows, np.maximum((counts - 1) // 2, 0)]
    high = ordered[rows, np.minimum(counts // 2, values.shape[1] - 1)]
    nobody = counts == 0
    low, high = np.where(nobody, np.nan, low), np.where(nobody, np.nan, high)
    return np.asarray(low + (high - low) / 2)
