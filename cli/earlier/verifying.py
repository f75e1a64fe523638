"""Whether the results of an earlier run still hold: its files as they were, and a sample that comes out the same."""

from __future__ import annotations

import csv
import io
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any

from scoresheet.cli.earlier.explaining import is_same
from scoresheet.cli.earlier.rereading import Reread
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.input.results_reading import NUMBERS, EarlierResults
from scoresheet.cli.run.model_reports import report_names
from scoresheet.cli.run.model_worker import score_model
from scoresheet.cli.run.plan import Outcome
from scoresheet.cli.run.pool import Bug, WorkerCrashed, run_tasks
from scoresheet.cli.run.results_table import MODEL, ROWS, STATUS
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.csv_json import as_json
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import UsageError
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: how much of it, and what is not as it was."""

    what: str
    checked: str  # in words
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verification:
    """What became of an earlier run."""

    folder: str
    command: str
    checks: tuple[Check, ...]
    scored_again: tuple[str, ...] = ()  # models

    @property
    def holds(self) -> bool:
        """Whether nothing changed."""
        return not any(check.changed for check in self.checks)

    @property
    def exit_code(self) -> Exit:
        """0, or 10 if anything changed."""
        return Exit.OK if self.holds else Exit.GATE

    def as_numbers(self) -> dict[str, Any]:
        """Return everything for machines."""
        return {
            "results": self.folder,
            "command": self.command,
            "holds": self.holds,
            "checks": {check.what: {"checked": check.checked, "changed": list(check.changed)} for check in self.checks},
            "scored_again": list(self.scored_again),
            "exit_code": int(self.exit_code),
        }


def verify_results(results: EarlierResults, *, rows: int, seed: int) -> Verification:
    """Return whether the files of a run are as they were, and a sample of its models comes out the same."""
    checks = [
        _version(results),
        Check(
            "outputs",
            pluralize(len(results.outputs), "file"),
            tuple(f"{name}: changed or gone" for name in results.changed()),
        ),
    ]
    try:
        reread = Reread.of(results)
    except (Stop, UsageError) as stop:  # the inputs are gone, or nothing of them is left
        checks.append(Check("inputs", "none", (str(stop),)))
        return Verification(str(results.folder), results.command.name, tuple(checks))
    tables, inputs = reread.changed_tables(), reread.changed_inputs()
    checks += [
        _signature(results, reread.plan.signature),
        *([_files(results, "references", tables)] if tables or results.record["references"] else []),
        _files(results, "inputs", inputs),
    ]
    if tables or (inputs and reread.goes_over_all):
        checks.append(Check("scored again", "nothing: what every model is scored with changed"))
        return Verification(str(results.folder), results.command.name, tuple(checks))
    again, models = _scored_again(reread, rows, seed)
    return Verification(str(results.folder), results.command.name, (*checks, again), models)


def _files(results: EarlierResults, side: str, changed: Sequence[str]) -> Check:
    return Check(side, pluralize(len(results.record[side]), "file"), tuple(changed))


def _version(results: EarlierResults) -> Check:
    made = results.record.get("version")
    return Check("version", str(made), () if made == VERSION else (f"{made} made the results, this is {VERSION}",))


def _signature(results: EarlierResults, today: str) -> Check:
    """Return whether the same request has the same signature today; the version is looked at by itself."""
    old, new = ([part for part in text.split("|") if not part.startswith("v:")] for text in (results.signature, today))
    changed = [f"{part}: not any more" for part in old if part not in new]
    changed += [f"{part}: new" for part in new if part not in old]
    return Check("signature", results.signature, tuple(changed))


def _scored_again(reread: Reread, most: int, seed: int) -> tuple[Check, tuple[str, ...]]:
    """Return what a sample of the models comes to today, held against what was reported of them."""
    results = reread.results
    try:
        sample = _sample(reread, most, seed)
    except Stop as stop:  # the results table itself is not what it was
        return Check("scored again", f"nothing: {stop}"), ()
    if not sample:
        return Check("scored again", "nothing: there is no model whose inputs and report are as they were"), ()
    # of a file that was changed that is said, and what it holds proves nothing
    reported = {} if NUMBERS in results.changed() else results.numbers()
    numbers, rows = 0, 0
    differing: list[str] = []
    with tempfile.TemporaryDirectory(prefix="scoresheet-verify-") as folder:
        for model, outcome in _outcomes(reread, list(sample.values()), Path(folder)):
            if not isinstance(outcome, Outcome):
                differing.append(f"{model}: {outcome}")
                continue
            name = report_names(results.command.reporter, model)[1]
            compared = _differences(results.folder / name, Path(folder) / name, outcome, reported.get(model))
            numbers += compared.numbers
            rows += outcome.rows
            differing += [f"{model}: {each}" for each in compared.differing]
    counted = f"{pluralize(len(sample), 'model')} ({join_names(sample)}), {pluralize(rows, 'row')}, "
    return Check("scored again", counted + pluralize(numbers, "number"), tuple(differing)), tuple(sample)


def _sample(reread: Reread, most: int, seed: int) -> dict[str, ModelInput]:
    """Return unchanged models, drawn: with so many rows together at the most, but one at the least."""
    table = reread.results.results
    sizes = {
        str(name): int(rows)
        for name, rows, status in zip(table[MODEL.name], table[ROWS.name], table[STATUS.name], strict=True)
        if status != "failed"
    }
    changed = set(reread.results.changed())
    whole = [model for model in sizes if not {*report_names(reread.request.reporter, model)} & changed]
    drawn = sorted(whole)
    random.Random(seed).shuffle(drawn)
    taken: list[str] = []
    for model in drawn:
        if sum(sizes[each] for each in taken) + sizes[model] <= most:
            taken.append(model)
    taken = taken or sorted(whole, key=sizes.__getitem__)[:1]
    sources = reread.models(taken)
    return {name: source for name, source in sources.items() if not reread.changed_inputs([source])}


def _outcomes(reread: Reread, models: Sequence[ModelInput], stage: Path) -> Iterator[tuple[str, Outcome[Any] | str]]:
    """Yield each model with what came of it, its reports being in the stage; or why nothing did."""
    plan = replace(reread.plan, stage=stage)
    tasks = run_tasks(
        partial(score_model, plan, reread.context()), models, workers=reread.request.settings.workers(len(models))
    )
    with closing(tasks):
        for number, found in tasks:
            name = models[number].name
            if isinstance(found, Outcome) and found.result is not None:
                yield name, found
            elif isinstance(found, WorkerCrashed | Bug):
                yield name, found.problem().message
            else:
                yield name, "nothing could be scored"


@dataclass(frozen=True)
class _Compared:
    numbers: int
    differing: list[str] = field(default_factory=list)


def _differences(old: Path, new: Path, outcome: Outcome[Any], reported: Any) -> _Compared:
    """Return what is another in the CSV of units and among the numbers of a model."""
    before, today = (list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))) for path in (old, new))
    if before[0] != today[0] or len(before) != len(today):
        return _Compared(
            0,
            [
                f"{old.name}: {len(before) - 1} lines of {len(before[0])} columns, now {len(today) - 1} of "
                f"{len(today[0])}"
            ],
        )
    numbers, differing = 0, []
    for line, (was, now) in enumerate(zip(before[1:], today[1:], strict=True), start=2):
        for column, left, right in zip(before[0], was, now, strict=True):
            numbers += _is_number(right)
            if left != right and not (_is_number(left) and _is_number(right) and is_same(left, float(right))):
                differing.append(f"{old.name} line {line}, {column}: {left or 'nothing'}, now {right or 'nothing'}")
    written = json.loads(as_json(outcome.numbers))  # there an undefined or infinite number is null, and keys are texts
    for path, value in _flat(written) if reported is not None else ():
        known = _at(reported, path)
        numbers += 1
        if not _is_equal(known, value):
            differing.append(f"{NUMBERS} {'.'.join(path)}: {known}, now {value}")
    return _Compared(numbers, differing)


def _is_equal(known: Any, value: Any) -> bool:
    """Return whether two values of a JSON file are one, numbers but for the last digits.

    >>> _is_equal(0.3, 0.1 + 0.2), _is_equal(None, 0.0), _is_equal([1, "a"], [1, "a"])
    (True, False, True)
    """
    if isinstance(value, float) and isinstance(known, int | float):
        return is_same(str(known), value)
    return bool(known == value)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _flat(numbers: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in numbers.items():
        if isinstance(value, Mapping):
            yield from _flat(value, (*path, name))
        else:
            yield (*path, name), value


def _at(numbers: Any, path: Sequence[str]) -> Any:
    for name in path:
        numbers = numbers.get(name) if isinstance(numbers, Mapping) else None
    return numbers
