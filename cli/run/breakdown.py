"""The results by the values of a user's own column, and such columns carried along to the units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scoresheet.cli.input.header_matching import fold_header, headers_of
from scoresheet.cli.input.loading import LoadedFiles, LoadedSheet
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import Schema, TableSchema
from scoresheet.metrics.units import Value

if TYPE_CHECKING:
    from scoresheet.cli.input.header_matching import Renamings

Scored = Mapping[tuple[str, str], ScoredSheet]  # what came of the sheets, by file and name
BLANK = "(blank)"  # where the cell of a row is empty


@dataclass(frozen=True)
class Part:
    """What a model came to on the rows that have one value in a column."""

    model: str
    column: str
    value: str
    measures: Mapping[str, Value]
    rows: int
    scored: int
    coverage: float


def parts_by_value(loaded: LoadedFiles, column: str, scored: Scored) -> dict[str, LoadedFiles]:
    """Return the sheets of a model cut by the values of a column, in order of appearance; {} if no sheet has it."""
    parts: dict[str, LoadedFiles] = {}
    for sheet in loaded.sheets:
        places: dict[str, list[int]] = {}
        for place, cell in enumerate(cells_called(sheet, column, scored.get((sheet.source, sheet.name))) or ()):
            places.setdefault(cell.strip() or BLANK, []).append(place)
        for value, rows in places.items():
            part = parts.setdefault(value, LoadedFiles())
            part.sheets.append(replace(sheet, grid=sheet.grid.taken(rows)))
    return parts


def once(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that were asked for, each once: no two tables may differ by case alone in their names."""
    return tuple({column.casefold(): column for column in reversed(columns)}.values())[::-1]


def header_called(sheet: LoadedSheet, column: str) -> str:
    """Return the sheet's header of this name, '' if there is none."""
    headers = sheet.grid.headers
    exact = [header for header in headers if header == column]
    hits = exact or [header for header in headers if fold_header(header) == fold_header(column)]
    return hits[0] if hits else ""


def without_asked(sheet: LoadedSheet, columns: Sequence[str], schema: TableSchema, renamed: Renamings) -> LoadedSheet:
    """Return a sheet without columns that were asked for by name: where others matter they would be taken for data.

    A column of the family's own stays.
    """
    if not schema.keeps_others or not columns:
        return sheet
    ours = headers_of(sheet.grid, schema, renamed)
    asked = {header_called(sheet, column) for column in columns} - {"", *ours}
    return replace(sheet, grid=sheet.grid.without_columns(asked)) if asked else sheet


def cells_called(sheet: LoadedSheet, column: str, scored: ScoredSheet | None = None) -> list[str] | None:
    """Return the cells of the column of this name, also if it is the one that told sheets or models apart.

    Where there is none, the family may have found out of each row what was asked for.
    """
    header = header_called(sheet, column)
    if header:
        return list(sheet.grid.cells(header))
    for used, value in ((sheet.sheet_header, sheet.name), (sheet.model_header, sheet.model)):
        if used and fold_header(used) == fold_header(column):
            return [value] * len(sheet.grid)
    if scored is None or scored.units.rows is None:
        return None
    for name, labels in scored.row_labels.items():
        if fold_header(name) == fold_header(column):
            by_row = dict(zip(scored.units.rows, labels, strict=True))
            return [by_row.get(row, "") for row in sheet.grid.rows]
    return None


def missing_columns(loaded: LoadedFiles, columns: Sequence[str], option: str, scored: Scored) -> list[Problem]:
    """Return a note for each column that was asked for and that a sheet does not have."""
    return [
        note("no-such-column", no_column_message(column, option)).at(file=sheet.source, sheet=sheet.name)
        for column in columns
        for sheet in loaded.sheets
        if cells_called(sheet, column, scored.get((sheet.source, sheet.name))) is None
    ]


def no_column_message(column: str, option: str) -> str:
    """Return what is said of a sheet without a column that was asked for."""
    return f"no column {column!r} for {option} in this sheet"


def kept_values(
    scored: ScoredSheet, loaded: LoadedSheet, columns: Sequence[str], schema: Schema, renamed: Renamings
) -> dict[str, list[str]]:
    """Return the values of a user's columns for each unit: its row's, or those of all rows with its keys."""
    kept: dict[str, list[str]] = {}
    for column in columns:
        cells = cells_called(loaded, column, scored)
        if cells is None:
            kept[column] = [""] * len(scored.units)
        elif scored.units.rows is not None:
            by_row = dict(zip(loaded.grid.rows, cells, strict=True))
            kept[column] = [by_row.get(row, "") for row in scored.units.rows]
        else:
            kept[column] = _values_by_key(scored, loaded, cells, schema, renamed)
    return kept


def _values_by_key(
    scored: ScoredSheet, loaded: LoadedSheet, cells: Sequence[str], schema: Schema, renamed: Renamings
) -> list[str]:
    """Return for each unit the different values in the rows that have its keys, joined by |."""
    headers = headers_of(loaded.grid, schema.of_sheet(loaded.name), renamed)
    named = {fold_header(column.name): header for header, column in headers.items() if header is not None}
    shared = {key: named[fold_header(key)] for key in scored.units.keys if fold_header(key) in named}
    if not shared:
        return [" | ".join(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))] * len(scored.units)
    values: dict[tuple[str, ...], dict[str, None]] = {}
    rows = zip(*(map(join_key, loaded.grid.cells(header)) for header in shared.values()), strict=True)
    for about, cell in zip(rows, cells, strict=True):
        if cell.strip():
            values.setdefault(about, {})[cell.strip()] = None
    units = zip(*(map(join_key, scored.units.keys[key]) for key in shared), strict=True)
    return [" | ".join(values.get(about, ())) for about in units]
