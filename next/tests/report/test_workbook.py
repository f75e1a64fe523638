import math
import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from scoresheet.cli.report import Chart, Column, Page
from scoresheet.cli.report.cells import ROWS_AT_ONCE
from scoresheet.cli.report.tables import unit_pages
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.metrics.sinfo.family import FAMILY

from .conftest import book_of, page_of

NASTY = [
    *("=1+1", "+1", "-1", "@SUM(A1)", "#N/A", "#REF!", "1e5", "007", "TRUE", "{=A1}", "'quoted"),
    *("http://example.org", "mailto:a@b.org", "internal:A1", "file:///etc/passwd", "www.x.org"),
    *("_x0041_", "_x000D_", "<r>x</r>", "<r><t>a</t></r>", "<r>& broken", "<r></x></r>", "]]>"),
    *("a\nb", "\ttab", " blanks ", "雪中送炭", "👩‍🔬", "&amp;", "\u2028", "[red]m[/red]", "'"),
    *("http://x.org/" + "y" * 3000, '=HYPERLINK("http://x")', "=cmd|' /C calc'!A0"),
]


def text_page(texts: list[str], title: str = "Texts", *, input_sheet: bool = False) -> Page:
    frame = pd.DataFrame({"text": pd.Series(texts, dtype=object)})
    return Page(title, frame, (Column("text", "Text", role="text"),), input_sheet=input_sheet)


def write(folder: Path, *pages: Page, **parts: Any) -> Path:
    write_workbook(book_of(*pages, **parts), folder / "book.xlsx")
    return folder / "book.xlsx"


def cells(path: Path, sheet: str = "Texts") -> list[Any]:
    return [cell for (cell,) in openpyxl.load_workbook(path)[sheet].iter_rows(2, max_col=1)]


def calamine_texts(path: Path) -> list[Any]:
    rows = CalamineWorkbook.from_path(path).get_sheet_by_name("Texts").to_python()
    return [row[0] for row in rows[1:]]


def test_text_is_always_text(tmp_path: Path) -> None:
    path = write(tmp_path, text_page(NASTY))
    # openpyxl shows what looks like an escape as Excel stores it.
    shown = [cell.value.replace("_x005F_", "_") for cell in cells(path)]
    assert shown == NASTY
    assert {cell.data_type for cell in cells(path)} == {"s"}
    assert not [cell for cell in cells(path) if cell.hyperlink]
    assert calamine_texts(path) == NASTY


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\ufffe\uffff_"), min_size=1), min_size=1))
def test_texts_come_back_and_half_characters_show(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = write(tmp_path_factory.getbasetemp(), text_page(texts))
    shown = ["".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text) for text in texts]
    assert calamine_texts(path) == shown
    # openpyxl shows control characters as Excel stores them.
    both = zip(cells(path), shown, strict=True)
    assert all(cell.value == text for cell, text in both if text.isprintable())


def test_a_text_that_is_too_long_is_cut_with_a_mark(tmp_path: Path) -> None:
    texts = ["x" * 32_767, "x" * 32_768, "👍" * 20_000]
    cut = ["x" * 32_767, "x" * 32_759 + " … [cut]", "👍" * 16_379 + " … [cut]"]
    assert calamine_texts(write(tmp_path, text_page(texts))) == cut


def test_undefined_numbers_are_empty_and_infinite_ones_visible(tmp_path: Path) -> None:
    values = [0.5, math.nan, math.inf, -math.inf, None, "best", 3, True]
    columns = (Column("v", "Value", "number", "measure"),)
    path = write(tmp_path, page_of("Numbers", columns, *((value,) for value in values)))
    shown = [cell.value for cell in cells(path, "Numbers")]
    assert shown == [0.5, None, "∞", "−∞", None, "best", 3, "True"]


@pytest.mark.parametrize("name", ["Model_A", "=1+1", "<r>x</r>", "a\x00b\udc80", "x" * 90, "A&B"])
def test_the_same_book_gives_the_same_bytes_whatever_the_names(tmp_path: Path, name: str) -> None:
    page = text_page([name], name, input_sheet=True)
    first = write(tmp_path, page, name=name).read_bytes()
    again = write(tmp_path, page, name=name)
    assert again.read_bytes() == first
    names = openpyxl.load_workbook(again).sheetnames
    assert [names[0], *names[2:]] == ["Summary", "About", "Chart data"]


SHEET_NAMES = [
    (["Summary", "History"], ["Summary (2)", "History (2)"]),
    (["comparison", "ABOUT"], ["comparison (2)", "ABOUT (2)"]),
    (["Chart data", "by", "Problems"], ["Chart data (2)", "by (2)", "Problems (2)"]),
    (["May", "MAY", "may"], ["May", "MAY (2)", "may (3)"]),
    (["a/b", "a\\b", "[x]:*?"], ["a_b", "a_b (2)", "_x____"]),
    (["'quoted'", "", "  "], ["_quoted_", "Sheet", "Sheet (2)"]),
    (["x" * 40, "x" * 31, "👍" * 20], ["x" * 31, "x" * 27 + " (2)", "👍" * 15]),
    (["a\x00\udc80b", "雪中送炭"], ["a__b", "雪中送炭"]),
    (["1", "A1", "R1C1", "a'b", "a!b"], ["1", "A1", "R1C1", "a'b", "a!b"]),
]


@pytest.mark.parametrize(("titles", "expected"), SHEET_NAMES)
def test_sheet_names_are_safe(tmp_path: Path, titles: list[str], expected: list[str]) -> None:
    pages = [text_page([title], title, input_sheet=True) for title in titles]
    path = write(tmp_path, *pages, text_page([], "Problems"), chart=None)
    names = ["Summary", *expected, "Problems", "About"]
    assert openpyxl.load_workbook(path).sheetnames == names
    assert CalamineWorkbook.from_path(path).sheet_names == names
    renamed = [
        f"Sheet {name}" for name, title in zip(expected, titles, strict=True) if name != title
    ]
    assert [cell.value for cell in cells(path, "About")] == ["Signature", *renamed]


def test_the_front_page_has_title_answer_table_and_chart(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write(tmp_path))
    sheet = book["Summary"]
    assert (sheet["B1"].value, sheet["B1"].font.sz) == ("Density (S_Info)", 18)
    # No-break spaces keep the interval on one line.
    assert sheet["B4"].value == "Model_A scores highest (95%\u00a0CI\u00a00.438–0.509)."
    assert [cell.value for cell in sheet[6][1:4]] == ["Model", "S_Info", "95% CI"]
    assert [cell.value for cell in sheet[8][1:4]] == ["Model_B", 0.276, "0.245–0.308"]
    assert sheet["I8"].number_format == "+0.000;−0.000;0.000"
    assert [sheet[place].fill.fgColor.rgb for place in ("B4", "G8")] == ["FFEEF4F8", "FFF9E1DF"]
    assert sheet.row_dimensions[7].height == pytest.approx(20, abs=0.5)
    assert sheet.column_dimensions["A"].width < 3
    chart = zipfile.ZipFile(tmp_path / "book.xlsx").read("xl/charts/chart1.xml").decode()
    whiskers = re.findall(r"<c:f>'Chart data'!\$([CD])\$2:", chart)
    assert whiskers == ["D", "C"]  # LibreOffice draws none if their lengths are not in cells
    assert (book.sheetnames[-1], book["Chart data"].sheet_state) == ("Chart data", "hidden")


def test_a_chart_of_any_numbers_can_be_written(tmp_path: Path) -> None:
    for values in ((-44.8, 10.8), (3.0, 3.0), (1e-12, 2e-12)):
        rows = (("a", values[0], math.nan, math.inf), ("b", values[1], -50, 20))
        book = openpyxl.load_workbook(write(tmp_path, chart=Chart("Chart", rows, None, "share")))
        assert [row[1].value for row in book["Chart data"].iter_rows(2)] == list(values)


def units(problem: str) -> pd.DataFrame:
    values = {"Reference": ["short", "雪" * 100], "Prediction": "x", "P_ROUGE": 0.5, "BP": 0.5}
    notes = {"S_Info": [0.5, math.nan], "Row": [2, 3], "Language": "", "Problem": ["", problem]}
    return pd.DataFrame({"Sheet": ["p1", "p1"], "Idiom": ["a", "b"], **values, **notes})


def test_a_page_is_ready_to_read_and_to_print(tmp_path: Path) -> None:
    pages = unit_pages(units("no words"), FAMILY, FAMILY.measures)
    with pytest.warns(UserWarning, match="extension is not supported"):  # the data bar
        sheet = openpyxl.load_workbook(write(tmp_path, *pages))["p1"]
    assert [cell.value for cell in sheet[1]][-4:] == ["Brevity penalty", "S_Info", "Row", "Problem"]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("B2", "A1:H3")
    assert sheet.print_title_rows == "$1:$1"
    assert (sheet.page_setup.orientation, sheet.page_setup.paperSize) == ("landscape", 9)
    assert (sheet.page_setup.fitToWidth or 1, sheet.page_setup.fitToHeight) == (1, 0)
    heights = [sheet.row_dimensions[row].height for row in (2, 3)]
    assert heights == pytest.approx([15 + 4, 15 * 5 + 4], abs=0.5)
    assert [sheet.column_dimensions[letter].width for letter in "AB"] == [22.7109375, 44.7109375]
    amber = [cell.fill.fgColor.rgb == "FFFBF0D5" for cell in sheet[3]]
    assert amber == [False, False, False, True, True, True, False, True]
    assert {cell.border.bottom.color.rgb for cell in sheet[2]} == {"FFD9D5CC"}
    assert sheet.conditional_formatting


def test_a_page_of_several_blocks_has_all_rows_in_order(tmp_path: Path) -> None:
    texts = [f"row {number}" for number in range(2 * ROWS_AT_ONCE + 1)]
    path = write(tmp_path, text_page(texts))
    assert calamine_texts(path) == texts
    assert openpyxl.load_workbook(path)["Texts"].dimensions == f"A1:A{len(texts) + 1}"


def test_rows_beyond_the_last_of_a_worksheet_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoresheet.cli.report.cells.MOST_ROWS", 6)
    path = write(tmp_path, text_page([*"abcdefg"]))
    assert calamine_texts(path) == [*"abcd", "… [cut] 3 more rows are in the CSV file"]
