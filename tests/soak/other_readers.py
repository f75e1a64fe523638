"""Readers of our own for one purpose: what does a file say, cell by cell, by its format's rules and nothing else?

CSV by the csv module, JSON by the json module, XLSX and ODS by their XML. Where a damaged file says two things of one
cell, both are given: whoever reads one of them reads what is there.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

ANY: Final = None  # a cell whose text depends on more than the cell: dates, shares, money

Place = tuple[int, int]  # row from 1, column from 0


class Claim(NamedTuple):
    """What a file says in one spot: a cell's texts, any of which will do, and the places that it may be at."""

    places: tuple[Place, ...]
    texts: tuple[str | None, ...]


Claims = Sequence[Claim]

_BOMS: Final = (
    *((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
)


class Read(NamedTuple):
    """A table as the tool read it."""

    name: str
    header_row: int
    headers: list[str]
    numbers: list[int]  # of the rows, as a spreadsheet counts
    rows: list[list[str]]


def decoded(data: bytes, *, packed: bool = False) -> str:
    """A text file's text, by its mark or as UTF-8."""
    data = gzip.decompress(data) if packed else data
    name = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    return data.decode(name).removeprefix("\ufeff")


# --- tables of text --------------------------------------------------------------------------------------------------


def wrong_in_table(read: Read, text: str) -> str:
    """What was read that the text does not say, whichever of four separators it has; '' if there is nothing such."""
    said = []
    for separator in ",;\t|":
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        cells = [
            Claim(((row, column),), (cell,))
            for row, record in enumerate(records, start=1)
            for column, cell in enumerate(record)
        ]
        wrong = wrong_cells(read, cells)
        if not wrong:
            return ""
        said.append(wrong)
    return min(said, key=len)


def wrong_in_lines(read: Read, text: str) -> str:
    """The same of JSON Lines."""
    wanted = {
        number: json.loads(line, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    }
    if list(wanted) != read.numbers:
        return f"rows {read.numbers[:9]} for {list(wanted)[:9]}"
    for number, row in zip(read.numbers, read.rows, strict=True):
        found = dict(zip(read.headers, row, strict=True))
        for key, value in wanted[number].items():
            shown = {None: "", True: "TRUE", False: "FALSE"}.get(value, value) if _is_plain(value) else ANY
            if key.strip() and shown is not ANY and found.get(key.strip()) != shown:
                return f"line {number}, {key!r}: {found.get(key.strip())!r} for {shown!r}"
        missing = {key for key in read.headers if "." not in key and key not in {k.strip() for k in wanted[number]}}
        if any(found[key] for key in missing):
            return f"line {number} has none of {missing}"
    return ""


class _Number(str):
    """A number as it is written."""


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | str)


def wrong_cells(read: Read, claims: Claims) -> str:
    """What was read that the file does not say, or it says and was not read; '' if there is nothing such."""
    cells: dict[Place, list[str | None]] = defaultdict(list)
    for claim in claims:
        for place in claim.places:
            cells[place] += claim.texts
            if len(claim.places) > 1:
                cells[place].append("")  # it may be at the other
    names = _header(read, cells)
    if sorted(filter(None, names.values())) != sorted(read.headers):
        return f"the header {read.headers} for {names}"
    places = {name: column for column, name in names.items() if name}
    found = {
        (number, places[name]): shown
        for number, row in zip(read.numbers, read.rows, strict=True)
        for name, shown in zip(read.headers, row, strict=True)
    }
    for place, shown in found.items():
        if not _says(cells.get(place, [""]), shown):
            return f"row {place[0]}, {names[place[1]]!r}: {shown!r} for {cells.get(place)!r}"
    for claim in claims:
        within = [(row, column) for row, column in claim.places if row > read.header_row and names.get(column)]
        said = any(_says(claim.texts, found.get(place, "")) for place in within)
        if within == list(claim.places) and not said and not _repeats_header(within[0][0], names, cells):
            return f"{claim.texts[0]!r} of row {within[0][0]}, {names[within[0][1]]!r}, is lost"
    return ""


def _header(read: Read, cells: Mapping[Place, Sequence[str | None]]) -> dict[int, str]:
    """The names of the columns; of a cell that says several things, the one that was read."""
    found: dict[int, str] = {}
    unsure = []
    for (row, column), options in cells.items():
        if row == read.header_row and ANY in options:
            unsure.append(column)
        elif row == read.header_row:
            texts = [(text or "").strip() for text in options]
            found[column] = next((text for text in texts if text in read.headers), "" if "" in texts else texts[0])
    for column in unsure:
        found[column] = next((name for name in read.headers if name not in found.values()), "")
    return found


def _repeats_header(row: int, names: Mapping[int, str], cells: Mapping[Place, Sequence[str | None]]) -> bool:
    """Whether most cells of a row are those of the header, as where files were joined."""
    same = [column for column, name in names.items() if name and _bare(cells.get((row, column), [""])) == name]
    filled = [_bare(options) for (each, _), options in cells.items() if each == row and _bare(options)]
    headers = [name for name in names.values() if name]
    return filled == headers or (len(same) > 1 and 2 * len(same) > len(headers))


def _bare(options: Sequence[str | None]) -> str:
    return (options[0] or "").strip().removeprefix("\ufeff").strip()


def _says(options: Iterable[str | None], shown: str) -> bool:
    return any(
        text is ANY or text == shown or (not text.strip() and not shown.strip()) or _same_number(text, shown)
        for text in options
    )


def _same_number(text: str, shown: str) -> bool:
    """Whether two texts are one number; a spreadsheet stores 12.50 as 12.5, and 1E+5 for 100000."""
    try:
        return float(text) == float(shown)
    except ValueError:
        return False


# --- workbooks -------------------------------------------------------------------------------------------------------

_MAIN: Final = re.compile(r"\{[^}]*\}")
_DATES: Final = {14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47}
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ADDRESS: Final = re.compile(r"([A-Za-z]+)([0-9]+)\Z")


def xlsx_sheets(data: bytes) -> dict[str, list[list[Claim]]]:
    """The cells of each worksheet by its name; a name that two have has both."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        relations = _relations(archive)
        shared = _shared_strings(archive)
        dated = _dated_styles(archive)
        found: dict[str, list[list[Claim]]] = defaultdict(list)
        for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
            if _local(sheet) == "sheet":
                target = next((relations.get(v, "") for k, v in sheet.attrib.items() if _local_name(k) == "id"), "")
                part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
                root = _parsed(archive.read(part))
                found[sheet.get("name", "")].append(_sheet_cells(root, shared, dated))
    return found


def _relations(archive: zipfile.ZipFile) -> dict[str, str]:
    root = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    return {each.get("Id", ""): each.get("Target", "") for each in root}


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = _parsed(archive.read("xl/sharedStrings.xml"))
    return [_text_of(each) for each in root if _local(each) == "si"]


def _dated_styles(archive: zipfile.ZipFile) -> set[int]:
    """The styles whose numbers are shown as dates or times; all of an odd format, to be on the safe side."""
    try:
        root = ElementTree.fromstring(archive.read("xl/styles.xml"))
    except (KeyError, ElementTree.ParseError):
        return set(range(100))
    formats = next((each for each in root if _local(each) == "cellXfs"), None)
    numbers = [each.get("numFmtId", "0") for each in formats] if formats is not None else []
    return {place for place, number in enumerate(numbers) if number != "0"}


def _parsed(xml: bytes) -> Any:
    """The XML of a worksheet; of one that is not well-formed, its rows and cells, one by one."""
    for each in (xml, re.sub(rb"^<\?xml[^>]*\?>", b"", xml)):  # the encoding that it states may be none
        with suppress(ElementTree.ParseError):
            return ElementTree.fromstring(each)
    root = ElementTree.Element("sheetData")
    for row in re.finditer(rb"<row\b([^>]*)>(.*?)</row>", xml, re.DOTALL):
        element = ElementTree.SubElement(root, "row", {"r": _attribute(row[1], b"r")})
        for cell in re.finditer(rb"<c\b[^>]*?/>|<c\b.*?</c>", row[2], re.DOTALL):
            element.append(_lenient(cell[0]))
    return root


def _lenient(cell: bytes) -> Any:
    """A cell of such a worksheet; if even that is not well-formed, all that can be said is where it is."""
    with suppress(ElementTree.ParseError):
        return ElementTree.fromstring(cell)
    return ElementTree.Element("c", {"r": _attribute(cell, b"r"), "t": "d"})


def _attribute(tag: bytes, name: bytes) -> str:
    found = re.search(rb"\s" + name + rb'="([^"]*)"', tag)
    return found[1].decode("utf-8", "replace") if found else ""


def _sheet_cells(root: Any, shared: Sequence[str], dated: set[int]) -> list[Claim]:
    """What each cell of a worksheet says, and where: at its address, or in its row if that is another."""
    found = []
    merged = [each.get("ref", "") for each in root.iter() if _local(each) == "mergeCell"]
    row = 0
    for element in (each for each in root.iter() if _local(each) == "row"):
        stated = element.get("r", "")
        row = int(stated) if stated.strip().isdecimal() else row + 1
        column = -1
        for cell in (each for each in element if _local(each) == "c"):
            column += 1
            places = {(row, column)}
            address = _ADDRESS.match(cell.get("r", ""))
            if address:
                column = _column(address[1])
                places = {(row, column), (int(address[2]), column)}
            hidden = [""] if any(_covers(area, place) for area in merged for place in places) else []
            found.append(Claim(tuple(sorted(places)), (*_cell_texts(cell, shared, dated), *hidden)))
    return found


def _covers(area: str, place: Place) -> bool:
    """Whether a merged area covers a cell, whose own value then is not shown."""
    corners = [_ADDRESS.match(corner) for corner in area.split(":")]
    ends = [(int(corner[2]), _column(corner[1])) for corner in corners if corner]
    return (
        len(ends) == 2
        and place != min(ends)
        and all(min(e) <= at <= max(e) for e, at in zip(zip(*ends, strict=True), place, strict=True))
    )


def _cell_texts(cell: Any, shared: Sequence[str], dated: set[int]) -> list[str | None]:
    kind = cell.get("t", "n")
    values = [each.text or "" for each in cell if _local(each) == "v"]
    inline = [_text_of(each) for each in cell if _local(each) == "is"]
    if kind == "inlineStr":
        return [*inline] if inline else [*values, ""]
    style = cell.get("s", "0")
    is_dated = not style.isdecimal() or int(style) in dated
    if kind == "d" or (is_dated and kind not in ("s", "str", "b", "e")):
        return [ANY]
    texts: list[str | None] = [] if values else [*inline, ""]  # a text that the cell's kind does not lead to
    for value in values:
        if kind == "s":
            index = int(value) if value.strip().isdecimal() else -1
            texts.append(shared[index] if 0 <= index < len(shared) else ANY)
        elif kind == "b":
            texts.append({"0": "FALSE", "1": "TRUE"}.get(value.strip(), ANY))
        else:
            texts += [value, unescaped(value)]
            if kind == "n" and not _same_number(value, value):
                # what is no number is no value of a number's cell, unless it begins with one
                texts += ["", *re.findall(r"\A-?[0-9.]+", value)]
    return [*texts, "#ERROR"] if kind == "e" else texts


def _text_of(element: Any) -> str:
    """The text of a string: its own, and that of its runs; how it is pronounced is no part of it."""
    parts = []
    for child in element:
        if _local(child) == "t":
            parts.append(child.text or "")
        elif _local(child) == "r":
            parts += [each.text or "" for each in child if _local(each) == "t"]
    return unescaped("".join(parts))


def unescaped(text: str) -> str:
    """A text as a spreadsheet program shows it: _x0041_ is an A."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).replace("\r\n", "\n")


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def _local(element: Any) -> str:
    return _local_name(element.tag) if isinstance(element.tag, str) else ""


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


def ods_sheets(data: bytes) -> dict[str, list[list[Claim]]]:
    """The same of an ODS file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        root = ElementTree.fromstring(archive.read("content.xml"))
    found: dict[str, list[list[Claim]]] = defaultdict(list)
    for table in (each for each in root.iter() if _local(each) == "table"):
        name = next((value for key, value in table.attrib.items() if _local_name(key) == "name"), "")
        claims: list[Claim] = []
        row = 0
        for element in (each for each in table.iter() if _local(each) == "table-row"):
            repeated = min(_repeats(element, "rows"), 5_000)
            texts = list(_ods_row(element))
            for number in range(row + 1, row + repeated + 1):
                claims += [Claim(((number, column),), tuple(text)) for column, text in texts]
            row += repeated
        found[name].append(claims)
    return found


def _ods_row(row: Any) -> Iterator[tuple[int, list[str | None]]]:
    column = 0
    for cell in (each for each in row if _local(each) in ("table-cell", "covered-table-cell")):
        repeated = min(_repeats(cell, "columns"), 5_000)
        kind = next((value for key, value in cell.attrib.items() if _local_name(key) == "value-type"), "")
        value = next((value for key, value in cell.attrib.items() if _local_name(key) == "value"), "")
        paragraphs = ["".join(each.itertext()) for each in cell if _local(each) == "p"]
        texts: list[str | None] = [value] if kind == "float" else ["\n".join(paragraphs)]
        if kind not in ("float", "string"):
            texts = [*texts, "", ANY] if kind else [*texts, ""]  # readers differ on what is of no kind
        for place in range(column, column + repeated):
            yield place, texts
        column += repeated


def _repeats(element: Any, what: str) -> int:
    text = next((v for k, v in element.attrib.items() if _local_name(k) == f"number-{what}-repeated"), "1")
    return int(text) if text.strip().isdecimal() else 1
