"""A column that takes little memory, as pandas wants it to be a column of a frame."""

from __future__ import annotations

from builtins import type as type_of
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray, ExtensionDtype

from scoresheet.metrics.columns import Chained, Column, Listed


class CellsDtype(ExtensionDtype):
    """The type of a frame's column that is a `Column`."""

    name = "cells"
    na_value = np.nan

    type: ClassVar[type_of[object]] = object

    @classmethod
    def construct_array_type(cls) -> type_of[Cells]:
        """Return the array of this type."""
        return Cells


def column_of(values: Sequence[object], rows: pd.Index[int]) -> Cells | pd.Series[Any]:
    """Return values as what a frame can be made of, which keeps them as they are; of an array it is made sooner."""
    if isinstance(values, Column | range):
        return Cells(Listed(values) if isinstance(values, range) else values)
    return pd.Series(list(values), index=rows, dtype=object)


class Cells(ExtensionArray):
    """A `Column` inside a frame; it never changes, and what is chosen from it shares what it holds."""

    def __init__(self, column: Column[Any]) -> None:
        self.column = column

    @property
    def dtype(self) -> CellsDtype:
        """The type that pandas asks for."""
        return CellsDtype()

    @property
    def nbytes(self) -> int:
        """About the bytes that it holds in memory."""
        return 16 * len(self)

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> Cells:  # noqa: ARG003 - pandas'
        return cls(Listed(list(scalars)))

    @classmethod
    def _from_factorized(cls, values: Any, original: Any) -> Cells:  # noqa: ARG003 - pandas'
        return cls(Listed(list(values)))

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Cells]) -> Cells:
        return cls(Chained([each.column for each in to_concat]))

    def __len__(self) -> int:
        return len(self.column)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.column)

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, int | np.integer):
            return self.column[int(item)]
        if isinstance(item, slice):
            return Cells(self.column[item])
        places = pd.api.indexers.check_array_indexer(self, item)
        wanted = np.flatnonzero(places) if places.dtype == bool else np.where(places < 0, places + len(self), places)
        return Cells(self.column.take(wanted.astype(np.int64)))

    def __eq__(self, other: object) -> Any:
        others = other if isinstance(other, Sequence | Cells | np.ndarray) and not isinstance(other, str) else None
        if others is None:
            return np.fromiter((cell == other for cell in self.column), bool, len(self))
        return np.fromiter((one == two for one, two in zip(self.column, others, strict=True)), bool, len(self))

    __hash__ = None  # type: ignore[assignment] # it is no key

    def isna(self) -> NDArray[np.bool_]:
        """Return which values are undefined numbers."""
        return np.fromiter((cell != cell for cell in self.column), bool, len(self))  # noqa: PLR0124

    def fillna(self, value: Any, limit: int | None = None, copy: bool = True) -> Cells:
        """Return it with a value for what is undefined."""
        if not self.isna().any():
            return self
        return Cells(Listed([value if cell != cell else cell for cell in self.column]))  # noqa: PLR0124

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Cells:
        """Return the values at these places; where that is allowed, -1 stands for what fills."""
        places = np.asarray(indices, dtype=np.int64)
        if not allow_fill:
            return Cells(self.column.take(np.where(places < 0, places + len(self), places)))
        if (places >= 0).all():
            return Cells(self.column.take(places))
        filling = np.nan if fill_value is None else fill_value
        return Cells(Listed([filling if place < 0 else self.column[place] for place in places.tolist()]))

    def copy(self) -> Cells:
        """Return it as it is: nothing in it changes."""
        return self

    def tolist(self) -> list[Any]:
        """Return the values as a list."""
        return list(self.column)
