"""A chart of bars or lines over cells, and its part of a workbook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from scoresheet.cli.write.addresses import absolute_range, quoted_name
from scoresheet.cli.write.cell_text import (
    XML_DECLARATION,
    attribute_text,
    element_text,
    escape_control_characters,
    fit_cell,
)
from scoresheet.metrics.records import dataclass

_INK: Final = "1B2A3A"
_GRID: Final = "DDDDDD"
_POINT: Final = 12_700  # units of a drawing in a point
_ODD: Final = re.compile("[_ ]")  # float("1_1") is a number, and no program would say so
_SCHEMA: Final = "http://schemas.openxmlformats.org"
_START: Final = (
    f'{XML_DECLARATION}<c:chartSpace xmlns:c="{_SCHEMA}/drawingml/2006/chart" '
    f'xmlns:a="{_SCHEMA}/drawingml/2006/main" xmlns:r="{_SCHEMA}/officeDocument/2006/relationships">'
    '<c:lang val="en-US"/><c:chart>'
)
_EMPTY_IS_EMPTY: Final = (
    '<c:extLst><c:ext uri="{56B9EC1D-385E-4148-901F-78D8002777C0}" '
    'xmlns:c16r3="http://schemas.microsoft.com/office/drawing/2017/03/chart"><c16r3:dataDisplayOptions16>'
    '<c16r3:dispNaAsBlank val="1"/></c16r3:dataDisplayOptions16></c:ext></c:extLst>'
)
_MARGINS: Final = {"b": 0.75, "l": 0.7, "r": 0.7, "t": 0.75, "header": 0.3, "footer": 0.3}  # inches
_TITLE, _AXIS_TITLE = ' sz="1200" baseline="0"', ' b="0" baseline="0"'
_NO_TICKS, _EVERY_NAME = '<c:majorTickMark val="none"/>', '<c:tickLblSkip val="1"/>'
_UPWARDS: Final = ' rot="-5400000" vert="horz"'


@dataclass(frozen=True)
class Cells:
    """Cells of a column, from a row on, and what they hold; None where nothing stands."""

    sheet: str
    row: int
    column: int
    values: Sequence[Any]

    def tokens(self) -> list[str | None]:
        """Return what they hold as programs are told that do not look at them."""
        return [
            None if value is None else fit_cell(value) if isinstance(value, str) else f"{value:.16g}"
            for value in self.values
        ]

    def formula(self) -> str:
        """Return where they stand, in XML."""
        cells = absolute_range(self.row, self.column, self.row + len(self.values) - 1, self.column)
        return f"<c:f>{element_text(f'{quoted_name(self.sheet)}!{cells}')}</c:f>"


@dataclass(frozen=True)
class Labels:
    """What stands on bars: their values in a format, or a text for each, None for no text on it."""

    ink: str
    number_format: str = ""
    texts: Sequence[str | None] = ()


@dataclass(frozen=True)
class Series:
    """Bars or a line: one value for each name."""

    name: str
    names: Cells
    values: Cells
    colour: str
    points: float = 0  # how thick a line is
    is_edge: bool = False  # a line that the others are held against
    is_outlined: bool = False
    labels: Labels | None = None
    whiskers: tuple[Cells, Cells] | None = None  # how far they reach above and below


@dataclass(frozen=True)
class NamesAxis:
    """The axis along which the names stand."""

    title: str = ""
    has_all: bool = False  # names, however many there are, and no marks between them
    turned: int = 0  # degrees that the names are turned by
    size: int = 0  # of their letters; 0: as usual


@dataclass(frozen=True)
class ValuesAxis:
    """The axis along which the values stand; an end that is None is open."""

    title: str
    number_format: str
    least: float | None = None
    most: float | None = None
    step: float | None = None


@dataclass(frozen=True)
class Plot:
    """A chart of bars, of lines, or of lines over bars."""

    title: str
    names_axis: NamesAxis
    values_axis: ValuesAxis
    bars: Sequence[Series] = ()
    lines: Sequence[Series] = ()
    gap: int = 60  # between bars, in hundredths of their breadth
    is_lying: bool = False  # bars, the first on top
    is_stacked: bool = False
    has_legend: bool = False
    unlisted: Sequence[int] = ()  # series that the legend leaves out
    shows_hidden_cells: bool = True
    empty_is_empty: bool = False  # cells without a number leave a gap


def plot_xml(plot: Plot, number: int) -> bytes:
    """Return the part of the chart that has this number in its workbook."""
    axes = (f"{5000 + number}0001", f"{5000 + number}0002")
    ids = "".join(f'<c:axId val="{axis}"/>' for axis in axes)
    margins = " ".join(f'{side}="{inches}"' for side, inches in _MARGINS.items())
    return "".join(
        [
            f"{_START}{_title(plot.title, _TITLE)}<c:plotArea><c:layout/>",
            *_bars(plot, ids),
            *_lines(plot, ids),
            *(_names_axis(plot, *axes), _values_axis(plot, *axes), "</c:plotArea>"),
            _legend(plot),
            "" if plot.shows_hidden_cells else '<c:plotVisOnly val="1"/>',
            _EMPTY_IS_EMPTY if plot.empty_is_empty else "",
            "</c:chart><c:printSettings><c:headerFooter/>",
            f"<c:pageMargins {margins}/><c:pageSetup/></c:printSettings></c:chartSpace>",
        ]
    ).encode()


def _title(text: str, letters: str, turned: str = "") -> str:
    """Return the title of a chart or an axis; '' has none."""
    if not text:
        return ""
    return (
        f"<c:title><c:tx><c:rich><a:bodyPr{turned}/><a:lstStyle/><a:p><a:pPr><a:defRPr{letters}/></a:pPr>"
        f'<a:r><a:rPr lang="en-US"{letters}/><a:t>{_shown(text)}</a:t></a:r></a:p></c:rich></c:tx><c:layout/></c:title>'
    )


def _shown(text: str) -> str:
    return element_text(escape_control_characters(text))


def _bars(plot: Plot, ids: str) -> Iterator[str]:
    if not plot.bars:
        return
    direction, grouping = "bar" if plot.is_lying else "col", "stacked" if plot.is_stacked else "clustered"
    yield f'<c:barChart><c:barDir val="{direction}"/><c:grouping val="{grouping}"/>'
    for place, series in enumerate(plot.bars):
        edge = f'<a:ln w="{_POINT * 3 // 4}">{_fill("FFFFFF")}</a:ln>' if series.is_outlined else ""
        yield _series(place, series, f"<c:spPr>{_fill(series.colour)}{edge}</c:spPr>")
    overlap = '<c:overlap val="100"/>' if plot.is_stacked else ""
    yield f'<c:gapWidth val="{plot.gap}"/>{overlap}{ids}</c:barChart>'


def _lines(plot: Plot, ids: str) -> Iterator[str]:
    if not plot.lines:
        return
    yield '<c:lineChart><c:grouping val="standard"/>'
    for place, series in enumerate(plot.lines, start=len(plot.bars)):
        ink = _fill(series.colour)
        dashes = '<a:prstDash val="dash"/>' if series.is_edge else ""
        shape = f'<c:spPr><a:ln w="{int(_POINT * series.points)}">{ink}{dashes}</a:ln></c:spPr>'
        marker = '<c:symbol val="none"/>'
        if not series.is_edge:
            marker = f'<c:symbol val="circle"/><c:size val="4"/><c:spPr>{ink}<a:ln>{ink}</a:ln></c:spPr>'
        yield _series(place, series, f"{shape}<c:marker>{marker}</c:marker>")
    yield f'<c:marker val="1"/>{ids}</c:lineChart>'


def _series(place: int, series: Series, look: str) -> str:
    return "".join(
        [
            f'<c:ser><c:idx val="{place}"/><c:order val="{place}"/><c:tx><c:v>{_shown(series.name)}</c:v></c:tx>{look}',
            _labels(series.labels) if series.labels else "",
            _whiskers(*series.whiskers) if series.whiskers else "",
            f"<c:cat>{_names(series.names)}</c:cat>",
            f"<c:val>{_numbers(series.values, series.values.tokens())}</c:val></c:ser>",
        ]
    )


def _fill(colour: str) -> str:
    return f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>'


def _letters(shape: str, turned: str = "") -> str:
    """Return how texts look."""
    return (
        f"<c:txPr><a:bodyPr{turned}/><a:lstStyle/><a:p><a:pPr><a:defRPr{shape}</a:pPr>"
        '<a:endParaRPr lang="en-US"/></a:p></c:txPr>'
    )


def _labels(labels: Labels) -> str:
    ink = _fill(labels.ink)
    look = _letters(f' baseline="0">{ink}</a:defRPr>')
    shape = ""
    if labels.number_format:
        shape = f'<c:numFmt formatCode="{attribute_text(labels.number_format)}" sourceLinked="0"/>'
    where = "ctr" if labels.texts else "inBase"
    shown = f'<c:dLblPos val="{where}"/><c:showVal val="1"/>'
    texts = []
    for place, text in enumerate(labels.texts):
        if text is None:
            inner = '<c:delete val="1"/>'
        elif not text:
            inner = f"<c:spPr/>{look}"
        else:
            inner = (
                "<c:layout/><c:tx><c:rich><a:bodyPr/><a:lstStyle/><a:p><a:r>"
                f'<a:rPr lang="en-US" baseline="0">{ink}</a:rPr><a:t>{_shown(text)}</a:t></a:r></a:p></c:rich>'
                f"</c:tx>{shown}"
            )
        texts.append(f'<c:dLbl><c:idx val="{place}"/>{inner}</c:dLbl>')
    return f"<c:dLbls>{''.join(texts)}{shape}{look}{shown}</c:dLbls>"


def _whiskers(above: Cells, below: Cells) -> str:
    return (
        '<c:errBars><c:errBarType val="both"/><c:errValType val="cust"/>'
        f"<c:plus>{_numbers(above, above.values)}</c:plus><c:minus>{_numbers(below, below.values)}</c:minus>"
        f"<c:spPr><a:ln>{_fill(_INK)}</a:ln></c:spPr></c:errBars>"
    )


def _names(cells: Cells) -> str:
    tokens = cells.tokens()
    if _are_numbers(tokens):
        return _numbers(cells, tokens)
    shown = [(place, token) for place, token in enumerate(tokens) if token is not None]
    points = "".join(f'<c:pt idx="{place}"><c:v>{element_text(token)}</c:v></c:pt>' for place, token in shown)
    count = f'<c:ptCount val="{len(tokens)}"/>'
    return f"<c:strRef>{cells.formula()}<c:strCache>{count}{points}</c:strCache></c:strRef>"


def _numbers(cells: Cells, tokens: Sequence[Any]) -> str:
    shown = [(place, token) for place, token in enumerate(tokens) if token is not None]
    points = "".join(
        f'<c:pt idx="{place}"><c:v>{token if _is_number(token) else 0}</c:v></c:pt>' for place, token in shown
    )
    count = f'<c:formatCode>General</c:formatCode><c:ptCount val="{len(tokens)}"/>'
    return f"<c:numRef>{cells.formula()}<c:numCache>{count}{points}</c:numCache></c:numRef>"


def _are_numbers(tokens: Sequence[str | None]) -> bool:
    return all(token is None or (_is_number(token) and not _ODD.search(token)) for token in tokens)


def _is_number(token: Any) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _names_axis(plot: Plot, own: str, other: str) -> str:
    axis = plot.names_axis
    order, stands = ("maxMin", "l") if plot.is_lying else ("minMax", "b")
    are_numbers = _are_numbers((*plot.bars, *plot.lines)[0].names.tokens())
    numbers = '<c:numFmt formatCode="General" sourceLinked="1"/>' if are_numbers else ""
    where = "low" if plot.is_lying or axis.has_all else "nextTo"
    size = f' sz="{100 * axis.size}"' if axis.size else ""
    turned = _letters(f'{size} baseline="0"/>', f' rot="{60_000 * axis.turned}" vert="horz"') if axis.turned else ""
    return (
        f'<c:catAx><c:axId val="{own}"/><c:scaling><c:orientation val="{order}"/></c:scaling><c:axPos val="{stands}"/>'
        f"{_title(axis.title, _AXIS_TITLE)}"
        f"{numbers}{_NO_TICKS if axis.has_all else ''}"
        f'<c:tickLblPos val="{where}"/>{turned}<c:crossAx val="{other}"/><c:crosses val="autoZero"/><c:auto val="1"/>'
        f'<c:lblAlgn val="ctr"/><c:lblOffset val="100"/>'
        f"{_EVERY_NAME if axis.has_all else ''}</c:catAx>"
    )


def _values_axis(plot: Plot, other: str, own: str) -> str:
    axis = plot.values_axis
    # the labels of lying bars stand at the bottom: the other axis runs downwards
    stands, where = ("t", "high") if plot.is_lying else ("l", "nextTo")
    most = "" if axis.most is None else f'<c:max val="{axis.most}"/>'
    least = "" if axis.least is None else f'<c:min val="{axis.least}"/>'
    step = "" if axis.step is None else f'<c:majorUnit val="{axis.step}"/>'
    return (
        f'<c:valAx><c:axId val="{own}"/><c:scaling><c:orientation val="minMax"/>{most}{least}</c:scaling>'
        f'<c:axPos val="{stands}"/><c:majorGridlines><c:spPr><a:ln>{_fill(_GRID)}</a:ln></c:spPr></c:majorGridlines>'
        f"{_title(axis.title, _AXIS_TITLE, '' if plot.bars else _UPWARDS)}"
        f'<c:numFmt formatCode="{attribute_text(axis.number_format)}" sourceLinked="0"/><c:tickLblPos val="{where}"/>'
        f'<c:crossAx val="{other}"/><c:crosses val="autoZero"/><c:crossBetween val="between"/>{step}</c:valAx>'
    )


def _legend(plot: Plot) -> str:
    if not plot.has_legend:
        return ""
    left_out = "".join(
        f'<c:legendEntry><c:idx val="{place}"/><c:delete val="1"/></c:legendEntry>' for place in plot.unlisted
    )
    return f'<c:legend><c:legendPos val="b"/>{left_out}<c:layout/></c:legend>'
