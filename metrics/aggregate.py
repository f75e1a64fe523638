"""From units to sheets, and from sheets to the model: means, and intervals over resampled clusters of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bootstrap import Intervals, bootstrap_means
from scoresheet.metrics.stats.means import mean

Interval = tuple[float, float]
Cluster = str | tuple[str, int]  # what is drawn as one in a resample


class SheetValues(NamedTuple):
    """One measure of one sheet's units, undefined where it is NaN, and the cluster of each unit."""

    clusters: Sequence[Cluster]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Aggregate:
    """The mean of a measure in each sheet and over all, with the intervals of these means."""

    sheets: tuple[float, ...]
    overall: float
    sheet_intervals: tuple[Interval, ...]
    interval: Interval


def aggregate(sheets: Sequence[SheetValues], *, pooled: bool = False, seed: int = 0) -> Aggregate:
    """Return a measure's mean over the units of each sheet, then over sheets (or over all units, if `pooled`).

    >>> two = [SheetValues(["a", "b"], np.array([0.5, 1.0])), SheetValues(["a", "b"], np.array([0.25, np.nan]))]
    >>> aggregate(two).overall, aggregate(two, pooled=True).overall
    (0.5, 0.5833333333333334)
    """
    means = tuple(mean(sheet.values.tolist()) for sheet in sheets)
    overall = mean(np.concatenate([sheet.values for sheet in sheets]).tolist()) if pooled else mean(means)
    intervals = _intervals(sheets, pooled=pooled, seed=seed)
    return Aggregate(means, overall, intervals.sheets, intervals.overall)


def _intervals(sheets: Sequence[SheetValues], *, pooled: bool, seed: int) -> Intervals:
    """Return the bootstrap over clusters: drawn once for all sheets, sorted so that row order cannot matter."""
    known = [np.flatnonzero(~np.isnan(sheet.values)) for sheet in sheets]
    clusters = [[sheet.clusters[row] for row in rows.tolist()] for sheet, rows in zip(sheets, known, strict=True)]
    index = {key: position for position, key in enumerate(sorted({key for keys in clusters for key in keys}))}
    sums = np.zeros((len(index), len(sheets)))
    counts = np.zeros_like(sums)
    for column, (sheet, rows, keys) in enumerate(zip(sheets, known, clusters, strict=True)):
        positions = np.array([index[key] for key in keys], dtype=np.int64)
        np.add.at(sums[:, column], positions, sheet.values[rows])
        np.add.at(counts[:, column], positions, 1)
    return bootstrap_means(sums, counts, pooled=pooled, seed=seed)
