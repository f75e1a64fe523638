"""Units: what a family scores one by one, with the keys that say which they are and the measures of each."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Chained, Coded, NumberColumn
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import HeldTable, object_frame

if TYPE_CHECKING:
    import pandas as pd

Value = float | int | str


@dataclass(frozen=True)
class Units:
    """The scored units of one sheet: a list per key column and per measure, all of one length."""

    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    measures: Mapping[str, Sequence[Value]] = field(default_factory=dict)  # undefined is NaN, or '' where it is a word
    rows: Sequence[int] | None = None  # the rows a spreadsheet shows, where a unit is a row

    def __len__(self) -> int:
        return len(next(iter((*self.keys.values(), *self.measures.values())), ()))

    def array(self, measure: str) -> NDArray[np.float64]:
        """Return a measure as an array of floats."""
        own = self.measures[measure]
        return np.asarray(own.values if isinstance(own, NumberColumn) else own, dtype=np.float64)

    def without(self, measures: Collection[str]) -> Units:
        """Return the units without some of their measures."""
        return replace(self, measures={name: own for name, own in self.measures.items() if name not in measures})

    def to_frame(self) -> pd.DataFrame:
        """Return the units as a table: Row where they are rows, the keys, the measures."""
        return object_frame(self.columns())

    def columns(self) -> dict[str, Sequence[object]]:
        """Return the columns of that table by name."""
        numbered: dict[str, Sequence[object]] = {} if self.rows is None else {"Row": self.rows}
        return {**numbered, **self.keys, **self.measures}


def concatenate_units(sheets: Mapping[str, Units]) -> HeldTable:
    """Return the units of a model's sheets as one table; what a sheet has no column for is undefined there.

    >>> first = Units({"Id": ["a"]}, {"Words": [3]}, [2])
    >>> concatenate_units({"one": first, "two": Units({"Id": ["b"]}, {"Words": [4]}, [2])}).frame.values.tolist()
    [['one', 2, 'a', 3], ['two', 2, 'b', 4]]
    """
    names = list(dict.fromkeys(name for units in sheets.values() for name in units.columns()))
    lengths = list(map(len, sheets.values()))
    whose = Coded(list(sheets), np.repeat(np.arange(len(sheets), dtype=np.int32), lengths))
    columns = [units.columns() for units in sheets.values()]
    every = {
        name: Chained(
            [own[name] if name in own else [math.nan] * rows for own, rows in zip(columns, lengths, strict=True)]
        )
        for name in names
    }
    return HeldTable({"Sheet": whose, **every})
