"""Every code point, and strings made to be taken for something else, through the workbook and the CSV.

A text comes back as it was, or with what no cell can hold written out; never as a formula, a link or an error.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from python_calamine import CalamineWorkbook

from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.write.about import About
from scoresheet.cli.write.csv_json import write_csv
from scoresheet.cli.write.workbook import Workbook, write_workbook
from tests.soak.cases import CORRUPT, Fault, Row, Trials, case_name, rng_of

STRINGS = 1_000  # the first cases; each of the others is a code point
CODE_POINTS = 0x110000
PIECES = (
    *("=1+1", "=cmd|'/C calc'!A1", "+1", "-1", "-x", "@SUM(A1)", "{=1}", "\t=1", "\r=1", "'=1", "''", "'", '"', ";"),
    *("http://a.org", "https://", "mailto:a@b.c", "ftp://x", "internal:Summary!A1", "external:c:\\b.xlsx", "file:///"),
    *("#N/A", "#DIV/0!", "#REF!", "TRUE", "001", "1e5", "-5", "NaN", "inf", "2024-01-31", "", " ", "  ", "\n", "\t"),
    *("_x0041_", "_x005F_", "_x000D_", "x0041_", "_", "<b>", "&amp;", "&#65;", "]]>", "<r>", "</r>", "<![CDATA[", "%s"),
    *("\0", "\x01", "\x1b[31m", "\x7f", "\x85", "\r", "\r\n", "\ud800", "\udfff", "\ufffe", "\uffff", "\ufeff"),
    *("字", "e\u0301", "\u200b", "\u202e", "😀", "\U0010ffff", "word", "a b", ",", "|"),
)
RUNS = tuple("=+-@\t\r")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")


def texts_of(number: int) -> list[str]:
    """The texts of a case: a string of odd pieces, or a code point alone, between letters and after a sign."""
    if number < STRINGS:
        rng = rng_of(TEXTS.name, number)
        return ["".join(rng.choice(PIECES) for _ in range(rng.randint(1, 5)))]
    point = chr(number - STRINGS)
    return [point, f"a{point}b", f"={point}"]


def shown(text: str) -> str:
    """A text as a cell can hold it, by the Unicode database: controls and what is no character are written out."""
    if any(map(_unshowable, text)):
        text = text.replace("\r\n", "\n")
    return "".join(_written_out(ord(each)) if _unshowable(each) else each for each in text)


def _unshowable(character: str) -> bool:
    code = ord(character)
    if unicodedata.category(character) == "Cc":
        return character not in "\t\n"
    return unicodedata.category(character) == "Cs" or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def _written_out(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def written(folder: Path, numbers: Sequence[int]) -> Trials:
    """Write the texts of all cases at once, and read them back."""
    cases = [(number, text) for number in numbers for text in texts_of(number)]
    texts = [text for _, text in cases]
    page = Page("s", PageTable({"Value": texts}), (Column("Value", "The value.", "text"),))
    write_workbook(folder / "t.xlsx", Workbook("t", [], problems_page([]), About([]), [page]))
    write_csv(folder / "t.csv", ["Value"], [[text] for text in texts])
    odd = _odd_cells(folder / "t.xlsx")
    if odd:
        yield Fault(CORRUPT, case_name(TEXTS.name, numbers[0]), f"a sheet of texts holds {odd}")
    in_book, in_csv = _in_workbook(folder / "t.xlsx"), _in_csv(folder / "t.csv")
    if len(in_book) != len(texts) or len(in_csv) != len(texts):
        yield Fault(CORRUPT, case_name(TEXTS.name, numbers[0]), f"{len(in_book)}, {len(in_csv)} of {len(texts)} texts")
        return
    wrong = dict(_wrong(cases, in_book, in_csv))
    shutil.rmtree(folder)
    folder.mkdir()
    for number in numbers:
        yield Fault(CORRUPT, case_name(TEXTS.name, number), wrong[number]) if number in wrong else None


def _wrong(
    cases: Sequence[tuple[int, str]], in_book: Sequence[object], in_csv: Sequence[str]
) -> Iterator[tuple[int, str]]:
    for (number, text), cell, field in zip(cases, in_book, in_csv, strict=True):
        wanted = shown(text)
        # which would be markup of the library that writes the workbook, and gets a space behind it
        marked = wanted + " " if wanted.startswith("<r>") and wanted.endswith("</r>") else wanted
        if cell != marked:
            yield number, f"{text!r} is {cell!r} in the workbook"
        bare = wanted.lstrip("'")
        runs = bare.startswith(RUNS) and not NUMBER.match(bare)
        if field != ("'" if runs else "") + wanted:
            yield number, f"{text!r} is {field!r} in the CSV"
        if field.startswith(RUNS) and not NUMBER.match(field):
            yield number, f"{text!r} may run as {field!r} from the CSV"


def _odd_cells(path: Path) -> str:
    """What the XML of the sheet has that is no text: a formula, a link, or a cell of any type but a string's."""
    with zipfile.ZipFile(path) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode()
        relations = "xl/worksheets/_rels/sheet1.xml.rels" in archive.namelist()
    kinds = set(re.findall(r'<c r="[^"]*"(?: s="[0-9]+")?(?: t="(\w+)")?', xml)) - {"s", "inlineStr"}
    links = re.findall(r"<f>|<f |<hyperlink ", xml)
    return ", ".join([*(f"a cell of type {kind or 'number'!r}" for kind in kinds), *links, *(["a link"] * relations)])


def _in_workbook(path: Path) -> list[object]:
    with CalamineWorkbook.from_path(path) as book:
        rows = book.get_sheet_by_name("s").to_python(skip_empty_area=False)[1:]
    return [row[0] if row else "" for row in rows]


def _in_csv(path: Path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    return [row[0] if row else "" for row in csv.reader(io.StringIO(text, newline=""))][1:]


TEXTS = Row(
    "texts",
    "texts through workbook and CSV: every code point",
    "the same text, or what no cell can hold written out; no formula, link or error cell",
    "texts",
    STRINGS,
    STRINGS + CODE_POINTS,
    16_384,
    written,
)
