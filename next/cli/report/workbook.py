"""Workbooks: a front page, a sheet per page, and what they are about."""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import xlsxwriter
import xlsxwriter.exceptions
import xlsxwriter.workbook

from scoresheet.cli.report import front_page
from scoresheet.cli.report.cells import BAR, INK, NOT_XML, Styles, write_table
from scoresheet.cli.report.pages import Book, Column, Page

OWN_SHEETS = ("Summary", "Comparison", "All measures", "By", "Problems", "About", "Chart data")
RESERVED = "History"  # Excel keeps this name for itself
MOST_IN_MEMORY = 2_000_000  # cells; larger workbooks are put together in temporary files


class _QuickZip(ZipFile):
    """A zip file that compresses less, which halves the time of writing a workbook."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{**options, "compresslevel": 1})

    def writestr(self, *args: Any, **options: Any) -> None:
        """Add a member, compressed as all others."""
        super().writestr(*args, **{**options, "compresslevel": 1})


@contextmanager
def _quick_zip() -> Iterator[None]:
    """Let XlsxWriter use the quick zip; a version that does not look here is only slower."""
    original = getattr(xlsxwriter.workbook, "ZipFile", ZipFile)
    xlsxwriter.workbook.ZipFile = _QuickZip
    try:
        yield
    finally:
        xlsxwriter.workbook.ZipFile = original


def write_workbook(book: Book, path: Path, *, scratch: Path | None = None) -> dict[str, str]:
    """Write a workbook and return the sheet names that differ from the titles of their pages.

    The same book gives the same bytes. Large books use temporary files in `scratch`.
    """
    cells = sum(len(page.frame) * len(page.columns) for page in book.pages)
    options = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
    place = {"in_memory": cells <= MOST_IN_MEMORY, "tmpdir": str(scratch) if scratch else None}
    default = {"default_format_properties": {"font_color": INK}}
    file = xlsxwriter.Workbook(str(path), {**options, **place, **default})
    file.set_properties({"created": datetime(2000, 1, 1)})  # a real date would change the bytes
    styles = cache(lambda **properties: file.add_format(properties))  # equal formats only once
    names = sheet_names(book)
    renamed = {p.title: n for p, n in zip(book.pages, names, strict=True) if p.title != n}
    if book.front:
        front_page.write_front_page(file, file.add_worksheet("Summary"), book.front, styles)
    for page, name in zip(book.pages, names, strict=True):
        _write_page(file.add_worksheet(name), page, styles)
    if book.about:
        _write_page(file.add_worksheet("About"), _about(book, renamed), styles)
    if book.front and book.front.chart and front_page.has_chart(book.front):
        sheet = file.add_worksheet(front_page.CHART_DATA)
        front_page.write_chart_data(sheet, book.front.chart, styles)
    try:
        with _quick_zip():
            file.close()
    except xlsxwriter.exceptions.FileCreateError as error:
        raise error.args[0] from None  # the OSError that XlsxWriter wrapped
    return renamed


def sheet_names(book: Book) -> list[str]:
    """Return the sheet name of each page: allowed by Excel, unique, and none of our own names.

    Our own pages choose first, so that only input sheets are renamed.
    """
    ours = {"Summary": book.front, "About": book.about, "Chart data": book.front}
    taken = {_compared(name) for name, used in {**ours, RESERVED: True}.items() if used}
    names = [""] * len(book.pages)
    for of_input in (False, True):
        taken |= {_compared(name) for name in OWN_SHEETS} if of_input else set()
        for position, page in enumerate(book.pages):
            if page.input_sheet == of_input:
                names[position] = _free_name(page.title, taken)
                taken.add(_compared(names[position]))
    return names


def _free_name(title: str, taken: set[str]) -> str:
    base = re.sub(r"[\[\]:*?/\\]", "_", NOT_XML.sub("_", title)).strip() or "Sheet"
    number, suffix = 1, ""
    while True:
        # Excel counts UTF-16 units, and allows no quote at either end.
        units = base.encode("utf-16-le")[: 2 * (31 - len(suffix))]
        name = re.sub("^'|'$", "_", units.decode("utf-16-le", "ignore") + suffix)
        if _compared(name) not in taken:
            return name
        number += 1
        suffix = f" ({number})"


def _compared(name: str) -> str:
    """Return what Excel compares of a name: it ignores case, and sometimes width."""
    return unicodedata.normalize("NFKC", name).casefold()


def _about(book: Book, renamed: dict[str, str]) -> Page:
    rows = [*book.about]
    rows += [(f"Sheet {name}", f"named {title} in the input") for title, name in renamed.items()]
    columns = (Column("Item", "Item", role="key"), Column("Text", "Text", role="text", width=110))
    return Page("About", pd.DataFrame(rows, columns=["Item", "Text"], dtype=object), columns)


def _write_page(sheet: Any, page: Page, styles: Styles) -> None:
    write_table(sheet, page, styles)
    rows = len(page.frame)
    for position, column in enumerate(page.columns):
        if column.headline and column.bounds and rows:
            low, high = column.bounds
            bar = {"type": "data_bar", "bar_solid": True, "bar_color": BAR, "bar_no_border": True}
            ends = {"min_type": "num", "max_type": "num", "min_value": low, "max_value": high}
            sheet.conditional_format(1, position, rows, position, {**bar, **ends})
    sheet.freeze_panes(1, 1 if page.columns[0].role == "key" else 0)
    if page.title != "About":
        sheet.autofilter(0, 0, rows, len(page.columns) - 1)
    sheet.repeat_rows(0)
    front_page.set_up_print(sheet)
