"""The records of a CSV: one by one, or a piece of the file at a time as columns where nothing in it is quoted."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain, count, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.metrics.problems import InputError, reject
from scoresheet.metrics.stored_columns import CellLines

_LARGEST: Final = 2**31 - 1  # that the csv module takes everywhere
_LINE_END: Final = ord("\n")
_FEW_COLUMNS: Final = 8  # that are cut one after the other, each by a look at all bytes
_SHORT_CELLS: Final = 32  # bytes of a cell, on an average; longer ones are sooner cut as strings
_AT_ONCE: Final = 64  # records that are read one by one: a cell may be a mebibyte long

Pieces = Callable[[], Iterator[str]]  # some whole lines at a time; begins again at the first each time


class RecordBlock(NamedTuple):
    """Records that follow each other, as columns if they are all as long as the header."""

    numbers: Sequence[int]
    rows: Sequence[Sequence[str]]  # none where the columns were there first
    columns: Sequence[Sequence[str]]
    sizes: NDArray[np.int64] | None = None  # how long the cells are, column × record; known of some that are ASCII

    @classmethod
    def of(cls, numbers: Sequence[int], records: Sequence[Sequence[str]], width: int) -> RecordBlock:
        """Return records that came one by one."""
        return cls(numbers, records, list(zip(*records, strict=True)) if set(map(len, records)) == {width} else [])

    def records(self) -> Iterable[Sequence[str]]:
        """Return the records one by one."""
        return self.rows or zip(*self.columns, strict=True)


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

    def plain_blocks(self, width: int) -> Iterator[RecordBlock]:
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


def plain_block(piece: str, separator: str, width: int, number: int, longest: int) -> RecordBlock | None:
    r"""Return the records of some whole lines as columns; None if a line has a quote, or more or fewer cells.

    A line without anything is a record of no cell, not of an empty one.

    >>> list(map(list, plain_block("a,b\nc,\n", ",", 2, 7, 100).columns))
    [['a', 'c'], ['b', '']]
    """
    text = piece.replace("\r\n", "\n") if "\r" in piece else piece
    if '"' in text or "\r" in text:
        return None
    text = text if text.endswith("\n") else text + "\n"
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    ends = np.flatnonzero((data == ord(separator)) | (data == _LINE_END))
    if len(ends) % width:
        return None
    is_last = (data[ends] == _LINE_END).reshape(-1, width)
    sizes = np.diff(ends, prepend=-1) - 1
    # lines are as long as each other where every line end, and no other mark, is that of a last cell
    if is_last[:, :-1].any() or not is_last[:, -1].all() or int(sizes.max()) > longest:
        return None
    if width == 1 and not sizes.all():
        return None
    numbers = range(number, number + len(is_last))
    lengths = np.ascontiguousarray(sizes.reshape(-1, width).T) if len(data) == len(text) else None
    if lengths is not None and width <= _FEW_COLUMNS and len(data) <= _SHORT_CELLS * len(ends):
        return RecordBlock(numbers, (), _cut(data, ends, lengths), lengths)
    cells = text.replace("\n", separator).split(separator)
    return RecordBlock(numbers, (), [cells[place : len(ends) : width] for place in range(width)], lengths)


def _cut(data: NDArray[np.uint8], ends: NDArray[np.intp], lengths: NDArray[np.int64]) -> list[CellLines]:
    """Return the columns of lines, given where their cells end and how long they are, column × record.

    No string is made of a cell: of keys that repeat nobody may want them.
    """
    width, rows = lengths.shape
    lines = data.copy()
    lines[ends] = _LINE_END
    column_of = np.repeat(np.tile(np.arange(width, dtype=np.uint8), rows), lengths.T.ravel() + 1)
    return [CellLines(lines[column_of == column].tobytes(), lengths[column]) for column in range(width)]
