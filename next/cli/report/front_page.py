"""The front page of a workbook: title, answer, table, chart and remarks."""

import math
from typing import Any

from rich.cells import cell_len

from scoresheet.cli.report import cells
from scoresheet.cli.report.lines import cut_middle, unbroken, wrap
from scoresheet.cli.report.numbers import MINUS, PERCENT, show
from scoresheet.cli.report.pages import Chart, FrontPage

CHART_DATA = "Chart data"
HEADER_ROW = 5
MARGIN = 1  # column A is empty
WIDEST_CHART = 760  # pixels
GRID = "#E6E3DC"


def set_up_print(sheet: Any) -> None:
    """Print a sheet on A4 landscape, one page wide, with file, sheet and page in the footer."""
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer("&L&9&F · &A&R&9&P of &N")


def write_front_page(file: Any, sheet: Any, front: FrontPage, styles: cells.Styles) -> None:
    """Write the front page; the data of its chart are written by `write_chart_data`."""
    widths = cells.write_table(sheet, front.page, styles, top=HEADER_ROW, left=MARGIN, front=True)
    while sum(widths) < 90:  # the answer needs room where the table has few columns
        widths.append(12)
        sheet.set_column(len(widths), len(widths), 12)
    for row, height in ((0, 28), (2, 9), (4, 9)):
        sheet.set_row(row, height)
    sheet.set_column(0, 0, 1.6)
    cells.write_text(sheet, 0, MARGIN, front.title, styles(bold=True, font_size=18))
    cells.write_text(sheet, 1, MARGIN, front.counts, styles(font_size=10, font_color=cells.SOFT))
    fill, edge = (
        cells.TONES[front.alarm] if front.alarm in ("middle", "bad") else ("#EEF4F8", cells.ACCENT)
    )
    look = {"font_size": 12, "text_wrap": True, "valign": "vcenter", "indent": 1}
    box = styles(**look, bg_color=fill, left=5, left_color=edge)
    # Excel breaks an interval after its dash, so lines are broken here.
    letters = round(sum(widths) * 1.02)
    lines = [line for text in front.answer for line in wrap(unbroken(text), letters)]
    _write_paragraph(sheet, 3, len(widths), "\n".join(lines), box)
    sheet.set_row(3, 16 * len(lines) + 14)
    row = HEADER_ROW + len(front.page.frame) + 2
    if front.chart and has_chart(front):
        row += math.ceil(_insert_chart(file, sheet, row, front.chart, sum(widths)) / 20)
    soft = styles(font_size=10, font_color=cells.SOFT, text_wrap=True, valign="top")
    for place, remark in enumerate(front.remarks, row):
        _write_paragraph(sheet, place, len(widths), remark, soft)
        sheet.set_row(place, 14 * cells.text_lines(remark, letters * 1.2) + 2)
    set_up_print(sheet)


def _write_paragraph(sheet: Any, row: int, last: int, text: str, style: Any) -> None:
    sheet.merge_range(row, MARGIN, row, last, "", style)
    cells.write_text(sheet, row, MARGIN, text, style)


def has_chart(front: FrontPage | None) -> bool:
    """Return whether the front page has anything to draw."""
    return bool(front and front.chart and _drawn(front.chart))


def write_chart_data(sheet: Any, chart: Chart, styles: cells.Styles) -> None:
    """Write what the chart shows to a hidden sheet: names, values, whiskers, positions."""
    for col, label in enumerate((chart.title, "Value", "Below", "Above", "Position", "Left edge")):
        cells.write_text(sheet, 0, col, label, styles())
    rows = _drawn(chart)
    for row, position in enumerate(rows, 1):
        value = chart.values[position]
        ends = (value - chart.lows[position], chart.highs[position] - value)
        whiskers = [end if math.isfinite(end) else 0.0 for end in ends]
        cells.write_text(sheet, row, 0, chart.names[position], styles())
        for col, number in enumerate((value, *whiskers, len(rows) - row + 1, _axis(chart)[0]), 1):
            sheet.write_number(row, col, number)
    sheet.hide()


def _drawn(chart: Chart) -> list[int]:
    return [position for position, value in enumerate(chart.values) if math.isfinite(value)]


def _axis(chart: Chart) -> tuple[float, float, float]:
    """Return both ends of the axis and its step: the bounds, or round numbers around the data."""
    numbers = [*chart.values, *chart.lows, *chart.highs, *(chart.bounds or ())]
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min(finite), max(finite)
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span))
    step = next(s * power for s in (0.2, 0.5, 1, 2) if span / (s * power) <= 6)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return low, max(high, low + step), step


def _insert_chart(file: Any, sheet: Any, row: int, chart: Chart, width: float) -> int:
    """Insert the chart and return its height in pixels."""
    rows = _drawn(chart)
    pixels, height = min(WIDEST_CHART, round(width * 7)), 88 + 40 * len(rows)
    names = [cut_middle(_label(chart.names[position]), 20) for position in rows]
    values = [show(chart.values[position], chart.format, minus=MINUS) for position in rows]
    drawing = file.add_chart({"type": "scatter"})
    colour = {"color": cells.ACCENT}
    whiskers = {
        f"{side}_values": f"='{CHART_DATA}'!${col}$2:${col}${len(rows) + 1}"
        for side, col in (("minus", "C"), ("plus", "D"))
    }
    bars = {"type": "custom", **whiskers, "end_style": 0, "line": {**colour, "width": 2}}
    marker = {"type": "circle", "size": 9, "fill": colour, "border": colour}
    drawing.add_series(_series(1, values, "above") | {"marker": marker, "x_error_bars": bars})
    # The names are labels of points without markers: an axis of numbers shows no names.
    drawing.add_series(_series(5, names, "left") | {"marker": {"type": "none"}})
    title = {
        "name": [CHART_DATA, 0, 0],
        "name_font": {"bold": True, "size": 11, "color": cells.INK},
    }
    drawing.set_title({**title, "overlay": True, "layout": {"x": 0.015, "y": 8 / height}})
    drawing.set_x_axis(_x_axis(chart))
    hidden = {"visible": False, "major_gridlines": {"visible": False}}
    drawing.set_y_axis({**hidden, "min": 0.4, "max": len(rows) + 0.8})
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


def _x_axis(chart: Chart) -> dict[str, Any]:
    low, high, step = _axis(chart)
    percent = chart.format in PERCENT
    decimals = max(0, -math.floor(math.log10(step * (100 if percent else 1)) + 1e-9))
    digits = f"{0:.{decimals}f}" + ("%" if percent else "")
    scale = {"min": low, "max": high, "major_unit": step}
    numbers = {
        "num_format": f"{digits};{MINUS}{digits}",
        "num_font": {"color": cells.SOFT, "size": 10},
    }
    grid = {"visible": True, "line": {"color": GRID, "width": 0.75}}
    lines = {"line": {"color": GRID}, "major_tick_mark": "none", "major_gridlines": grid}
    return {**scale, **numbers, **lines}


def _label(text: str) -> str:
    """Return a text for a label, which XlsxWriter reads as a formula if it starts with =."""
    text = cells.NOT_XML.sub(" ", text)
    return f" {text}" if text.startswith("=") else text
