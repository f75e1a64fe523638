"""What the parent knows and decides between reading and scoring: the models, what to refuse."""

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.grammar import PLACES, join_names
from scoresheet.cli.input.load import unique_keys
from scoresheet.cli.input.mapping import Place
from scoresheet.cli.run.reading import FileRead, Part, TableRead
from scoresheet.cli.run.request import Request
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
    """The state of one run: `given` are the further tables, as tidy files in `parts`."""

    request: Request
    family: Family
    parts: Path
    workers: Workers
    progress: Progress = lambda _total, _label: nullcontext(lambda: None)
    problems: list[Problem] = field(default_factory=list)
    given: dict[str, Path] = field(default_factory=dict)
    files: list[FileRead] = field(default_factory=list)
    models: dict[str, ModelInput] = field(default_factory=dict)


def tables_of(files: Iterable[FileRead], name: str = "") -> list[TableRead]:
    """Return the tables of all files, or those of one name."""
    tables = [table for file in files for table in file.tables]
    return [table for table in tables if name in ("", table.mapping.table)]


def collect_models(files: Sequence[FileRead]) -> dict[str, ModelInput]:
    """Return the models that the files hold, by name; a file that was skipped is one too."""
    models: dict[str, ModelInput] = {}
    for table in tables_of(files, "outputs"):
        for part in table.parts:
            models.setdefault(part.model, ModelInput(part.model)).parts.append(part)
    found = [table.mapping.filling("model") for table in tables_of(files, "outputs")]
    words = [filling.source for filling in found if filling and filling.source in PLACES]
    for file in files:
        fillings = [table.mapping.filling("model") for table in file.tables]
        if any(filling and filling.how != "place" for filling in fillings):
            continue
        for problem in [problem for problem in file.problems if problem.effect == "skipped"]:
            name = Place(file.source, problem.sheet).value(words[0] if words else "@path")
            models.setdefault(name, ModelInput(name)).partial = True
    return dict(sorted(models.items()))


def run_refusals(run: Run, files: Sequence[FileRead]) -> list[Problem]:
    """Return the problems of the outputs that end the whole run."""
    request, family, models = run.request, run.family, run.models
    problems = [problem for file in files for problem in file.problems]
    refused = [problem for problem in problems if problem.effect == "refused"]
    if not tables_of(files):  # if one table has the header, only the others are skipped
        unknown = {p.message: p for p in problems if p.kind == "unknown-header"}
        refused += [replace(problem, effect="refused") for problem in unknown.values()]
    refused += _places(files) if request.named else []
    refused += _one_name_twice(files)
    outputs = tables_of(files, "outputs")
    if not refused:
        refused += _one_place(request, family, outputs)
    for model in models.values():
        refused += _repeated_across_files(model, outputs, family)
    by_column = all(_is_header(table, family.unit_role) for table in outputs)
    if by_column and "nothing-shared" not in request.accept and not refused:
        refused += _nothing_shared(models, family.unit_role, outputs)
    return refused


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
    entries: dict[str, list[TableRead]] = defaultdict(list)
    for table in tables:
        nested = table.source.nested and name == "outputs"
        entries[table.source.entry if nested else table.source.name].append(table)
    if len(entries) > 1:
        kind = "" if name == "outputs" else f"{name.removesuffix('s')} "
        shown = ", ".join(list(entries)[:SHOWN]) + (", …" if len(entries) > SHOWN else "")
        return f"{len(tables)} {kind}tables ({shown})"
    (entry,) = entries
    files = len({table.source.name for table in tables})
    if files > 1:
        return f"{entry} ({files} files)"
    sheets = len({table.sheet for table in tables})
    if sheets > 1:
        return f"{entry} ({sheets} sheets)"
    sheet = tables[0].sheet if tables[0].worksheets > 1 else ""
    return f"{entry} (sheet {sheet})" if sheet else entry


def mapping_record(files: Iterable[FileRead]) -> dict[str, dict[str, str]]:
    """Return the mapping of every table as the manifest keeps it: role to source."""
    return {
        f"{table.source.name}{f' [{table.sheet}]' if table.worksheets > 1 else ''}": {
            "table": table.mapping.table,
            **{f.role: ", ".join(f.headers) or f.shown or f.how for f in table.mapping.fillings},
        }
        for table in tables_of(files)
    }


def saved_columns(files: Iterable[FileRead]) -> dict[str, list[str]]:
    """Return the whole mapping as --column would say it, for scoresheet.toml."""
    columns: dict[str, dict[str, None]] = defaultdict(dict)  # each source once, in order
    for table in tables_of(files):
        mapping = table.mapping
        prefix = "" if mapping.table == "outputs" else f"{mapping.table}."
        sources = [(filling.role, filling.typed()) for filling in mapping.fillings]
        sources += [("ignore", join_names([header])) for header in mapping.unused]
        for role, source in sources:
            if source:
                columns[prefix + role][source] = None
    return {role: list(sources) for role, sources in columns.items()}


def unit_word(files: Iterable[FileRead], role: str) -> str:
    """Return what the user calls a unit: the header that its role was read from."""
    for table in tables_of(files, "outputs"):
        filling = table.mapping.filling(role)
        if filling and filling.how == "header":
            return filling.headers[0].lower()
    return role


def lost_columns(files: Iterable[FileRead], previous: Any) -> list[Problem]:
    """Return a note for each column that was used by the last run and is gone."""
    mappings = [table.mapping for table in tables_of(files)]
    now = {header for m in mappings for f in m.fillings for header in f.headers}
    now |= {header for m in mappings for header in m.unused}
    return [
        Problem("column-gone", "note", f"the last run read {role} from {name}", file=place)
        for place, roles in (previous.items() if isinstance(previous, dict) else ())
        for role, source in roles.items()
        for name in (source.split(", ") if role != "table" else ())
        if name and name not in now and " name" not in name and not name.startswith("worksheet")
    ]


def _model_by_place(table: TableRead) -> bool:
    """Return whether the models are named by files or folders only because nothing was said."""
    filling = table.mapping.filling("model")
    return filling is not None and filling.how == "place" and not filling.said


def _places(files: Sequence[FileRead]) -> list[Problem]:
    """Refuse to guess which of files, folders and worksheets are the models."""
    tables = [table for table in tables_of(files, "outputs") if _model_by_place(table)]
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
        if filling is None or (filling.how == "place" and filling.source == "@path"):
            shown = f"{source.entry}/" if source.nested else source.name
            names["", source.entry.casefold()].add(shown)
        elif filling.how == "place" and filling.source == "@file":
            folder = source.name.rpartition("/")[0]
            names[folder, source.stem.casefold()].add(source.name)
    hint = "rename one of them, or move it out of the folder"
    return [
        _refused("places", f"{' and '.join(sorted(inputs))} give one model name", hint)
        for inputs in names.values()
        if len(inputs) > 1
    ]


def _one_place(request: Request, family: Family, outputs: Sequence[TableRead]) -> list[Problem]:
    """Refuse a model with one judge or stream where these are files, folders or worksheets."""
    problems = []
    for kind, role in {"one-judge": "judge", "one-stream": "stream"}.items():
        if kind not in family.outputs.checks or kind in request.accept:
            continue
        values: dict[str, set[str]] = defaultdict(set)
        for table in outputs:
            if (value := _place_value(table, role)) is not None:
                for part in table.parts:
                    values[part.model].add(value)
        problems += [
            _refused(kind, f"{model}: there is only one {role}: {found.pop()}", f"--accept {kind}")
            for model, found in values.items()
            if len(found) == 1
        ]
    return problems


def _repeated_across_files(
    model: ModelInput, outputs: Sequence[TableRead], family: Family
) -> list[Problem]:
    sheets = [sheet for part in model.parts for sheet in part.sheets]
    if len(set(sheets)) == len(sheets):
        return []
    tables = [t for t in outputs if any(part.model == model.name for part in t.parts)]
    rows = pd.concat([pd.read_pickle(part.path) for part in model.parts])
    keys = next(iter(unique_keys(family.outputs, rows)), [])
    if keys:
        repeated = rows.duplicated(keys).any()
    else:  # rows are samples: tables with one name for the sheet would be pooled
        names = [_sheet_name(table) for table in tables if not _is_header(table, "run")]
        repeated = len(set(names)) < len(names)
    if not repeated:
        return []
    message = f"{model.name}: the same rows occur in several files or worksheets"
    columns = [
        f"{role}={word}"
        for word in ("@folder", "@file", "@sheet")
        if len({Place(t.source, t.sheet).value(word) for t in tables}) == len(tables)
        for role in ("run", "sheet", "split")
        if role in family.outputs.role_names
    ]
    advice = "say what the files, folders or worksheets are" if columns else "remove the copies"
    return [_refused("repeated", message, advice, *columns)]


def _sheet_name(table: TableRead) -> tuple[str, ...]:
    """Return what tells the samples of a table apart from those of other tables."""
    if _is_header(table, "sheet"):
        return (table.source.name, table.sheet)  # its values are not known here
    sheet = _place_value(table, "sheet") or Place(table.source, table.sheet).value("@sheet")
    return (sheet, _place_value(table, "run") or "")


def _nothing_shared(
    models: dict[str, ModelInput], role: str, tables: Sequence[TableRead]
) -> list[Problem]:
    units = [np.concatenate([part.units for part in m.parts]) for m in models.values() if m.parts]
    units = [np.unique(found) for found in units if len(found)]
    if len(units) < 2 or len(np.unique(np.concatenate(units))) < sum(map(len, units)):
        return []
    message = f"the {len(units)} models have no {role} in common, so they cannot be compared"
    advice = f"name the column that is the same in all models with --column {role}=HEADER"
    asked = sorted({table.mapping.asked for table in tables} - {""})
    options = [f"--column {shlex.quote(f'{role}={header}')}" for header in asked]
    hint = "\n".join([f"{advice}, or accept it", *options, "--accept nothing-shared"])
    return [_refused("nothing-shared", message, hint)]


def _is_header(table: TableRead, role: str) -> bool:
    filling = table.mapping.filling(role)
    return filling is not None and filling.how == "header"


def _place_value(table: TableRead, role: str) -> str | None:
    """Return the name of the file, folder or worksheet that fills a role; None if none does."""
    filling = table.mapping.filling(role)
    if filling is None or filling.how != "place" or ":" in filling.source:
        return None
    return Place(table.source, table.sheet).value(filling.source)


def _refused(kind: str, message: str, hint: str, *columns: str) -> Problem:
    """Return a problem that ends the run, with the columns to choose from as options."""
    options = [f"--column {column}" for column in columns]
    return Problem(kind, "refused", message, hint="\n".join([hint, *options]))
