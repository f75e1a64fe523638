"""Pairwise diversity: how differently two classifiers err on the same samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    samples = len(first)
    if not samples:
        return ErrorDiversity(math.nan, math.nan, math.nan)
    both, neither = int((first & second).sum()), int((~first & ~second).sum())
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    agreeing, apart = both * neither, only_first * only_second
    q = (agreeing - apart) / (agreeing + apart) if agreeing + apart else math.nan
    return ErrorDiversity(q, (only_first + only_second) / samples, neither / samples)


def stream_pairs(streams: Sequence[str], hits: NDArray[np.bool_]) -> tuple[StreamPair, ...]:
    """Return every two streams; `hits` is samples × streams."""
    return tuple(
        StreamPair(streams[first], streams[second], error_diversity(hits[:, first], hits[:, second]))
        for first in range(len(streams))
        for second in range(first + 1, len(streams))
    )
