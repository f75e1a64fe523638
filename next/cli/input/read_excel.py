"""Excel and OpenDocument workbooks, read as a person would type the cells."""

import io
import math
import posixpath
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import reduce
from typing import Any, Literal
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np
import pandas as pd
from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from scoresheet.cli.input.source import (
    MAX_EMPTY_CELLS,
    FileTables,
    ReadRules,
    Source,
    cell_text,
    header_notes,
    is_blank,
    make_frame,
    refusal,
    refuse_expanded,
    refuse_size,
)
from scoresheet.metrics.problem import Problem, Refusal, located

# What openpyxl raises for a damaged workbook.
_DAMAGED = (AttributeError, LookupError, OSError, SyntaxError, TypeError, ValueError, BadZipFile)
_SAVE_AGAIN = "open the file in Excel or LibreOffice, save it as .xlsx, and run again"
_LEFT_OUT = {
    "hidden": Problem("hidden-sheet", "note", "the worksheet is hidden, so it is not read"),
    "other": Problem("chart-sheet", "note", "the sheet is not a worksheet, so it is not read"),
    "": Problem("empty-sheet", "note", "the worksheet is empty"),
}
_HIDDEN_ROWS = Problem("hidden-rows", "note", "some rows are hidden; they are read like the others")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # xls, and xlsx with a password
_HIDDEN_ROW = re.compile(rb'<row\b[^>]* hidden="(?:1|true)"')
_BEHIND = re.compile(rb"""[<:]f[ >/]|\bt=["']e["']""")
_FAR = re.compile(rb' r="(?:[A-Z]{2}|[A-Z]?\d{7})')  # beyond column Z, or row 999,999
_REFERENCE = re.compile(rb' r="([A-Z]*)(\d{1,12})')
_BLANK_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b(?![^>]*\boffice:)[^>]*/>")
_BLANK_ROW = re.compile(rb"<table:table-row\b[^>]*>\s*</table:table-row>")
_REPEATS = (
    re.compile(rb"""<table:table-row\b[^>]*rows-repeated=["'](\d{1,12})"""),
    re.compile(rb"""table-cell\b[^>]*columns-repeated=["'](\d{1,12})"""),
    re.compile(rb"""<text:s\b[^>]*text:c=["'](\d{1,12})"""),
)

Sheet = tuple[str, str, np.ndarray]  # name, why it is left out, cells as text
_to_text = np.frompyfunc(cell_text, 1, 1)


def read_excel(source: Source, rules: ReadRules) -> FileTables:
    """Return a table for each visible worksheet that has one; the others are in the problems."""
    result = FileTables()
    hidden_rows = _guard(source, rules)
    for name, left_out, cells in _sheets(source, rules, result.problems):
        problems: Sequence[Problem]
        if left_out or all(map(is_blank, cells)):
            problems = [_LEFT_OUT[left_out]]
        else:
            try:
                problems = _add_table(result, name, cells, rules)
                problems += [_HIDDEN_ROWS] if name in hidden_rows else []
            except Refusal as refused:
                problems = refused.problems
        result.problems += [located(problem, "", name) for problem in problems]
    is_skipped = any(problem.effect == "skipped" for problem in result.problems)
    if result.tables or (not is_skipped and (rules.sheets or rules.skip_sheets)):
        return result
    empty = refusal("empty", "the workbook has no table to read").problems
    raise Refusal(*(() if is_skipped else empty), *result.problems)


def _add_table(result: FileTables, name: str, cells: np.ndarray, rules: ReadRules) -> list[Problem]:
    """Add the table of a worksheet, and return notes about it."""
    first = rules.header_row or 1
    filled = (row for row in range(first, len(cells) + 1) if not is_blank(cells[row - 1]))
    if not (row := next(filled, 0)):
        raise refusal("header-row", f"there is no row {first} that could be the header")
    problems = header_notes(rules, row, cells[row - 1 :])
    hint = problems[0].hint if problems else ""
    result.tables[name], result.columns[name] = make_frame(cells[row - 1 :], row, hint)
    return problems


def _sheets(source: Source, rules: ReadRules, problems: list[Problem]) -> list[Sheet]:
    """Return the chosen worksheets, read by calamine or, where it refuses the file, openpyxl."""
    try:
        sheets = _read_sheets(source, rules, "calamine")
    except BaseException as error:
        # A panic in calamine is not an Exception, and its class cannot be imported.
        if not isinstance(error, CalamineError) and type(error).__name__ != "PanicException":
            raise
        reason = error if isinstance(error, CalamineError) else "it is cut or damaged"
        try:
            sheets = _read_sheets(source, rules, "openpyxl")
        except _DAMAGED:
            message = f"the workbook cannot be read: {reason}"
            raise refusal("unreadable", message, _SAVE_AGAIN) from error
        message = f"the workbook is damaged, so it was read by openpyxl: {reason}"
        problems.append(Problem("second-reader", "note", message, hint=_SAVE_AGAIN))
    names = [name for name, _, _ in sheets]
    if len(set(names)) < len(names):
        raise refusal("duplicate-sheets", "two worksheets have the same name", _SAVE_AGAIN)
    return sheets


def _read_sheets(
    source: Source, rules: ReadRules, engine: Literal["calamine", "openpyxl"]
) -> list[Sheet]:
    as_it_is: Any = {"header": None, "dtype": object, "keep_default_na": False, "na_filter": False}
    sheets = []
    with warnings.catch_warnings(), source.path.open("rb") as file:
        warnings.simplefilter("ignore")  # about styles and extensions
        with pd.ExcelFile(file, engine=engine) as book:
            for name, left_out in _sheet_names(book.book):
                if _is_chosen(name, rules):
                    frame = pd.DataFrame()
                    if not left_out:
                        frame = pd.read_excel(book, sheet_name=name, **as_it_is)
                    sheets.append((name, left_out, _to_text(frame.to_numpy(dtype=object))))
    return sheets


def _sheet_names(book: Any) -> Iterator[tuple[str, str]]:
    """Yield the name of each sheet of a workbook, and why it is left out, if it is."""
    if isinstance(book, CalamineWorkbook):
        for about in book.sheets_metadata:
            visible = about.visible == SheetVisibleEnum.Visible
            is_other = about.typ != SheetTypeEnum.WorkSheet
            yield about.name, "other" if is_other else "" if visible else "hidden"
    else:
        for sheet in book.worksheets:
            yield sheet.title, "" if sheet.sheet_state == "visible" else "hidden"


def _is_chosen(name: str, rules: ReadRules) -> bool:
    wanted = not rules.sheets or any(fnmatchcase(name, pattern) for pattern in rules.sheets)
    return wanted and not any(fnmatchcase(name, pattern) for pattern in rules.skip_sheets)


def hidden_values(source: Source, sheet: str, addresses: Collection[str]) -> dict[str, str]:
    """Return what is behind cells that read as empty: "formula" or an error such as "#DIV/0!".

    "formula" is a formula without a stored value. Only xlsx files tell.
    """
    if not is_zipfile(source.path):
        return {}
    with ZipFile(source.path) as archive:
        part = _worksheet_parts(archive).get(sheet, "")
        content = archive.read(part) if part else b""
    if not _BEHIND.search(content):
        return {}
    found = {}
    with suppress(ElementTree.ParseError):  # the reader did not mind
        for _, element in ElementTree.iterparse(io.BytesIO(content)):  # noqa: S314
            if element.tag.endswith("}c") and element.get("r") in addresses:
                found[element.get("r", "")] = _behind(element)
            elif element.tag.endswith("}row"):
                element.clear()
    return {address: text for address, text in found.items() if text}


def _behind(cell: ElementTree.Element) -> str:
    stored = cell.findtext("{*}v")
    if cell.get("t") == "e":
        return stored or "#N/A"
    # A formula of the type "str" has a stored value, the empty text.
    lacks_value = not stored and cell.get("t") != "str"
    return "formula" if lacks_value and cell.find("{*}f") is not None else ""


def _guard(source: Source, rules: ReadRules) -> set[str]:
    """Refuse what a reader would not survive; return the worksheets with hidden rows."""
    with source.path.open("rb") as file:
        head = file.read(8)
        if head == _OLE and "EncryptedPackage".encode("utf-16-le") in file.read():
            message = "the workbook is protected by a password"
            raise refusal("unreadable", message, "save it without a password")
    hidden: set[str] = set()
    if not head.startswith(b"PK"):
        return hidden
    with ZipFile(source.path) as archive:
        refuse_expanded(source, sum(part.file_size for part in archive.infolist()))
        if "content.xml" in archive.namelist():
            _guard_repeats(archive.read("content.xml"))
        for name, part in _worksheet_parts(archive).items():
            if _is_chosen(name, rules):
                content = archive.read(part)
                _guard_worksheet(name, content)
                if _HIDDEN_ROW.search(content):
                    hidden.add(name)
    return hidden


def _guard_worksheet(sheet: str, content: bytes) -> None:
    """Refuse entities, and a cell far from the others: readers make all cells in between."""
    if b"<!DOCTYPE" in content:
        raise refusal("unreadable", f"the sheet {sheet} has a DOCTYPE, as none should")
    if not _FAR.search(content):
        return
    letters, rows, filled = {b"A"}, {b"1"}, 0
    for reference in _REFERENCE.finditer(content):
        letters.add(reference[1][:4])
        rows.add(reference[2])
        filled += 1
    columns = max(reduce(lambda number, letter: 26 * number + letter - 64, c, 0) for c in letters)
    hint = f"delete the cells far from the table in the sheet {sheet}"
    refuse_size(max(map(int, rows)), columns, filled, hint)


def _guard_repeats(content: bytes) -> None:
    """Refuse an OpenDocument table that repeats rows, cells or blanks far too often."""
    content = _BLANK_ROW.sub(b"", _BLANK_CELL.sub(b"", content))
    most = [max(map(int, repeat.findall(content)), default=1) for repeat in _REPEATS]
    if math.prod(most) > MAX_EMPTY_CELLS:
        raise refusal("too-large", "a row, a cell or a blank is repeated far too often")


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
