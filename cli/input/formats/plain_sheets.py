"""Workbooks as programs write them, read in one pass where that is compiled; what is in any doubt is left to others.

A sheet is plain if its rows are what `_sheets.c` accepts and what stands around them passes the guards. It then means
the same to every reader, so that nothing is refused or noted of it. Else the whole workbook goes the long way, through
the guards and calamine: they are the twin of this, and give the same where both read.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

from scoresheet.cli.input.formats.archive_guard import check_xml
from scoresheet.cli.input.formats.archive_parts import OddPart, Parts
from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.sheet_guard import check_worksheet
from scoresheet.cli.input.formats.xlsx_scan import (
    RELATION,
    RELATIONS,
    WORKBOOK,
    is_further_part,
    listed_sheets,
    local_name,
    may_hold_suspects,
)
from scoresheet.cli.input.limits import Limits
from scoresheet.metrics.compiled import TWIN, compiled_part, why_twin
from scoresheet.metrics.problems import InputError

_PART = compiled_part("scoresheet.cli.input.formats._sheets")
REVISION: Final = 1  # of what is called here; the same number stands in `_sheets.c`
_FIRST: Final = "_rels/.rels"  # which says where the workbook is
_TEXTS: Final = "xl/sharedStrings.xml"
_STYLES: Final = "xl/styles.xml"
_WORKSHEETS: Final = "xl/worksheets/"
_REMEMBERED: Final = 2**16  # bytes of parts that come again in the next workbook: themes, styles, lists of sheets
_LARGEST_BESIDE: Final = 2**22  # bytes of a part beside texts and sheets: larger ones are looked at in pieces
_DECLARED: Final = (
    rb"""(?:<\?xml version=["']1\.0["'](?: encoding=["'](?:UTF|utf)-8["'])?"""
    rb"""(?: standalone=["'](?:yes|no)["'])?\?>\s*)?"""
)  # fmt: skip
_LISTING: Final = re.compile(_DECLARED + rb"<(?:workbook|Relationships|styleSheet)[\s>]")
_TEXTS_HEAD: Final = re.compile(_DECLARED + rb"<sst(?:\s[^<>]*)?>")
_SHEET_HEAD: Final = re.compile(_DECLARED + rb"<worksheet[\s>]")
_ADDRESS: Final = re.compile(rb"\sr\s*=")  # of what is no cell and may be far from all that are
_DIMENSION: Final = re.compile(rb'<dimension ref="[A-Z]{1,3}[1-9][0-9]{0,6}(?::[A-Z]{1,3}[1-9][0-9]{0,6})?"\s*/>')
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATIONSHIP: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_KIND: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_SHEET_PATH: Final = f"{_MAIN}sheets/{_MAIN}sheet"
_CODE_PATH: Final = f"{_MAIN}numFmts/{_MAIN}numFmt"
_FORMATS_PATH: Final = f"{_MAIN}cellXfs"
_FORMAT_PATH: Final = f"{_FORMATS_PATH}/{_MAIN}xf"
_SAID_OF_SHEETS: Final = frozenset({"name", "sheetId", "state", RELATION})
_DIGITS: Final = re.compile(r"[0#?.,%]+")  # of a format that shows digits alone
# what is built into the format and shows no date or time: general, whole, with decimals, percent, scientific, text
_NO_DATES: Final = frozenset(map(str, (*range(14), *range(37, 41), 48, 49)))


class PlainSheet(NamedTuple):
    """The cells of a worksheet as text: the numbers of rows that have any, and the columns of these."""

    name: str
    numbers: list[int]
    columns: list[list[str]]


class SheetReader(NamedTuple):
    """What reads plain worksheets."""

    name: str  # with what tells one compiled source from another
    module: Any  # None where nothing does
    reason: str  # why it is this one


def chosen_reader(variables: Mapping[str, str]) -> SheetReader:
    """Return the compiled one, unless it is not there, not of this revision, or the variable asks for its twin."""
    reason, module = why_twin(_PART, REVISION, variables), _PART.module
    if reason or module is None:
        return SheetReader(TWIN, None, reason)
    return SheetReader(f"C {module.SOURCE}", module, "compiled")


_READER = chosen_reader(os.environ)


def sheet_reader() -> SheetReader:
    """Return what reads plain worksheets in this process."""
    return _READER


def plain_sheets(archive: zipfile.ZipFile, limits: Limits) -> list[PlainSheet] | None:
    """Return the worksheets of a workbook in order, all visible; None where one of them, or the file, is not plain."""
    if _READER.module is None:
        return None
    try:
        return _read(archive, limits)
    except (_Odd, OddPart, InputError, ElementTree.ParseError, LookupError, ValueError):
        return None  # whoever reads it then says what is wrong with it, if anything is


class _Odd(Exception):
    """Something that programs do not write, or that does not mean the same to every reader."""


def _read(archive: zipfile.ZipFile, limits: Limits) -> list[PlainSheet]:
    parts = Parts(archive)
    if parts.are_alike or parts.first_at:
        raise _Odd  # readers differ in which of them they take, and in what they make of bytes before them
    for name in (_FIRST, *filter(is_further_part, parts.names)):
        if name != _TEXTS:
            if parts.size(name) > _LARGEST_BESIDE:
                raise _Odd
            _check(name, parts.unpacked(name))
    book = _book(parts.unpacked(_FIRST), parts.unpacked(RELATIONS), parts.unpacked(WORKBOOK))
    if len(book.sheets) > limits.sheets:
        raise _Odd
    for own, is_listed in ((_TEXTS, book.has_texts), (_STYLES, book.has_styles)):
        if is_listed != parts.has(own):
            raise _Odd  # readers differ in whether they take it
    texts = _texts(parts.unpacked(_TEXTS)) if book.has_texts else []
    styles = _without_dates(parts.unpacked(_STYLES)) if book.has_styles else b""
    return [_sheet(name, parts.unpacked(part), texts, styles, limits) for name, part in book.sheets.items()]


class _Book(NamedTuple):
    """What a workbook lists: the part of each sheet by its name, and whether there are others."""

    sheets: dict[str, str]
    has_texts: bool
    has_styles: bool


def _check(name: str, xml: bytes) -> None:
    """Refuse a part as the guards would."""
    (_check_once if len(xml) <= _REMEMBERED else check_xml)(name, xml, len(xml))


_check_once = lru_cache(maxsize=64)(check_xml)


@lru_cache(maxsize=4)
def _book(first: bytes, relations: bytes, workbook: bytes) -> _Book:
    if not all(map(_LISTING.match, (first, relations, workbook))):
        raise _Odd
    root, own = _parsed(workbook), _parsed(relations)
    listed = listed_sheets(own, root)
    if not len(root.findall(_SHEET_PATH)) == workbook.count(b"<sheet ") == workbook.count(b"r:id=") == len(listed):
        raise _Odd
    if _targets(_parsed(first), "officeDocument") not in ({WORKBOOK}, {f"/{WORKBOOK}"}):
        raise _Odd
    parts = _targets(own, "worksheet")
    sheets: dict[str, str] = {}
    for sheet in listed:
        name = sheet.said.get("name", "")
        is_plain = set(sheet.said) <= _SAID_OF_SHEETS and sheet.said.get("state", "visible") == "visible"
        if not is_plain or not name.isprintable() or name in sheets or sheet.target not in parts:
            raise _Odd
        if not sheet.part.startswith(_WORKSHEETS) or sheet.target not in (sheet.part[len("xl/") :], f"/{sheet.part}"):
            raise _Odd
        sheets[name] = sheet.part
    return _Book(sheets, _is_listed(own, _TEXTS), _is_listed(own, _STYLES))


def _is_listed(relations: ElementTree.Element, part: str) -> bool:
    """Return whether a workbook has a part, at the usual place."""
    bare = part.removeprefix("xl/")
    targets = _targets(relations, bare.removesuffix(".xml"))
    if targets and targets not in ({bare}, {f"/{part}"}):
        raise _Odd
    return bool(targets)


def _targets(relations: ElementTree.Element, kind: str) -> set[str | None]:
    """Return where the parts of a kind are."""
    different = {each.get("Id") for each in relations if each.tag == _RELATIONSHIP}
    if len(different) < len(relations):
        raise _Odd
    return {each.get("Target") for each in relations if each.get("Type") == _KIND + kind}


@lru_cache(maxsize=4)
def _without_dates(styles: bytes) -> bytes:
    """Return for each style of cells whether a number in it is one, and not a date: 1 or 0."""
    if not _LISTING.match(styles):
        raise _Odd
    root = _parsed(styles)
    named = root.findall(_CODE_PATH)
    own = {element.get("numFmtId"): element.get("formatCode", "") for element in named}
    if len(own) < len(named):
        raise _Odd
    formats = root.findall(_FORMAT_PATH)
    every = [element for element in root.findall(f"{_FORMATS_PATH}//*") if local_name(element.tag) == "xf"]
    if len(formats) < len(every):
        raise _Odd
    numbers = [element.get("numFmtId") for element in formats]
    for element in root.iter():  # such as those of conditional formats, which no cell has by itself
        number = element.get("numFmtId")
        if (
            local_name(element.tag) == "numFmt"
            and number in numbers
            and own.get(number) != element.get("formatCode", "")
        ):
            raise _Odd
    return bytes(
        _DIGITS.fullmatch(own[number]) is not None if number in own else number in _NO_DATES for number in numbers
    )


def _texts(xml: bytes) -> list[str]:
    """Return the texts that the cells of a workbook share."""
    if b"<si" not in xml:
        _check(_TEXTS, xml)
        return []
    found = _READER.module.shared_texts(xml)
    if found is None:
        raise _Odd
    start, stop, texts = found
    head, tail = xml[:start], xml[stop:]
    if not _TEXTS_HEAD.fullmatch(head) or tail.rstrip() != b"</sst>":
        raise _Odd
    check_xml(_TEXTS, head + tail, len(xml))
    own: list[str] = texts
    return own


def _sheet(name: str, xml: bytes, texts: list[str], styles: bytes, limits: Limits) -> PlainSheet:
    found = _READER.module.worksheet(xml, texts, styles, limits.cells, as_text)
    if found is None:
        raise _Odd
    start, stop, numbers, columns = found
    head, tail = xml[:start], xml[stop:]
    check = _check_around_once if len(head) + len(tail) <= _REMEMBERED else _check_around
    check(head, tail, name, limits)
    return PlainSheet(name, numbers, columns)


def _check_around(head: bytes, tail: bytes, name: str, limits: Limits) -> None:
    """Refuse what stands before and after the rows of a sheet, as the guards would, and what readers make much of."""
    around = head + tail
    is_plain = (
        _SHEET_HEAD.match(head)
        and b"<!" not in around
        and b"<?" not in around[1:]
        and tail.startswith(b"</sheetData>")
        and around.count(b"sheetData") == 2
        and b"mergeCell" not in around
        and not _ADDRESS.search(around)
        and around.count(b"dimension") == len(_DIMENSION.findall(head))
        and not may_hold_suspects(around)
    )
    if not is_plain:
        raise _Odd
    check_worksheet(around, name, limits)


_check_around_once = lru_cache(maxsize=64)(_check_around)


def _parsed(xml: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(xml)  # noqa: S314 - what declares entities is refused before
