"""A grid: a table as its file has it, before anybody knows which of its columns are ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from scoresheet.metrics.columns import elements_at, row_numbers
from scoresheet.metrics.stored_columns import Texts
from scoresheet.metrics.tables import HeldTable


class Grid:
    """Columns of text under their headers, and the row numbers that a spreadsheet shows; it never changes.

    A frame is made of it once its columns have our names: to make one takes longer than to read a small sheet.
    """

    def __init__(self, columns: Mapping[str, Sequence[str]], rows: Sequence[int]) -> None:
        self._columns = columns
        self.rows = rows
        self.headers = tuple(columns)

    def __len__(self) -> int:
        return len(self.rows)

    def cells(self, header: str) -> Sequence[str]:
        """Return the cells of a column."""
        return self._columns[header]

    def table(self) -> HeldTable:
        """Return it as a family is given it."""
        return HeldTable(self._columns, self.rows)

    @cached_property
    def row_set(self) -> Collection[int]:
        """The numbers of the rows, to look one up."""
        return self.rows if isinstance(self.rows, range) else frozenset(self.rows)

    def named(self, headers: Mapping[str, str | None]) -> Grid:
        """Return columns under other names, given name → header; None stands for a column of empty texts."""
        empty = Texts.empty(len(self)) if None in headers.values() else ()
        columns = {name: empty if header is None else self._columns[header] for name, header in headers.items()}
        return Grid(columns, self.rows)

    def taken(self, places: Sequence[int]) -> Grid:
        """Return some of the rows, by their places."""
        wanted = np.array(places, dtype=np.int64)
        columns = {header: elements_at(cells, wanted) for header, cells in self._columns.items()}
        return Grid(columns, row_numbers(list(elements_at(self.rows, wanted))))

    def first(self, count: int) -> Grid:
        """Return the first rows."""
        return Grid({header: cells[:count] for header, cells in self._columns.items()}, self.rows[:count])

    def without_rows(self, numbers: Collection[int]) -> Grid:
        """Return the rows but those of these numbers."""
        if not numbers:
            return self
        return self.taken([place for place, number in enumerate(self.rows) if number not in numbers])

    def without_columns(self, headers: Collection[str]) -> Grid:
        """Return the columns but those under these headers."""
        return Grid({header: cells for header, cells in self._columns.items() if header not in headers}, self.rows)

    def filled(self, columns: Mapping[str, Sequence[str]]) -> Grid:
        """Return the same with other cells in some columns."""
        return Grid({**self._columns, **columns}, self.rows)

    def without_cells(self) -> Grid:
        """Return the headers and the numbers of the rows, all cells empty."""
        return Grid(dict.fromkeys(self.headers, Texts.empty(len(self))), self.rows)
