"""Tables: columns of plain Python values, whatever they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd


def object_frame(columns: Mapping[str, Sequence[Any]], *, index: Any = None) -> pd.DataFrame:
    """Return a frame that keeps its values as they are.

    Left to itself pandas turns text into a type of its own, which no lone surrogate survives.
    """
    frame = pd.DataFrame(dict(enumerate(columns.values())), index=index, dtype=object)
    frame.columns = pd.Index(list(columns), dtype=object)
    return frame


def frame_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Return a frame of rows under these column names."""
    listed = list(rows)
    return object_frame({name: [row[place] for row in listed] for place, name in enumerate(names)})
