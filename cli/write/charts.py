"""Native charts over a page's own cells."""

from __future__ import annotations

import math
from typing import Any, Final

from xlsxwriter.utility import xl_range_abs
from xlsxwriter.workbook import Workbook as Book
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.report.page import Chart, Histogram, LineChart, Page, StackedChart
from scoresheet.cli.write.cell_text import escape_control_characters, fit_cell

_BELOW: Final = 25  # up to this many rows the chart stands below the table, else beside it
_WIDE: Final = 0.08  # the share from which a piece of a bar has room for a name
_LETTERS: Final = 80  # that a whole bar has room for
_WIDTH: Final = 760  # of a chart of bars, and of the sentence above it
_FEW_STEPS: Final = 10  # of an axis of counts, each with a line of its own
_ROW_HEIGHT: Final = 20  # of a row of cells, and of a line of the sentence
_SENTENCE_LETTERS: Final = 85  # that a line of the sentence has room for
# from dark to light, so that the largest piece stands out: fill, and the ink that can be read on it
_PIECES: Final = (
    ("#1F4E79", "#FFFFFF"),
    ("#3E7CB1", "#FFFFFF"),
    ("#6FA8DC", "#1B2A3A"),
    ("#9CC3E6", "#1B2A3A"),
    ("#BDD7EE", "#1B2A3A"),
    ("#D6E4F2", "#1B2A3A"),
    ("#E7EEF6", "#1B2A3A"),
    ("#EFEFEF", "#1B2A3A"),
)


_LINES: Final = ("#1F4E79", "#C55A11", "#548235", "#7030A0", "#BF9000", "#2E75B6", "#A5A5A5", "#C00000")


def add_chart(book: Book, sheet: Worksheet, page: Page, lengths: Worksheet, first: int) -> None:
    """Add the page's chart.

    Lengths of error bars, labels made of two columns, and histograms stand in three hidden columns of `lengths`, from
    `first` on: not every program draws what stands in the chart alone.
    """
    match page.chart:
        case Chart():
            drawn = _bars(book, page, page.chart, lengths, first)
        case StackedChart():
            drawn = _stacked(book, page, page.chart)
        case Histogram():
            drawn = _histogram(book, page.chart, lengths, first)
        case LineChart():
            _add_lines(book, sheet, page)
            return
        case None:
            return
    rows = _rows(page)
    if rows <= _BELOW:
        sheet.insert_chart(len(page.table) + 2 + _sentence_rows(page), 0, drawn)
    else:
        sheet.insert_chart(1 + _sentence_rows(page), len(page.columns) + 1, drawn)


def add_sentence(sheet: Worksheet, page: Page) -> None:
    """Write the page's sentence where its chart begins; in a box, since a cell would be a row of the table."""
    beside = _rows(page) > _BELOW
    row, column = (1, len(page.columns) + 1) if beside else (len(page.table) + 2, 0)
    look = {
        "width": _WIDTH,
        "height": _ROW_HEIGHT * (_sentence_rows(page) - 1),
        "font": {"size": 12, "bold": True, "color": "#2F4B66"},
        "line": {"color": "#2F4B66"},
        "align": {"vertical": "middle"},
        "object_position": 2,
    }
    sheet.insert_textbox(row, column, fit_cell(page.sentence), look)


def _sentence_rows(page: Page) -> int:
    """Return how many rows the box of the page's sentence takes, with one below it."""
    return math.ceil(len(page.sentence) / _SENTENCE_LETTERS) + 3 if page.sentence else 0


def _bars(book: Book, page: Page, chart: Chart, lengths: Worksheet, first: int) -> Any:
    """Return a bar per row, the interval as its error bar."""
    rows = _rows(page)
    series = {
        "name": chart.values,
        "categories": _labels(page, chart, lengths, first + 2),
        "values": _cells(page, chart.values, rows),
        "fill": {"color": "#4F7CAC"},
        "gap": 60,
        "data_labels": {"value": True, "num_format": "0.000", "position": "inside_base", "font": {"color": "#FFFFFF"}},
    }
    if chart.low and chart.high:
        middle, low, high = (page.table[name].tolist()[:rows] for name in (chart.values, chart.low, chart.high))
        bars: dict[str, Any] = {"type": "custom", "line": {"color": "#1B2A3A"}}
        for place, (side, ends) in enumerate((("plus", high), ("minus", low)), start=first):
            values_of_side = [_length(value, end) for value, end in zip(middle, ends, strict=True)]
            lengths.write_column(0, place, values_of_side)
            bars[f"{side}_values"] = f"={lengths.name}!{xl_range_abs(0, place, rows - 1, place)}"
            bars[f"{side}_data"] = values_of_side
        lengths.set_column(first, first + 1, None, None, {"hidden": True})
        series["x_error_bars"] = bars
    drawn: Any = book.add_chart({"type": "bar"})
    drawn.add_series(series)
    drawn.set_legend({"none": True})
    drawn.show_hidden_data()  # the lengths of the error bars
    shown = [value for name in (chart.values, chart.low, chart.high) if name for value in page.table[name].tolist()]
    known = [value for value in shown if value is not None and math.isfinite(value)]
    least, most = min(known, default=0.0), max(known, default=1.0)
    return _framed(
        drawn,
        chart.title,
        rows,
        number_format="0.0",
        least=0 if least >= 0 else None,
        most=1 if most <= 1 else _round_number(most),  # some programs would cut the error bars off
    )


def _stacked(book: Book, page: Page, chart: StackedChart) -> Any:
    """Return a bar per row made of pieces; a piece wide enough says what it stands for."""
    rows = min(_rows(page), chart.most)
    drawn: Any = book.add_chart({"type": "bar", "subtype": "stacked"})
    for place, (piece, name) in enumerate(zip(chart.pieces, chart.names, strict=True)):
        fill, ink = _PIECES[min(place, len(_PIECES) - 1)]
        series: dict[str, Any] = {
            "name": piece,
            "categories": _cells(page, chart.labels, rows),
            "values": _cells(page, piece, rows),
            "fill": {"color": fill},
            "border": {"color": "#FFFFFF", "width": 0.75},
            "gap": 40,
        }
        if name:
            wide = zip(page.table[name].tolist()[:rows], page.table[piece].tolist()[:rows], strict=True)
            custom = [
                {"value": _label(_short(str(text), share)), "font": {"color": ink}}
                if share is not None and share >= _WIDE
                else {"delete": True}
                for text, share in wide
            ]
            series["data_labels"] = {"value": True, "custom": custom, "position": "center", "font": {"color": ink}}
        drawn.add_series(series)
    drawn.set_legend({"position": "bottom"})
    if all(column.kind == "count" for column in page.columns if column.name in chart.pieces):
        longest = max(page.table[list(chart.pieces)].head(rows).sum(axis=1), default=0)
        step = 1 if longest <= _FEW_STEPS else None  # half a row would be labelled as a whole one
        return _framed(drawn, chart.title, rows, number_format="#,##0", most=None, step=step)
    return _framed(drawn, chart.title, rows, number_format="0%")


def _add_lines(book: Book, sheet: Worksheet, page: Page) -> None:
    """Add charts of lines below the table, side by side in twos."""
    charts = [chart for chart in (page.chart, *page.more_charts) if isinstance(chart, LineChart)]
    rows = _rows(page)
    for place, chart in enumerate(charts):
        drawn: Any = book.add_chart({"type": "line"})
        for number, name in enumerate(chart.lines):
            series = {
                "name": name,
                "categories": _cells(page, chart.labels, rows),
                "values": _cells(page, name, rows),
                "line": {"width": 2.25 if number == 0 else 1.5, "color": _LINES[number % len(_LINES)]},
                "marker": {"type": "circle", "size": 4, "fill": {"color": _LINES[number % len(_LINES)]}},
            }
            drawn.add_series(series)
        drawn.set_title({"name": chart.title, "name_font": {"size": 12}, "overlay": False})
        drawn.set_x_axis({"name": chart.labels})
        drawn.set_y_axis({"num_format": "0.0##", "major_gridlines": {"visible": True, "line": {"color": "#DDDDDD"}}})
        drawn.set_legend({"position": "bottom"} if len(chart.lines) > 1 else {"none": True})
        drawn.set_size({"width": 560, "height": 300})
        drawn.show_na_as_empty_cell()
        sheet.insert_chart(len(page.table) + 2 + 16 * (place // 2), 0, drawn, {"x_offset": 590 * (place % 2)})


def _histogram(book: Book, chart: Histogram, hidden: Worksheet, first: int) -> Any:
    """Return a column per bin."""
    for row, (name, count) in enumerate(zip(chart.bins, chart.counts, strict=True)):
        hidden.write_string(row, first, fit_cell(name))
        hidden.write_number(row, first + 1, count)
    hidden.set_column(first, first + 1, None, None, {"hidden": True})
    last = len(chart.bins) - 1
    drawn: Any = book.add_chart({"type": "column"})
    drawn.add_series(
        {
            "name": chart.title,
            "categories": [hidden.name, 0, first, last, first],
            "values": [hidden.name, 0, first + 1, last, first + 1],
            "fill": {"color": "#4F7CAC"},
            "gap": 8,
        }
    )
    drawn.set_legend({"none": True})
    drawn.show_hidden_data()
    drawn.set_title({"name": chart.title, "name_font": {"size": 12}, "overlay": False})
    drawn.set_y_axis({"num_format": "#,##0", "major_gridlines": {"visible": True, "line": {"color": "#DDDDDD"}}})
    drawn.set_size({"width": _WIDTH, "height": 320})
    return drawn


def _framed(
    drawn: Any,
    title: str,
    rows: int,
    *,
    number_format: str,
    least: float | None = 0,
    most: float | None = 1,
    step: float | None = None,
) -> Any:
    """Return the chart with its title and axes: the first row on top, as in the table; an end that is None is open."""
    drawn.set_title({"name": title, "name_font": {"size": 12}, "overlay": False})
    drawn.set_x_axis(
        {
            "min": least,
            "max": most,
            "major_unit": step,
            "num_format": number_format,
            "label_position": "high",  # at the bottom, since the other axis runs downwards
            "major_gridlines": {"visible": True, "line": {"color": "#DDDDDD"}},
        }
    )
    drawn.set_y_axis({"reverse": True, "label_position": "low"})  # beside bars to the left of 0 too
    drawn.set_size({"width": _WIDTH, "height": min(140 + 34 * rows, 1400)})
    return drawn


def _rows(page: Page) -> int:
    return len(page.table) - page.total_rows


def _cells(page: Page, column: str, rows: int) -> list[Any]:
    place = [each.name for each in page.columns].index(column)
    return [page.title, 1, place, rows, place]


def _labels(page: Page, chart: Chart, hidden: Worksheet, place: int) -> list[Any]:
    """Return the cells that name the bars."""
    rows = _rows(page)
    if not chart.group:
        return _cells(page, chart.labels, rows)
    pairs = zip(page.table[chart.group].tolist()[:rows], page.table[chart.labels].tolist()[:rows], strict=True)
    for row, (group, label) in enumerate(pairs):
        hidden.write_string(row, place, fit_cell(f"{group} · {label}"))
    hidden.set_column(place, place, None, None, {"hidden": True})
    return [hidden.name, 0, place, rows - 1, place]


def _label(text: str) -> str:
    """Return a label that is text whatever it says: the library takes "Go!B2" and "=x" for references to cells."""
    apart = escape_control_characters(text).replace("!", "!\u2060")  # a word joiner, which nobody sees
    return "\u2060" + apart if apart.startswith("=") else apart


def _short(text: str, share: float) -> str:
    """Return as much of a name as a piece of this width has room for."""
    room = int(share * _LETTERS)
    return text if len(text) <= room else text[: room - 1] + "…"


def _round_number(value: float) -> float:
    """Return the next number that an axis may well end at."""
    step = 10.0 ** math.floor(math.log10(value)) / 2
    return float(math.ceil(value / step) * step)


def _length(value: float, end: float) -> float:
    length = abs(end - value)
    return length if math.isfinite(length) else 0.0
