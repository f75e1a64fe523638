"""Resamples of counted choices: the bootstrap of one cell, and the shuffling of two models' samples.

Both ask how a random choice of samples falls on options. The samples of a cell lie side by side, option after option,
so an option's count in a resample is a difference of two running totals; the totals are drawn once for each sample size
and serve every cell of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from scoresheet.metrics.bootstrap import LEVELS, RESAMPLES
from scoresheet.metrics.counts import gini_of_rank_sums, rank_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHUFFLES: Final = 10_000
_MOST_KEPT: Final = 2_000  # samples up to which running totals are kept; beyond, counts are drawn cell by cell
_MOST_DEALT: Final = 10**9  # the library deals no more
_SAMPLES_PER_OPTION: Final = 20  # above this many, drawing the counts of a cell costs less than the running totals


def bootstrap_ginis(counts: Sequence[int], seed: int = 0) -> NDArray[np.float64]:
    """Return the Ginis of RESAMPLES bootstrap resamples of a cell; they depend on the counts, not on their order."""
    return _bootstrap_ginis(tuple(sorted(filter(None, counts), reverse=True)), len(counts), seed)


@lru_cache(maxsize=2048)  # a cell is asked for by itself, with its sheet, and with its model
def _bootstrap_ginis(used: tuple[int, ...], options: int, seed: int) -> NDArray[np.float64]:
    import numpy as np

    total = sum(used)
    if total <= min(_MOST_KEPT, _SAMPLES_PER_OPTION * len(used)):
        drawn: NDArray[Any] = _fallen(_drawn_totals(total, seed), np.array(used))
    else:
        drawn = np.random.default_rng([seed, *used]).multinomial(total, np.array(used) / total, size=RESAMPLES)
    # options that were never chosen are never drawn: they take the lowest ranks and add nothing themselves
    sums = rank_sums(drawn) + (options - len(used)) * total
    return np.maximum(gini_of_rank_sums(sums, options, total), 0.0)


def interval(value: float, resampled: NDArray[np.float64], most: float) -> tuple[float, float]:
    """Return the 95 % percentile interval of a Gini, moved by what resampling adds to it.

    A resample is a sample of a sample, and each sampling makes even choices look less even. Left alone, the interval
    of an even chooser would lie above its own Gini.
    """
    import numpy as np

    low, high = np.percentile(resampled, LEVELS) - (float(resampled.mean()) - value)
    # the value itself may be the end of what is possible, and must lie inside to the last digit
    return min(value, max(0.0, float(low))), max(value, min(most, float(high)))


def shuffled_counts(
    ours: Sequence[int], theirs: Sequence[int], *, seed: int = 0, stream: int = 0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return SHUFFLES ways in which the pooled samples of two cells can be dealt to two cells of the same sizes.

    Cells that are to be dealt independently of each other have streams of their own.
    """
    import numpy as np

    pooled = np.asarray(ours) + np.asarray(theirs)
    first, total = sum(ours), int(pooled.sum())
    rng = np.random.default_rng([seed, 1, stream])
    if total <= min(_MOST_KEPT, _SAMPLES_PER_OPTION * int(np.count_nonzero(pooled))):
        dealt: NDArray[Any] = _fallen(_dealt_totals(first, total, seed), pooled)[rng.permutation(SHUFFLES)]
    elif total < _MOST_DEALT:
        dealt = rng.multivariate_hypergeometric(pooled, first, size=SHUFFLES, method="marginals")
    else:  # so many that it makes no difference whether they are put back
        both = [rng.multinomial(size, pooled / total, size=SHUFFLES) for size in (first, total - first)]
        return both[0], both[1]
    return dealt, pooled - dealt


@lru_cache(maxsize=4)
def _drawn_totals(total: int, seed: int) -> NDArray[np.int32]:
    """Return for each resample the running totals of how often each of the samples is drawn."""
    import numpy as np

    rng = np.random.default_rng([seed, 0, total])
    drawn = rng.integers(0, total, size=(RESAMPLES, total), dtype=np.int32)
    drawn += np.arange(RESAMPLES, dtype=np.int32)[:, None] * total
    return _running_totals(np.bincount(drawn.ravel(), minlength=RESAMPLES * total).reshape(RESAMPLES, total))


@lru_cache(maxsize=4)
def _dealt_totals(first: int, total: int, seed: int) -> NDArray[np.int32]:
    """Return for each shuffle the running totals of how many samples went to the first of the two cells."""
    import numpy as np

    rng = np.random.default_rng([seed, 2, first, total])
    cards = np.zeros((SHUFFLES, total), dtype=np.int8)
    cards[:, :first] = 1
    return _running_totals(rng.permuted(cards, axis=1))


def _running_totals(rows: NDArray[Any]) -> NDArray[np.int32]:
    import numpy as np

    totals = np.zeros((rows.shape[0], rows.shape[1] + 1), dtype=np.int32)
    np.cumsum(rows, axis=1, out=totals[:, 1:])
    return totals


def _fallen(totals: NDArray[np.int32], counts: NDArray[Any]) -> NDArray[np.int32]:
    """Return how many of the drawn samples fall on each option."""
    import numpy as np

    edges = np.concatenate([[0], np.cumsum(counts)])
    return np.diff(totals[:, edges], axis=1)
