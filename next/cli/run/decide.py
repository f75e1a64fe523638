"""What the parent knows and decides between reading and scoring: the models, what to refuse."""

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scoresheet.cli.input.grammar import PLACES, join_names
from scoresheet.cli.input.load import unique_keys
from scoresheet.cli.input.mapping import FILE, WORKSHEET, Place
from scoresheet.cli.run.outcome import Request
from scoresheet.cli.run.reading import FileRead, Part, Paths, TableRead, read_parts, tables_of
from scoresheet.cli.run.workers import Workers
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem

SHOWN = 3  # names in a mapping line

Progress = Callable[[int, str], AbstractContextManager[Callable[[], None]]]


@dataclass
class ModelInput:
    """One model: its parts, and whether some of its input was skipped."""

    name: str
    parts: list[Part] = field(default_factory=list)
    partial: bool = False


@dataclass
class Run:
    """The state of one run; `given` are the parts of the further tables."""

    request: Request
    family: Family
    parts: Path
    workers: Workers
    progress: Progress = lambda _total, _label: nullcontext(lambda: None)
    problems: list[Problem] = field(default_factory=list)
    given: dict[str, Paths] = field(default_factory=dict)
    files: list[FileRead] = field(default_factory=list)
    models: dict[str, ModelInput] = field(default_factory=dict)


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
                name = Place(file.source, problem.sheet).value(word)
                models.setdefault(name, ModelInput(name)).partial = True
    return dict(sorted(models.items()))


# --- what was read as what ------------------------------------------------------------------


def mapping_lines(files: Iterable[FileRead]) -> list[str]:
    """Return one line per distinct mapping: which tables, and what was read as what."""
    groups: dict[tuple[str, ...], list[TableRead]] = defaultdict(list)
    for table in tables_of(files):
        groups[table.mapping.table, *table.mapping.phrases()].append(table)
    return [
        f"{_table_names(name, tables)}: {' · '.join(phrases)}"
        for (name, *phrases), tables in sorted(groups.items(), key=lambda g: g[0][0] != "outputs")
    ]


def _table_names(name: str, tables: Sequence[TableRead]) -> str:
    outputs, sources = name == "outputs", [table.source for table in tables]
    entries = dict.fromkeys(s.entry if s.nested and outputs else s.name for s in sources)
    if len(entries) > 1:
        kind = "" if outputs else f"{name.removesuffix('s')} "
        shown = ", ".join(list(entries)[:SHOWN]) + (", …" if len(entries) > SHOWN else "")
        return f"{len(tables)} {kind}tables ({shown})"
    files, sheets = ({s.name for s in sources}, {table.sheet for table in tables})
    what = f"sheet {tables[0].sheet}" if tables[0].worksheets > 1 else ""
    what = f"{len(sheets)} sheets" if len(sheets) > 1 else what
    what = f"{len(files)} files" if len(files) > 1 else what
    return f"{next(iter(entries))} ({what})" if what else next(iter(entries))


def typed_columns(files: Iterable[FileRead]) -> dict[str, list[str]]:
    """Return the whole mapping as --column takes it: the sources of each role, in order."""
    columns: dict[str, list[str]] = defaultdict(list)
    for mapping in [table.mapping for table in tables_of(files)]:
        prefix = "" if mapping.table == "outputs" else f"{mapping.table}."
        sources = [(filling.role, filling.typed()) for filling in mapping.fillings]
        sources += [("ignore", join_names([header])) for header in mapping.unused]
        for role, source in sources:
            if source and source not in columns[prefix + role]:
                columns[prefix + role].append(source)
    return dict(columns)


def saved_columns(files: Sequence[FileRead]) -> dict[str, list[str]]:
    """Return the whole mapping for the next run; a role that a table lacks may be empty."""
    columns = typed_columns(files)
    for name, sources in columns.items():
        table, _, role = name.rpartition(".")
        tables = tables_of(files, table or "outputs")
        if role != "ignore" and not all(table.mapping.filling(role) for table in tables):
            sources.append("@none")
    return columns


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
    for kind, role in {"one-judge": "judge", "one-stream": "stream"}.items():
        if role in family.outputs.role_names and kind not in accept and not refused:
            refused += _one_place(kind, role, outputs)
    for model in models.values():
        refused += _repeated(model, outputs, family)
    if "nothing-shared" not in accept and not refused:
        refused += _nothing_shared(models, family.unit_role, outputs)
    return refused


def _places(files: Sequence[FileRead]) -> list[Problem]:
    """Refuse to guess which of files, folders and worksheets are the models."""
    tables = [
        table
        for table in tables_of(files, "outputs")
        if (filling := table.mapping.filling("model")) and filling.how == "place"
        if not filling.said
    ]
    nested = [table.source for table in tables if table.source.nested]
    if nested:
        where = f"{nested[0].name} is in the folder {nested[0].folder}"
        choice = "folders, file names, or the names in the folder"
        columns = ["model=@folder", "model=@file", "model=@path"]
    elif len(files) == 1 and len(tables) > 1:
        sheets = ", ".join(table.sheet for table in tables[:SHOWN])
        where = f"{tables[0].source.name} has the worksheets {sheets}"
        choice = "worksheets, or the file with its worksheets as sheets"
        columns = ["model=@sheet", "model=@file"]
    else:
        return []
    message = f"which are the models? {where}"
    return [_refused("places", message, f"say which the models are: {choice}", *columns)]


def _one_name_twice(files: Sequence[FileRead]) -> list[Problem]:
    """Refuse two inputs that give one model name, such as m.csv and m.xlsx."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in files:
        source, tables = file.source, tables_of([file], "outputs")
        filling = tables[0].mapping.filling("model") if tables else None
        word = filling.source if filling and filling.how == "place" else ""
        if filling is None or word == "@path":
            shown = f"{source.entry}/" if source.nested else source.name
            names["", source.entry.casefold()].add(shown)
        elif word == "@file":
            names[source.name.rpartition("/")[0], source.stem.casefold()].add(source.name)
    hint = "rename one of them, or move it out of the folder"
    return [
        _refused("places", f"{' and '.join(sorted(inputs))} give one model name", hint)
        for inputs in names.values()
        if len(inputs) > 1
    ]


def _one_place(kind: str, role: str, outputs: Sequence[TableRead]) -> list[Problem]:
    """Refuse a model with one judge or stream where these are files, folders or worksheets."""
    found: dict[str, set[str]] = defaultdict(set)
    for table in outputs:
        for part in table.parts if _place_value(table, role) else ():
            found[part.model].add(_place_value(table, role))
    return [
        _refused(kind, f"{model}: there is only one {role}: {names.pop()}", f"--accept {kind}")
        for model, names in found.items()
        if len(names) == 1
    ]


def _repeated(model: ModelInput, outputs: Sequence[TableRead], family: Family) -> list[Problem]:
    """Refuse a model with the same rows in several files or worksheets."""
    sheets = [sheet for part in model.parts for sheet in part.sheets]
    if len(set(sheets)) == len(sheets):
        return []
    tables = [t for t in outputs if any(part.model == model.name for part in t.parts)]
    rows = read_parts(tuple(part.path for part in model.parts))
    keys = next(iter(unique_keys(family.outputs, rows)), [])
    if not keys:  # samples: those of several files with one name for the sheet would be pooled
        keys = [name for name in ("sheet", "run") if name in rows]
        rows = rows.drop_duplicates([*keys, FILE, WORKSHEET])
    if not rows.duplicated(keys).any():
        return []
    message = f"{model.name}: the same rows occur in several files or worksheets"
    columns = [
        f"{role}={word}"
        for word in ("@folder", "@file", "@sheet")
        if len({table.place.value(word) for table in tables}) == len(tables)
        for role in ("run", "sheet", "split")
        if role in family.outputs.role_names
    ]
    advice = "say what the files, folders or worksheets are" if columns else "remove the copies"
    return [_refused("repeated", message, advice, *columns)]


def _nothing_shared(
    models: dict[str, ModelInput], role: str, outputs: Sequence[TableRead]
) -> list[Problem]:
    """Refuse models without a unit in common, if the units were read from a column."""
    units = [np.concatenate([part.units for part in m.parts]) for m in models.values() if m.parts]
    units = [np.unique(found) for found in units if len(found)]
    shared = len(np.unique(np.concatenate(units))) < sum(map(len, units)) if units else True
    if len(units) < 2 or shared or not all(_is_header(table, role) for table in outputs):
        return []
    message = f"the {len(units)} models have no {role} in common, so they cannot be compared"
    advice = f"name the column that is the same in all models with --column {role}=HEADER"
    asked = sorted({table.mapping.asked for table in outputs} - {""})
    options = [f"--column {shlex.quote(f'{role}={header}')}" for header in asked]
    hint = "\n".join([f"{advice}, or accept it", *options, "--accept nothing-shared"])
    return [_refused("nothing-shared", message, hint)]


def _is_header(table: TableRead, role: str) -> bool:
    filling = table.mapping.filling(role)
    return filling is not None and filling.how == "header"


def _place_value(table: TableRead, role: str) -> str:
    """Return the name of the file, folder or worksheet that fills a role; "" if none does."""
    filling = table.mapping.filling(role)
    whole = filling is not None and filling.how == "place" and ":" not in filling.source
    return table.place.value(filling.source) if filling and whole else ""


def _refused(kind: str, message: str, hint: str, *columns: str) -> Problem:
    """Return a problem that ends the run, with the columns to choose from as options."""
    options = [f"--column {column}" for column in columns]
    return Problem(kind, "refused", message, hint="\n".join([hint, *options]))
