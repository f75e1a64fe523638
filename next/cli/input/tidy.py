"""From a table as it was read to the family's long table, refused where its values look wrong."""

import math
import re
import shlex
import unicodedata
from collections.abc import Container, Iterable
from typing import Any

import pandas as pd

from scoresheet.cli.input import cells as see
from scoresheet.cli.input import grammar
from scoresheet.cli.input.checks import doubts, drop_repeats
from scoresheet.cli.input.columns import map_columns
from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.frames import FileTables, Rules
from scoresheet.cli.input.mapping import ASKED, FILE, PART, ROW, WORKSHEET, Filling, Reading
from scoresheet.metrics.problem import Refusal, refusal
from scoresheet.metrics.role import Role, Table

_WRITTEN = ("prediction", "text", "choice", "score")  # roles that --extract takes answers from


def load_table(
    declared: Table,
    source: Source,
    content: FileTables,
    sheet: str,
    rules: Rules,
    references: tuple[str, pd.DataFrame] | None = None,
) -> Reading:
    """Return one table of a file as a family scores it, or refuse with every problem found.

    `references` are the role by which the references are joined, and their table, for the checks.
    """
    frame = content.tables[sheet]
    if declared.name == "outputs":
        frame = grammar.filter_rows(frame, rules.where)
    cells = {str(header): frame[header].tolist() for header in frame}
    table = Reading(declared, source, sheet, cells, frame.index.tolist())
    map_columns(table, rules, len(content.tables))
    _tidy(table, rules)
    _report_hidden_cells(table, content.behind.get(sheet, {}))
    drop_repeats(table, rules.repeats)
    if problems := list(doubts(table, references, rules)):
        raise Refusal(*problems)
    return table


def _tidy(table: Reading, rules: Rules) -> None:
    """Fill the columns of the long table, with the rows and cells worth a word."""
    declared = table.declared
    if missing := {word.strip() for word in rules.missing_values}:
        table.cells = {h: [_present(cell, missing) for cell in c] for h, c in table.cells.items()}
    _gather(table, rules.by)
    for role in declared.roles:
        if role.name in table.columns:
            _read_role(table, role, rules)
    if declared.walk and (filling := table.fills.get(declared.walk[0])) and filling.how == "names":
        _walk(table, declared.walk[1], len(filling.headers))
    for header in table.values:
        _read_numbers(table, header)
    header = table.header(declared.single)
    if header and not declared.role(declared.single).takes(header):
        message = f"{header} was read as the header of the only column, not as one of its values"
        table.note("one-column", message, header)
    _drop_totals(table)
    _drop_empty_keys(table)


def _present(cell: Any, missing: Container[str]) -> Any:
    """Return a cell, empty if its text stands for no value."""
    if isinstance(cell, list):
        return [_present(item, missing) for item in cell]
    return "" if isinstance(cell, str) and cell.strip() in missing else cell


def _gather(table: Reading, by: Iterable[str]) -> None:
    """Take the cells of every role as they were read, one row per observation."""
    wide = next((f.headers for f in table.fills.values() if f.how == "names"), ())
    count, width, declared = len(table.rows), max(1, len(wide)), table.declared

    def spread(cells: list[Any]) -> list[Any]:
        # row by row: the cells of one row of a wide table follow each other
        return [cell for cell in cells for _ in range(width)] if width > 1 else cells

    for filling in table.mapping.fillings:
        if filling.how in ("names", "place"):
            times = count if filling.how == "names" else count * width
            table.columns[filling.role] = list(filling.values) * times
        elif filling.how == "cells":
            rows = zip(*(table.cells[header] for header in wide), strict=True)
            table.columns[filling.role] = [cell for row in rows for cell in row]
        elif filling.how != "none":
            table.columns[filling.role] = spread(_cells(table, filling))
    further = {header: header for header in table.values}
    further |= {ASKED: table.asked} if table.asked else {}
    further |= {f"by:{header}": header for header in by if declared.name == "outputs"}
    for name, header in further.items():
        if header not in table.cells:
            near = grammar.nearest(header, list(table.cells))
            hint = f"--by {shlex.quote(near)}" if near else ""
            raise refusal("unknown-header", f"no column {header} for --by", hint)
        cells = table.cells[header]
        if name != header:
            cells = [", ".join(map(str, c)) if isinstance(c, list) else str(c) for c in cells]
        table.columns[name] = spread(cells)
    same = {FILE: table.source.name, WORKSHEET: table.sheet}
    if "sheet" in declared.role_names and "sheet" not in table.columns:
        # files that are judges or runs are parts of one sheet
        fillings = [filling for filling in table.mapping.fillings if filling.role != "model"]
        parts = any(f.how == "place" and f.source.startswith("@file") for f in fillings)
        same["sheet"] = table.source.place("@folder" if parts else "@sheet", table.sheet)
    table.columns[ROW] = spread(table.rows)
    table.columns |= {name: [value] * len(table) for name, value in same.items()}


def _cells(table: Reading, filling: Filling) -> list[Any]:
    """Return the cells of a column, of several as lists, or of a path into a column."""
    if filling.how == "headers":
        rows = zip(*(table.cells[header] for header in filling.headers), strict=True)
        return [[cell for cell in row if cell != ""] for row in rows]
    header = filling.headers[0]
    if not filling.source:
        return table.cells[header]
    path = filling.source.removeprefix(f"{header}.").split(".")
    found = [see.at_path(cell, path) for cell in table.cells[header]]
    return [cell if isinstance(cell, list | dict) else str(cell) for cell in found]


def _read_role(table: Reading, role: Role, rules: Rules) -> None:
    _read_lists(table, role)
    if rules.extract and table.declared.name == "outputs" and role.name in _WRITTEN:
        # mode-collapse itself looks for the last option in the text
        unfinished = role.name == "choice" and rules.extract == "last"
        take = grammar.without_thinking if unfinished else grammar.extractor(rules.extract)
        table.change(role.name, take)
    if role.kind == "number":
        _read_numbers(table, role.name)
    elif role.kind in ("key", "label") and role.lists != "cell":
        table.change(role.name, lambda text: unicodedata.normalize("NFC", text.strip()))
        if rules.match == "loose" and role.kind == "key" and role.needed:
            table.change(role.name, see.loose)


def _read_lists(table: Reading, role: Role) -> None:
    """Read the lists in the cells of a role in one form, or refuse them."""
    cells = table.columns[role.name]
    texts = [cell for cell in cells if isinstance(cell, str)]
    opened = {text: see.parse_list(text) for text in set(texts) if text.lstrip()[:1] == "["}
    spelled = {text: items for text, items in opened.items() if items is not None}
    if spelled and see.holds_lists(texts):
        cells = [spelled.get(cell, cell) if isinstance(cell, str) else cell for cell in cells]
    elif spelled and role.lists:
        count = sum(text in spelled for text in texts)
        message = f"{count} of {len(cells)} cells of {role.name} spell a list"
        table.note("list", f"{message} and were read as texts")
    nested = [cell for cell in cells if not isinstance(cell, str)]
    separated = role.lists == "cell" and role.kind == "key"
    if not (nested or separated):
        return
    for cell in nested:
        _refuse_nested(table, role, cell)
    lists = [_as_list(cell, separated=separated) for cell in cells]
    if role.lists == "cell":
        table.columns[role.name] = lists
        return
    numbered, lists = any(lists), [items or [""] for items in lists]
    table.take([at for at, items in enumerate(lists) for _ in items])
    table.columns[role.name] = [text for items in lists for text in items]
    parts = [number for items in lists for number in range(1, len(items) + 1)]
    if numbered:
        table.columns[PART] = parts
    if table.declared.numbered:
        table.columns.setdefault(table.declared.numbered, [str(part) for part in parts])


def _as_list(cell: Any, *, separated: bool) -> list[str]:
    """Return the texts of a list, of a text, or of several as in a|b."""
    if isinstance(cell, str):
        cell = [item for item in (cell.split("|") if separated else [cell]) if item.strip()]
    texts = ["" if item is None else str(item) for item in cell]
    return [text.strip() for text in texts] if separated else texts


def _refuse_nested(table: Reading, role: Role, cell: Any) -> None:
    """Refuse an object, a list within a list, and any list where the role takes none."""
    is_list, header = isinstance(cell, list), table.header(role.name)
    items = cell if is_list else [cell]
    inner = next((item for item in items if isinstance(item, dict | list)), None)
    if inner is None and role.lists:
        return
    path = ".0" if is_list else ""
    path += f".{next(iter(inner), '')}" if isinstance(inner, dict) else ".0" if inner else ""
    hint = ["name what you mean in the first of them", table.option(role.name, header + path)]
    if is_list and isinstance(inner, dict):
        hint.append(f"--records {shlex.quote(header)}")
    kind, what = ("list", "lists") if inner is None else ("object", "objects")
    message = f"the cells of {role.name} hold {what}"
    raise refusal(kind, message, *(hint if header else ["write one value in each cell"]))


def _read_numbers(table: Reading, column: str) -> None:
    """Read a column as numbers, or refuse it with what to do about the other cells."""
    cells = [str(cell).strip() for cell in table.columns[column]]
    values, how = see.numbers(cells)
    bad = [at for at, value in enumerate(values) if cells[at] and math.isnan(value)]
    if bad:
        first = f"row {table.columns[ROW][bad[0]]}, {cells[bad[0]][:40]!r}"
        message = f"{len(bad)} of {len(cells)} cells of {column} are not numbers (first: {first})"
        texts = sorted({cells[at] for at in bad})
        hint = _number_hint(table, column, texts, few=2 * len(bad) < len(cells))
        raise refusal("not-numbers", message, hint, column=column)
    if how:
        kind = "decimal-commas" if "comma" in how else "true-false"
        table.note(kind, f"column {column} was read with {how}", column)
    table.columns[column] = values


def _number_hint(table: Reading, column: str, texts: list[str], *, few: bool) -> str:
    """Return what to do about cells that are not numbers: they are gaps, texts or remarks."""
    if few and len(texts) <= 3 and not any(re.search(r"[\d,]|.{21}", text) for text in texts):
        return f"--missing-values {shlex.quote(','.join(texts))}"
    if column in table.values:
        return table.option("ignore", grammar.join_names([column]))
    labels = [role.as_labels for role in table.declared.roles if role.name == column]
    if any(labels) and not any(re.search(r"\d", text) for text in texts):
        return labels[0]
    wrote = column in _WRITTEN and table.declared.name == "outputs"
    if wrote and all(re.search(r"\d", text) and "," not in text for text in texts):
        return "--extract number"
    return "write numbers such as 1234.5 in these cells, or name a different column"


def _walk(table: Reading, parent: str, steps: int) -> None:
    """Give each step of a wide table its parent: the path of the choices before it in its row."""
    if PART in table.columns:
        raise refusal("list", "the steps of a walk hold lists", "write one choice in each cell")
    choices = table.columns["choice"]
    paths = [choices[at - at % steps : at] for at in range(len(choices))]
    table.columns[parent] = ["/".join(path) if all(path) else None for path in paths]
    table.take([at for at, path in enumerate(paths) if choices[at] or all(path)])
    lost = {at for at, path in enumerate(table.columns[parent]) if path is None}
    table.lose(lost, "empty-step", "a choice follows an empty one")


def _drop_totals(table: Reading) -> None:
    """Leave out the rows at the end that are totals by their key."""
    declared, columns = table.declared, table.columns
    needed = [role for role in declared.roles if role.needed and role.kind in ("key", "label")]
    samples = not declared.unique or bool(declared.unique_with not in ("", *columns))
    keys = [role.name for role in needed if role.kind == "key" or not samples][:1]
    for key in filter(table.header, [*keys, "model"]):
        while len(table) and see.is_summary(name := table.columns[key][-1]):
            rows = table.columns[ROW]
            kept = [at for at, row in enumerate(rows) if row != rows[-1]]
            if key == "model" and any(table.columns[key][at] == name for at in kept):
                break  # a model of that name
            table.note("totals", f"the last row is a {name} and was left out", row=rows[-1])
            table.take(kept)


def _drop_empty_keys(table: Reading) -> None:
    """Leave out the rows that lack a needed key; refuse a table of which most rows do."""
    keys = [role.name for role in table.declared.roles if role.needed and role.kind == "key"]
    for key in [*keys, *(["model"] if table.declared.name == "outputs" else [])]:
        cells = table.columns.get(key, [])
        lost = {at for at, cell in enumerate(cells) if cell == ""}
        if 2 * len(lost) > len(cells):
            message = f"the {key} is empty in {len(lost)} of {len(cells)} rows"
            hint = "fill the cells; merged cells have their value in the first row only"
            raise refusal("empty-key", message, hint, column=key)
        if lost:
            table.lose(lost, "empty-key", f"the {key} is empty", key)


def _report_hidden_cells(table: Reading, behind: dict[tuple[int, str], str]) -> None:
    """Refuse a needed formula that has no stored value; report error cells."""
    needed = {table.header(role.name) for role in table.declared.roles if role.needed}
    rows = set(table.rows) if behind else set()
    for (row, header), value in behind.items():
        if header in needed and row in rows:
            if value == "formula":
                message = "the cell holds a formula without a stored value"
                hint = "open the file in Excel, save it, and run again"
                raise refusal("formula", message, hint, column=header, row=row)
            table.note("error-cell", f"the cell holds the error {value}", header, row)
