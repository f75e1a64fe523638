"""Columns of bytes, in memory while they are few and else in a temporary file: texts, and numbers of very long sheets.

A long table has some hundred bytes a row, and each Python string takes fifty more. Here the bytes of texts stand one
after the other and are read a batch at a time.
"""

from __future__ import annotations

import os
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import IO, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import BATCH, Column, Integers, NumberColumn

HELD_BYTES: Final = 16 * 2**20  # of a table's texts that stay in memory
_BATCH_BYTES: Final = 4 * 2**20  # of cells that are read at once
_LISTED: Final = 2**16  # cells of a column up to which they are kept as they were read
_LISTED_BYTES: Final = 2**21  # or so many bytes of them
_LAST_BLANK: Final = ord(" ")  # of the characters of ASCII; those before it are blanks, or rare
_SOME_OF: Final = 64  # parts of a short column of which one is asked for, so that all are cut
_PADDED_BYTES: Final = 64  # of a text, so that texts are sorted as an array of bytes
_FIRST_SEEN, _LAST_SEEN = ord("!"), ord("~")  # of ASCII: what is neither blank nor a control character
_APART: Final = 2**16  # bytes between cells that are read along rather than read twice
_APART_EACH: Final = 2**13  # likewise, for each of many cells
_WORD: Final = 8  # bytes of a number
_LOWEST: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)  # so many bytes of a number
_LAST_BYTE: Final = np.uint64(8 * (_WORD - 1))
_IN_ROW: Final = 8  # cells that stand one after the other, on an average, so that they are read at once


class ByteStore:
    """Bytes that are written once and read in pieces: in memory while they are few, else in a file without a name.

    What a full disk does not take is an OSError, which costs the model that it is of; or it stays in memory where it
    `must_stay`, since a run would lose all its models with it.
    """

    def __init__(self, held: int = HELD_BYTES, *, must_stay: bool = False) -> None:
        self._most = held
        self._must_stay = must_stay
        self._is_full = False  # what the file is to be on
        self._file: IO[bytes] | None = None
        self._in_file = 0
        self._held: bytes | bytearray = b""  # what follows the file; what came in one piece stays as it came
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def is_held(self) -> bool:
        """Whether all of it is in memory."""
        return not self._in_file

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, data: bytes) -> int:
        """Keep some bytes and return where they begin; OSError if there is no room for them."""
        start = self._size
        self._size += len(data)
        if self._is_full or (self._file is None and self._size <= self._most):
            self._hold(data)
            return start
        try:
            self._put(data)
        except OSError:
            if not self._must_stay:
                raise
        else:
            return start
        self._is_full = True
        self._hold(data)  # after the error, whose frames look at what is held
        return start

    def _hold(self, data: bytes) -> None:
        self._held = bytearray(self._held) if self._held and isinstance(self._held, bytes) else self._held
        self._held += data

    def _put(self, data: bytes) -> None:
        """Write some bytes to the file, after those that were held."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0, prefix="scoresheet-")  # noqa: SIM115 - as long as it is read
        if self._held:
            self._write(self._file, self._held)
            self._in_file, self._held = len(self._held), b""
        self._write(self._file, data)
        self._in_file += len(data)

    @staticmethod
    def _write(stream: IO[bytes], data: bytes | bytearray) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[stream.write(rest) :]
        except OSError as error:
            where = f"{error.strerror} for temporary files in {tempfile.gettempdir()}; TMPDIR names another folder"
            raise OSError(error.errno, where) from error

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes from one place to another."""
        held = self._held if isinstance(self._held, bytes) else memoryview(self._held)
        if self._file is None or start >= self._in_file:
            return bytes(held[start - self._in_file : stop - self._in_file])
        if stop > self._in_file:
            return self.read(start, self._in_file) + bytes(held[: stop - self._in_file])
        if sys.platform != "win32":  # a process and those forked from it share the place where a file is read
            found = os.pread(self._file.fileno(), stop - start, start)
        else:
            self._file.seek(start)
            found = self._file.read(stop - start)
        if len(found) < stop - start:
            raise OSError(f"a temporary file in {tempfile.gettempdir()} is shorter than what was written to it")
        return found


class CellLines(Sequence[str]):
    r"""Cells as the lines of a text in ASCII; strings are made of them when somebody asks for one.

    >>> cells = CellLines(b"word\n\ntext\n", np.array([4, 0, 4]))
    >>> len(cells), list(cells), cells[2]
    (3, ['word', '', 'text'], 'text')
    """

    def __init__(self, data: bytes, sizes: Integers) -> None:
        self.data = data  # each cell, and a line end
        self.sizes = sizes  # without it

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def has_blanks(self) -> bool:
        """Whether a cell has a character that may be a blank."""
        return int(np.count_nonzero(np.frombuffer(self.data, np.uint8) <= _LAST_BLANK)) > len(self)

    @cached_property
    def _strings(self) -> list[str]:
        return self.data.decode("ascii").split("\n")[:-1]

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._strings[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)


class Texts(Column[str]):
    """Texts as bytes in a store; where each begins, and how long it is."""

    def __init__(
        self,
        store: ByteStore,
        starts: NDArray[Any],
        sizes: NDArray[Any],
        listed: list[str] | None = None,
        *,
        of_long: bool = False,
        in_lines: bool = False,
    ) -> None:
        self._store = store
        self._starts = starts
        self._sizes = sizes
        self._listed = listed  # kept of a short column: those of a table are gone through several times
        self._in_lines = in_lines  # whether all are ASCII, and a line end follows each in the store
        self._of_long = of_long  # a part of a column that is not kept: all its parts, if they were, would be the column

    @classmethod
    def of(cls, cells: Sequence[str]) -> Texts:
        """Return texts as a column, its bytes in memory.

        >>> list(Texts.of(["word", "", "猫"]))
        ['word', '', '猫']
        """
        writer = TextWriter(ByteStore())
        writer.add(cells)
        return writer.texts()

    @classmethod
    def empty(cls, rows: int) -> Texts:
        """Return so many texts without a letter."""
        listed = [""] * rows if rows <= _LISTED else None
        return cls(ByteStore(), np.zeros(rows, np.int64), np.zeros(rows, np.uint32), listed)

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def is_short(self) -> bool:
        """Whether a list of all texts takes little memory too."""
        return len(self) <= BATCH and (self._listed is not None or not self._is_long)

    def __iter__(self) -> Iterator[str]:
        if self._listed is None and not self._is_long:
            self._listed = self.batch(0, len(self))
        return self._read() if self._listed is None else iter(self._listed)

    @cached_property
    def _is_long(self) -> bool:
        """Whether its texts are not kept."""
        return self._of_long or len(self) > _LISTED or int(self._sizes.sum()) > _LISTED_BYTES

    def _read(self) -> Iterator[str]:
        start = 0
        while start < len(self):
            stop = min(start + BATCH, len(self))
            while stop - start > 1 and int(self._sizes[start:stop].sum()) > _BATCH_BYTES:
                stop = start + (stop - start) // 2
            yield from self.batch(start, stop)
            start = stop

    def batch(self, start: int, stop: int) -> list[str]:
        """Return some texts as a list."""
        if self._listed is None and (stop - start) * _SOME_OF > len(self) > BATCH and not self._is_long:
            self._listed = self._cut(0, len(self))
        return self._cut(start, stop) if self._listed is None else self._listed[start:stop]

    def _cut(self, start: int, stop: int) -> list[str]:
        """Return some texts as a list, made anew."""
        if start < stop and self.is_lined:
            return list(self.lines(start, stop))
        starts, sizes = (own[start:stop].astype(np.int64) for own in (self._starts, self._sizes))
        if not len(starts):
            return []
        ends = starts + sizes
        first, last = int(starts.min()), int(ends.max())
        between = last - first - 2 * int(sizes.sum())
        is_apart = between > max(_APART, _APART_EACH * len(starts))  # and not to be read with all that is between
        if stop - start > 1 and (is_apart or last - first > _BATCH_BYTES):
            if bool((starts[1:] < starts[:-1]).any()):  # each half of them would reach as far as all do
                return self._cut_in_order(starts, sizes)
            middle = (start + stop) // 2
            return self._cut(start, middle) + self._cut(middle, stop)
        data = self._store.read(first, last)
        if data.isascii() and b"\n" not in data and np.array_equal(ends[:-1], starts[1:]):
            # a line end after each, and a text is cut at them three times as fast as cells are cut from it
            lines = np.insert(np.frombuffer(data, np.uint8), ends - first, ord("\n")).tobytes()
            return lines.decode("ascii").split("\n")[:-1]
        places = zip((starts - first).tolist(), (ends - first).tolist(), strict=True)
        if data.isascii():
            text = data.decode("ascii")
            return [text[begin:end] for begin, end in places]
        return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in places]

    def _cut_in_order(self, starts: Integers, sizes: Integers) -> list[str]:
        """Return texts as a list, read in the order in which they stand."""
        order = np.argsort(starts, kind="stable")
        found = np.empty(len(order), object)
        found[order] = self._of(starts[order], sizes[order])._cut(0, len(order))
        texts: list[str] = found.tolist()
        return texts

    def take(self, places: Integers) -> Texts:
        """Return the texts at these places."""
        return self._of(self._starts[places], self._sizes[places])

    def _part(self, wanted: slice) -> Texts:
        if self._listed is not None:
            return self._of(self._starts[wanted], self._sizes[wanted], self._listed[wanted])
        return self._of(self._starts[wanted], self._sizes[wanted])

    def _of(self, starts: NDArray[Any], sizes: NDArray[Any], listed: list[str] | None = None) -> Texts:
        """Return other texts of the same store."""
        of_long = listed is None and self._is_long
        return Texts(self._store, starts, sizes, listed, of_long=of_long, in_lines=self._in_lines)

    @cached_property
    def is_lined(self) -> bool:
        """Whether they are all ASCII and mostly stand one after the other, a line end after each."""
        return self._in_lines and len(self._breaks) * _IN_ROW <= len(self)

    @cached_property
    def _breaks(self) -> Integers:
        """The texts that do not stand right after the line end of the one before, such as those of the next piece."""
        after = self._starts.astype(np.int64) + self._sizes + 1
        return np.flatnonzero(after[:-1] != self._starts[1:]) + 1

    def lines(self, start: int, stop: int) -> CellLines:
        """Return some texts that are lined, as bytes."""
        sizes = self._sizes[start:stop].astype(np.int64)
        within = self._breaks[slice(*np.searchsorted(self._breaks, (start + 1, stop)).tolist())]
        runs = pairwise([start, *within.tolist(), stop])
        ends = (
            (int(self._starts[first]), int(self._starts[last - 1]) + int(self._sizes[last - 1])) for first, last in runs
        )
        return CellLines(b"".join(self._store.read(begin, end + 1) for begin, end in ends), sizes)

    @property
    def widest(self) -> int:
        """The most bytes that a text has."""
        return int(self._sizes.max(initial=0))

    def padded(self, start: int = 0, stop: int | None = None) -> NDArray[np.bytes_] | None:
        """Return texts, or some of them, as UTF-8, whose order is theirs, each as wide as the widest.

        None where they are too wide, or one holds NUL: at its end that would be no part of it to numpy.

        >>> Texts.of(["b", "", "abc"]).padded().tolist()
        [b'b', b'', b'abc']
        """
        if stop is not None:
            return self._part(slice(start, stop)).padded()
        width = self.widest
        if width > _PADDED_BYTES:
            return None
        data = np.frombuffer(self._joined(), np.uint8)
        if not data.all():
            return None
        if not width:
            return np.zeros(len(self), "S1")
        if len(data) == width * len(self):
            return np.asarray(data.view(f"S{width}"))
        sizes = self._sizes.astype(np.int64)
        filled_up = np.append(data, np.zeros(width, np.uint8))
        at_each = np.ndarray(len(data) + 1, f"S{width}", filled_up.data, strides=(1,))  # what begins at each byte
        found = np.asarray(at_each[np.cumsum(sizes) - sizes])
        found.view(np.uint8).reshape(-1, width)[np.arange(width) >= sizes[:, None]] = 0
        return found

    @cached_property
    def is_visible(self) -> bool:
        """Whether all are known to be ASCII that can be seen: nothing to strip from any, and one form of each."""
        if self.widest > _PADDED_BYTES:
            return False
        data = np.frombuffer(self._joined(), np.uint8)
        return not len(data) or bool(data.min() >= _FIRST_SEEN and data.max() <= _LAST_SEEN)

    def is_filled(self) -> NDArray[np.bool_]:
        """Return which are more than blanks."""
        if self.is_visible:
            return self._sizes > 0
        return np.fromiter(map(bool, map(str.strip, self)), bool, len(self))

    def words(self) -> NDArray[np.uint64] | None:
        """Return the bytes of each text as a number, or as two, and its size as a further one where there is room.

        Texts are the same where their columns of this table are: they are told apart without a string for each. None
        where one has more bytes.
        """
        widest = self.widest
        if widest > 2 * _WORD:
            return None
        sizes = self._sizes.astype(np.int64)
        data = bytes(_WORD) + self._joined() + bytes(_WORD)
        starts = np.cumsum(sizes) - sizes + _WORD
        at = np.ndarray(len(data) - _WORD + 1, "<u8", data, strides=(1,))  # the eight bytes from each place on
        first = at[starts] & _LOWEST[np.minimum(sizes, _WORD)]
        if widest < _WORD:
            return np.array([first | sizes.astype(np.uint64) << _LAST_BYTE])
        return np.array([first, np.where(sizes > _WORD, at[starts + sizes - _WORD], 0), sizes], dtype=np.uint64)

    def encoded(self, start: int, stop: int) -> list[bytes]:
        """Return some texts as UTF-8, whose order is that of the texts; lone surrogates as if they were characters."""
        return [text.encode("utf-8", "surrogatepass") for text in self.batch(start, stop)]

    def __reduce__(self) -> tuple[Any, ...]:
        if len(self) and self.is_lined:
            return _texts_of_lines, (self.lines(0, len(self)).data, self._sizes)
        return texts_of_bytes, (b"".join(self._runs()), self._sizes)

    def _joined(self) -> bytes:
        """Return the bytes of all texts, one after the other."""
        if len(self) and self.is_lined:
            return self.lines(0, len(self)).data.translate(None, b"\n")
        return b"".join(self._runs())

    def _runs(self) -> Iterator[bytes]:
        """Yield the bytes of the texts, at once of those that stand one after the other, as in a table they do."""
        starts = self._starts.astype(np.int64)
        ends = starts + self._sizes
        breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
        if len(breaks) * _IN_ROW > len(starts):
            for start in range(0, len(self), BATCH):
                yield from self.encoded(start, start + BATCH)
            return
        firsts = np.append(np.zeros(min(1, len(starts)), np.int64), breaks)
        lasts = np.append(firsts[1:], len(starts)) - 1
        for start, end in zip(starts[firsts].tolist(), ends[lasts[: len(firsts)]].tolist(), strict=True):
            yield self._store.read(start, end)


def texts_of_bytes(data: bytes, sizes: NDArray[np.uint32]) -> Texts:
    """Return texts that stand one after the other."""
    store = ByteStore()
    store.add(data)
    return Texts(store, np.cumsum(sizes, dtype=np.int64) - sizes, sizes)


def _texts_of_lines(data: bytes, sizes: NDArray[np.uint32]) -> Texts:
    """Return texts that stand one after the other, each with a line end."""
    store = ByteStore()
    store.add(data)
    lengths = sizes.astype(np.int64) + 1
    return Texts(store, np.cumsum(lengths) - lengths, sizes, in_lines=True)


class TextWriter:
    """Gathers the texts of a column, some at a time."""

    def __init__(self, store: ByteStore) -> None:
        self._store = store
        # as narrow as they can be: of a short cell they are most of what it takes
        self._starts: list[NDArray[Any]] = []
        self._sizes: list[NDArray[Any]] = []
        self.longest = 0  # in characters
        self._rows = 0
        self._listed: list[Sequence[str]] | None = []  # as they came, of a short table: they are gone through next
        self._in_lines = True  # so far

    def add(self, cells: Sequence[str], sizes: NDArray[Any] | None = None) -> None:
        """Take in some texts; if all are ASCII and it is known how long they are, that is `sizes`."""
        if isinstance(cells, CellLines):
            self._add_lines(cells)
            return
        self._in_lines = self._in_lines and not len(cells)
        joined = "".join(cells)
        if sizes is None:
            sizes = np.fromiter(map(len, cells), np.int64, len(cells))
        self.longest = max(self.longest, int(sizes.max(initial=0)))
        if joined.isascii():
            data = joined.encode("ascii")
        else:
            encoded = [cell.encode("utf-8", "surrogatepass") for cell in cells]
            data, sizes = b"".join(encoded), np.fromiter(map(len, encoded), np.int64, len(encoded))
        self._put(np.cumsum(sizes, dtype=np.int64) - sizes + self._store.add(data), sizes)
        if self._listed is not None:
            self._listed.append(cells)
            if self._rows > _LISTED or len(self._store) > _LISTED_BYTES or not self._store.is_held:
                self._listed = None

    def _add_lines(self, cells: CellLines) -> None:
        """Take in cells of which nobody has made strings yet."""
        self.longest = max(self.longest, int(cells.sizes.max(initial=0)))
        lengths = cells.sizes + 1
        self._put(np.cumsum(lengths) - lengths + self._store.add(cells.data), cells.sizes)
        self._listed = None

    def _put(self, starts: Integers, sizes: NDArray[Any]) -> None:
        self._starts.append(starts.astype(np.uint32 if len(self._store) < 2**32 else np.int64))
        self._sizes.append(sizes.astype(np.min_scalar_type(int(sizes.max(initial=0)))))
        self._rows += len(sizes)

    def texts(self) -> Texts:
        """Return what was taken in."""
        starts = np.concatenate([np.zeros(0, np.uint32), *self._starts])
        sizes = np.concatenate([np.zeros(0, np.uint8), *self._sizes])
        listed = None if self._listed is None else list(chain.from_iterable(self._listed))
        return Texts(self._store, starts, sizes, listed, in_lines=self._in_lines)


class ArrayStore:
    """Arrays of one kind, one after the other: in memory while they are small, else in a file."""

    def __init__(self, held: int = HELD_BYTES, *, must_stay: bool = False) -> None:
        self._bytes = ByteStore(held, must_stay=must_stay)
        self._shapes: list[tuple[int, ...]] = []
        self._dtype = np.dtype(np.float64)

    def add(self, values: NDArray[Any]) -> None:
        """Take in an array, of the same type and, but for its length, shape as those before."""
        self._dtype = values.dtype
        self._shapes.append(values.shape)
        self._bytes.add(np.ascontiguousarray(values).tobytes())

    def pieces(self) -> Iterator[NDArray[Any]]:
        """Yield the arrays as they came; they cannot be changed."""
        start = 0
        for shape in self._shapes:
            stop = start + int(np.prod(shape)) * self._dtype.itemsize
            yield np.frombuffer(self._bytes.read(start, stop), self._dtype).reshape(shape)
            start = stop

    def joined(self) -> NDArray[Any]:
        """Return all of them as one."""
        rows = sum(shape[0] for shape in self._shapes)
        whole = np.empty((rows, *self._shapes[0][1:]), self._dtype)
        first = 0
        for piece in self.pieces():
            whole[first : first + len(piece)] = piece
            first += len(piece)
        return whole


class NumberTable:
    """The columns of a long table of numbers, gathered some rows at a time; they are in a file where they are many."""

    def __init__(self, held: int = HELD_BYTES) -> None:
        self._bytes = ByteStore(held)
        self._ends: list[int] = [0]  # rows before each block, and at last all
        self._pieces: dict[str, dict[int, tuple[int, np.dtype[Any]]]] = {}  # by column and block: where, and what

    def __len__(self) -> int:
        return self._ends[-1]

    def add(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Take in some rows; a column that they do not have is undefined there."""
        for name, values in columns.items():
            start = self._bytes.add(np.ascontiguousarray(values).tobytes())
            self._pieces.setdefault(name, {})[len(self._ends) - 1] = start, values.dtype
        self._ends.append(len(self) + max(map(len, columns.values())))

    def array(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return a column, or some rows of it."""
        stop = len(self) if stop is None else stop
        found: list[NDArray[Any]] = [np.zeros(0, self._dtype(name))]
        block = bisect_right(self._ends, start) - 1
        while start < stop:
            first, last = self._ends[block], min(stop, self._ends[block + 1])
            found.append(self._read(name, block, start - first, last - first))
            start, block = last, block + 1
        return found[1] if len(found) == 2 else np.concatenate(found)

    def column(self, name: str, *, whole: bool = False) -> StoredNumbers:
        """Return a column of which no more is in memory than is read."""
        return StoredNumbers(self, name, range(len(self)), whole=whole)

    def _dtype(self, name: str) -> np.dtype[Any]:
        pieces = self._pieces.get(name)
        return next(iter(pieces.values()))[1] if pieces else np.dtype(np.float64)

    def _read(self, name: str, block: int, start: int, stop: int) -> NDArray[Any]:
        place = self._pieces.get(name, {}).get(block)
        if place is None:
            return np.full(stop - start, np.nan)
        begin, dtype = place
        return np.frombuffer(self._bytes.read(begin + start * dtype.itemsize, begin + stop * dtype.itemsize), dtype)


class StoredNumbers(Column[float]):
    """A column of a table of numbers, read as it is asked for; if they are whole, those defined read as integers."""

    def __init__(self, table: NumberTable, name: str, rows: range, *, whole: bool = False) -> None:
        self._table = table
        self._name = name
        self._rows = rows
        self._whole = whole

    def __len__(self) -> int:
        return len(self._rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self._numbers(0, len(self)).values, dtype=dtype)

    def batch(self, start: int, stop: int) -> list[float]:
        """Return some elements as a list."""
        return self._numbers(start, stop).batch(0, stop - start)

    def take(self, places: Integers) -> NumberColumn:
        """Return the elements at these places."""
        return self._numbers(0, len(self)).take(places)

    def _part(self, wanted: slice) -> Column[float]:
        rows = self._rows[wanted]
        if rows.step != 1:
            return self._numbers(0, len(self))[wanted]
        return StoredNumbers(self._table, self._name, rows, whole=self._whole)

    def _numbers(self, start: int, stop: int) -> NumberColumn:
        first = self._rows.start
        return NumberColumn(self._table.array(self._name, first + start, first + stop), whole=self._whole)
