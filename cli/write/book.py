"""The file of a workbook: its worksheets, and the parts that hold them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from scoresheet.cli.write.archive import Archive
from scoresheet.cli.write.cell_text import XML_DECLARATION, attribute_text, element_text, escape_control_characters
from scoresheet.cli.write.cells import CellEnds
from scoresheet.cli.write.drawing import Picture
from scoresheet.cli.write.office_theme import theme_xml
from scoresheet.cli.write.plot import plot_xml
from scoresheet.cli.write.relations import DOCUMENT, PACKAGE, Relation, relations_xml
from scoresheet.cli.write.shared_strings import SharedStrings
from scoresheet.cli.write.sheet import Sheet
from scoresheet.cli.write.styles import StyleNumbers

# A workbook carries a date of creation, and equal runs must give equal bytes: so it is always the same one.
_CREATED: Final = "2000-01-01T00:00:00Z"
_FILTER: Final = "_xlnm._FilterDatabase"
_HIDDEN: Final = ' hidden="1"'
_DUBLIN_CORE: Final = 1.1  # the version of its names for what a document is
_SCHEMA: Final = "http://schemas.openxmlformats.org"
_DOCUMENT_TYPE: Final = "application/vnd.openxmlformats-officedocument."
_PACKAGE_TYPE: Final = "application/vnd.openxmlformats-package."
_TYPES: Final = (
    ("docProps/app.xml", f"{_DOCUMENT_TYPE}extended-properties+xml"),
    ("docProps/core.xml", f"{_PACKAGE_TYPE}core-properties+xml"),
    ("xl/styles.xml", f"{_DOCUMENT_TYPE}spreadsheetml.styles+xml"),
    ("xl/theme/theme1.xml", f"{_DOCUMENT_TYPE}theme+xml"),
    ("xl/workbook.xml", f"{_DOCUMENT_TYPE}spreadsheetml.sheet.main+xml"),
)
_THEME: Final = theme_xml()
_KEPT: Final = 16  # numbers of sheets whose parts are known already
_ROOT: Final = relations_xml(
    [
        Relation("officeDocument", "xl/workbook.xml"),
        Relation("metadata/core-properties", "docProps/core.xml", schema=PACKAGE),
        Relation("extended-properties", "docProps/app.xml"),
    ]
)

Name = tuple[str, int, str, bool]  # what the workbook knows by it: the sheet's place, its cells, whether nobody sees it


class Book:
    """A workbook: gathers worksheets, and writes them."""

    def __init__(self, title: str) -> None:
        self._title = escape_control_characters(title)
        self._sheets: list[Sheet] = []
        self._strings = SharedStrings()
        self._ends = CellEnds(self._strings)
        self._numbers = StyleNumbers()

    def add_sheet(self, name: str) -> Sheet:
        """Return a new worksheet."""
        if any(sheet.name.casefold() == name.casefold() for sheet in self._sheets):
            raise ValueError(f"two worksheets of a workbook are called {name!r}")
        sheet = Sheet(name, self._strings, self._ends, self._numbers, is_first=not self._sheets)
        self._sheets.append(sheet)
        return sheet

    def write(self, path: Path) -> str:
        """Write the workbook and return its SHA-256; OSError if that fails."""
        names = sorted(self._defined_names(), key=lambda name: _sorted_by(name[0], name[2]))
        drawn = [sheet for sheet in self._sheets if sheet.drawn]
        pictures = [[each.chart for each in sheet.drawn if isinstance(each, Picture)] for sheet in drawn]
        charts = [chart for own in pictures for chart in own]
        sheets, shares = len(self._sheets), len(self._strings) > 0
        with Archive(path) as archive:
            archive.add_again("[Content_Types].xml", _content_types(sheets, len(charts), len(drawn), shares=shares))
            archive.add_again("_rels/.rels", _ROOT)
            archive.add_again("xl/_rels/workbook.xml.rels", _relations(sheets, shares=shares))
            for number, sheet in enumerate(self._sheets, start=1):
                archive.add(f"xl/worksheets/sheet{number}.xml", sheet.pieces())
            archive.add_again("xl/workbook.xml", self._workbook(names))
            for number, chart in enumerate(charts, start=1):
                archive.add(f"xl/charts/chart{number}.xml", [plot_xml(chart, number)])
            for number, sheet in enumerate(drawn, start=1):
                archive.add_again(f"xl/drawings/drawing{number}.xml", sheet.drawing())
            if shares:
                archive.add("xl/sharedStrings.xml", self._strings.pieces())
            archive.add_again("xl/styles.xml", self._numbers.part())
            archive.add_again("xl/theme/theme1.xml", _THEME)
            for number, sheet in enumerate(self._sheets, start=1):
                place = drawn.index(sheet) + 1 if sheet in drawn else 0
                if relations := sheet.relations(place):
                    archive.add_again(f"xl/worksheets/_rels/sheet{number}.xml.rels", relations_xml(relations))
            first = 1
            for drawing, own in enumerate(pictures, start=1):
                targets = [f"../charts/chart{number}.xml" for number in range(first, first + len(own))]
                first += len(own)
                if targets:
                    relations = [Relation("chart", target) for target in targets]
                    archive.add_again(f"xl/drawings/_rels/drawing{drawing}.xml.rels", relations_xml(relations))
            archive.add("docProps/core.xml", [self._core()])
            archive.add_again("docProps/app.xml", self._app(names))
        return archive.sha256

    def _defined_names(self) -> Iterable[Name]:
        for place, sheet in enumerate(self._sheets):
            for name, cells, hidden in sheet.defined_names():
                yield name, place, cells, hidden

    def _workbook(self, names: Sequence[Name]) -> bytes:
        sheets = "".join(
            f'<sheet name="{attribute_text(sheet.name)}" sheetId="{number}" r:id="rId{number}"/>'
            for number, sheet in enumerate(self._sheets, start=1)
        )
        made = "".join(
            f'<definedName name="{name}" localSheetId="{place}"{_HIDDEN if hidden else ""}>{element_text(cells)}'
            "</definedName>"
            for name, place, cells, hidden in names
        )
        return (
            f'{XML_DECLARATION}<workbook xmlns="{_SCHEMA}/spreadsheetml/2006/main" xmlns:r="{DOCUMENT}">'
            '<fileVersion appName="xl" lastEdited="4" lowestEdited="4" rupBuild="4505"/>'
            '<workbookPr defaultThemeVersion="124226"/>'
            '<bookViews><workbookView xWindow="240" yWindow="15" windowWidth="16095" windowHeight="9660"/></bookViews>'
            f"<sheets>{sheets}</sheets>{f'<definedNames>{made}</definedNames>' if made else ''}"
            '<calcPr calcId="124519" fullCalcOnLoad="1"/></workbook>'
        ).encode()

    def _core(self) -> bytes:
        date = f'xsi:type="dcterms:W3CDTF">{_CREATED}'
        return (
            f'{XML_DECLARATION}<cp:coreProperties xmlns:cp="{_SCHEMA}/package/2006/metadata/core-properties"'
            f' xmlns:dc="http://purl.org/dc/elements/{_DUBLIN_CORE}/" xmlns:dcterms="http://purl.org/dc/terms/"'
            ' xmlns:dcmitype="http://purl.org/dc/dcmitype/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
            f"<dc:title>{element_text(self._title)}</dc:title><dc:creator>scoresheet</dc:creator>"
            f"<cp:lastModifiedBy>scoresheet</cp:lastModifiedBy><dcterms:created {date}</dcterms:created>"
            f"<dcterms:modified {date}</dcterms:modified></cp:coreProperties>"
        ).encode()

    def _app(self, names: Sequence[Name]) -> bytes:
        sheets = [sheet.name for sheet in self._sheets]
        ranges = [
            f"{self._sheets[place].quoted}!{name.removeprefix('_xlnm.')}"
            for name, place, _, _ in names
            if name != _FILTER
        ]
        pairs = [
            f"<vt:variant><vt:lpstr>{name}</vt:lpstr></vt:variant><vt:variant><vt:i4>{count}</vt:i4></vt:variant>"
            for name, count in (("Worksheets", len(sheets)), ("Named Ranges", len(ranges)))
            if count
        ]
        titles = "".join(f"<vt:lpstr>{element_text(name)}</vt:lpstr>" for name in (*sheets, *ranges))
        return (
            f'{XML_DECLARATION}<Properties xmlns="{_SCHEMA}/officeDocument/2006/extended-properties"'
            f' xmlns:vt="{_SCHEMA}/officeDocument/2006/docPropsVTypes"><Application>Microsoft Excel</Application>'
            "<DocSecurity>0</DocSecurity><ScaleCrop>false</ScaleCrop>"
            f'<HeadingPairs><vt:vector size="{2 * len(pairs)}" baseType="variant">{"".join(pairs)}</vt:vector>'
            "</HeadingPairs>"
            f'<TitlesOfParts><vt:vector size="{len(sheets) + len(ranges)}" baseType="lpstr">{titles}</vt:vector>'
            "</TitlesOfParts><Company></Company><LinksUpToDate>false</LinksUpToDate><SharedDoc>false</SharedDoc>"
            "<HyperlinksChanged>false</HyperlinksChanged><AppVersion>12.0000</AppVersion></Properties>"
        ).encode()


@lru_cache(_KEPT)
def _content_types(sheets: int, charts: int, drawings: int, *, shares: bool) -> bytes:
    """Return the part that says of what type each part of a workbook is."""
    parts = [
        *((f"xl/worksheets/sheet{number + 1}.xml", "spreadsheetml.worksheet") for number in range(sheets)),
        *((f"xl/charts/chart{number + 1}.xml", "drawingml.chart") for number in range(charts)),
        *((f"xl/drawings/drawing{number + 1}.xml", "drawing") for number in range(drawings)),
        *([("xl/sharedStrings.xml", "spreadsheetml.sharedStrings")] if shares else []),
    ]
    types = [*_TYPES, *((part, f"{_DOCUMENT_TYPE}{kind}+xml") for part, kind in parts)]
    made = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in types)
    return (
        f'{XML_DECLARATION}<Types xmlns="{_SCHEMA}/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{_PACKAGE_TYPE}relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{made}</Types>'
    ).encode()


@lru_cache(_KEPT)
def _relations(sheets: int, *, shares: bool) -> bytes:
    """Return the part that lists what a workbook of so many sheets points to."""
    own = [Relation("worksheet", f"worksheets/sheet{number + 1}.xml") for number in range(sheets)]
    shared = [Relation("sharedStrings", "sharedStrings.xml")] if shares else []
    return relations_xml([*own, Relation("theme", "theme/theme1.xml"), Relation("styles", "styles.xml"), *shared])


def _sorted_by(name: str, cells: str) -> str:
    """Return what the workbook sorts its names by."""
    return f"{name.removeprefix('_xlnm.').lower()}::{cells.lstrip(chr(39)).lower()}"
