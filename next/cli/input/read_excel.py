"""Excel and OpenDocument workbooks, read as a person would type the cells."""

import posixpath
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from glob import escape
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

import pandas as pd
from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from scoresheet.cli.input.source import (
    FileTables,
    ReadRules,
    Source,
    cell_text,
    expanded_limit,
    header_notes,
    is_blank,
    make_frame,
    note,
    refusal,
)
from scoresheet.metrics.problem import Problem, Refusal

# What openpyxl raises for a damaged workbook.
_DAMAGED = (AttributeError, LookupError, OSError, SyntaxError, TypeError, ValueError, BadZipFile)
_SAVE_AGAIN = "open the file in Excel or LibreOffice, save it as .xlsx, and run again"
_LEFT_OUT = {
    "hidden": ("hidden-sheet", "the worksheet is hidden, so it is not read"),
    "other": ("chart-sheet", "the sheet is not a worksheet, so it is not read"),
    "": ("empty-sheet", "the worksheet is empty"),
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # xls, and xlsx with a password
_HIDDEN_ROW = re.compile(rb'<row\b[^>]* hidden="(?:1|true)"')
_BEHIND = re.compile(rb"""[<:]f[ >/]|\bt=["']e["']""")

Rows = list[list[str]]
Sheet = tuple[str, str, Rows]  # name, why it is left out, cells as text


def read_excel(source: Source, rules: ReadRules) -> FileTables:
    """Return a table for each visible worksheet that has one; the others are in the problems."""
    result = FileTables()
    hidden_rows = _sheets_with_hidden_rows(source, rules)
    for name, left_out, rows in _sheets(source, rules, result.problems):
        if left_out or all(map(is_blank, rows)):
            result.problems.append(note(source, *_LEFT_OUT[left_out], "", name))
            continue
        try:
            result.tables[name], _, problems = _table(source, rules, name, rows)
        except Refusal as refused:
            result.problems += refused.problems
            continue
        result.problems += problems
        if name in hidden_rows:
            message = "some rows are hidden; they are read like the others"
            result.problems.append(note(source, "hidden-rows", message, sheet=name))
    skipped = [problem for problem in result.problems if problem.effect == "skipped"]
    if not result.tables and skipped:
        raise Refusal(*skipped)
    if not result.tables and not rules.sheets and not rules.skip_sheets:
        sheets = "; ".join(f"{p.sheet}: {p.message}" for p in result.problems[:10])
        raise refusal(source, "empty", f"the workbook has no table to read ({sheets})")
    return result


def _table(
    source: Source, rules: ReadRules, sheet: str, rows: Rows
) -> tuple[pd.DataFrame, list[int], list[Problem]]:
    """Return the frame of a worksheet, the positions of its columns, and notes."""
    first = rules.header_row or 1
    numbered = enumerate(rows[first - 1 :], first)
    filled = {number: cells for number, cells in numbered if not is_blank(cells)}
    if not filled:
        message = f"there is no row {first} that could be the header"
        raise refusal(source, "header-row", message, sheet=sheet)
    header = next(iter(filled))
    problems = header_notes(source, rules, header, rows[header - 1 :], sheet)
    hint = problems[0].hint if problems else ""
    return *make_frame(source, filled, sheet, hint), problems


def _sheets(source: Source, rules: ReadRules, problems: list[Problem]) -> list[Sheet]:
    """Return the chosen worksheets, read by calamine or, where it refuses the file, openpyxl."""
    try:
        sheets = list(_calamine_sheets(source, rules))
    except BaseException as error:
        # A panic in calamine is not an Exception, and its class cannot be imported.
        if not isinstance(error, CalamineError) and type(error).__name__ != "PanicException":
            raise
        reason = error if isinstance(error, CalamineError) else "it is cut or damaged"
        try:
            sheets = list(_openpyxl_sheets(source, rules))
        except _DAMAGED:
            message = f"the workbook cannot be read: {reason}"
            raise refusal(source, "unreadable", message, _SAVE_AGAIN) from error
        message = f"the workbook is damaged, so it was read by openpyxl: {reason}"
        problems.append(note(source, "second-reader", message, _SAVE_AGAIN))
    names = [name for name, _, _ in sheets]
    if len(set(names)) < len(names):
        raise refusal(source, "duplicate-sheets", "two worksheets have the same name", _SAVE_AGAIN)
    return sheets


def _calamine_sheets(source: Source, rules: ReadRules) -> Iterator[Sheet]:
    with source.path.open("rb") as file, CalamineWorkbook.from_filelike(file) as book:
        for about in book.sheets_metadata:
            left_out = "hidden" if about.visible != SheetVisibleEnum.Visible else ""
            left_out = "other" if about.typ != SheetTypeEnum.WorkSheet else left_out
            if _is_chosen(about.name, rules):
                sheet = None if left_out else book.get_sheet_by_name(about.name)
                rows = sheet.to_python(skip_empty_area=False) if sheet else []
                yield about.name, left_out, [[cell_text(cell) for cell in row] for row in rows]


def _openpyxl_sheets(source: Source, rules: ReadRules) -> Iterator[Sheet]:
    import openpyxl

    with warnings.catch_warnings(), source.path.open("rb") as file:
        warnings.simplefilter("ignore")  # about styles and extensions
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        for sheet in book.worksheets:
            if not _is_chosen(sheet.title, rules):
                continue
            sheet.reset_dimensions()  # a wrong one would cut the table
            visible = sheet.sheet_state == "visible"
            rows = [
                ["" if cell.data_type == "e" else cell_text(cell.value) for cell in row]
                for row in (sheet.iter_rows() if visible else ())
            ]
            width = max(map(len, rows), default=0)
            padded = [row + [""] * (width - len(row)) for row in rows]
            yield sheet.title, "" if visible else "hidden", padded


def _is_chosen(name: str, rules: ReadRules) -> bool:
    wanted = not rules.sheets or any(fnmatchcase(name, pattern) for pattern in rules.sheets)
    return wanted and not any(fnmatchcase(name, pattern) for pattern in rules.skip_sheets)


def hidden_values(
    source: Source, sheet: str, cells: Sequence[tuple[int, int]], rules: ReadRules | None = None
) -> dict[tuple[int, int], str]:
    """Return what is behind cells that read as empty: "formula" or an error such as "#DIV/0!".

    A cell is a row of the frame's index and the position of a column in the frame. "formula" is a
    formula without a stored value. Only xlsx files tell; for other files the result is empty.
    """
    from openpyxl.utils import get_column_letter

    with source.path.open("rb") as file:
        if file.read(2) != b"PK":
            return {}
        archive = ZipFile(file)
        part = _worksheet_parts(archive).get(sheet, "")
        if not part or not _BEHIND.search(archive.read(part)):
            return {}
        rules = replace(rules or ReadRules(), sheets=(escape(sheet),), skip_sheets=())
        ((_, _, rows),) = _sheets(source, rules, [])
        _, kept, _ = _table(source, rules, sheet, rows)
        wanted = {f"{get_column_letter(kept[at] + 1)}{row}": (row, at) for row, at in cells}
        found = {}
        try:
            for _, element in ElementTree.iterparse(archive.open(part)):  # noqa: S314
                if element.tag.endswith("}c") and element.get("r") in wanted:
                    found[wanted[element.get("r", "")]] = _behind(element)
                elif element.tag.endswith("}row"):
                    element.clear()
        except ElementTree.ParseError as error:
            message = f"the worksheet is damaged: {error}"
            raise refusal(source, "unreadable", message, _SAVE_AGAIN, sheet) from error
    return {cell: text for cell, text in found.items() if text}


def _behind(cell: ElementTree.Element) -> str:
    stored = cell.findtext("{*}v")
    if cell.get("t") == "e":
        return stored or "#N/A"
    # A formula of the type "str" has a stored value, the empty text.
    lacks_value = not stored and cell.get("t") != "str"
    return "formula" if lacks_value and cell.find("{*}f") is not None else ""


def _sheets_with_hidden_rows(source: Source, rules: ReadRules) -> set[str]:
    """Return the worksheets with hidden rows; refuse a locked workbook, and a zip bomb."""
    with source.path.open("rb") as file:
        head = file.read(8)
        if head == _OLE and "EncryptedPackage".encode("utf-16-le") in file.read():
            message = "the workbook is protected by a password"
            raise refusal(source, "unreadable", message, "save it without a password")
    if not head.startswith(b"PK"):
        return set()
    with ZipFile(source.path) as archive:
        if sum(part.file_size for part in archive.infolist()) > expanded_limit(source):
            message = "the workbook expands to more than 64 MB and 20 times its size"
            raise refusal(source, "too-large", message)
        parts = {n: p for n, p in _worksheet_parts(archive).items() if _is_chosen(n, rules)}
        return {name for name, part in parts.items() if _HIDDEN_ROW.search(archive.read(part))}


def _worksheet_parts(archive: ZipFile) -> dict[str, str]:
    """Return the part of an xlsx archive that holds each sheet; nothing for other archives."""
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    except (KeyError, ElementTree.ParseError):
        return {}
    targets = {link.get("Id"): posixpath.join("/xl", link.get("Target", ""))[1:] for link in links}
    found = {
        sheet.get("name", ""): targets.get(key, "")
        for sheet in book.findall("{*}sheets/{*}sheet")
        for attribute, key in sheet.items()
        if attribute.endswith("}id")
    }
    return {name: part for name, part in found.items() if part in archive.namelist()}
