"""From a table as it was read to the family's long table."""

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.cells import (
    ASKED,
    FILE,
    PART,
    ROW,
    WORKSHEET,
    CellRules,
    TidyRules,
    as_numbers,
    by_kind,
)
from scoresheet.cli.input.describe import at_path, is_summary
from scoresheet.cli.input.grammar import has_two_readings, nearest, pattern_of
from scoresheet.cli.input.mapping import Filling, Mapping
from scoresheet.cli.input.source import Source
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Role, Table

__all__ = ["ROW", "Place", "TidyRules", "tidy"]
_ONE_STEP = "write one choice in each cell"


@dataclass(frozen=True)
class Place:
    """The file and worksheet that a table was read from."""

    source: Source
    sheet: str = ""

    def value(self, word: str) -> str:
        """Return the name that `@file`, `@folder`, `@sheet` or `@path` stands for."""
        names = {
            "@file": self.source.stem,
            "@folder": self.source.folder,
            "@sheet": self.sheet or self.source.stem,
            "@path": self.source.entry,
        }
        return "/".join(names[part] for part in word.split())


def tidy(
    table: Table, frame: pd.DataFrame, mapping: Mapping, place: Place, rules: TidyRules
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the long table of a family, and the rows and cells worth a word."""
    problems: list[Problem] = []
    long = _gather(table, _without_missing(frame, rules.missing_values), mapping, place, rules.by)
    cells = CellRules(table, mapping, rules, problems)
    for role in table.roles:
        if role.name in long:
            long = by_kind(long, role, cells)
    if table.walk and (filling := mapping.filling(table.walk[0])) and filling.how == "names":
        long = _walk(long, table.walk, filling.headers, problems)
    for header in mapping.values:
        long[header] = as_numbers(long, header, cells)
    header = cells.header(table.single) if table.single else ""
    if header and not table.role(table.single).takes(header):
        message = f"{header} was read as the header of the only column, not as one of its values"
        problems.append(Problem("one-column", "note", message, column=header))
    long = _without_totals(long, table, mapping, problems)
    return _without_gaps(long, table, problems), problems


def _gather(
    table: Table, frame: pd.DataFrame, mapping: Mapping, place: Place, by: tuple[str, ...]
) -> pd.DataFrame:
    """Return the cells of every role as they were read, one row per observation."""
    wide = [f for f in mapping.fillings if f.how in ("names", "pattern")]
    columns = _melt(table, frame, mapping, wide) if wide else {}
    positions = columns.pop("position") if wide else np.arange(len(frame))
    for filling in mapping.fillings:
        if filling.how not in ("names", "pattern", "cells", "none"):
            cells = _cells(frame, filling, place, table.role(filling.role))
            columns[filling.role] = cells[positions]
    further = {header: header for header in mapping.values}
    if mapping.asked:
        further[ASKED] = mapping.asked
    if table.name == "outputs":
        further |= {f"by:{header}": header for header in by}
    for name, header in further.items():
        if header not in frame.columns:
            near = nearest(header, [str(known) for known in frame.columns])
            hint = f"--by {shlex.quote(near)}" if near else ""
            message = f"no column {header} for --by"
            raise Refusal(Problem("unknown-header", "skipped", message, hint=hint))
        columns[name] = frame[header].to_numpy(dtype=object)[positions]
    long = pd.DataFrame(columns, index=pd.RangeIndex(len(positions)))
    long[ROW] = frame.index.to_numpy()[positions]
    long[FILE], long[WORKSHEET] = place.source.name, place.sheet
    if "sheet" in table.role_names and "sheet" not in long:
        long["sheet"] = place.value("@sheet")
    return long


def _without_missing(frame: pd.DataFrame, missing: tuple[str, ...]) -> pd.DataFrame:
    if not missing:
        return frame
    words = {word.strip() for word in missing}

    def blank(cell: Any) -> Any:
        if isinstance(cell, list):
            return [blank(item) for item in cell]
        return "" if isinstance(cell, str) and cell.strip() in words else cell

    return frame.map(blank)


def _melt(
    table: Table, frame: pd.DataFrame, mapping: Mapping, wide: list[Filling]
) -> dict[str, Any]:
    """Return the columns that headers and the cells below them give, row by row."""
    headers = wide[0].headers
    cells_role = next(f.role for f in mapping.fillings if f.how == "cells")
    count = len(frame)
    # row by row: the cells of one row follow each other
    positions = np.repeat(np.arange(count), len(headers))
    block = frame[list(headers)].to_numpy(dtype=object)
    columns: dict[str, Any] = {
        "position": positions,
        cells_role: block.reshape(-1),
    }
    for filling in wide:
        if filling.how == "names":
            values = list(headers)
        else:
            pattern = pattern_of(filling.source)[0]
            values = [m[filling.role] if (m := pattern.fullmatch(h)) else "" for h in headers]
        if table.walk and filling.role == table.walk[0]:
            values = [str(i) for i in range(len(headers))]
        columns[filling.role] = np.tile(np.array(values, dtype=object), count)
    return columns


def _cells(frame: pd.DataFrame, filling: Filling, place: Place, role: Role) -> np.ndarray:
    """Return the values of a role, one per row of the table as it was read."""
    count = len(frame)
    if filling.how == "place":
        value = _place_value(filling, place)
    elif filling.how == "file word":
        value = role.from_name(place.source.stem) if role.from_name else ""
    elif filling.how == "headers":
        block = frame[list(filling.headers)].to_numpy(dtype=object)
        cells = np.empty(count, dtype=object)
        cells[:] = [[cell for cell in row if cell != ""] for row in block]
        return cells
    elif filling.source:
        path = filling.source.removeprefix(filling.headers[0] + ".").split(".")
        walked = [at_path(cell, path) for cell in frame[filling.headers[0]]]
        cells = np.empty(count, dtype=object)
        cells[:] = walked
        return cells
    else:
        return frame[filling.headers[0]].to_numpy(dtype=object)
    return np.full(count, value, dtype=object)


def _place_value(filling: Filling, place: Place) -> str:
    word, _, template = filling.source.partition(":")
    value = place.value(word)
    if not template:
        return value
    pattern = pattern_of(template)[0]
    match = pattern.fullmatch(value)
    if not match:
        message, hint = f"the name {value} does not fit {template}", "rename it, or move it away"
        raise Refusal(Problem("places", "skipped", message, hint=hint, file=place.source.name))
    if has_two_readings(pattern, value):
        message = f"the name {value} fits {template} in more than one way"
        hint = "rename it so that it fits in one way"
        raise Refusal(Problem("two-ways", "skipped", message, hint=hint, file=place.source.name))
    return str(match[filling.role])


def _walk(
    long: pd.DataFrame,
    roles: tuple[str, str],
    headers: tuple[str, ...],
    problems: list[Problem],
) -> pd.DataFrame:
    """Return the table with each step's parent: the path of the choices before it in its row."""
    if PART in long:
        raise Refusal(Problem("list", "skipped", "the steps of a walk hold lists", hint=_ONE_STEP))
    steps = long["choice"].to_numpy(dtype=object).reshape(-1, len(headers))
    parents = [["/".join(row[:i]) for i in range(len(headers))] for row in steps]
    walked = np.array([[all(row[:i]) for i in range(len(headers))] for row in steps], dtype=bool)
    long = long.assign(**{roles[1]: np.array(parents, dtype=object).reshape(-1)})
    follows = pd.Series(walked.reshape(-1), index=long.index)
    lost = long[~follows & (long["choice"] != "")]
    problems.extend(
        Problem("empty-step", "row", "a choice follows an empty one", row=int(row))
        for row in dict.fromkeys(lost[ROW])
    )
    return long[follows].reset_index(drop=True)


def _without_totals(
    long: pd.DataFrame, table: Table, mapping: Mapping, problems: list[Problem]
) -> pd.DataFrame:
    """Return the table without the rows at its end that are totals by their key."""
    needed = [role for role in table.roles if role.needed and role.kind in ("key", "label")]
    samples = not table.unique or (table.unique_with and table.unique_with not in long)
    keys = [role.name for role in needed if role.kind == "key" or not samples][:1]
    keys = [key for key in (*keys, "model") if (f := mapping.filling(key)) and f.how == "header"]
    for key in keys:
        while len(long) and is_summary(name := str(long[key].iloc[-1])):
            last = long[ROW] == long[ROW].iloc[-1]
            if key == "model" and (long.loc[~last, key] == name).any():
                break  # a model of that name
            message = f"the last row is a {name} and was left out"
            row = int(long[ROW].iloc[-1])
            problems.append(Problem("totals", "note", message, row=row))
            long = long[~last]
    return long


def _without_gaps(long: pd.DataFrame, table: Table, problems: list[Problem]) -> pd.DataFrame:
    """Return the rows that have every needed key."""
    keys = [role.name for role in table.roles if role.needed and role.kind == "key"]
    keys += ["model"] if table.name == "outputs" else []
    keys = [key for key in keys if key in long]
    for key in keys:
        empty = long[key].map(str).str.strip() == ""
        if empty.mean() > 0.5:
            message = f"the {key} is empty in {int(empty.sum())} of {len(long)} rows"
            hint = "fill the cells; merged cells have their value in the first row only"
            raise Refusal(Problem("empty-key", "skipped", message, column=key, hint=hint))
        problems.extend(
            Problem("empty-key", "row", f"the {key} is empty", row=int(row), column=key)
            for row in dict.fromkeys(long.loc[empty, ROW])
        )
        long = long[~empty]
    return long.reset_index(drop=True)
