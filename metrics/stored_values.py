"""Values that are put away as bytes, in a temporary file once they are many, and made again when they are asked for.

What a run keeps of each model to the end would else grow with the number of models.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, Generic, TypeVar, cast

from scoresheet.metrics.columns import Column, Integers, Listed
from scoresheet.metrics.stored_columns import ByteStore

HELD_BYTES: Final = 2**18  # of a store that stay in memory: a run has several
_TOGETHER: Final = 64  # elements of a long sequence that are made again at once
_PARTS: Final = "parts"  # in what is kept: the store that its parts are in

T = TypeVar("T")
U = TypeVar("U")
N = TypeVar("N", bound=str)


class ValueStore:
    """Keeps values; what was asked for last is at hand as long as nothing else is asked for."""

    def __init__(self, parts: ValueStore | None = None) -> None:
        self._bytes = ByteStore(HELD_BYTES, must_stay=True)
        self._last: tuple[int, object] = (-1, None)
        self.parts = parts  # another store, in which parts of these values are: in one, each would hold the other

    def put(self, value: T) -> Stored[T]:
        """Keep a value, and return what gives it back."""
        if self.parts is None:
            data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        else:
            stream = io.BytesIO()
            _Pickler(stream, self).dump(value)
            data = stream.getvalue()
        return Stored(self, self._bytes.add(data), len(data))

    def mapping(self, values: Mapping[N, T]) -> Mapping[N, T]:
        """Return the same mapping, kept here."""
        return StoredMapping(self.put(dict(values))) if values else {}

    def sequence(self, values: Iterable[T]) -> StoredSequence[T]:
        """Return the same elements, kept here; they are taken some at a time."""
        rest = iter(values)
        parts = iter(lambda: list(islice(rest, _TOGETHER)), [])
        kept: list[Stored[list[T]]] = []
        length = 0
        for part in parts:
            kept.append(self.put(part))
            length += len(part)
        return StoredSequence(kept, length)

    def value(self, start: int, size: int) -> object:
        """Return what stands at a place."""
        if self._last[0] != start:
            self._last = (-1, None)  # before the next one takes room too
            self._last = (start, _Unpickler(io.BytesIO(self._bytes.read(start, start + size)), self).load())
        return self._last[1]


class _Pickler(pickle.Pickler):
    """Writes values of a store, in which the store of their parts is named and not written."""

    def __init__(self, stream: io.BytesIO, store: ValueStore) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._store = store

    def persistent_id(self, value: object) -> str | None:
        return _PARTS if value is not None and value is self._store.parts else None


class _Unpickler(pickle.Unpickler):  # of bytes of our own making
    """Reads them again."""

    def __init__(self, stream: io.BytesIO, store: ValueStore) -> None:
        super().__init__(stream)
        self._store = store

    def persistent_load(self, _name: str) -> ValueStore | None:
        return self._store.parts


class Stored(Generic[T]):
    """A value in a store."""

    __slots__ = ("_size", "_start", "_store")

    def __init__(self, store: ValueStore, start: int, size: int) -> None:
        self._store, self._start, self._size = store, start, size

    def get(self) -> T:
        """Return the value."""
        return cast("T", self._store.value(self._start, self._size))


class Held(Generic[T]):
    """A value that stays as it is, asked for as one in a store is."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def get(self) -> T:
        """Return the value."""
        return self._value


class StoredMapping(Mapping[N, T]):
    """A mapping in a store."""

    __slots__ = ("_stored",)

    def __init__(self, stored: Stored[dict[N, T]]) -> None:
        self._stored = stored

    def __getitem__(self, key: N) -> T:
        return self._stored.get()[key]

    def __iter__(self) -> Iterator[N]:
        return iter(self._stored.get())

    def __len__(self) -> int:
        return len(self._stored.get())


class StoredSequence(Column[T]):
    """A sequence in a store, some elements of which are in memory at a time."""

    def __init__(self, parts: list[Stored[list[T]]], length: int) -> None:
        self._parts, self._length = parts, length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        for part in self._parts:
            yield from part.get()

    def batch(self, start: int, stop: int) -> list[T]:
        """Return some elements as a list."""
        first, last = start // _TOGETHER, -(-stop // _TOGETHER)
        some = [each for part in self._parts[first:last] for each in part.get()]
        return some[start - first * _TOGETHER : stop - first * _TOGETHER]

    def take(self, places: Integers) -> Listed[T]:
        """Return the elements at these places."""
        return Listed([self[place] for place in places.tolist()])


class MadeMapping(Mapping[str, U], Generic[T, U]):
    """A mapping whose values are made of others' each time that one is asked for."""

    def __init__(self, values: Mapping[str, T], made: Callable[[T], U]) -> None:
        self._values, self._made = values, made

    def __getitem__(self, key: str) -> U:
        return self._made(self._values[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
