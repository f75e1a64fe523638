"""What xlsx readers do not tell: formulas without a stored value, error cells, and where each sheet's part is.

Readers give '' for both, which would pass for an empty answer. The scan looks at the raw bytes first and parses a
sheet only if they hold a formula or an error, so that ordinary files pay for one decompression and two searches.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from dataclasses import field
from pathlib import Path
from typing import IO, Final, NamedTuple
from xml.etree import ElementTree

from scoresheet.cli.input.formats.archive_guard import check_part
from scoresheet.cli.input.formats.archive_parts import Parts
from scoresheet.cli.input.formats.sheet_guard import check_worksheet
from scoresheet.cli.input.guard import open_regular
from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.metrics.records import dataclass

RELATIONS: Final = "xl/_rels/workbook.xml.rels"
WORKBOOK: Final = "xl/workbook.xml"
_SUSPECT: Final = re.compile(rb"""<(?:\w+:)?f[\s/>]|\st=["']e["']""")
_SIGNS: Final = (b"<f", b":f", b'="e"', b"='e'")
_ADDRESS: Final = re.compile(r"([A-Z]+)([0-9]+)$")
_TAG: Final = re.compile(rb"<(?:\w+:)?(row|c)(\s[^>]*)?>")
_STATED: Final = re.compile(rb"""\sr\s*=\s*["']([^"']*)["']""")
_PLAIN: Final = re.compile(r"[A-Za-z]*[0-9]*\Z", re.ASCII)
RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_REL: Final = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"


@dataclass
class SheetScan:
    """The cells of one sheet that a reader would pass off as empty."""

    # by place, (row from 1, column from 0): the cell's address, and what the cell shows
    uncalculated: dict[tuple[int, int], str] = field(default_factory=dict)
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    part: str = ""  # of the archive
    values: int = 0  # that are written in it


class ListedSheet(NamedTuple):
    """A sheet as the workbook lists it."""

    said: dict[str, str]
    target: str
    part: str  # of the archive


def scan_sheets(archive: zipfile.ZipFile, limits: Limits) -> dict[str, SheetScan]:
    """Return the scan of every sheet, by name; KeyError if one that the workbook lists is not in the file.

    What a reader would choke on is refused on the way, where each part is unpacked once.
    """
    parts = Parts(archive)
    for name in filter(is_further_part, archive.namelist()):
        check_part(parts, name)
    sheets = _parts(archive)
    if len(sheets) > limits.sheets:
        refuse_over(limits, "sheets", len(sheets), "the workbook has")
    return {name: _checked_scan(parts.read(part), part, name, limits) for name, part in sheets}


def is_further_part(name: str) -> bool:
    """Return whether a part is XML that a reader may read besides the worksheets."""
    return name.startswith("xl/") and name.endswith((".xml", ".rels")) and not name.startswith("xl/worksheets/")


def _checked_scan(xml: bytes, part: str, sheet: str, limits: Limits) -> SheetScan:
    check_worksheet(xml, sheet, limits)
    scan = _scan(xml)
    scan.part, scan.values = part, xml.count(b"<v>") + xml.count(b"<is>")
    return scan


def repeated_address(path: Path, part: str) -> str:
    """Return an address that two cells of a sheet have, of which readers give one and drop the other; '' if none.

    It takes longer than reading the sheet, and is asked only where fewer values were read than are written.
    """
    taken: set[tuple[int, int]] = set()
    row = column = 0
    for kind, attributes in _TAG.findall(_xml(path, part)):
        stated = _STATED.search(attributes)
        where = _ADDRESS.match(stated[1].decode("utf-8", "replace").upper()) if stated else None
        if kind == b"row":
            row, column = int(stated[1]) if stated and stated[1].isdigit() else row + 1, -1
            continue
        # a cell that does not say where it is follows the last one
        place = (int(where[2]), _column_number(where[1])) if where else (row, column + 1)
        if place in taken:
            return f"row {place[0]}, column {place[1] + 1}"
        taken.add(place)
        column = place[1]
    return ""


def odd_address(path: Path, part: str) -> str:
    """Return what a sheet gives as an address and is none, though a lenient reader makes one of it; '' if none."""
    stated = (
        each.decode("utf-8", "replace") for _, tag in _TAG.findall(_xml(path, part)) for each in _STATED.findall(tag)
    )
    return next((each for each in stated if not _PLAIN.match(each)), "")


def _xml(path: Path, part: str) -> bytes:
    with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
        return archive.read(part)


def _parts(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    """Return the name of each sheet with its part."""
    with archive.open(RELATIONS) as relations, archive.open(WORKBOOK) as workbook:
        listed = listed_sheets(_parse(relations), _parse(workbook))
    return [(sheet.said.get("name", ""), sheet.part) for sheet in listed]


def listed_sheets(relations: ElementTree.Element, workbook: ElementTree.Element) -> list[ListedSheet]:
    """Return the sheets of a workbook in their order."""
    targets = {each.get("Id"): each.get("Target", "") for each in relations}
    listed = []
    for element in workbook.iter():
        if local_name(element.tag) == "sheet":
            target = targets.get(element.get(RELATION) or element.get(_STRICT_REL), "")
            part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
            listed.append(ListedSheet(element.attrib, target, part))
    return listed


def _scan(xml: bytes) -> SheetScan:
    scan = SheetScan()
    if not may_hold_suspects(xml):
        return scan
    for cell in ElementTree.fromstring(xml).iter():  # noqa: S314 - expat limits entity expansion itself
        if local_name(cell.tag) == "c":
            _look_at(cell, scan)
    return scan


def may_hold_suspects(xml: bytes) -> bool:
    """Return whether there may be a formula or an error in a sheet."""
    # most sheets have none of these bytes, and looking for them takes a tenth of the time of the pattern
    return any(sign in xml for sign in _SIGNS) and _SUSPECT.search(xml) is not None


def _look_at(cell: ElementTree.Element, scan: SheetScan) -> None:
    children = {local_name(child.tag): child for child in cell}
    address, kind = cell.get("r", ""), cell.get("t", "n")
    value = children["v"].text if "v" in children else None
    where = _ADDRESS.match(address)
    place = (int(where[2]), _column_number(where[1])) if where else (0, -1)
    if "f" in children and not value and not (kind == "str" and "v" in children):
        scan.uncalculated[place] = address or "somewhere"
    elif kind == "e":
        scan.errors[place] = value or "#ERROR"


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def local_name(tag: str) -> str:
    """Return the name of an element without its namespace."""
    return tag.rpartition("}")[2]


def _parse(stream: IO[bytes]) -> ElementTree.Element:
    return ElementTree.parse(stream).getroot()  # noqa: S314 - expat limits entity expansion itself
