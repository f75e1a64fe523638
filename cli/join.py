"""The join: each row of a sheet finds its references by key; what finds none, on either side, is reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scoresheet.cli.columns import find_columns, header_of
from scoresheet.cli.separators import separating_columns
from scoresheet.metrics.core import ROW, SHEET, SOURCE, Family, Joined, Sheet, Table
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.tables import table, table_of_rows
from scoresheet.metrics.wording import listed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class References:
    """All reference rows of a run as one table, found by key."""

    table: pd.DataFrame  # the family's reference columns, and where they stood: SOURCE, SHEET, ROW
    positions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    loose: Mapping[str, str] = field(default_factory=dict)  # loose key → key, for suggestions


def collect_references(
    sheets: Sequence[Sheet], wanted: Table, renamed: Mapping[str, str]
) -> tuple[References, list[Problem]]:
    """Return the tables of one kind as one, with rows that have no key listed and left out."""
    import pandas as pd

    problems: list[Problem] = []
    frames = []
    columns = wanted.columns
    key = next((column.name for column in columns if column.kind == "key"), "")
    for sheet in sheets:
        sound, unsound, _, _ = _found(sheet, wanted, renamed, key)
        problems += [problem.at(file=sheet.source, sheet=sheet.name) for problem in unsound.values()]
        frame = sound.frame.drop(index=list(unsound))
        stood = {
            SOURCE: [sheet.source] * len(frame),
            SHEET: [sheet.name] * len(frame),
            ROW: frame.index.tolist(),
        }
        sources = table(stood, index=frame.index)
        frames.append(pd.concat([frame, sources], axis=1))
    names = [*(column.name for column in columns), SOURCE, SHEET, ROW]
    together = pd.concat(frames, ignore_index=True) if frames else table_of_rows(names, [])
    together = together.fillna("") if wanted.keeps_others else together  # tables may differ in their other columns
    positions: dict[str, list[int]] = {}
    for position, cell in enumerate(together[key] if key else []):
        positions.setdefault(join_key(cell), []).append(position)
    loose = {loose_key(name): name for name in positions}
    return References(together, {name: tuple(places) for name, places in positions.items()}, loose), problems


def join(sheet: Sheet, family: Family[Any], references: References, renamed: Mapping[str, str]) -> Joined:
    """Return the sheet under the family's column names, each row with the positions of its references."""
    found, unsound, absent, taken = _found(sheet, family.table_of(sheet.name), renamed, family.key)
    keys = [join_key(cell) for cell in found.frame[family.key]] if family.key else []
    matches = [references.positions.get(key, ()) for key in keys]
    hints = {
        row: references.loose[loose_key(key)]
        for row, key, match in zip(found.frame.index if keys else (), keys, matches, strict=True)
        if key and not match and loose_key(key) in references.loose
    }
    return Joined(found, matches, hints, unsound, absent, separating_columns(sheet.frame, taken))


def unused_references(joined: Iterable[Joined], references: References) -> list[Problem]:
    """Return a note on the references that no row of a model asked for."""
    used = {position for each in joined for match in each.matches for position in match}
    unused = [key for key, positions in references.positions.items() if used.isdisjoint(positions)]
    if not unused:
        return []
    some = listed(unused)
    message = f"{len(unused)} of {len(references.positions)} reference keys have no row in this model: {some}"
    return [Problem(kind="unused-references", message=message, effect="note")]


def _found(
    sheet: Sheet, table: Table, renamed: Mapping[str, str], key: str
) -> tuple[Sheet, dict[int, Problem], frozenset[str], frozenset[str | None]]:
    """Return the sheet with our column names, the rows that no family could score, columns it lacks, headers taken."""
    wanted = table.columns
    frame, absent = find_columns(sheet.frame, table, renamed, sheet=sheet.name)
    unsound: dict[int, Problem] = {}
    ours = {header_of(column.name, sheet.frame, wanted, renamed): column for column in wanted}
    for (row, header), shown in sheet.error_cells.items():
        if header in ours and row in frame.index:
            message = f"the cell holds the error {shown}; mend its formula, save, run again"
            unsound[row] = Problem(
                kind="error-cell", message=message, effect="row not scored", row=row, column=ours[header].name
            )
    places = {row: place for place, row in enumerate(frame.index)} if sheet.merged else {}
    for first, last, header in sheet.merged:
        column = ours.get(header)
        if column is not None and column.kind in ("key", "label"):
            cells = frame[column.name].tolist()
            for row in range(first + 1, last + 1):
                if row in places and not cells[places[row]].strip():
                    unsound.setdefault(row, _empty(row, column.name, f"the cell {column.name}", (first, last)))
    if key:
        for row, cell in zip(frame.index, frame[key], strict=True):
            if not cell.strip():
                unsound.setdefault(row, _empty(row, key, "the key"))
    return replace(sheet, frame=frame), unsound, absent, frozenset(ours)


def _empty(row: int, name: str, what: str, merged: tuple[int, int] | None = None) -> Problem:
    why = f": rows {merged[0]} to {merged[1]} are one merged cell; unmerge it and fill each row" if merged else ""
    return Problem(kind="empty-key", message=f"{what} is empty{why}", effect="row not scored", row=row, column=name)
