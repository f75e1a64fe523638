"""Entropy along a text, chunk by chunk."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Block
from scoresheet.metrics.families.entropy.constants import (
    CHUNKS_A_TEXT,
    DROP,
    FALLING,
    MOST_CHUNKS,
    RISING,
    SHORTEST_CHUNK,
)
from scoresheet.metrics.families.entropy.ngrams import tally
from scoresheet.metrics.stats.bands import TOLERANCE

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

TRENDS: Final = ("", "decreasing", "stable", "increasing")


def local_entropies(block: Block) -> Numbers:
    """Return the word entropies of each text's full chunks, a row per text, undefined beyond the last."""
    lengths = block.lengths
    sizes = np.maximum(SHORTEST_CHUNK, lengths // CHUNKS_A_TEXT)
    steps = sizes // 2
    chunks = np.where(lengths >= sizes, (lengths - sizes) // steps + 1, 0)
    texts = np.repeat(np.arange(len(lengths)), chunks)
    positions = np.arange(len(texts)) - np.repeat(np.cumsum(chunks) - chunks, chunks)
    windows = block.windows(texts, positions * steps[texts], sizes[texts])
    found = tally(windows.owners, windows.codes, len(texts)).entropy
    local = np.full((len(lengths), MOST_CHUNKS), np.nan)
    local[texts, positions] = np.where(np.isnan(found), 0.0, found)  # a chunk without words tells nothing
    return local


def variances(local: Numbers) -> Numbers:
    """Return the population variance of each row's chunks; of none, none."""
    known = ~np.isnan(local)
    counts = known.sum(axis=1)
    values = np.where(known, local, 0.0)
    means = values.sum(axis=1) / np.maximum(counts, 1)
    squares = np.where(known, (values - means[:, None]) ** 2, 0.0).sum(axis=1) / np.maximum(counts, 1)
    return np.where(counts > 0, squares, np.nan)


def drops(local: Numbers) -> Numbers:
    """Return how many chunks have less than DROP of the entropy of the chunk before; undefined without chunks."""
    fallen = (local[:, 1:] < DROP * local[:, :-1] - TOLERANCE).sum(axis=1)
    return np.where(np.isnan(local[:, 0]), np.nan, fallen)


def trends(local: Numbers) -> Integers:
    """Return the index into TRENDS: how the mean of the last third of the chunks compares with that of the first."""
    counts = (~np.isnan(local)).sum(axis=1)
    thirds = np.maximum(counts // 3, 1)
    positions = np.arange(local.shape[1])
    values = np.where(np.isnan(local), 0.0, local)
    first = np.where(positions < thirds[:, None], values, 0.0).sum(axis=1) / thirds
    late = (positions >= (counts - thirds)[:, None]) & (positions < counts[:, None])
    last = np.where(late, values, 0.0).sum(axis=1) / thirds
    trend = np.where(last < FALLING * first - TOLERANCE, 1, np.where(last > RISING * first + TOLERANCE, 3, 2))
    return np.where(counts < 2, 0, trend)
