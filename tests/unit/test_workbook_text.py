"""Text is always text: whatever a model wrote comes back from the workbook as a string, the same or written out."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from scoresheet.cli.report.page import Chart, Column, Page, PageTable
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.write import archive, deflate, spilled
from scoresheet.cli.write.about import About
from scoresheet.cli.write.cell_text import CELL_LIMIT, csv_safe, escape_control_characters, fit_cell
from scoresheet.cli.write.names import SHEET_LIMIT, SheetNames, file_stem
from scoresheet.cli.write.workbook import Workbook, write_workbook
from scoresheet.metrics.compiled import Compiled

NASTY = [
    "=1+1",
    '=HYPERLINK("http://example.org")',
    "+1",
    "-x",
    "@sum",
    "#N/A",
    "#DIV/0!",
    "http://example.org",
    "mailto:x@example.org",
    "internal:Summary!A1",
    "<b>&amp;</b>",
    "<r><t>rich</t></r>",
    "<r>&broken</r>",
    "_x0041_",
    "_x0041_x0042_",
    "_x005F_x0041_",
    "a_x000D_b",
    "tab\there",
    "line\nbreak",
    "  spaces  ",
    "'quoted",
    '"quoted"',
    "]]>",
    "TRUE",
    "001",
    "1e5",
    "NaN",
    "\u200b",
    "\U0001f600",
    "e\u0301",
    "画蛇添足",
]


def _page(title: str, values: list[Any], kind: Any = "text") -> Page:
    return Page(title, PageTable({"Value": values}), (Column("Value", "The value.", kind),))


def _written(path: Path, values: list[Any], kind: Any = "text") -> Path:
    book = Workbook("t", [], problems_page([]), About([]), [_page("s", values, kind)])
    write_workbook(path, book)
    return path


def _read_back(path: Path) -> list[Any]:
    with CalamineWorkbook.from_path(path) as book:
        return [row[0] if row else "" for row in book.get_sheet_by_name("s").to_python(skip_empty_area=False)[1:]]


def test_nasty_texts_come_back_as_they_were(tmp_path: Path) -> None:
    long = [text + " and more words, so that the cell is written in place rather than shared" for text in NASTY]
    values = NASTY + long + long
    read = _read_back(_written(tmp_path / "t.xlsx", values))
    assert read == [text + " " if text.startswith("<r>") and text.endswith("</r>") else text for text in values]


def test_no_text_becomes_a_formula_a_link_or_an_error(tmp_path: Path) -> None:
    path = _written(tmp_path / "t.xlsx", NASTY)
    sheet = openpyxl.load_workbook(path)["s"]
    for row in range(2, len(NASTY) + 2):
        cell = sheet.cell(row, 1)
        assert cell.data_type == "s"
        assert cell.hyperlink is None


@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_is_shown_with_valid_characters_only(text: str) -> None:
    shown = escape_control_characters(text)
    shown.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\t\n" for character in shown)
    assert escape_control_characters(shown) == shown


@pytest.mark.parametrize("character", ["a", "字", "\U0001f600"])
@pytest.mark.parametrize("length", [16_383, 16_384, 32_766, 32_767, 32_768, 70_000])
def test_a_long_text_fits_the_cell_and_says_what_is_missing(character: str, length: int) -> None:
    text = character * length
    shown = fit_cell(text)
    units = len(shown.encode("utf-16-le")) // 2
    assert units <= CELL_LIMIT
    fits = len(text.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert (shown == text) == fits
    assert (f"{length:,} characters in all" in shown) == (not fits)


@pytest.mark.parametrize("text", ["=1", "'=1", "+x", "-x", "@x", "\tx", "\rx", "-1+2", "=", "-", "+1 and"])
def test_a_text_that_could_run_gets_an_apostrophe(text: str) -> None:
    assert csv_safe(text) == "'" + text


@pytest.mark.parametrize("text", ["-1", "+1.5", "-.5", "-1e-5", "x=1", "", " =1", "'1", "'-1", "1"])
def test_a_plain_number_and_harmless_text_stay(text: str) -> None:
    assert csv_safe(text) == text


@given(st.lists(st.text(max_size=40) | st.text("' a", max_size=40), max_size=20))
def test_sheet_names_are_valid_and_differ_whatever_is_wanted(wanted: list[str]) -> None:
    names = SheetNames(["Summary", "Problems", "About"])
    taken = [names.take(name) for name in wanted]
    assert len({name.casefold() for name in taken}) == len(taken)
    for name in taken:
        assert 0 < len(name.encode("utf-16-le")) // 2 <= SHEET_LIMIT
        assert not set(name) & set("[]:*?/\\")
        assert name.strip("'") == name
        assert name.casefold() not in {"summary", "problems", "about", "history"}


@given(st.text(max_size=300), st.text(max_size=300))
def test_file_names_are_valid_and_two_models_never_share_one(one: str, other: str) -> None:
    for name in (file_stem(one), file_stem(other)):
        assert 0 < len(name.encode()) <= 200
        assert not set(name) & set('<>:"/\\|?*')
        assert name.rstrip(". ") == name
    assert (file_stem(one) == file_stem(other)) == (one == other)


@pytest.mark.parametrize("name", ["CON", "nul.txt", "com1", "LPT9"])
def test_names_of_devices_are_avoided(name: str) -> None:
    assert file_stem(name).startswith("_")


def test_numbers_keep_sixteen_digits_and_undefined_cells_are_empty(tmp_path: Path) -> None:
    values = [0.1 + 0.2, 1 / 3, float("nan"), float("inf"), 0.0, 1e-300, 12]
    path = _written(tmp_path / "t.xlsx", values, kind="score")
    sheet = openpyxl.load_workbook(path)["s"]
    read = [sheet.cell(row, 1).value for row in range(2, len(values) + 2)]
    assert read == [0.3, 0.3333333333333333, None, "inf", 0, 1e-300, 12]
    assert sheet.cell(2, 1).number_format == "0.000"


@pytest.mark.parametrize("installed", [True, False])
def test_workbooks_are_compressed_quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    # each compressor packs into bytes of its own; a new release of the library may undo our choice
    if not installed:
        monkeypatch.setattr(deflate, "_PART", Compiled(None))
    path = _written(tmp_path / "t.xlsx", ["word " * 50] * 500)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        part = archive.getinfo("xl/worksheets/sheet1.xml")
        assert part.compress_type == zipfile.ZIP_DEFLATED
        text = archive.read(part)
    compressor, level = (pytest.importorskip("isal.isal_zlib"), 2) if installed else (zlib, 1)
    squeezer = compressor.compressobj(level, zlib.DEFLATED, -15)
    assert part.compress_size == len(squeezer.compress(text) + squeezer.flush())


def test_more_rows_than_a_worksheet_holds_go_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scoresheet.cli.write import workbook

    monkeypatch.setattr(workbook, "ROW_LIMIT", 3)
    path = _written(tmp_path / "t.xlsx", [str(number) for number in range(8)])
    with CalamineWorkbook.from_path(path) as book:
        assert book.sheet_names[:3] == ["s", "s (2)", "s (3)"]
        parts = [book.get_sheet_by_name(name).to_python()[1:] for name in book.sheet_names[:3]]
    assert [[row[0] for row in part] for part in parts] == [["0", "1", "2"], ["3", "4", "5"], ["6", "7"]]


def test_a_workbook_is_a_whole_zip_with_the_digest_that_its_writing_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{number}: a text that no other is the same as, too long to be shared" for number in range(99)]
    book = Workbook("t", [], problems_page([]), About([("Heading", [("a", "b")])]), [_page("s", texts)])
    said = [write_workbook(tmp_path / "t.xlsx", book)]
    monkeypatch.setattr(spilled, "HELD_BYTES", 100)
    said.append(write_workbook(tmp_path / "spilled.xlsx", book))
    assert said == [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("t.xlsx", "spilled.xlsx")]
    assert said[0] == said[1]
    with zipfile.ZipFile(tmp_path / "t.xlsx") as archive:
        assert archive.testzip() is None


def test_the_chart_shows_the_interval_from_cells(tmp_path: Path) -> None:
    columns = (Column("Model", "", "key"), *(Column(name, "", "score") for name in ("Score", "Low", "High")))
    data = PageTable(
        {"Model": ["m", "n"], "Score": [0.5, 0.25], "Low": [0.25, float("nan")], "High": [0.75, float("nan")]}
    )
    page = Page("Summary", data, columns, Chart("t", "Model", "Score", "Low", "High"))
    path = tmp_path / "t.xlsx"
    write_workbook(path, Workbook("t", [page], problems_page([]), About([("Heading", [("a", "b")])])))
    with zipfile.ZipFile(path) as archive:
        drawn = archive.read("xl/charts/chart1.xml").decode()
    assert "<c:f>About!$F$1:$F$2</c:f>" in drawn
    assert "<c:f>Summary!$B$2:$B$3</c:f>" in drawn
    about = openpyxl.load_workbook(path)["About"]
    assert [about["F1"].value, about["G1"].value, about["F2"].value] == [0.25, 0.25, 0]
    assert about.column_dimensions["F"].hidden


def test_a_part_that_comes_again_is_packed_once_and_read_as_it_was(tmp_path: Path) -> None:
    archive._packed.cache_clear()
    parts = {"xl/theme.xml": b"theme" * 99, "other/theme.xml": b"theme" * 99, "large": b"." * (archive._SMALL + 1)}
    digests = []
    for path in (tmp_path / "a.xlsx", tmp_path / "b.xlsx"):
        with archive.Archive(path) as packed:
            packed.add("first", [b"some ", b"pieces", b""])
            for name, content in parts.items():
                packed.add_again(name, content)
        digests.append(packed.sha256)
        with zipfile.ZipFile(path) as read:
            assert read.testzip() is None
            assert {part: read.read(part) for part in read.namelist()} == {"first": b"some pieces", **parts}
            assert {part.compress_type for part in read.infolist()} == {zipfile.ZIP_DEFLATED}
            assert {part.date_time for part in read.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert archive._packed.cache_info().misses == 1
    assert digests == [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("a.xlsx", "b.xlsx")]


def test_a_workbook_that_no_zip_holds_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_LARGEST", 1_000)
    with pytest.raises(OSError, match="--no-workbooks"):
        _written(tmp_path / "t.xlsx", ["word"] * 99)
