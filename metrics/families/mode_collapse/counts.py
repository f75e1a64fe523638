"""Counts that come from outside: checked once, whole numbers from then on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def checked_counts(given: ArrayLike) -> list[int]:
    """Return counts as whole numbers; a ValueError names what is none.

    >>> checked_counts([2.0, 1])
    [2, 1]
    """
    counts = np.asarray(given)
    if counts.ndim != 1:
        raise ValueError(f"counts must have one dimension, not shape {counts.shape}")
    if not counts.size:
        return []
    if not np.issubdtype(counts.dtype, np.number) or np.issubdtype(counts.dtype, np.complexfloating):
        raise ValueError(f"counts are whole numbers from 0 on, not {counts.dtype}")
    possible = np.isfinite(counts) & (counts >= 0)
    wrong = counts[~(possible & (np.where(possible, counts, 0) % 1 == 0))]
    if wrong.size:
        raise ValueError(f"counts are whole numbers from 0 on, not {wrong[0]}")
    return [int(count) for count in counts.tolist()]
