"""The one pipeline that runs every family: discover → read → join → score → summarise → write → manifest."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from scoresheet.cli.columns import parse_columns
from scoresheet.cli.discover import Found, ModelInput, Source, discover_models, is_results
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.model import score_model
from scoresheet.cli.model_report import report_names
from scoresheet.cli.plan import Outcome, Plan
from scoresheet.cli.progress import Progress
from scoresheet.cli.references import find_references, ready_references
from scoresheet.cli.results import ResultsFolder, held_results
from scoresheet.cli.run_report import Clock, manifest, write_run
from scoresheet.cli.settings import Settings
from scoresheet.cli.version import VERSION
from scoresheet.cli.workers import Bug, Died, run_tasks
from scoresheet.metrics.core import Audit, Family, Report
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import SKIPPED, Problem


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
    left: tuple[str, ...] = ()

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
        costly = [problem for problem in self.problems if problem.effect != "note"]
        if any(problem.effect in SKIPPED for problem in costly) or (strict and costly):
            return Exit.PARTIAL
        return Exit.OK


def execute(request: Request, progress: Progress) -> Run:
    """Run a request from directories to committed reports."""
    family, settings = request.family, request.settings
    family.require(request.options)
    renamed = parse_columns(settings.column, [*family.inputs, *family.references])
    found, reference_found, sources = _discovered(request)
    _load_heavy_modules()
    with nullcontext() if settings.dry_run else held_results(request.out, wait=settings.wait) as results:
        ready = ready_references(family, request.options, settings, renamed, reference_found, sources)
        plan = Plan(
            family=family,
            options=request.options,
            signature="|".join([family.signature(request.options, VERSION), *settings.signature()]),
            rules=settings.read_rules(),
            renamed=renamed,
            folder=found.folder,
            references=ready.references,
            prepared=ready.prepared,
            reference_files=ready.files,
            stage=results.stage if results else None,
            raw_csv=settings.raw_csv,
        )
        if request.references and not ready.references.positions:
            # their rows are not at fault, and there is nothing to hold them to
            names = sorted([*found.clashing, *(model.name for model in found.models)])
            outcomes = [Outcome(Report.empty(name), ()) for name in names]
        else:
            outcomes = _outcomes(plan, found, settings, progress)
        run = Run(
            plan=plan,
            outcomes=tuple(outcomes),
            problems=(
                *(problem.at(folder=found.folder) for problem in found.problems),
                *ready.problems,
                *(problem for outcome in outcomes for problem in outcome.problems),
            ),
            ignored=(*found.ignored, *reference_found.ignored),
            audit=family.audit([sample for outcome in outcomes for sample in outcome.samples], request.options),
            bugs=(*ready.bugs, *(outcome.bug for outcome in outcomes if outcome.bug)),
        )
        if run.audit is not None and run.audit.mismatches:
            raise Stop(Exit.BUG, "the audit failed, nothing was written: " + "; ".join(run.audit.mismatches))
        if results is None or not any(report.scored for report in run.reports):
            return run
        return _committed(run, results, request)


def _discovered(request: Request) -> tuple[Found, Found, list[Source]]:
    """Return the models, and the reference files; a place with nothing to read stops the run before it begins."""
    for place in filter(None, (request.outputs, request.references)):
        if is_results(Path(place)) or Path(place).resolve() == request.out.resolve():
            raise Stop(
                Exit.USAGE, f"{place}: this is the folder of results; inputs and reports need folders of their own"
            )
    apart = [request.out, *([Path(request.references)] if request.references else [])]
    found = discover_models(request.outputs, apart=apart)
    reference_found, sources = find_references(request.references)
    if not found.models and not found.clashing:
        raise Stop(Exit.NOTHING, f"{request.outputs}: no CSV or Excel files here; nothing could be scored")
    if request.references and not sources:
        raise Stop(Exit.NOTHING, f"{request.references}: no reference files here; nothing could be scored")
    return found, reference_found, sources


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
    stale = tuple(results.stale(files))
    # a model that failed this time is still one of this run: its last good report stays
    own = {name for outcome in run.outcomes for name in report_names(run.plan.family, outcome.report.model)}
    remove = tuple(name for name in stale if name not in own) if request.settings.prune else ()
    left = tuple(name for name in stale if name not in remove)
    results.commit(files, manifest(run, results.stage, files, left, request), remove=remove)
    return replace(run, files=tuple(files), removed=remove, left=left)


def _lost(model: ModelInput, end: Died | Bug, reading: str, folder: str) -> Outcome:
    """Return the outcome of a model whose worker was lost; `reading` is the file it was last heard to read."""
    problem = end.problem().at(folder=folder, file=reading or model.files[0].shown)
    return Outcome(Report.empty(model.name), (problem,), bug=end.traceback if isinstance(end, Bug) else "")
