"""What a run is refused for before anything is written: names that no table has, files that are not ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple, NoReturn

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import Discovery, ModelInput
from scoresheet.cli.input.header_matching import (
    OUTPUTS,
    REFERENCES,
    Renamings,
    fold_header,
    headers_wanted,
    on_side,
    suggestion,
)
from scoresheet.cli.run.breakdown import no_column_message, once
from scoresheet.cli.run.model_reports import report_names
from scoresheet.cli.run.ownership import owned_listing, refuse_unlisted
from scoresheet.cli.run.plan import SheetAccount
from scoresheet.cli.run.request import Request, Run
from scoresheet.cli.run.run_reports import CHANGES, by_files, run_files
from scoresheet.cli.run.side_tables import SideTable
from scoresheet.cli.run.unchanged import kept_name
from scoresheet.cli.settings import AUTO, Settings
from scoresheet.metrics.compare import ComparedBy
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import SKIPPED, Problem
from scoresheet.metrics.schema import TableSchema


def refuse_unmet_renamings(run: Run[O, P, C, S, R, K], tables: Mapping[str, SideTable], renamed: Renamings) -> None:
    """Stop, before anything is written, if a header that was named is in no table: likely it is misspelt."""
    schema = run.plan.family.schema
    unmet = [problem for problem in run.problems if problem.kind == "renaming"]
    # of a sheet that was refused for another reason nobody knows whether it has the header
    refused = [each for each in run.problems if each.effect in SKIPPED and "which --column names" not in each.message]
    sides = [
        _Side(
            unmet,
            # the sheets of a system are asked together
            len(run.outcomes)
            if schema.by_sheet
            else len(refused) + sum(len(outcome.sheets) for outcome in run.outcomes),
            _named_columns([schema.outputs, *schema.further_outputs], on_side(renamed, OUTPUTS)),
        )
    ]
    for name, table in tables.items():
        of_side = schema.tables[name] if name else schema.references or TableSchema()
        sides.append(
            _Side(table.renamings, table.sheets, _named_columns([of_side], on_side(renamed, name or REFERENCES)))
        )
    for name in dict.fromkeys(fold_header(problem.column) for side in sides for problem in side.unmet):
        asked = [(side.of(name), side.sheets) for side in sides if name in side.named]
        if all(len(found) >= sheets for found, sheets in asked):
            said = next(found[0] for found, _ in asked if found).message.rpartition("; ")[0]
            raise Stop(Exit.USAGE, said.replace("no column", "no file has the column", 1))


class _Side(NamedTuple):
    """The tables of one side: how many there are, and of which columns that the user named they have no header."""

    unmet: Sequence[Problem]
    sheets: int
    named: Set[str]

    def of(self, name: str) -> list[Problem]:
        """Return what is said of one column."""
        return [problem for problem in self.unmet if fold_header(problem.column) == name]


def _named_columns(schemas: Sequence[TableSchema], renamed: Renamings) -> set[str]:
    """Return the columns that the user gave headers for."""
    columns = [column for schema in schemas for column in schema.columns]
    return {fold_header(column.name) for column in columns if headers_wanted(column, renamed)}


def refuse_unmet_names(run: Run[O, P, C, S, R, K], settings: Settings) -> None:
    """Stop if a column that is to name models or sheets, to be shown by, or to be kept, is in no table."""
    number = sum(len(outcome.sheets) for outcome in run.outcomes)

    def sheets() -> Iterator[SheetAccount]:
        return (sheet for outcome in run.outcomes for sheet in outcome.sheets)

    def refuse(option: str, name: str) -> NoReturn:
        headers = dict.fromkeys(header for each in sheets() for header in (*each.columns.values(), *each.ignored))
        raise Stop(Exit.USAGE, f"{option} {name}: no file has such a column{suggestion(name, list(headers))}")

    model, sheet = settings.model_column, settings.sheet_column
    if model not in ("", AUTO) and number and not any(each.model_column for each in sheets()):
        refuse("--model-column", model)
    if sheet not in ("", AUTO) and number and not any(each.sheet_column for each in sheets()):
        refuse("--sheet-column", sheet)
    for option, columns in (("--by", run.plan.by), ("--keep", run.plan.keep)):
        for column in columns:
            without = [problem for problem in run.problems if problem.message == no_column_message(column, option)]
            if number and len(without) >= number:
                refuse(option, column)


def refuse_unknown_model(model: str, results: Mapping[str, R]) -> None:
    """Stop if the model that all others are to be compared with is none of this run's."""
    if model and model not in results:
        hint = suggestion(model, list(results)) or f"; there are {join_names(results, most=12)}"
        raise Stop(Exit.USAGE, f"--against {model}: no model of this run is called so, or it has no results{hint}")


def refuse_drop(settings: Settings, by: ComparedBy | None) -> None:
    """Stop if a largest drop is asked for of a measure that has no direction."""
    if not math.isinf(settings.max_drop) and by is not None and by.better is None:
        why = f"{by.headline} has no direction, so that it cannot drop"
        raise Stop(Exit.USAGE, f"--max-drop {settings.max_drop:g}: {why}")


def refuse_foreign_results(request: Request[O, P, C, S, R, K], found: Discovery) -> None:
    """Stop before anything is read or touched if the results folder, or a file that would be replaced, is not ours."""
    reports = [name for model in found.models for name in _written_of(request, model)]
    listing = owned_listing(request.out, request.family.name)
    further = by_files(request.reporter, once(request.settings.by))
    further += [CHANGES] if request.settings.baseline else []
    of_run = [name for name in run_files(request.reporter) if request.settings.workbooks or not name.endswith(".xlsx")]
    refuse_unlisted(request.out, [*of_run, *further, *reports], listing)


def refuse_foreign_reports(request: Request[O, P, C, S, R, K], models: Sequence[ModelInput]) -> None:
    """Stop if a report of a model that a column names would replace a file that is not ours."""
    reports = [name for model in models for name in _written_of(request, model)]
    refuse_unlisted(request.out, reports, owned_listing(request.out, request.family.name))


def _written_of(request: Request[O, P, C, S, R, K], model: ModelInput) -> list[str]:
    """Return the names of the files that are written of every model."""
    workbook, *tables = report_names(request.reporter, model.name)
    written = [*tables, kept_name(request.reporter, model.name)]
    return [workbook, *written] if request.settings.workbooks else written
