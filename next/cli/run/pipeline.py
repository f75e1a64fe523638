"""A run: discover, read, decide, score, write, commit."""

import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from scoresheet.cli.input.discover import Discovery, discover
from scoresheet.cli.input.grammar import few, usage
from scoresheet.cli.registry import load_family
from scoresheet.cli.report.answers import plural
from scoresheet.cli.report.books import Provenance
from scoresheet.cli.report.charts import charts_of
from scoresheet.cli.run.baseline import open_baseline
from scoresheet.cli.run.dask import DaskWorkers
from scoresheet.cli.run.decide import (
    Progress,
    Run,
    collect_models,
    mapping_lines,
    no_progress,
    run_refusals,
)
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.recorded import Recorded
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results import report_names, write_results
from scoresheet.cli.run.results_folder import open_results
from scoresheet.cli.run.tasks import (
    FileRead,
    ModelResult,
    read_file,
    score_model,
    survey_model,
    tables_of,
)
from scoresheet.cli.run.workers import Workers
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Refusal

AUDITED = 20  # rows of a default run that are scored again by other means

# Problems that are about a file and not about what its columns mean.
UNREADABLE = {"time", "memory", "died", "unreadable", "encoding", "too-large", "empty"}


def run_command(request: Request, progress: Progress = no_progress) -> RunOutcome:
    """Run one scoring command; everything that it found is in the outcome.

    Raises Refusal where nothing can be scored, and WriteFailed where results cannot be written.
    """
    started = time.monotonic()
    pd.set_option("mode.string_storage", "python")  # columns of text are read cell by cell
    family = load_family(request.family)
    baseline = open_baseline(request, family)
    found = discover_inputs(family, request)
    inputs = [source.path for sources in found.values() for source in sources.sources]
    for table, argument in request.inputs.items():
        folders = {os.path.realpath(source.path.parent) for source in found[table].sources}
        # unlike Path.resolve, realpath bears a link that leads to itself
        if not Path(argument).is_file() and os.path.realpath(request.out) in folders:
            message = f"the results folder {request.out} holds tables that this run reads"
            raise usage(message, "choose a different folder with --out")
    out, wait = Path(request.out), request.wait
    opened = open_results(out, family.name, wait=wait, inputs=inputs)
    with opened as folder, _workers(request) as workers:
        run = Run(
            request, family, folder.parts, workers, progress, [*folder.notes], baseline=baseline
        )
        read_inputs(run, found)
        made = _provenance(run)
        scored = _score(run, folder.staging, made)
        if not any(result.scores.results["Scored"] for result in scored):
            kinds = {problem.kind for problem in run.problems if problem.effect == "skipped"}
            code, what = Exit.NOTHING, "existing reports are untouched"
            if kinds - UNREADABLE:  # columns were the reason
                code, what = Exit.USAGE, "nothing was written"
            reason = f"nothing could be scored, {what}"
            return RunOutcome(code, reason, mapping=list(made.mapping), problems=run.problems)
        outcome, manifest = write_results(run, folder, scored, made)
        if request.plots:
            from scoresheet.cli.report.figures import write_figures

            staged = [path.relative_to(folder.staging) for path in folder.staging.rglob("*.csv")]
            files = {"outputs": [path.as_posix() for path in staged]}
            measures = scored[0].scores.measures
            recorded = Recorded(folder.staging, manifest | files, family, measures)
            write_figures(charts_of(recorded), folder.staging / "figures")
        failed = {manifest["reports"][model] for model in outcome.failed}
        listed = (folder.previous or {}).get("outputs", ())
        keep = [name for name in listed if re.sub(r"/.*|\.(csv|xlsx|md)$", "", name) in failed]
        folder.commit({**manifest, "seconds": round(time.monotonic() - started, 3)}, keep=keep)
        return outcome


def discover_inputs(family: Family, request: Request) -> dict[str, Discovery]:
    """Return the files of each table that was named."""
    trec, inputs = family.name == "diversity", request.inputs.items()
    return {t: discover(path, trec=trec, lists=bool(family.table(t).single)) for t, path in inputs}


def read_inputs(run: Run, found: dict[str, Discovery]) -> None:
    """Read all files into parts and collect the models, or refuse with all problems together."""
    run.problems += [problem for sources in found.values() for problem in sources.problems]
    run.ignored += [name for sources in found.values() for name in sources.ignored]
    for name in sorted(found, key=lambda name: name == "outputs"):  # the outputs need the others
        sources = found[name].sources
        read = partial(read_file, run.request, name, dict(run.given))
        tasks = [(s.name, (s, f"{run.parts}/{name}-{i}")) for i, s in enumerate(sources)]
        results = run.in_workers("reading", read, tasks)
        files = [
            FileRead(source, list(result.problems)) if isinstance(result, Refusal) else result
            for source, result in zip(sources, results, strict=True)
        ]
        run.files += files
        tables, problems = tables_of(files), [p for file in files for p in file.problems]
        refused = any(p.effect == "refused" for p in problems) or not tables
        refusals = problems if refused else []
        if name == "outputs":
            run.models = collect_models(files)
            refusals = run_refusals(run, files)
        if refusals:
            raise Refusal(*refusals)
        run.problems += problems
        for table in tables:  # worksheets of the outputs can be further tables
            if table.mapping.table != "outputs":
                paths = [part.path for part in table.parts]
                run.given[table.mapping.table] = (*run.given.get(table.mapping.table, ()), *paths)


@contextmanager
def inputs_read(request: Request) -> Iterator[Run]:
    """Read the inputs of a request as a run does, without a results folder."""
    family = load_family(request.family)
    found = discover_inputs(family, request)
    with TemporaryDirectory() as parts, _workers(request) as workers:
        run = Run(request, family, Path(parts), workers)
        read_inputs(run, found)
        yield run


def _workers(request: Request) -> Workers | DaskWorkers:
    return DaskWorkers(request.dask, request.limits) if request.dask else Workers(request.limits)


def _provenance(run: Run) -> Provenance:
    family, number = run.family, version("scoresheet")
    options = [f"{key}:{value}" for key, value in family.signature(run.request.options).items()]
    fillings = [t.mapping.filling(family.unit_role) for t in tables_of(run.files, "outputs")]
    headers = [f.headers[0].lower() for f in fillings if f and f.how == "header"]
    return Provenance(
        "|".join([family.name, *options, f"v:{number}"]),
        tuple(mapping_lines(tables_of(run.files))),
        number,
        run.request.ci,
        # the user's own word for a unit
        plural(next(iter(headers), family.unnamed or family.unit_role)),
    )


def _score(run: Run, staging: Path, made: Provenance) -> list[ModelResult]:
    """Score the models in workers; return the results of those that could be scored."""
    request, outputs = run.request, tables_of(run.files, "outputs")
    if request.against and request.against not in run.models:
        known = few(list(run.models), 20)
        raise usage(f"--against {request.against}: no such {run.family.word}; there are {known}")
    further = [table for table in tables_of(run.files) if table.mapping.table != "outputs"]
    ready = [model for model in run.models.values() if model.parts]
    for number, model in enumerate(ready):
        paths = set(model.paths)
        tables = [t for t in outputs if not paths.isdisjoint(part.path for part in t.parts)]
        files = {table.source.name for table in tables}
        model.kept = run.parts / f"units-{number}.pkl"
        model.problems = [problem for problem in run.problems if problem.file in files]
        model.read_as = tuple(mapping_lines([*tables, *further]))
    add_survey(run)
    audited = math.ceil(AUDITED / max(1, len(ready)))
    asked = request if run.baseline else replace(request, baseline="")  # there is none yet
    names = report_names(run.models, run.family.stem)
    score = partial(score_model, asked, run.given, made, audited)
    tasks = [(model.name, (model, staging / names[model.name])) for model in ready]
    results = run.in_workers("scoring", score, tasks)
    found = [r.scores if isinstance(r, ModelResult) else r for r in results]
    # a note on a table that all models share is found by each of them
    run.problems += dict.fromkeys(problem for result in found for problem in result.problems)
    return [result for result in results if isinstance(result, ModelResult)]


def add_survey(run: Run) -> None:
    """Add the table of what all models need of each other's outputs, if there is any."""
    models = [(m.name, (m.paths,)) for m in run.models.values() if m.parts]
    if run.family.survey is None or not models:
        return
    found = run.in_workers("looking", partial(survey_model, run.request.family), models)
    frames = [frame for frame in found if not isinstance(frame, Refusal)]
    if frames:
        path = run.parts / "survey"
        pd.concat(frames, ignore_index=True).drop_duplicates(ignore_index=True).to_pickle(path)
        run.given["survey"] = (path,)
