"""Matched sheets: a loaded table under the family's column names, with the rows set aside that nobody could score."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from shlex import quote
from typing import Final

import numpy as np

from scoresheet.cli.input.formats.types import NestedCell
from scoresheet.cli.input.grid import Grid
from scoresheet.cli.input.header_matching import (
    NO_HEADER,
    Renamings,
    find_columns,
    fold_header,
    headers_of,
    headers_wanted,
    suggestion,
)
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.cli.input.rivals import rival_notes
from scoresheet.cli.input.summary_rows import summary_note, summary_rows
from scoresheet.metrics.columns import Chained, Coded, elements_at
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.problems import InputError, Problem, note, unscored_row
from scoresheet.metrics.schema import ROW, SHEET, SOURCE, InputColumn, Schema, TableSchema
from scoresheet.metrics.stored_columns import Texts
from scoresheet.metrics.tables import HeldTable, column_values, shown_rows

_CHAT: Final = ("text", "content")  # what chats and their interfaces call what was said


def matched_sheet(loaded: LoadedSheet, schema: TableSchema, renamed: Renamings) -> Sheet:
    """Return a table with our column names, and why single rows cannot be scored whatever a family says."""
    columns, absent = find_columns(loaded.grid.headers, schema, renamed, sheet=loaded.name)
    headers = headers_of(loaded.grid, schema, renamed)
    notes = [*_uncalculated(loaded, headers), *unmet_renamings(loaded, schema, renamed)]
    notes += [*rival_notes(loaded, schema, renamed), *_nested_labels(loaded, headers)]
    notes += _lone_column(loaded, schema, headers)
    whole = loaded.grid.named(columns)
    summaries = summary_rows(whole, schema, absent)
    grid = whole.without_rows(summaries)
    notes += [summary_note(row, text) for row, text in summaries.items()]
    return Sheet(
        name=loaded.name,
        table=grid.table(),
        unusable_rows=_unusable_rows(loaded, grid, schema, headers),
        absent=absent,
        error_cells=_others(loaded, headers),
        headers=loaded.grid.headers,
        taken={column.name: header for header, column in headers.items() if header is not None},
        model=loaded.model,
        source=loaded.source,
        notes=tuple(notes),
    )


def _unusable_rows(
    loaded: LoadedSheet, grid: Grid, schema: TableSchema, headers: Mapping[str | None, InputColumn]
) -> dict[int, Problem]:
    """Return why rows cannot be scored: cells with errors or objects in them, and keys that are empty."""
    unusable: dict[int, Problem] = {}
    for (row, header), shown in loaded.error_cells.items():
        if header in headers and row in grid.row_set:
            message = f"the cell holds the error {shown}; mend its formula, save, run again"
            unusable[row] = unscored_row("error-cell", message, row=row, column=headers[header].name)
    for (row, header), cell in loaded.nested_cells.items():
        column = headers.get(header)
        if column is None or row not in grid.row_set or _may_be_nested(column):
            continue
        if not (column.lists and cell.shape.startswith("a list")):
            unusable.setdefault(row, _nested(row, header, column, cell))
    for row, problem in _merged_keys(loaded, grid, headers):
        unusable.setdefault(row, problem)
    if schema.key:
        keys = list(grid.cells(schema.key))
        for row, key in zip(grid.rows, keys, strict=True) if not all(map(str.strip, keys)) else ():
            if not key.strip():
                unusable.setdefault(row, _empty(row, schema.key, "the key"))
    return unusable


def _merged_keys(
    loaded: LoadedSheet, grid: Grid, headers: Mapping[str | None, InputColumn]
) -> Iterator[tuple[int, Problem]]:
    """Yield the rows whose key or label is empty because its cell was merged with the one above."""
    positions = {row: position for position, row in enumerate(grid.rows)} if loaded.merged else {}
    lowest = max(positions, default=0)
    for first, last, header in loaded.merged:
        column = headers.get(header)
        if column is None or column.kind not in ("key", "label"):
            continue
        cells = grid.cells(column.name)
        for row in range(first + 1, min(last, lowest) + 1):
            if row in positions and not cells[positions[row]].strip():
                yield row, _empty(row, column.name, f"the cell {column.name}", (first, last))


def _uncalculated(loaded: LoadedSheet, headers: Container[str | None]) -> list[Problem]:
    """Refuse a sheet for a formula without a value in a column that is needed; elsewhere it is a note."""
    for (row, header), address in loaded.uncalculated.items():
        more = f" and {len(loaded.uncalculated) - 1} more" if len(loaded.uncalculated) > 1 else ""
        message = f"a formula with no stored value (cell {address}{more}); open the file in Excel, save it, run again"
        if header in headers or not row:
            problem = Problem(
                kind="formula-without-value", message=message, effect="sheet skipped", row=row or None, column=header
            )
            raise InputError(problem.at(sheet=loaded.name))
    columns = list(dict.fromkeys(header for _, header in loaded.uncalculated))
    message = "formulas with no stored value in a column that is not used"
    return [note("formula-without-value", message, column=header) for header in columns]


def _lone_column(loaded: LoadedSheet, schema: TableSchema, headers: Mapping[str | None, InputColumn]) -> list[Problem]:
    """Return a note where the only column of a table was taken for what it must have, by no name of its own."""
    for header, column in headers.items():
        names = map(fold_header, (column.name, *column.aliases, *column.fallbacks, *column.former_names))
        if (
            column.takes_lone
            and header is not None
            and fold_header(header) not in names
            and len(loaded.grid.headers) == 1
        ):
            message = f"{header!r} is the header of its only column, which was taken for {column.name}"
            way = (
                f"; if {header!r} is one of them, write a line {column.name} above it"
                if not schema.list_of
                else (f"; if {header!r} is one of them, write a line {column.name} above it, or save the list as .txt")
            )
            return [note("only-column", message + way)]
    return []


def unmet_of_system(sheets: Sequence[LoadedSheet], schema: Schema, renamed: Renamings) -> list[Problem]:
    """Return a note for each column that the user named and that no sheet of a system has, of those that could.

    Where sheets differ by what they hold, a header is looked for on each of them and asked of none.
    """
    unmet: dict[str, Problem] = {}
    met: set[str] = set()
    for loaded in sheets:
        table = schema.of_sheet(loaded.name)
        try:
            lacking = {problem.column: problem for problem in unmet_renamings(loaded, table, renamed)}
        except InputError:  # two headers could be one column: that is said of the sheet
            lacking = {}
        met |= {column.name for column in table.columns if column.name not in lacking}
        for name, problem in lacking.items():
            unmet.setdefault(name, problem.at(file=loaded.source, sheet=loaded.name))
    return [problem for name, problem in unmet.items() if name not in met]


def unmet_renamings(loaded: LoadedSheet, schema: TableSchema, renamed: Renamings) -> list[Problem]:
    """Return a note for each column that the user named and the table has by another name, or not at all."""
    present = {column.name: header for header, column in headers_of(loaded.grid, schema, renamed).items()}
    notes = []
    for column in schema.columns:
        wanted = headers_wanted(column, renamed)
        header = present.get(column.name)
        if wanted in ((), (NO_HEADER,)) or (header is not None and fold_header(header) in _spellings(wanted)):
            continue
        named = " or ".join(map(repr, wanted))
        others = [each for each in loaded.grid.headers if each != header]
        hint = suggestion(wanted[0], others)
        instead = f"{header!r} was taken" if header else "nothing was taken for it"
        message = f"no column {named}, which --column names as {column.name}{hint}; {instead}"
        notes.append(note("renaming", message, column=column.name))
    return notes


def _spellings(wanted: Sequence[str]) -> set[str]:
    return {fold_header(part.strip()) for header in wanted for part in (header, *header.split("|"))}


def side_table(sheets: Sequence[Sheet], schema: TableSchema) -> HeldTable:
    """Return the tables of one kind as one, with where each row stood; rows that cannot be used are left out."""
    parts = [_usable_columns(sheet) for sheet in sheets]
    stood = (SOURCE, SHEET, ROW)
    # tables may differ in the columns that are not ours
    names = dict.fromkeys(name for part in parts for name in part) or [*(each.name for each in schema.columns), *stood]
    columns = {name: [part[name] if name in part else Texts.empty(len(part[ROW])) for part in parts] for name in names}
    return HeldTable({name: own[0] if len(own) == 1 else Chained(own) for name, own in columns.items()})


def _usable_columns(sheet: Sheet) -> dict[str, Sequence[object]]:
    """Return the columns of a sheet, without rows that cannot be used, and where each row stood."""
    rows = shown_rows(sheet.table)
    columns = {str(name): column_values(sheet.table, name) for name in sheet.table.columns}
    if sheet.unusable_rows:
        places = np.array([place for place, row in enumerate(rows) if row not in sheet.unusable_rows], dtype=np.int64)
        columns = {name: elements_at(cells, places) for name, cells in columns.items()}
        rows = elements_at(rows, places)
    count = len(rows)
    return {**columns, SOURCE: Coded.repeated(sheet.source, count), SHEET: Coded.repeated(sheet.name, count), ROW: rows}


def _others(loaded: LoadedSheet, headers: Container[str | None]) -> dict[tuple[int, str], str]:
    """Return the error cells of columns that are not ours."""
    return {(row, header): shown for (row, header), shown in loaded.error_cells.items() if header not in headers}


def _nested(row: int, header: str, column: InputColumn, cell: NestedCell) -> Problem:
    likely = sorted(cell.texts, key=lambda path: not _is_likely(column, path))  # else in the file's order
    several = cell.shape.startswith("a list") and not f"{cell.shape} ".startswith("a list of 1 ")
    reaches = "reaches the first of them" if several else "reaches into it"
    way = f"--column {quote(f'{column.name}={likely[0]}')} {reaches}" if likely else "give it a column of its own"
    message = f"{header} is {cell.shape}, where a text or number should be; {way}"
    return unscored_row("nested-cell", message, row=row, column=column.name)


def _may_be_nested(column: InputColumn) -> bool:
    """Return whether a list or object will do as it is written: in a label that a row could be without."""
    return column.kind == "label" and not column.required and bool(column.fallbacks)


def _nested_labels(loaded: LoadedSheet, headers: Mapping[str | None, InputColumn]) -> list[Problem]:
    """Return a note for each label that holds lists or objects, such as a prompt that is a chat; the first is shown."""
    notes: dict[str, Problem] = {}
    for (row, header), cell in loaded.nested_cells.items():
        if header in headers and header not in notes and row in loaded.grid.row_set and _may_be_nested(headers[header]):
            message = f"{header} is {cell.shape} and serves as it is written"
            notes[header] = note("nested-cell", message, row=row, column=headers[header].name)
    return list(notes.values())


def _is_likely(column: InputColumn, path: str) -> bool:
    """Return whether a path ends in what the column may be called, or in what chats call their texts."""
    names = (column.name, *column.aliases, *column.fallbacks, *_CHAT)
    return fold_header(path.rpartition(".")[2]) in map(fold_header, names)


def _empty(row: int, name: str, what: str, merged: tuple[int, int] | None = None) -> Problem:
    if merged:
        how = f": rows {merged[0]} to {merged[1]} are one merged cell; --fill-down gives each its value"
    else:
        how = "; if it is merged with the one above, --fill-down gives it that value"
    return unscored_row("empty-key", f"{what} is empty{how}", row=row, column=name)
