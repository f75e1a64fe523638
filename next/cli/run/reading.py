"""The first phase of a run, one file at a time: read, map, check, write the tidy parts."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.load import LoadRules, load_table
from scoresheet.cli.input.mapping import ROW, Mapping, Place
from scoresheet.cli.input.read import read_tables
from scoresheet.cli.input.source import Source
from scoresheet.cli.registry import load_family
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import sha256_of
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem, Refusal, located
from scoresheet.metrics.role import Table, normal


@dataclass(frozen=True)
class Part:
    """The rows of one model in one table, in a file of their own.

    `units` are hashes of the units, `sheets` the names of the sheets.
    """

    model: str
    path: Path
    rows: int
    units: Any
    sheets: tuple[str, ...]


@dataclass(frozen=True)
class TableRead:
    """One table of a file: what was read as what, and its parts."""

    source: Source
    sheet: str
    worksheets: int
    mapping: Mapping
    parts: list[Part]


@dataclass
class FileRead:
    """What was read from one file."""

    source: Source
    problems: list[Problem]
    tables: list[TableRead] = field(default_factory=list)
    sha256: str = ""


def read_file(
    request: Request, name: str, given: dict[str, Path], source: Source, part: str
) -> FileRead:
    """Read one file as a table of this name and write the rows of each model in it as a part.

    `given` are the tidy files of the tables that were read before; `part` begins the new ones.
    """
    family = load_family(request.family)
    rules = LoadRules(
        *(request.said, request.where, request.tidy, request.accept, request.repeats),
        tuple(given),
        request.read,
    )
    try:
        content = read_tables(source, request.read)
    except Refusal as refusal:
        return FileRead(source, list(refusal.problems))
    result = FileRead(source, content.problems, sha256=sha256_of(source.path))
    count = len(content.tables)
    for number, (sheet, frame) in enumerate(content.tables.items()):
        place = Place(source, sheet)
        table = _declaration(family, name, place)
        joined: dict[str, Any] = {}
        if table.name == "outputs" and "references" in given:
            joined["references"] = read_part(given["references"])
            joined["key"] = family.table("references").key
        try:
            loaded = load_table(table, frame, place, rules, worksheets=count, **joined)
            parts = [
                _write_part(family, table, model, rows, Path(f"{part}-{number}-{i}.pkl"))
                for i, (model, rows) in enumerate(_by_model(loaded.long, place))
            ]
            result.tables.append(TableRead(source, sheet, count, loaded.mapping, parts))
            problems = loaded.problems
        except Refusal as refusal:
            problems = list(refusal.problems)
        shown = sheet if count > 1 else ""
        result.problems += [located(problem, source.name, shown) for problem in problems]
    return result


@lru_cache(maxsize=8)
def read_part(path: Path) -> pd.DataFrame:
    """Return a table that all models share; a worker reads it once."""
    frame: pd.DataFrame = pd.read_pickle(path)
    return frame


def _declaration(family: Family, name: str, place: Place) -> Table:
    """Return the declaration of a table: by its own name where a further table has it."""
    names = (normal(place.sheet), normal(place.source.stem))
    for table in family.tables if name == "outputs" else ():
        if table.by_name and normal(table.name) in names:
            return table
    return family.table(name)


def _by_model(long: pd.DataFrame, place: Place) -> list[tuple[str, pd.DataFrame]]:
    if "model" not in long:
        return [("", long)]
    if long.empty:
        return [(place.value("@path"), long)]
    groups = long.groupby("model", sort=False)
    return [(str(name), rows.reset_index(drop=True)) for name, rows in groups]


def _write_part(family: Family, table: Table, model: str, rows: pd.DataFrame, path: Path) -> Part:
    unit = family.unit_role
    for column in rows.columns if table.name == "outputs" else ():
        if column.startswith("by:") and (rows.groupby(unit)[column].nunique() > 1).any():
            message = f"--by {column[3:]}: it is not the same in all rows of a {unit}"
            raise Refusal(Problem("by", "refused", message))
    rows.to_pickle(path)
    units = list(rows[unit].unique()) if unit in rows else []
    hashes = pd.util.hash_array(np.array(units, dtype=object))
    sheets = tuple(rows["sheet"].unique()) if "sheet" in rows else ("",)
    return Part(model, path, rows[ROW].nunique(), hashes, sheets)
