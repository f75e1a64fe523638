"""Native charts of a page: drawn from its own cells, or from hidden ones where it needs them in another order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from scoresheet.cli.report.page import Chart, Edge, Histogram, Kind, LineChart, Page, StackedChart
from scoresheet.cli.write.cell_text import escape_control_characters
from scoresheet.cli.write.hidden_cells import HiddenCells
from scoresheet.cli.write.plot import Cells, Labels, NamesAxis, Plot, Series, ValuesAxis
from scoresheet.cli.write.svg_parts import short
from scoresheet.cli.write.text_width import text_columns
from scoresheet.metrics.records import dataclass

CHART_WIDTH: Final = 760  # pixels, of a chart of bars
LINES_SIZE: Final = (560, 300)  # of a chart of lines, several of which stand side by side
_UPRIGHT_HEIGHT: Final = 360
_WIDE: Final = 0.08  # the share from which a piece of a bar has room for a name
_LETTERS: Final = 80  # that a whole bar has room for
_FEW_STEPS: Final = 10  # of an axis of counts, each with a line of its own
_MOST_BARS: Final = 50  # that can be told apart on a page
_MOST_VALUES: Final = 14  # upright bars that have room for their values
_LONGEST_NAME: Final = 28  # below an upright bar
_NAMES_IN_LINE: Final = 100  # characters of all names that stand side by side below upright bars
_MOST_SLANTED: Final = 20  # names that have room aslant
_LONGEST_WHOSE: Final = 60
_ABOVE_AND_BELOW: Final = 140  # the bars: title, axis and legend
_BAR: Final = 34  # pixels of a bar with the room around it, where there is enough
_NEAR: Final = 1.5  # an edge up to this many times the largest value is shown
# from dark to light, so that the largest piece stands out: fill, and the ink that can be read on it
_PIECES: Final = (
    ("1F4E79", "FFFFFF"),
    ("3E7CB1", "FFFFFF"),
    ("6FA8DC", "1B2A3A"),
    ("9CC3E6", "1B2A3A"),
    ("BDD7EE", "1B2A3A"),
    ("D6E4F2", "1B2A3A"),
    ("E7EEF6", "1B2A3A"),
    ("EFEFEF", "1B2A3A"),
)
_LINES: Final = ("1F4E79", "C55A11", "548235", "7030A0", "BF9000", "2E75B6", "A5A5A5", "C00000")
_EDGES: Final = ("C55A11", "548235", "7030A0")
_BARS, _INK = "8DB4DC", "1B2A3A"
_FORMATS: Final[dict[Kind, tuple[str, str]]] = {"share": ("0.0%", "0%"), "count": ("#,##0", "#,##0")}  # bar and axis


@dataclass(frozen=True)
class Drawing:
    """A chart with its size in pixels."""

    chart: Plot
    width: int
    height: int


@dataclass(frozen=True)
class Charts:
    """Draws the charts of one workbook, which are all of one model or one run: their titles say whose."""

    hidden: HiddenCells
    whose: str = ""

    def of_page(self, page: Page, tallest: float) -> Iterator[Drawing]:
        """Yield the charts of a page, none of them taller than this."""
        if len(page.table) <= page.total_rows:
            return
        match page.chart:
            case Chart() if page.chart.edges:
                yield self._upright_bars(page, page.chart)
            case Chart():
                yield self._bars(page, page.chart, tallest)
            case StackedChart():
                yield self._stacked(page, page.chart, tallest)
            case Histogram():
                yield self._histogram(page.chart)
            case LineChart():
                for chart in (page.chart, *(more for more in page.more_charts)):
                    yield self._lines(page, chart)
            case None:
                return

    def _bars(self, page: Page, chart: Chart, tallest: float) -> Drawing:
        """Return a bar per row, lying, the first on top; the interval as its error bar."""
        rows = _order(page, chart)
        shown, axis_format = _formats(page, chart.values)
        in_place = rows == list(range(len(rows)))
        names = _cells(page, chart.labels, len(rows)) if in_place and not chart.group else None
        series = Series(
            chart.values,
            names or self.hidden.add([_name(page, chart, row) for row in rows]),
            _cells(page, chart.values, len(rows)) if in_place else self.hidden.add(_column(page, chart.values, rows)),
            _BARS,
            labels=Labels(_INK, shown),
            whiskers=self._whiskers(page, chart, rows),
        )
        plot = Plot(
            self._title(chart.title + _some(page, rows)),
            NamesAxis(),
            ValuesAxis(_label(chart.values), axis_format, *_ends(page, chart, rows)),
            [series],
            is_lying=True,
        )
        return _lying(plot, len(rows), tallest)

    def _upright_bars(self, page: Page, chart: Chart) -> Drawing:
        """Return a bar per row, upright, the first on the left, and a line across them at each edge.

        Lines over lying bars are drawn rightly by one program only. With an empty place at either end of the bars the
        lines reach beyond them, and there is one to be seen over a single bar.
        """
        rows = _order(page, chart)
        shown, axis_format = _formats(page, chart.values)
        names = [short(_name(page, chart, row), _LONGEST_NAME) for row in rows]
        places = self.hidden.add(["", *names, ""])
        series = Series(
            chart.values,
            places,
            self.hidden.add([None, *_column(page, chart.values, rows), None]),
            _BARS,
            labels=Labels(_INK, shown) if len(rows) <= _MOST_VALUES else None,
            whiskers=self._whiskers(page, chart, rows, around=True),
        )
        least, most = _ends(page, chart, rows)
        seen = [edge for edge in chart.edges if most is None or edge.value <= most]
        edges = zip(seen, _EDGES, strict=False)
        axis, below = _name_room(names)
        plot = Plot(
            self._title(chart.title + _some(page, rows)),
            axis,
            ValuesAxis(_label(chart.values), axis_format, least, most),
            [series],
            [self._edge(edge, places, len(rows) + 2, colour) for edge, colour in edges],
            gap=60 if len(rows) > 8 else 140,
            has_legend=True,
            unlisted=[0],
        )
        return Drawing(plot, CHART_WIDTH, _UPRIGHT_HEIGHT + below)

    def _edge(self, edge: Edge, places: Cells, count: int, colour: str) -> Series:
        values = self.hidden.add([edge.value] * count)
        return Series(_label(edge.name), places, values, colour, points=1.5, is_edge=True)

    def _whiskers(
        self, page: Page, chart: Chart, rows: Sequence[int], *, around: bool = False
    ) -> tuple[Cells, Cells] | None:
        """Return the error bars of an interval, if there is one; `around` the bars there is a place at either end."""
        if not chart.low or not chart.high:
            return None
        middle, low, high = (page.table[name] for name in (chart.values, chart.low, chart.high))
        lengths = [[_length(middle[row], ends[row]) for row in rows] for ends in (high, low)]
        above, below = (self.hidden.add([0.0, *each, 0.0] if around else each) for each in lengths)
        return above, below

    def _stacked(self, page: Page, chart: StackedChart, tallest: float) -> Drawing:
        """Return a bar per row made of pieces; a piece wide enough says what it stands for."""
        rows = min(_row_count(page), chart.most)
        places = _cells(page, chart.labels, rows)
        pieces = []
        for place, (piece, name) in enumerate(zip(chart.pieces, chart.names, strict=True)):
            fill, ink = _PIECES[min(place, len(_PIECES) - 1)]
            texts = list(zip(page.table[name][:rows], page.table[piece][:rows], strict=True)) if name else []
            labels = [
                _label(_fitting(str(text), share)) if share is not None and share >= _WIDE else None
                for text, share in texts
            ]
            shown = Labels(ink, texts=labels) if name else None
            pieces.append(Series(piece, places, _cells(page, piece, rows), fill, is_outlined=True, labels=shown))
        axis = ValuesAxis(_label(chart.across), "0%", 0, 1)
        if all(column.kind == "count" for column in page.columns if column.name in chart.pieces):
            counts = islice(page.table.rows(chart.pieces), rows)
            longest = max((sum(_number(value, 0) for value in bar) for bar in counts), default=0)
            step = 1 if longest <= _FEW_STEPS else None  # half a row would be labelled as a whole one
            axis = ValuesAxis(_label(chart.across), "#,##0", 0, None, step)
        plot = Plot(
            self._title(chart.title),
            NamesAxis(),
            axis,
            pieces,
            gap=40,
            is_lying=True,
            is_stacked=True,
            has_legend=True,
            shows_hidden_cells=False,
        )
        return _lying(plot, rows, tallest)

    def _lines(self, page: Page, chart: LineChart) -> Drawing:
        """Return a line per column over the page's rows."""
        rows = _row_count(page)
        places = _cells(page, chart.labels, rows)
        lines = [
            Series(
                name,
                places,
                _cells(page, name, rows),
                _LINES[number % len(_LINES)],
                points=2.25 if number == 0 else 1.5,
            )
            for number, name in enumerate(chart.lines)
        ]
        if chart.edge:
            lines.append(self._edge(chart.edge, places, rows, _EDGES[0]))
        plot = Plot(
            self._title(chart.title),
            NamesAxis(chart.labels),
            ValuesAxis(_label(chart.up), "0.0##"),
            lines=lines,
            has_legend=len(lines) > 1,
            empty_is_empty=True,
        )
        return Drawing(plot, *LINES_SIZE)

    def _histogram(self, chart: Histogram) -> Drawing:
        """Return a column per bin."""
        bins, counts = self.hidden.add(chart.bins), self.hidden.add(chart.counts)
        plot = Plot(
            self._title(chart.title),
            NamesAxis(chart.across),
            ValuesAxis(_label(chart.up), "#,##0", 0),
            [Series(_label(chart.title), bins, counts, _BARS)],
            gap=8,
        )
        return Drawing(plot, CHART_WIDTH, _UPRIGHT_HEIGHT)

    def _title(self, title: str) -> str:
        """Return a chart's title, after whose it is."""
        return _label(f"{short(self.whose, _LONGEST_WHOSE)}: {title}" if self.whose else title)


def _lying(plot: Plot, rows: int, tallest: float) -> Drawing:
    """Return lying bars in their size."""
    return Drawing(plot, CHART_WIDTH, int(min(_ABOVE_AND_BELOW + _BAR * rows, tallest)))


def _name_room(names: Sequence[str]) -> tuple[NamesAxis, int]:
    """Return how the names below upright bars are written, the steeper the more there are, and how high they are."""
    longest = max(map(text_columns, names))
    if longest * len(names) <= _NAMES_IN_LINE:
        return NamesAxis(has_all=True), 0
    if len(names) <= _MOST_SLANTED:
        return NamesAxis(has_all=True, turned=-45), 4 * longest
    return NamesAxis(has_all=True, turned=-90, size=8), 6 * longest


def _row_count(page: Page) -> int:
    return len(page.table) - page.total_rows


def _order(page: Page, chart: Chart) -> list[int]:
    """Return the rows that are drawn, the largest first unless their order means something."""
    values = page.table[chart.values]
    rows = range(_row_count(page))
    ordered = rows if chart.ordered else sorted(rows, key=lambda row: -_number(values[row], -math.inf))
    return list(ordered)[:_MOST_BARS]


def _some(page: Page, rows: Sequence[int]) -> str:
    """Return what a title says where not all rows are drawn."""
    return f" (the first {len(rows)} of {_row_count(page)})" if len(rows) < _row_count(page) else ""


def _column(page: Page, name: str, rows: Sequence[int]) -> list[float | None]:
    """Return the numbers of a column in the order of the bars; what no bar can show is None."""
    values = page.table[name]
    numbers = (_number(values[row], math.nan) for row in rows)
    return [value if math.isfinite(value) else None for value in numbers]


def _number(value: Any, otherwise: float) -> float:
    return otherwise if value is None or value != value else float(value)  # noqa: PLR0124 - NaN


def _ends(page: Page, chart: Chart, rows: Sequence[int]) -> tuple[float | None, float | None]:
    """Return the ends of the axis of values, None for an open one; some programs would cut error bars off."""
    columns = (name for name in (chart.values, chart.low, chart.high) if name)
    known = [value for name in columns for value in _column(page, name, rows) if value is not None]
    least, most = min(known, default=0.0), max(known, default=1.0)
    near = [edge.value for edge in chart.edges if edge is chart.edges[0] or edge.value <= _NEAR * most]
    most = max([most, *near])
    if any(edge == most for edge in near):
        most *= 1.05  # a line at the end of the axis would not be seen
    return (0 if least >= 0 else None), (1 if most <= 1 else _round_number(most))


def _formats(page: Page, name: str) -> tuple[str, str]:
    """Return how the values of a column look beside their bars and along the axis."""
    kind = next(column.kind for column in page.columns if column.name == name)
    return _FORMATS.get(kind, ("0.000", "0.0#"))


def _cells(page: Page, column: str, rows: int) -> Cells:
    place = [each.name for each in page.columns].index(column)
    shown = ["" if value is None or value != value else value for value in page.table[column][:rows]]  # noqa: PLR0124 - NaN
    return Cells(page.title, 1, place, shown)


def _name(page: Page, chart: Chart, row: int) -> str:
    """Return what a bar is called."""
    name = str(page.table[chart.labels][row])
    return f"{page.table[chart.group][row]} · {name}" if chart.group else name


def _label(text: str) -> str:
    """Return a label that is text whatever it says: "Go!B2" and "=x" could be taken for references to cells."""
    apart = escape_control_characters(text).replace("!", "!\u2060")  # a word joiner, which nobody sees
    return "\u2060" + apart if apart.startswith("=") else apart


def _fitting(text: str, share: float) -> str:
    """Return as much of a name as a piece of this width has room for."""
    room = int(share * _LETTERS)
    return text if len(text) <= room else text[: room - 1] + "…"


def _round_number(value: float) -> float:
    """Return the next number that an axis may well end at."""
    step = 10.0 ** math.floor(math.log10(value)) / 2
    return float(math.ceil(value / step) * step)


def _length(value: Any, end: Any) -> float:
    length = abs(_number(end, math.nan) - _number(value, math.nan))
    return length if math.isfinite(length) else 0.0
