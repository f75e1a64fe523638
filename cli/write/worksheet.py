"""One page to one worksheet: styles, widths, cells."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook as Book
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.report.page import Column, Kind, Page
from scoresheet.cli.write.cell_maker import cell_maker
from scoresheet.cli.write.cell_text import fit_cell
from scoresheet.cli.write.fast_worksheet import FastSheet
from scoresheet.cli.write.placement import TableSize
from scoresheet.cli.write.text_width import text_columns
from scoresheet.metrics.columns import elements

ROW_LIMIT: Final = 1_048_575  # rows below the header

_NUMBER_FORMATS: Final[dict[Kind, str]] = {
    "score": "0.000",
    "share": "0.0%",
    "chance": '[<0.001]"< 0.001";0.000',  # a p-value is never 0
    "count": "#,##0",
}
_WIDTHS: Final[dict[Kind, tuple[int, int]]] = {  # least and most, in characters
    "key": (12, 40),
    "text": (12, 52),
    "label": (9, 24),
    "score": (10, 18),
    "share": (10, 18),
    "chance": (10, 18),
    "count": (8, 14),
    "spark": (22, 22),
}
_WRAPPED: Final = ("text", "key", "label")
_CENTRED: Final = ("label", "score", "share", "chance", "count")
_LONGEST_HEADER: Final = 34
LINE: Final = 16  # points
_HEADER: Final = 22
_WORST, _MIDDLE, _BEST = "#F6C1B3", "#FFF6D6", "#B5DDB0"
_BLOCK: Final = 100_000  # cells made and put away in one go
_SAMPLE: Final = 300  # rows looked at to choose a width
_LOOKED_AT: Final = 200  # characters of each


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
            shape |= {"text_wrap": True} if kind in _WRAPPED else {}
            shape |= {"align": "center"} if kind in _CENTRED else {}
            self.headers[kind] = book.add_format(shape | header)
            self.cells[kind] = book.add_format(shape)
            self.totals[kind] = book.add_format(shape | {"bold": True, "top": 1, "bg_color": "#EDF1F5"})
        self.tints = {
            name: book.add_format({"bg_color": colour})
            for name, colour in (("good", _BEST), ("middling", _MIDDLE), ("bad", _WORST))
        }
        self.link = book.add_format(base | {"font_color": "#1155CC", "underline": 1, "text_wrap": True})
        self.heading = book.add_format(base | {"bold": True, "font_size": 13, "font_color": "#2F4B66"})
        self.name = book.add_format(base | {"bold": True, "text_wrap": True})
        self.wrapped = self.cells["text"]


def write_page(
    sheet: FastSheet,
    page: Page,
    styles: Styles,
    targets: Mapping[str, str],
    wrote: Callable[[int], None] = lambda _: None,
) -> TableSize:
    """Write a table with its header frozen and filtered, its cells coloured in the measure's direction."""
    rows = len(page.table)
    body = rows - page.total_rows
    columns = [page.table[column.name] for column in page.columns]
    blocks = _blocks(columns, rows)
    first = next(blocks)
    widths = [_width(column, values) for column, values in zip(page.columns, first, strict=True)]
    sheet.set_row(0, _HEADER)
    for place, (column, width) in enumerate(zip(page.columns, widths, strict=True)):
        sheet.set_column(place, place, width, styles.cells[column.kind])
        sheet.write_string(0, place, fit_cell(column.name), styles.headers[column.kind])
        if column.better and body:
            sheet.conditional_format(1, place, rows, place, _colour_scale(column))
        for name, texts in (("good", column.good), ("middling", column.middling), ("bad", column.bad)):
            for text in texts if rows else ():
                rule = {"type": "cell", "criteria": "==", "value": f'"{text}"', "format": styles.tints[name]}
                sheet.conditional_format(1, place, rows, place, rule)
    if page.chart is None and not page.total_rows and not targets:
        sheet.number_formats()
        heights = _append_blocks(sheet, page, chain([first], blocks), widths, styles, wrote)
    else:
        heights = _heights(page.columns, [list(values) for values in columns], widths)
        _write_cells(sheet, page, columns, heights, styles, targets)
        sheet.number_formats()
    for place, column in enumerate(page.columns):
        if column.drawn_from and body:
            _draw_sparks(sheet, page, place, column, columns)
    sheet.freeze_panes(1, 1)
    if body:
        sheet.autofilter(0, 0, body, len(page.columns) - 1)
    return TableSize(widths, _HEADER, heights)


def _blocks(columns: Sequence[Sequence[Any]], rows: int) -> Iterator[list[list[Any]]]:
    """Yield the columns of a table some rows at a time; at least once, be it without a row."""
    together = max(_BLOCK // max(len(columns), 1), 1)
    for start in range(0, max(rows, 1), together):
        yield [elements(values, start, start + together) for values in columns]


def _append_blocks(
    sheet: FastSheet,
    page: Page,
    blocks: Iterable[list[list[Any]]],
    widths: Sequence[float],
    styles: Styles,
    wrote: Callable[[int], None],
) -> list[float]:
    """Write the rows of a page, some at a time, and return their heights."""
    formats = [styles.cells[column.kind] for column in page.columns]
    heights: list[float] = []
    for block in blocks if len(page.table) else ():
        own = _heights(page.columns, block, widths)
        sheet.append(block, formats, own)
        heights += own
        wrote(len(own))
    return heights


def _draw_sparks(sheet: FastSheet, page: Page, place: int, column: Column, columns: Sequence[Sequence[Any]]) -> None:
    """Draw small bars in each row that has two values or more to draw them from, all on one scale."""
    names = [each.name for each in page.columns]
    first, last = names.index(column.drawn_from[0]), names.index(column.drawn_from[-1])
    rows = array(
        "l",
        (
            row
            for row, values in enumerate(zip(*columns[first : last + 1], strict=True), start=1)
            if sum(value is not None and value == value for value in values) > 1  # noqa: PLR0124 - NaN
        ),
    )
    if rows:
        sheet.draw_bars(
            rows,
            place,
            (first, last),
            {
                "type": "column",  # lines are not drawn by every program
                "min": 0,
                "max": "group",
                "low_point": True,
                "series_color": "#2F4B66",
                "low_color": "#C0504D",
            },
        )


def _write_cells(
    sheet: Worksheet,
    page: Page,
    columns: Sequence[Sequence[Any]],
    heights: Sequence[float],
    styles: Styles,
    targets: Mapping[str, str],
) -> None:
    """Write a small page cell by cell: a chart needs them known to the library, links and totals their own style."""
    body = len(page.table) - page.total_rows
    for place, (column, values) in enumerate(zip(page.columns, columns, strict=True)):
        for row, value in enumerate(values, start=1):
            style = styles.totals[column.kind] if row > body else styles.cells[column.kind]
            if place == 0 and row <= body and value in targets:
                sheet.write_url(row, place, targets[value], styles.link, string=fit_cell(value))
            else:
                _write_cell(sheet, row, place, value, style)
    for row, height in enumerate(heights, start=1):
        if height:
            sheet.set_row(row, height)


def _write_cell(sheet: Worksheet, row: int, place: int, value: Any, style: Format) -> None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        sheet.write_blank(row, place, None, style)
    elif isinstance(value, str):
        sheet.write_string(row, place, fit_cell(value), style)
    elif math.isinf(value):
        sheet.write_string(row, place, "inf" if value > 0 else "-inf", style)
    else:
        sheet.write_number(row, place, value, style)


def _heights(shown: Sequence[Column], columns: Sequence[list[Any]], widths: Sequence[float]) -> list[float]:
    """Return the height each row needs for its wrapped text, 0 for one line; not every program finds it by itself."""
    tallest = [1] * max(map(len, columns), default=0)
    for column, values, width in zip(shown, columns, widths, strict=True):
        if column.kind in _WRAPPED:
            cell_maker().raise_lines(tallest, values, width - 1)
    return [LINE * count if count > 1 else 0 for count in tallest]


def _colour_scale(column: Column) -> dict[str, Any]:
    low, high = (_WORST, _BEST) if column.better == "higher" else (_BEST, _WORST)
    if column.relative:  # no worst: somebody is always last, by however little
        ends = (_MIDDLE, _BEST) if column.better == "higher" else (_BEST, _MIDDLE)
        return {"type": "2_color_scale", "min_color": ends[0], "max_color": ends[1]}
    return {
        "type": "3_color_scale",
        "min_type": "num",
        "min_value": column.lowest,
        "mid_type": "num",
        "mid_value": (column.lowest + 1) / 2,
        "max_type": "num",
        "max_value": 1,
        "min_color": low,
        "mid_color": _MIDDLE,
        "max_color": high,
    }


def _width(column: Column, values: list[Any]) -> float:
    least, most = _WIDTHS[column.kind]
    header = len(column.name) + 5  # bold, and the filter's button
    widest = max(most, min(header, _LONGEST_HEADER))
    width = max(least, header)
    for text in _different_texts(values[:_SAMPLE]):
        if width >= widest:
            break
        width = max(width, text_columns(text[:_LOOKED_AT].partition("\n")[0]) + 2)
    return min(width, widest)


def _different_texts(values: list[Any]) -> Iterator[str]:
    """Yield the texts among some values, the first of them before the others are looked at: it is often wide enough."""
    for value in values[:1]:
        if isinstance(value, str):
            yield value
    yield from {value for value in values if isinstance(value, str)}
