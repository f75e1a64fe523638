"""From a table as it was read to the family's long table."""

import re
import shlex
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.cells import (
    at_path,
    extractor,
    holds_lists,
    is_summary,
    loose,
    numbers,
    parse_list,
    without_thinking,
)
from scoresheet.cli.input.grammar import join_names, nearest, pattern_of
from scoresheet.cli.input.mapping import Filling, Mapping, Place, column_option
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Role, Table

__all__ = ["ROW", "Place", "TidyRules", "tidy"]
# Columns that every tidy table has next to its roles.
ROW, FILE, WORKSHEET, PART, ASKED = "row", "file", "worksheet", "part", "asked"


@dataclass(frozen=True)
class TidyRules:
    """The options that concern the cells of a table."""

    missing_values: tuple[str, ...] = ()
    loose: bool = False
    extract: str = ""
    by: tuple[str, ...] = ()
    text_roles: tuple[str, ...] = ("prediction", "text", "choice", "score")


@dataclass
class _Work:
    """A long table in the making: its columns as arrays, and what is worth a word."""

    table: Table
    mapping: Mapping
    rules: TidyRules
    columns: dict[str, np.ndarray]
    problems: list[Problem] = field(default_factory=list)

    def take(self, rows: np.ndarray) -> None:
        """Keep some rows, by a mask or by their positions."""
        self.columns = {name: cells[rows] for name, cells in self.columns.items()}

    def header(self, role: str) -> str:
        """Return the column that a role was read from, empty if it is not one column."""
        filling = self.mapping.filling(role)
        return filling.headers[0] if filling and filling.how == "header" else ""


def tidy(
    table: Table, frame: pd.DataFrame, mapping: Mapping, place: Place, rules: TidyRules
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the long table of a family, and the rows and cells worth a word."""
    frame = _without_missing(frame, rules.missing_values)
    work = _Work(table, mapping, rules, _gather(table, frame, mapping, place, rules.by))
    for role in table.roles:
        if role.name in work.columns:
            _read_role(work, role)
    if table.walk and (filling := mapping.filling(table.walk[0])) and filling.how == "names":
        _walk(work, table.walk[1], len(filling.headers))
    for header in mapping.values:
        _read_numbers(work, header)
    header = work.header(table.single) if table.single else ""
    if header and not table.role(table.single).takes(header):
        message = f"{header} was read as the header of the only column, not as one of its values"
        work.problems.append(Problem("one-column", "note", message, column=header))
    _drop_totals(work)
    _drop_empty_keys(work)
    index = pd.RangeIndex(len(work.columns[ROW]))
    # pandas would look at each text to guess a type
    series = {n: pd.Series(cells, index, cells.dtype) for n, cells in work.columns.items()}
    return pd.DataFrame(series, index=index), work.problems


# --- the cells of every role ----------------------------------------------------------------


def _gather(
    table: Table, frame: pd.DataFrame, mapping: Mapping, place: Place, by: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Return the cells of every role as they were read, one row per observation."""
    wide = [f for f in mapping.fillings if f.how in ("names", "pattern")]
    columns = _melt(table, frame, mapping, wide) if wide else {}
    # row by row: the cells of one row of a wide table follow each other
    positions = np.repeat(np.arange(len(frame)), len(wide[0].headers) if wide else 1)
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
    columns[ROW] = frame.index.to_numpy()[positions]
    same = {FILE: place.source.name, WORKSHEET: place.sheet}
    if "sheet" in table.role_names and "sheet" not in columns:
        same["sheet"] = place.value("@sheet")
    return columns | {name: np.full(len(positions), value, object) for name, value in same.items()}


def _without_missing(frame: pd.DataFrame, missing: tuple[str, ...]) -> pd.DataFrame:
    words = {word.strip() for word in missing}

    def blank(cell: Any) -> Any:
        if isinstance(cell, list):
            return [blank(item) for item in cell]
        return "" if isinstance(cell, str) and cell.strip() in words else cell

    return frame.map(blank) if missing else frame


def _melt(
    table: Table, frame: pd.DataFrame, mapping: Mapping, wide: list[Filling]
) -> dict[str, np.ndarray]:
    """Return the columns that headers and the cells below them give, row by row."""
    headers = list(wide[0].headers)
    cells_role = next(f.role for f in mapping.fillings if f.how == "cells")
    columns = {cells_role: frame[headers].to_numpy(dtype=object).reshape(-1)}
    for filling in wide:
        values = headers
        if filling.how == "pattern":
            pattern = pattern_of(filling.source)[0]
            values = [m[filling.role] if (m := pattern.fullmatch(h)) else "" for h in headers]
        if table.walk and filling.role == table.walk[0]:
            values = [str(i) for i in range(len(headers))]
        columns[filling.role] = np.tile(_array(values), len(frame))
    return columns


def _cells(frame: pd.DataFrame, filling: Filling, place: Place, role: Role) -> np.ndarray:
    """Return the values of a role, one per row of the table as it was read."""
    if filling.how == "place":
        return np.full(len(frame), place.read(filling), object)
    if filling.how == "file word":
        word = role.from_name(place.source.stem) if role.from_name else ""
        return np.full(len(frame), word, object)
    if filling.how == "headers":
        block = frame[list(filling.headers)].to_numpy(dtype=object)
        return _array([[cell for cell in row if cell != ""] for row in block])
    cells = frame[filling.headers[0]].to_numpy(dtype=object)
    if not filling.source:
        return cells
    path = filling.source.removeprefix(filling.headers[0] + ".").split(".")
    found = [at_path(cell, path) for cell in cells]
    return _array([cell if isinstance(cell, (list, dict)) else str(cell) for cell in found])


def _array(cells: Sequence[Any]) -> np.ndarray:
    """Return cells, which may be lists, as an array of one dimension."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


# --- as the kind of a role asks for ---------------------------------------------------------


def _read_role(work: _Work, role: Role) -> None:
    _read_lists(work, role)
    rules, outputs = work.rules, work.table.name == "outputs"
    if rules.extract and outputs and role.name in rules.text_roles:
        # mode-collapse itself looks for the last option in the text
        is_choice = role.name == "choice" and rules.extract == "last"
        _change(work, role.name, without_thinking if is_choice else extractor(rules.extract))
    if role.kind == "number":
        _read_numbers(work, role.name)
    elif role.kind in ("key", "label") and role.lists != "cell":
        _change(work, role.name, lambda text: unicodedata.normalize("NFC", text.strip()))
        if rules.loose and role.kind == "key" and role.needed:
            _change(work, role.name, loose)


def _change(work: _Work, column: str, function: Callable[[str], str]) -> None:
    """Apply a function to each different text of a column."""
    cells = work.columns[column].tolist()
    changed = {text: function(text) for text in set(cells)}
    work.columns[column] = _array([changed[text] for text in cells])


def _read_lists(work: _Work, role: Role) -> None:
    """Read the lists in the cells of a role in one form, or refuse them."""
    cells = work.columns[role.name].tolist()
    real = [cell for cell in cells if not isinstance(cell, str)]
    texts = [cell for cell in cells if isinstance(cell, str) and cell.lstrip()[:1] == "["]
    separated = role.lists == "cell" and role.kind == "key"
    if not (real or texts or separated):
        return
    for cell in real:
        _refuse_object(cell, role, work)
    spelled = bool(texts) and holds_lists(cell for cell in cells if isinstance(cell, str))
    if not role.lists and (real or spelled):
        header = work.header(role.name)
        first = f"{column_option(work.table, role.name, f'{header}.0')}"
        hint = f"use the first element of each list\n{first}" if header else "one value per cell"
        message = f"the cells of {role.name} hold lists"
        raise Refusal(Problem("list", "skipped", message, hint=hint))
    count = sum(parse_list(text) is not None for text in texts)
    if role.lists and count and not spelled:
        message = (
            f"{count} of {len(cells)} cells of {role.name} spell a list and were read as texts"
        )
        work.problems.append(Problem("list", "note", message))
    if not (real or spelled or separated):
        return
    lists = [_as_list(cell, spelled=spelled, separated=separated) for cell in cells]
    if role.lists == "cell":
        work.columns[role.name] = _array(lists)
        return
    lengths = [max(1, len(items)) for items in lists]
    work.take(np.repeat(np.arange(len(lists)), lengths))
    work.columns[role.name] = _array([text for items in lists for text in items or [""]])
    part = np.concatenate([np.arange(1, length + 1) for length in lengths])
    if any(lists):
        work.columns[PART] = part
    if work.table.numbered and work.table.numbered not in work.columns:
        work.columns[work.table.numbered] = part.astype(str).astype(object)


def _as_list(cell: Any, *, spelled: bool, separated: bool) -> list[str]:
    """Return the texts of a cell: of its list, of the list that it spells, or as in a|b."""
    items = cell if isinstance(cell, list) else parse_list(cell) if spelled else None
    if items is None:
        items = str(cell).split("|") if separated else [cell]
        items = [item for item in items if str(item).strip()]
    texts = ["" if item is None else str(item) for item in items]
    return [text.strip() for text in texts] if separated else texts


def _refuse_object(cell: list[Any] | dict[str, Any], role: Role, work: _Work) -> None:
    items = cell if isinstance(cell, list) else [cell]
    inner = next((item for item in items if isinstance(item, (dict, list))), None)
    if inner is None:
        return
    keys = list(inner)[:3] if isinstance(inner, dict) else ["0"]
    header, hint = work.header(role.name), "name one column with a path"
    if header:
        path = f"{header}.0" if isinstance(cell, list) else header
        options = [column_option(work.table, role.name, f"{path}.{key}") for key in keys]
        if isinstance(inner, dict) and isinstance(cell, list):
            options.append(f"--records {shlex.quote(header)}")
        advice = "name what you mean in the first of them, or turn all of them into rows"
        hint = "\n".join([advice, *options])
    message = f"the cells of {role.name} hold objects ({', '.join(keys)})"
    raise Refusal(Problem("object", "skipped", message, hint=hint))


def _read_numbers(work: _Work, column: str) -> None:
    """Read a column as numbers, or refuse it with what to do about the other cells."""
    texts = [str(cell).strip() for cell in work.columns[column]]
    values, how = numbers(texts)
    bad = [place for place in np.flatnonzero(np.isnan(values)) if texts[place]]
    if bad:
        message = (
            f"{len(bad)} of {len(texts)} cells of {column} are not numbers"
            f" (first: row {work.columns[ROW][bad[0]]}, {texts[bad[0]][:40]!r})"
        )
        hint = _number_hint(
            work, column, {texts[place] for place in bad}, 2 * len(bad) < len(texts)
        )
        raise Refusal(Problem("not-numbers", "skipped", message, column=column, hint=hint))
    if how:
        kind = "decimal-commas" if "comma" in how else "true-false"
        message = f"column {column} was read with {how}"
        work.problems.append(Problem(kind, "note", message, column=column))
    work.columns[column] = values


def _number_hint(work: _Work, column: str, texts: set[str], few: bool) -> str:
    """Return what to do about cells that are not numbers: they are texts, gaps or another role."""
    if few and len(texts) <= 3 and not any(re.search(r"[\d,]|.{21}", text) for text in texts):
        return f"--missing-values {shlex.quote(','.join(sorted(texts)))}"
    if column in work.mapping.values:
        return column_option(work.table, "ignore", join_names([column]))
    takes_number = column in work.rules.text_roles and work.table.name == "outputs"
    if takes_number and all(re.search(r"\d", text) and "," not in text for text in texts):
        return "--extract number"
    advice = "write numbers such as 1234.5 in these cells, or name a different column"
    unused = [column_option(work.table, column, header) for header in work.mapping.unused[:3]]
    return "\n".join([advice, *unused])


# --- whole rows -----------------------------------------------------------------------------


def _walk(work: _Work, parent: str, steps: int) -> None:
    """Give each step of a wide table its parent: the path of the choices before it in its row."""
    if PART in work.columns:
        message, hint = "the steps of a walk hold lists", "write one choice in each cell"
        raise Refusal(Problem("list", "skipped", message, hint=hint))
    rows = work.columns["choice"].reshape(-1, steps)
    paths = [row[:step] for row in rows.tolist() for step in range(steps)]
    follows = np.array([all(path) for path in paths], dtype=bool)
    lost = work.columns[ROW][~follows & (work.columns["choice"] != "")]
    work.problems += [
        Problem("empty-step", "row", "a choice follows an empty one", row=int(row))
        for row in dict.fromkeys(lost.tolist())
    ]
    work.columns[parent] = _array(["/".join(path) for path in paths])
    work.take(follows)


def _drop_totals(work: _Work) -> None:
    """Leave out the rows at the end that are totals by their key."""
    table = work.table
    needed = [role for role in table.roles if role.needed and role.kind in ("key", "label")]
    samples = not table.unique or (table.unique_with and table.unique_with not in work.columns)
    keys = [role.name for role in needed if role.kind == "key" or not samples][:1]
    for key in filter(work.header, [*keys, "model"]):
        while len(cells := work.columns[key]) and is_summary(name := str(cells[-1])):
            last = work.columns[ROW] == work.columns[ROW][-1]
            if key == "model" and (cells[~last] == name).any():
                break  # a model of that name
            message, row = f"the last row is a {name} and was left out", work.columns[ROW][-1]
            work.problems.append(Problem("totals", "note", message, row=int(row)))
            work.take(~last)


def _drop_empty_keys(work: _Work) -> None:
    """Leave out the rows that lack a needed key; refuse a table of which most rows do."""
    keys = [role.name for role in work.table.roles if role.needed and role.kind == "key"]
    keys += ["model"] if work.table.name == "outputs" else []
    for key in filter(work.columns.__contains__, keys):
        empty = work.columns[key] == ""
        if 2 * empty.sum() > len(empty):
            message = f"the {key} is empty in {empty.sum()} of {len(empty)} rows"
            hint = "fill the cells; merged cells have their value in the first row only"
            raise Refusal(Problem("empty-key", "skipped", message, column=key, hint=hint))
        if empty.any():
            work.problems += [
                Problem("empty-key", "row", f"the {key} is empty", row=row, column=key)
                for row in dict.fromkeys(work.columns[ROW][empty].tolist())
            ]
            work.take(~empty)
