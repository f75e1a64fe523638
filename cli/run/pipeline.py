"""The one pipeline that runs every family: discover → load → parse → context → score → combine → compare → commit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Final, Generic, NamedTuple

from scoresheet.cli.config.defaults import FileDefaults
from scoresheet.cli.exits import Exit, Stop, worst
from scoresheet.cli.input.discover import Discovery, ModelInput, discover_models
from scoresheet.cli.input.guard import CIRCLE, is_circular, real_path
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.header_matching import (
    OUTPUTS,
    REFERENCES,
    Renamings,
    fold_header,
    headers_wanted,
    on_side,
    parse_columns,
    suggestion,
    without_column,
)
from scoresheet.cli.input.manifests import is_results
from scoresheet.cli.input.model_columns import Separated, models_by_column
from scoresheet.cli.input.nothing_found import what_else
from scoresheet.cli.input.remote import RemotePlaces
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.input.run_tags import shared_tags
from scoresheet.cli.report.reporter import Reporter
from scoresheet.cli.run.baseline import Baseline, as_written, changes_since, judge_changes, refuse_other_signature
from scoresheet.cli.run.breakdown import no_column_message, once
from scoresheet.cli.run.clock import Clock
from scoresheet.cli.run.engines.engine import Engine, ModelWork, chosen_engine, require_engine
from scoresheet.cli.run.gates import (
    Gate,
    GateVerdict,
    ModelLine,
    failed_only,
    judge_alerts,
    judge_coverage,
    judge_lines,
    parse_gates,
)
from scoresheet.cli.run.model_reports import is_own, own_stem, report_names
from scoresheet.cli.run.model_worker import reduced_sheets, score_model
from scoresheet.cli.run.ownership import owned_listing, owner_of, refuse_unlisted
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.pool import Bug, WorkerCrashed
from scoresheet.cli.run.problem_places import given_up, located_problem, located_problems
from scoresheet.cli.run.provenance import recipe, with_context
from scoresheet.cli.run.remote_results import RemoteResults
from scoresheet.cli.run.results_folder import EarlierReport, Publish, ResultsFolder, locked_results
from scoresheet.cli.run.results_table import best_first, result_columns, result_row
from scoresheet.cli.run.run_reports import CHANGES, by_files, manifest, run_files, write_run
from scoresheet.cli.run.side_tables import SideTable, TableSource, find_references, find_tables, read_side_table
from scoresheet.cli.run.unchanged import LastRun, kept_files, kept_name
from scoresheet.cli.settings import AUTO, Settings
from scoresheet.cli.terminal.progress import Progress
from scoresheet.cli.urls import is_remote
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.names import file_key
from scoresheet.metrics.compare import ComparedBy
from scoresheet.metrics.family import Audit, C, Family, Given, K, O, P, R, S
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import SKIPPED, Noted, NoUsableInput, Problem
from scoresheet.metrics.schema import SOURCE, Schema, TableSchema

_TRIED: Final = 3  # files of a side that are read once more, to see whether they are the other's
_REFERENCES: Final = ""  # stands for the references among the tables that options name


@dataclass(frozen=True)
class Request(Generic[O, P, C, S, R, K]):
    """One command line, understood."""

    family: Family[O, P, C, S, R, K]
    reporter: Reporter[O, C, R, K]
    options: O
    settings: Settings
    outputs: str
    references: str
    out: Path
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)  # SCORESHEET_* of the environment
    configuration: FileDefaults = field(default_factory=FileDefaults)  # what a file of settings gave
    clock: Clock = field(default_factory=Clock)
    places: RemotePlaces = field(default_factory=RemotePlaces)  # that URLs name
    publish: Publish | None = None  # what `out` stands for, if that is elsewhere


@dataclass(frozen=True)
class Run(Generic[O, P, C, S, R, K]):
    """What a run came to."""

    plan: Plan[O, P, C, S, R, K]
    outcomes: tuple[Outcome[R], ...]  # the best model first
    comparison: K
    problems: tuple[Problem, ...]
    ignored: tuple[str, ...]
    bugs: tuple[str, ...] = ()  # tracebacks of our own failures
    files: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()  # reports of earlier runs
    left: tuple[EarlierReport, ...] = ()
    baseline: Baseline | None = None
    awaited: str = ""  # the baseline that there is none of yet: the folder that this run is the first to write to
    gates: tuple[GateVerdict, ...] = ()  # what was judged, held or not
    swapped: str = ""  # what to type instead, where outputs and references seem to have been exchanged
    rewritten: tuple[str, ...] = ()  # what the last run left and was not as it left it, in words

    @property
    def unchanged(self) -> list[str]:
        """The models that are as they were in the last run, and were not scored again."""
        return [outcome.model for outcome in self.outcomes if outcome.unchanged]

    @property
    def results(self) -> dict[str, R]:
        """The results of the models that have one."""
        return results_of(self.outcomes)

    @property
    def audit(self) -> Audit | None:
        """How a sample of the rows compares with a reference library."""
        return self.comparison.audit

    @property
    def failed_gates(self) -> list[GateVerdict]:
        """Why the run is to end as one whose gate did not hold."""
        return failed_only(self.gates)

    @property
    def answer(self) -> str:
        """What the run says, in a sentence that can be quoted."""
        return self.plan.reporter.answer(self.comparison, self.results, self.plan.options)

    @property
    def since(self) -> str:
        """What has changed since the baseline, in a sentence or two; '' where none was asked for."""
        if self.awaited and self.is_scored:  # else nothing was written that a next run could be held against
            return f"Since {self.awaited}: no results were there yet; the next run is held against these."
        return self.baseline.sentence() if self.baseline else ""

    @property
    def is_scored(self) -> bool:
        """Whether any row of any model has a score."""
        return any(outcome.scored for outcome in self.outcomes)

    def exit_code(self, *, strict: bool) -> Exit:
        """Return what the shell is told."""
        costly = [problem for problem in self.problems if self.plan.is_costly(problem)]
        partial = any(problem.effect in SKIPPED for problem in costly) or (strict and bool(costly))
        return worst(
            code
            for code, is_so in (
                (Exit.BUG, bool(self.bugs)),
                (Exit.NOTHING, not self.is_scored),
                (Exit.GATE, bool(self.failed_gates)),
                (Exit.PARTIAL, partial),
            )
            if is_so
        )


def execute(request: Request[O, P, C, S, R, K], progress: Progress) -> Run[O, P, C, S, R, K]:
    """Run a request from directories to committed reports."""
    family, settings = request.family, request.settings
    family.require(request.options)
    require_engine(settings)
    if settings.keep and not request.reporter.keeps_columns:
        raise Stop(Exit.USAGE, f"--keep {settings.keep[0]}: the units of {family.name} are of no rows of their own")
    renamed = (*parse_columns(settings.column, family.schema), *_switched_off(settings, family.schema))
    gates = parse_gates(settings.fail_if, request.reporter, request.options)
    earlier = _baseline(request)
    found, sources = discovered_inputs(request)
    _refuse_foreign_results(request, found)
    held = locked_results(request.out, family.name, wait=settings.wait, publish=request.publish)
    with nullcontext() if settings.dry_run else held as results:
        rules = settings.read_rules(family.schema, renamed)
        tables = {
            name: read_side_table(source, rules, settings, on_side(renamed, name or REFERENCES))
            for name, source in sources.items()
        }
        plan = plan_of_request(request, found, tables, on_side(renamed, OUTPUTS), results)
        last = LastRun.of(results, fresh=settings.fresh)
        outcomes: list[Outcome[R]]
        method: tuple[tuple[str, str], ...] = ()
        noted: Sequence[Problem]
        with chosen_engine(settings) as engine:
            try:
                context = _context(request, plan, tables, _Models(engine, found, last, progress))
            except NoUsableInput as unusable:
                # the models' rows are not at fault, and there is nothing to hold them to
                noted = unusable.problems
                names = sorted([*found.clashing, *(model.name for model in found.models)])
                outcomes = [Outcome(name) for name in names]
            else:
                noted = context.problems
                method = plan.reporter.method(context.value, plan.options)
                scoring = with_context(plan, context.value)
                outcomes = _outcomes(scoring, context.value, request, _Models(engine, found, last, progress))
        results_now = results_of(outcomes)
        _refuse_unknown_model(settings.against, results_now)
        with progress.comparing(len(results_now)) as tell:
            comparison = family.compare(results_now, request.options, replace(settings.pairing(), tell=tell))
        run = Run(
            plan=plan,
            outcomes=best_first(outcomes, comparison.paired),
            comparison=comparison,
            problems=(
                *(located_problem(problem, plan, found.folder) for problem in found.problems),
                *shared_tags({outcome.model: outcome.tags for outcome in outcomes}),
                *(problem for table in tables.values() for problem in table.problems),
                *(of_table(problem, plan, sources[problem.table]) for problem in noted),
                *problems_of(outcomes),
            ),
            ignored=(*found.ignored, *(name for source in sources.values() for name in source.found.ignored)),
            bugs=(
                *(bug for table in tables.values() for bug in table.bugs),
                *(outcome.bug for outcome in outcomes if outcome.bug),
            ),
        )
        refuse_unmet_renamings(run, tables, renamed)
        _refuse_unmet_names(run, settings)
        run = _judged(run, gates, earlier, settings)
        if run.audit is not None and run.audit.mismatches:
            raise Stop(Exit.BUG, "the audit failed, nothing was written: " + "; ".join(run.audit.mismatches))
        if not run.is_scored:
            return replace(run, swapped=_other_order(request, run, found, sources[_REFERENCES], renamed))
        if results is None:
            return run
        return _committed(run, method, results, request, last)


def _other_order(
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
        tried = TableSource(table, Discovery(), sources[:_TRIED])
        if not len(read_side_table(tried, rules, request.settings, on_side(renamed, side)).frame):
            return ""
    return f"{quote(request.references)} {quote(request.outputs)}"


def _switched_off(settings: Settings, schema: Schema) -> Renamings:
    """Return the family's own column of models, where no column is to name any."""
    return (without_column(schema.groups_by_model),) if schema.groups_by_model and not settings.model_column else ()


def _baseline(request: Request[O, P, C, S, R, K]) -> EarlierResults | None:
    """Return the results that models are held against; Stop if they are another command's, or no drop can be told.

    There are none yet where a run is the first to write to the folder that it is held against, night after night.
    """
    settings, family = request.settings, request.family
    if not settings.baseline:
        return None
    folder = Path(settings.baseline)
    if is_remote(settings.baseline):
        same = _is_same(settings.baseline, settings.out)
        folder = request.out if same else RemoteResults(settings.baseline, request.places).copy
    if real_path(folder) == real_path(request.out) and not owner_of(request.out):
        _refuse_drop(settings, family.compared_by(request.options, ()))
        return None
    earlier = EarlierResults.of(folder)
    if earlier.command.name != family.name:
        raise Stop(
            Exit.USAGE,
            f"--baseline {settings.baseline}: these are results of {earlier.command.name}, not {family.name}",
        )
    _refuse_drop(settings, earlier.compared_by)
    return earlier


def _refuse_drop(settings: Settings, by: ComparedBy | None) -> None:
    if not math.isinf(settings.max_drop) and by is not None and by.better is None:
        why = f"{by.headline} has no direction, so that it cannot drop"
        raise Stop(Exit.USAGE, f"--max-drop {settings.max_drop:g}: {why}")


def _refuse_unknown_model(model: str, results: Mapping[str, R]) -> None:
    if model and model not in results:
        hint = suggestion(model, list(results)) or f"; there are {join_names(results, most=12)}"
        raise Stop(Exit.USAGE, f"--against {model}: no model of this run is called so, or it has no results{hint}")


def _judged(
    run: Run[O, P, C, S, R, K], gates: Sequence[Gate], earlier: EarlierResults | None, settings: Settings
) -> Run[O, P, C, S, R, K]:
    """Return the run with the change since its baseline, and the verdicts of all gates."""
    plan = run.plan
    measures = plan.reporter.result_columns(list(run.results.values()), plan.options).measures
    columns = result_columns(measures)
    names = [column.name for column in columns]
    lines = [
        ModelLine(
            outcome.model,
            dict(zip(names, result_row(outcome, measures, run.comparison.paired), strict=True)),
            failed=outcome.result is None,
        )
        for outcome in run.outcomes
    ]
    verdicts = [
        *judge_lines(gates, columns, lines),
        *judge_coverage(run.outcomes, settings.min_coverage),
        *(judge_alerts(run.results) if plan.reporter.fails_on_alerts(plan.options) else ()),
    ]
    baseline = None
    if earlier is not None:
        differs = refuse_other_signature(earlier, plan.signature, anyway=settings.anyway)
        now = {model: as_written(result.compared) for model, result in run.results.items()}
        baseline = replace(changes_since(earlier, now, plan.family, plan.options, differs), folder=settings.baseline)
        most = None if math.isinf(settings.max_drop) else settings.max_drop
        verdicts += judge_changes(baseline, fail_if_worse=settings.fail_if_worse, max_drop=most)
    awaited = settings.baseline if earlier is None else ""
    return replace(run, gates=tuple(verdicts), baseline=baseline, awaited=awaited)


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


def _refuse_unmet_names(run: Run[O, P, C, S, R, K], settings: Settings) -> None:
    """Stop if a column that is to name models or sheets, to be shown by, or to be kept, is in no table."""
    sheets = [sheet for outcome in run.outcomes for sheet in outcome.sheets]
    headers = list(dict.fromkeys(header for each in sheets for header in (*each.columns.values(), *each.ignored)))
    for what, name, used in (
        ("model", settings.model_column, any(each.model_column for each in sheets)),
        ("sheet", settings.sheet_column, any(each.sheet_column for each in sheets)),
    ):
        if name not in ("", AUTO) and sheets and not used:
            hint = suggestion(name, headers)
            raise Stop(Exit.USAGE, f"--{what}-column {name}: no file has such a column{hint}")
    for option, columns in (("--by", run.plan.by), ("--keep", run.plan.keep)):
        for column in columns:
            without = [problem for problem in run.problems if problem.message == no_column_message(column, option)]
            if sheets and len(without) >= len(sheets):
                hint = suggestion(column, headers)
                raise Stop(Exit.USAGE, f"{option} {column}: no file has such a column{hint}")


def problems_of(outcomes: Sequence[Outcome[R]]) -> list[Problem]:
    """Return the problems of all models; what costs a sheet that holds rows of several is said once, not for each."""
    problems: list[Problem] = []
    lost: set[Problem] = set()
    for problem in (problem for outcome in outcomes for problem in outcome.problems):
        if problem not in lost:
            problems.append(problem)
        if problem.effect in SKIPPED:
            lost.add(problem)
    return problems


def results_of(outcomes: Sequence[Outcome[R]]) -> dict[str, R]:
    """Return the results of the models that have one."""
    return {outcome.model: outcome.result for outcome in outcomes if outcome.result is not None}


def discovered_inputs(request: Request[O, P, C, S, R, K]) -> tuple[Discovery, dict[str, TableSource]]:
    """Return the models, and the files of references and tables; a place with nothing to read stops the run at once."""
    schema = request.family.schema
    if is_circular(request.out):
        raise Stop(Exit.USAGE, f"{request.out}: {CIRCLE}, and no folder to write to; name another with -o")
    places, limits = request.places, request.settings.limits()
    for place in filter(None, (request.outputs, request.references)):
        local = places.local(place, limits, trec=schema.reads_trec or place == request.references)
        if is_results(Path(local)) or _is_same(place, request.settings.out):
            raise Stop(
                Exit.USAGE, f"{place}: this is the folder of results; inputs and reports need folders of their own"
            )
    if request.references and _is_same(request.references, request.outputs):
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
    return found, {_REFERENCES: references, **tables}


def _is_same(place: str, other: str) -> bool:
    """Return whether two places are one, on this machine or elsewhere."""
    if is_remote(place) or is_remote(other):
        return place.rstrip("/") == other.rstrip("/")
    return real_path(Path(place)) == real_path(Path(other))


def _refuse_foreign_results(request: Request[O, P, C, S, R, K], found: Discovery) -> None:
    """Stop before anything is read or touched if the results folder, or a file that would be replaced, is not ours."""
    reports = [name for model in found.models for name in _written_of(request, model)]
    listing = owned_listing(request.out, request.family.name)
    further = by_files(request.reporter, once(request.settings.by))
    further += [CHANGES] if request.settings.baseline else []
    of_run = [name for name in run_files(request.reporter) if request.settings.workbooks or not name.endswith(".xlsx")]
    refuse_unlisted(request.out, [*of_run, *further, *reports], listing)


def _refuse_foreign_reports(request: Request[O, P, C, S, R, K], models: Sequence[ModelInput]) -> None:
    """Stop if a report of a model that a column names would replace a file that is not ours."""
    reports = [name for model in models for name in _written_of(request, model)]
    refuse_unlisted(request.out, reports, owned_listing(request.out, request.family.name))


def _written_of(request: Request[O, P, C, S, R, K], model: ModelInput) -> list[str]:
    """Return the names of the files that are written of every model."""
    workbook, *tables = report_names(request.reporter, model.name)
    written = [*tables, kept_name(request.reporter, model.name)]
    return [workbook, *written] if request.settings.workbooks else written


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
        reference_sources=tuple(dict.fromkeys(tables[_REFERENCES].frame[SOURCE])),
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


class _Models(NamedTuple):
    """The models of a run, what they are worked on by, what the last run left of them, and where it shows."""

    engine: Engine
    found: Discovery
    last: LastRun
    progress: Progress


def _context(
    request: Request[O, P, C, S, R, K], plan: Plan[O, P, C, S, R, K], tables: Mapping[str, SideTable], models: _Models
) -> Noted[C]:
    """Return what scoring needs of all that was given; NoUsableInput if there is nothing to score with."""
    further = {name: table.frame for name, table in tables.items() if name != _REFERENCES}
    if (request.references and not plan.referenced) or not all(map(len, further.values())):
        raise NoUsableInput(())  # why is said already, where the files were read
    twice = request.family.two_pass(request.options, referenced=plan.referenced)
    given = Given(
        references=tables[_REFERENCES].frame,
        tables=further,
        sheets=_first_pass(plan, models) if twice else (),
    )
    return request.family.context(given, request.options)


def of_table(problem: Problem, plan: Plan[O, P, C, S, R, K], source: TableSource) -> Problem:
    """Return a problem of what was given where it is: of a table that one file holds, in that file."""
    alone = source.sources[0].shown if problem.table and len(source.sources) == 1 else ""
    return located_problem(problem.at(file=alone), plan, source.found.folder)


def _first_pass(plan: Plan[O, P, C, S, R, K], every: _Models) -> list[P]:
    """Return what the models' sheets hold, where scoring depends on all of them; a lost worker is lost again later."""
    known = {model: every.last.sheets(plan, model) for model in every.found.models}
    sheets = {model: kept for model, kept in known.items() if kept is not None}
    models = [model for model in every.found.models if model not in sheets]
    with every.progress.models([model.name for model in models]) as bar:
        results = every.engine.answers(ModelWork(reduced_sheets, plan), models, tick=bar.refresh)
        with closing(results):
            for number, result in results:
                bar.finished(number)
                sheets[models[number]] = [] if isinstance(result, WorkerCrashed | Bug) else result
    return [sheet for model in every.found.models for sheet in sheets[model]]


def _outcomes(
    plan: Plan[O, P, C, S, R, K], context: C, request: Request[O, P, C, S, R, K], models: _Models
) -> list[Outcome[R]]:
    """Return what came of every model: of those that files and folders are, then of those that a column names."""
    found = models.found
    outcomes, separated = _scored(plan, context, found.models, models)
    if separated:
        named = models_by_column(separated, [model for model in found.models if model not in separated], found)
        gone = set(map(file_key, found.clashing))
        outcomes = [outcome for outcome in outcomes if file_key(outcome.model) not in gone]
        _refuse_foreign_reports(request, named)
        more, _ = _scored(plan, context, named, models)
        outcomes += more
    outcomes += [Outcome(name) for name in found.clashing]
    return sorted(outcomes, key=lambda outcome: outcome.model)


def _scored(
    plan: Plan[O, P, C, S, R, K], context: C, some: Sequence[ModelInput], every: _Models
) -> tuple[list[Outcome[R]], dict[ModelInput, Separated]]:
    """Return what came of some models, and those whose rows are other models'."""
    known = {model: every.last.answer(plan, model) for model in some}
    outcomes = [answer for answer in known.values() if isinstance(answer, Outcome)]
    separated = {model: answer for model, answer in known.items() if isinstance(answer, Separated)}
    models = [model for model, answer in known.items() if answer is None]
    with every.progress.models([model.name for model in models]) as bar:
        work = ModelWork(score_model, plan, (context,))
        results = every.engine.answers(work, models, on_message=bar.on_message, tick=bar.refresh)
        with closing(results):
            for number, result in results:
                bar.finished(number)
                if isinstance(result, WorkerCrashed | Bug):
                    outcomes.append(_lost(models[number], result, bar.reading(number), plan))
                elif isinstance(result, Separated):
                    separated[models[number]] = result
                else:
                    outcomes.append(result)
    return outcomes, dict(sorted(separated.items(), key=lambda pair: pair[0].name))


def _committed(
    run: Run[O, P, C, S, R, K],
    method: tuple[tuple[str, str], ...],
    results: ResultsFolder,
    request: Request[O, P, C, S, R, K],
    last: LastRun,
) -> Run[O, P, C, S, R, K]:
    run = replace(run, rewritten=tuple(last.rewritten))
    files = write_run(run, method, results)
    kept = kept_files(results, last)
    earlier = results.earlier_reports([*files, *kept])
    # a model that failed this time is still one of this run: its last good report stays
    own = tuple(own_stem(run.plan.reporter, outcome.model) for outcome in run.outcomes if not outcome.files)
    unwanted = [
        report.name
        for report in earlier
        if not report.changed and not is_own(report.name, own, run.plan.reporter.tables)
    ]
    remove = tuple(unwanted) if request.settings.prune else ()
    left = tuple(report for report in earlier if report.name not in set(remove))
    outputs = {name: last.standing.get(name) or sha256(results.stage / name) for name in (*files, *kept)}
    results.commit(
        [name for name in outputs if name not in last.standing],
        manifest(run, outputs, left, request, method),
        standing=last.standing,
        remove=remove,
        # make deletes the target of a recipe that fails, which is likely to be the manifest
        keep_mark=run.exit_code(strict=request.settings.strict) != Exit.OK,
    )
    return replace(run, files=tuple(files), removed=remove, left=left)


def _lost(model: ModelInput, end: WorkerCrashed | Bug, reading: str, plan: Plan[O, P, C, S, R, K]) -> Outcome[R]:
    """Return the outcome of a model whose worker was lost; `reading` is the file it was last heard to read."""
    cause = end.problem().at(file=reading or model.files[0].shown)
    problems = located_problems([cause, *given_up(model, cause)], plan)
    return Outcome(model.name, problems=problems, bug=end.traceback if isinstance(end, Bug) else "")
