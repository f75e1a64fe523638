"""Tables of rankings side by side in one array: a call for each of thousands takes longer than what it computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BATCH: Final = 4_000_000  # numbers in flight


def some_at_a_time(tables: Sequence[NDArray[np.float64]], *, width: int = 1) -> Iterator[slice[int, int, None]]:
    """Yield which tables are looked at together: as many as fit into memory if they are at least so wide.

    >>> list(some_at_a_time([np.zeros((1_000, 3_000))] * 3))
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    deepest, widest = np.max([(1, width), *(table.shape for table in tables)], axis=0).tolist()
    step = max(1, _BATCH // (deepest * widest))
    return (slice(start, min(start + step, len(tables))) for start in range(0, len(tables), step))


def side_by_side(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return tables of any size as one array, table × row × column, with zeros where one has nothing.

    >>> side_by_side([np.ones((1, 2)), np.ones((2, 1))]).tolist()
    [[[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]]
    """
    deepest, widest = np.max([table.shape for table in tables], axis=0).tolist()
    every = np.zeros((len(tables), deepest, widest))
    for place, table in enumerate(tables):
        every[place, : table.shape[0], : table.shape[1]] = table
    return every
