"""The results by the values of a user's own column, and such columns carried along to the units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoresheet.cli.input.header_matching import fold_header, headers_of
from scoresheet.cli.input.loading import LoadedFiles, LoadedSheet
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.schema import Schema
from scoresheet.metrics.units import Value

if TYPE_CHECKING:
    from scoresheet.cli.input.header_matching import Renamings

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


def parts_by_value(loaded: LoadedFiles, column: str) -> dict[str, LoadedFiles]:
    """Return the sheets of a model cut by the values of a column, in order of appearance; {} if no sheet has it."""
    parts: dict[str, LoadedFiles] = {}
    for sheet in loaded.sheets:
        header = header_called(sheet, column)
        if not header:
            continue
        places: dict[str, list[int]] = {}
        for place, cell in enumerate(sheet.frame[header].tolist()):
            places.setdefault(cell.strip() or BLANK, []).append(place)
        for value, rows in places.items():
            part = parts.setdefault(value, LoadedFiles())
            part.sheets.append(replace(sheet, frame=sheet.frame.iloc[rows]))
    return parts


def header_called(sheet: LoadedSheet, column: str) -> str:
    """Return the sheet's header of this name, '' if there is none."""
    headers = [str(header) for header in sheet.frame.columns]
    exact = [header for header in headers if header == column]
    hits = exact or [header for header in headers if fold_header(header) == fold_header(column)]
    return hits[0] if hits else ""


def missing_columns(loaded: LoadedFiles, columns: Sequence[str], option: str) -> list[Problem]:
    """Return a note for each column that was asked for and that a sheet does not have."""
    return [
        note("no-such-column", f"no column {column!r} for {option} in this sheet").at(
            file=sheet.source, sheet=sheet.name
        )
        for column in columns
        for sheet in loaded.sheets
        if not header_called(sheet, column)
    ]


def kept_values(
    scored: ScoredSheet, loaded: LoadedSheet, columns: Sequence[str], schema: Schema, renamed: Renamings
) -> dict[str, list[str]]:
    """Return the values of a user's columns for each unit: its row's, or those of all rows with its key."""
    kept: dict[str, list[str]] = {}
    for column in columns:
        header = header_called(loaded, column)
        if not header:
            kept[column] = [""] * len(scored.units)
            continue
        cells = dict(zip(loaded.frame.index.tolist(), loaded.frame[header].tolist(), strict=True))
        if scored.units.rows is not None:
            kept[column] = [cells.get(row, "") for row in scored.units.rows]
            continue
        by_key = _values_by_key(loaded, header, schema, renamed)
        keys = next(iter(scored.units.keys.values()), [""] * len(scored.units))
        kept[column] = [" | ".join(by_key.get(join_key(key), ())) for key in keys]
    return kept


def _values_by_key(loaded: LoadedSheet, header: str, schema: Schema, renamed: Renamings) -> dict[str, dict[str, None]]:
    """Return the different values of a column for each key of the sheet."""
    own = schema.of_sheet(loaded.name)
    named = {column.name: mine for mine, column in headers_of(loaded.frame, own, renamed).items()}
    key = named.get(own.key) if own.key else None
    if key is None:
        return {}
    values: dict[str, dict[str, None]] = {}
    for about, cell in zip(loaded.frame[key].tolist(), loaded.frame[header].tolist(), strict=True):
        if cell.strip():
            values.setdefault(join_key(about), {})[cell.strip()] = None
    return values
