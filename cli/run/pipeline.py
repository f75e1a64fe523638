"""The one pipeline that runs every family: discover → load → parse → context → score → combine → compare → commit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.host import give_back_freed_memory
from scoresheet.cli.input.discover import Discovery, ModelInput
from scoresheet.cli.input.guard import real_path
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.header_matching import (
    OUTPUTS,
    REFERENCES,
    on_side,
    parse_columns,
)
from scoresheet.cli.input.model_columns import Separated, models_by_column
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.input.run_tags import shared_tags
from scoresheet.cli.run.baseline import as_written, changes_since, judge_changes, refuse_other_signature
from scoresheet.cli.run.engines.engine import Engine, ModelWork, chosen_engine, require_engine
from scoresheet.cli.run.gates import (
    Gate,
    ModelLine,
    judge_alerts,
    judge_coverage,
    judge_lines,
    parse_gates,
)
from scoresheet.cli.run.model_reports import is_own, own_stem
from scoresheet.cli.run.model_worker import reduced_sheets, score_model
from scoresheet.cli.run.outcomes import Outcomes
from scoresheet.cli.run.ownership import owner_of
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.pool import Bug, WorkerCrashed
from scoresheet.cli.run.problem_places import given_up, located_in_table, located_problem, located_problems
from scoresheet.cli.run.provenance import with_context
from scoresheet.cli.run.refusals import (
    refuse_drop,
    refuse_foreign_reports,
    refuse_foreign_results,
    refuse_unknown_model,
    refuse_unmet_names,
    refuse_unmet_renamings,
)
from scoresheet.cli.run.remote_results import RemoteResults
from scoresheet.cli.run.request import Request, Run, problems_of, results_of
from scoresheet.cli.run.results_folder import ResultsFolder, locked_results
from scoresheet.cli.run.results_table import place_by_rank, result_columns, result_row
from scoresheet.cli.run.run_inputs import (
    REFERENCES_TABLE,
    TRIED,
    discovered_inputs,
    is_same_place,
    other_order,
    plan_of_request,
    switched_off,
)
from scoresheet.cli.run.run_reports import manifest, write_run
from scoresheet.cli.run.side_tables import SideTable, read_side_table
from scoresheet.cli.run.unchanged import LastRun, kept_files
from scoresheet.cli.settings import Settings
from scoresheet.cli.terminal.progress import Progress
from scoresheet.cli.urls import is_remote
from scoresheet.cli.write.names import file_key
from scoresheet.metrics.family import C, Given, K, O, P, R, S
from scoresheet.metrics.problems import Noted, NoUsableInput, Problem
from scoresheet.metrics.tables import HeldTable


def execute(request: Request[O, P, C, S, R, K], progress: Progress) -> Run[O, P, C, S, R, K]:
    """Run a request from directories to committed reports."""
    family, settings = request.family, request.settings
    family.require(request.options)
    require_engine(settings)
    if settings.keep and not request.reporter.keeps_columns:
        raise Stop(Exit.USAGE, f"--keep {settings.keep[0]}: the units of {family.name} are of no rows of their own")
    renamed = (*parse_columns(settings.column, family.schema), *switched_off(settings, family.schema))
    gates = parse_gates(settings.fail_if, request.reporter, request.options)
    earlier = _baseline(request)
    found, sources = discovered_inputs(request)
    refuse_foreign_results(request, found)
    held = locked_results(request.out, family.name, wait=settings.wait, publish=request.publish)
    with nullcontext() if settings.dry_run else held as results:
        rules = settings.read_rules(family.schema, renamed)
        tables = {
            name: read_side_table(source, rules, settings, on_side(renamed, name or REFERENCES), progress)
            for name, source in sources.items()
        }
        plan = plan_of_request(request, found, tables, on_side(renamed, OUTPUTS), results)
        last = LastRun.of(results, fresh=settings.fresh)
        outcomes: Outcomes[R]
        method: tuple[tuple[str, str], ...] = ()
        noted: Sequence[Problem]
        with chosen_engine(settings) as engine:
            try:
                context = _context(request, plan, tables, _Models(engine, found, last, progress))
            except NoUsableInput as unusable:
                # the models' rows are not at fault, and there is nothing to hold them to
                noted = unusable.problems
                names = sorted([*found.clashing, *(model.name for model in found.models)])
                outcomes = Outcomes(Outcome(name) for name in names)
            else:
                noted = context.problems
                tables = {name: replace(table, table=HeldTable({})) for name, table in tables.items()}  # all is in it
                method = plan.reporter.method(context.value, plan.options)
                scoring = with_context(plan, context.value)
                outcomes = _outcomes(scoring, context.value, request, _Models(engine, found, last, progress))
        del found.models[TRIED:]  # all is known of them, unless nothing was scored
        give_back_freed_memory()  # what was made of answers, before arrays are made of them
        results_now = results_of(outcomes)
        refuse_unknown_model(settings.against, results_now)
        with progress.comparing(len(results_now)) as tell:
            comparison = family.compare(results_now, request.options, replace(settings.pairing(), tell=tell))
        give_back_freed_memory()  # comparing took arrays, writing takes texts
        run = Run(
            plan=plan,
            outcomes=outcomes.ordered(place_by_rank(comparison.paired)),
            comparison=comparison,
            problems=(
                *(located_problem(problem, plan, found.folder) for problem in found.problems),
                *shared_tags({outcome.model: outcome.tags for outcome in outcomes if outcome.tags}),
                *(problem for table in tables.values() for problem in table.problems),
                *(located_in_table(problem, plan, sources[problem.table]) for problem in noted),
                *problems_of(outcomes),
            ),
            ignored=(*found.ignored, *(name for source in sources.values() for name in source.found.ignored)),
            bugs=(
                *(bug for table in tables.values() for bug in table.bugs),
                *(outcome.bug for outcome in outcomes if outcome.bug),
            ),
        )
        refuse_unmet_renamings(run, tables, renamed)
        refuse_unmet_names(run, settings)
        run = _judged(run, gates, earlier, settings)
        if run.audit is not None and run.audit.mismatches:
            raise Stop(Exit.BUG, "the audit failed, nothing was written: " + "; ".join(run.audit.mismatches))
        if not run.is_scored:
            return replace(run, swapped=other_order(request, run, found, sources[REFERENCES_TABLE], renamed))
        if results is None:
            return run
        return _committed(run, method, results, request, last)


def _baseline(request: Request[O, P, C, S, R, K]) -> EarlierResults | None:
    """Return the results that models are held against; Stop if they are another command's, or no drop can be told.

    There are none yet where a run is the first to write to the folder that it is held against, night after night.
    """
    settings, family = request.settings, request.family
    if not settings.baseline:
        return None
    folder = Path(settings.baseline)
    if is_remote(settings.baseline):
        same = is_same_place(settings.baseline, settings.out)
        folder = request.out if same else RemoteResults(settings.baseline, request.places).copy
    if real_path(folder) == real_path(request.out) and not owner_of(request.out):
        refuse_drop(settings, family.compared_by(request.options, ()))
        return None
    earlier = EarlierResults.of(folder)
    if earlier.command.name != family.name:
        raise Stop(
            Exit.USAGE,
            f"--baseline {settings.baseline}: these are results of {earlier.command.name}, not {family.name}",
        )
    refuse_drop(settings, earlier.compared_by)
    return earlier


def _judged(
    run: Run[O, P, C, S, R, K], gates: Sequence[Gate], earlier: EarlierResults | None, settings: Settings
) -> Run[O, P, C, S, R, K]:
    """Return the run with the change since its baseline, and the verdicts of all gates."""
    plan = run.plan
    measures = run.shown.measures
    columns = result_columns(measures)
    names = [column.name for column in columns]
    lines = [
        ModelLine(
            outcome.model,
            dict(zip(names, result_row(outcome, measures, run.comparison.paired), strict=True)),
            failed=outcome.result is None,
        )
        for outcome in (run.outcomes if gates else ())
    ]
    verdicts = [
        *judge_lines(gates, columns, lines),
        *judge_coverage(run.outcomes, settings.min_coverage),
        *(judge_alerts(run.results) if plan.reporter.fails_on_alerts(plan.options) else ()),
    ]
    baseline = None
    if earlier is not None:
        differs = refuse_other_signature(earlier, plan.signature, anyway=settings.anyway)
        now = {model: as_written(result.compared_units()) for model, result in run.results.items()}
        baseline = replace(changes_since(earlier, now, plan.family, plan.options, differs), folder=settings.baseline)
        most = None if math.isinf(settings.max_drop) else settings.max_drop
        verdicts += judge_changes(baseline, fail_if_worse=settings.fail_if_worse, max_drop=most)
    awaited = settings.baseline if earlier is None else ""
    return replace(run, gates=tuple(verdicts), baseline=baseline, awaited=awaited)


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
    further = {name: table.table for name, table in tables.items() if name != REFERENCES_TABLE}
    if (request.references and not plan.referenced) or not all(map(len, further.values())):
        raise NoUsableInput(())  # why is said already, where the files were read
    twice = request.family.two_pass(request.options, referenced=plan.referenced)
    given = Given(
        reference_table=tables[REFERENCES_TABLE].table,
        further=further,
        sheets=_first_pass(plan, models) if twice else (),
    )
    return request.family.context(given, request.options)


def _first_pass(plan: Plan[O, P, C, S, R, K], every: _Models) -> list[P]:
    """Return what the models' sheets hold, where scoring depends on all of them; a lost worker is lost again later."""
    known = {model: every.last.sheets(plan, model) for model in every.found.models}
    sheets = {model: kept for model, kept in known.items() if kept is not None}
    models = [model for model in every.found.models if model not in sheets]
    with every.progress.models([model.name for model in models], read_alone=True) as bar:
        work = ModelWork(reduced_sheets, plan)
        results = every.engine.answers(work, models, on_message=bar.on_message, tick=bar.refresh)
        with closing(results):
            for number, result in results:
                bar.finished(number)
                sheets[models[number]] = [] if isinstance(result, WorkerCrashed | Bug) else result
    return [sheet for model in every.found.models for sheet in sheets[model]]


def _outcomes(
    plan: Plan[O, P, C, S, R, K], context: C, request: Request[O, P, C, S, R, K], models: _Models
) -> Outcomes[R]:
    """Return what came of every model: of those that files and folders are, then of those that a column names."""
    found = models.found
    outcomes: Outcomes[R] = Outcomes()
    separated = _score(plan, context, found.models, models, outcomes)
    if separated:
        named = models_by_column(separated, [model for model in found.models if model not in separated], found)
        gone = set(map(file_key, found.clashing))
        outcomes = outcomes.only(lambda model: file_key(model) not in gone)
        refuse_foreign_reports(request, named)
        _score(plan, context, named, models, outcomes)
    for name in found.clashing:
        outcomes.add(Outcome(name))
    return outcomes.ordered(str)


def _score(
    plan: Plan[O, P, C, S, R, K], context: C, some: Sequence[ModelInput], every: _Models, outcomes: Outcomes[R]
) -> dict[ModelInput, Separated]:
    """Add what came of some models, and return those whose rows are other models'."""
    separated: dict[ModelInput, Separated] = {}
    models: list[ModelInput] = []
    for model in some:
        answer = every.last.answer(plan, model)
        if answer is None:
            models.append(model)
        elif isinstance(answer, Separated):
            separated[model] = answer
        else:
            outcomes.add(answer)
    with every.progress.models([model.name for model in models]) as bar:
        work = ModelWork(score_model, plan, (context,))
        results = every.engine.answers(work, models, on_message=bar.on_message, tick=bar.refresh)
        with closing(results):
            for number, result in results:
                bar.finished(number)
                if isinstance(result, WorkerCrashed | Bug):
                    outcomes.add(_lost(models[number], result, bar.reading(number), plan))
                elif isinstance(result, Separated):
                    separated[models[number]] = result
                else:
                    outcomes.add(result)
    return dict(sorted(separated.items(), key=lambda pair: pair[0].name))


def _committed(
    run: Run[O, P, C, S, R, K],
    method: tuple[tuple[str, str], ...],
    results: ResultsFolder,
    request: Request[O, P, C, S, R, K],
    last: LastRun,
) -> Run[O, P, C, S, R, K]:
    run = replace(run, rewritten=tuple(last.rewritten))
    files = write_run(run, method, results)
    give_back_freed_memory()  # the commit takes the names of all files
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
        whole={name for name, digest in files.items() if outputs[name] == digest},
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
