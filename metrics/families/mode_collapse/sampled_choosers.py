"""Samples of several choosers, and their Ginis.

Where options are many, samples fall anywhere on a line, which each chooser cuts into pieces as long as its shares: the
samples of one draw serve all choosers, and a count is a difference of two cumulative counts. Else the counts of each
chooser are drawn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.concentration import gini_of_rank_sums, rank_sums

Numbers = NDArray[np.float64]

_PLACES_PER_OPTION: Final = 64  # of the line: shares are multiples of this part of an even share
_DEALT_OPTIONS: Final = range(10, 3_000)  # of fewer, counts are quick to draw; of more, the line would not fit
_MOST_DEALT: Final = 100  # samples per option: counts of more are quicker to draw
_COUNTS_AT_ONCE: Final = 200_000  # what a processor has at hand


def with_drawable_shares(choosers: Numbers, samples: int) -> Numbers:
    """Return choosers, a row of descending shares each, of which samples of this size can be drawn: rounded if need be.

    >>> import numpy as np
    >>> even, uneven = with_drawable_shares(np.array([[0.1] * 10, [0.28, *[0.08] * 9]]), 200)
    >>> bool((even == 0.1).all()), uneven[0] * 640
    (True, np.float64(179.0))
    """
    options = choosers.shape[1]
    if not _are_dealt(samples, options):
        return choosers
    places = options * _PLACES_PER_OPTION
    widths = np.diff(np.rint(np.cumsum(choosers, axis=1) * places), axis=1, prepend=0)
    drawable: Numbers = np.sort(widths, axis=1)[:, ::-1] / places
    return drawable


def drawn_ginis(
    choosers: Numbers, samples: int, draws: int, cell: tuple[int, ...], rng: np.random.Generator
) -> Numbers:
    """Return the Ginis of so many samples of each chooser, a column each; their shares must be drawable.

    Samples that are dealt are those of the cell, a seed of several numbers, for all choosers that it may come from.
    """
    number, options = choosers.shape
    step = max(1, _COUNTS_AT_ONCE // (options * max(number, _PLACES_PER_OPTION)))
    ginis = []
    for start in range(0, draws, step):
        some = min(step, draws - start)
        counts = (
            _dealt_counts(choosers, _dealt(samples, options, some, (start, *cell)))
            if _are_dealt(samples, options)
            else rng.multinomial(samples, choosers, size=(some, number))
        )
        ginis.append(gini_of_rank_sums(rank_sums(counts), options, samples))
    return np.concatenate(ginis)


def _are_dealt(samples: int, options: int) -> bool:
    """Return whether samples are dealt to the places of a line."""
    return options in _DEALT_OPTIONS and samples <= _MOST_DEALT * options


@lru_cache(maxsize=8)  # for the other path of the same cell
def _dealt(samples: int, options: int, draws: int, seeds: tuple[int, ...]) -> NDArray[np.int32]:
    """Return for each draw the cumulative counts of samples at the places of the line."""
    places = options * _PLACES_PER_OPTION
    fallen = np.random.default_rng(seeds).integers(0, places, size=(draws, samples))
    fallen += np.arange(0, draws * places, places)[:, None]
    at_place = np.bincount(fallen.ravel(), minlength=draws * places).reshape(draws, places)
    return np.cumsum(at_place, axis=1, dtype=np.int32)


def _dealt_counts(choosers: Numbers, up_to_place: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return how many samples fell on each option, for each draw and chooser."""
    # the last place of each option; the shares descend, so that the first has some
    last = np.rint(np.cumsum(choosers, axis=1) * up_to_place.shape[1]).astype(np.intp) - 1
    return np.diff(up_to_place[:, last], axis=2, prepend=np.int32(0))
