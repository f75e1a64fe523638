"""Where a page's sentence and charts stand on its worksheet, so that paper cuts none of them in two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from scoresheet.cli.report.page import LineChart, Page
from scoresheet.cli.write.cell_text import fit_cell
from scoresheet.cli.write.charts import CHART_WIDTH, LINES_SIZE, Charts, Drawing
from scoresheet.cli.write.drawing import DEFAULT_ROW, Frame, Picture, TextBox
from scoresheet.cli.write.print_layout import PrintLayout, print_layout, set_up_print
from scoresheet.cli.write.sheet import Sheet
from scoresheet.metrics.records import dataclass

_BELOW: Final = 25  # up to this many rows the charts stand below the table, else beside it
_GAP: Final = 20  # pixels between what is drawn
_EDGE: Final = 4  # pixels by which it keeps off the edge of its page, or its frame would be seen on the next one too
_SENTENCE_LETTERS: Final = 85  # that a line of the sentence has room for
_POINTS: Final = 0.75  # of a pixel


@dataclass(frozen=True)
class TableSize:
    """How wide the columns of a written table are, in characters, and how high its rows, in points; 0: one line."""

    widths: Sequence[float]
    header: float
    heights: Sequence[float]

    def row_at(self, y: float) -> tuple[int, float]:
        """Return the first row that begins at a height of so many pixels or below, and where that is."""
        top = 0.0
        for row, height in enumerate((self.header, *self.heights)):
            if top >= y:
                return row, top
            top += height / _POINTS or DEFAULT_ROW
        below = max(0, math.ceil((y - top) / DEFAULT_ROW))
        return 1 + len(self.heights) + below, top + below * DEFAULT_ROW

    @property
    def bottom(self) -> float:
        """Where the table ends, in pixels."""
        return sum(height / _POINTS or DEFAULT_ROW for height in (self.header, *self.heights))


def lay_out(sheet: Sheet, page: Page, size: TableSize, charts: Charts | None, title: str) -> None:
    """Add what a page has besides its table, and set up how it is printed."""
    if charts is None or (page.chart is None and not page.sentence):
        set_up_print(sheet, print_layout(page.columns, size.widths), title)
        return
    beside = len(page.table) - page.total_rows > _BELOW
    widest = LINES_SIZE[0] if isinstance(page.chart, LineChart) and not page.sentence else CHART_WIDTH
    layout = print_layout(page.columns, size.widths, widest + _GAP, beside=beside)
    if layout.room < widest:  # the table's first page is too narrow for it
        beside = True
        layout = print_layout(page.columns, size.widths, widest + _GAP, beside=beside)
    header = size.header / _POINTS
    tall = _sentence_height(page)
    drawings = list(charts.of_page(page, layout.height - header - 2 * _GAP - (tall + _GAP if tall else 0)))
    breaks = _place(sheet, page, size, drawings, layout, beside=beside)
    set_up_print(sheet, layout, title, breaks, beside=beside)


def _place(
    sheet: Sheet, page: Page, size: TableSize, drawings: Sequence[Drawing], layout: PrintLayout, *, beside: bool
) -> list[int]:
    """Insert the sentence and the charts, side by side as far as a page is wide; return the rows that begin a page."""
    column = layout.drawn_from
    header = size.header / _POINTS
    first, top = size.row_at(header if beside else size.bottom + _GAP)
    page_top = 0.0  # of the paper that is being filled
    breaks = []
    if top > layout.height and not beside:  # where the table's last page ends is the printer's to say
        breaks, page_top = [first], top - header
    tall = _sentence_height(page)
    lines = _lines_of_charts(drawings, layout.room)
    height = max((drawing.height for drawing in lines[0]), default=0) if lines else 0
    if tall:
        if top + tall + _GAP + height - page_top > layout.height and first not in breaks:
            breaks, page_top = [*breaks, first], top - header
        _add_sentence(sheet, page, first, column, tall)
        first, top = size.row_at(top + tall + _GAP)
    for line in lines:
        height = max(drawing.height for drawing in line)
        if top + height - page_top > layout.height and first not in breaks and top - page_top > header:
            breaks, page_top = [*breaks, first], top - header
        x = _EDGE if column else 0
        for drawing in line:
            frame = Frame(first, column, x, _EDGE, drawing.width, drawing.height)
            sheet.drawn.append(Picture(frame, drawing.chart))
            x += drawing.width + _GAP
        first, top = size.row_at(top + height + _GAP)
    return breaks


def _lines_of_charts(drawings: Sequence[Drawing], width: float) -> list[list[Drawing]]:
    """Return the charts in lines that are no wider than a page."""
    lines: list[list[Drawing]] = []
    for drawing in drawings:
        room = width - sum(other.width + _GAP for other in lines[-1]) if lines else 0.0
        if drawing.width + _GAP <= room:
            lines[-1].append(drawing)
        else:
            lines.append([drawing])
    return lines


def _sentence_height(page: Page) -> int:
    """Return how high the box of the page's sentence is, in pixels."""
    return DEFAULT_ROW * (math.ceil(len(page.sentence) / _SENTENCE_LETTERS) + 2) if page.sentence else 0


def _add_sentence(sheet: Sheet, page: Page, row: int, column: int, height: int) -> None:
    """Write the page's sentence; in a box, since a cell would be a row of the table."""
    frame = Frame(row, column, _EDGE if column else 0, _EDGE, CHART_WIDTH, height)
    sheet.drawn.append(TextBox(frame, fit_cell(page.sentence)))
