"""Pairwise diversity: how differently two classifiers err on the same samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class ErrorDiversity(NamedTuple):
    """How differently two classifiers err."""

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
    """Return Yule's Q, the share of samples on which only one is right, and on which both are wrong.

    >>> error_diversity([True, True, False, False], [True, False, True, False])
    ErrorDiversity(q=0.0, disagreement=0.5, double_fault=0.25)
    """
    first, second = np.asarray(one, dtype=bool), np.asarray(other, dtype=bool)
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
