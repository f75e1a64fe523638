"""Tables: columns of plain Python values, whatever they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd


def object_frame(
    columns: Mapping[str, Sequence[object]], *, index: list[int] | pd.Index[int] | None = None
) -> pd.DataFrame:
    """Return a frame that keeps its values as they are.

    Left to itself pandas turns text into a type of its own, which no lone surrogate survives.
    """
    rows = len(next(iter(columns.values()), index if index is not None else ()))
    if any(len(values) != rows for values in columns.values()):
        raise ValueError("the columns of a table are of one length")
    table = np.empty((len(columns), rows), dtype=object)
    for place, values in enumerate(columns.values()):
        table[place] = np.fromiter(values, dtype=object, count=rows)
    # of one array: pandas takes as long over each column of a dict as over a whole one
    return pd.DataFrame(table.T, index=index, columns=pd.Index(list(columns), dtype=object), dtype=object)


def column_lists(frame: pd.DataFrame, names: Sequence[str]) -> list[list[object]]:
    """Return the values of some columns.

    >>> column_lists(object_frame({"a": [1, 2], "b": ["x", "y"], "c": [0.5, 1]}), ["c", "a"])
    [[0.5, 1], [1, 2]]
    """
    if all(isinstance(dtype, np.dtype) and dtype.hasobject for dtype in frame.dtypes.tolist()):  # as one array has them
        places = {name: place for place, name in enumerate(frame.columns)}
        values = frame.to_numpy().T
        return [values[places[name]].tolist() for name in names]
    return [frame[name].tolist() for name in names]


def frame_of_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return a frame of rows under these column names."""
    every = list(rows)
    return object_frame({name: [row[position] for row in every] for position, name in enumerate(names)})
