"""Columns that take little memory: repeated values once, numbers as arrays; each reads as the list it stands for."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, compress, islice
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T_co = TypeVar("T_co", covariant=True)
U = TypeVar("U")
Integers = NDArray[np.int64]

BATCH: Final = 2_048  # elements that are gone through at once


class Column(Sequence[T_co]):
    """A sequence that never changes; slices of it and choices from it share what it holds."""

    @abstractmethod
    def take(self, places: Integers) -> Column[T_co]:
        """Return the elements at these places, none of them negative."""

    @abstractmethod
    def batch(self, start: int, stop: int) -> list[T_co]:
        """Return some elements as a list."""

    @property
    def is_short(self) -> bool:
        """Whether a list of all elements takes little memory too."""
        return len(self) <= BATCH

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Column[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Column[T_co]:
        if isinstance(index, slice):
            return self._part(index)
        place = index if index >= 0 else index + len(self)
        if not 0 <= place < len(self):
            raise IndexError(f"there is no element {index} of {len(self)}")
        return self.batch(place, place + 1)[0]

    def _part(self, wanted: slice) -> Column[T_co]:
        return self.take(np.arange(len(self))[wanted])

    def __iter__(self) -> Iterator[T_co]:
        starts = range(0, len(self), BATCH)
        return chain.from_iterable(self.batch(start, min(start + BATCH, len(self))) for start in starts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {len(self)}: {list(self[:3])}"


def elements(values: Sequence[T_co], start: int, stop: int) -> list[T_co]:
    """Return some elements of a sequence as a list.

    >>> elements(range(9), 2, 4), elements(Coded.of("abc"), 1, 9)
    ([2, 3], ['b', 'c'])
    """
    return values.batch(start, min(stop, len(values))) if isinstance(values, Column) else list(values[start:stop])


def elements_at(values: Sequence[U], places: Integers) -> Sequence[U]:
    """Return the elements of a sequence at these places.

    >>> elements_at("abc", np.array([2, 0]))
    ['c', 'a']
    """
    return values.take(places) if isinstance(values, Column) else [values[place] for place in places.tolist()]


def _same(one: object, other: object) -> bool:
    return one is other or one == other


class Listed(Column[T_co]):
    """A list as a column."""

    def __init__(self, values: Sequence[T_co]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def batch(self, start: int, stop: int) -> list[T_co]:
        """Return some elements as a list."""
        return list(self._values[start:stop])

    def take(self, places: Integers) -> Listed[T_co]:
        """Return the elements at these places."""
        return Listed([self._values[place] for place in places.tolist()])


class NumberColumn(Column[float]):
    """Numbers as an array; if they are whole, those that are defined read as integers."""

    def __init__(
        self, values: NDArray[np.float64] | NDArray[np.signedinteger] | NDArray[np.bool_], *, whole: bool = False
    ) -> None:
        self.values = values
        self.whole = whole

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def batch(self, start: int, stop: int) -> list[float]:
        """Return some elements as a list."""
        some: list[float] = self.values[start:stop].tolist()
        return [int(value) if value == value else value for value in some] if self.whole else some  # noqa: PLR0124

    def take(self, places: Integers) -> NumberColumn:
        """Return the elements at these places."""
        return NumberColumn(self.values[places], whole=self.whole)

    def _part(self, wanted: slice) -> NumberColumn:
        return NumberColumn(self.values[wanted], whole=self.whole)


class Coded(Column[T_co]):
    """Values of which many are the same, each held once."""

    def __init__(self, values: Sequence[T_co], codes: NDArray[np.int32]) -> None:
        self.values = values  # different ones
        self.codes = codes  # which of them each element is

    @classmethod
    def of(cls, cells: Iterable[T_co]) -> Coded[T_co]:
        """Return cells as a column.

        >>> bands = Coded.of(["low", "high", "low"])
        >>> list(bands), bands.values
        (['low', 'high', 'low'], ['low', 'high'])
        """
        known: dict[T_co, int] = {}
        codes = [np.zeros(0, np.int32)]
        rest = iter(cells)
        while some := list(islice(rest, BATCH)):
            for cell in dict.fromkeys(some):
                known.setdefault(cell, len(known))
            codes.append(np.fromiter(map(known.__getitem__, some), np.int32, len(some)))
        return cls(list(known), np.concatenate(codes))

    @classmethod
    def repeated(cls, value: T_co, count: int) -> Coded[T_co]:  # type: ignore[misc] # it is read, and never written to
        """Return a column of one value, so many times.

        >>> list(Coded.repeated("low", 2))
        ['low', 'low']
        """
        return cls([value], np.zeros(count, np.int32))

    @classmethod
    def of_codes(cls, values: Sequence[T_co], codes: Integers | NDArray[np.int32]) -> Coded[T_co]:
        """Return a column by the number of each element among values; they are held as `of` would hold them.

        >>> Coded.of_codes(["none", "low", "high"], np.array([2, 1, 2])).values
        ['high', 'low']
        """
        first_of = np.full(len(values), len(codes))
        first_of[codes[::-1]] = np.arange(len(codes))[::-1]  # of elements that are the same the last one stays
        there = np.flatnonzero(first_of < len(codes))
        present = there[np.argsort(first_of[there])]
        place = np.zeros(len(values), np.int32)  # of those that are there
        place[present] = np.arange(len(present), dtype=np.int32)
        return cls([values[code] for code in present.tolist()], place[codes])

    @classmethod
    def joined(cls, parts: Sequence[Coded[T_co]]) -> Coded[T_co]:
        """Return several columns as one."""
        if len(parts) == 1:
            return parts[0]
        known = dict.fromkeys(chain.from_iterable(part.values for part in parts))
        place = dict(zip(known, range(len(known)), strict=True))
        codes = [np.zeros(0, np.int32)]
        for part in parts:
            own = np.array(list(map(place.__getitem__, part.values)), dtype=np.int32)
            codes.append(own[part.codes] if len(own) else part.codes)
        return cls(list(place), np.concatenate(codes))

    def mapped(self, function: Callable[[T_co], U]) -> Coded[U]:
        """Return the column of what a function makes of each element; it is asked once for each value.

        >>> lengths = Coded.of(["low", "high", "mid"]).mapped(len)
        >>> list(lengths), lengths.values
        ([3, 4, 3], [3, 4])
        """
        made = list(map(function, self.values))
        different = list(dict.fromkeys(made))
        if len(different) == len(made):
            return Coded(different, self.codes)
        if len(different) == 1:  # as of a sheet in one language
            return Coded(different, np.zeros(len(self), np.int32))
        place = dict(zip(different, range(len(different)), strict=True))
        return Coded(different, np.array(list(map(place.__getitem__, made)), dtype=np.int32)[self.codes])

    def present(self) -> Coded[T_co]:
        """Return the same column without values that no element has, such as those of the rest that it is a part of.

        >>> Coded.of(["low", "high", "mid", "high"])[1:].present().values
        ['high', 'mid']
        """
        if len(self.values) <= len(self) and np.bincount(self.codes, minlength=len(self.values)).all():
            return self
        return Coded.of_codes(self.values, self.codes)

    def sharing(self, known: dict[T_co, T_co]) -> Coded[T_co]:
        """Return the same column, of the very objects that others have whose values were gathered in `known`."""
        return Coded([known.setdefault(value, value) for value in self.values], self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    def batch(self, start: int, stop: int) -> list[T_co]:
        """Return some elements as a list."""
        return list(map(self.values.__getitem__, self.codes[start:stop].tolist()))

    def take(self, places: Integers) -> Coded[T_co]:
        """Return the elements at these places."""
        return Coded(self.values, self.codes[places])

    def _part(self, wanted: slice) -> Coded[T_co]:
        return Coded(self.values, self.codes[wanted])

    def count(self, value: object) -> int:
        """Return how many elements are a value."""
        return sum(count for own, count in zip(self.values, self._counts(), strict=True) if own == value)

    def places(self, value: object) -> Integers:
        """Return where a value stands.

        >>> Coded.of(["low", "high", "low"]).places("low").tolist()
        [0, 2]
        """
        wanted = np.fromiter((own == value for own in self.values), bool, len(self.values))
        return np.flatnonzero(wanted[self.codes]) if len(self) else np.zeros(0, np.int64)

    def counted(self) -> dict[T_co, int]:
        """Return how many elements each value has.

        >>> Coded.of(["low", "high", "low"]).counted()
        {'low': 2, 'high': 1}
        """
        return dict(zip(self.values, self._counts(), strict=True))

    def _counts(self) -> list[int]:
        found: list[int] = np.bincount(self.codes, minlength=len(self.values)).tolist()
        return found

    def distinct(self, wanted: NDArray[np.bool_]) -> list[T_co]:
        """Return the different ones of the elements that are wanted."""
        return list(compress(self.values, np.bincount(self.codes[wanted], minlength=len(self.values)).tolist()))


def coded_numbers(values: NDArray[np.float64]) -> Coded[float]:
    """Return numbers as a column of different ones, from the least bits to the most: 0 and -0 differ.

    >>> coded_numbers(np.array([0.5, 0.25, 0.5])).values
    [0.25, 0.5]
    """
    bits, codes = np.unique(np.ascontiguousarray(values).view(np.int64), return_inverse=True)
    return Coded(bits.view(np.float64).tolist(), codes.astype(np.int32))


class Chained(Column[T_co]):
    """Columns one after the other."""

    def __init__(self, parts: Sequence[Sequence[T_co]]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._starts = list(accumulate(map(len, self._parts), initial=0))

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def is_short(self) -> bool:
        """Whether a list of all elements takes little memory too."""
        return len(self) <= BATCH and all(part.is_short for part in self._parts if isinstance(part, Column))

    def __iter__(self) -> Iterator[T_co]:
        return chain.from_iterable(self._parts)

    def batch(self, start: int, stop: int) -> list[T_co]:
        """Return some elements as a list."""
        found: list[T_co] = []
        while start < stop:
            number = bisect_right(self._starts, start) - 1
            first = self._starts[number]
            end = min(stop, self._starts[number + 1])
            found += elements(self._parts[number], start - first, end - first)
            start = end
        return found

    def take(self, places: Integers) -> Column[T_co]:
        """Return the elements at these places."""
        return Listed([self[place] for place in places.tolist()])

    def _part(self, wanted: slice) -> Column[T_co]:
        start, stop, step = wanted.indices(len(self))
        if step != 1:
            return super()._part(wanted)
        own = zip(self._parts, self._starts, strict=False)
        return Chained([part[max(start - first, 0) : max(stop - first, 0)] for part, first in own])


def row_numbers(numbers: Sequence[int] | Integers) -> Sequence[int]:
    """Return numbers of rows as what holds them in little: a range where they follow each other.

    >>> row_numbers([2, 3, 4]), list(row_numbers([2, 4]))
    (range(2, 5), [2, 4])
    """
    values = np.asarray(numbers, dtype=np.int64)
    if len(values) and np.array_equal(values, np.arange(values[0], values[0] + len(values))):
        return range(int(values[0]), int(values[0]) + len(values))
    return _Rows(values)


class _Rows(Column[int]):
    """Numbers of rows that do not follow each other."""

    def __init__(self, values: Integers) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def batch(self, start: int, stop: int) -> list[int]:
        found: list[int] = self._values[start:stop].tolist()
        return found

    def take(self, places: Integers) -> _Rows:
        return _Rows(self._values[places])

    def _part(self, wanted: slice) -> _Rows:
        return _Rows(self._values[wanted])
