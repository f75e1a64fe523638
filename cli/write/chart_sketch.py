"""Charts to be, and their parts of a workbook: XlsxWriter draws charts of one shape once, and they are filled in here.

The charts of the models of a run differ in their numbers and a few texts. XlsxWriter is given marks in their place, and
what it makes of them is kept, to be filled in for each model.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_range_abs

from scoresheet.cli.write.cell_text import element_text, fit_cell

_KEPT: Final = 64  # shapes of what a workbook draws
_ODD: Final = re.compile("[_ ]")  # float("1_1") is a number, and no program would say so
# where texts, strings and numbers will stand: characters that are nobody's, and a number that no cell holds
_TEXT_MARK, _NUMBER_MARK = "\ue000{}\ue001", "{}e9999"
_FILLED: Final = re.compile(
    '<c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="1"/><c:pt idx="0"><c:v>(\\d+)e9999</c:v></c:pt>'
    '</c:numCache>|<c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>\ue000(\\d+)\ue001</c:v></c:pt></c:strCache>'
    "|\ue000(\\d+)\ue001"
)
# the options of a series that name cells, and those by which XlsxWriter is told what these hold
_DATA: Final = {
    "categories": "categories_data",
    "values": "values_data",
    "plus_values": "plus_data",
    "minus_values": "minus_data",
}


@dataclass(frozen=True)
class Cells:
    """Cells of a column, from a row on, and what they hold; None where nothing stands."""

    sheet: str
    row: int
    column: int
    values: Sequence[Any]

    def place(self) -> tuple[int, int, int, int]:
        """Return the cells they begin and end with."""
        return self.row, self.column, self.row + len(self.values) - 1, self.column

    def tokens(self) -> list[str | None]:
        """Return what they hold as programs are told that do not look at them."""
        return [
            None if value is None else fit_cell(value) if isinstance(value, str) else f"{value:.16g}"
            for value in self.values
        ]


@dataclass(frozen=True)
class Text:
    """A text that is another one in the charts of other models."""

    text: str


@dataclass
class Sketch:
    """A chart: what XlsxWriter is told of it, but with `Cells` and `Text`s in it."""

    kind: dict[str, Any]
    series: list[dict[str, Any]] = field(default_factory=list)
    title: dict[str, Any] = field(default_factory=dict)
    x_axis: dict[str, Any] = field(default_factory=dict)
    y_axis: dict[str, Any] = field(default_factory=dict)
    legend: dict[str, Any] = field(default_factory=dict)
    shows_hidden_cells: bool = False
    skips_empty_cells: bool = False
    above: Sketch | None = None  # another chart on the same axes


Template = list[str | int]  # of a chart's part: what stands in it as it is, and the numbers of what is filled in

_TEMPLATES: Final[dict[str, list[Template]]] = {}


def chart_parts(sketches: Sequence[Sketch]) -> list[bytes]:
    """Return the parts of all charts of a workbook."""
    if not sketches:
        return []
    filled: list[str] = []
    marked = [_marked_sketch(sketch, filled) for sketch in sketches]
    shape = repr(marked)
    templates = _TEMPLATES.get(shape)
    if templates is None:
        if len(_TEMPLATES) >= _KEPT:
            _TEMPLATES.clear()
        templates = list(_drawn(marked))
        if {filled[piece] for template in templates for piece in template if isinstance(piece, int)} != set(filled):
            raise RuntimeError("this version of XlsxWriter draws charts in a way that is not known here: take another")
        _TEMPLATES[shape] = templates
    parts = [[piece if isinstance(piece, str) else filled[piece] for piece in template] for template in templates]
    return ["".join(part).encode() for part in parts]


def _marked_sketch(sketch: Sketch, filled: list[str]) -> Sketch:
    """Return a sketch with marks in the place of what differs between models, which is added to what is filled in."""
    return Sketch(
        sketch.kind,
        [_marked(series, filled) for series in sketch.series],
        _marked(sketch.title, filled),
        sketch.x_axis,
        sketch.y_axis,
        sketch.legend,
        sketch.shows_hidden_cells,
        sketch.skips_empty_cells,
        _marked_sketch(sketch.above, filled) if sketch.above else None,
    )


def _marked(value: Any, filled: list[str]) -> Any:
    if isinstance(value, Text):
        return _mark(_TEXT_MARK, element_text(value.text), filled) if value.text else ""
    if isinstance(value, list):
        return [_marked(each, filled) for each in value]
    if not isinstance(value, dict):
        return value
    marked: dict[str, Any] = {}
    for name, option in value.items():
        if isinstance(option, Cells):
            marked |= _marked_cells(name, option, filled)
        else:
            marked[name] = _marked(option, filled) if isinstance(option, Text | list | dict) else option
    return marked


def _marked_cells(name: str, cells: Cells, filled: list[str]) -> dict[str, Any]:
    """Return the options of a series that say which cells it shows, and a mark for what they hold."""
    if name in ("categories", "values"):
        place: Any = [cells.sheet, *cells.place()]
        tokens: list[Any] = cells.tokens()
    else:  # the lengths of error bars, with all their digits
        place = f"={cells.sheet}!{xl_range_abs(*cells.place())}"
        tokens = list(cells.values)
    if name == "categories" and not _are_numbers(tokens):
        mark = _mark(_TEXT_MARK, _strings_xml(tokens), filled)
    else:
        mark = _mark(_NUMBER_MARK, _numbers_xml(tokens), filled)
    return {name: place, _DATA[name]: [mark]}


def _mark(mark: str, xml: str, filled: list[str]) -> str:
    filled.append(xml)
    return mark.format(len(filled) - 1)


def _are_numbers(tokens: Sequence[str | None]) -> bool:
    return all(token is None or (_number_like(token) and not _ODD.search(token)) for token in tokens)


def _number_like(token: Any) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _numbers_xml(tokens: Sequence[Any]) -> str:
    shown = [(place, token) for place, token in enumerate(tokens) if token is not None]
    points = [f'<c:pt idx="{place}"><c:v>{token if _number_like(token) else 0}</c:v></c:pt>' for place, token in shown]
    count = f'<c:ptCount val="{len(tokens)}"/>'
    return f"<c:numCache><c:formatCode>General</c:formatCode>{count}{''.join(points)}</c:numCache>"


def _strings_xml(tokens: Sequence[str | None]) -> str:
    shown = [(place, token) for place, token in enumerate(tokens) if token is not None]
    points = [f'<c:pt idx="{place}"><c:v>{element_text(token)}</c:v></c:pt>' for place, token in shown]
    return f'<c:strCache><c:ptCount val="{len(tokens)}"/>{"".join(points)}</c:strCache>'


def _drawn(sketches: Sequence[Sketch]) -> Iterator[Template]:
    """Yield what XlsxWriter makes of marked sketches, cut where they are marked."""
    stream = io.BytesIO()
    with Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for sketch in sketches:
            sheet.insert_chart(0, 0, _chart(book, sketch))
    with zipfile.ZipFile(stream) as archive:
        for number in range(len(sketches)):
            yield _cut(archive.read(f"xl/charts/chart{number + 1}.xml").decode())


def _chart(book: Workbook, sketch: Sketch) -> Any:
    chart: Any = book.add_chart(sketch.kind)
    for series in sketch.series:
        chart.add_series(series)
    if sketch.above:
        chart.combine(_chart(book, sketch.above))
    for set_up, options in (
        (chart.set_title, sketch.title),
        (chart.set_x_axis, sketch.x_axis),
        (chart.set_y_axis, sketch.y_axis),
        (chart.set_legend, sketch.legend),
    ):
        if options:
            set_up(options)
    if sketch.shows_hidden_cells:
        chart.show_hidden_data()
    if sketch.skips_empty_cells:
        chart.show_na_as_empty_cell()
    return chart


def _cut(xml: str) -> Template:
    template: Template = []
    end = 0
    for mark in _FILLED.finditer(xml):
        template += [xml[end : mark.start()], int(mark[mark.lastindex or 0])]
        end = mark.end()
    return [*template, xml[end:]]
