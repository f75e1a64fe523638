"""Pairwise diversity: how differently two classifiers err on the same samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import checked_hits


class ErrorDiversity(NamedTuple):
    """How differently two classifiers err.

    Attributes
    ----------
    q : float
        Yule's Q of their hits: 1 if they are right on the same samples, 0 if independent, -1 if on others. NaN where
        the products of the four counts are all 0.
    disagreement : float
        The share of samples on which only one is right.
    double_fault : float
        The share of samples on which both are wrong.
    """

    q: float
    disagreement: float
    double_fault: float


class StreamPair(NamedTuple):
    """Two streams, and how differently they err."""

    one: str
    other: str
    errors: ErrorDiversity


def error_diversity(
    one: Sequence[bool] | NDArray[np.bool_], other: Sequence[bool] | NDArray[np.bool_]
) -> ErrorDiversity:
    """Return how differently two classifiers err: Yule's Q, the share with one right, the share with both wrong.

    Parameters
    ----------
    one, other : array_like of bool, shape (n_samples,)
        On which samples each is right; the same position is the same sample.

    Returns
    -------
    ErrorDiversity
        The three measures; NaN without samples.

    Raises
    ------
    ValueError
        If the two are no rows of one length, or hold anything but right (1) and wrong (0).

    References
    ----------
    L. I. Kuncheva, C. J. Whitaker (2003), Measures of Diversity in Classifier Ensembles and Their Relationship with the
    Ensemble Accuracy, Machine Learning 51.

    Examples
    --------
    >>> error_diversity([True, True, False, False], [True, False, True, False])
    ErrorDiversity(q=0.0, disagreement=0.5, double_fault=0.25)
    """
    first, second = checked_hits("one", one, 1), checked_hits("other", other, 1)
    if len(first) != len(second):
        raise ValueError(f"there are {len(first)} samples of the one and {len(second)} of the other")
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    return _diversity(int((first & second).sum()), only_first, only_second, len(first))


def _diversity(both: int, only_first: int, only_second: int, samples: int) -> ErrorDiversity:
    """Return the measures by the counts of samples on which both are right, and one alone."""
    if not samples:
        return ErrorDiversity(math.nan, math.nan, math.nan)
    neither = samples - both - only_first - only_second
    agreeing, apart = both * neither, only_first * only_second
    q = (agreeing - apart) / (agreeing + apart) if agreeing + apart else math.nan
    return ErrorDiversity(q, (only_first + only_second) / samples, neither / samples)


def stream_pairs(streams: Sequence[str], hits: NDArray[np.bool_]) -> tuple[StreamPair, ...]:
    """Return every two streams; `hits` is samples × streams."""
    own = hits.astype(np.float64)
    both = (own.T @ own).astype(np.int64).tolist()  # counts, and so exact
    return tuple(
        StreamPair(
            streams[first],
            streams[second],
            _diversity(
                both[first][second],
                both[first][first] - both[first][second],
                both[second][second] - both[first][second],
                len(hits),
            ),
        )
        for first, second in combinations(range(len(streams)), 2)
    )
