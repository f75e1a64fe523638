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
    "text": (12, 52),
    "label": (9, 24),
    "score": (10, 18),
    "share": (10, 18),
    "count": (8, 14),
}
_WRAPPED: Final = ("text", "key")
_LONGEST_HEADER: Final = 34
LINE: Final = 16  # points
_MOST_LINES: Final = 8  # a long answer is read in its cell; taller rows would hide its neighbours
_WORST, _MIDDLE, _BEST = "#F6C1B3", "#FFF6D6", "#B5DDB0"
_SAMPLE: Final = 300  # rows looked at to choose a width


class Styles:
    """The formats of one workbook."""

    def __init__(self, book: Book) -> None:
        base = {"valign": "top", "font_name": "Calibri", "font_size": 11}
        header = {"bold": True, "font_color": "#FFFFFF", "bg_color": "#2F4B66", "valign": "vcenter"}
        self.headers: dict[Kind, Format] = {}
        self.cells: dict[Kind, Format] = {}
        self.totals: dict[Kind, Format] = {}
        for kind in _WIDTHS:
            shape: dict[str, Any] = base | {"num_format": _NUMBER_FORMATS.get(kind, "General")}
            shape |= {"text_wrap": True} if kind in _WRAPPED else {"align": "center"}
            self.headers[kind] = book.add_format(shape | header)
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
        sheet.write_string(0, place, column.name, styles.headers[column.kind])
        if column.about:
            sheet.write_comment(0, place, column.about, {"x_scale": 2, "font_size": 9})
        _write_column(sheet, place, values[:body], None)
        if page.total_row and rows:
            _write_cell(sheet, rows, place, values[-1], styles.totals[column.kind])
        if column.better and body:
            sheet.conditional_format(1, place, rows, place, _colour_scale(column))
    _set_heights(sheet, page.columns, columns)
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


def _set_heights(sheet: Worksheet, shown: Sequence[Column], columns: Sequence[Sequence[Any]]) -> None:
    """Give rows with wrapped text the height it needs; not every program does so by itself."""
    wrapped = [
        [lines(value, width) for value in values]
        for column, values in zip(shown, columns, strict=True)
        if column.kind in _WRAPPED
        for width in [_width(column, values) - 1]
    ]
    for row, tallest in enumerate(map(max, zip(*wrapped, strict=True)), start=1):
        if tallest > 1:
            sheet.set_row(row, LINE * min(tallest, _MOST_LINES))


def lines(value: Any, width: float) -> int:
    """Return how many lines a text takes in a cell of this width."""
    if not isinstance(value, str):
        return 1
    if "\n" in value:
        return sum(lines(line, width) for line in value.split("\n", _MOST_LINES))
    # UTF-8 takes three bytes for a character that is two columns wide: a cheap and close measure
    columns = len(value) if value.isascii() else (len(value) + len(value.encode("utf-8", "replace"))) / 2
    return max(1, math.ceil(columns / width))


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
    header = len(column.name) + 5  # bold, and the filter's button
    return min(max(least, header, longest + 2), max(most, min(header, _LONGEST_HEADER)))


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
