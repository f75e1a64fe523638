"""Excel and OpenDocument workbooks, read as a person would type the cells."""

import io
import math
import posixpath
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import reduce
from typing import Any, Literal
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

import numpy as np
import pandas as pd
from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from scoresheet.cli.input import frames
from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.frames import Behind, FileTables, Rules
from scoresheet.metrics.problem import Problem, Refusal, located, refusal

# What the readers raise for a damaged workbook; OverflowError: old pandas, for infinity.
_DAMAGED = (
    *(CalamineError, AttributeError, LookupError, OSError, OverflowError, SyntaxError),
    *(TypeError, ValueError, BadZipFile),
)
_SAVE_AGAIN = "open the file in Excel or LibreOffice, save it as .xlsx, and run again"
_NOTES = {
    "hidden-sheet": "the worksheet is hidden, so it is not read",
    "chart-sheet": "the sheet is not a worksheet, so it is not read",
    "empty-sheet": "the worksheet is empty",
    "hidden-rows": "some rows are hidden; they are read like the others",
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # xls, and xlsx with a password
_HIDDEN_ROW = re.compile(rb'<row\b[^>]* hidden="(?:1|true)"')
_BEHIND = (b"<f", b":f", b't="e"', b"t='e'")  # in worksheets with formulas or errors
_FAR = re.compile(rb' r="(?:[A-Z]{2}|[A-Z]?\d{7})')  # beyond column Z, or row 999,999
_REFERENCE = re.compile(rb' r="([A-Z]*)(\d{1,12})')
_BLANK_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b(?![^>]*\boffice:)[^>]*/>")
_BLANK_ROW = re.compile(rb"<table:table-row\b[^>]*>\s*</table:table-row>")
_REPEATED = re.compile(rb"""(rows-repeated|columns-repeated|text:c)=["'](\d{1,12})""")

Sheet = tuple[str, str, pd.DataFrame]  # name, why it is left out, its rows that are not blank
_to_text, _strip = np.frompyfunc(frames.cell_text, 1, 1), np.frompyfunc(str.strip, 1, 1)


def read_excel(source: Source, rules: Rules) -> FileTables:
    """Return a table for each visible worksheet that has one; the others are in the problems."""
    result, first = FileTables(), rules.header_row or 1
    worksheets = _guard(source, rules)
    for name, left_out, filled in _sheets(source, rules, result.problems):
        rows = filled.loc[first:]
        kinds, problems = [left_out] if left_out else [], []
        try:
            if len(rows):
                opening = rows.head(frames.OPENING).itertuples(name=None)
                problems = frames.header_notes(rules, {row: cells for row, *cells in opening})
                result.tables[name] = frames.make_frame(rows, problems)
                has_hidden_rows, content = worksheets.get(name, (False, b""))
                result.behind[name] = _behind_empty_cells(content, rows)
                kinds = ["hidden-rows"] if has_hidden_rows else []
            elif len(filled):
                raise refusal("header-row", f"there is no row {first} that could be the header")
        except Refusal as refused:
            problems = list(refused.problems)
        problems += [Problem(kind, "note", _NOTES[kind]) for kind in kinds]
        result.problems += [located(problem, "", name) for problem in problems]
    is_skipped = any(problem.effect == "skipped" for problem in result.problems)
    if result.tables or (not is_skipped and (rules.sheets or rules.skip_sheets)):
        return result
    empty = refusal("empty", "the workbook has no table to read").problems
    raise Refusal(*(() if is_skipped else empty), *result.problems)


def _sheets(source: Source, rules: Rules, problems: list[Problem]) -> list[Sheet]:
    """Return the chosen worksheets, read by calamine or, where it refuses the file, openpyxl."""
    try:
        sheets = _read(source, rules, "calamine")
    except BaseException as error:
        # A panic in calamine is not an Exception, and its class cannot be imported.
        if not isinstance(error, _DAMAGED) and type(error).__name__ != "PanicException":
            raise
        reason = error if isinstance(error, _DAMAGED) else "it is cut or damaged"
        try:
            sheets = _read(source, rules, "openpyxl")
        except _DAMAGED:
            message = f"the workbook cannot be read: {reason}"
            raise refusal("unreadable", message, _SAVE_AGAIN) from error
        message = f"the workbook is damaged, so it was read by openpyxl: {reason}"
        problems.append(Problem("second-reader", "note", message, hint=_SAVE_AGAIN))
    if len({name for name, _, _ in sheets}) < len(sheets):
        raise refusal("duplicate-sheets", "two worksheets have the same name", _SAVE_AGAIN)
    return sheets


def _read(source: Source, rules: Rules, engine: Literal["calamine", "openpyxl"]) -> list[Sheet]:
    """Return each chosen sheet with the rows that hold text, by their number."""
    sheets = []
    with warnings.catch_warnings(), source.path.open("rb") as file:
        warnings.simplefilter("ignore")  # about styles and extensions
        with pd.ExcelFile(file, engine=engine) as book:
            for name, left_out in _sheet_names(book.book):
                if left_out and _is_chosen(name, rules):
                    sheets.append((name, left_out, pd.DataFrame()))
                elif _is_chosen(name, rules):
                    frame = pd.read_excel(book, sheet_name=name, **frames.AS_IT_IS)
                    texts = _to_text(frame.to_numpy(dtype=object))
                    frame = pd.DataFrame(texts, frame.index + 1, dtype=object)
                    rows = frame[(_strip(texts) != "").any(axis=1)]
                    sheets.append((name, "" if len(rows) else "empty-sheet", rows))
    return sheets


def _sheet_names(book: Any) -> Iterator[tuple[str, str]]:
    """Yield the name of each sheet of a workbook, and why it is left out, if it is."""
    if isinstance(book, CalamineWorkbook):
        for about in book.sheets_metadata:
            left_out = "" if about.visible == SheetVisibleEnum.Visible else "hidden-sheet"
            yield about.name, left_out if about.typ == SheetTypeEnum.WorkSheet else "chart-sheet"
    else:
        for sheet in book.worksheets:
            yield sheet.title, "" if sheet.sheet_state == "visible" else "hidden-sheet"


def _is_chosen(name: str, rules: Rules) -> bool:
    wanted = not rules.sheets or any(fnmatchcase(name, pattern) for pattern in rules.sheets)
    return wanted and not any(fnmatchcase(name, pattern) for pattern in rules.skip_sheets)


def _behind_empty_cells(content: bytes, rows: pd.DataFrame) -> Behind:
    """Return what is behind the cells of a worksheet that read as empty, from its XML."""
    from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell  # quicker than openpyxl

    header, found = rows.iloc[0], {}
    empty = np.argwhere(rows.to_numpy() == "") if content else ()
    places = [(int(rows.index[at]), int(place)) for at, place in empty]
    by_address = {xl_rowcol_to_cell(row - 1, place): (row, place) for row, place in places}
    with suppress(ElementTree.ParseError):  # the reader did not mind
        for _, element in ElementTree.iterparse(io.BytesIO(content)):  # noqa: S314
            if element.tag.endswith("}row"):
                element.clear()
            elif element.get("r") in by_address and element.tag.endswith("}c"):
                row, place = by_address[element.get("r", "")]
                name = frames.header_name(header[place]) or f"(column {xl_col_to_name(place)})"
                found[row, name] = _behind(element)
    return {cell: value for cell, value in found.items() if value}


def _behind(cell: ElementTree.Element) -> str:
    stored, kind = cell.findtext("{*}v"), cell.get("t")
    if kind == "e":
        return stored or "#N/A"
    # a formula of the type "str" has a stored value, the empty text
    return "formula" if not stored and kind != "str" and cell.find("{*}f") is not None else ""


def _guard(source: Source, rules: Rules) -> dict[str, tuple[bool, bytes]]:
    """Refuse what a reader would not survive.

    Returns for each worksheet of an xlsx file whether it has hidden rows, and its XML if it has
    formulas or errors.
    """
    with source.path.open("rb") as file:
        head = file.read(8)
        if head == _OLE and "EncryptedPackage".encode("utf-16-le") in file.read():
            message = "the workbook is protected by a password"
            raise refusal("unreadable", message, "save it without a password")
    found: dict[str, tuple[bool, bytes]] = {}
    if not head.startswith(b"PK"):
        return found
    with ZipFile(source.path) as archive:
        frames.refuse_expanded(source, sum(part.file_size for part in archive.infolist()))
        if "content.xml" in archive.namelist():
            _guard_repeats(archive.read("content.xml"))
        for name, part in _worksheet_parts(archive).items():
            if _is_chosen(name, rules):
                content = archive.read(part)
                _guard_worksheet(name, content)
                has_behind = any(mark in content for mark in _BEHIND)
                has_hidden_rows = _HIDDEN_ROW.search(content) is not None
                found[name] = has_hidden_rows, content if has_behind else b""
    return found


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
    frames.refuse_size(max(map(int, rows)), columns, filled, hint)


def _guard_repeats(content: bytes) -> None:
    """Refuse an OpenDocument table that repeats rows, cells or blanks far too often."""
    content = _BLANK_ROW.sub(b"", _BLANK_CELL.sub(b"", content))
    most: dict[bytes, int] = {}
    for what, count in _REPEATED.findall(content):
        most[what] = max(int(count), most.get(what, 1))
    if math.prod(most.values()) > frames.MAX_EMPTY_CELLS:
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
