"""Bootstrap over clusters: a cluster is drawn with all its rows, for every sheet at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.checks import check_whole, checked_array
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, Interval, check_confidence, expanded_intervals

RESAMPLES: Final = 2_000
_BATCH_CELLS: Final = 100_000  # a batch of draws stays in the processor's cache
_KEPT: Final = 5_000  # keys up to which the draws are kept
_KEPT_DRAWS: Final = 2 * RESAMPLES * _KEPT  # in all


def bootstrap_interval(
    values: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
) -> Interval:
    """Return the interval of a mean, by resampling units, or clusters of units.

    Parameters
    ----------
    values : array_like of float, shape (n_units,)
        A score per unit; NaN is left out.
    clusters : sequence of hashable, length n_units, optional
        What is drawn as one, such as the prompt that several answers belong to; by default every unit by itself.
    confidence : float, optional
        Between 0 and 1; the share of such intervals that are to hold the true mean.
    seed : int, optional
        Seed of the resamples.

    Returns
    -------
    Interval
        The ends `low` and `high` of the expanded percentile interval, which few clusters widen as they do Student's;
        NaN for fewer than five clusters. `note` says why there is none, or how many resamples had no value.

    Raises
    ------
    ValueError
        If there are no values, they do not have one dimension or one is infinite, there is not a cluster for each, or
        the confidence or the seed is none.

    References
    ----------
    B. Efron, R. J. Tibshirani (1993), An Introduction to the Bootstrap, Chapman and Hall.
    T. C. Hesterberg (2015), What Teachers Should Know About the Bootstrap, The American Statistician 69.

    Examples
    --------
    >>> interval = bootstrap_interval([0.1, 0.4, 0.5, 0.9, 0.6])
    >>> interval.low < 0.5 < interval.high
    True
    >>> bootstrap_interval([0.3, 0.4]).note
    'too few clusters for an interval: 2, at least 5 are needed'
    """
    scores = checked_array("values", values, 1, gaps=True)
    check_confidence(confidence)
    check_whole("seed", seed)
    owners: Sequence[Hashable] = range(len(scores)) if clusters is None else clusters
    if len(owners) != len(scores):
        raise ValueError(f"there are {len(scores)} values and {len(owners)} clusters")
    index: dict[Hashable, int] = {}
    known = [position for position, value in enumerate(scores.tolist()) if not np.isnan(value)]
    rows = [index.setdefault(owners[position], len(index)) for position in known]
    sums, counts = (
        np.bincount(rows, weights=weights, minlength=len(index)).astype(float)[:, None, None]
        for weights in (scores[known], np.ones(len(known)))
    )
    return resample_means(sums, counts, noun="clusters", confidence=confidence, seed=seed).interval(0)


@dataclass(frozen=True)
class ResampledMeans:
    """The means of several measures in every resample: over all sheets, and of each sheet."""

    overall: NDArray[np.float64]  # resamples × measures
    sheets: NDArray[np.float64]  # resamples × sheets × measures
    counts: NDArray[np.float64]  # as given, cluster × sheet × measure
    noun: str  # what the clusters are
    confidence: float

    def interval(self, measure: int) -> Interval:
        """Return the interval of a measure's mean."""
        return self._intervals[measure]

    def sheet_interval(self, sheet: int, measure: int) -> Interval:
        """Return the interval of a measure's mean in one sheet."""
        sheets, measures = self.counts.shape[1:]
        return self._intervals[measure + (measures * (1 + sheet) if sheets > 1 else 0)]

    @cached_property
    def _intervals(self) -> list[Interval]:
        """Those over all, then those of each sheet; of a single sheet what there is over all is its own."""
        sheets, measures = self.counts.shape[1:]
        known = self.counts > 0
        clusters = [known.any(axis=1).sum(axis=0), known.sum(axis=0).ravel()][: 1 if sheets == 1 else 2]
        resampled = [self.overall, self.sheets.reshape(len(self.sheets), sheets * measures)][: len(clusters)]
        return expanded_intervals(
            np.hstack(resampled), np.hstack(clusters).tolist(), noun=self.noun, confidence=self.confidence
        )


def resample_means(
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    *,
    noun: str,
    pooled: bool = False,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
) -> ResampledMeans:
    """Return the means of cluster × sheet × measure under resampled clusters, drawn once for all of them.

    `sums` has the sum of a cluster's scores in a sheet, `counts` how many there are. A sheet that a resample empties is
    left out of that resample. `pooled` is the mean over all rows, else it is that of the sheets' means.
    """
    keys, sheets, measures = sums.shape
    if keys < 2:
        return ResampledMeans(np.empty((0, measures)), np.empty((0, sheets, measures)), counts, noun, confidence)
    both = np.hstack([sums.reshape(keys, -1), counts.reshape(keys, -1)])
    totals = np.empty((RESAMPLES, both.shape[1]))
    start = 0
    for weights in bootstrap_weights(keys, seed):
        np.matmul(weights, both, out=totals[start : start + len(weights)])
        start += len(weights)
    drawn_sums, drawn_counts = totals.reshape(RESAMPLES, 2, sheets, measures).swapaxes(0, 1)
    is_drawn = drawn_counts > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn_sums / drawn_counts
        if not is_drawn.all():
            means[~is_drawn] = np.nan
        overall = drawn_sums.sum(axis=1) / drawn_counts.sum(axis=1) if pooled else _row_means(means, is_drawn)
    return ResampledMeans(overall, means, counts, noun, confidence)


def bootstrap_weights(keys: int, seed: int, *, least: int = 1) -> Iterator[NDArray[np.float64]]:
    """Yield how often each key is drawn in each resample, in batches of resamples, `least` of them at least.

    Who multiplies the weights with a wide table wants several at once, so that the table is read less often.
    """
    batch = max(least, _BATCH_CELLS // keys)
    if keys <= _KEPT:
        yield from (counts.astype(np.float64) for counts in _KEPT_COUNTS.of(keys, seed, batch))
    else:
        yield from (counts.astype(np.float64) for counts in _drawn_counts(keys, seed, batch))


class _KeptCounts:
    """Draws in an eighth of their memory, for the next model: nobody is drawn 256 times among so few."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int, int], tuple[NDArray[np.uint8], ...]] = {}  # the last asked for is the last

    def of(self, keys: int, seed: int, batch: int) -> tuple[NDArray[np.uint8], ...]:
        """Return the draws of so many keys; others go, the longest unused first, where they are many together."""
        asked = (keys, seed, batch)
        found = self._kept.pop(asked, None) or tuple(
            counts.astype(np.uint8) for counts in _drawn_counts(keys, seed, batch)
        )
        self._kept[asked] = found
        while sum(RESAMPLES * own for own, _, _ in self._kept) > _KEPT_DRAWS:
            del self._kept[next(iter(self._kept))]
        return found


_KEPT_COUNTS: Final = _KeptCounts()


def _drawn_counts(keys: int, seed: int, batch: int) -> Iterator[NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    for start in range(0, RESAMPLES, batch):
        resamples = min(batch, RESAMPLES - start)
        drawn = rng.integers(0, keys, size=(resamples, keys))
        drawn += np.arange(resamples)[:, None] * keys
        yield np.bincount(drawn.ravel(), minlength=resamples * keys).reshape(resamples, keys)


def _row_means(means: NDArray[np.float64], is_drawn: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean over the sheets that were drawn."""
    if is_drawn.all():
        return np.asarray(means.sum(axis=1) / means.shape[1])
    counted = is_drawn.sum(axis=1)
    return np.where(counted > 0, np.where(is_drawn, means, 0.0).sum(axis=1) / np.maximum(counted, 1), np.nan)
