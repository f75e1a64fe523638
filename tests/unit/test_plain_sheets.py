"""Plain worksheets: read in one pass as by the guards and calamine, and left to them wherever there is a doubt."""

from __future__ import annotations

import gc
import hashlib
import io
import random
import sys
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

from scoresheet.cli.input.formats import plain_sheets
from scoresheet.cli.input.formats.by_extension import read_file
from scoresheet.cli.input.formats.plain_sheets import PlainSheet, chosen_reader, sheet_reader
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.limits import Limits
from scoresheet.metrics.compiled import PURE, Compiled
from scoresheet.metrics.problems import InputError
from tests.helpers.kernels import COMPILED, has_compiler, using

ROOT = Path(__file__).resolve().parents[2]
FILES_IN_A_BLOCK = 150
SHEET = "xl/worksheets/sheet1.xml"
TEXTS = "xl/sharedStrings.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
VALUES = (
    *(
        "word",
        "a b",
        "猫",
        "R&D",
        "<b>",
        "",
        " before",
        "after ",
        "two\nlines",
        "_x0041_",
        "_xyz",
        "&#65;",
        "]]>",
        "\t",
    ),
    *("\x01", "\x7f", "\x85", "\ufeffq", "\ufffd", "😀", "01", 0, 7, -3, 0.1, -0.0, 1 / 3, 1e15, 1e16, 1e-9, 1e300),
    *(True, False, None, None, datetime(2024, 1, 31, 12)),
)
PIECES = (
    *(
        b"<f>1</f>",
        b't="e"',
        b't="s"',
        b't="str"',
        b't="b"',
        b't="inlineStr"',
        b's="1"',
        b's="2"',
        b"<v></v>",
        b"<v>1</v>",
    ),
    *(b'<row r="3">', b"</row>", b"</c>", b'<c r="B3"/>', b"<!-- -->", b"<?x?>", b"<![CDATA[x]]>", b"<t/>", b"<r>"),
    *(b"&amp;", b"&", b"<", b">", b"/", b'"', b"'", b" ", b"\n", b"\r", b"\0", b"\xff", b"\xef\xbf\xbf", b"_x0041_"),
    *(b"0", b"9", b"-", b".", b"1e5", b"A", b'r="1"', b"XFE1", b"XFD1048576", b"1048577", b'hidden="1"', b"x:"),
    *(b'state="hidden"', b'<mergeCell ref="A1:A2"/>', b"dimension", b"<sheetData>", b"</sheetData>", b"<sheetData/>"),
    *(b"<si><t>a</t></si>", b"</si>", b' count="9"', b'uniqueCount="99999999"', b'numFmtId="14"', b"utf-16"),
)


@pytest.fixture(autouse=True)
def _compiled() -> Iterator[None]:
    with using(COMPILED):
        yield


def workbook(rng: random.Random) -> bytes:
    """Return a workbook as a program writes it, of values of which some are not plain."""
    values = [*rng.sample(VALUES, rng.randint(1, 6)), "word", "more", 12]
    rows: list[list[Any]] = [rng.choices(values, k=rng.randint(0, 4)) for _ in range(rng.randint(0, 6))]
    rows.insert(0, ["Idiom", "Prediction"])
    file = io.BytesIO()
    if rng.random() < 0.5:
        book = openpyxl.Workbook()
        sheet = book.create_sheet(index=0)
        for row in rows:
            sheet.append([None if value == "\x01" else value for value in row])
        book.save(file)
        return file.getvalue()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "default_date_format": "yyyy-mm-dd"}
    with xlsxwriter.Workbook(file, options) as written:
        formats = [
            None,
            *(written.add_format(each) for each in ({"bold": True}, {"num_format": "0.00"}, {"num_format": "d"})),
        ]
        for name in rng.sample(["one", "a & b", "<three>"], rng.randint(1, 3)):
            sheet = written.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, value in enumerate(row):
                    sheet.write(number, column, value, None if isinstance(value, datetime) else rng.choice(formats))
    return file.getvalue()


def altered(data: bytes, rng: random.Random) -> bytes:
    """Return a workbook with some pieces of its XML added, lost, repeated or moved."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = rng.choice([*parts, *(each for each in parts if each in (SHEET, TEXTS))] * 2 + [SHEET] * 9)
        xml = parts[name]
        first = max(xml.find(b"<sheetData>"), 0) if rng.random() < 0.8 else 0
        marks = [place for place in range(first, len(xml)) if xml[place] in b'<> "'] or [0]
        start, length = rng.choice(marks) + rng.randrange(2), rng.randint(1, 30)
        piece = xml[start : start + length]
        parts[name] = rng.choice(
            [
                xml[:start] + rng.choice(PIECES) + xml[start:],
                xml[:start] + rng.choice(PIECES) + xml[start:],
                xml[:start] + rng.choice(PIECES) + xml[start + rng.randint(1, 6) :],
                xml[:start] + xml[start + length :],
                xml[:start] + piece + xml[start:],
            ]
        )
    return packed(parts)


def packed(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def came_of(path: Path, limits: Limits) -> object:
    """Return all that reading a file gives: its tables and what is said of them, or why it is refused."""
    try:
        content = read_file(path, ReadRules(limits=limits))
    except InputError as error:
        return error.problem
    tables = [
        (
            *(
                table.name,
                table.grid.headers,
                list(table.grid.rows),
                [list(table.grid.cells(header)) for header in table.grid.headers],
            ),
            *(table.header_row, table.error_cells, table.merged, table.uncalculated),
        )
        for table in content.tables
    ]
    return tables, content.problems


def plain(path: Path, limits: Limits) -> list[PlainSheet] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            return plain_sheets.plain_sheets(archive, limits)
    except zipfile.BadZipFile:
        return None


@pytest.mark.filterwarnings("ignore::UserWarning")  # openpyxl's, of dates that are none
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.soak) for part in range(1, 60))])
def test_what_is_read_in_one_pass_is_what_guards_and_calamine_give(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"sheets {part}")
    path = tmp_path / "m.xlsx"
    in_one_pass, data = 0, b""
    for number in range(FILES_IN_A_BLOCK):
        data = workbook(rng) if number % 3 == 0 else data
        path.write_bytes(altered(data, rng) if number % 3 else data)
        limits = rng.choice(
            [Limits(), Limits(), Limits(cells=rng.randint(1, 30)), Limits(columns=2), Limits(cell_chars=5)]
        )
        if plain(path, limits) is None:
            continue
        in_one_pass += 1
        found = came_of(path, limits)
        with monkeypatch.context() as patch:
            patch.setattr(plain_sheets, "_READER", chosen_reader({PURE: "1"}))
            assert found == came_of(path, limits), path.rename(tmp_path / "differs.xlsx")
    assert in_one_pass > FILES_IN_A_BLOCK / 10


def sheet_of(
    path: Path, rows: str, text: str = "Idiom", others: Mapping[str, bytes] | None = None, after: str = ""
) -> Path:
    """Write a workbook of one sheet with this XML for its rows and after them, and a text for them to share."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        book.add_worksheet("s").write(0, 0, "x")
        book.add_format({"num_format": "yyyy"})
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()} | dict(others or {})
    before, _, rest = parts[SHEET].partition(b"<sheetData>")
    around = rest.partition(b"</sheetData>")[2]
    parts[SHEET] = before + b"<sheetData>" + rows.encode() + b"</sheetData>" + after.encode() + around
    opened, _, _ = parts[TEXTS].partition(b"<si>")
    parts[TEXTS] = opened + f"<si><t>{text}</t></si></sst>".encode()
    path.write_bytes(packed(parts))
    return path


PLAIN_ROWS: dict[str, tuple[str, list[int], list[list[str]]]] = {
    "a text": ('<row r="1"><c r="A1" t="s"><v>0</v></c></row>', [1], [["Idiom"]]),
    "a gap": (
        '<row r="2"><c r="C2" t="s"><v>0</v></c></row><row r="5"><c r="A5"><v>7</v></c></row>',
        [2, 5],
        [["", "7"], ["", ""], ["Idiom", ""]],
    ),
    "numbers": (
        '<row r="1"><c r="A1"><v>-0</v></c><c r="B1"><v>1E-2</v></c><c r="C1"><v>12.50</v></c></row>',
        [1],
        [["0"], ["0.01"], ["12.5"]],
    ),
    "truth": (
        '<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c></row>',
        [1],
        [["TRUE"], ["FALSE"]],
    ),
    "inline": (
        '<row r="1" ht="9" x14ac:dy="1"><c r="A1" s="0" t="inlineStr"><is><t>a &amp; b</t></is></c></row>',
        [1],
        [["a & b"]],
    ),
    "empty cells": (
        '<row r="1"/><row r="3"><c r="A3" s="1"/><c r="B3" s="1"></c><c r="C3"><v>1</v></c></row>',
        [3],
        [[""], [""], ["1"]],
    ),
}
ODD_ROWS = {
    "a formula": '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c></row>',
    "an error": '<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row>',
    "a text of no number": '<row r="1"><c r="A1" t="s"><v>1</v></c></row>',
    "a text by its own": '<row r="1"><c r="A1" t="str"><v>text</v></c></row>',
    "a cell in another row": '<row r="1"><c r="A2"><v>1</v></c></row>',
    "a cell twice": '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>',
    "cells out of order": '<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>',
    "rows out of order": '<row r="2"><c r="A2"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>',
    "no address": '<row r="1"><c><v>1</v></c></row>',
    "row zero": '<row r="0"><c r="A0"><v>1</v></c></row>',
    "a column too far": '<row r="1"><c r="XFE1"><v>1</v></c></row>',
    "a row too far": '<row r="1048577"><c r="A1048577"><v>1</v></c></row>',
    "an attribute twice": '<row r="1" ht="1" ht="1"><c r="A1"><v>1</v></c></row>',
    "a number and more": '<row r="1"><c r="A1"><v>1 </v></c></row>',
    "a number of hexadecimals": '<row r="1"><c r="A1"><v>0x1</v></c></row>',
    "a number beyond numbers": '<row r="1"><c r="A1"><v>1e999</v></c></row>',
    "a truth of two": '<row r="1"><c r="A1" t="b"><v>2</v></c></row>',
    "rich text": '<row r="1"><c r="A1" t="inlineStr"><is><r><t>a</t></r></is></c></row>',
    "what is escaped twice": '<row r="1"><c r="A1" t="inlineStr"><is><t>_x0041_</t></is></c></row>',
    "a character by number": '<row r="1"><c r="A1" t="inlineStr"><is><t>&#65;</t></is></c></row>',
    "blanks that may be dropped": '<row r="1"><c r="A1" t="inlineStr"><is><t> a</t></is></c></row>',
    "no character": '<row r="1"><c r="A1" t="inlineStr"><is><t>\uffff</t></is></c></row>',
    "a line end": '<row r="1"><c r="A1" t="inlineStr"><is><t>a\rb</t></is></c></row>',
    "a row that does not end": '<row r="1"><c r="A1"><v>1</v></c>',
    "a blank between tags": '<row r="1"> <c r="A1"><v>1</v></c></row>',
    "a comment": '<!-- --><row r="1"><c r="A1"><v>1</v></c></row>',
}  # fmt: skip


@pytest.mark.parametrize("case", PLAIN_ROWS)
def test_rows_as_programs_write_them_are_read_in_one_pass(case: str, tmp_path: Path) -> None:
    rows, numbers, columns = PLAIN_ROWS[case]
    assert plain(sheet_of(tmp_path / "m.xlsx", rows), Limits()) == [PlainSheet("s", numbers, columns)]


@pytest.mark.parametrize("case", ODD_ROWS)
def test_rows_in_any_doubt_are_left_to_the_guards(case: str, tmp_path: Path) -> None:
    assert plain(sheet_of(tmp_path / "m.xlsx", ODD_ROWS[case]), Limits()) is None


ONE = '<row r="1"><c r="A1"><v>1</v></c></row>'


@pytest.mark.parametrize(
    ("others", "limits"),
    [
        ({"xl/theme/theme1.xml": b"<a>"}, Limits()),
        ({"xl/theme/theme1.xml": b"<!DOCTYPE a><a/>"}, Limits()),
        ({"xl/styles.xml": b"<styleSheet/>", "xl/Styles.xml": b"<styleSheet/>"}, Limits()),
        ({"_rels/.rels": b"<Relationships/>"}, Limits()),
        ({}, Limits(cells=0)),
        ({}, Limits(sheets=0)),
    ],
)
def test_what_stands_around_the_rows_passes_the_guards_too(
    others: dict[str, bytes], limits: Limits, tmp_path: Path
) -> None:
    assert plain(sheet_of(tmp_path / "m.xlsx", ONE), Limits()) is not None
    assert plain(sheet_of(tmp_path / "m.xlsx", ONE, others=others), limits) is None


def test_a_number_in_a_date_format_is_left_to_calamine(tmp_path: Path) -> None:
    file = tmp_path / "m.xlsx"
    with xlsxwriter.Workbook(file) as book:
        book.add_worksheet().write(0, 0, 45000, book.add_format({"num_format": "yyyy-mm-dd"}))
    assert plain(file, Limits()) is None
    with xlsxwriter.Workbook(file) as book:
        book.add_worksheet().write(0, 0, 45000, book.add_format({"num_format": "0.00"}))
    assert plain(file, Limits()) == [PlainSheet("Sheet1", [1], [["45000"]])]


@pytest.mark.parametrize("code", ["0", "yyyy-mm-dd"])
def test_the_format_of_a_condition_is_no_cells_format(code: str) -> None:
    """Readers know a format by its number, and those of conditions have numbers of their own beside them."""
    book = f'''<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="14"/><xf numFmtId="2"/></cellXfs>
        <dxfs><dxf><numFmt numFmtId="14" formatCode="{code}"/></dxf></dxfs></styleSheet>'''
    assert styles_without_dates(book) is None
    assert styles_without_dates(book.replace('<numFmt numFmtId="14"', '<numFmt numFmtId="170"')) == b"\0\1"


def styles_without_dates(styles: str) -> bytes | None:
    try:
        return plain_sheets._without_dates(styles.encode())
    except plain_sheets._Odd:
        return None


def test_a_cell_that_is_watched_far_from_all_others_counts_as_far_as_the_guards_count(tmp_path: Path) -> None:
    watched = sheet_of(tmp_path / "m.xlsx", ONE, after='<cellWatches><cellWatch r="XFD1048576"/></cellWatches>')
    assert plain(watched, Limits()) is None


def test_archives_one_after_the_other_are_left_to_readers_that_say_so(tmp_path: Path) -> None:
    path = sheet_of(tmp_path / "m.xlsx", ONE)
    assert plain(path, Limits()) is not None
    path.write_bytes(path.read_bytes() * 2)
    assert plain(path, Limits()) is None


def test_a_large_part_beside_the_sheets_is_looked_at_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = {"xl/theme/theme1.xml": b"<a>" + b" " * 1_000 + b"</a>"}
    assert plain(sheet_of(tmp_path / "m.xlsx", ONE, others=theme), Limits()) is not None
    monkeypatch.setattr(plain_sheets, "_LARGEST_BESIDE", 1_000)
    assert plain(sheet_of(tmp_path / "m.xlsx", ONE, others=theme), Limits()) is None


def test_a_part_that_is_longer_than_the_archive_says_is_not_unpacked(tmp_path: Path) -> None:
    path = sheet_of(tmp_path / "m.xlsx", ONE)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(SHEET).file_size
    place = data.rindex(size.to_bytes(4, "little"))
    data[place : place + 4] = (size - 1).to_bytes(4, "little")
    path.write_bytes(data)
    assert plain(path, Limits()) is None


def test_texts_are_given_back(tmp_path: Path) -> None:
    text = "a text of some length that nobody else has"
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>0</v></c></row>'
    path = sheet_of(tmp_path / "m.xlsx", rows, text)
    sheets: Any = plain(path, Limits())
    held = sheets[0].columns[0][0]
    assert held is sheets[0].columns[1][0]
    del sheets
    gc.collect()
    assert sys.getrefcount(held) == 2


def test_the_reader_is_built_where_there_is_a_compiler_from_the_source_that_is_here() -> None:
    if not has_compiler():
        pytest.skip("no compiler")
    source = (ROOT / "cli/input/formats/_sheets.c").read_bytes().replace(b"\r\n", b"\n")
    chosen = sheet_reader()
    assert (chosen.name, chosen.reason) == (f"C {hashlib.sha256(source).hexdigest()[:12]}", "compiled"), "make env"
    assert f"#define REVISION {plain_sheets.REVISION} ".encode() in source


def test_without_it_every_workbook_goes_the_long_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheet_of(tmp_path / "m.xlsx", ONE)
    monkeypatch.setattr(plain_sheets, "_READER", chosen_reader({PURE: "1"}))
    assert plain(path, Limits()) is None
    monkeypatch.setattr(plain_sheets, "_PART", Compiled(None, "the compiled one was not built"))
    assert chosen_reader({}) == ("Python", None, "the compiled one was not built")
    monkeypatch.setattr(plain_sheets, "_PART", Compiled(sys, ""))
    monkeypatch.setattr(sys, "REVISION", plain_sheets.REVISION + 1, raising=False)
    assert "install scoresheet anew" in chosen_reader({}).reason
