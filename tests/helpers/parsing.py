"""Parsing without a run: rows in, what the family understood and said of them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scoresheet.cli.commands import command_named
from scoresheet.cli.input.grid import Grid
from scoresheet.cli.input.header_matching import parse_columns
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.cli.input.matched_sheets import matched_sheet
from scoresheet.metrics.problems import Problem


class Parsed(NamedTuple):
    """What a family made of a sheet, and what was wrong with it."""

    sheet: Any
    problems: list[Problem]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the problems, in order."""
        return [problem.kind for problem in self.problems]


def parsed(
    command: str,
    rows: Sequence[Sequence[object]],
    *,
    name: str = "Sheet1",
    referenced: bool = False,
    columns: Mapping[str, str] | None = None,
    **options: Any,
) -> Parsed:
    """Return a table, header first, as the family of a command parses it; an InputError says why it cannot."""
    family, chosen = command_named(command).family, command_named(command).options(**options)
    header, *body = [[str(cell) for cell in row] for row in rows]
    grid = Grid(dict(zip(header, zip(*body, strict=True), strict=True)), range(2, len(body) + 2))
    given = [f"{ours}={theirs}" for ours, theirs in (columns or {}).items()]
    renamed = parse_columns(given, family.schema)
    sheet = matched_sheet(LoadedSheet("m", name, grid, "m.csv"), family.schema.of_sheet(name), renamed)
    value, problems = family.parse(sheet, chosen, referenced=referenced)
    return Parsed(value, [*sheet.unusable_rows.values(), *sheet.notes, *problems])
