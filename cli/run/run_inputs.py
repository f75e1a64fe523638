"""What a run works on: its models, the tables beside them, and the plan that workers are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import Discovery, discover_models
from scoresheet.cli.input.guard import CIRCLE, is_circular, real_path
from scoresheet.cli.input.header_matching import (
    OUTPUTS,
    REFERENCES,
    Renamings,
    on_side,
    without_column,
)
from scoresheet.cli.input.manifests import is_results
from scoresheet.cli.input.nothing_found import what_else
from scoresheet.cli.run.breakdown import once
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.provenance import recipe
from scoresheet.cli.run.request import Request, Run
from scoresheet.cli.run.results_folder import ResultsFolder
from scoresheet.cli.run.side_tables import SideTable, TableSource, find_references, find_tables, read_side_table
from scoresheet.cli.settings import Settings
from scoresheet.cli.urls import is_remote
from scoresheet.cli.version import VERSION
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.problems import SKIPPED
from scoresheet.metrics.schema import SOURCE, Schema, TableSchema
from scoresheet.metrics.tables import text_cells

TRIED: Final = 3  # files of a side that are read once more, to see whether they are the other's
REFERENCES_TABLE: Final = ""  # stands for the references among the tables that options name


def discovered_inputs(request: Request[O, P, C, S, R, K]) -> tuple[Discovery, dict[str, TableSource]]:
    """Return the models, and the files of references and tables; a place with nothing to read stops the run at once."""
    schema = request.family.schema
    if is_circular(request.out):
        raise Stop(Exit.USAGE, f"{request.out}: {CIRCLE}, and no folder to write to; name another with -o")
    places, limits = request.places, request.settings.limits()
    for place in filter(None, (request.outputs, request.references)):
        local = places.local(place, limits, trec=schema.reads_trec or place == request.references)
        if is_results(Path(local)) or is_same_place(place, request.settings.out):
            raise Stop(
                Exit.USAGE, f"{place}: this is the folder of results; inputs and reports need folders of their own"
            )
    if request.references and is_same_place(request.references, request.outputs):
        raise Stop(Exit.USAGE, f"{request.references}: outputs and references cannot be the same; name both")
    named = [str(getattr(request.options, name)) for name in schema.tables]
    outputs = places.local(request.outputs, limits, trec=schema.reads_trec)
    others = (request.settings.out, request.references, *named)
    copied = [path for other in others if (path := places.within(other, request.outputs))]
    found = discover_models(
        outputs,
        apart=[request.out, *copied, *(Path(each) for each in others[1:] if each and not is_remote(each))],
        trec=schema.reads_trec,
        is_one=schema.is_one_model,
    )
    found = places.rename(found, request.outputs)
    tables = find_tables(schema, request.options, places, limits)
    if not found.models and not found.clashing:
        skipped = [problem.at(folder=found.folder) for problem in found.problems if problem.effect in SKIPPED]
        why = (f" ({skipped[0]})" if skipped else "") + what_else(outputs)
        raise Stop(Exit.NOTHING, f"{request.outputs}: no CSV or Excel files here{why}; nothing could be scored")
    references = find_references(
        request.references, schema.references or TableSchema(), places, limits, trec=schema.reads_trec
    )
    return found, {REFERENCES_TABLE: references, **tables}


def is_same_place(place: str, other: str) -> bool:
    """Return whether two places are one, on this machine or elsewhere."""
    if is_remote(place) or is_remote(other):
        return place.rstrip("/") == other.rstrip("/")
    return real_path(Path(place)) == real_path(Path(other))


def plan_of_request(
    request: Request[O, P, C, S, R, K],
    found: Discovery,
    tables: Mapping[str, SideTable],
    renamed: Renamings,
    results: ResultsFolder | None,
) -> Plan[O, P, C, S, R, K]:
    """Return what workers are told; without a folder for results they write nothing."""
    settings = request.settings
    own = request.options.signature(referenced=bool(request.references))
    plan = Plan(
        family=request.family,
        reporter=request.reporter,
        options=request.options,
        signature="|".join([request.family.name, *own, f"v:{VERSION}", *settings.signature()]),
        rules=settings.read_rules(request.family.schema, renamed, request.options.named_headers()),
        renamed=renamed,
        folder=found.folder,
        reference_sources=tuple(dict.fromkeys(text_cells(tables[REFERENCES_TABLE].table, SOURCE))),
        side_files={
            (f"{file} (--{name})" if name else file): digest
            for name, table in tables.items()
            for file, digest in table.files.items()
        },
        stage=results.stage if results else None,
        raw_csv=settings.raw_csv,
        by=once(settings.by),
        keep=once(settings.keep),
        lone_folder=_is_lone_folder(found, request.family.schema),
        workbooks=settings.workbooks,
        tables=settings.tables,
    )
    return replace(plan, recipe=recipe(plan)) if results else plan


def _is_lone_folder(found: Discovery, schema: Schema) -> bool:
    """Return whether one folder of files is all there is, where its files should be alike."""
    return schema.by_sheet is None and len(found.models) == 1 and found.models[0].folder and not found.clashing


def switched_off(settings: Settings, schema: Schema) -> Renamings:
    """Return the family's own column of models, where no column is to name any."""
    return (without_column(schema.groups_by_model),) if schema.groups_by_model and not settings.model_column else ()


def other_order(
    request: Request[O, P, C, S, R, K],
    run: Run[O, P, C, S, R, K],
    found: Discovery,
    references: TableSource,
    renamed: Renamings,
) -> str:
    """Return the arguments in the other order, if only so the files have the columns that each side needs."""
    schema = request.family.schema
    fits = run.plan.referenced and any(outcome.sheets for outcome in run.outcomes)
    too_much = any(problem.kind == "over-limit" for problem in run.problems)  # is not read once more
    if fits or too_much or schema.references is None or not request.references:
        return ""
    outputs = [source for model in found.models for source in model.files]
    rules = request.settings.read_rules(schema, renamed)
    for side, table, sources in (
        (REFERENCES, schema.references, outputs),
        (OUTPUTS, schema.outputs, references.sources),
    ):
        tried = TableSource(table, Discovery(), sources[:TRIED])
        if not len(read_side_table(tried, rules, request.settings, on_side(renamed, side)).table):
            return ""
    return f"{quote(request.references)} {quote(request.outputs)}"
