"""The cells of a role as its kind asks for: lists, texts, keys and numbers."""

import re
import shlex
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.describe import holds_lists, numbers, parse_list
from scoresheet.cli.input.extract import extractor, without_thinking
from scoresheet.cli.input.grammar import join_names
from scoresheet.cli.input.mapping import Mapping, column_option
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Role, Table

# Columns that every tidy table has next to its roles.
ROW, FILE, WORKSHEET, PART, ASKED = "row", "file", "worksheet", "part", "asked"


@dataclass(frozen=True)
class TidyRules:
    """The options that concern the cells of a table."""

    missing_values: tuple[str, ...] = ()
    loose: bool = False
    extract: str = ""
    by: tuple[str, ...] = ()
    text_roles: tuple[str, ...] = field(default=("prediction", "text", "choice", "score"))


@dataclass(frozen=True)
class CellRules:
    """What the cells of a table are read by, and the list that takes what is worth a word."""

    table: Table
    mapping: Mapping
    rules: TidyRules
    problems: list[Problem]

    def header(self, role: str) -> str:
        """Return the column that a role was read from, empty if it is not one column."""
        filling = self.mapping.filling(role)
        return filling.headers[0] if filling and filling.how == "header" else ""


def loose(key: str) -> str:
    """Return a key without case, width, spacing and leading zeros.

    >>> loose(" Q 007"), loose("0")
    ('q7', '0')
    """
    folded = "".join(unicodedata.normalize("NFKC", key).casefold().split())
    return re.sub(r"(?<![\d.,])0+(?=\d)", "", folded)


def by_kind(long: pd.DataFrame, role: Role, cells: CellRules) -> pd.DataFrame:
    """Return the table with the cells of a role as its kind asks for."""
    long = _by_lists(long, role, cells)
    rules, texts = cells.rules, long[role.name]
    if rules.extract and cells.table.name == "outputs" and role.name in rules.text_roles:
        # mode-collapse itself looks for the last option in the text
        is_choice = role.name == "choice" and rules.extract == "last"
        take = without_thinking if is_choice else extractor(rules.extract)
        long[role.name] = _each(texts, take)
    if role.kind == "number":
        long[role.name] = as_numbers(long, role.name, cells)
    elif role.kind in ("key", "label") and role.lists != "cell":
        long[role.name] = _each(long[role.name], _key)
        if rules.loose and role.kind == "key" and role.needed:
            long[role.name] = _each(long[role.name], loose)
    return long


def _by_lists(long: pd.DataFrame, role: Role, cells: CellRules) -> pd.DataFrame:
    """Return the table with the lists in the cells of a role in one form, or refuse them."""
    values = long[role.name]
    real = np.array([isinstance(cell, (list, dict)) for cell in values], dtype=bool)
    if real.any():
        _refuse_objects(values[real], role, cells)
    spelled = holds_lists(values[~real])
    if not role.lists and (real.any() or spelled):
        _refuse_list(role, cells)
    if role.lists and not spelled:
        count = sum(parse_list(cell) is not None for cell in values[~real])
        message = (
            f"{count} of {len(values)} cells of {role.name} spell a list and were read as texts"
        )
        cells.problems.extend([Problem("list", "note", message)] if count else [])
    separated = role.lists == "cell" and role.kind == "key"
    if not (real.any() or spelled or separated):
        return long
    lists = values.map(lambda cell: _as_list(cell, spelled=spelled, separated=separated))
    if role.lists == "cell":
        return long.assign(**{role.name: lists})
    return _explode(long.assign(**{role.name: lists}), role, cells.table)


def _as_list(cell: Any, *, spelled: bool, separated: bool) -> list[str]:
    """Return the texts of a cell: of its list, of the list that it spells, or as in a|b."""
    items = cell if isinstance(cell, list) else parse_list(cell) if spelled else None
    if items is None:
        items = str(cell).split("|") if separated else [cell]
        items = [item for item in items if str(item).strip()]
    texts = [_typed(item) for item in items]
    return [text.strip() for text in texts] if separated else texts


def _each(cells: pd.Series, function: Callable[[str], str]) -> pd.Series:
    """Return the cells with a function applied to each different text once."""
    codes, texts = pd.factorize(cells)
    changed = np.array([function(str(text)) for text in texts], dtype=object)
    return pd.Series(changed[codes] if len(texts) else cells.to_numpy(), index=cells.index)


def _key(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _typed(value: Any) -> str:
    return "" if value is None else str(value)


def _explode(long: pd.DataFrame, role: Role, table: Table) -> pd.DataFrame:
    """Return a row for each element of a list, numbered."""
    lengths = long[role.name].map(len)
    empty = long[role.name].map(lambda items: items or [""])
    long = long.assign(**{role.name: empty}).explode(role.name)
    part = long.groupby(level=0).cumcount().to_numpy() + 1
    long[role.name] = long[role.name].map(_typed)
    long = long.reset_index(drop=True)
    long[PART] = part
    if table.numbered and table.numbered not in long:
        long[table.numbered] = part.astype(str)
    return long if lengths.max() > 0 else long.drop(columns=PART)


def as_numbers(long: pd.DataFrame, column: str, cells: CellRules) -> pd.Series:
    """Return a column as numbers, or refuse it with what to do about the other cells."""
    values, how = numbers(long[column])
    bad = values.isna() & (long[column].map(str).str.strip() != "")
    if bad.any():
        first = long.loc[bad].iloc[0]
        message = (
            f"{int(bad.sum())} of {len(long)} cells of {column} are not numbers"
            f" (first: row {first[ROW]}, {str(first[column])[:40]!r})"
        )
        hint = _number_hint(long.loc[bad, column].map(str), column, cells, len(long))
        raise Refusal(Problem("not-numbers", "skipped", message, column=column, hint=hint))
    if how:
        message = f"column {column} was read with {how}"
        kind = "decimal-commas" if "comma" in how else "true-false"
        cells.problems.append(Problem(kind, "note", message, column=column))
    return values


def _number_hint(bad: pd.Series, column: str, cells: CellRules, count: int) -> str:
    """Return what to do about cells that are not numbers: they are texts, gaps or another role."""
    texts = sorted(set(bad.str.strip()))
    short = len(texts) <= 3 and all(len(text) <= 20 and "," not in text for text in texts)
    has_digits = any(any(c.isdecimal() for c in text) for text in texts)
    if short and not has_digits and 2 * len(bad) < count:
        return f"--missing-values {shlex.quote(','.join(texts))}"
    if column in cells.mapping.values:
        return column_option(cells.table, "ignore", join_names([column]))
    takes_number = column in cells.rules.text_roles and cells.table.name == "outputs"
    if takes_number and all(re.search(r"\d", text) and "," not in text for text in texts):
        return "--extract number"
    advice = "write numbers such as 1234.5 in these cells, or name a different column"
    unused = [column_option(cells.table, column, header) for header in cells.mapping.unused[:3]]
    return "\n".join([advice, *unused])


def _refuse_objects(values: pd.Series, role: Role, cells: CellRules) -> None:
    for cell in values:
        items = cell if isinstance(cell, list) else [cell]
        inner = next((item for item in items if isinstance(item, (dict, list))), None)
        if inner is None:
            continue
        keys = list(inner)[:3] if isinstance(inner, dict) else ["0"]
        message = f"the cells of {role.name} hold objects ({', '.join(keys)})"
        header = cells.header(role.name)
        path = f"{header}.0" if isinstance(cell, list) else header
        options = [column_option(cells.table, role.name, f"{path}.{key}") for key in keys]
        if isinstance(inner, dict) and isinstance(cell, list):
            options.append(f"--records {shlex.quote(header)}")
        advice = "name what you mean in the first of them, or turn all of them into rows"
        hint = "\n".join([advice, *options]) if header else "name one column with a path"
        raise Refusal(Problem("object", "skipped", message, hint=hint))


def _refuse_list(role: Role, cells: CellRules) -> None:
    header = cells.header(role.name)
    message = f"the cells of {role.name} hold lists"
    option = column_option(cells.table, role.name, f"{header}.0") if header else ""
    hint = f"use the first element of each list\n{option}" if header else "write a value per cell"
    raise Refusal(Problem("list", "skipped", message, hint=hint))
