"""What is drawn over the cells of a worksheet, charts and a sentence in a box: where it stands, in a workbook's XML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from scoresheet.cli.write.cell_text import XML_DECLARATION, element_text
from scoresheet.cli.write.plot import Plot
from scoresheet.metrics.records import dataclass

DEFAULT_ROW: Final = 20  # pixels of a row that is one line high
DEFAULT_COLUMN: Final = 64  # pixels of a column whose width nobody set
_UNITS: Final = 9525  # of a drawing, in a pixel
_START: Final = (
    f"{XML_DECLARATION}<xdr:wsDr"
    ' xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
)
_CHART: Final = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_INK: Final = '<a:solidFill><a:srgbClr val="2F4B66"/></a:solidFill>'
_BOX_SHAPE: Final = (
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:schemeClr val="lt1"/></a:solidFill>'
    f'<a:ln w="9525" cmpd="sng">{_INK}</a:ln></xdr:spPr><xdr:style>'
    '<a:lnRef idx="0"><a:scrgbClr r="0" g="0" b="0"/></a:lnRef>'
    '<a:fillRef idx="0"><a:scrgbClr r="0" g="0" b="0"/></a:fillRef>'
    '<a:effectRef idx="0"><a:scrgbClr r="0" g="0" b="0"/></a:effectRef>'
    '<a:fontRef idx="minor"><a:schemeClr val="dk1"/></a:fontRef></xdr:style>'
    '<xdr:txBody><a:bodyPr wrap="square" rtlCol="0" anchor="ctr" anchorCtr="0"/><a:lstStyle/>'
)


@dataclass(frozen=True)
class Frame:
    """A place on a worksheet: the cell it begins in, how far from the cell's corner, and its size; all in pixels."""

    row: int
    column: int
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Picture:
    """A chart in its place."""

    frame: Frame
    chart: Plot


@dataclass(frozen=True)
class TextBox:
    """A text in its place."""

    frame: Frame
    text: str


def drawing_xml(drawn: Sequence[Picture | TextBox], widths: Mapping[int, int], heights: Mapping[int, int]) -> bytes:
    """Return the part of what is drawn, given the columns and rows that are not as wide and high as others."""
    ordered = sorted(drawn, key=lambda each: isinstance(each, TextBox))  # charts first
    made = [_START]
    for number, each in enumerate(ordered, start=1):
        made.append(_anchor(each.frame, widths, heights))
        if isinstance(each, Picture):
            made.append(_picture(number))
        else:
            made.append(_box(number, each, widths, heights))
        made.append("<xdr:clientData/></xdr:twoCellAnchor>")
    return "".join([*made, "</xdr:wsDr>"]).encode()


def _anchor(frame: Frame, widths: Mapping[int, int], heights: Mapping[int, int]) -> str:
    """Return the cells that something begins and ends in, and where in them; it moves with cells and keeps its size."""
    column, left = _walk(frame.column, frame.x, widths, DEFAULT_COLUMN)
    row, top = _walk(frame.row, frame.y, heights, DEFAULT_ROW)
    last_column, right = _walk(column, left + frame.width, widths, DEFAULT_COLUMN)
    last_row, bottom = _walk(row, top + frame.height, heights, DEFAULT_ROW)
    return (
        '<xdr:twoCellAnchor editAs="oneCell">'
        f"<xdr:from>{_corner(column, left, row, top)}</xdr:from><xdr:to>{_corner(last_column, right, last_row, bottom)}"
        "</xdr:to>"
    )


def _walk(cell: int, pixels: int, sizes: Mapping[int, int], usual: int) -> tuple[int, int]:
    """Return the cell that lies so many pixels on, and how many of them lie in it."""
    while pixels >= (size := sizes.get(cell, usual)):
        pixels -= size
        cell += 1
    return cell, pixels


def _corner(column: int, x: int, row: int, y: int) -> str:
    return (
        f"<xdr:col>{column}</xdr:col><xdr:colOff>{x * _UNITS}</xdr:colOff>"
        f"<xdr:row>{row}</xdr:row><xdr:rowOff>{y * _UNITS}</xdr:rowOff>"
    )


def _picture(number: int) -> str:
    return (
        f'<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="{number + 1}" name="Chart {number}"/>'
        '<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>'
        f'<a:graphic><a:graphicData uri="{_CHART}"><c:chart xmlns:c="{_CHART}" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
        f'r:id="rId{number}"/></a:graphicData></a:graphic></xdr:graphicFrame>'
    )


def _box(number: int, box: TextBox, widths: Mapping[int, int], heights: Mapping[int, int]) -> str:
    frame = box.frame
    x = sum(widths.get(column, DEFAULT_COLUMN) for column in range(frame.column)) + frame.x
    y = sum(heights.get(row, DEFAULT_ROW) for row in range(frame.row)) + frame.y
    paragraphs = "".join(map(_paragraph, box.text.split("\n")))
    return (
        f'<xdr:sp macro="" textlink=""><xdr:nvSpPr><xdr:cNvPr id="{number + 1}" name="TextBox {number}"/>'
        f'<xdr:cNvSpPr txBox="1"/></xdr:nvSpPr><xdr:spPr><a:xfrm><a:off x="{x * _UNITS}" y="{y * _UNITS}"/>'
        f'<a:ext cx="{frame.width * _UNITS}" cy="{frame.height * _UNITS}"/></a:xfrm>{_BOX_SHAPE}'
        f"{paragraphs}</xdr:txBody></xdr:sp>"
    )


def _paragraph(line: str) -> str:
    if not line:
        return f'<a:p><a:endParaRPr lang="en-US" sz="1200" b="1">{_INK}</a:endParaRPr></a:p>'
    return f'<a:p><a:r><a:rPr lang="en-US" sz="1200" b="1">{_INK}</a:rPr><a:t>{element_text(line)}</a:t></a:r></a:p>'
