"""Workbooks: a front page with its chart, a sheet per page, and what they are about."""

import io
import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import xlsxwriter
from rich.cells import cell_len

from scoresheet.cli.report import Book, Chart, Column, Page, cells
from scoresheet.cli.report.charts import scale_of
from scoresheet.cli.report.text import MINUS, PERCENT, cut_middle, show, unbroken, wrap

CHART_DATA = "Chart data"
TAKEN = ("Summary", "About", CHART_DATA, "History")  # Excel keeps the last name for itself
OWN_SHEETS = ("Comparison", "All measures", "By", "Problems")
HEADER_ROW, MARGIN = 5, 1  # of the front page, whose column A is empty
WIDEST_CHART = 760  # pixels
ACCENT, ANSWER_FILL, BAR, GRID = "#1F5F8B", "#EEF4F8", "#D3E2ED", "#E6E3DC"

# What XML cannot hold. In cells XlsxWriter escapes it.
_NOT_XML = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")


def write_workbook(book: Book, path: Path) -> None:
    """Write a workbook; the same book gives the same bytes."""
    draft = io.BytesIO()
    options = {"in_memory": True, "default_format_properties": {"font_color": cells.INK}}
    file = xlsxwriter.Workbook(draft, options)
    file.set_properties({"created": datetime(2000, 1, 1)})  # a real date would change the bytes
    styles = cache(lambda **properties: file.add_format(properties))  # equal formats only once
    names = sheet_names(book.pages)
    _write_front_page(file, file.add_worksheet("Summary"), book, styles)
    pages = [*book.pages, _about(book, names)]
    for page, name in zip(pages, [*names, "About"], strict=True):
        _write_page(file.add_worksheet(name), page, styles)
    if book.chart:
        _write_chart_data(file.add_worksheet(CHART_DATA), book.chart, styles)
    file.close()
    parts = {f"xl/worksheets/sheet{number}.xml": page for number, page in enumerate(pages, 2)}
    cells.write_with_rows(draft, path, parts)


def sheet_names(pages: Sequence[Page]) -> list[str]:
    """Return the sheet name of each page: allowed by Excel, unique, and none of our own names.

    Our own pages choose first, so that only input sheets are renamed.
    """
    names, taken = [""] * len(pages), set(map(_compared, TAKEN))
    for position, page in sorted(enumerate(pages), key=lambda place: place[1].input_sheet):
        if page.input_sheet:
            taken |= set(map(_compared, OWN_SHEETS))
        base = re.sub(r"[\[\]:*?/\\]", "_", _NOT_XML.sub("_", page.title)).strip() or "Sheet"
        for suffix in ("", *(f" ({number})" for number in range(2, len(pages) + 99))):
            # Excel counts UTF-16 units, and allows no quote at either end.
            units = base.encode("utf-16-le")[: 2 * (31 - len(suffix))]
            name = re.sub("^'|'$", "_", units.decode("utf-16-le", "ignore") + suffix)
            if _compared(name) not in taken:
                break
        names[position] = name
        taken.add(_compared(name))
    return names


def _compared(name: str) -> str:
    """Return what Excel compares of a name: it ignores case, and sometimes width."""
    return unicodedata.normalize("NFKC", name).casefold()


def _about(book: Book, names: Sequence[str]) -> Page:
    sheets = zip(book.pages, names, strict=True)
    renamed = [(f"Sheet {n}", f"named {p.title} in the input") for p, n in sheets if p.title != n]
    columns = (Column("Item", "Item", role="key"), Column("Text", "Text", role="text", width=110))
    frame = pd.DataFrame([*book.about, *renamed], columns=["Item", "Text"], dtype=object)
    return Page("About", frame, columns)


def _write_page(sheet: Any, page: Page, styles: Any) -> None:
    """Write a page but for its rows, of which there is a sample for each tone."""
    _write_header(sheet, page, styles)
    rows = len(page.frame)
    for col, column in enumerate(page.columns):
        _, look = cells.looks(column, first=col == 0, front=False)
        for row, tone in enumerate(cells.TONES.values(), 1):
            sheet.write_blank(row, col, None, styles(**look | tone))
    for col, column in enumerate(page.columns):
        if column.headline and column.bounds and rows:
            low, high = column.bounds
            bar = {"type": "data_bar", "bar_solid": True, "bar_color": BAR, "bar_no_border": True}
            ends = {"min_type": "num", "max_type": "num", "min_value": low, "max_value": high}
            sheet.conditional_format(1, col, rows, col, {**bar, **ends})
    sheet.freeze_panes(1, 1)
    if page.title != "About":
        sheet.autofilter(0, 0, rows, len(page.columns) - 1)
    sheet.repeat_rows(0)
    _set_up_print(sheet)


def _write_header(
    sheet: Any, page: Page, styles: Any, *, row: int = 0, left: int = 0, front: bool = False
) -> list[float]:
    """Write the header of a page, set the widths of its columns and return them."""
    widths = [cells.column_width(c, page.frame[c.name].tolist(), front=front) for c in page.columns]
    for col, (column, width) in enumerate(zip(page.columns, widths, strict=True), left):
        sheet.set_column(col, col, width)
        header, _ = cells.looks(column, first=col == left, front=front)
        _write_value(sheet, row, col, column.label, styles(**header))
    # Bold letters are wider: the last character and a half of a header does not fit.
    lines = [
        cells.text_lines(c.label, max(w - 1.5, 1))
        for c, w in zip(page.columns, widths, strict=True)
    ]
    sheet.set_row(row, 15 * max(lines) + 4)
    return widths


def _write_value(sheet: Any, row: int, col: int, value: Any, style: Any) -> None:
    """Write a number or a text, which is never a formula, a link or markup."""
    value = cells.cell_value(value)
    if isinstance(value, float):
        sheet.write_number(row, col, value, style)
    elif not value:
        sheet.write_blank(row, col, None, style)
    elif value.startswith("<r>") and value.endswith("</r>"):
        # XlsxWriter copies a string of this shape into the file as XML. In parts it escapes it.
        sheet.write_rich_string(row, col, value[:1], value[1:3], value[3:], style)
    else:
        sheet.write_string(row, col, value, style)


def _set_up_print(sheet: Any) -> None:
    """Print a sheet on A4 landscape, one page wide, with file, sheet and page in the footer."""
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer("&L&9&F · &A&R&9&P of &N")


def _write_front_page(file: Any, sheet: Any, book: Book, styles: Any) -> None:
    widths = _write_header(sheet, book.table, styles, row=HEADER_ROW, left=MARGIN, front=True)
    for col, column in enumerate(book.table.columns, MARGIN):
        _, look = cells.looks(column, first=col == MARGIN, front=True)
        for row, value in enumerate(book.table.frame[column.name]):
            tone = cells.TONES[book.table.tones.get((row, column.name))]
            _write_value(sheet, HEADER_ROW + 1 + row, col, value, styles(**look | tone))
            sheet.set_row(HEADER_ROW + 1 + row, 20)
    while sum(widths) < 90:  # the answer needs room where the table has few columns
        widths.append(12)
        sheet.set_column(len(widths), len(widths), 12)
    for row, height in ((0, 28), (2, 9), (4, 9)):
        sheet.set_row(row, height)
    sheet.set_column(0, 0, 1.6)
    _write_value(sheet, 0, MARGIN, book.title, styles(bold=True, font_size=18))
    _write_value(sheet, 1, MARGIN, book.counts, styles(font_size=10, font_color=cells.SOFT))
    look = {"font_size": 12, "text_wrap": True, "valign": "vcenter", "indent": 1}
    box = styles(**look, bg_color=ANSWER_FILL, left=5, left_color=ACCENT)
    # Excel breaks an interval after its dash, so lines are broken here.
    letters = round(sum(widths) * 1.02)
    lines = [line for text in book.answer for line in wrap(unbroken(text, MINUS), letters)]
    row = HEADER_ROW + len(book.table.frame) + 2
    if book.chart:
        row += math.ceil(_insert_chart(file, sheet, row, book.chart, sum(widths)) / 20)
    soft = styles(font_size=10, font_color=cells.SOFT, text_wrap=True, valign="top")
    paragraphs = [(3, "\n".join(lines), box, 16 * len(lines) + 14)]
    for place, remark in enumerate(book.remarks, row):
        paragraphs.append((place, remark, soft, 14 * cells.text_lines(remark, letters * 1.2) + 2))
    for place, text, style, height in paragraphs:
        sheet.merge_range(place, MARGIN, place, len(widths), "", style)
        _write_value(sheet, place, MARGIN, text, style)
        sheet.set_row(place, height)
    _set_up_print(sheet)


def _write_chart_data(sheet: Any, chart: Chart, styles: Any) -> None:
    """Write what the chart shows to a hidden sheet: names, values, whiskers, positions."""
    for col, label in enumerate((chart.title, "Value", "Below", "Above", "Position", "Left edge")):
        _write_value(sheet, 0, col, label, styles())
    for row, (name, value, low, high) in enumerate(chart.rows, 1):
        whiskers = [end if math.isfinite(end) else 0.0 for end in (value - low, high - value)]
        position = len(chart.rows) - row + 1
        _write_value(sheet, row, 0, name, styles())
        for col, number in enumerate((value, *whiskers, position, scale_of(chart).low), 1):
            sheet.write_number(row, col, number)
    sheet.hide()


def _insert_chart(file: Any, sheet: Any, row: int, chart: Chart, width: float) -> int:
    """Insert the chart and return its height in pixels."""
    count = len(chart.rows)
    pixels, height = min(WIDEST_CHART, round(width * 7)), 88 + 40 * count
    names = [cut_middle(_label(name), 20) for name, *_ in chart.rows]
    values = [show(value, chart.format, minus=MINUS) for _, value, *_ in chart.rows]
    scale = scale_of(chart)
    drawing = file.add_chart({"type": "scatter"})
    colour = {"color": ACCENT}
    whiskers = {
        f"{side}_values": f"='{CHART_DATA}'!${col}$2:${col}${count + 1}"
        for side, col in (("minus", "C"), ("plus", "D"))
    }
    bars = {"type": "custom", **whiskers, "end_style": 0, "line": {**colour, "width": 2}}
    marker = {"type": "circle", "size": 9, "fill": colour, "border": colour}
    drawing.add_series(_series(1, values, "above") | {"marker": marker, "x_error_bars": bars})
    # The names are labels of points without markers: an axis of numbers shows no names.
    drawing.add_series(_series(5, names, "left") | {"marker": {"type": "none"}})
    font = {"bold": True, "size": 11, "color": cells.INK}
    layout = {"overlay": True, "layout": {"x": 0.015, "y": 8 / height}}
    drawing.set_title({"name": [CHART_DATA, 0, 0], "name_font": font, **layout})
    digits = f"{0:.{scale.decimals}f}" + ("%" if chart.format in PERCENT else "")
    drawing.set_x_axis(
        {"min": scale.low, "max": scale.high, "major_unit": scale.step}
        | {"num_format": f"{digits};{MINUS}{digits}"}
        | {"num_font": {"color": cells.SOFT, "size": 10}, "line": {"color": GRID}}
        | {"major_gridlines": {"visible": True, "line": {"color": GRID, "width": 0.75}}}
        | {"major_tick_mark": "none"}
    )
    hidden = {"visible": False, "major_gridlines": {"visible": False}}
    drawing.set_y_axis({**hidden, "min": 0.4, "max": count + 0.8})
    left = (24 + 7 * max(map(cell_len, names))) / pixels
    area = {"x": left, "width": 0.97 - left, "y": 44 / height, "height": (height - 76) / height}
    drawing.set_plotarea({"layout": area})
    drawing.set_legend({"none": True})
    drawing.set_chartarea({"border": {"none": True}})
    drawing.show_hidden_data()
    drawing.set_size({"width": pixels, "height": height})
    pairs = ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
    description = f"{_label(chart.title)}: {pairs}"[:1000]
    sheet.insert_chart(row, MARGIN, drawing, {"description": description})
    return height


def _series(col: int, labels: list[str], position: str) -> dict[str, Any]:
    """Return points at the values of a column of the chart's data, with texts as labels."""
    font = {"color": cells.INK, "size": 10}
    custom = [{"value": label, "font": font} for label in labels]
    return {
        "categories": [CHART_DATA, 1, col, len(labels), col],
        "values": [CHART_DATA, 1, 4, len(labels), 4],
        "data_labels": {"value": True, "custom": custom, "position": position, "font": font},
    }


def _label(text: str) -> str:
    """Return a text for a label, which XlsxWriter reads as a formula if it starts with =."""
    text = _NOT_XML.sub(" ", text)
    return f" {text}" if text.startswith("=") else text
