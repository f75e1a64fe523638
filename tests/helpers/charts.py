"""The charts of a workbook, found by the links between its parts."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from xml.etree import ElementTree

PACKAGE = "{http://schemas.openxmlformats.org/package/2006/relationships}"
OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def linked(book: zipfile.ZipFile, part: str) -> dict[str, str]:
    """The parts of a workbook that one part leads to, by the name of the link."""
    folder, name = posixpath.split(part)
    links = f"{folder}/_rels/{name}.rels"
    if links not in book.namelist():
        return {}
    return {
        link.attrib["Id"]: posixpath.normpath(posixpath.join("/", folder, link.attrib["Target"])).lstrip("/")
        for link in ElementTree.fromstring(book.read(links)).iter(f"{PACKAGE}Relationship")
    }


def charts(path: Path, page: str) -> list[str]:
    """The XML of the charts on one page of a workbook."""
    with zipfile.ZipFile(path) as book:
        pages = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{MAIN}sheet")
        (link,) = (sheet.attrib[f"{OFFICE}id"] for sheet in pages if sheet.attrib["name"] == page)
        drawings = linked(book, linked(book, "xl/workbook.xml")[link]).values()
        found = [part for drawing in drawings if "drawing" in drawing for part in linked(book, drawing).values()]
        return [book.read(part).decode("utf-8") for part in found if "/charts/" in part]
