"""Native charts over a page's own cells."""

from __future__ import annotations

import math
from typing import Any, Final

from xlsxwriter.workbook import Workbook as Book
from xlsxwriter.worksheet import Worksheet

from scoresheet.metrics.core import Page

_BELOW: Final = 25  # up to this many rows the chart stands below the table, else beside it


def add_chart(book: Book, sheet: Worksheet, page: Page) -> None:
    """Add the page's chart: a bar per row, the interval as its error bar."""
    chart = page.chart
    if chart is None:
        return
    names = [column.name for column in page.columns]
    rows = len(page.table) - (1 if page.total_row else 0)
    labels, values = names.index(chart.labels), names.index(chart.values)
    series = {
        "name": chart.values,
        "categories": [page.title, 1, labels, rows, labels],
        "values": [page.title, 1, values, rows, values],
        "fill": {"color": "#4F7CAC"},
        "gap": 60,
        "data_labels": {"value": True, "num_format": "0.000", "position": "inside_base", "font": {"color": "#FFFFFF"}},
    }
    if chart.low and chart.high:
        middle, low, high = (page.table[name].tolist()[:rows] for name in (chart.values, chart.low, chart.high))
        series["x_error_bars"] = {
            "type": "custom",
            "plus_values": [_length(value, end) for value, end in zip(middle, high, strict=True)],
            "minus_values": [_length(value, end) for value, end in zip(middle, low, strict=True)],
            "line": {"color": "#1B2A3A"},
        }
    drawn: Any = book.add_chart({"type": "bar"})
    drawn.add_series(series)
    drawn.set_title({"name": chart.title, "name_font": {"size": 12}, "overlay": False})
    drawn.set_legend({"none": True})
    drawn.set_x_axis(
        {
            "min": 0,
            "max": 1,
            "num_format": "0.0",
            "label_position": "high",  # at the bottom, since the other axis runs downwards
            "major_gridlines": {"visible": True, "line": {"color": "#DDDDDD"}},
        }
    )
    drawn.set_y_axis({"reverse": True})  # the first row on top, as in the table
    drawn.set_size({"width": 760, "height": min(120 + 34 * rows, 1400)})
    if rows <= _BELOW:
        sheet.insert_chart(len(page.table) + 2, 0, drawn)
    else:
        sheet.insert_chart(1, len(names) + 1, drawn)


def _length(value: float, end: float) -> float:
    length = abs(end - value)
    return 0.0 if math.isnan(length) else length
