"""Tables: columns of plain Python values, whatever they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd


def object_frame(
    columns: Mapping[str, Sequence[object]], *, index: list[int] | pd.Index[int] | None = None
) -> pd.DataFrame:
    """Return a frame that keeps its values as they are.

    Left to itself pandas turns text into a type of its own, which no lone surrogate survives.
    """
    frame = pd.DataFrame(dict(enumerate(columns.values())), index=index, dtype=object)
    frame.columns = pd.Index(list(columns), dtype=object)
    return frame


def frame_of_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return a frame of rows under these column names."""
    every = list(rows)
    return object_frame({name: [row[position] for row in every] for position, name in enumerate(names)})
