"""The records of a CSV: one by one, or a piece of the file at a time as columns where nothing in it is quoted."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from io import StringIO
from itertools import chain, count, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.metrics.problems import InputError, reject
from scoresheet.metrics.stored_columns import CellLines

_LARGEST: Final = 2**31 - 1  # that the csv module takes everywhere
_LINE_END, _RETURN = b"\n\r"
_SHORT: Final = 64  # bytes of a cell, up to which a column is cut out of lines as bytes
_AT_ONCE: Final = 64  # records that are read one by one: a cell may be a mebibyte long

Pieces = Callable[[], Iterator[str]]  # some whole lines at a time; begins again at the first each time


class RecordBlock(NamedTuple):
    """Records that follow each other, as columns if they are all as long as the header."""

    numbers: Sequence[int]
    rows: Sequence[Sequence[str]]
    columns: Sequence[Sequence[str]]

    @classmethod
    def of(cls, numbers: Sequence[int], records: Sequence[Sequence[str]], width: int) -> RecordBlock:
        """Return records that came one by one."""
        return cls(numbers, records, list(zip(*records, strict=True)) if set(map(len, records)) == {width} else [])

    def records(self) -> Iterable[Sequence[str]]:
        """Return the records one by one."""
        return self.rows


class CellPlaces(NamedTuple):
    """Where cells stand in lines, record × column."""

    data: NDArray[np.uint8]  # the lines as UTF-8
    ends: NDArray[np.int64]
    sizes: NDArray[np.int64]
    returns: int  # carriage returns, one before each line end or none


class CutPiece:
    """Lines of a CSV, as long as each other, that were cut at their separators: columns of strings, or of bytes."""

    def __init__(self, text: str, separator: str, cells: CellPlaces, first: int) -> None:
        self._text = text  # whole lines without quotes
        self._separator = separator
        self._cells = cells
        self.numbers = range(first, first + len(cells.ends))

    @cached_property
    def columns(self) -> Sequence[Sequence[str]]:
        """The cells of each column; no strings are made of short ones, of which nobody may want all."""
        return self._lines() if self.is_short else self._strings()

    def _strings(self) -> list[list[str]]:
        records, width = self._cells.ends.shape
        text = self._text.replace("\r\n", "\n") if self._cells.returns else self._text
        cells = text.replace("\n", self._separator).split(self._separator)
        return [cells[place : records * width : width] for place in range(width)]

    def records(self) -> Iterable[Sequence[str]]:
        """Return the records one by one."""
        return zip(*self.columns, strict=True)

    @cached_property
    def sizes(self) -> NDArray[np.int64] | None:
        """How long the cells are, column × record, if all are ASCII."""
        is_ascii = len(self._cells.data) == len(self._text)
        return np.ascontiguousarray(self._cells.sizes.T) if is_ascii else None

    def may_hold(self, words: Iterable[str]) -> bool:
        """Return whether one of these words is anywhere in it; one without a letter of theirs is not looked for."""
        absent: set[str] = set()
        for word in words:
            missing = next((letter for letter in word if letter in absent or letter not in self._text), None)
            if missing is None and word in self._text:
                return True
            absent |= {missing} if missing else set()
        return False

    @cached_property
    def is_short(self) -> bool:
        """Whether all cells are ASCII, and short."""
        return self.sizes is not None and int(self.sizes.max()) <= _SHORT

    def _lines(self) -> list[CellLines]:
        cells = self._cells
        data = np.append(cells.data, np.zeros(_SHORT, np.uint8))
        data[cells.ends] = _LINE_END
        found = []
        for ends, own in zip(cells.ends.T, cells.sizes.T, strict=True):
            widest = int(own.max()) + 1
            at_each = np.ndarray(len(cells.data), f"V{widest}", data.data, strides=(1,))
            lines = at_each[ends - own].view(np.uint8).reshape(len(own), widest)
            is_whole = int(own.min()) + 1 == widest
            found.append(CellLines((lines if is_whole else lines[np.arange(widest) <= own[:, None]]).tobytes(), own))
        return found


class DelimitedRecords(Iterator[tuple[int, list[str]]]):
    """The records of a text with their numbers, the header's being 1 as in a spreadsheet."""

    def __init__(self, pieces: Pieces, separator: str, limits: Limits) -> None:
        self._from_the_start = pieces
        self._separator = separator
        self._limits = limits
        self._pieces = pieces()  # that are not begun
        self._begun = StringIO()  # the one whose lines are read
        self._numbers = count(1)
        self._in_blocks = 0  # records, and as many lines, that were taken as columns
        self._reader = csv.reader(self._lines(), delimiter=separator, strict=True)

    def __next__(self) -> tuple[int, list[str]]:
        records, error = self._some(1)
        if error is not None:
            raise error
        if not records:
            raise StopIteration
        return records[0]

    def plain_blocks(self, width: int) -> Iterator[CutPiece]:
        """Yield the next records as columns, up to a piece that is not as plain; those from there on come one by one.

        Most files have no quotes at all, and cutting a piece at all its separators takes a quarter of the time.
        """
        number = next(self._numbers)
        pieces = chain([self._begun.read()], self._pieces)
        for piece in pieces:
            block = plain_block(piece, self._separator, width, number, self._limits.cell_chars) if piece else None
            if block is not None:
                number += len(block.numbers)
                self._in_blocks += len(block.numbers)
                yield block
            elif piece:
                self._pieces = chain([piece], pieces)
                break
        self._numbers = count(number)

    def one_by_one(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the records that are left."""
        while True:
            records, error = self._some(_AT_ONCE)
            yield from records
            if error is not None:
                raise error
            if len(records) < _AT_ONCE:
                return

    def _some(self, most: int) -> tuple[list[tuple[int, list[str]]], InputError | None]:
        """Return the next records, and what is wrong with the one after them if they are fewer.

        How long a cell may be is set for all readers of the csv module, and so for no longer than this takes.
        """
        records: list[tuple[int, list[str]]] = []
        usual = csv.field_size_limit(min(self._limits.cell_chars, _LARGEST))
        try:
            for record in islice(self._reader, most):
                records.append((next(self._numbers), record))  # noqa: PERF401 - those before one that cannot be read
        except csv.Error as error:
            return records, self._refusal(next(self._numbers), error)
        finally:
            csv.field_size_limit(usual)
        return records, None

    def _refusal(self, number: int, error: csv.Error) -> InputError:
        """Return why the file is refused for a record that cannot be read."""
        try:
            if "field limit" in str(error):
                longest = self._longest_cell()
                if longest:
                    what = f"a cell of record {number:,} or of a later one has"
                    refuse_over(self._limits, "cell_chars", longest, what)
                error = csv.Error("end of data")
            reason = "a quoted field is never closed" if "end of data" in str(error) else str(error)
            line = self._in_blocks + self._reader.line_num
            reject(
                "bad-csv",
                f"record {number} (about line {line}): {reason}; inside a quoted field a quote is written twice",
            )
        except InputError as refusal:
            return refusal

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the pieces that are not begun."""
        while piece := next(self._pieces, ""):
            self._begun = StringIO(piece, newline="")
            yield from self._begun

    def _longest_cell(self) -> int:
        """Return how long the longest cell is; 0 if the quotes of a cell never close: it is the rest of the file."""
        csv.field_size_limit(_LARGEST)
        self._pieces = self._from_the_start()
        reader = csv.reader(self._lines(), delimiter=self._separator, strict=True)
        try:
            return max(max(map(len, cells), default=0) for cells in reader)
        except csv.Error:
            return 0


def plain_block(piece: str, separator: str, width: int, number: int, longest: int) -> CutPiece | None:
    r"""Return the records of some whole lines; None if a line has a quote, or more or fewer cells.

    A line without anything is a record of no cell, not of an empty one.

    >>> list(map(list, plain_block("a,b\nc,\n", ",", 2, 7, 100).columns))
    [['a', 'c'], ['b', '']]
    """
    if '"' in piece:
        return None
    text = piece if piece.endswith("\n") else piece + "\n"
    cells = _cell_places(text, separator, width)
    if cells is None and "\r\n" in text:  # at the ends of some lines alone
        text = text.replace("\r\n", "\n")
        cells = None if "\r" in text else _cell_places(text, separator, width)
    if cells is None or int(cells.sizes.max()) > longest or (width == 1 and not cells.sizes.all()):
        return None
    return CutPiece(text, separator, cells, number)


def _cell_places(text: str, separator: str, width: int) -> CellPlaces | None:
    """Return where the cells of lines stand; None if not all lines are as long and end in the same way."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    marks = np.flatnonzero((data == ord(separator)) | (data == _LINE_END))
    if len(marks) % width:
        return None
    ends = marks.reshape(-1, width)
    is_last = data[ends] == _LINE_END
    # lines are as long as each other where every line end, and no other mark, is that of a last cell
    if is_last[:, :-1].any() or not is_last[:, -1].all():
        return None
    sizes = (np.diff(marks, prepend=-1) - 1).reshape(-1, width)
    returns = text.count("\r")
    if returns:
        if returns != len(ends) or not (data[ends[:, -1] - 1] == _RETURN).all():
            return None
        ends[:, -1] -= 1
        sizes[:, -1] -= 1
    return CellPlaces(data, ends, sizes, returns)
