import io
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
import xlsxwriter.workbook
from hypothesis import given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from scoresheet.cli.report.pages import Book, Chart, Column, FrontPage, Page
from scoresheet.cli.report.workbook import write_workbook

NASTY = [
    *("=1+1", "+1", "-1", "@SUM(A1)", "#N/A", "#REF!", "1e5", "007", "TRUE", "{=A1}", "'quoted"),
    *("http://example.org", "mailto:a@b.org", "internal:A1", "file:///etc/passwd", "www.x.org"),
    *("_x0041_", "_x000D_", "<r>x</r>", "<r><t>a</t></r>", "<r>& broken", "<r></x></r>", "]]>"),
    *("a\nb", "\ttab", " blanks ", "雪中送炭", "👩‍🔬", "&amp;", "\u2028", "[red]m[/red]", "'"),
    *("http://x.org/" + "y" * 3000, '=HYPERLINK("http://x")', "=cmd|' /C calc'!A0"),
]
TEXT = (Column("text", "Text", role="text"),)


def text_page(texts: list[str], title: str = "Texts", *, input_sheet: bool = False) -> Page:
    frame = pd.DataFrame({"text": pd.Series(texts, dtype=object)})
    return Page(title, frame, TEXT, input_sheet=input_sheet)


def write(tmp_path: Path, *pages: Page, **parts: Any) -> Path:
    path = tmp_path / "book.xlsx"
    write_workbook(Book("book.xlsx", parts.get("front"), pages, parts.get("about", ())), path)
    return path


def openpyxl_texts(path: Path | io.BytesIO, sheet: str = "Texts") -> list[Any]:
    rows = openpyxl.load_workbook(path)[sheet].iter_rows(min_row=2, max_col=1)
    return [cell for (cell,) in rows]


def calamine_texts(path: Path, sheet: str = "Texts") -> list[Any]:
    rows = CalamineWorkbook.from_path(path).get_sheet_by_name(sheet).to_python()
    return [row[0] for row in rows[1:]]


def test_text_is_always_text(tmp_path: Path) -> None:
    path = write(tmp_path, text_page(NASTY))
    cells = openpyxl_texts(path)
    assert [cell.value for cell in cells] == NASTY
    assert {cell.data_type for cell in cells} == {"s"}
    assert not [cell for cell in cells if cell.hyperlink]
    assert calamine_texts(path) == NASTY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round_trip")


# openpyxl shows control characters as Excel stores them, and a text with x005F_ without it.
PLAIN = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff_"))


@settings(max_examples=60, deadline=None)
@given(st.lists(PLAIN.filter(bool), min_size=1, max_size=20))
def test_texts_come_back_unchanged(folder: Path, texts: list[str]) -> None:
    path = write(folder, text_page(texts))
    assert [cell.value for cell in openpyxl_texts(path)] == texts
    assert calamine_texts(path) == texts


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\ufffe\uffff_"), min_size=1), min_size=1))
def test_control_characters_come_back_and_half_characters_show(
    folder: Path, texts: list[str]
) -> None:
    path = write(folder, text_page(texts))
    shown = ["".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text) for text in texts]
    assert calamine_texts(path) == shown


def test_a_text_that_is_too_long_is_cut_with_a_mark(tmp_path: Path) -> None:
    path = write(tmp_path, text_page(["x" * 32_767, "x" * 32_768, "👍" * 20_000]))
    fits, cut, emoji = calamine_texts(path)
    assert fits == "x" * 32_767
    assert cut == "x" * 32_759 + " … [cut]"
    assert emoji.endswith("👍 … [cut]")
    assert len(emoji.encode("utf-16-le")) <= 2 * 32_767


def test_undefined_numbers_are_empty_and_infinite_ones_visible(tmp_path: Path) -> None:
    columns = (Column("v", "Value", "number", "measure"),)
    values = [0.5, math.nan, math.inf, -math.inf, None, "best", 3]
    page = Page("Numbers", pd.DataFrame({"v": pd.Series(values, dtype=object)}), columns)
    shown = [cell.value for cell in openpyxl_texts(write(tmp_path, page), "Numbers")]
    assert shown == [0.5, None, "∞", "−∞", None, "best", 3]


@pytest.mark.parametrize("name", ["Model_A", "=1+1", "<r>x</r>", "a\x00b\udc80", "x" * 90, "A&B"])
def test_the_same_book_gives_the_same_bytes_whatever_the_names(
    tmp_path: Path, front: Callable[..., FrontPage], name: str
) -> None:
    page = text_page([name], name, input_sheet=True)
    parts = {"front": front(name), "about": [("Signature", name)]}
    first = write(tmp_path, page, **parts).read_bytes()
    again = write(tmp_path, page, **parts)
    assert again.read_bytes() == first
    names = openpyxl.load_workbook(again).sheetnames
    assert [names[0], *names[2:]] == ["Summary", "About", "Chart data"]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["Summary"], ["Summary (2)"]),
        (["comparison", "ABOUT"], ["comparison (2)", "ABOUT (2)"]),
        (["Chart data", "by"], ["Chart data (2)", "by (2)"]),
        (["History"], ["History (2)"]),
        (["May", "MAY", "may"], ["May", "MAY (2)", "may (3)"]),
        (["a/b", "a\\b", "[x]:*?"], ["a_b", "a_b (2)", "_x____"]),
        (["'quoted'", "", "  "], ["_quoted_", "Sheet", "Sheet (2)"]),
        (["x" * 40, "x" * 31], ["x" * 31, "x" * 27 + " (2)"]),
        (["👍" * 20], ["👍" * 15]),
        (["a\x00\udc80b"], ["a__b"]),
        (["plain", "雪中送炭"], ["plain", "雪中送炭"]),
        (["1", "A1", "R1C1", "a'b", "a!b"], ["1", "A1", "R1C1", "a'b", "a!b"]),
    ],
)
def test_sheet_names_are_safe(tmp_path: Path, titles: list[str], expected: list[str]) -> None:
    path = tmp_path / "book.xlsx"
    pages = [text_page([title], title, input_sheet=True) for title in titles]
    book = Book("book.xlsx", None, (text_page([], "Problems"), *pages), [("Item", "text")])
    renamed = write_workbook(book, path)
    assert openpyxl.load_workbook(path).sheetnames == ["Problems", *expected, "About"]
    assert CalamineWorkbook.from_path(path).sheet_names == ["Problems", *expected, "About"]
    assert renamed == {t: n for t, n in zip(titles, expected, strict=True) if t != n}
    about = [cell.value for cell in openpyxl_texts(path, "About")]
    assert about == ["Item", *(f"Sheet {name}" for name in renamed.values())]


def test_an_input_sheet_called_problems_does_not_take_our_name(tmp_path: Path) -> None:
    path = write(
        tmp_path, text_page(["theirs"], "Problems", input_sheet=True), text_page([], "Problems")
    )
    assert openpyxl.load_workbook(path).sheetnames == ["Problems (2)", "Problems"]


def test_the_front_page_has_title_answer_table_and_chart(
    tmp_path: Path, front: Callable[..., FrontPage]
) -> None:
    book = openpyxl.load_workbook(write(tmp_path, front=front()))
    sheet = book["Summary"]
    assert sheet["B1"].value == "Information density (S_Info)"
    assert sheet["B1"].font.sz == 18
    # No-break spaces keep the interval on one line.
    assert sheet["B4"].value == "Model_A scores highest (95%\u00a0CI\u00a00.438–0.509)."
    assert sheet["B4"].fill.fgColor.rgb == "FFEEF4F8"
    assert [cell.value for cell in sheet[6][1:4]] == ["Model", "S_Info", "95% CI"]
    assert [cell.value for cell in sheet[8][1:4]] == ["Model_B", 0.276, "0.245–0.308"]
    assert sheet["I8"].number_format == "+0.000;−0.000;0.000"
    assert sheet["G8"].fill.fgColor.rgb == "FFF9E1DF"
    assert sheet.row_dimensions[7].height == pytest.approx(20, abs=0.5)
    assert sheet.column_dimensions["A"].width < 3
    assert "xl/charts/chart1.xml" in zipfile.ZipFile(tmp_path / "book.xlsx").namelist()
    assert book["Chart data"].sheet_state == "hidden"
    assert book.sheetnames[-1] == "Chart data"


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ((math.nan, math.nan), (0, 1)),
        ((0.5, math.nan), None),
        ((-44.8, 10.8), None),
        ((3.0, 3.0), None),
        ((1e-12, 2e-12), None),
    ],
)
def test_a_chart_of_any_numbers_can_be_written(
    tmp_path: Path, values: tuple[float, float], bounds: tuple[float, float] | None
) -> None:
    chart = Chart("Chart", ("a", "b"), values, (math.nan, -50), (math.inf, 20), bounds)
    page = FrontPage("Title", "", ("Answer",), text_page(["a"]), chart)
    book = openpyxl.load_workbook(write(tmp_path, front=page))
    assert ("Chart data" in book.sheetnames) == any(math.isfinite(value) for value in values)


def test_a_page_is_ready_to_read_and_to_print(tmp_path: Path) -> None:
    columns = (
        Column("idiom", "Idiom", role="key"),
        Column("text", "Text", role="text"),
        Column("S_Info", "S_Info", "number", "measure", headline=True, bounds=(0, 1)),
        Column("Row", "Row", "count"),
        Column("Problem", "Problem"),
    )
    rows = [("a", "short", 0.5, 2, ""), ("b", "雪" * 100, math.nan, 3, "no words")]
    frame = pd.DataFrame(rows, columns=[column.name for column in columns])
    path = write(tmp_path, Page("p1", frame, columns, problem_rows=(1,)))
    with pytest.warns(UserWarning, match="extension is not supported"):  # the data bar
        sheet = openpyxl.load_workbook(path)["p1"]
    assert [cell.value for cell in sheet[1]] == ["Idiom", "Text", "S_Info", "Row", "Problem"]
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == "A1:E3"
    assert sheet.print_title_rows == "$1:$1"
    assert (sheet.page_setup.orientation, sheet.page_setup.paperSize) == ("landscape", 9)
    assert (sheet.page_setup.fitToWidth or 1, sheet.page_setup.fitToHeight) == (1, 0)
    heights = [sheet.row_dimensions[row].height for row in (2, 3)]
    assert heights == pytest.approx([15 + 4, 15 * 5 + 4], abs=0.5)
    assert [sheet.column_dimensions[letter].width for letter in "AB"] == [22.7109375, 44.7109375]
    amber = [cell.fill.fgColor.rgb == "FFFBF0D5" for cell in sheet[3]]
    assert amber == [False, False, True, False, True]
    assert sheet.conditional_formatting


def test_a_version_without_the_zip_hook_writes_the_same_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = write(tmp_path, text_page(NASTY * 50))
    size, cells = quick.stat().st_size, calamine_texts(quick)
    hooked = xlsxwriter.workbook.ZipFile
    assert hooked is zipfile.ZipFile
    monkeypatch.setattr("scoresheet.cli.report.workbook._QuickZip", zipfile.ZipFile)
    slow = write(tmp_path, text_page(NASTY * 50))
    assert calamine_texts(slow) == cells
    assert slow.stat().st_size <= size


def test_a_folder_that_is_missing_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "missing", text_page(["a"]))


def test_a_large_book_uses_the_scratch_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoresheet.cli.report.workbook.MOST_IN_MEMORY", 1)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    book = Book("b.xlsx", None, (text_page(["a", "b"]),))
    files = []
    for name in ("a.xlsx", "b.xlsx"):
        write_workbook(book, tmp_path / name, scratch=scratch)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
    assert not list(scratch.iterdir())
