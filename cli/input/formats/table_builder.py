"""Records to a table: the header found, rows padded, nothing shifted, nothing dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from scoresheet.cli.input.formats.delimited_records import CutPiece, DelimitedRecords, RecordBlock
from scoresheet.cli.input.formats.types import ReadRules, Table
from scoresheet.cli.input.grid import Grid
from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.metrics.columns import row_numbers
from scoresheet.metrics.problems import Effect, InputError, Problem, reject
from scoresheet.metrics.stored_columns import ByteStore, CellLines, TextWriter

Records = Iterator[tuple[int, Sequence[str]]]

_TITLE_ROWS: Final = 20  # filled rows that are looked at for a header below a title
_ROWS: Final = 4_096  # gathered before they become columns
_MARK: Final = "\ufeff"  # of the byte order
_LONG: Final = 32  # characters of a cell, on an average


class TableBuilder:
    """Builds one table from numbered records, collecting what is worth a note on the way."""

    def __init__(
        self, name: str, *, refusal: Effect, rules: ReadRules | None = None, limits: Limits | None = None
    ) -> None:
        self.name = name
        self.rules = rules or ReadRules()
        self.limits = limits or self.rules.limits
        self.header_row = 0  # where the header was found
        self.refusal: Effect = refusal  # what a refused table costs: its sheet, or the whole file
        self.problems: list[Problem] = []

    def build(
        self, records: Iterable[tuple[int, Sequence[str]]], *, strict: bool, blanks: bool = False
    ) -> Table | None:
        """Return the table, or None if no record has a filled cell; `blanks` keeps records without any.

        Fields beyond the header refuse the table if `strict` (in a CSV they mean a shifted row); in a worksheet they
        are cells beside the table and only noted.
        """
        header, rows = self._header(iter(records))
        if header is None:
            return None
        names = self._names(header)
        body = self._body(rows, names, strict=strict, blanks=blanks)
        return Table(self.name, self._grid(names, body), header_row=self.header_row)

    def build_of_columns(self, numbers: Sequence[int], columns: Sequence[Sequence[str]]) -> Table | None:
        """Return the table of a worksheet that was read as columns, without the rows where all cells are empty.

        The first row is the header and those below it are plain in nearly all; else they are looked at as records.
        """
        first = [column[0] for column in columns] if numbers else []
        if not any(map(str.strip, first)) or self.rules.header_row or not self._can_be_header(first):
            return self.build(zip(numbers, map(list, zip(*columns, strict=True)), strict=True), strict=False)
        self.header_row = numbers[0]
        names = self._names(first)
        below = [column[1:] for column in columns]
        if (len(numbers) - 1) * len(names) <= self.limits.cells and _is_plain(below, names, blanks=False):
            body = _Body(len(names))
            for start in range(1, len(numbers), _ROWS):
                body.add(numbers[start : start + _ROWS], [cells[start - 1 : start - 1 + _ROWS] for cells in below])
        else:
            rows = zip(numbers[1:], zip(*below, strict=True), strict=True)
            body = self._body(rows, names, strict=False, blanks=False)
        return Table(self.name, self._grid(names, body), header_row=self.header_row)

    def has_header(self, records: Records) -> bool:
        """Return whether the row that was named, or one of the first, can be the header."""
        if self.rules.header_row:
            return any(self._can_be_header(cells) for number, cells in records if number == self.rules.header_row)
        filled = (cells for _, cells in records if any(map(str.strip, cells)))
        return any(map(self._can_be_header, islice(filled, _TITLE_ROWS)))

    def _header(self, rows: Records) -> tuple[list[str] | None, Records]:
        """Return the header and the records below it: the row that was named, or the first that can be one."""
        if self.rules.header_row:
            message = f"there is no row {self.rules.header_row} to be the header"
            for number, cells in rows:
                if number == self.rules.header_row:
                    self.header_row = number
                    if any(map(str.strip, cells)):
                        return list(cells), rows
                    message = (
                        f"row {number} was named as the header and is blank; name the row that has the columns' names"
                    )
                    break
            reject("missing-column", message, sheet=self.name, effect=self.refusal)
        looked: list[tuple[int, Sequence[str]]] = []  # what may be a title above the header
        for number, cells in rows:
            if any(map(str.strip, cells)):
                looked.append((number, cells))
                if self._can_be_header(cells) or len(looked) == _TITLE_ROWS:
                    break
        if not looked:
            return None, rows
        # if none of them can be it, the first is, and what it lacks is said
        place = len(looked) - 1 if self._can_be_header(looked[-1][1]) else 0
        self.header_row = looked[place][0]
        if place:
            above = f"{place} row{'s' if place > 1 else ''} above it left out"
            self.note("header-row", f"row {self.header_row} is the header, the first with the needed columns; {above}")
        below = looked[place + 1 :]
        return list(looked[place][1]), chain(below, rows) if below else rows

    def _can_be_header(self, cells: Sequence[str]) -> bool:
        rule = self.rules.header
        if rule is None or len(cells) > self.limits.columns:  # so many are not even looked at: they are refused
            return rule is None
        return rule.has_needed_columns(self._title(), [cell.strip() for cell in cells])

    def _title(self) -> str:
        """Return the name that the sheet will have; the one table of a file in a folder has the file's."""
        prefix = self.rules.prefix
        return prefix.rstrip("/") if prefix and self.refusal == "file skipped" else prefix + self.name

    def note(self, kind: str, message: str, *, row: int | None = None) -> None:
        """Keep a note about this table, or a row of it."""
        self.problems.append(Problem(kind=kind, message=message, effect="note", sheet=self.name, row=row))

    def _names(self, header: list[str]) -> list[str]:
        """Return the names of the columns; too many or too long ones, or one twice, refuse the table."""
        self._check_width(header)
        names = [name.strip() for name in header]
        repeated = [name for name, count in Counter(name for name in names if name).items() if count > 1]
        if repeated:
            reject(
                "duplicate-header",
                f"the column name {repeated[0]!r} stands twice; rename one of the two",
                sheet=self.name,
                effect=self.refusal,
            )
        return names

    def _body(self, rows: Records, names: Sequence[str], *, strict: bool, blanks: bool) -> _Body:
        """Return the rows below the header; a block of plain ones, as nearly all are, is taken as a whole."""
        body = _Body(len(names))
        odd = _OddRows()
        for block in _blocks(rows, len(names)):
            most = (len(body) + len(block.numbers)) * len(names)
            if most <= self.limits.cells and _take_whole(block, names, body, blanks=blanks):
                continue
            data = self._data(zip(block.numbers, block.records(), strict=True), names, odd)
            body.add(*self._padded(data, len(body), len(names), odd, strict=strict, blanks=blanks))
        if len(odd.repeated) > self.limits.problems:
            self._refuse("problems", len(odd.repeated), "the header stands again in")
        for number in odd.repeated:
            self.note("repeated-header", "the header stands here again, as if files were joined; no data", row=number)
        if odd.beyond:
            self._refuse("cells", (len(body) + odd.beyond) * len(names), "the table has")
        if odd.short:
            self.note("short-rows", f"{_rows(odd.short)} shorter than the header and padded with empty cells")
        if odd.trailing and strict:
            self.note("trailing-fields", f"{_rows(odd.trailing)} longer than the header by empty fields")
        return body

    def _data(self, rows: Records, names: Sequence[str], odd: _OddRows) -> Records:
        """Yield the records but for those that repeat the header, as where files were joined end to end."""
        header = [name for name in names if name]
        named = frozenset(header)
        for number, cells in rows:
            # a row of no name, as nearly all are, is data; a byte order mark may hide one
            if named and named.isdisjoint(map(str.strip, cells)) and _MARK not in "".join(cells):
                yield number, cells
                continue
            bare = [cell.strip().removeprefix(_MARK).strip() for cell in cells]
            filled = [cell for cell in bare if cell]
            same = sum(cell == name != "" for cell, name in zip(bare, names, strict=False))
            if filled == header or (same > 1 and same * 2 > len(header)):
                odd.repeated.append(number)
                continue
            if len(header) > 1 and len(filled) == len(header) and sorted(filled) == sorted(header):
                message = (
                    f"row {number} has the names of the header in another order, so that the cells below it stand "
                    "under the wrong names; make a file of its own of it and the rows below"
                )
                reject("repeated-header", message, sheet=self.name, effect=self.refusal)
            yield number, cells

    def _padded(
        self, rows: Records, before: int, width: int, odd: _OddRows, *, strict: bool, blanks: bool
    ) -> tuple[list[int], list[tuple[str, ...]]]:
        """Return the numbers and columns of rows that are looked at one by one; `before` are in the table already."""
        numbers: list[int] = []
        padded: list[list[str]] = []
        for number, cells in rows:
            if not (blanks or any(map(str.strip, cells)) or len(cells) == width == 1):
                continue  # a line of blanks is no row, but an empty cell of the only column is one
            if (before + len(padded) + 1) * width > self.limits.cells:
                odd.beyond += 1
                continue
            row = list(cells)
            if len(row) > width:
                self._check_overhang(number, row[width:], width, strict=strict)
                odd.trailing.append(number)
                del row[width:]
            elif len(row) < width:
                odd.short.append(number)
                row += [""] * (width - len(row))
            numbers.append(number)
            padded.append(row)
        return numbers, list(zip(*padded, strict=True))

    def _check_width(self, header: Sequence[str]) -> None:
        """Refuse more columns than are read, or a name that is longer than a cell may be."""
        if len(header) > self.limits.columns:
            self._refuse("columns", len(header), "the header has")
        longest = max(map(len, header))
        if longest > self.limits.cell_chars:
            self._refuse("cell_chars", longest, "a cell of the header has")

    def _refuse(self, limit: str, met: int, what: str) -> NoReturn:
        sheet = self.name if self.refusal == "sheet skipped" else ""
        refuse_over(self.limits, limit, met, what, sheet=sheet, effect=self.refusal)

    def _check_overhang(self, number: int, beyond: list[str], width: int, *, strict: bool) -> None:
        if strict and any(map(str.strip, beyond)):
            reject(
                "bad-csv",
                f"line {number} (in records) has {width + len(beyond)} fields, the header {width}; put quotes around a "
                "field that holds the separator, or name the extra column",
                sheet=self.name if self.refusal == "sheet skipped" else "",
                effect=self.refusal,
            )

    def _grid(self, names: list[str], body: _Body) -> Grid:
        columns = body.columns()
        unnamed = [place for place, name in enumerate(names) if not name and columns[place].longest]
        if unnamed:
            self.note("unnamed-column", f"column {unnamed[0] + 1} has cells and no name in the header; it was left out")
        named = {name: columns[place] for place, name in enumerate(names) if name}
        for name, cells in named.items():
            if cells.longest > self.limits.cell_chars:
                self._refuse("cell_chars", cells.longest, f"a cell of the column {name[:40]!r} has")
        return Grid({name: cells.texts() for name, cells in named.items()}, body.rows())


class _OddRows:
    """The rows of a table that are worth a note, by their numbers."""

    def __init__(self) -> None:
        self.repeated: list[int] = []  # that repeat the header
        self.short: list[int] = []
        self.trailing: list[int] = []
        self.beyond = 0  # rows that are only counted


def _blocks(rows: Records, width: int) -> Iterator[RecordBlock | CutPiece]:
    """Yield some records at a time; those before one that cannot be read come before its error."""
    if isinstance(rows, DelimitedRecords):
        yield from rows.plain_blocks(width)
        rows = rows.one_by_one()
    failure: InputError | None = None
    while failure is None:
        numbers: list[int] = []
        records: list[Sequence[str]] = []
        try:
            for number, cells in islice(rows, _ROWS):
                numbers.append(number)
                records.append(cells)
        except InputError as error:
            failure = error
        if not records:
            break
        yield RecordBlock.of(numbers, records, width)
    if failure is not None:
        raise failure


def _take_whole(block: RecordBlock | CutPiece, names: Sequence[str], body: _Body, *, blanks: bool) -> bool:
    """Return whether a block was plain, and taken as a whole."""
    if isinstance(block, CutPiece) and block.is_short:
        is_plain = _is_plain_piece(block, names, blanks=blanks)
    else:
        is_plain = bool(block.columns) and _is_plain(block.columns, names, blanks=blanks)
    if is_plain:
        body.add(block.numbers, block.columns, block.sizes if isinstance(block, CutPiece) else None)
    return is_plain


def _is_plain_piece(block: CutPiece, names: Sequence[str], *, blanks: bool) -> bool:
    """Return the same as below of short cells; strings are made only of those that may hold a name, or be blank."""
    named = frozenset(filter(None, names))
    if not named:
        return False
    if block.may_hold(named) and any(not named.isdisjoint(map(str.strip, column)) for column in block.columns):
        return False
    columns = cast("Sequence[CellLines]", block.columns)
    if blanks or any(column.sizes.all() and not column.has_blanks for column in columns):
        return True
    return any(all(map(str.strip, column)) for column in columns)


def _is_plain(columns: Sequence[Sequence[str]], names: Sequence[str], *, blanks: bool) -> bool:
    """Return whether none of the records is blank, unless `blanks` are kept, or has a name of the header."""
    named = frozenset(filter(None, names))
    if not named:
        return False
    for column in columns:
        joined = "".join(column)
        if _MARK in joined:
            return False
        # what has a name's letters may be another word, or two cells; long texts are sooner compared than searched
        may_be_named = len(joined) > _LONG * len(column) or any(
            all(letter in joined for letter in name) and name in joined for name in named
        )
        if may_be_named and not named.isdisjoint(map(str.strip, column)):
            return False
    return blanks or any(all(map(str.strip, column)) for column in columns)


class _Body:
    """The rows below a header, gathered column by column: cells stay no Python strings for long."""

    def __init__(self, width: int) -> None:
        store = ByteStore()
        self._columns = [TextWriter(store) for _ in range(width)]
        self._numbers: list[NDArray[np.int64]] = []
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def add(
        self, numbers: Sequence[int], columns: Sequence[Sequence[str]], sizes: NDArray[np.int64] | None = None
    ) -> None:
        """Take in some rows, as long as the header: their numbers, the cells of each column, and how long they are."""
        self._rows += len(numbers)
        self._numbers.append(
            np.arange(numbers.start, numbers.stop) if isinstance(numbers, range) else np.array(numbers, dtype=np.int64)
        )
        for place, (writer, cells) in enumerate(zip(self._columns, columns, strict=bool(numbers))):
            writer.add(cells, None if sizes is None else sizes[place])

    def columns(self) -> list[TextWriter]:
        """Return the columns, complete."""
        return self._columns

    def rows(self) -> Sequence[int]:
        """Return the numbers of the rows."""
        return row_numbers(np.concatenate([np.zeros(0, np.int64), *self._numbers]))


def _rows(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"row {numbers[0]} is"
    return f"{len(numbers)} rows (first: row {numbers[0]}) are"
