"""From units to sheets, and from sheets to the model: means, and intervals over resampled clusters of units."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bootstrap import ResampledMeans, resample_means
from scoresheet.metrics.stats.clustered_share import clustered_share_interval
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, Interval
from scoresheet.metrics.stats.means import mean, mean_of_array

Cluster = str | tuple[str, int]  # what is drawn as one in a resample


class SheetValues(NamedTuple):
    """Measures of one sheet's units, undefined where they are NaN, and the cluster of each unit."""

    clusters: Sequence[Cluster] | NDArray[np.int64]  # numbers, where somebody has put them in order
    values: NDArray[np.float64]  # a row per unit and a column per measure; of a single measure a row of numbers


@dataclass(frozen=True)
class Aggregate:
    """The mean of a measure in each sheet and over all, with the intervals of these means."""

    sheets: tuple[float, ...]
    overall: float
    sheet_intervals: tuple[Interval, ...]
    interval: Interval


def aggregate(
    sheets: Sequence[SheetValues],
    *,
    noun: str,
    pooled: bool = False,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
) -> Aggregate:
    """Return a measure's mean over the units of each sheet, then over sheets (or over all units, if `pooled`).

    `noun` says what the clusters are, in the plural.

    >>> two = [SheetValues(["a", "b"], np.array([0.5, 1.0])), SheetValues(["a", "b"], np.array([0.25, np.nan]))]
    >>> aggregate(two, noun="idioms").overall, aggregate(two, noun="idioms", pooled=True).overall
    (0.5, 0.5833333333333334)
    """
    columns = [SheetValues(sheet.clusters, sheet.values[:, None]) for sheet in sheets]
    return aggregate_measures(columns, noun=noun, pooled=pooled, confidence=confidence, seed=seed)[0]


def aggregate_measures(
    sheets: Sequence[SheetValues],
    *,
    noun: str,
    pooled: bool = False,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
) -> list[Aggregate]:
    """Return the same for several measures at once; clusters are drawn once for all of them."""
    sums, counts = _cluster_sums(sheets)
    resampled = resample_means(sums, counts, noun=noun, pooled=pooled, confidence=confidence, seed=seed)
    return [_aggregate(sheets, resampled, measure, pooled=pooled) for measure in range(sheets[0].values.shape[1])]


def aggregate_share(sheets: Sequence[SheetValues], *, noun: str, confidence: float = CONFIDENCE_LEVEL) -> Aggregate:
    """Return the same of units that are 1 or 0: a share, with intervals that hold for rare and for common ones.

    >>> never = [SheetValues([f"p{text}" for text in range(20)], np.zeros(20))]
    >>> aggregate_share(never, noun="texts").overall, round(aggregate_share(never, noun="texts").interval.high, 3)
    (0.0, 0.168)
    """
    columns = [SheetValues(sheet.clusters, sheet.values[:, None]) for sheet in sheets]
    hits, counts = (table[:, :, 0] for table in _cluster_sums(columns))
    means = tuple(mean_of_array(sheet.values) for sheet in sheets)
    return Aggregate(
        means,
        mean(means),
        tuple(
            clustered_share_interval(hits[:, [sheet]], counts[:, [sheet]], noun=noun, confidence=confidence)
            for sheet in range(len(sheets))
        ),
        clustered_share_interval(hits, counts, noun=noun, confidence=confidence),
    )


def _aggregate(sheets: Sequence[SheetValues], resampled: ResampledMeans, measure: int, *, pooled: bool) -> Aggregate:
    values = [sheet.values[:, measure] for sheet in sheets]
    means = tuple(map(mean_of_array, values))
    return Aggregate(
        means,
        mean_of_array(np.concatenate(values)) if pooled else mean(means),
        tuple(resampled.sheet_interval(sheet, measure) for sheet in range(len(sheets))),
        resampled.interval(measure),
    )


def _cluster_sums(sheets: Sequence[SheetValues]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums and counts, cluster × sheet × measure; the clusters are sorted, so that row order cannot matter."""
    known: list[NDArray[np.bool_]] = [np.any(~np.isnan(sheet.values), axis=1) for sheet in sheets]
    number, positions = _cluster_positions([sheet.clusters for sheet in sheets], known)
    measures = sheets[0].values.shape[1]
    sums = np.empty((number, len(sheets), measures))
    counts = np.empty_like(sums)
    for column, (sheet, rows, own) in enumerate(zip(sheets, known, positions, strict=True)):
        values = sheet.values if rows.all() else sheet.values[rows]
        for measure in range(measures):
            defined = ~np.isnan(values[:, measure])
            some, theirs = (values[defined, measure], own[defined])
            sums[:, column, measure] = np.bincount(theirs, some, minlength=number)
            counts[:, column, measure] = np.bincount(theirs, minlength=number)
    return sums, counts


def _cluster_positions(
    clusters: Sequence[Sequence[Cluster] | NDArray[np.int64]], known: Sequence[NDArray[np.bool_]]
) -> tuple[int, list[NDArray[np.int64]]]:
    """Return how many clusters the known rows have, and the place of each row's among them in their order."""
    numbered = [own[rows] for own, rows in zip(clusters, known, strict=True) if isinstance(own, np.ndarray)]
    if numbered:
        present = np.unique(np.concatenate(numbered))
        return len(present), [np.searchsorted(present, own) for own in numbered]
    named = [_known_clusters(own, rows) for own, rows in zip(clusters, known, strict=True)]
    every = named[0].values if len(named) == 1 else set().union(*(keys.values for keys in named))
    index = dict(zip(sorted(every), range(len(every)), strict=True))
    places = [np.array(list(map(index.__getitem__, keys.values)), dtype=np.int64) for keys in named]
    return len(index), [own[keys.codes] if len(own) else own for own, keys in zip(places, named, strict=True)]


def _known_clusters(clusters: Sequence[Cluster] | NDArray[np.int64], known: NDArray[np.bool_]) -> Coded[Cluster]:
    """Return the clusters of some rows, without those that no row of them has."""
    if not isinstance(clusters, Coded):
        return Coded.of(compress(clusters, known.tolist()))
    return (clusters if known.all() else clusters.take(np.flatnonzero(known))).present()
