"""Cells that only charts read: what is not in a table in the order that a chart needs."""

from __future__ import annotations

from collections.abc import Sequence

from scoresheet.cli.write.plot import Cells
from scoresheet.cli.write.sheet import Sheet


class HiddenCells:
    """Hidden columns of a worksheet, from `first` on; not every program draws what stands in the chart alone."""

    def __init__(self, sheet: Sheet, first: int) -> None:
        self._sheet = sheet
        self._next = first

    def add(self, values: Sequence[float | str | None]) -> Cells:
        """Write a column and return where it stands, as charts want to know it."""
        place = self._next
        self._next += 1
        for row, value in enumerate(values):
            if isinstance(value, str):
                self._sheet.write_text(row, place, value)
            elif value is not None:
                self._sheet.write_number(row, place, value)
        self._sheet.hide_column(place)
        return Cells(self._sheet.name, 0, place, values)
