"""Records to a table: the header found, rows padded, nothing shifted, nothing dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scoresheet.cli.input.formats.types import Table
from scoresheet.metrics.problems import Effect, Problem, reject
from scoresheet.metrics.tables import object_frame

if TYPE_CHECKING:
    import pandas as pd


class TableBuilder:
    """Builds one table from numbered records, collecting what is worth a note on the way."""

    def __init__(self, name: str, *, refusal: Effect) -> None:
        self.name = name
        self.refusal: Effect = refusal  # what a refused table costs: its sheet, or the whole file
        self.problems: list[Problem] = []

    def build(
        self, records: Iterable[tuple[int, Sequence[str]]], *, strict: bool, blanks: bool = False
    ) -> Table | None:
        """Return the table, or None if no record has a filled cell; `blanks` keeps records without any.

        Fields beyond the header refuse the table if `strict` (in a CSV they mean a shifted row); in a worksheet they
        are cells beside the table and only noted.
        """
        rows = iter(records)
        header = next((list(cells) for _, cells in rows if any(map(str.strip, cells))), None)
        if header is None:
            return None
        names = self._names(header)
        numbers, body = self._body(rows, len(header), strict=strict, blanks=blanks)
        return Table(self.name, self._frame(names, numbers, body))

    def note(self, kind: str, message: str) -> None:
        """Keep a note about this table."""
        self.problems.append(Problem(kind=kind, message=message, effect="note", sheet=self.name))

    def _names(self, header: list[str]) -> list[str]:
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

    def _body(
        self, rows: Iterable[tuple[int, Sequence[str]]], width: int, *, strict: bool, blanks: bool
    ) -> tuple[list[int], list[list[str]]]:
        numbers: list[int] = []
        body: list[list[str]] = []
        short: list[int] = []
        trailing: list[int] = []
        for number, cells in rows:
            if not (blanks or any(map(str.strip, cells)) or len(cells) == width == 1):
                continue  # a line of blanks is no row, but an empty cell of the only column is one
            row = list(cells)
            if len(row) > width:
                self._check_overhang(number, row[width:], width, strict=strict)
                trailing.append(number)
                del row[width:]
            elif len(row) < width:
                short.append(number)
                row += [""] * (width - len(row))
            numbers.append(number)
            body.append(row)
        if short:
            self.note("short-rows", f"{_rows(short)} shorter than the header and padded with empty cells")
        if trailing and strict:
            self.note("trailing-fields", f"{_rows(trailing)} longer than the header by empty fields")
        return numbers, body

    def _check_overhang(self, number: int, beyond: list[str], width: int, *, strict: bool) -> None:
        if strict and any(map(str.strip, beyond)):
            reject(
                "bad-csv",
                f"line {number} (in records) has {width + len(beyond)} fields, the header {width}; put quotes around a "
                "field that holds the separator, or name the extra column",
                sheet=self.name if self.refusal == "sheet skipped" else "",
                effect=self.refusal,
            )

    def _frame(self, names: list[str], numbers: list[int], body: list[list[str]]) -> pd.DataFrame:
        columns = dict(enumerate(zip(*body, strict=True))) if body else {}
        unnamed = [place for place, name in enumerate(names) if not name and any(columns.get(place, ()))]
        if unnamed:
            self.note("unnamed-column", f"column {unnamed[0] + 1} has cells and no name in the header; it was left out")
        data = {name: list(columns.get(place, ())) for place, name in enumerate(names) if name}
        return object_frame(data, index=numbers)


def _rows(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"row {numbers[0]} is"
    return f"{len(numbers)} rows (first: row {numbers[0]}) are"
