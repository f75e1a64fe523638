"""Worksheets on paper: A4, a size that can be read, keys and header on every page, and nothing drawn cut in two."""

from __future__ import annotations

import unicodedata
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl.utils import column_index_from_string, get_column_letter

from scoresheet.cli.report.page import Chart, Column, Edge, LineChart, Page, PageTable
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.write.about import About
from scoresheet.cli.write.print_layout import SMALLEST, pixels
from scoresheet.cli.write.text_width import MOST_LINES, lines, text_columns
from scoresheet.cli.write.workbook import Workbook, write_workbook

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
ACROSS, UPRIGHT = (10.9 * 96, 6.9 * 96), (7.5 * 96, 10.3 * 96)  # pixels between the margins
ROW = 20  # pixels of a row of one line


def page_of(rows: int, columns: int, *, charts: int = 0, text: str = "", sentence: str = "") -> Page:
    """A page with a key, so many columns of numbers, perhaps one of text, and charts of lines or, if -1, of bars."""
    numbers = [f"Measure_{number}" for number in range(columns)]
    shown = [Column("Name", "", "key"), *(Column(name, "", "score") for name in numbers)]
    cells: dict[str, list[Any]] = {"Name": [f"row {row}" for row in range(rows)]}
    cells |= {name: [row / rows for row in range(rows)] for name in numbers}
    if text:
        shown.append(Column("Text", ""))
        cells["Text"] = [text] * rows
    drawn: Any = None
    if charts:
        line = LineChart("t", "Name", (numbers[0],), "up", Edge(1.0, "one"))
        drawn = (
            line if charts > 0 else Chart("t", "Name", numbers[0], edges=(Edge(0.5, "half"),) if charts < -1 else ())
        )
    more = (drawn,) * (charts - 1) if charts > 1 else ()
    return Page("Page", PageTable(cells), tuple(shown), chart=drawn, more_charts=more, sentence=sentence)


def written(path: Path, page: Page, title: str = "Model: title") -> Any:
    """The worksheet of a page, read back."""
    write_workbook(path, Workbook(title, [page], problems_page([]), About([("Heading", [("a", "b")])]), whose="m"))
    return openpyxl.load_workbook(path)["Page"]


def anchors(path: Path) -> list[tuple[int, int, int, int]]:
    """The first and last column, the first and last row of everything drawn on the first page."""
    with zipfile.ZipFile(path) as book:
        parts = [name for name in book.namelist() if name.startswith("xl/drawings/drawing")]
        found = [each for part in parts for each in ElementTree.fromstring(book.read(part))]
    return [
        tuple(  # type: ignore[misc]
            int(str(anchor.findtext(f"{DRAWING}{end}/{DRAWING}{what}")))
            for what in ("col", "row")
            for end in ("from", "to")
        )
        for anchor in found
    ]


SHAPES = [
    *((rows, columns, charts, "") for rows in (1, 25, 26, 70) for columns in (1, 14, 40) for charts in (-2, -1, 4)),
    *((25, columns, charts, "many words " * 40) for columns in (1, 14) for charts in (-1, 4)),  # longer than a page
]


@pytest.mark.parametrize(("rows", "columns", "charts", "text"), SHAPES)
def test_no_page_break_goes_through_what_is_drawn(
    rows: int, columns: int, charts: int, text: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.xlsx"
    sheet = written(path, page_of(rows, columns, charts=charts, text=text, sentence="A sentence. " * 10))
    heights = {row: (size.height or 15) / 0.75 for row, size in sheet.row_dimensions.items()}
    fitted = sheet.sheet_properties.pageSetUpPr is not None and sheet.sheet_properties.pageSetUpPr.fitToPage
    paper = ACROSS if sheet.page_setup.orientation == "landscape" else UPRIGHT
    across = [each.id for each in sheet.col_breaks.brk]
    down = [each.id for each in sheet.row_breaks.brk]
    drawn = anchors(path)
    assert len(drawn) == max(charts, 1) + 1
    keys = column_index_from_string(sheet.print_title_cols.rpartition("$")[2])
    for first, last, top, bottom in drawn:
        assert not any(first < edge <= last for edge in across)
        assert not any(top < edge <= bottom for edge in down)
        if across:
            assert first >= keys  # what lies over repeated columns would be repeated in part
        if not fitted:
            scale = (sheet.page_setup.scale or 100) / 100
            assert scale >= SMALLEST
            start = max([edge for edge in down if edge <= top], default=0)
            if not start and sum(heights.get(row, ROW) for row in range(1, rows + 2)) > paper[1] / scale:
                assert across  # beside the table, on its first page
            high = sum(heights.get(row + 1, ROW) for row in range(start, bottom)) + heights[1] * bool(start)
            assert high * scale <= paper[1]


@pytest.mark.parametrize("texts", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("keys", [1, 2, 4])
def test_a_chart_is_whole_whatever_the_first_columns_are(keys: int, texts: int, tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    names = [f"{'Key' if place < keys else 'Text'}_{place}" for place in range(keys + texts)]
    columns = tuple(Column(name, "", "key" if place < keys else "text") for place, name in enumerate(names))
    cells: dict[str, list[Any]] = {name: ["many words " * 9] * 4 for name in names}
    table = PageTable(cells | {"Score": [0.1, 0.2, 0.3, 0.4]})
    page = Page("Page", table, (*columns, Column("Score", "", "score")), Chart("t", names[0], "Score"))
    sheet = written(path, page)
    repeated = column_index_from_string(sheet.print_title_cols.rpartition("$")[2])
    across = [each.id for each in sheet.col_breaks.brk]
    ((first, last, _, _),) = anchors(path)
    assert not any(first < edge <= last for edge in across)
    assert first >= repeated or not across


@pytest.mark.parametrize("columns", [1, 5, 9, 16, 22, 40, 90])
def test_a_page_holds_its_columns_at_a_size_that_can_be_read(columns: int, tmp_path: Path) -> None:
    sheet = written(tmp_path / "t.xlsx", page_of(30, columns))
    wide = [pixels(sheet.column_dimensions[letter].width) for letter in map(get_column_letter, range(1, columns + 2))]
    starts = [0, *(each.id for each in sheet.col_breaks.brk), columns + 1]
    paper = ACROSS if sheet.page_setup.orientation == "landscape" else UPRIGHT
    if len(starts) == 2:
        assert paper[0] / sum(wide) >= SMALLEST
        return
    scale = sheet.page_setup.scale / 100
    assert scale >= SMALLEST
    assert sheet.page_setup.pageOrder == "overThenDown"
    for first, last in pairwise(starts):
        keys = 0 if first == 0 else wide[0]
        assert (keys + sum(wide[first:last])) * scale <= paper[0]


def test_every_page_is_a4_with_its_header_its_key_and_whose_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    sheet = written(path, page_of(30, 40), title="R&G 100 %: a&b")
    sheets: list[Any] = list(openpyxl.load_workbook(path).worksheets)
    for each in sheets:
        assert int(each.page_setup.paperSize) == 9
        assert each.oddHeader.left.text.replace("\u2060", "") == "R&&G 100 %: a&&b"
        assert each.oddFooter.left.text == "&A"
        assert each.oddFooter.right.text in ("Page &P of &N", "Page &P of &[Pages]", "Page &[Page] of &[Pages]")
    assert (sheet.print_title_rows, sheet.print_title_cols) == ("$1:$1", "$A:$A")


def test_a_very_long_name_still_makes_a_header(tmp_path: Path) -> None:
    sheet = written(tmp_path / "t.xlsx", page_of(3, 2), title="&" * 500)
    assert 0 < len(sheet.oddHeader.left.text) < 255


def test_the_cells_that_charts_read_are_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    written(path, page_of(30, 2, charts=-2))
    about = openpyxl.load_workbook(path)["About"]
    assert about.print_area.endswith("$A$1:$B$2")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("naïve", 5),
        ("塞翁失马，焉知非福。", 20),
        ("かんじ カタカナ ﾊﾝｶｸ", 6 + 1 + 8 + 1 + 4),
        ("한국어 속담", 11),
        ("สวัสดี", 4),  # its vowels stand above and below
        ("мир", 3),
        ("ok 👍", 5),
    ],
)
def test_a_text_is_as_wide_as_its_characters(text: str, columns: int) -> None:
    assert text_columns(text) == columns


def test_runs_that_are_counted_at_once_are_as_wide_as_unicode_says() -> None:
    for code in (*range(0x80, 0xD800), *range(0xF900, 0xFFFE), *range(0x1F300, 0x1F650), *range(0x20000, 0x20100)):
        character = chr(code)
        if unicodedata.category(character) in ("Cn", "Mn", "Me", "Cf"):
            continue
        assert text_columns(character) == (2 if unicodedata.east_asian_width(character) in "WF" else 1), hex(code)


def test_wide_text_takes_about_twice_the_lines_of_narrow_text() -> None:
    for narrow, wide in (("a" * 200, "中" * 200), ("я" * 200, "가" * 200)):
        assert lines(wide, 100) == pytest.approx(2 * lines(narrow, 100), abs=1)
    assert lines("中" * 5000, 20) == lines("a" * 5000, 20) == MOST_LINES
    assert lines("я" * 90, 100) == lines("a" * 90, 100) == 1


def test_a_row_is_as_high_as_its_longest_text_in_any_script(tmp_path: Path) -> None:
    heights = [written(tmp_path / f"{number}.xlsx", page_of(2, 1, text=text)).row_dimensions[2].height
               for number, text in enumerate(("short", "many words " * 9, "塞翁失马" * 20))]  # fmt: skip
    assert heights[0] in (None, 15)
    assert heights[1:] == [32, 64]
