"""Native charts over a page's own cells."""

from __future__ import annotations

import math
from typing import Any, Final

from xlsxwriter.utility import xl_range_abs
from xlsxwriter.workbook import Workbook as Book
from xlsxwriter.worksheet import Worksheet

from scoresheet.metrics.core import Page

_BELOW: Final = 25  # up to this many rows the chart stands below the table, else beside it


def add_chart(book: Book, sheet: Worksheet, page: Page, lengths: Worksheet, first: int) -> None:
    """Add the page's chart: a bar per row, the interval as its error bar.

    The bars' lengths stand in two hidden columns of `lengths`, from `first` on: not every program draws them from
    numbers that stand in the chart alone.
    """
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
    drawn.set_title({"name": chart.title, "name_font": {"size": 12}, "overlay": False})
    drawn.set_legend({"none": True})
    drawn.show_hidden_data()  # the lengths of the error bars
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
