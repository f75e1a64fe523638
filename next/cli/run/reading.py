"""The first phase of a run, one file at a time: read, map, check, write the tidy parts."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.load import LoadRules, load_table
from scoresheet.cli.input.mapping import Mapping
from scoresheet.cli.input.read import read_tables
from scoresheet.cli.input.source import Source
from scoresheet.cli.input.tidy import ROW, Place
from scoresheet.cli.input.values import unique_keys
from scoresheet.cli.registry import load_family
from scoresheet.cli.run.manifest import sha256_of
from scoresheet.cli.run.request import Request
from scoresheet.metrics.problem import Problem, Refusal, located
from scoresheet.metrics.role import Table, normal


@dataclass(frozen=True)
class ReadTask:
    """One file to read. `given` are the further tables of the run, with their tidy file."""

    request: Request
    source: Source
    table: str
    folder: Path
    number: int
    given: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """The rows of one model in one table, in a file of their own.

    `units` and `keys` are hashes of the unit of each row, and of what identifies the row.
    """

    model: str
    path: Path
    rows: int
    units: Any
    keys: Any


@dataclass(frozen=True)
class TableRead:
    """What became of one table: its mapping and its parts."""

    source: Source
    sheet: str
    table: str
    worksheets: int
    mapping: Mapping
    parts: tuple[Part, ...]


@dataclass
class FileRead:
    """What became of one file."""

    source: Source
    tables: list[TableRead] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    headers: tuple[str, ...] = ()
    sha256: str = ""


def read_file(task: ReadTask) -> FileRead:
    """Read one file and write the rows of each model in it as a part."""
    result = FileRead(task.source)
    try:
        content = read_tables(task.source, task.request.read)
        result.sha256 = sha256_of(task.source.path)
    except Refusal as refusal:
        result.problems += refusal.problems
        return result
    result.problems += content.problems
    for position, (sheet, frame) in enumerate(content.tables.items()):
        result.headers += tuple(str(header) for header in frame.columns)
        shown = sheet if len(content.tables) > 1 else ""
        try:
            table, problems = _read_table(task, frame, sheet, len(content.tables), position)
            result.tables.append(table)
        except Refusal as refusal:
            problems = list(refusal.problems)
        result.problems += [located(p, task.source.name, shown) for p in problems]
    return result


def _read_table(
    task: ReadTask, frame: pd.DataFrame, sheet: str, worksheets: int, position: int
) -> tuple[TableRead, list[Problem]]:
    request, source = task.request, task.source
    table = _declared(task, sheet)
    rules = LoadRules(
        *(request.said, request.where, request.tidy, request.accept, request.repeats),
        tuple(task.given),
        request.read,
    )
    references, key = _references(task, table)
    place = Place(source, sheet)
    loaded = load_table(
        table, frame, place, rules, worksheets=worksheets, references=references, key=key
    )
    parts = _write_parts(task, table, loaded.long, position, place)
    read = TableRead(source, sheet, table.name, worksheets, loaded.mapping, parts)
    return read, loaded.problems


def _declared(task: ReadTask, sheet: str) -> Table:
    """Return the declaration of a table: by its own name where a further table has it."""
    family = load_family(task.request.family)
    if task.table == "outputs":
        for table in family.tables:
            if table.by_name and normal(table.name) in (normal(sheet), normal(task.source.stem)):
                return table
    return family.table(task.table)


def _references(task: ReadTask, table: Table) -> tuple[pd.DataFrame | None, str]:
    """Return the references of the run and the role that joins them, for a table of outputs."""
    if table.name != "outputs" or "references" not in task.given:
        return None, ""
    key = load_family(task.request.family).table("references").key
    return pd.read_pickle(task.given["references"]), key


def _write_parts(
    task: ReadTask, table: Table, long: pd.DataFrame, position: int, place: Place
) -> tuple[Part, ...]:
    family = load_family(task.request.family)
    if "model" not in long:
        groups = [("", long)]
    elif long.empty:
        groups = [(place.value("@path"), long)]
    else:
        groups = [(str(name), group) for name, group in long.groupby("model", sort=False)]
    parts = []
    for number, (model, rows) in enumerate(groups):
        path = task.folder / f"{table.name}-{task.number}-{position}-{number}.pkl"
        group = rows.reset_index(drop=True)
        if table.name == "outputs":
            _check_breakdowns(group, family.unit_role)
        group.to_pickle(path)
        units = _hashes(group, [family.unit_role]) if family.unit_role in group else _none()
        unique = unique_keys(table, group)
        keys = _hashes(group, unique[0]) if unique else _none()
        parts.append(Part(model, path, group[ROW].nunique(), np.unique(units), keys))
    return tuple(parts)


def _check_breakdowns(group: pd.DataFrame, unit: str) -> None:
    for column in [name for name in group.columns if name.startswith("by:")]:
        if (group.groupby(unit)[column].nunique() > 1).any():
            message = f"--by {column[3:]}: it is not the same in all rows of a {unit}"
            raise Refusal(Problem("by", "refused", message))


def _none() -> np.ndarray:
    return np.array([], dtype=np.uint64)


def _hashes(frame: pd.DataFrame, columns: list[str]) -> np.ndarray:
    texts = frame[columns].astype(str)
    return pd.util.hash_pandas_object(texts, index=False).to_numpy(np.uint64)
