"""The bootstrap of a cell's Gini, and how any random choice of samples falls on its options.

The samples of a cell lie side by side, option after option, so an option's count in a resample is a difference of two
cumulative counts; these are drawn once for each sample size and serve every cell of that size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.concentration import gini_of_rank_sums, rank_sums

Counts = NDArray[np.int32] | NDArray[np.int64]

_MOST_KEPT: Final = 2_000  # samples up to which cumulative counts are kept; beyond, counts are drawn cell by cell
_COUNTS_AT_ONCE: Final = 2_000_000
_SAMPLES_PER_OPTION: Final = 20  # above this many, drawing the counts of a cell costs less than cumulative counts


def bootstrap_ginis(counts: Sequence[int], seed: int = 0) -> NDArray[np.float64]:
    """Return the Ginis of RESAMPLES bootstrap resamples of a cell; they depend on the counts, not on their order.

    Beside the samples the pool holds some for the options never chosen: another sample of this size might well choose
    some of them, the more so the more options were chosen just once (Good 1953).
    """
    return _bootstrap_ginis(tuple(sorted(filter(None, counts), reverse=True)), len(counts), seed)


def resampling_pool_size(counts: Sequence[int]) -> int:
    """Return how many samples a cell is resampled from: its own, and what the options never chosen share.

    >>> resampling_pool_size([7, 2, 1, 0]), resampling_pool_size([10, 0]), resampling_pool_size([9, 1])
    (12, 11, 10)
    """
    total, used = sum(counts), sum(map(bool, counts))
    if not used:
        return 0
    unused = len(counts) - used
    return total + min(sum(count == 1 for count in counts) + 1, total * unused // used)  # none likelier than the used


@lru_cache(maxsize=2048)  # a cell is asked for by itself, with its sheet, and with its model
def _bootstrap_ginis(used: tuple[int, ...], options: int, seed: int) -> NDArray[np.float64]:
    total, unused = sum(used), options - len(used)
    pool = resampling_pool_size((*used, *[0] * unused))
    rng = np.random.default_rng([seed, options, *used])
    unseen = rng.binomial(total, 1 - total / pool, size=RESAMPLES)
    if cumulative_counts_pay(total, len(used)):
        seen: Counts = _resampled_counts(used, unseen, seed)
    else:
        seen = rng.multinomial(total - unseen, np.array(used) / total)
    rows = np.repeat(np.arange(RESAMPLES), unseen)
    others = rng.integers(0, max(1, unused), size=len(rows))
    sums = []
    for start, stop in _batches(options):
        counts = seen[start:stop]
        if unused:
            beside = _tally(rows, others, unused, start, stop)
            counts = cast(Counts, np.hstack([counts, beside]))  # the kind of integers is not known to hstack's type
        sums.append(rank_sums(counts))
    return np.maximum(gini_of_rank_sums(np.concatenate(sums), options, total), 0.0)


def _resampled_counts(used: Sequence[int], unseen: NDArray[np.int64], seed: int) -> NDArray[np.int32]:
    """Return how often the options that were chosen are drawn, if the last draws of each resample are others'."""
    total = sum(used)
    drawn, totals = _resamples(total, seed)
    rows = np.repeat(np.arange(RESAMPLES), unseen)
    last = np.arange(len(rows)) - np.repeat(np.cumsum(unseen) - unseen, unseen)
    lost = np.repeat(np.arange(len(used)), used)[drawn[rows, total - 1 - last]]
    return counts_from_cumulative(totals, np.array(used)) - _tally(rows, lost, len(used), 0, RESAMPLES)


def _tally(rows: Counts, columns: Counts, width: int, start: int, stop: int) -> NDArray[np.int32]:
    """Return how often each column stands in each row from `start` on; the rows ascend."""
    first, end = np.searchsorted(rows, (start, stop))
    height = min(stop, RESAMPLES) - start
    positions = (rows[first:end] - start) * width + columns[first:end]
    return np.bincount(positions, minlength=height * width).astype(np.int32).reshape(height, width)


def _batches(options: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of the resamples begin and end that fit into memory with so many options."""
    step = max(1, _COUNTS_AT_ONCE // options)
    for start in range(0, RESAMPLES, step):
        yield start, start + step


def gini_interval(value: float, resampled: NDArray[np.float64], most: float) -> tuple[float, float]:
    """Return the percentile interval of a Gini, moved by what resampling adds to it.

    A resample is a sample of a sample, and each sampling makes even choices look less even. Left alone, the interval
    of an even chooser would lie above its own Gini.
    """
    low, high = np.percentile(resampled, (2.5, 97.5)) - (float(resampled.mean()) - value)
    # the value itself may be the end of what is possible, and must lie inside to the last digit
    return min(value, max(0.0, float(low))), max(value, min(most, float(high)))


def cumulative_counts_pay(total: int, used: int) -> bool:
    """Return whether cumulative counts are worth their memory for so many samples on so many options."""
    return total <= min(_MOST_KEPT, _SAMPLES_PER_OPTION * used)


@lru_cache(maxsize=4)
def _resamples(total: int, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for each resample which samples are drawn, and the cumulative counts of how often each of them is."""
    rng = np.random.default_rng([seed, 0, total])
    drawn = rng.integers(0, total, size=(RESAMPLES, total), dtype=np.int32)
    positions = drawn + np.arange(RESAMPLES, dtype=np.int32)[:, None] * total
    times = np.bincount(positions.ravel(), minlength=RESAMPLES * total)
    return drawn, cumulative_counts(times.reshape(RESAMPLES, total))


def cumulative_counts(rows: Counts | NDArray[np.int8]) -> NDArray[np.int32]:
    """Return the sums of each row up to each column, from 0 on: a line per column, which makes them quick to pick."""
    totals = np.zeros((rows.shape[1] + 1, rows.shape[0]), dtype=np.int32)
    np.cumsum(rows.T, axis=0, out=totals[1:])
    return totals


def counts_from_cumulative(totals: NDArray[np.int32], counts: Counts) -> NDArray[np.int32]:
    """Return how many of the drawn samples fall on each option, a row per resample."""
    edges = np.concatenate([[0], np.cumsum(counts)])
    return np.ascontiguousarray(np.diff(totals[edges], axis=0).T)
