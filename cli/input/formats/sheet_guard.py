"""How large a worksheet makes itself: readers make room for every cell up to the last, however few are filled."""

from __future__ import annotations

import codecs
import re
import zipfile
from typing import Final
from xml.parsers import expat

from scoresheet.cli.input.formats.archive_guard import check_prolog
from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.metrics.problems import reject

MOST_ROWS: Final = 1_048_576  # of a worksheet, by the format
MOST_COLUMNS: Final = 16_384
_CHUNK: Final = 2**20
_MARGIN: Final = 64  # of the next chunk, so that no address is cut in two
# How an address is written by every program, and how it may be written: the first is found ten times as fast.
_USUAL: Final = rb' r="'
_ANY: Final = rb"""\sr\s*=\s*["']"""
_LOOSE: Final = (b" =", b"\t=", b"\n=", b"\r=", b"\v=", b"\f=")  # without one of these no address is written r =
# An address beyond the last, which is XFD1048576, or in a row of 0; and, quicker to look for, one that may be such.
_FAR: Final = rb"(?:[A-Za-z]{3}|[A-Za-z]{0,2}(?:[0-9]{7}|0))"
_NOWHERE: Final = (
    rb"(?:[A-Za-z]{4}|[YyZz][A-Za-z]{2}[0-9]|[Xx](?:[G-Zg-z][A-Za-z]|[Ff][E-Ze-z])[0-9]"
    rb"|[A-Za-z]{0,3}(?:0|[0-9]{8}|[2-9][0-9]{6}|1[1-9][0-9]{5}|10[5-9][0-9]{4}|1049[0-9]{3}"
    rb"|1048[6-9][0-9]{2}|10485[89][0-9]|104857[7-9]))"
)
_WIDEST: Final = ((3, MOST_COLUMNS), (2, 702), (1, 26))  # the last column that so many letters name
_NO_INDEX: Final = rb't="s"[^>]*><v>(?![0-9]*</v>)'
_ANEW: Final = "open the file in Excel and save it again"
_MERGED: Final = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref\s*=\s*["']([^"']{0,40})""")
_AREA: Final = re.compile(rb"\$?([A-Za-z]{1,3})\$?([0-9]{1,10})(?::\$?([A-Za-z]{1,3})\$?([0-9]{1,10}))?\Z")
_OFFICE: Final = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"


def check_worksheet(xml: bytes, sheet: str, limits: Limits) -> None:
    """Refuse a worksheet whose cells reach too far, whose merged cells cover too much, or that readers misread."""
    check_prolog(xml)
    if b"\0" in xml and xml[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        reject("not-a-table", f"the sheet {sheet!r} has NUL characters, which no XML can hold; {_ANEW}")
    try:
        expat.ParserCreate().Parse(xml, True)
    except expat.ExpatError as error:  # where a tag is missing calamine reads on, and gives cells to others
        reject("not-a-table", f"the sheet {sheet!r} is not well-formed XML ({error}); {_ANEW}")
    if _has(xml, _NO_INDEX):
        # calamine gives the first of the shared strings for it
        reject("not-a-table", f"the sheet {sheet!r} has a text whose number among the file's is no number; {_ANEW}")
    # most of these blanks are in no worksheet, and one byte is found much sooner than two
    loose = any(each[:1] in xml and each in xml for each in _LOOSE)
    spelled = _USUAL if xml.count(_USUAL) == xml.count(b"r=") and not loose else _ANY
    digits = _digits_within(limits.cells)
    if not digits or _has(xml, spelled + rb"(?:[A-Za-z]{2}|[A-Za-z]?(?:[0-9]{%d}|0))" % (digits + 1)):
        _check_addresses(xml, spelled, sheet, limits)
    merged = _MERGED.findall(xml) if b"mergeCell" in xml else []
    covered = sum(height * width for height, width in (_size_of(area, sheet) for area in merged))
    if covered > limits.cells:
        refuse_over(limits, "cells", covered, f"the merged cells of the sheet {sheet!r} cover")


def _digits_within(most: int) -> int:
    """Return how many digits a row's number may have for rows of 26 cells to be within `most`, whatever the number."""
    return next((digits for digits in range(7, 0, -1) if 26 * 10**digits <= most), 0)


def _check_addresses(xml: bytes, spelled: bytes, sheet: str, limits: Limits) -> None:
    """Refuse a worksheet whose cells reach too far."""
    if _has(xml, spelled + _FAR) and _has(xml, spelled + _NOWHERE):
        reject("not-a-table", f"the sheet {sheet!r} has a row or cell at an address that no worksheet has")
    area = _cells_up_to_the_last(xml, spelled, limits.cells)
    if area > limits.cells:
        refuse_over(limits, "cells", area, f"up to its last row and column the sheet {sheet!r} has")


def _cells_up_to_the_last(xml: bytes, spelled: bytes, most: int) -> int:
    """Return how many cells a worksheet has room for; 0 if a glance at its addresses shows them to be within `most`."""
    columns = next((last for letters, last in _WIDEST if _has(xml, spelled + rb"[A-Za-z]{%d}[0-9]" % letters)), 1)
    digits = next((count for count in range(7, 0, -1) if _has(xml, spelled + rb"[A-Za-z]{0,3}[0-9]{%d}" % count)), 0)
    if columns * 10**digits <= most:
        return 0
    address = re.compile(spelled + rb"([A-Za-z]{0,3})([0-9]{1,7})")
    last_row = last_column = 0
    for start in range(0, len(xml), _CHUNK):
        found = address.findall(xml[start : start + _CHUNK + _MARGIN])
        last_row = max(last_row, max((int(row) for _, row in found), default=0))
        last_column = max(last_column, max(map(_column_number, {letters.upper() for letters, _ in found}), default=0))
    return last_row * last_column


def _has(xml: bytes, pattern: bytes) -> bool:
    return re.search(pattern, xml) is not None


def _size_of(area: bytes, sheet: str) -> tuple[int, int]:
    """Return the height and width of an area such as A2:B9; one that no worksheet can have is refused."""
    found = _AREA.match(area)
    rows, columns = (0, MOST_ROWS + 1), (0, 0)  # of what is no area
    if found:
        rows = int(found[2]), int(found[4] or found[2])
        columns = _column_number(found[1].upper()), _column_number((found[3] or found[1]).upper())
    if max(rows) > MOST_ROWS or max(columns) > MOST_COLUMNS:
        shown = area.decode("ascii", "backslashreplace")
        reject("not-a-table", f"the sheet {sheet!r} merges the cells {shown!r}, which no worksheet has")
    return max(rows) - min(rows) + 1, max(columns) - min(columns) + 1


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def check_ods(archive: zipfile.ZipFile, limits: Limits) -> None:
    """Refuse an ODS file whose repeated rows and columns make more cells than are read, or that is protected."""
    manifest = archive.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in archive.namelist() else b""
    if b"encryption-data" in manifest:
        reject("not-a-table", "the file is password-protected; open it, remove the password, and save it again")
    counter = _OdsCells()
    with archive.open("content.xml") as stream:
        first = True
        while chunk := stream.read(_CHUNK):
            if first:
                check_prolog(chunk)
                first = False
            counter.parser.Parse(chunk, False)
    if counter.cells > limits.cells:
        refuse_over(limits, "cells", counter.cells, "with its repeated rows and columns the file has")


class _OdsCells:
    """Counts the cells of an ODS file as a reader would make them: filled ones, as often as they are repeated."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._started
        self.parser.EndElementHandler = self._ended
        self.parser.CharacterDataHandler = self._said
        self.cells = 0  # of all rows so far
        self._row = self._repeated = self._behind = self._last = 0
        self._filled = False
        self._pending = 0  # rows without a cell: they count if a filled one follows

    def _started(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == f"{_OFFICE} table":
            self._pending = 0
        elif tag == f"{_OFFICE} table-row":
            self._row, self._behind = 0, 0
            self._repeated = _count(attributes.get(f"{_OFFICE} number-rows-repeated"))
        elif tag in (f"{_OFFICE} table-cell", f"{_OFFICE} covered-table-cell"):
            self._last = _count(attributes.get(f"{_OFFICE} number-columns-repeated"))
            self._filled = any(name.endswith((" value", " value-type", " formula")) for name in attributes)

    def _said(self, text: str) -> None:
        self._filled = self._filled or not text.isspace()

    def _ended(self, tag: str) -> None:
        if tag in (f"{_OFFICE} table-cell", f"{_OFFICE} covered-table-cell"):
            self._behind += self._last
            if self._filled:  # those without content before it are cells too
                self._row, self._filled = self._behind, False
        elif tag == f"{_OFFICE} table-row":
            if self._row:
                self.cells += self._row * (self._repeated + self._pending)
                self._pending = 0
            else:
                self._pending += self._repeated


def _count(text: str | None) -> int:
    """Return how often something is repeated; what is no number is the reader's to refuse."""
    return int(text) if text and text.isdecimal() and len(text) < 19 else 1
