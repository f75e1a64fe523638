"""What the parent decides between reading and scoring: which models there are, what to refuse."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from scoresheet.cli.input.mapping import Mapping
from scoresheet.cli.run.reading import FileRead, Part, TableRead
from scoresheet.cli.run.request import Request
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem

SHOWN = 3  # names in a mapping line


@dataclass
class ModelInput:
    """One model: its parts, and whether some of its input was skipped."""

    name: str
    parts: list[Part] = field(default_factory=list)
    partial: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files of its parts."""
        return tuple(part.path for part in self.parts)


def collect_models(files: Sequence[FileRead]) -> dict[str, ModelInput]:
    """Return the models that the files hold, by name; a file that was skipped is one too."""
    models: dict[str, ModelInput] = {}
    for table in _outputs(files):
        for part in table.parts:
            models.setdefault(part.model, ModelInput(part.model)).parts.append(part)
    for file in files:
        skipped = any(problem.effect == "skipped" for problem in file.problems)
        by_column = any(_model_by_column(table) for table in file.tables)
        if skipped and not by_column:
            models.setdefault(file.source.entry, ModelInput(file.source.entry)).partial = True
    return dict(sorted(models.items()))


def run_refusals(
    request: Request, family: Family, files: Sequence[FileRead], models: dict[str, ModelInput]
) -> list[Problem]:
    """Return the problems that end the whole run."""
    refused = [p for file in files for p in file.problems if p.effect == "refused"]
    refused += _unknown_headers(files)
    refused += _places(request, files)
    refused += _one_name_twice(files)
    for model in models.values():
        refused += _repeated_across_files(model)
    wants_shared = "nothing-shared" in family.outputs.checks
    if wants_shared and "nothing-shared" not in request.accept and not refused:
        refused += _nothing_shared(models, family.unit_role)
    return refused


def mapping_lines(files: Iterable[FileRead]) -> list[str]:
    """Return one line per distinct mapping: which tables, and what was read as what."""
    groups: dict[tuple[str, tuple[str, ...]], list[TableRead]] = defaultdict(list)
    for file in files:
        for table in file.tables:
            groups[table.table, tuple(table.mapping.phrases())].append(table)
    return [
        f"{_table_names(name, tables)}: {' · '.join(phrases)}"
        for (name, phrases), tables in sorted(groups.items(), key=lambda g: g[0][0] != "outputs")
    ]


def mapping_record(files: Iterable[FileRead]) -> dict[str, dict[str, str]]:
    """Return the mapping of every table as the manifest keeps it: role to source."""
    return {
        f"{table.source.name}{f' [{table.sheet}]' if table.worksheets > 1 else ''}": {
            "table": table.table,
            **{f.role: ", ".join(f.headers) or f.shown or f.how for f in table.mapping.fillings},
        }
        for file in files
        for table in file.tables
    }


def saved_columns(files: Iterable[FileRead]) -> dict[str, list[str]]:
    """Return the whole mapping as --column would say it, for scoresheet.toml."""
    columns: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for table in file.tables:
            prefix = "" if table.table == "outputs" else f"{table.table}."
            for filling in table.mapping.fillings:
                source = filling.typed()
                if source and source not in columns[prefix + filling.role]:
                    columns[prefix + filling.role].append(source)
            for header in table.mapping.unused:
                if header not in columns[f"{prefix}ignore"]:
                    columns[f"{prefix}ignore"].append(header)
    return {role: sources for role, sources in columns.items() if sources}


def unit_word(files: Iterable[FileRead], role: str) -> str:
    """Return what the user calls a unit: the header that its role was read from."""
    for table in _outputs(files):
        filling = table.mapping.filling(role)
        if filling and filling.how == "header":
            return filling.headers[0].lower()
    return role


def lost_columns(mappings: Sequence[Mapping], previous: dict[str, dict[str, str]]) -> list[Problem]:
    """Return a note for each column that was used by the last run and is gone."""
    now = {header for m in mappings for f in m.fillings for header in f.headers}
    now |= {header for m in mappings for header in m.unused}
    notes = []
    for place, roles in previous.items():
        for role, source in roles.items():
            names = [] if role == "table" else source.split(", ")
            notes += [
                Problem("column-gone", "note", f"the last run read {role} from {n}", file=place)
                for n in names
                if n and n not in now and " name" not in n and n not in ("worksheet",)
            ]
    return notes


def _outputs(files: Iterable[FileRead]) -> list[TableRead]:
    return [table for file in files for table in file.tables if table.table == "outputs"]


def _model_by_column(table: TableRead) -> bool:
    filling = table.mapping.filling("model")
    return filling is not None and filling.how != "place"


def _model_by_place(table: TableRead) -> bool:
    """Return whether nobody said which the models are."""
    filling = table.mapping.filling("model")
    return filling is not None and filling.how == "place" and not filling.said


def _table_names(name: str, tables: Sequence[TableRead]) -> str:
    entries: dict[str, list[TableRead]] = defaultdict(list)
    for table in tables:
        source = table.source
        nested = source.nested and name == "outputs"
        entries[source.entry if nested else source.name].append(table)
    kind = "" if name == "outputs" else f"{name.removesuffix('s')} "
    if len(entries) > 1:
        shown = ", ".join(list(entries)[:SHOWN]) + (", …" if len(entries) > SHOWN else "")
        return f"{len(tables)} {kind}tables ({shown})"
    entry, read = next(iter(entries.items()))
    sheets = len({(table.source.name, table.sheet) for table in read})
    files = len({table.source.name for table in read})
    if files > 1:
        return f"{entry} ({files} files)"
    if sheets > 1:
        return f"{entry} ({sheets} sheets)"
    whole = read[0].worksheets == 1 or not read[0].sheet
    return entry if whole else f"{entry} (sheet {read[0].sheet})"


def _unknown_headers(files: Sequence[FileRead]) -> list[Problem]:
    """Return --column names that no table has; one table that has it makes the others skipped."""
    missing = {p.message: p for file in files for p in file.problems if p.kind == "unknown-header"}
    tables = sum(len(file.tables) for file in files)
    if tables:
        return []
    return [replace(problem, effect="refused") for problem in missing.values()]


def _places(request: Request, files: Sequence[FileRead]) -> list[Problem]:
    if not request.named:
        return []
    tables = [table for table in _outputs(files) if _model_by_place(table)]
    nested = [table for table in tables if table.source.nested]
    if nested:
        first = nested[0].source
        hint = "\n".join(
            [
                "say which the models are: folders, file names, or the names in the folder",
                "--column model=@folder",
                "--column model=@file",
                "--column model=@path",
            ]
        )
        message = f"which are the models? {first.name} is in the folder {first.folder}"
        return [Problem("places", "refused", message, hint=hint)]
    if len(files) == 1 and len(tables) > 1:
        sheets = ", ".join(table.sheet for table in tables[:SHOWN])
        hint = "\n".join(
            [
                "say which the models are: worksheets, or the file with its worksheets as sheets",
                "--column model=@sheet",
                "--column model=@file",
            ]
        )
        message = f"which are the models? {tables[0].source.name} has the worksheets {sheets}"
        return [Problem("places", "refused", message, hint=hint)]
    return []


def _one_name_twice(files: Sequence[FileRead]) -> list[Problem]:
    """Refuse two inputs that give one model name, such as m.csv and m.xlsx."""
    names: dict[str, set[str]] = defaultdict(set)
    for file in files:
        tables = [t for t in file.tables if t.table == "outputs"]
        if tables and not _model_by_place(tables[0]):
            continue
        source = file.source
        names[source.entry.casefold()].add(f"{source.entry}/" if source.nested else source.name)
    return [
        Problem(
            "places",
            "refused",
            f"{' and '.join(sorted(inputs))} give one model name",
            hint="rename one of them, or move it out of the folder",
        )
        for inputs in names.values()
        if len(inputs) > 1
    ]


def _repeated_across_files(model: ModelInput) -> list[Problem]:
    keys = [part.keys for part in model.parts if len(part.keys)]
    if len(keys) < 2 or len(np.unique(np.concatenate(keys))) == sum(map(len, keys)):
        return []
    message = f"{model.name}: the same rows occur in several files or worksheets"
    hint = "\n".join(
        [
            "say what the files or folders are",
            "--column run=@folder",
            "--column sheet=@folder",
            "--column sheet=@file",
        ]
    )
    return [Problem("repeated", "refused", message, hint=hint)]


def _nothing_shared(models: dict[str, ModelInput], role: str) -> list[Problem]:
    units = [np.concatenate([part.units for part in m.parts]) for m in models.values() if m.parts]
    units = [np.unique(found) for found in units if len(found)]
    if len(units) < 2 or len(np.unique(np.concatenate(units))) < sum(map(len, units)):
        return []
    message = f"the {len(units)} models have no {role} in common, so they cannot be compared"
    hint = f"name the column that is the same in all models, or accept it\n--column {role}=HEADER"
    return [Problem("nothing-shared", "refused", message, hint=f"{hint}\n--accept nothing-shared")]
