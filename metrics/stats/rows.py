"""What the rows of tables with few columns come to: numpy takes longer over a short row than over its few numbers."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_FEW: Final = 16  # columns that are gone through one after the other
_IN_TURN: Final = 8  # numbers up to which, this one excluded, numpy too adds one after the other


def row_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums along the last axis, to the last digit those of numpy.

    >>> row_sums(np.array([[0.5, 0.25], [1.0, 2.0]])).tolist()
    [0.75, 3.0]
    """
    if values.shape[-1] >= _IN_TURN:
        return np.asarray(values.sum(axis=-1))
    sums = np.zeros(values.shape[:-1])
    for column in np.moveaxis(values, -1, 0):
        sums += column
    return sums


def row_counts(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many are true along the last axis.

    >>> row_counts(np.array([[True, False], [True, True]])).tolist()
    [1, 2]
    """
    if flags.shape[-1] > _FEW:
        return np.asarray(flags.sum(axis=-1))
    counts = np.zeros(flags.shape[:-1], np.int8)
    for column in np.moveaxis(flags, -1, 0):
        counts += column.view(np.int8)
    return counts.astype(np.int64)


def row_bounds(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lowest and the highest of what is there along the last axis, infinite where there is nothing.

    >>> [bound.tolist() for bound in row_bounds(np.array([[0.5, np.nan], [1.0, 2.0]]))]
    [[0.5, 1.0], [0.5, 2.0]]
    """
    if values.shape[-1] > _FEW:
        return np.fmin.reduce(values, axis=-1, initial=np.inf), np.fmax.reduce(values, axis=-1, initial=-np.inf)
    low, high = np.full(values.shape[:-1], np.inf), np.full(values.shape[:-1], -np.inf)
    for column in np.moveaxis(values, -1, 0):
        np.fmin(low, column, out=low)
        np.fmax(high, column, out=high)
    return low, high
