"""How cells look, and the numbers that the looks which a workbook uses have in it."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from scoresheet.cli.report.page import Kind

_NUMBER_FORMATS: Final[dict[Kind, str]] = {
    "score": "0.000",
    "share": "0.0%",
    "chance": '[<0.001]"< 0.001";0.000',  # a p-value is never 0
    "count": "#,##0",
}
KINDS: Final[tuple[Kind, ...]] = ("key", "text", "label", "score", "share", "chance", "count", "spark")
WRAPPED: Final = ("text", "key", "label")
_CENTRED: Final = ("label", "score", "share", "chance", "count")
WORST, MIDDLE, BEST = "#F6C1B3", "#FFF6D6", "#B5DDB0"
_SHAPES_KEPT: Final = 64  # sets of looks whose parts are kept: the workbooks of a run have few
_BASE: Final = {"num_format": "General", "valign": "top", "font_name": "Calibri", "font_size": 11}
_HEADER: Final = {"bold": True, "font_color": "#FFFFFF", "bg_color": "#2F4B66", "valign": "vcenter"}


@dataclass(frozen=True)
class Style:
    """How a cell looks, as XlsxWriter calls it."""

    shape: tuple[tuple[str, Any], ...]


def _style(*shapes: dict[str, Any]) -> Style:
    return Style(tuple(sorted({name: value for shape in shapes for name, value in shape.items()}.items())))


def _shape(kind: Kind) -> dict[str, Any]:
    shape: dict[str, Any] = _BASE | {"num_format": _NUMBER_FORMATS.get(kind, "General")}
    shape |= {"text_wrap": True} if kind in WRAPPED else {}
    return shape | ({"align": "center"} if kind in _CENTRED else {})


HEADERS: Final = {kind: _style(_shape(kind), _HEADER) for kind in KINDS}
CELLS: Final = {kind: _style(_shape(kind)) for kind in KINDS}
TOTALS: Final = {kind: _style(_shape(kind), {"bold": True, "top": 1, "bg_color": "#EDF1F5"}) for kind in KINDS}
GOOD, MIDDLING, BAD = (_style({"bg_color": colour}) for colour in (BEST, MIDDLE, WORST))
LINK: Final = _style(_BASE, {"font_color": "#1155CC", "underline": 1, "text_wrap": True})
HEADING: Final = _style(_BASE, {"bold": True, "font_size": 13, "font_color": "#2F4B66"})
NAME: Final = _style(_BASE, {"bold": True, "text_wrap": True})


class StyleNumbers:
    """The numbers of the styles of one workbook, in the order in which they are asked for."""

    def __init__(self) -> None:
        self._cells: dict[Style, int] = {}
        self._tints: dict[Style, int] = {}

    def of_cells(self, style: Style) -> int:
        """Return the number of what cells look like; 0 is how they look by themselves."""
        return self._cells.setdefault(style, len(self._cells) + 1)

    def of_tint(self, style: Style) -> int:
        """Return the number of a look that depends on what a cell holds."""
        return self._tints.setdefault(style, len(self._tints))

    def part(self) -> bytes:
        """Return the part of the workbook that says what the numbers stand for."""
        return _parts(tuple(self._cells), tuple(self._tints))["xl/styles.xml"]


def theme_part() -> bytes:
    """Return the part of a workbook that names its colours and fonts."""
    return _parts((), ())["xl/theme/theme1.xml"]


@lru_cache(_SHAPES_KEPT)
def _parts(cells: tuple[Style, ...], tints: tuple[Style, ...]) -> dict[str, bytes]:
    """Return the parts of a workbook with cells of these looks: XlsxWriter knows how they are written."""
    from xlsxwriter import Workbook

    stream = io.BytesIO()
    with Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for column, style in enumerate(cells):
            sheet.write_blank(0, column, None, book.add_format(dict(style.shape)))
        for column, style in enumerate(tints):
            rule = {"type": "cell", "criteria": "==", "value": 0, "format": book.add_format(dict(style.shape))}
            sheet.conditional_format(1, column, 1, column, rule)
    with zipfile.ZipFile(stream) as archive:
        return {name: archive.read(name) for name in ("xl/styles.xml", "xl/theme/theme1.xml")}
