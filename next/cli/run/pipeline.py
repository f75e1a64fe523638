"""A run: discover, read, decide, score, write, commit."""

import hashlib
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.input.discover import Discovery, discover
from scoresheet.cli.registry import load_family
from scoresheet.cli.report.answers import plural
from scoresheet.cli.report.books import Provenance
from scoresheet.cli.run.decide import (
    ModelInput,
    collect_models,
    mapping_lines,
    run_refusals,
    unit_word,
)
from scoresheet.cli.run.outcome import RunOutcome
from scoresheet.cli.run.reading import FileRead, ReadTask, read_file
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import open_results
from scoresheet.cli.run.scoring import ModelResult, ModelTask, score_model
from scoresheet.cli.run.state import BugError, NothingScored, Progress, Run, no_progress
from scoresheet.cli.run.workers import TaskFailure, Workers
from scoresheet.cli.run.writing import write_results
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem, Refusal

AUDITED = 20  # rows of a default run that are scored again by other means


def run_command(request: Request, progress: Progress = no_progress) -> RunOutcome:
    """Run one scoring command; everything that it found is in the outcome.

    Raises Refusal where nothing can be scored, and Busy or WriteFailed where results cannot be
    written.
    """
    started = time.monotonic()
    family = load_family(request.family)
    found = discover_inputs(family, request)
    inputs = [source.path for sources in found.values() for source in sources.sources]
    with (
        open_results(request.out, family.name, wait=request.wait, inputs=inputs) as folder,
        Workers(request.limits) as workers,
    ):
        run = Run(request, family, folder.parts, workers, progress, folder=folder, started=started)
        run.problems += folder.notes
        models = read_inputs(run, found)
        return _score_and_write(run, models)


def read_inputs(run: Run, found: dict[str, Discovery]) -> dict[str, ModelInput]:
    """Read all files into parts; return the models, or refuse with all problems together."""
    for table, sources in found.items():
        run.problems += sources.problems
        if table != "outputs":
            _read_further_table(run, table, sources)
    outputs = _read(run, "outputs", found["outputs"])
    run.files += outputs
    models = collect_models(outputs)
    refused = run_refusals(run.request, run.family, outputs, models)
    run.problems += [p for file in outputs for p in file.problems if p.effect != "refused"]
    if refused:
        raise Refusal(*refused)
    _gather_named_tables(run, outputs)
    return models


def discover_inputs(family: Family, request: Request) -> dict[str, Discovery]:
    """Return the files of each table that was named."""
    reads_trec = family.name == "diversity"
    return {
        table: discover(path, trec=reads_trec, lists=bool(family.table(table).single))
        for table, path in request.inputs.items()
    }


def _read(run: Run, table: str, found: Discovery) -> list[FileRead]:
    """Read files in workers; one that a limit stopped costs only itself."""
    tasks = [
        ReadTask(run.request, source, table, run.parts, number, dict(run.given))
        for number, source in enumerate(found.sources)
    ]
    with run.progress(len(tasks), "reading") as done:
        results = run.workers.run(read_file, tasks, lambda _index: done())
    files = []
    for task, result in zip(tasks, results, strict=True):
        if isinstance(result, TaskFailure):
            problem = _limit_problem(result, file=task.source.name)
            files.append(FileRead(task.source, problems=[problem]))
        else:
            files.append(result)
    return files


def _limit_problem(failure: TaskFailure, *, file: str) -> Problem:
    if failure.reason == "error":
        raise BugError(failure.traceback)
    hints = {"time": "--timeout SECONDS", "memory": "--memory MB"}
    hint = hints.get(failure.reason, "")
    return Problem(failure.reason, "skipped", failure.message, file=file, hint=hint)


def _read_further_table(run: Run, table: str, found: Discovery) -> None:
    """Read a table that all models share, and keep it as one file."""
    files = _read(run, table, found)
    run.files += files
    problems = [problem for file in files for problem in file.problems]
    parts = [part for file in files for read in file.tables for part in read.parts]
    if not parts or any(problem.effect == "refused" for problem in problems):
        raise Refusal(*(replace(problem, effect="refused") for problem in problems))
    run.problems += problems
    _keep_table(run, table, [part.path for part in parts])


def _gather_named_tables(run: Run, files: Sequence[FileRead]) -> None:
    """Keep the further tables that were sheets or files of the outputs."""
    names = {t.table for file in files for t in file.tables} - {"outputs"}
    for name in sorted(names):
        tables = [t for file in files for t in file.tables if t.table == name]
        _keep_table(run, name, [part.path for table in tables for part in table.parts])


def _keep_table(run: Run, table: str, paths: Sequence[Path]) -> None:
    frame = pd.concat([pd.read_pickle(path) for path in paths], ignore_index=True)
    path = run.parts / f"{table}.pkl"
    frame.to_pickle(path)
    run.given[table] = path


def report_names(models: Sequence[str], stem: str) -> dict[str, str]:
    """Return the file name of each model's reports, safe on every system and each different.

    >>> report_names(["gpt-4.1", "a/b"], "s_info")["gpt-4.1"]
    'gpt-4.1_s_info'
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for model in models:
        clean = re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f]', "_", model).strip(" .")[:80] or "model"
        reserved = re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", clean) is not None
        if clean != model or reserved or clean.casefold() in taken:
            clean += "-" + hashlib.sha256(model.encode("utf-8", "replace")).hexdigest()[:8]
        taken.add(clean.casefold())
        names[model] = f"{clean}_{stem}"
    return names


def _score_and_write(run: Run, models: dict[str, ModelInput]) -> RunOutcome:
    request, family = run.request, run.family
    if request.against and request.against not in models:
        known = ", ".join(list(models)[:20])
        message = f"--against {request.against}: no such {family.word}; there are {known}"
        raise Refusal(Problem("usage", "refused", message))
    made = Provenance(
        signature_of(family, request.options),
        tuple(mapping_lines(run.files)),
        version("scoresheet"),
        request.ci,
        plural(unit_word(run.files, family.unit_role)),
    )
    names = report_names(list(models), family.stem)
    results = _score(run, models, names, made)
    if not any(result.results["Scored"] for result in results.values() if result):
        raise NothingScored(run.problems, made.mapping)
    outcome, manifest = write_results(run, results, models, made)
    failed = [name for name, result in results.items() if result is None]
    keep = [f"{names[name]}{suffix}" for name in failed for suffix in (".csv", ".xlsx")]
    run.results.commit(manifest, keep=keep)
    return outcome


def signature_of(family: Family, options: Any) -> str:
    """Return the settings that a score depends on, as one line."""
    parts = [f"{key}:{value}" for key, value in family.signature(options).items()]
    return "|".join([family.name, *parts, f"v:{version('scoresheet')}"])


def _score(
    run: Run, models: dict[str, ModelInput], names: dict[str, str], made: Provenance
) -> dict[str, ModelResult | None]:
    ready = [model for model in models.values() if model.parts]
    expected = _expected(run)
    tasks = [
        ModelTask(
            run.request,
            model.name,
            model.paths,
            dict(run.given),
            run.results.staging,
            names[model.name],
            made,
            tuple(_problems_of(run, model)),
            audited=-(-AUDITED // len(ready)),
            expected=expected,
            partial=model.partial,
            values=run.parts / f"values-{number}.pkl",
        )
        for number, model in enumerate(ready)
    ]
    with run.progress(len(tasks), "scoring") as done:
        found = run.workers.run(score_model, tasks, lambda _index: done())
    results: dict[str, ModelResult | None] = dict.fromkeys(models)
    for task, result in zip(tasks, found, strict=True):
        if isinstance(result, TaskFailure):
            run.problems.append(_limit_problem(result, file=task.model))
        elif isinstance(result, Refusal):
            run.problems += result.problems
        else:
            results[task.model] = result
            run.problems += result.problems
    return results


def _expected(run: Run) -> int | None:
    if "references" not in run.given:
        return None
    key = run.family.table("references").key
    return int(pd.read_pickle(run.given["references"])[key].nunique())


def _problems_of(run: Run, model: ModelInput) -> list[Problem]:
    files = {
        table.source.name
        for file in run.files
        for table in file.tables
        if any(part.model == model.name for part in table.parts)
    }
    return [problem for problem in run.problems if problem.file in files]
