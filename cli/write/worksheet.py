"""One page to one worksheet: widths, cells, colours."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from scoresheet.cli.report.page import STORED_TOGETHER, Column, Kind, Page
from scoresheet.cli.write.cell_maker import cell_maker
from scoresheet.cli.write.cell_text import element_text
from scoresheet.cli.write.placement import TableSize
from scoresheet.cli.write.sheet import Rule, Sheet
from scoresheet.cli.write.styles import BEST, CELLS, HEADERS, LINK, MIDDLE, TOTALS, WORST, WRAPPED, Style
from scoresheet.cli.write.text_width import text_columns
from scoresheet.metrics.columns import elements
from scoresheet.metrics.measures import Direction

ROW_LIMIT: Final = 1_048_575  # rows below the header

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
_LONGEST_HEADER: Final = 34
LINE: Final = 16  # points
_HEADER: Final = 22
_BLOCK: Final = 100_000  # cells made and put away in one go
_SAMPLE: Final = 300  # rows looked at to choose a width
_LOOKED_AT: Final = 200  # characters of each
_KEPT: Final = 1_024  # ways to colour a column that are known already


def write_page(
    sheet: Sheet, page: Page, targets: Mapping[str, str], wrote: Callable[[int], None] = lambda _: None
) -> TableSize:
    """Write a table with its header frozen and filtered, its cells coloured in the measure's direction."""
    rows = len(page.table)
    body = rows - page.total_rows
    columns = [page.table[column.name] for column in page.columns]
    sample = page.table.cells_of([column.name for column in page.columns], range(min(rows, _SAMPLE)))
    widths = [_width(column, values) for column, values in zip(page.columns, sample, strict=True)]
    sheet.set_height(0, _HEADER)
    for place, (column, width) in enumerate(zip(page.columns, widths, strict=True)):
        sheet.set_column(place, width, CELLS[column.kind], column.kind)
    for place, column in enumerate(page.columns):
        sheet.write_text(0, place, column.name, HEADERS[column.kind])
        for rule in _rules(column) if rows else ():
            if body or rule.tint:
                sheet.add_rule(place, rows, rule)
    if page.chart is None and not page.total_rows and not targets:
        heights = _append_blocks(sheet, page, _blocks(columns, rows, page.table.together), widths, wrote)
    else:
        heights = _heights(page.columns, [list(values) for values in columns], widths)
        _write_cells(sheet, page, columns, heights, targets)
    for place, column in enumerate(page.columns):
        if column.drawn_from and body:
            _draw_sparks(sheet, page, place, column, columns)
    sheet.frozen = True
    if body:
        sheet.filtered = (body, len(page.columns))
    return TableSize(widths, _HEADER, heights)


def _blocks(columns: Sequence[Sequence[Any]], rows: int, together: int = 0) -> Iterator[list[list[Any]]]:
    """Yield the columns of a table some rows at a time; at least once, be it without a row."""
    together = together or max(_BLOCK // max(len(columns), 1), 1)
    for start in range(0, max(rows, 1), together):
        yield [elements(values, start, start + together) for values in columns]


def _append_blocks(
    sheet: Sheet,
    page: Page,
    blocks: Iterable[list[list[Any]]],
    widths: Sequence[float],
    wrote: Callable[[int], None],
) -> list[float]:
    """Write the rows of a page, some at a time, and return their heights."""
    styles = [CELLS[column.kind] for column in page.columns]
    heights: list[float] = []
    for block in blocks if len(page.table) else ():
        own = _heights(page.columns, block, widths)
        sheet.append(block, styles, own)
        heights += own
        wrote(len(own))
    return heights


def _draw_sparks(sheet: Sheet, page: Page, place: int, column: Column, columns: Sequence[Sequence[Any]]) -> None:
    """Draw small bars in each row that has two values or more to draw them from."""
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
        sheet.draw_bars(rows, place, (first, last))


def _write_cells(
    sheet: Sheet,
    page: Page,
    columns: Sequence[Sequence[Any]],
    heights: Sequence[float],
    targets: Mapping[str, str],
) -> None:
    """Write a page cell by cell, some rows at a time: links and totals have a look of their own."""
    body = len(page.table) - page.total_rows
    linked = {row for row, value in enumerate(columns[0][:body], start=1) if value in targets} if targets else set()
    # looks are numbered row by row, texts column by column
    if linked:
        sheet.numbers.of_cells(LINK)
    for column in page.columns if page.total_rows else ():
        sheet.numbers.of_cells(TOTALS[column.kind])
    first = 1
    for block in _blocks(columns, len(page.table), STORED_TOGETHER):
        for place, (column, values) in enumerate(zip(page.columns, block, strict=True)):
            for row, value in enumerate(values, start=first):
                if place == 0 and row in linked:
                    sheet.write_text(row, place, value, LINK)
                    sheet.link(row, place, targets[value], value)
                else:
                    _write_cell(sheet, row, place, value, TOTALS[column.kind] if row > body else CELLS[column.kind])
        sheet.close_rows()
        first += STORED_TOGETHER
    for row, height in enumerate(heights, start=1):
        if height:
            sheet.set_height(row, height)


def _write_cell(sheet: Sheet, row: int, place: int, value: Any, style: Style) -> None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        sheet.write_nothing(row, place, style)
    elif isinstance(value, str):
        sheet.write_text(row, place, value, style)
    elif math.isinf(value):
        sheet.write_text(row, place, "inf" if value > 0 else "-inf", style)
    else:
        sheet.write_number(row, place, value, style)


def _heights(shown: Sequence[Column], columns: Sequence[list[Any]], widths: Sequence[float]) -> list[float]:
    """Return the height each row needs for its wrapped text, 0 for one line; not every program finds it by itself."""
    tallest = [1] * max(map(len, columns), default=0)
    for column, values, width in zip(shown, columns, widths, strict=True):
        if column.kind in WRAPPED:
            cell_maker().raise_lines(tallest, values, width - 1)
    return [LINE * count if count > 1 else 0 for count in tallest]


def _rules(column: Column) -> tuple[Rule, ...]:
    """Return how the cells of a column are coloured."""
    scale = (_colour_scale(column.better, column.lowest, relative=column.relative),) if column.better else ()
    return (*scale, *_text_rules(column.good, column.middling, column.bad))


@lru_cache(_KEPT)
def _text_rules(good: tuple[str, ...], middling: tuple[str, ...], bad: tuple[str, ...]) -> tuple[Rule, ...]:
    tints = ((BEST, good), (MIDDLE, middling), (WORST, bad))
    return tuple(_text_rule(text, tint) for tint, texts in tints for text in texts)


def _text_rule(text: str, tint: str) -> Rule:
    return Rule("cellIs", f' operator="equal"><formula>"{element_text(text)}"</formula>', tint)


@lru_cache(_KEPT, typed=True)  # 0 and 0.0 are not written alike
def _colour_scale(better: Direction, lowest: float, *, relative: bool) -> Rule:
    low, high = (WORST, BEST) if better == "higher" else (BEST, WORST)
    if relative:  # no worst: somebody is always last, by however little
        ends: list[tuple[str, float]] = [("min", 0), ("max", 0)]
        colours = [MIDDLE, BEST] if better == "higher" else [BEST, MIDDLE]
    else:
        ends = [("num", lowest), ("num", (lowest + 1) / 2), ("num", 1)]
        colours = [low, MIDDLE, high]
    made = [*(f'<cfvo type="{kind}" val="{value}"/>' for kind, value in ends)]
    made += [f'<color rgb="FF{colour}"/>' for colour in colours]
    return Rule("colorScale", f"><colorScale>{''.join(made)}</colorScale>")


def _width(column: Column, values: list[Any]) -> float:
    least, most = _WIDTHS[column.kind]
    header = len(column.name) + 5  # bold, and the filter's button
    widest = max(most, min(header, _LONGEST_HEADER))
    width = max(least, header)
    if width >= widest:  # as of most columns of numbers
        return widest
    for text in _different_texts(values):
        if width >= widest:
            break
        width = max(width, text_columns(text[:_LOOKED_AT].partition("\n")[0]) + 2)
    return min(width, widest)


def _different_texts(values: list[Any]) -> Iterator[str]:
    """Yield the texts among some values, the first of them before the others are looked at: it is often wide enough."""
    for value in values[:1]:
        if isinstance(value, str):
            yield value
    if any(issubclass(kind, str) for kind in set(map(type, values))):
        yield from {value for value in values if isinstance(value, str)}
