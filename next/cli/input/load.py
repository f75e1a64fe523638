"""One table, from the frame that was read to the long table that a family scores."""

from collections.abc import Collection
from dataclasses import dataclass, field

import pandas as pd

from scoresheet.cli.input.columns import map_columns
from scoresheet.cli.input.grammar import Condition, Said, filter_rows
from scoresheet.cli.input.mapping import Mapping, Place, Raw
from scoresheet.cli.input.read_excel import hidden_values
from scoresheet.cli.input.source import ReadRules
from scoresheet.cli.input.tidy import Long, TidyRules, tidy, without_missing
from scoresheet.cli.input.values import Given, check_values, drop_repeats
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
    columns = zip(frame.columns, frame.to_numpy(dtype=object).T, strict=True)
    raw = Raw({header: list(cells) for header, cells in columns}, frame.index.tolist(), place)
    raw = without_missing(raw, rules.tidy.missing_values)
    mapping = map_columns(table, raw, rules.said, worksheets=worksheets, given=rules.given)
    long = tidy(table, raw, mapping, rules.tidy)
    if place.source.format == "excel":
        _look_behind_empty_cells(long, rules.read)
    drop_repeats(long, rules.repeats)
    refused = check_values(long, Given(rules.given, references, key), rules.accept)
    if refused:
        raise Refusal(*refused)
    return Loaded(long.frame(), mapping, long.problems)


def _look_behind_empty_cells(long: Long, rules: ReadRules) -> None:
    """Refuse a sheet with a needed formula that has no stored value; report error cells."""
    used = {f.headers[0]: f.role for f in long.mapping.fillings if f.how == "header"}
    headers, raw = list(long.raw.cells), long.raw
    empty = [
        (row, headers.index(header))
        for header, role in used.items()
        if long.table.role(role).needed
        for row, cell in zip(raw.rows, raw.cells[header], strict=True)
        if cell == ""
    ]
    found = hidden_values(raw.place.source, raw.place.sheet, empty, rules) if empty else {}
    for (row, at), value in found.items():
        column = headers[at]
        if value == "formula":
            message = "the cell holds a formula without a stored value"
            hint = "open the file in Excel, save it, and run again"
            raise Refusal(Problem("formula", "skipped", message, row=row, column=column, hint=hint))
        long.note("error-cell", f"the cell holds the error {value}", column, row)
