"""One page to one worksheet: styles, widths, cells."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook as Book
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.write.text import fitting
from scoresheet.metrics.core import Column, Kind, Page

ROW_LIMIT: Final = 1_048_575  # rows below the header

_NUMBER_FORMATS: Final[dict[Kind, str]] = {"score": "0.000", "share": "0.0%", "count": "#,##0"}
_WIDTHS: Final[dict[Kind, tuple[int, int]]] = {  # least and most, in characters
    "key": (12, 40),
    "text": (12, 60),
    "label": (9, 24),
    "score": (10, 18),
    "share": (10, 18),
    "count": (8, 14),
}
_WORST, _MIDDLE, _BEST = "#F6C1B3", "#FFF6D6", "#B5DDB0"
_SAMPLE: Final = 300  # rows looked at to choose a width


class Styles:
    """The formats of one workbook."""

    def __init__(self, book: Book) -> None:
        base = {"valign": "top", "font_name": "Calibri", "font_size": 11}
        self.header = book.add_format(
            base
            | {"bold": True, "font_color": "#FFFFFF", "bg_color": "#2F4B66", "valign": "vcenter", "text_wrap": True}
        )
        self.cells: dict[Kind, Format] = {}
        self.totals: dict[Kind, Format] = {}
        for kind in _WIDTHS:
            shape: dict[str, Any] = base | {"num_format": _NUMBER_FORMATS.get(kind, "General")}
            if kind in ("text", "key"):
                shape |= {"text_wrap": True}
            self.cells[kind] = book.add_format(shape)
            self.totals[kind] = book.add_format(shape | {"bold": True, "top": 1, "bg_color": "#EDF1F5"})
        self.link = book.add_format(base | {"font_color": "#1155CC", "underline": 1, "text_wrap": True})
        self.heading = book.add_format(base | {"bold": True, "font_size": 13, "font_color": "#2F4B66"})
        self.name = book.add_format(base | {"bold": True, "text_wrap": True})
        self.wrapped = self.cells["text"]


def write_page(sheet: Worksheet, page: Page, styles: Styles, targets: Mapping[str, str]) -> None:
    """Write a table with its header frozen and filtered, its cells coloured in the measure's direction."""
    rows = len(page.table)
    body = rows - 1 if page.total_row else rows
    columns = [page.table[column.name].tolist() for column in page.columns]
    sheet.set_row(0, 22)
    for place, (column, values) in enumerate(zip(page.columns, columns, strict=True)):
        sheet.set_column(place, place, _width(column, values), styles.cells[column.kind])
        sheet.write_string(0, place, column.name, styles.header)
        if column.about:
            sheet.write_comment(0, place, column.about, {"x_scale": 2, "font_size": 9})
        _write_column(sheet, place, values[:body], None)
        if page.total_row and rows:
            _write_cell(sheet, rows, place, values[-1], styles.totals[column.kind])
        if column.better and body:
            sheet.conditional_format(1, place, rows, place, _colour_scale(column))
    sheet.freeze_panes(1, 1)
    if body and page.columns:
        sheet.autofilter(0, 0, body, len(page.columns) - 1)
    if targets and columns:
        for row, value in enumerate(columns[0][:body], start=1):
            if value in targets:
                sheet.write_url(row, 0, targets[value], styles.link, string=fitting(value))
    _print_setup(sheet)


def _write_column(sheet: Worksheet, place: int, values: Sequence[Any], style: Format | None) -> None:
    """Write the cells of a column; the column's own format serves them all, which is half the work of one each."""
    write_string, write_number = sheet.write_string, sheet.write_number
    for row, value in enumerate(values, start=1):
        if isinstance(value, str):
            if value:
                write_string(row, place, fitting(value), style)
        elif value is not None and math.isfinite(value):
            write_number(row, place, value, style)
        else:
            _write_cell(sheet, row, place, value, style)


def _write_cell(sheet: Worksheet, row: int, place: int, value: Any, style: Format | None) -> None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        if style is not None:
            sheet.write_blank(row, place, None, style)
    elif isinstance(value, str):
        sheet.write_string(row, place, fitting(value), style)
    elif math.isinf(value):
        sheet.write_string(row, place, "inf" if value > 0 else "-inf", style)
    else:
        sheet.write_number(row, place, value, style)


def _colour_scale(column: Column) -> dict[str, Any]:
    low, high = (_WORST, _BEST) if column.better == "higher" else (_BEST, _WORST)
    return {
        "type": "3_color_scale",
        "min_type": "num",
        "min_value": 0,
        "mid_type": "num",
        "mid_value": 0.5,
        "max_type": "num",
        "max_value": 1,
        "min_color": low,
        "mid_color": _MIDDLE,
        "max_color": high,
    }


def _width(column: Column, values: Sequence[Any]) -> float:
    least, most = _WIDTHS[column.kind]
    longest = max((_columns(value) for value in islice(values, _SAMPLE) if isinstance(value, str)), default=0)
    return min(max(least, len(column.name) + 4, longest + 2), most)  # + 4: the filter's button


def _columns(text: str) -> int:
    """Return how many columns the longest line takes; East Asian characters take two."""
    first = text[:200].partition("\n")[0]
    if first.isascii():
        return len(first)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in first)


def _print_setup(sheet: Worksheet) -> None:
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)
    sheet.hide_gridlines(1)
