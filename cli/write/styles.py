"""How cells look, and the numbers that the looks which a workbook uses have in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final

from scoresheet.cli.report.page import Kind
from scoresheet.cli.write.cell_text import XML_DECLARATION, attribute_text
from scoresheet.metrics.records import dataclass

_GENERAL: Final = "General"
_NUMBER_FORMATS: Final[dict[Kind, str]] = {
    "score": "0.000",
    "share": "0.0%",
    "chance": '[<0.001]"< 0.001";0.000',  # a p-value is never 0
    "count": "#,##0",
}
KINDS: Final[tuple[Kind, ...]] = ("key", "text", "label", "score", "share", "chance", "count", "spark")
WRAPPED: Final = ("text", "key", "label")
_CENTRED: Final = ("label", "score", "share", "chance", "count")
WORST, MIDDLE, BEST = "F6C1B3", "FFF6D6", "B5DDB0"
_DARK: Final = "2F4B66"
_OWN_FORMATS: Final = 164  # the first number of a format that is not one of the usual ones
_APPLIED: Final = ("NumberFormat", "Font", "Fill", "Border")
_NORMAL: Final = '<cellStyle name="Normal" xfId="0" builtinId="0"/>'
_SETS_KEPT: Final = 64  # of looks: the workbooks of a run have few


@dataclass(frozen=True, eq=False)
class Style:
    """How a cell looks; its text is in Calibri, and colours are in hexadecimal. `style_of` makes one of each look."""

    number_format: str = _GENERAL
    bold: bool = False
    underlined: bool = False
    size: int = 11
    ink: str = ""
    fill: str = ""
    line_above: bool = False
    centred: bool = False
    middle: bool = False  # it stands in the middle of its height
    wrapped: bool = False

    def font(self) -> str:
        """Return its letters, in XML."""
        colour = f'rgb="FF{self.ink}"' if self.ink else 'theme="1"'
        return (
            f'<font>{"<b/>" if self.bold else ""}{"<u/>" if self.underlined else ""}<sz val="{self.size}"/>'
            f'<color {colour}/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font>'
        )

    def background(self) -> str:
        """Return what it is filled with."""
        if not self.fill:
            return '<fill><patternFill patternType="none"/></fill>'
        colours = f'<fgColor rgb="FF{self.fill}"/><bgColor indexed="64"/>'
        return f'<fill><patternFill patternType="solid">{colours}</patternFill></fill>'

    def border(self) -> str:
        """Return the lines around it."""
        top = '<top style="thin"><color auto="1"/></top>' if self.line_above else "<top/>"
        return f"<border><left/><right/>{top}<bottom/><diagonal/></border>"

    def alignment(self) -> str:
        """Return where its text stands."""
        across, wrap = ' horizontal="center"' if self.centred else "", ' wrapText="1"' if self.wrapped else ""
        return f'<alignment{across} vertical="{"center" if self.middle else "top"}"{wrap}/>'


@cache
def style_of(**shape: Any) -> Style:
    """Return a style; those that look the same are one, so that they have one number."""
    return Style(**shape)


def _shape(kind: Kind) -> dict[str, Any]:
    number_format = _NUMBER_FORMATS.get(kind, _GENERAL)
    return {"number_format": number_format, "centred": kind in _CENTRED, "wrapped": kind in WRAPPED}


CELLS: Final = {kind: style_of(**_shape(kind)) for kind in KINDS}
HEADERS: Final = {kind: style_of(**_shape(kind), bold=True, ink="FFFFFF", fill=_DARK, middle=True) for kind in KINDS}
TOTALS: Final = {kind: style_of(**_shape(kind), bold=True, fill="EDF1F5", line_above=True) for kind in KINDS}
LINK: Final = style_of(ink="1155CC", underlined=True, wrapped=True)
HEADING: Final = style_of(bold=True, size=13, ink=_DARK)
NAME: Final = style_of(bold=True, wrapped=True)


class StyleNumbers:
    """The numbers of the styles of one workbook, in the order in which they are asked for."""

    def __init__(self) -> None:
        self._cells: dict[Style, int] = {}
        self._tints: dict[str, int] = {}

    def of_cells(self, style: Style) -> int:
        """Return the number of what cells look like; 0 is how they look by themselves."""
        return self._cells.setdefault(style, len(self._cells) + 1)

    def of_tint(self, colour: str) -> int:
        """Return the number of a colour that cells have by what they hold."""
        return self._tints.setdefault(colour, len(self._tints))

    def part(self) -> bytes:
        """Return the part of the workbook that says what the numbers stand for."""
        return _styles_xml(tuple(self._cells), tuple(self._tints))


@lru_cache(_SETS_KEPT)
def _styles_xml(cells: tuple[Style, ...], tints: tuple[str, ...]) -> bytes:
    usual = Style()
    styles = (usual, *cells)
    formats = dict.fromkeys(style.number_format for style in cells if style.number_format != _GENERAL)
    numbers = {_GENERAL: 0} | {name: number for number, name in enumerate(formats, start=_OWN_FORMATS)}
    fonts, borders = (list(dict.fromkeys(each)) for each in (map(Style.font, styles), map(Style.border, styles)))
    patterned = '<fill><patternFill patternType="gray125"/></fill>'  # every workbook has it
    fills = list(dict.fromkeys([usual.background(), patterned, *map(Style.background, styles)]))
    made = [f'<xf{_ids(0, 0, 0, 0)} xfId="0"/>']
    for style in cells:
        ids = (
            numbers[style.number_format],
            fonts.index(style.font()),
            fills.index(style.background()),
            borders.index(style.border()),
        )
        given = "".join(f' apply{what}="1"' for what, number in zip(_APPLIED, ids, strict=True) if number)
        made.append(f'<xf{_ids(*ids)} xfId="0"{given} applyAlignment="1">{style.alignment()}</xf>')
    shown = [f'<numFmt numFmtId="{numbers[name]}" formatCode="{attribute_text(name)}"/>' for name in formats]
    coloured = [f'<dxf><fill><patternFill><bgColor rgb="FF{colour}"/></patternFill></fill></dxf>' for colour in tints]
    return (
        f'{XML_DECLARATION}<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"{_list('numFmts', shown) if shown else ''}{_list('fonts', fonts)}{_list('fills', fills)}"
        f"{_list('borders', borders)}{_list('cellStyleXfs', [f'<xf{_ids(0, 0, 0, 0)}/>'])}{_list('cellXfs', made)}"
        f"{_list('cellStyles', [_NORMAL])}{_list('dxfs', coloured)}"
        '<tableStyles count="0" defaultTableStyle="TableStyleMedium9" defaultPivotStyle="PivotStyleLight16"/>'
        "</styleSheet>"
    ).encode()


def _ids(number_format: int, font: int, fill: int, border: int) -> str:
    return f' numFmtId="{number_format}" fontId="{font}" fillId="{fill}" borderId="{border}"'


def _list(name: str, elements: Sequence[str]) -> str:
    if not elements:
        return f'<{name} count="0"/>'
    return f'<{name} count="{len(elements)}">{"".join(elements)}</{name}>'
