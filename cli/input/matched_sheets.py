"""Matched sheets: a loaded table under the family's column names, with the rows set aside that nobody could score."""

from __future__ import annotations

from collections.abc import Container, Sequence

import pandas as pd

from scoresheet.cli.input.header_matching import Renamings, find_columns, headers_of, headers_wanted
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.problems import Problem, note, unscored_row
from scoresheet.metrics.schema import ROW, SHEET, SOURCE, TableSchema
from scoresheet.metrics.tables import frame_of_rows, object_frame


def matched_sheet(loaded: LoadedSheet, schema: TableSchema, renamed: Renamings) -> Sheet:
    """Return a table with our column names, and why single rows cannot be scored whatever a family says."""
    frame, absent = find_columns(loaded.frame, schema, renamed, sheet=loaded.name)
    headers = headers_of(loaded.frame, schema, renamed)
    unusable: dict[int, Problem] = {}
    for (row, header), shown in loaded.error_cells.items():
        if header in headers and row in frame.index:
            message = f"the cell holds the error {shown}; mend its formula, save, run again"
            unusable[row] = unscored_row("error-cell", message, row=row, column=headers[header].name)
    positions = {row: position for position, row in enumerate(frame.index)} if loaded.merged else {}
    for first, last, header in loaded.merged:
        column = headers.get(header)
        if column is not None and column.kind in ("key", "label"):
            cells = frame[column.name].tolist()
            for row in range(first + 1, last + 1):
                if row in positions and not cells[positions[row]].strip():
                    unusable.setdefault(row, _empty(row, column.name, f"the cell {column.name}", (first, last)))
    if schema.key:
        for row, cell in zip(frame.index, frame[schema.key], strict=True):
            if not cell.strip():
                unusable.setdefault(row, _empty(row, schema.key, "the key"))
    return Sheet(
        name=loaded.name,
        frame=frame,
        unusable_rows=unusable,
        absent=absent,
        error_cells=_others(loaded, headers),
        headers=tuple(map(str, loaded.frame.columns)),
        model=loaded.model,
        source=loaded.source,
    )


def unmet_renamings(loaded: LoadedSheet, schema: TableSchema, renamed: Renamings) -> list[Problem]:
    """Return a note for each column that the user named and the table has by another name, or not at all."""
    present = {column.name: header for header, column in headers_of(loaded.frame, schema, renamed).items()}
    notes = []
    for column in schema.columns:
        wanted = headers_wanted(column, renamed)
        header = present.get(column.name)
        if not wanted or (header is not None and header in _spellings(wanted)):
            continue
        named = " or ".join(map(repr, wanted))
        instead = f"{header!r} was taken" if header else "nothing was taken for it"
        notes.append(note("renaming", f"no column {named}, which --column names as {column.name}; {instead}"))
    return notes


def _spellings(wanted: Sequence[str]) -> set[str]:
    return {part.strip() for header in wanted for part in (header, *header.split("|"))}


def side_table(sheets: Sequence[Sheet], schema: TableSchema) -> pd.DataFrame:
    """Return the tables of one kind as one, with where each row stood; rows that cannot be used are left out."""
    frames = []
    for sheet in sheets:
        frame = sheet.frame.drop(index=list(sheet.unusable_rows))
        stood = {
            SOURCE: [sheet.source] * len(frame),
            SHEET: [sheet.name] * len(frame),
            ROW: frame.index.tolist(),
        }
        frames.append(pd.concat([frame, object_frame(stood, index=frame.index)], axis=1))
    names = [*(column.name for column in schema.columns), SOURCE, SHEET, ROW]
    together = pd.concat(frames, ignore_index=True) if frames else frame_of_rows(names, [])
    return together.fillna("") if schema.keeps_others else together  # tables may differ in their other columns


def _others(loaded: LoadedSheet, headers: Container[str | None]) -> dict[tuple[int, str], str]:
    """Return the error cells of columns that are not ours."""
    return {(row, header): shown for (row, header), shown in loaded.error_cells.items() if header not in headers}


def _empty(row: int, name: str, what: str, merged: tuple[int, int] | None = None) -> Problem:
    why = f": rows {merged[0]} to {merged[1]} are one merged cell; unmerge it and fill each row" if merged else ""
    return unscored_row("empty-key", f"{what} is empty{why}", row=row, column=name)
