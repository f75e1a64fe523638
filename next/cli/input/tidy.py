"""From a table as it was read to the family's long table."""

import re
import shlex
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoresheet.cli.input import cells as see
from scoresheet.cli.input import grammar
from scoresheet.cli.input.mapping import ASKED, FILE, PART, ROW, WORKSHEET, Filling, Long, Raw
from scoresheet.cli.input.read_excel import hidden_values
from scoresheet.cli.input.source import ReadRules, refusal
from scoresheet.metrics.role import Role, Table

_WRITTEN = ("prediction", "text", "choice", "score")  # roles that --extract takes answers from


@dataclass(frozen=True)
class LoadRules:
    """The options that concern the columns, cells and rows of tables.

    `given` are the names of the further tables of the run.
    """

    said: tuple[grammar.Said, ...] = ()
    where: tuple[grammar.Condition, ...] = ()
    missing_values: tuple[str, ...] = ()
    match: str = "exact"
    extract: str = ""
    by: tuple[str, ...] = ()
    accept: frozenset[str] = frozenset()
    repeats: str = "error"
    given: Collection[str] = ()
    read: ReadRules = field(default_factory=ReadRules)


def tidy(long: Long, rules: LoadRules) -> None:
    """Fill the columns of a long table, with the rows and cells worth a word."""
    table, mapping = long.table, long.mapping
    long.raw = without_missing(long.raw, rules.missing_values)
    _gather(long, rules.by)
    for role in table.roles:
        if role.name in long.columns:
            _read_role(long, role, rules)
    if table.walk and (filling := mapping.filling(table.walk[0])) and filling.how == "names":
        _walk(long, table.walk[1], len(filling.headers))
    for header in mapping.values:
        _read_numbers(long, header)
    header = long.header(table.single)
    if header and not table.role(table.single).takes(header):
        message = f"{header} was read as the header of the only column, not as one of its values"
        long.note("one-column", message, header)
    _drop_totals(long)
    _drop_empty_keys(long)
    if long.raw.place.columns:
        _look_behind_empty_cells(long)


def without_missing(raw: Raw, missing: Sequence[str]) -> Raw:
    """Return a table in which the texts that stand for no value are empty."""
    words = {word.strip() for word in missing}

    def blank(cell: Any) -> Any:
        if isinstance(cell, list):
            return [blank(item) for item in cell]
        return "" if isinstance(cell, str) and cell.strip() in words else cell

    cells = {header: list(map(blank, column)) for header, column in raw.cells.items()}
    return replace(raw, cells=cells) if words else raw


# --- the cells of every role ----------------------------------------------------------------


def _gather(long: Long, by: Sequence[str]) -> None:
    """Take the cells of every role as they were read, one row per observation."""
    raw, mapping, table = long.raw, long.mapping, long.table
    wide = [filling for filling in mapping.fillings if filling.how in ("names", "pattern")]
    headers = wide[0].headers if wide else ("",)

    def spread(cells: list[Any]) -> list[Any]:
        # row by row: the cells of one row of a wide table follow each other
        return [cell for cell in cells for _ in headers] if len(headers) > 1 else cells

    for filling in mapping.fillings:
        if filling in wide:
            long.columns[filling.role] = _header_values(table, filling) * len(raw.rows)
        elif filling.how == "cells":
            block = zip(*(raw.cells[header] for header in headers), strict=True)
            long.columns[filling.role] = [cell for row in block for cell in row]
        elif filling.how != "none":
            long.columns[filling.role] = spread(_cells(raw, filling))
    further = {header: header for header in mapping.values}
    further |= {ASKED: mapping.asked} if mapping.asked else {}
    further |= {f"by:{header}": header for header in by if table.name == "outputs"}
    for name, header in further.items():
        if header not in raw.cells:
            near = grammar.nearest(header, list(raw.cells))
            hint = f"--by {shlex.quote(near)}" if near else ""
            raise refusal("unknown-header", f"no column {header} for --by", hint)
        long.columns[name] = spread(raw.cells[header])
    long.columns[ROW] = spread(raw.rows)
    same = {FILE: raw.place.source.name, WORKSHEET: raw.place.sheet}
    if "sheet" in table.role_names and "sheet" not in long.columns:
        same["sheet"] = raw.place.value("@sheet")
    long.columns |= {name: [value] * len(long) for name, value in same.items()}


def _header_values(table: Table, filling: Filling) -> list[str]:
    if table.walk and filling.role == table.walk[0]:
        return [str(step) for step in range(len(filling.headers))]
    if filling.how == "names":
        return list(filling.headers)
    matches = map(grammar.pattern_of(filling.source)[0].fullmatch, filling.headers)
    return [match[filling.role] for match in matches if match]


def _cells(raw: Raw, filling: Filling) -> list[Any]:
    """Return the values of a role, one per row of the table as it was read."""
    if filling.how == "place":
        return [filling.value] * len(raw.rows)
    if filling.how == "headers":
        block = zip(*(raw.cells[header] for header in filling.headers), strict=True)
        return [[cell for cell in row if cell != ""] for row in block]
    cells = raw.cells[filling.headers[0]]
    if not filling.source:
        return cells
    path = filling.source.removeprefix(filling.headers[0] + ".").split(".")
    found = [see.at_path(cell, path) for cell in cells]
    return [cell if isinstance(cell, list | dict) else str(cell) for cell in found]


# --- as the kind of a role asks for ---------------------------------------------------------


def _read_role(long: Long, role: Role, rules: LoadRules) -> None:
    _read_lists(long, role)
    if rules.extract and long.table.name == "outputs" and role.name in _WRITTEN:
        # mode-collapse itself looks for the last option in the text
        unfinished = role.name == "choice" and rules.extract == "last"
        long.change(
            role.name, grammar.without_thinking if unfinished else grammar.extractor(rules.extract)
        )
    if role.kind == "number":
        _read_numbers(long, role.name)
    elif role.kind in ("key", "label") and role.lists != "cell":
        long.change(role.name, lambda text: unicodedata.normalize("NFC", text.strip()))
        if rules.match == "loose" and role.kind == "key" and role.needed:
            long.change(role.name, see.loose)


def _read_lists(long: Long, role: Role) -> None:
    """Read the lists in the cells of a role in one form, or refuse them."""
    cells = long.columns[role.name]
    real = [cell for cell in cells if not isinstance(cell, str)]
    texts = [cell for cell in cells if isinstance(cell, str) and cell.lstrip()[:1] == "["]
    parsed = [items for text in texts if (items := see.parse_list(text)) is not None]
    spelled = bool(parsed) and see.holds_lists(cell for cell in cells if isinstance(cell, str))
    for cell in (*real, *(parsed[:1] if spelled else ())):
        _refuse_nested(long, role, cell)
    if parsed and not spelled and role.lists:
        message = f"{len(parsed)} of {len(cells)} cells of {role.name} spell a list"
        long.note("list", f"{message} and were read as texts")
    separated = role.lists == "cell" and role.kind == "key"
    if not (real or spelled or separated):
        return
    lists = [_as_list(cell, spelled=spelled, separated=separated) for cell in cells]
    if role.lists == "cell":
        long.columns[role.name] = lists
        return
    numbered, lists = any(lists), [items or [""] for items in lists]
    long.take([at for at, items in enumerate(lists) for _ in items])
    long.columns[role.name] = [text for items in lists for text in items]
    parts = [number for items in lists for number in range(1, len(items) + 1)]
    if numbered:
        long.columns[PART] = parts
    if long.table.numbered:
        long.columns.setdefault(long.table.numbered, [str(part) for part in parts])


def _as_list(cell: Any, *, spelled: bool, separated: bool) -> list[str]:
    """Return the texts of a cell: of its list, of the list that it spells, or as in a|b."""
    items = cell if isinstance(cell, list) else see.parse_list(cell) if spelled else None
    if items is None:
        items = cell.split("|") if separated else [cell]
        items = [item for item in items if item.strip()]
    texts = ["" if item is None else str(item) for item in items]
    return [text.strip() for text in texts] if separated else texts


def _refuse_nested(long: Long, role: Role, cell: Any) -> None:
    """Refuse an object, a list within a list, and any list where the role takes none."""
    is_list, header = isinstance(cell, list), long.header(role.name)
    items = cell if is_list else [cell]
    inner = next((item for item in items if isinstance(item, dict | list)), None)
    if inner is None and role.lists:
        return
    path = ".0" if is_list else ""
    path += f".{next(iter(inner), '')}" if isinstance(inner, dict) else ".0" if inner else ""
    hint = ["name what you mean in the first of them", long.option(role.name, header + path)]
    if is_list and isinstance(inner, dict):
        hint.append(f"--records {shlex.quote(header)}")
    kind, what = ("list", "lists") if inner is None else ("object", "objects")
    message = f"the cells of {role.name} hold {what}"
    raise refusal(kind, message, *(hint if header else ["write one value in each cell"]))


def _read_numbers(long: Long, column: str) -> None:
    """Read a column as numbers, or refuse it with what to do about the other cells."""
    cells = [str(cell).strip() for cell in long.columns[column]]
    values, how = see.numbers(cells)
    bad = [at for at, value in enumerate(values) if see.is_nan(value) and cells[at]]
    if bad:
        first = f"row {long.columns[ROW][bad[0]]}, {cells[bad[0]][:40]!r}"
        message = f"{len(bad)} of {len(cells)} cells of {column} are not numbers (first: {first})"
        texts = sorted({cells[at] for at in bad})
        hint = _number_hint(long, column, texts, few=2 * len(bad) < len(cells))
        raise refusal("not-numbers", message, hint, column=column)
    if how:
        kind = "decimal-commas" if "comma" in how else "true-false"
        long.note(kind, f"column {column} was read with {how}", column)
    long.columns[column] = values


def _number_hint(long: Long, column: str, texts: list[str], *, few: bool) -> str:
    """Return what to do about cells that are not numbers: they are gaps, texts or remarks."""
    if few and len(texts) <= 3 and not any(re.search(r"[\d,]|.{21}", text) for text in texts):
        return f"--missing-values {shlex.quote(','.join(texts))}"
    if column in long.mapping.values:
        return long.option("ignore", grammar.join_names([column]))
    labels = [role.as_labels for role in long.table.roles if role.name == column]
    if any(labels) and not any(re.search(r"\d", text) for text in texts):
        return labels[0]
    wrote = column in _WRITTEN and long.table.name == "outputs"
    if wrote and all(re.search(r"\d", text) and "," not in text for text in texts):
        return "--extract number"
    return "write numbers such as 1234.5 in these cells, or name a different column"


# --- whole rows -----------------------------------------------------------------------------


def _walk(long: Long, parent: str, steps: int) -> None:
    """Give each step of a wide table its parent: the path of the choices before it in its row."""
    if PART in long.columns:
        raise refusal("list", "the steps of a walk hold lists", "write one choice in each cell")
    choices = long.columns["choice"]
    paths = [choices[at - at % steps : at] for at in range(len(choices))]
    long.columns[parent] = ["/".join(path) if all(path) else None for path in paths]
    long.take([at for at, path in enumerate(paths) if choices[at] or all(path)])
    lost = {at for at, path in enumerate(long.columns[parent]) if path is None}
    long.lose(lost, "empty-step", "a choice follows an empty one")


def _drop_totals(long: Long) -> None:
    """Leave out the rows at the end that are totals by their key."""
    table = long.table
    needed = [role for role in table.roles if role.needed and role.kind in ("key", "label")]
    samples = not table.unique or (table.unique_with and table.unique_with not in long.columns)
    keys = [role.name for role in needed if role.kind == "key" or not samples][:1]
    for key in filter(long.header, [*keys, "model"]):
        while len(long) and see.is_summary(name := long.columns[key][-1]):
            rows = long.columns[ROW]
            kept = [at for at, row in enumerate(rows) if row != rows[-1]]
            if key == "model" and any(long.columns[key][at] == name for at in kept):
                break  # a model of that name
            long.note("totals", f"the last row is a {name} and was left out", row=rows[-1])
            long.take(kept)


def _drop_empty_keys(long: Long) -> None:
    """Leave out the rows that lack a needed key; refuse a table of which most rows do."""
    keys = [role.name for role in long.table.roles if role.needed and role.kind == "key"]
    keys += ["model"] if long.table.name == "outputs" else []
    for key in keys:
        cells = long.columns.get(key, [])
        lost = {at for at, cell in enumerate(cells) if cell == ""}
        if 2 * len(lost) > len(cells):
            message = f"the {key} is empty in {len(lost)} of {len(cells)} rows"
            hint = "fill the cells; merged cells have their value in the first row only"
            raise refusal("empty-key", message, hint, column=key)
        if lost:
            long.lose(lost, "empty-key", f"the {key} is empty", key)


def _look_behind_empty_cells(long: Long) -> None:
    """Refuse a sheet with a needed formula that has no stored value; report error cells."""
    from xlsxwriter.utility import xl_rowcol_to_cell  # ten times as quick to import as openpyxl

    place, headers = long.raw.place, list(long.raw.cells)
    empty = {
        xl_rowcol_to_cell(row - 1, place.columns[headers.index(header)]): (header, row)
        for role in long.table.roles
        if role.needed and (header := long.header(role.name))
        for row, cell in zip(long.raw.rows, long.raw.cells[header], strict=True)
        if cell == ""
    }
    found = hidden_values(place.source, place.sheet, empty) if empty else {}
    for address, value in found.items():
        header, row = empty[address]
        if value == "formula":
            message = "the cell holds a formula without a stored value"
            hint = "open the file in Excel, save it, and run again"
            raise refusal("formula", message, hint, column=header, row=row)
        long.note("error-cell", f"the cell holds the error {value}", header, row)
