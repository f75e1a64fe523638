"""Excel and OpenDocument workbooks: guarded, then read as a person would type the cells."""

import posixpath
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from glob import escape
from typing import Any
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

import numpy as np
import pandas as pd
from python_calamine import CalamineError, SheetTypeEnum, SheetVisibleEnum

from scoresheet.cli.input import source as src
from scoresheet.cli.input.source import FileTables, ReadRules, Source, cell_text, note, refusal
from scoresheet.metrics.problem import Problem, Refusal

MAX_ROWS = 1_048_576  # as many as a worksheet has
# What openpyxl raises for a damaged workbook.
_DAMAGED = (AttributeError, LookupError, OSError, SyntaxError, TypeError, ValueError, BadZipFile)
_SAVE_AGAIN = "open the file in Excel or LibreOffice, save it as .xlsx, and run again"
_LEFT_OUT = {
    "hidden": ("hidden-sheet", "the worksheet is hidden, so it is not read"),
    "other": ("chart-sheet", "the sheet is not a worksheet, so it is not read"),
    "": ("empty-sheet", "the worksheet is empty"),
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # xls, and xlsx with a password
_COMMENT = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.S)
# Fixed beginnings make these fast; what they miss, the limits of the process catch.
_REFERENCE = re.compile(rb' r="([A-Z]*)(\d{1,12})')
_HIDDEN_ROW = re.compile(rb'<row\b[^>]* hidden="(?:1|true)"')
_BEHIND = re.compile(rb"""[<:]f[ >/]|\bt=["']e["']""")
_REPEATED_ROW = re.compile(
    rb"""<table:table-row\b[^>]*rows-repeated=["'](\d+)["'][^>]*>(.*?)</table:table-row>""", re.S
)
_REPEATED = re.compile(rb"""(?:columns-repeated|text:c)=["'](\d{1,12})""")

Sheet = tuple[str, str, pd.DataFrame]  # name, why it is left out, cells as text


def read_excel(source: Source, rules: ReadRules) -> FileTables:
    """Return a table for each visible worksheet that has one; the others are in the problems."""
    result = FileTables()
    hidden_rows = _guard(source, rules)
    for name, left_out, grid in _sheets(source, rules, result.problems):
        if left_out or src.blank_rows(grid).all():
            result.problems.append(note(source, *_LEFT_OUT[left_out], "", name))
            continue
        try:
            result.tables[name], _, problems = _table(source, rules, name, grid)
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
        sheets = "; ".join(
            f"{problem.sheet}: {problem.message}" for problem in result.problems[:10]
        )
        raise refusal(source, "empty", f"the workbook has no table to read ({sheets})")
    return result


def _table(
    source: Source, rules: ReadRules, sheet: str, grid: pd.DataFrame
) -> tuple[pd.DataFrame, list[int], list[Problem]]:
    """Return the frame of a worksheet, the positions of its columns, and notes."""
    first = rules.header_row or 1
    filled = np.flatnonzero(~src.blank_rows(grid.iloc[first - 1 :]))
    if not filled.size:
        message = f"there is no row {first} that could be the header"
        raise refusal(source, "header-row", message, sheet=sheet)
    row = first + int(filled[0])
    opening = grid.iloc[row - 1 : row + 20].to_numpy().tolist()
    problems = src.header_notes(source, rules, row, opening, sheet)
    hint = problems[-1].hint if problems else ""
    frame, kept = src.make_frame(source, grid.iloc[row - 1 :], row, sheet, hint)
    return frame, kept, problems


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
    as_it_is: Any = {"header": None, "dtype": object, "keep_default_na": False, "na_filter": False}
    with source.path.open("rb") as file, pd.ExcelFile(file, engine="calamine") as book:
        workbook: Any = book.book  # calamine's own
        for about in workbook.sheets_metadata:
            left_out = ""
            if about.typ != SheetTypeEnum.WorkSheet:
                left_out = "other"
            elif about.visible != SheetVisibleEnum.Visible:
                left_out = "hidden"
            if _is_chosen(about.name, rules):
                grid = (
                    pd.DataFrame()
                    if left_out
                    else pd.read_excel(book, sheet_name=about.name, **as_it_is)
                )
                yield about.name, left_out, grid.map(cell_text)


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
            grid = pd.DataFrame([row + [""] * (width - len(row)) for row in rows], dtype=object)
            yield sheet.title, "" if visible else "hidden", grid


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
        if not part or not any(_BEHIND.search(chunk) for chunk in _chunks(archive, part)):
            return {}
        rules = replace(rules or ReadRules(), sheets=(escape(sheet),), skip_sheets=())
        ((_, _, grid),) = _sheets(source, rules, [])
        _, kept, _ = _table(source, rules, sheet, grid)
        wanted = {f"{get_column_letter(kept[at] + 1)}{row}": (row, at) for row, at in cells}
        found = {}
        try:
            # A DOCTYPE, and with it every entity, was refused when the file was read.
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


def _guard(source: Source, rules: ReadRules) -> set[str]:
    """Refuse what a reader would not survive; return the names of sheets with hidden rows."""
    with source.path.open("rb") as file:
        head = file.read(8)
        if head == _OLE and "EncryptedPackage".encode("utf-16-le") in file.read():
            message = "the workbook is protected by a password"
            raise refusal(source, "unreadable", message, "save it without a password")
    if not head.startswith(b"PK"):
        return set()
    with ZipFile(source.path) as archive:
        if sum(part.file_size for part in archive.infolist()) > src.expanded_limit(source):
            message = "the workbook expands to more than 64 MB and 20 times its size"
            raise refusal(source, "too-large", message)
        for part in archive.namelist():
            if _has_doctype(archive, part):
                raise refusal(source, "unreadable", f"{part} has a DOCTYPE, as no workbook has")
            if part == "content.xml":
                _guard_repeats(source, archive.read(part))
        parts = {n: p for n, p in _worksheet_parts(archive).items() if _is_chosen(n, rules)}
        return {n for n, p in parts.items() if _guard_worksheet(source, n, _chunks(archive, p))}


def _has_doctype(archive: ZipFile, part: str) -> bool:
    head = b""
    for chunk in _chunks(archive, part):
        head = _COMMENT.sub(b"", head + chunk).lstrip(b"\xef\xbb\xbf \t\r\n")
        if head and not head.startswith((b"<!--", b"<?")):
            break
    return head.startswith(b"<!DOCTYPE")


def _guard_worksheet(source: Source, sheet: str, chunks: Iterator[bytes]) -> bool:
    """Refuse a worksheet whose cells span far more than it holds; return if rows are hidden."""
    filled, last_row, letters, hidden = 0, 0, b"A", False
    for chunk in chunks:
        references = _REFERENCE.findall(chunk)
        filled += len(references)
        letters = max({letters} | {column for column, _ in references}, key=lambda c: (len(c), c))
        last_row = max([last_row, *map(int, {row for _, row in references})])
        hidden = hidden or _HIDDEN_ROW.search(chunk) is not None
    last_column = 0
    for letter in letters[:4]:
        last_column = last_column * 26 + letter - 64
    outside = last_row > MAX_ROWS or last_column > src.MAX_COLUMNS
    if outside or last_row * last_column > max(src.MAX_EMPTY_CELLS, 20 * filled):
        message = f"the cells reach to row {last_row:,} and column {last_column:,}; few have values"
        raise refusal(source, "too-large", message, "delete the cells far from the table", sheet)
    return hidden


def _guard_repeats(source: Source, content: bytes) -> None:
    """Refuse an OpenDocument table that repeats rows, cells or blanks far too often."""
    cells = 0
    for times, row in _REPEATED_ROW.findall(content):
        across = sum(map(int, _REPEATED.findall(row))) if b"text:p" in row else 0
        cells = max(cells, int(times[:12]) * max(1, across))
    most = max(map(int, _REPEATED.findall(content)), default=0)
    if most > src.MAX_COLUMNS or cells > src.MAX_EMPTY_CELLS:
        raise refusal(source, "too-large", "a row, a cell or a blank is repeated far too often")


def _chunks(archive: ZipFile, part: str) -> Iterator[bytes]:
    """Yield the bytes of a part in pieces that do not cut a tag."""
    rest = b""
    with archive.open(part) as file:
        while chunk := file.read(2**20):
            whole, bracket, tail = (rest + chunk).rpartition(b"<")
            yield whole
            rest = bracket + tail
    yield rest


def _worksheet_parts(archive: ZipFile) -> dict[str, str]:
    """Return the part of an xlsx archive that holds each sheet; nothing for other archives."""
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    except (KeyError, ElementTree.ParseError):
        return {}
    targets = {link.get("Id"): posixpath.join("/xl", link.get("Target", ""))[1:] for link in links}
    sheets = book.findall("{*}sheets/{*}sheet")
    found = {
        sheet.get("name", ""): targets.get(key, "")
        for sheet in sheets
        for attribute, key in sheet.items()
        if attribute.endswith("}id")
    }
    return {name: part for name, part in found.items() if part in archive.namelist()}
