"""Percentile bootstrap over keys: a key is drawn with all its rows, for every sheet at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES: Final = 2_000
CI_PERCENTILES: Final = (2.5, 97.5)  # a 95 % interval
_BATCH_CELLS: Final = 100_000  # a batch of draws stays in the processor's cache


def confidence() -> str:
    """Return the level of every interval in words.

    >>> confidence()
    '95 %'
    """
    low, high = CI_PERCENTILES
    return f"{high - low:g} %"


@dataclass(frozen=True)
class Intervals:
    """Lower and upper ends for the whole, and for each sheet."""

    overall: tuple[float, float]
    sheets: tuple[tuple[float, float], ...]


def bootstrap_interval(
    values: ArrayLike, clusters: Sequence[Hashable] | None = None, *, seed: int = 0
) -> tuple[float, float]:
    """Return the percentile interval of a mean, by resampling units, or clusters of units.

    Parameters
    ----------
    values : array_like of float, shape (n_units,)
        A score per unit; NaN is left out.
    clusters : sequence of hashable, length n_units, optional
        What is drawn as one, such as the prompt that several answers belong to; by default every unit by itself.
    seed : int, optional
        Seed of the resamples.

    Returns
    -------
    low, high : float
        The CI_PERCENTILES of the resampled means; NaN for fewer than two clusters.

    Raises
    ------
    ValueError
        If the values do not have one dimension, or there is not a cluster for each.

    References
    ----------
    B. Efron, R. J. Tibshirani (1993), An Introduction to the Bootstrap, Chapman and Hall.

    Examples
    --------
    >>> low, high = bootstrap_interval([0.1, 0.4, 0.5, 0.9])
    >>> low < 0.475 < high
    True
    >>> bootstrap_interval([0.3])
    (nan, nan)
    """
    scores = np.asarray(values, dtype=float)
    if scores.ndim != 1:
        raise ValueError(f"values must have one dimension, not shape {scores.shape}")
    owners: Sequence[Hashable] = range(len(scores)) if clusters is None else clusters
    if len(owners) != len(scores):
        raise ValueError(f"there are {len(scores)} values and {len(owners)} clusters")
    index: dict[Hashable, int] = {}
    known = [position for position, value in enumerate(scores.tolist()) if not np.isnan(value)]
    rows = [index.setdefault(owners[position], len(index)) for position in known]
    sums, counts = (
        np.bincount(rows, weights=weights, minlength=len(index)).astype(float)[:, None]
        for weights in (scores[known], np.ones(len(known)))
    )
    return bootstrap_means(sums, counts, seed=seed).overall


def bootstrap_means(
    sums: NDArray[np.float64], counts: NDArray[np.float64], *, pooled: bool = False, seed: int = 0
) -> Intervals:
    """Return intervals of the mean of sheet means (or of the pooled mean) and of each sheet's mean.

    `sums` and `counts` have a row per key and a column per sheet: the sum of the key's scores there, and how many.
    A sheet that a resample empties is left out of that resample. Fewer than two keys have no interval.
    """
    resampled = resample_means(sums[:, :, None], counts[:, :, None], pooled=pooled, seed=seed)
    sheets = sums.shape[1]
    return Intervals(resampled.interval(0), tuple(resampled.sheet_interval(sheet, 0) for sheet in range(sheets)))


@dataclass(frozen=True)
class ResampledMeans:
    """The means of several measures in every resample: over all sheets, and of each sheet."""

    overall: NDArray[np.float64]  # resamples × measures
    sheets: NDArray[np.float64]  # resamples × sheets × measures
    counts: NDArray[np.float64]  # as given, key × sheet × measure

    def interval(self, measure: int) -> tuple[float, float]:
        """Return the interval of a measure's mean; none if fewer than two keys have it."""
        keys = (self.counts[:, :, measure] > 0).any(axis=1).sum()
        return percentile_interval(self.overall[:, measure]) if keys >= 2 else (math.nan, math.nan)

    def sheet_interval(self, sheet: int, measure: int) -> tuple[float, float]:
        """Return the interval of a measure's mean in one sheet."""
        keys = (self.counts[:, sheet, measure] > 0).sum()
        return percentile_interval(self.sheets[:, sheet, measure]) if keys >= 2 else (math.nan, math.nan)


def resample_means(
    sums: NDArray[np.float64], counts: NDArray[np.float64], *, pooled: bool = False, seed: int = 0
) -> ResampledMeans:
    """Return the means of key × sheet × measure under resampled keys, which are drawn once for all of them."""
    keys, sheets, measures = sums.shape
    if keys < 2:
        return ResampledMeans(np.empty((0, measures)), np.empty((0, sheets, measures)), counts)
    both = np.hstack([sums.reshape(keys, -1), counts.reshape(keys, -1)])
    overall, by_sheet = [], []
    for weights in bootstrap_weights(keys, seed):
        totals = weights @ both
        shape = (len(weights), sheets, measures)
        drawn_sums, drawn_counts = (part.reshape(shape) for part in np.hsplit(totals, 2))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(drawn_counts > 0, drawn_sums / drawn_counts, np.nan)
            overall.append(drawn_sums.sum(axis=1) / drawn_counts.sum(axis=1) if pooled else _row_means(means))
        by_sheet.append(means)
    return ResampledMeans(np.vstack(overall), np.concatenate(by_sheet), counts)


def bootstrap_weights(keys: int, seed: int, *, least: int = 1) -> Iterator[NDArray[np.float64]]:
    """Yield how often each key is drawn in each resample, in batches of resamples, `least` of them at least.

    Who multiplies the weights with a wide table wants several at once, so that the table is read less often.
    """
    rng = np.random.default_rng(seed)
    batch = max(least, _BATCH_CELLS // keys)
    for start in range(0, RESAMPLES, batch):
        resamples = min(batch, RESAMPLES - start)
        drawn = rng.integers(0, keys, size=(resamples, keys))
        drawn += np.arange(resamples)[:, None] * keys
        counted = np.bincount(drawn.ravel(), minlength=resamples * keys)
        yield counted.reshape(resamples, keys).astype(np.float64)


def _row_means(means: NDArray[np.float64]) -> NDArray[np.float64]:
    defined = ~np.isnan(means)
    counted = defined.sum(axis=1)
    return np.where(counted > 0, np.where(defined, means, 0.0).sum(axis=1) / np.maximum(counted, 1), np.nan)


def percentile_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the CI_PERCENTILES of the defined values."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return (np.nan, np.nan)
    low, high = np.percentile(defined, CI_PERCENTILES)
    return (float(low), float(high))
