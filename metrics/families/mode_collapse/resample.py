"""Resamples of counted choices: the bootstrap of a cell, and how any random choice of samples falls on options.

The samples of a cell lie side by side, option after option,
so an option's count in a resample is a difference of two running totals; the totals are drawn once for each sample size
and serve every cell of that size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bootstrap import CI_PERCENTILES, RESAMPLES
from scoresheet.metrics.stats.concentration import gini_of_rank_sums, rank_sums

_MOST_KEPT: Final = 2_000  # samples up to which running totals are kept; beyond, counts are drawn cell by cell
_COUNTS_AT_ONCE: Final = 2_000_000
_SAMPLES_PER_OPTION: Final = 20  # above this many, drawing the counts of a cell costs less than the running totals


def bootstrap_ginis(counts: Sequence[int], seed: int = 0) -> NDArray[np.float64]:
    """Return the Ginis of RESAMPLES bootstrap resamples of a cell; they depend on the counts, not on their order.

    Beside the samples there are cards for the options never chosen: another sample of this size might well choose some
    of them, the more so the more options were chosen just once (Good 1953).
    """
    return _bootstrap_ginis(tuple(sorted(filter(None, counts), reverse=True)), len(counts), seed)


def deck_size(counts: Sequence[int]) -> int:
    """Return how many cards a cell is resampled from: its samples, and what the options never chosen share.

    >>> deck_size([7, 2, 1, 0]), deck_size([10, 0]), deck_size([9, 1])
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
    deck = deck_size((*used, *[0] * unused))
    rng = np.random.default_rng([seed, options, *used])
    unseen = rng.binomial(total, 1 - total / deck, size=RESAMPLES)
    if is_cheap(total, len(used)):
        seen: NDArray[Any] = _seen(used, unseen, seed)
    else:
        seen = rng.multinomial(total - unseen, np.array(used) / total)
    rows = np.repeat(np.arange(RESAMPLES), unseen)
    others = rng.integers(0, max(1, unused), size=len(rows))
    sums = [
        rank_sums(np.hstack([seen[part], _tally(rows, others, unused, part)]) if unused else seen[part])
        for part in _parts(options)
    ]
    return np.maximum(gini_of_rank_sums(np.concatenate(sums), options, total), 0.0)


def _seen(used: Sequence[int], unseen: NDArray[np.int64], seed: int) -> NDArray[np.int32]:
    """Return how often the options that were chosen are drawn, if the last draws of each resample are others'."""
    total = sum(used)
    drawn, totals = _drawn(total, seed)
    rows = np.repeat(np.arange(RESAMPLES), unseen)
    last = np.arange(len(rows)) - np.repeat(np.cumsum(unseen) - unseen, unseen)
    lost = np.repeat(np.arange(len(used)), used)[drawn[rows, total - 1 - last]]
    return fallen(totals, np.array(used)) - _tally(rows, lost, len(used), slice(0, RESAMPLES))


def _tally(rows: NDArray[Any], columns: NDArray[Any], width: int, part: slice) -> NDArray[np.int32]:
    """Return how often each column stands in each of these rows, which ascend."""
    first, end = np.searchsorted(rows, (part.start, part.stop))
    height = min(part.stop, RESAMPLES) - part.start
    places = (rows[first:end] - part.start) * width + columns[first:end]
    return np.bincount(places, minlength=height * width).astype(np.int32).reshape(height, width)


def _parts(options: int) -> Iterator[slice]:
    """Yield parts of the resamples that fit into memory with so many options."""
    step = max(1, _COUNTS_AT_ONCE // options)
    for start in range(0, RESAMPLES, step):
        yield slice(start, start + step)


def interval(value: float, resampled: NDArray[np.float64], most: float) -> tuple[float, float]:
    """Return the 95 % percentile interval of a Gini, moved by what resampling adds to it.

    A resample is a sample of a sample, and each sampling makes even choices look less even. Left alone, the interval
    of an even chooser would lie above its own Gini.
    """
    low, high = np.percentile(resampled, CI_PERCENTILES) - (float(resampled.mean()) - value)
    # the value itself may be the end of what is possible, and must lie inside to the last digit
    return min(value, max(0.0, float(low))), max(value, min(most, float(high)))


def is_cheap(total: int, used: int) -> bool:
    """Return whether running totals are worth their memory for so many samples on so many options."""
    return total <= min(_MOST_KEPT, _SAMPLES_PER_OPTION * used)


@lru_cache(maxsize=4)
def _drawn(total: int, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for each resample which samples are drawn, and the running totals of how often each of them is."""
    rng = np.random.default_rng([seed, 0, total])
    drawn = rng.integers(0, total, size=(RESAMPLES, total), dtype=np.int32)
    places = drawn + np.arange(RESAMPLES, dtype=np.int32)[:, None] * total
    return drawn, running_totals(np.bincount(places.ravel(), minlength=RESAMPLES * total).reshape(RESAMPLES, total))


def running_totals(rows: NDArray[Any]) -> NDArray[np.int32]:
    """Return the sums of each row up to each place, from 0 on: a line per place, which makes them quick to pick."""
    totals = np.zeros((rows.shape[1] + 1, rows.shape[0]), dtype=np.int32)
    np.cumsum(rows.T, axis=0, out=totals[1:])
    return totals


def fallen(totals: NDArray[np.int32], counts: NDArray[Any]) -> NDArray[np.int32]:
    """Return how many of the drawn samples fall on each option, a row per resample."""
    edges = np.concatenate([[0], np.cumsum(counts)])
    return np.ascontiguousarray(np.diff(totals[edges], axis=0).T)
