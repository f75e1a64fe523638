"""The measures of all texts of a sheet, gathered block by block; of a long sheet they are read as they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.entropy.local_entropy import TRENDS
from scoresheet.metrics.families.entropy.measures import ENTROPY_TREND, REPETITIVE, TEXT_MEASURES, WORDS
from scoresheet.metrics.families.entropy.text_measures import TextMeasures
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.stored_columns import NumberTable, StoredNumbers
from scoresheet.metrics.units import Value

Values = NDArray[np.float64] | NDArray[np.int64] | NDArray[np.bool_]

_LOCAL: Final = "local_entropy"
_COUNTS: Final = frozenset(measure.field for measure in TEXT_MEASURES if measure.quantity == "count")


class SheetMeasures:
    """The measures of a sheet's texts; a text without words has none, not even of what can be counted."""

    def __init__(self) -> None:
        self._table = NumberTable()
        self.chunks = 0  # the most that a text has

    def add(self, block: TextMeasures) -> None:
        """Take in the measures of some texts."""
        columns: dict[str, Values] = {}
        for name in (field.name for field in fields(block) if field.name != _LOCAL):
            values = block.array(name)
            columns[name] = np.where(block.words > 0, values, np.nan) if name in _COUNTS else values
        chunks = int((~np.isnan(block.local_entropy)).sum(axis=1).max(initial=0))
        columns |= {_chunk_name(place): block.local_entropy[:, place] for place in range(chunks)}
        self._table.add(columns)
        self.chunks = max(self.chunks, chunks)

    def array(self, field: str) -> Values:
        """Return a measure of each text by its field."""
        found: Values = self._table.array(field)
        return found

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Return which texts have a score: those with words."""
        return np.asarray(self.array(WORDS.field) > 0)

    def values(self, measure: Measure) -> Sequence[Value]:
        """Return a measure of each text as reports have it: labels in words, whole numbers as such."""
        if measure is ENTROPY_TREND:
            return Coded(TRENDS, self.array(measure.field).astype(np.int32))
        if measure is REPETITIVE:
            codes = np.where(self.scored, 1 + self.array(measure.field).astype(np.int32), 0)
            return Coded(["", "no", "yes"], codes.astype(np.int32))
        return self._table.column(measure.field, whole=measure.quantity == "count")

    def chunk(self, place: int) -> StoredNumbers:
        """Return the word entropy of a chunk of each text, undefined for those that have fewer."""
        return self._table.column(_chunk_name(place))


def _chunk_name(place: int) -> str:
    return f"{_LOCAL} {place}"
