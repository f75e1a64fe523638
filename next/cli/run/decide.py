"""What the parent decides once the files are read: the models, and what ends the run."""

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scoresheet.cli.input.checks import unique_keys
from scoresheet.cli.input.grammar import PLACES, few, join_names
from scoresheet.cli.input.mapping import FILE, WORKSHEET
from scoresheet.cli.run.dask import DaskWorkers
from scoresheet.cli.run.recorded import Recorded
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import WriteFailed
from scoresheet.cli.run.tasks import FileRead, ModelInput, Paths, TableRead, read_parts, tables_of
from scoresheet.cli.run.workers import TaskFailure, Workers
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem, Refusal

SHOWN = 3  # names in a mapping line

Progress = Callable[[int, str], AbstractContextManager[Callable[[], None]]]


def no_progress(_total: int, _label: str) -> AbstractContextManager[Callable[[], None]]:
    """Show nothing."""
    return nullcontext(lambda: None)


@dataclass
class Run:
    """The state of one run; `given` are the parts of the further tables."""

    request: Request
    family: Family
    parts: Path
    workers: Workers | DaskWorkers
    progress: Progress = no_progress
    problems: list[Problem] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    given: dict[str, Paths] = field(default_factory=dict)
    files: list[FileRead] = field(default_factory=list)
    models: dict[str, ModelInput] = field(default_factory=dict)
    baseline: Recorded | None = None

    def in_workers(
        self, label: str, function: Callable[..., Any], tasks: Sequence[tuple[str, Any]]
    ) -> list[Any]:
        """Return function(*task) of every named task, or a Refusal with the limit that ended it."""
        with self.progress(len(tasks), label) as done:
            results = self.workers.run(function, [task for _, task in tasks], done)
        hints = {"time": "--timeout SECONDS", "memory": "--memory MB"}
        for i, ((name, _), failure) in enumerate(zip(tasks, results, strict=True)):
            if isinstance(failure, TaskFailure):
                reason, message = failure.reason, failure.message
                if reason == "disk":
                    raise WriteFailed(message)
                if reason == "error":  # no input should cause one
                    raise RuntimeError(message)
                hint = hints.get(reason, "")
                results[i] = Refusal(Problem(reason, "skipped", message, name, hint=hint))
        return results


def collect_models(files: Sequence[FileRead]) -> dict[str, ModelInput]:
    """Return the models that the files hold, by name; a file that was skipped is one too."""
    models: dict[str, ModelInput] = {}
    word = "@path"
    for table in tables_of(files, "outputs"):
        for part in table.parts:
            models.setdefault(part.model, ModelInput(part.model)).parts.append(part)
        filling = table.mapping.filling("model")
        word = filling.source if filling and filling.source in PLACES else word
    for file in files:
        hows = {f.how for table in file.tables if (f := table.mapping.filling("model"))}
        for problem in file.problems if hows <= {"place"} else ():
            if problem.effect == "skipped":
                name = file.source.place(word, problem.sheet)
                models.setdefault(name, ModelInput(name)).partial = True
    return dict(sorted(models.items()))


# --- what was read as what ------------------------------------------------------------------


def mapping_lines(tables: Iterable[TableRead]) -> list[str]:
    """Return one line per distinct mapping: which tables, and what was read as what."""
    groups: dict[tuple[str, ...], list[TableRead]] = defaultdict(list)
    for table in tables:
        groups[table.mapping.table, *table.mapping.phrases()].append(table)
    return [
        f"{_table_names(name, alike)}: {' · '.join(phrases)}"
        for (name, *phrases), alike in sorted(groups.items(), key=lambda g: g[0][0] != "outputs")
    ]


def _table_names(name: str, tables: Sequence[TableRead]) -> str:
    outputs, sources = name == "outputs", [table.source for table in tables]
    entries = list(dict.fromkeys(s.entry if s.nested and outputs else s.name for s in sources))
    if len(entries) > 1:
        kind = "" if outputs else f"{name.removesuffix('s')} "
        return f"{len(tables)} {kind}tables ({few(entries, SHOWN)})"
    files, sheets = len({s.name for s in sources}), len({table.sheet for table in tables})
    if files > 1 or sheets > 1:
        return f"{entries[0]} ({f'{files} files' if files > 1 else f'{sheets} sheets'})"
    return f"{entries[0]} (sheet {tables[0].sheet})" if tables[0].worksheets > 1 else entries[0]


def typed_columns(files: Sequence[FileRead], *, optional: bool = False) -> dict[str, list[str]]:
    """Return the whole mapping as --column takes it: the sources of each role, in order.

    With `optional`, as the next run needs it, a role that some table lacks may be empty.
    """
    columns: dict[str, list[str]] = defaultdict(list)
    for mapping in [table.mapping for table in tables_of(files)]:
        prefix = "" if mapping.table == "outputs" else f"{mapping.table}."
        sources = [(filling.role, filling.typed()) for filling in mapping.fillings]
        sources += [("ignore", join_names([header])) for header in mapping.unused]
        for role, source in sources:
            if source and source not in columns[prefix + role]:
                columns[prefix + role].append(source)
    for name, found in columns.items() if optional else ():
        table, _, role = name.rpartition(".")
        mappings = [t.mapping for t in tables_of(files, table or "outputs")]
        if role != "ignore" and not all(mapping.filling(role) for mapping in mappings):
            found.append("@none")
    return dict(columns)


def lost_columns(files: Iterable[FileRead], previous: Any) -> list[Problem]:
    """Return a note for each column that was used by the last run and is gone."""
    mappings = [table.mapping for table in tables_of(files)]
    here = {name for m in mappings for f in m.fillings for name in (*f.headers, f.typed())}
    here |= {header for mapping in mappings for header in mapping.unused}
    with suppress(AttributeError, TypeError):  # there was no last run, or its manifest was edited
        return [
            Problem("column-gone", "note", f"the last run read {role} from {source}")
            for role, sources in previous["mapping"].items()
            for source in sources
            if role != "ignore" and source not in here and not source.startswith("@")
        ]
    return []


# --- what ends a run ------------------------------------------------------------------------


def run_refusals(run: Run, files: Sequence[FileRead]) -> list[Problem]:
    """Return the problems of the outputs that end the whole run."""
    family, models, accept = run.family, run.models, run.request.load.accept
    outputs = tables_of(files, "outputs")
    problems = [problem for file in files for problem in file.problems]
    refused = [problem for problem in problems if problem.effect == "refused"]
    if not tables_of(files):  # if one table has the header, only the others are skipped
        unknown = {p.message: p for p in problems if p.kind == "unknown-header"}
        refused += [replace(problem, effect="refused") for problem in unknown.values()]
    refused += _places(files) if run.request.named else []
    refused += _one_name_twice(files)
    for role in ("judge", "stream"):
        if role in family.outputs.role_names and f"one-{role}" not in accept and not refused:
            refused += _one_place(role, outputs)
    refused += [problem for m in models.values() for problem in _repeated(m, outputs, family)]
    if "nothing-shared" not in accept and not refused:
        refused += _nothing_shared(models, family.unit_role, outputs)
    return refused


def _refused(kind: str, message: str, *hint: str) -> Problem:
    return Problem(kind, "refused", message, hint="\n".join(hint))


def _options(role: str, *sources: str) -> list[str]:
    return [f"--column {shlex.quote(f'{role}={source}')}" for source in sources]


def _places(files: Sequence[FileRead]) -> list[Problem]:
    """Refuse to guess which of files, folders and worksheets are the models."""
    fillings = [(table, table.mapping.filling("model")) for table in tables_of(files, "outputs")]
    tables = [table for table, f in fillings if f and f.how == "place" and not f.said]
    nested = [table.source for table in tables if table.source.nested]
    if nested:
        what = f"{nested[0].name} is in the folder {nested[0].folder}"
        words = ["folder", "file", "path"]
        hint = "say which: folders, file names, or the names in the folder"
    elif len(files) == 1 and len(tables) > 1:
        sheets = few([table.sheet for table in tables], SHOWN)
        what, words = f"{tables[0].source.name} has the worksheets {sheets}", ["sheet", "file"]
        hint = "say which: worksheets, or the file with its worksheets as sheets"
    else:
        return []
    options = _options("model", *(f"@{word}" for word in words))
    return [_refused("places", f"which are the models? {what}", hint, *options)]


def _one_name_twice(files: Sequence[FileRead]) -> list[Problem]:
    """Refuse two inputs that give one model name, such as m.csv and m.xlsx."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in files:
        source, tables = file.source, tables_of([file], "outputs")
        filling = tables[0].mapping.filling("model") if tables else None
        word = filling.source if filling and filling.how == "place" else "" if filling else "@path"
        if word == "@path":
            shown = f"{source.entry}/" if source.nested else source.name
            names["", source.entry.casefold()].add(shown)
        elif word == "@file":
            names[source.name.rpartition("/")[0], source.stem.casefold()].add(source.name)
    twice = [" and ".join(sorted(inputs)) for inputs in names.values() if len(inputs) > 1]
    hint = "rename one of them, or move it out of the folder"
    return [_refused("places", f"{inputs} give one model name", hint) for inputs in twice]


def _one_place(role: str, outputs: Sequence[TableRead]) -> list[Problem]:
    """Refuse a model with one judge or stream where these are files, folders or worksheets."""
    kind, found = f"one-{role}", defaultdict[str, set[str]](set)
    for table in outputs:
        filling = table.mapping.filling(role)
        if filling and filling.how == "place" and ":" not in filling.source:
            for part in table.parts:
                found[part.model].add(table.place(filling.source))
    return [
        _refused(kind, f"{model}: the only {role} is {min(names)}", f"--accept {kind}")
        for model, names in found.items()
        if len(names) == 1
    ]


def _repeated(model: ModelInput, outputs: Sequence[TableRead], family: Family) -> list[Problem]:
    """Refuse a model with the same rows in several files or worksheets."""
    sheets = [sheet for part in model.parts for sheet in part.sheets]
    if len(set(sheets)) == len(sheets):
        return []
    rows = read_parts(model.paths)
    keys = next(iter(unique_keys(family.outputs, rows)), [])
    if not keys:  # samples: those of several files with one name for the sheet would be pooled
        keys = [name for name in ("sheet", "run") if name in rows]
        rows = rows.drop_duplicates([*keys, FILE, WORKSHEET])
    if not rows.duplicated(keys).any():
        return []
    tables = [t for t in outputs if any(part.model == model.name for part in t.parts)]
    columns = [
        option
        for word in ("@folder", "@file", "@sheet")
        if len({table.place(word) for table in tables}) == len(tables)
        for role in ("run", "sheet", "split")
        if role in family.outputs.role_names
        for option in _options(role, word)
    ]
    advice = "say what the files, folders or worksheets are" if columns else "remove the copies"
    message = f"{model.name}: the same rows occur in several files or worksheets"
    return [_refused("repeated", message, advice, *columns)]


def _nothing_shared(
    models: Mapping[str, ModelInput], role: str, outputs: Sequence[TableRead]
) -> list[Problem]:
    """Refuse models without a unit in common, if the units were read from a column."""
    parts = [model.parts for model in models.values() if any(len(p.units) for p in model.parts)]
    units = [np.unique(np.concatenate([part.units for part in own])) for own in parts]
    fillings = [table.mapping.filling(role) for table in outputs]
    if len(units) < 2 or not all(filling and filling.how == "header" for filling in fillings):
        return []
    if len(np.unique(np.concatenate(units))) < sum(map(len, units)):
        return []
    message = f"the {len(units)} models have no {role} in common, so they cannot be compared"
    advice = f"name the column that is the same in all models with --column {role}=HEADER"
    asked = sorted({table.mapping.asked for table in outputs} - {""})
    hint = (f"{advice}, or accept it", *_options(role, *asked), "--accept nothing-shared")
    return [_refused("nothing-shared", message, *hint)]
