"""Walks: a row that holds the choices of all levels, a column each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, normalize_answer
from scoresheet.metrics.families.mode_collapse.schema import CORRECTION, FLAGGED, LEVEL, PARENT
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import reject
from scoresheet.metrics.tables import text_cells


class Step(NamedTuple):
    """One choice of a walk, and those above it."""

    level: int
    path: tuple[str, ...]
    choice: str


def steps_of(choices: Sequence[str]) -> Iterator[Step]:
    """Yield the choices of a walk, each under those before it; where nothing was chosen, it ends.

    >>> [(step.level, step.choice) for step in steps_of(["Japan", "", "noon"])]
    [(0, 'Japan'), (1, '')]
    """
    path: tuple[str, ...] = ()
    for level, choice in enumerate(choices):
        yield Step(level, path, choice)
        if normalize_answer(choice) in ("", INCOMPLETE):
            return
        path = (*path, choice.strip())


def walk_cells(sheet: Sheet, columns: Sequence[str]) -> list[Sequence[str]]:
    """Return the cells of each column of the walk.

    Refused is a sheet that lacks one of them, or that has columns which only a row for each choice can have.
    """
    found = [_column_called(sheet, name) for name in columns]
    missing = [name for name, column in zip(columns, found, strict=True) if not column]
    named = flag(f"tree {','.join(columns)}")
    if missing:
        reject(
            "missing-column",
            f"no column {join_names(map(repr, missing))}, which {named} names; the header has "
            f"{join_names(sheet.headers, most=12)}; correct the name, or if the header stands further down, name its "
            f"row with {flag('header-row N')}",
            effect="sheet skipped",
        )
    for column, why in (
        (LEVEL, f"each row is one choice; leave out {flag('tree')}"),
        (PARENT, f"each row is one choice; leave out {flag('tree')}"),
        (CORRECTION, "it cannot be told which choice is corrected; correct the choices and take the column out"),
        (FLAGGED, "it cannot be told which choice is meant; take the column out"),
    ):
        if column.name not in sheet.absent and column.name not in found:
            message = f"there is a column {sheet.header(column.name)!r} beside the walk that {named} names: {why}"
            reject("walk-and-rows", message, effect="sheet skipped")
    return [text_cells(sheet.table, column) for column in found]


def _column_called(sheet: Sheet, name: str) -> str:
    """Return the column of the table that the user calls so, whatever the case; '' if there is none."""
    ours = {header: column for column, header in sheet.taken.items()}
    headers = [header for header in sheet.headers if header == name]
    headers = headers or [header for header in sheet.headers if header.casefold() == name.casefold()]
    return ours.get(headers[0], headers[0]) if headers else ""
