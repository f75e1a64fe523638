"""One table, from the frame that was read to the long table that a family scores."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import pandas as pd

from scoresheet.cli.input.columns import map_columns
from scoresheet.cli.input.grammar import Condition, Said, filter_rows
from scoresheet.cli.input.mapping import Mapping
from scoresheet.cli.input.read_excel import hidden_values
from scoresheet.cli.input.source import ReadRules
from scoresheet.cli.input.tidy import Place, TidyRules, tidy
from scoresheet.cli.input.values import Checked, check_references, check_values, repeated_rows
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table


@dataclass(frozen=True)
class LoadRules:
    """The options that concern the columns and rows of tables.

    `given` are the names of the further tables of the run.
    """

    said: tuple[Said, ...] = ()
    where: tuple[Condition, ...] = ()
    tidy: TidyRules = field(default_factory=TidyRules)
    accept: frozenset[str] = frozenset()
    repeats: str = "error"
    given: Collection[str] = ()
    read: ReadRules = field(default_factory=ReadRules)


@dataclass(frozen=True)
class Loaded:
    """A table as a family scores it, what it was read as, and what is worth a word."""

    long: pd.DataFrame
    mapping: Mapping
    problems: list[Problem]


def load_table(
    table: Table,
    frame: pd.DataFrame,
    place: Place,
    rules: LoadRules,
    *,
    worksheets: int = 1,
    references: pd.DataFrame | None = None,
    key: str = "",
) -> Loaded:
    """Return the long table, or refuse with every problem that was found.

    `references` are the run's references, joined by the role `key`, for the checks that need them.
    """
    if table.name == "outputs":
        frame = filter_rows(frame, rules.where)
    mapping = map_columns(
        table, frame, place.source, rules.said, worksheets=worksheets, given=rules.given
    )
    long, problems = tidy(table, frame, mapping, place, rules.tidy)
    if place.source.format == "excel":
        problems += _look_behind_empty_cells(table, frame, mapping, place, rules.read)
    checked = Checked(table, frame, mapping, long, references, rules.given)
    long, repeated = repeated_rows(checked, rules.repeats)
    checked = replace(checked, long=long)
    refused = [*check_values(checked, rules.accept), *check_references(checked, key)]
    if refused:
        raise Refusal(*refused)
    return Loaded(long, mapping, problems + repeated)


def _look_behind_empty_cells(
    table: Table, frame: pd.DataFrame, mapping: Mapping, place: Place, rules: ReadRules
) -> list[Problem]:
    """Refuse a sheet with a needed formula that has no stored value; report error cells."""
    used = {f.headers[0]: f.role for f in mapping.fillings if f.how == "header"}
    needed = {header for header, role in used.items() if table.role(role).needed}
    empty = [
        (int(row), at)
        for at, header in enumerate(frame.columns)
        if header in needed
        for row in frame.index[frame[header].to_numpy() == ""]
    ]
    found = hidden_values(place.source, place.sheet, empty, rules) if empty else {}
    problems = []
    for (row, at), value in found.items():
        column = str(frame.columns[at])
        if value == "formula":
            message = "the cell holds a formula without a stored value"
            hint = "open the file in Excel, save it, and run again"
            raise Refusal(Problem("formula", "skipped", message, row=row, column=column, hint=hint))
        message = f"the cell holds the error {value}"
        problems.append(Problem("error-cell", "note", message, row=row, column=column))
    return problems
