"""Tables: columns of plain Python values, whatever they hold, or of what reads as such and takes less memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from scoresheet.metrics.columns import BATCH, Column, elements, row_numbers
from scoresheet.metrics.keys import join_keys

if TYPE_CHECKING:
    import pandas as pd

_BLOCK: Final = 4_096  # cells whose keys are made at once


class HeldTable:
    """Columns under their names, and the numbers of their rows; it never changes.

    A frame is made of it for those who ask for one: to import pandas is a fifth of what a small run takes.
    """

    def __init__(self, columns: Mapping[str, Sequence[object]], rows: Sequence[int] | None = None) -> None:
        self._columns = columns
        self.rows = range(len(next(iter(columns.values()), ()))) if rows is None else rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self._columns)

    def values(self, name: str) -> Sequence[object]:
        """Return the values of a column."""
        return self._columns[name]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The same as a frame."""
        return object_frame(self._columns, index=row_index(self.rows))


if TYPE_CHECKING:
    Table = HeldTable | pd.DataFrame


def object_frame(
    columns: Mapping[str, Sequence[object]], *, index: Sequence[int] | pd.Index[int] | None = None
) -> pd.DataFrame:
    """Return a frame that keeps its values as they are.

    Left to itself pandas turns text into a type of its own, which no lone surrogate survives.
    """
    import pandas as pd

    from scoresheet.metrics.cells import column_of

    if not all(map(_is_listed, columns.values())):
        numbers = pd.RangeIndex(len(next(iter(columns.values())))) if index is None else pd.Index(index)
        held = {place: column_of(values, numbers) for place, values in enumerate(columns.values())}
        frame = pd.DataFrame(held, index=numbers)
        frame.columns = _named(tuple(columns))
        return frame
    rows = len(next(iter(columns.values()), index if index is not None else ()))
    if any(len(values) != rows for values in columns.values()):
        raise ValueError("the columns of a table are of one length")
    table = np.empty((len(columns), rows), dtype=object)
    for place, values in enumerate(columns.values()):
        table[place] = np.fromiter(values, dtype=object, count=rows)
    # of one array: pandas takes as long over each column of a dict as over a whole one
    rows_of_it = cast("pd.Index[int] | None", index)
    return pd.DataFrame(table.T, index=rows_of_it, columns=_named(tuple(columns)), dtype=object)


def _is_listed(values: Sequence[object]) -> bool:
    """Return whether values are a list, or may as well be one: a frame of lists is made sooner than one of columns."""
    return values.is_short if isinstance(values, Column) else not isinstance(values, range) or len(values) <= BATCH


@lru_cache(maxsize=64)
def _named(names: tuple[str, ...]) -> pd.Index[str]:
    """Return the names of columns as pandas wants them; those of many tables are the same."""
    import pandas as pd

    return pd.Index(names, dtype=object, tupleize_cols=False)


def row_index(numbers: Sequence[int]) -> pd.Index[int]:
    """Return the numbers of rows as the index of a frame; a range of those that follow each other is made sooner.

    >>> row_index([2, 3, 4]), row_index([2, 4]).tolist()
    (RangeIndex(start=2, stop=5, step=1), [2, 4])
    """
    import pandas as pd

    rows = numbers if isinstance(numbers, range) else row_numbers(list(numbers))
    return pd.RangeIndex(rows) if isinstance(rows, range) else pd.Index(list(rows), dtype="int64")


def frame_of(table: Table) -> pd.DataFrame:
    """Return a table as a frame."""
    return table.frame if isinstance(table, HeldTable) else table


def with_column(table: Table, name: str, values: Sequence[object]) -> HeldTable:
    """Return a table with one column more, behind the others."""
    columns = {str(each): column_values(table, each) for each in table.columns}
    return HeldTable({**columns, name: values}, shown_rows(table))


def every_column(table: Table) -> list[Sequence[object]]:
    """Return the values of all columns, without a list of them where the table has none either."""
    if isinstance(table, HeldTable):
        return [table.values(name) for name in table.columns]
    from scoresheet.metrics.cells import Cells

    frame = table
    if set(frame.dtypes) == {np.dtype(object)}:  # one array: pandas takes as long over each column as over all
        return cast("list[Sequence[object]]", frame.to_numpy().T.tolist())
    series = (series for _, series in frame.items())  # two may have one name
    return [each.array.column if isinstance(each.array, Cells) else each.tolist() for each in series]


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of which all columns are arrays of Python values, for those who know nothing of others."""
    from scoresheet.metrics.cells import Cells

    return frame.astype({name: object for name in frame.columns if isinstance(frame[name].array, Cells)})


def frame_of_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return a frame of rows under these column names."""
    every = list(rows)
    return object_frame({name: [row[position] for row in every] for position, name in enumerate(names)})


def column_values(table: Table, name: str) -> Sequence[object]:
    """Return the values of a column, without a list of them where the table has none either."""
    if isinstance(table, HeldTable):
        return table.values(name)
    from scoresheet.metrics.cells import Cells

    series = table[name]
    held = series.array
    return held.column if isinstance(held, Cells) else series.tolist()


def text_cells(table: Table, name: str) -> Sequence[str]:
    """Return the same of a column of texts."""
    return cast("Sequence[str]", column_values(table, name))


def key_cells(table: Table, name: str) -> Iterator[str]:
    """Return the keys in a column of texts one by one; some of them are held at a time."""
    return keys_of(text_cells(table, name))


def keys_of(cells: Sequence[str]) -> Iterator[str]:
    """Return the keys that cells are one by one; some of them are held at a time."""
    blocks = (elements(cells, start, start + _BLOCK) for start in range(0, len(cells), _BLOCK))
    return chain.from_iterable(map(join_keys, blocks))


def listed_keys(table: Table, name: str) -> list[str]:
    """Return the keys in a column of texts; the same key is the same string, however many rows have it."""
    return unique_strings(key_cells(table, name))


def unique_strings(texts: Iterable[str]) -> list[str]:
    """Return texts, the same text as the same string."""
    known: dict[str, str] = {}
    keys = list(texts)
    return list(map(known.setdefault, keys, keys))


def shown_rows(table: Table) -> Sequence[int]:
    """Return the rows of a table as a spreadsheet shows them, which a frame has as its index."""
    if isinstance(table, HeldTable):
        return table.rows
    import pandas as pd

    index = table.index
    if isinstance(index, pd.RangeIndex) and index.step == 1:
        return range(index.start, index.stop)
    return row_numbers(index.to_numpy())
