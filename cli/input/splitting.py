"""One table that holds several: by a column that names the sheet of each row, or the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from shlex import quote
from typing import Final, NamedTuple

from scoresheet.cli.input.formats.types import ReadRules, Table
from scoresheet.cli.input.header_matching import Renamings, fold_header
from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.cli.input.summary_rows import rows_of_no_model, summary_note
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.problems import Problem, reject, unscored_row

MODEL_COLUMNS: Final = ("model", "model_name")
SHEET_COLUMNS: Final = ("Sheet",)


class ModelRows(NamedTuple):
    """The rows of one model in a table."""

    model: str
    table: Table
    lost: int = 0  # rows without a model right below its own, which may be its too


def unclaimed_names(names: tuple[str, ...], renamed: Renamings) -> tuple[str, ...]:
    """Return the names but those that the user gave to columns of the family."""
    given = [header for each in renamed for header in each.headers]
    claimed = {fold_header(part) for header in given for part in (header, *header.split("|"))}
    return tuple(name for name in names if fold_header(name) not in claimed)


def split_sheets(tables: Sequence[Table], rules: ReadRules, *, of: int = 1) -> list[Table]:
    """Return a table for each value of a column that names sheets, in order of appearance; others as they are.

    `of` is how many tables the file has: the name of one among several stays in front of the value.
    """
    split = []
    for table in tables:
        header = _naming_column(table, rules.sheet_columns, "sheet")
        if not header or not len(table.grid):
            split.append(table)
            continue
        alone = of == 1 or is_default_sheet_name(table.name)
        _check_count(table, header, rules.limits, "sheets")
        for value, part in _parts(table, header).items():
            name = (value or table.name) if alone else f"{table.name}/{value}" if value else table.name
            split.append(replace(part, name=name, sheet_header=header))
    return split


def split_models(table: Table, rules: ReadRules) -> tuple[str, list[ModelRows], list[Problem]]:
    """Return the header that names models ('' if none does), the rows of each, and rows that name none."""
    header = _naming_column(table, rules.model_columns, "model")
    if not header or not len(table.grid):
        return "", [], []
    _check_count(table, header, rules.limits, "models")
    summaries = rows_of_no_model(table.grid, header)
    parts = _parts(replace(table, grid=table.grid.without_rows(summaries)), header)
    unnamed = parts.pop("", None)
    problems = [summary_note(row, text) for row, text in summaries.items()]
    nameless = list(unnamed.grid.rows) if unnamed else []
    above = _names_above(table.grid.cells(header), table.grid.rows)
    problems += [unscored_row("no-model", _nameless_message(above[row]), row=row, column=header) for row in nameless]
    lost = Counter(above[row] for row in nameless)
    return header, [ModelRows(model, part, lost[model]) for model, part in parts.items()], problems


def _names_above(cells: Sequence[str], rows: Sequence[int]) -> dict[int, str]:
    """Return for each row the model that it names, or else the last one named above it, '' if there is none."""
    names = accumulate(cells, lambda above, cell: cell.strip() or above, initial="")
    return dict(zip(rows, list(names)[1:], strict=True))


def _nameless_message(above: str) -> str:
    hint = f"; if the cell is merged with that of {above!r} above, --fill-down gives it that value" if above else ""
    return f"no model is named in this row{hint}"


def _naming_column(table: Table, names: Sequence[str], what: str) -> str:
    """Return the header that names the model or the sheet of each row; two of them refuse the sheet."""
    headers = table.grid.headers
    exact = [header for header in headers if header in names]
    folded = {fold_header(name) for name in names}
    hits = exact or [header for header in headers if fold_header(header) in folded]
    if len(hits) > 1:
        # a family of models has fewer names than they
        finest = max(hits, key=lambda hit: len(set(table.grid.cells(hit))))
        reject(
            "ambiguous-column",
            f"{' and '.join(map(repr, hits))} could both name the {what} of a row; say which: "
            f"--{what}-column {quote(finest)}",
            sheet=table.name,
            effect="sheet skipped",
        )
    return hits[0] if hits else ""


def _check_count(table: Table, header: str, limits: Limits, what: str) -> None:
    """Refuse a table that a column splits into more sheets or models than are made of one file."""
    values = {value.strip() for value in table.grid.cells(header)}
    if len(values) > getattr(limits, what):
        refuse_over(limits, what, len(values), f"the column {header!r} names", sheet=table.name, effect="sheet skipped")


def _parts(table: Table, header: str) -> dict[str, Table]:
    """Return the rows of each value of a column, which is gone from them."""
    places: dict[str, list[int]] = {}  # one walk over the rows, however many values there are
    for place, value in enumerate(table.grid.cells(header)):
        places.setdefault(value.strip(), []).append(place)
    rest = table.grid.without_columns({header})
    return {value: replace(table, grid=rest.taken(rows)) for value, rows in places.items()}
