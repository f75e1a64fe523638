"""The one pipeline that runs every family: discover → read → join → score → summarise → write → manifest."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.columns import parse_columns
from scoresheet.cli.discover import Found, ModelInput, discover_models
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.guard import CIRCLE, is_circular, real_path
from scoresheet.cli.model import score_model, survey_model
from scoresheet.cli.model_report import is_own, own_stem, report_names
from scoresheet.cli.ownership import is_results, owned_listing, refuse_unlisted
from scoresheet.cli.plan import Outcome, Plan
from scoresheet.cli.progress import Progress
from scoresheet.cli.references import Place, Reading, find_references, find_tables, read_references
from scoresheet.cli.results import EarlierReport, ResultsFolder, held_results
from scoresheet.cli.run_report import Clock, manifest, run_files, write_run
from scoresheet.cli.settings import Settings
from scoresheet.cli.version import VERSION
from scoresheet.cli.workers import Bug, Died, run_tasks
from scoresheet.metrics.core import Audit, Family, Given, Report, Table
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import SKIPPED, Problem, Unusable

_REFERENCES: Final = ""  # stands for the references among the tables that options name


@dataclass(frozen=True)
class Request:
    """One command line, understood."""

    family: Family[Any]
    options: Options
    settings: Settings
    outputs: str
    references: str
    out: Path
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)  # SCORESHEET_* of the environment
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True)
class Run:
    """What a run came to."""

    plan: Plan
    outcomes: tuple[Outcome, ...]  # sorted by model
    problems: tuple[Problem, ...]
    ignored: tuple[str, ...]
    audit: Audit | None
    bugs: tuple[str, ...] = ()  # tracebacks of our own failures
    files: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()  # reports of earlier runs
    left: tuple[EarlierReport, ...] = ()

    @property
    def reports(self) -> list[Report]:
        """The reports of all models."""
        return [outcome.report for outcome in self.outcomes]

    def exit_code(self, *, strict: bool) -> Exit:
        """Return what the shell is told."""
        if self.bugs:
            return Exit.BUG
        if not any(report.scored for report in self.reports):
            return Exit.NOTHING
        costly = [problem for problem in self.problems if problem.is_costly]
        if self.plan.family.gate(self.reports, self.plan.options):
            return Exit.GATE
        if any(problem.effect in SKIPPED for problem in costly) or (strict and costly):
            return Exit.PARTIAL
        return Exit.OK


def execute(request: Request, progress: Progress) -> Run:
    """Run a request from directories to committed reports."""
    family, settings = request.family, request.settings
    family.require(request.options)
    further = [column for table in family.tables.values() for column in table.columns]
    renamed = parse_columns(settings.column, [*family.inputs, *family.references, *further])
    found, places = _discovered(request)
    _refuse_foreign_results(request, found)
    _load_heavy_modules()
    with nullcontext() if settings.dry_run else held_results(request.out, family.name, wait=settings.wait) as results:
        readings = {name: read_references(place, settings, renamed) for name, place in places.items()}
        references = readings.pop(_REFERENCES)
        plan = Plan(
            family=family,
            options=request.options,
            signature="|".join(
                [
                    family.signature(request.options, VERSION, referenced=bool(request.references)),
                    *settings.signature(),
                ]
            ),
            rules=settings.read_rules(),
            renamed=renamed,
            folder=found.folder,
            references=references.references,
            reference_files={
                (f"{file} (--{name})" if name else file): digest
                for name, reading in {_REFERENCES: references, **readings}.items()
                for file, digest in reading.files.items()
            },
            stage=results.stage if results else None,
            raw_csv=settings.raw_csv,
        )
        noted: Sequence[Problem]
        try:
            prepared, noted = _prepared(request, plan, readings, partial(_surveys, plan, found, settings, progress))
        except Unusable as unusable:
            # the models' rows are not at fault, and there is nothing to hold them to
            noted = unusable.problems
            names = sorted([*found.clashing, *(model.name for model in found.models)])
            outcomes = [Outcome(Report.empty(name), ()) for name in names]
        else:
            plan = replace(plan, prepared=prepared)
            outcomes = _outcomes(plan, found, settings, progress)
        run = Run(
            plan=plan,
            outcomes=tuple(outcomes),
            problems=(
                *(problem.at(folder=found.folder) for problem in found.problems),
                *(problem for reading in (references, *readings.values()) for problem in reading.problems),
                *(_placed(problem, places[problem.table]) for problem in noted),
                *(problem for outcome in outcomes for problem in outcome.problems),
            ),
            ignored=(*found.ignored, *(name for place in places.values() for name in place.found.ignored)),
            audit=family.audit([sample for outcome in outcomes for sample in outcome.samples], request.options),
            bugs=(
                *(bug for reading in (references, *readings.values()) for bug in reading.bugs),
                *(outcome.bug for outcome in outcomes if outcome.bug),
            ),
        )
        if run.audit is not None and run.audit.mismatches:
            raise Stop(Exit.BUG, "the audit failed, nothing was written: " + "; ".join(run.audit.mismatches))
        if results is None or not any(report.scored for report in run.reports):
            return run
        return _committed(run, results, request)


def _discovered(request: Request) -> tuple[Found, dict[str, Place]]:
    """Return the models, and the files of references and tables; a place with nothing to read stops the run at once."""
    if is_circular(request.out):
        raise Stop(Exit.USAGE, f"{request.out}: {CIRCLE}, and no folder to write to; name another with -o")
    for place in filter(None, (request.outputs, request.references)):
        if is_results(Path(place)) or real_path(Path(place)) == real_path(request.out):
            raise Stop(
                Exit.USAGE, f"{place}: this is the folder of results; inputs and reports need folders of their own"
            )
    if request.references and real_path(Path(request.references)) == real_path(Path(request.outputs)):
        raise Stop(Exit.USAGE, f"{request.references}: outputs and references cannot be the same; name both")
    named = [str(getattr(request.options, name)) for name in request.family.tables]
    found = discover_models(
        request.outputs,
        apart=[request.out, *(Path(place) for place in (request.references, *named) if place)],
        trec=request.family.reads_trec,
    )
    tables = find_tables(request.family, request.options)
    if not found.models and not found.clashing:
        skipped = [problem.at(folder=found.folder) for problem in found.problems if problem.effect in SKIPPED]
        why = f" ({skipped[0]})" if skipped else ""
        raise Stop(Exit.NOTHING, f"{request.outputs}: no CSV or Excel files here{why}; nothing could be scored")
    references = find_references(request.references, Table(request.family.references), trec=request.family.reads_trec)
    return found, {_REFERENCES: references, **tables}


def _refuse_foreign_results(request: Request, found: Found) -> None:
    """Stop before anything is read or touched if the results folder, or a file that would be replaced, is not ours."""
    family = request.family
    reports = [name for model in found.models for name in report_names(family, model.name)]
    refuse_unlisted(request.out, [*run_files(family), *reports], owned_listing(request.out, family.name))


def _usable(request: Request, plan: Plan, tables: Mapping[str, Reading]) -> bool:
    """Return whether whatever was named besides the models holds something to score with."""
    if request.references and not plan.referenced:
        return False
    return all(len(reading.references.table) for reading in tables.values())


def _prepared(
    request: Request, plan: Plan, tables: Mapping[str, Reading], surveys: Callable[[], list[Any]]
) -> tuple[Any, list[Problem]]:
    """Return what scoring needs of all that was given; Unusable if there is nothing to score with."""
    if not _usable(request, plan, tables):
        raise Unusable(())  # why is said already, where the files were read
    given = Given(
        references=plan.references.table,
        tables={name: reading.references.table for name, reading in tables.items()},
        surveys=surveys(),
    )
    return request.family.prepare(given, request.options)


def _placed(problem: Problem, place: Place) -> Problem:
    """Return a problem of what was given where it is: of a table that one file holds, in that file."""
    alone = place.sources[0].shown if problem.table and len(place.sources) == 1 else ""
    return problem.at(folder=place.found.folder, file=alone)


def _surveys(plan: Plan, found: Found, settings: Settings, progress: Progress) -> list[Any]:
    """Return what the models' sheets hold, where scoring depends on all of them; a lost worker is lost again later."""
    if not plan.family.wants_survey(plan.references.table, plan.options):
        return []
    surveys: dict[int, list[Any]] = {}
    with progress.models([model.name for model in found.models]) as bar:
        results = run_tasks(
            partial(survey_model, plan),
            found.models,
            workers=settings.workers(len(found.models)),
            tick=bar.refresh,
        )
        with closing(results):
            for number, result in results:
                bar.finished(number)
                surveys[number] = [] if isinstance(result, Died | Bug) else result
    return [survey for number in sorted(surveys) for survey in surveys[number]]


def _load_heavy_modules() -> None:
    """Import pandas once, before the workers fork, or each of them would pay for it."""
    importlib.import_module("pandas")
    gc.freeze()  # modules stay; a look at them in every worker would copy their memory
    gc.enable()


def _outcomes(plan: Plan, found: Found, settings: Settings, progress: Progress) -> list[Outcome]:
    outcomes = [Outcome(Report.empty(name), ()) for name in found.clashing]
    with progress.models([model.name for model in found.models]) as bar:
        results = run_tasks(
            partial(score_model, plan),
            found.models,
            workers=settings.workers(len(found.models)),
            told=bar.told,
            tick=bar.refresh,
        )
        with closing(results):
            for number, result in results:
                bar.finished(number)
                if isinstance(result, Died | Bug):
                    outcomes.append(_lost(found.models[number], result, bar.reading(number), plan.folder))
                else:
                    outcomes.append(result)
    return sorted(outcomes, key=lambda outcome: outcome.report.model)


def _committed(run: Run, results: ResultsFolder, request: Request) -> Run:
    files = write_run(run, results, raw_csv=request.settings.raw_csv)
    earlier = results.earlier_reports(files)
    # a model that failed this time is still one of this run: its last good report stays
    own = tuple(own_stem(run.plan.family, outcome.report.model) for outcome in run.outcomes if not outcome.files)
    unwanted = [report.name for report in earlier if not report.changed and not is_own(report.name, own)]
    remove = tuple(unwanted) if request.settings.prune else ()
    left = tuple(report for report in earlier if report.name not in set(remove))
    results.commit(
        files,
        manifest(run, results.stage, files, left, request),
        remove=remove,
        # make deletes the target of a recipe that fails, which is likely to be the manifest
        keep_mark=run.exit_code(strict=request.settings.strict) != Exit.OK,
    )
    return replace(run, files=tuple(files), removed=remove, left=left)


def _lost(model: ModelInput, end: Died | Bug, reading: str, folder: str) -> Outcome:
    """Return the outcome of a model whose worker was lost; `reading` is the file it was last heard to read."""
    problem = end.problem().at(folder=folder, file=reading or model.files[0].shown)
    return Outcome(Report.empty(model.name), (problem,), bug=end.traceback if isinstance(end, Bug) else "")
