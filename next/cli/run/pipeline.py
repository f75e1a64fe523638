"""A run: discover, read, decide, score, write, commit."""

import hashlib
import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
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
    Progress,
    Run,
    collect_models,
    mapping_lines,
    run_refusals,
    tables_of,
    unit_word,
)
from scoresheet.cli.run.outcome import Exit, RunOutcome, with_commands
from scoresheet.cli.run.reading import FileRead, read_file
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import open_results
from scoresheet.cli.run.scoring import ModelResult, score_model, write_results
from scoresheet.cli.run.workers import TaskFailure, Workers
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem, Refusal

AUDITED = 20  # rows of a default run that are scored again by other means

# Problems that are about a file and not about what its columns mean.
UNREADABLE = {"time", "memory", "died", "unreadable", "encoding", "too-large", "empty"}


def run_command(request: Request, progress: Progress) -> RunOutcome:
    """Run one scoring command; everything that it found is in the outcome.

    Raises Refusal where nothing can be scored, and Busy or WriteFailed where results cannot be
    written.
    """
    started = time.monotonic()
    pd.set_option("mode.string_storage", "python")  # columns of text are read cell by cell
    family = load_family(request.family)
    found = discover_inputs(family, request)
    inputs = [source.path for sources in found.values() for source in sources.sources]
    with (
        open_results(request.out, family.name, wait=request.wait, inputs=inputs) as folder,
        Workers(request.limits) as workers,
    ):
        run = Run(request, family, folder.parts, workers, progress, [*folder.notes])
        read_inputs(run, found)
        made = _provenance(run)
        names = report_names(run.models, family.stem)
        scored = _score(run, folder.staging, names, made)
        if not any(result.results["Scored"] for result in scored):
            return _nothing_scored(run, made)
        outcome = write_results(run, folder, scored, made)
        keep = [names[model] + suffix for model in outcome.failed for suffix in (".csv", ".xlsx")]
        folder.commit(_manifest(run, made, outcome, time.monotonic() - started), keep=keep)
        return outcome


def discover_inputs(family: Family, request: Request) -> dict[str, Discovery]:
    """Return the files of each table that was named."""
    reads_trec = family.name == "diversity"
    return {
        table: discover(path, trec=reads_trec, lists=bool(family.table(table).single))
        for table, path in request.inputs.items()
    }


def read_inputs(run: Run, found: dict[str, Discovery]) -> dict[str, ModelInput]:
    """Read all files into parts; return the models, or refuse with all problems together."""
    run.problems += [problem for sources in found.values() for problem in sources.problems]
    for table in [name for name in found if name != "outputs"]:
        files = _read(run, table, found[table])
        problems = [problem for file in files for problem in file.problems]
        if not tables_of(files) or any(problem.effect == "refused" for problem in problems):
            raise Refusal(*(replace(problem, effect="refused") for problem in problems))
        run.problems += problems
        _keep_further_tables(run, files)
    outputs = _read(run, "outputs", found["outputs"])
    run.models = collect_models(outputs)
    refused = run_refusals(run, outputs)
    if refused:
        raise Refusal(*refused)
    run.problems += [problem for file in outputs for problem in file.problems]
    _keep_further_tables(run, outputs)
    return run.models


def _read(run: Run, table: str, found: Discovery) -> list[FileRead]:
    """Read files in workers; one that a limit stopped costs only itself."""
    read = partial(read_file, run.request, table, dict(run.given))
    tasks = [(source, f"{run.parts}/{table}-{i}") for i, source in enumerate(found.sources)]
    results = _in_workers(run, "reading", read, tasks, [source.name for source in found.sources])
    files = [
        FileRead(source, list(result.problems)) if isinstance(result, Refusal) else result
        for source, result in zip(found.sources, results, strict=True)
    ]
    run.files += files
    return files


def _in_workers(
    run: Run, label: str, function: Callable[..., Any], tasks: Sequence[Any], names: Sequence[str]
) -> list[Any]:
    """Return function(*task) of every task, or a Refusal that says which limit stopped it."""
    with run.progress(len(tasks), label) as done:
        results = run.workers.run(function, tasks, done)
    hints = {"time": "--timeout SECONDS", "memory": "--memory MB"}
    for i, (name, failure) in enumerate(zip(names, results, strict=True)):
        if isinstance(failure, TaskFailure):
            if failure.reason == "error":  # no input should cause one
                raise RuntimeError(failure.message)
            reason, hint = failure.reason, hints.get(failure.reason, "")
            problem = Problem(reason, "skipped", failure.message, file=name, hint=hint)
            results[i] = Refusal(problem)
    return results


def _keep_further_tables(run: Run, files: Sequence[FileRead]) -> None:
    """Keep each table that all models share as one file; sheets of the outputs can be such."""
    for name in sorted({table.mapping.table for table in tables_of(files)} - {"outputs"}):
        parts = [part for table in tables_of(files, name) for part in table.parts]
        frame = pd.concat([pd.read_pickle(part.path) for part in parts], ignore_index=True)
        run.given[name] = run.parts / f"{name}.pkl"
        frame.to_pickle(run.given[name])


def _provenance(run: Run) -> Provenance:
    family, number = run.family, version("scoresheet")
    options = [f"{key}:{value}" for key, value in family.signature(run.request.options).items()]
    return Provenance(
        "|".join([family.name, *options, f"v:{number}"]),
        tuple(mapping_lines(run.files)),
        number,
        run.request.ci,
        plural(unit_word(run.files, family.unit_role)),
    )


def report_names(models: Iterable[str], stem: str) -> dict[str, str]:
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


def _score(run: Run, staging: Path, names: dict[str, str], made: Provenance) -> list[ModelResult]:
    """Score the models in workers; return the results of those that could be scored."""
    against = run.request.against
    if against and against not in run.models:
        known = ", ".join(list(run.models)[:20])
        message = f"--against {against}: no such {run.family.word}; there are {known}"
        raise Refusal(Problem("usage", "refused", message))
    ready = [model for model in run.models.values() if model.parts]
    files: dict[str, set[str]] = defaultdict(set)
    for table in tables_of(run.files):
        for part in table.parts:
            files[part.model].add(table.source.name)
    tasks = [
        (m, staging / names[m.name], [p for p in run.problems if p.file in files[m.name]])
        for m in ready
    ]
    audited = math.ceil(AUDITED / max(1, len(ready)))
    score = partial(score_model, run.request, run.given, made, audited)
    results = _in_workers(run, "scoring", score, tasks, [model.name for model in ready])
    for result in results:
        run.problems += result.problems
    return [result for result in results if not isinstance(result, Refusal)]


def _nothing_scored(run: Run, made: Provenance) -> RunOutcome:
    """Return the outcome of a run without a score: 2 if columns were the reason, else 4."""
    kinds = {problem.kind for problem in run.problems if problem.effect == "skipped"}
    code, what = Exit.NOTHING, "existing reports are untouched"
    if kinds - UNREADABLE:
        code, what = Exit.USAGE, "nothing was written"
    return RunOutcome(
        run.family.name,
        code,
        f"nothing could be scored, {what}",
        mapping=list(made.mapping),
        problems=with_commands(run.problems, run.request.typed),
    )


def _manifest(run: Run, made: Provenance, outcome: RunOutcome, seconds: float) -> dict[str, Any]:
    request, results = run.request, outcome.results
    rows, scored = (int(results[name].fillna(0).sum()) for name in ("Rows", "Scored"))
    return {
        "version": made.version,
        "command": run.family.name,
        "signature": made.signature,
        "arguments": {
            "inputs": request.inputs,
            "columns": [said.option for said in request.said],
            "ci": request.ci,
            "seed": request.seed,
        },
        "mapping": outcome.mapping_record,
        "inputs": {str(file.source.path): file.sha256 for file in run.files},
        "counts": {
            "models": len(results),
            "failed": len(outcome.failed),
            "rows": rows,
            "scored": scored,
            "problems": len(run.problems),
        },
        "gates": [],
        "exit_code": int(outcome.exit_code),
        "seconds": round(seconds, 3),
    }
