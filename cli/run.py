"""The one pipeline that runs every family: discover → read → join → score → summarise → write → manifest."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from scoresheet.cli.columns import parse_columns
from scoresheet.cli.discover import Found, ModelInput, Source, discover_models, discover_references
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.join import References, collect_references
from scoresheet.cli.model import read_sheets, score_model
from scoresheet.cli.plan import Outcome, Plan
from scoresheet.cli.progress import Progress
from scoresheet.cli.results import ResultsFolder, held_results
from scoresheet.cli.run_report import Clock, manifest, write_run
from scoresheet.cli.settings import Settings
from scoresheet.cli.version import VERSION
from scoresheet.cli.workers import Died, Tell, run_tasks
from scoresheet.metrics.core import Audit, Family, Report, Sheet
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import SKIPPED, Problem, Refusal


@dataclass(frozen=True)
class Request:
    """One command line, understood."""

    family: Family[Any]
    options: Options
    settings: Settings
    outputs: str
    references: str
    out: Path
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """What a run came to."""

    plan: Plan
    outcomes: tuple[Outcome, ...]  # sorted by model
    problems: tuple[Problem, ...]
    ignored: tuple[str, ...]
    references: Mapping[str, str]  # reference file → SHA-256
    audit: Audit | None
    files: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()

    @property
    def reports(self) -> list[Report]:
        """The reports of all models."""
        return [outcome.report for outcome in self.outcomes]

    def exit_code(self, *, strict: bool) -> Exit:
        """Return what the shell is told."""
        if not any(report.scored for report in self.reports):
            return Exit.NOTHING
        costly = [problem for problem in self.problems if problem.effect != "note"]
        if any(problem.effect in SKIPPED for problem in costly) or (strict and costly):
            return Exit.PARTIAL
        return Exit.OK


def execute(request: Request, progress: Progress) -> Run:
    """Run a request from directories to committed reports."""
    clock = Clock()
    importlib.import_module("pandas")  # once, before the workers fork, or each of them would pay for it
    gc.freeze()  # modules stay; a look at them in every worker would copy their memory
    gc.enable()
    family, settings = request.family, request.settings
    family.require(request.options)
    renamed = parse_columns(settings.column, [*family.inputs, *family.references])
    apart = [request.out, *([Path(request.references)] if request.references else [])]
    found = discover_models(request.outputs, apart=apart)
    reference_found, sources = discover_references(request.references) if request.references else (Found(""), [])
    if not found.models and not found.clashing:
        raise Stop(Exit.NOTHING, f"{request.outputs}: no CSV or Excel files here; nothing could be scored")
    if request.references and not sources:
        raise Stop(Exit.NOTHING, f"{request.references}: no reference files here; nothing could be scored")
    holding = nullcontext() if settings.dry_run else held_results(request.out, wait=settings.wait)
    with holding as results:
        problems = [problem.at(folder=found.folder) for problem in found.problems]
        problems += [problem.at(folder=reference_found.folder) for problem in reference_found.problems]
        references, prepared, hashes, more = _references(request, reference_found.folder, sources, renamed)
        problems += more
        signature = family.signature(request.options, VERSION)
        plan = Plan(
            family=family,
            options=request.options,
            signature=signature + (f"|limit:{settings.limit}" if settings.limit else ""),
            rules=settings.read_rules(),
            renamed=renamed,
            folder=found.folder,
            references=references,
            prepared=prepared,
            stage=results.stage if results else None,
            raw_csv=settings.raw_csv,
        )
        outcomes = _outcomes(plan, found, settings, progress)
        problems += [problem for outcome in outcomes for problem in outcome.problems]
        audit = family.audit([sample for outcome in outcomes for sample in outcome.samples], request.options)
        run = Run(
            plan,
            tuple(outcomes),
            tuple(problems),
            (*found.ignored, *reference_found.ignored),
            hashes,
            audit,
        )
        if audit is not None and audit.mismatches:
            raise Stop(Exit.BUG, "the audit failed, nothing was written: " + "; ".join(audit.mismatches))
        if results is None or run.exit_code(strict=False) == Exit.NOTHING:
            return run
        return _committed(run, results, request, clock)


def _references(
    request: Request, folder: str, sources: Sequence[Source], renamed: dict[str, str]
) -> tuple[References, Any, dict[str, str], list[Problem]]:
    """Return the references made ready; they are read by workers too, since a parser may die of them."""
    tasks = [ModelInput("", (source,)) for source in sources]
    rules = request.settings.read_rules().for_references()
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    hashes: dict[str, str] = {}
    results = run_tasks(
        partial(_read_reference, request.family, rules, renamed, folder),
        tasks,
        workers=request.settings.workers(len(tasks)),
    )
    for number, result in sorted(results, key=lambda pair: pair[0]):
        if isinstance(result, Died):
            problems.append(_death(result).at(folder=folder, file=sources[number].shown))
            continue
        sheets += result[0]
        problems += result[1]
        hashes |= result[2]
    references, found = collect_references(sheets, request.family, renamed)
    problems += [problem.at(folder=folder) for problem in found]
    prepared, noted = request.family.prepare(references.table, request.options)
    return references, prepared, hashes, problems + [problem.at(folder=folder) for problem in noted]


def _read_reference(
    family: Family[Any], rules: Any, renamed: dict[str, str], folder: str, source: ModelInput, _: Tell
) -> tuple[list[Sheet], list[Problem], dict[str, str]]:
    """Return the usable sheets of one reference file."""
    sheets, problems, hashes = read_sheets(source, rules, folder)
    usable = []
    for sheet in sheets:
        try:
            collect_references([sheet], family, renamed)
        except Refusal as refusal:
            problems.append(refusal.problem.at(folder=folder, file=sheet.source, sheet=sheet.name))
        else:
            usable.append(sheet)
    return usable, problems, hashes


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
        for number, result in results:
            bar.finished(number)
            outcomes.append(_lost(found.models[number], result, plan.folder) if isinstance(result, Died) else result)
    return sorted(outcomes, key=lambda outcome: outcome.report.model)


def _committed(run: Run, results: ResultsFolder, request: Request, clock: Clock) -> Run:
    files = write_run(run, results, raw_csv=request.settings.raw_csv)
    stale = tuple(results.stale(files))
    record = manifest(run, results.stage, files, arguments=request.arguments, clock=clock)
    results.commit(files, record, remove=stale if request.settings.prune else ())
    return replace(run, files=tuple(files), stale=stale)


def _lost(model: ModelInput, died: Died, folder: str) -> Outcome:
    problem = _death(died).at(folder=folder, file=model.files[0].shown)
    return Outcome(Report.empty(model.name), (problem,))


def _death(died: Died) -> Problem:
    message = f"the process that read it was {died.how}; the file is damaged or too large, open it and save it again"
    return Problem(kind="worker-died", message=message, effect="file skipped")
