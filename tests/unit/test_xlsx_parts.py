"""The parts of a workbook that we write ourselves are, byte for byte, what XlsxWriter makes of the same."""

from __future__ import annotations

import io
import math
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from scoresheet.cli.report.page import Chart, Column, Edge, Histogram, LineChart, Page, PageTable, StackedChart
from scoresheet.cli.write import chart_sketch
from scoresheet.cli.write.book import Book
from scoresheet.cli.write.chart_sketch import Cells, Sketch, Text, chart_parts
from scoresheet.cli.write.charts import Charts
from scoresheet.cli.write.drawing import Frame, Picture, TextBox
from scoresheet.cli.write.hidden_cells import HiddenCells
from scoresheet.cli.write.print_layout import printed_title
from scoresheet.cli.write.sheet import Printing, Rule, Sheet
from scoresheet.cli.write.styles import CELLS, GOOD, HEADERS, LINK

Parts = dict[str, bytes]
OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
BARS = {
    "type": "column",
    "min": 0,
    "max": "group",
    "low_point": True,
    "series_color": "#2F4B66",
    "low_color": "#C0504D",
}
BOX = {
    "font": {"size": 12, "bold": True, "color": "#2F4B66"},
    "line": {"color": "#2F4B66"},
    "align": {"vertical": "middle"},
    "object_position": 2,
}


LINKS = ["a.xlsx", "a b[1]^`{x}<>.xlsx", '100% "sure".xlsx', "already%20escaped .xlsx", "a#b.xlsx", "猫&.xlsx"]


def parts_of(file: Path | io.BytesIO) -> Parts:
    """Return the parts of a workbook, in their order, but for what says when it was made."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "docProps/core.xml"}


def by_xlsxwriter(write: Any) -> Parts:
    """Return the parts of a workbook that a function fills through XlsxWriter."""
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, OPTIONS) as book:
        write(book)
    return parts_of(stream)


def set_up_paper(sheet: Any, title: str = "a title") -> None:
    """Set up what is the same on all our sheets."""
    sheet.set_paper(9)
    sheet.set_margins(left=0.4, right=0.4, top=0.75, bottom=0.6)
    sheet.set_header("&L" + title)
    sheet.set_footer("&L&A&RPage &P of &N")


def table(sheet: Sheet, rows: int = 20) -> None:
    """Write a table, cell by cell."""
    sheet.set_height(0, 22)
    sheet.set_column(0, 12, CELLS["key"], "key")
    sheet.set_column(1, 12, CELLS["text"], "text")  # looks the same, and yet is another
    sheet.set_column(2, 8.43, CELLS["score"], "score")
    sheet.set_column(3, 30.5, CELLS["score"], "score")
    sheet.set_column(4, 30.5, CELLS["score"], "score")
    for place in range(5):
        sheet.write_text(0, place, f"H{place} & <more>", HEADERS["key" if place < 2 else "score"])
    for row in range(1, rows + 1):
        sheet.write_text(row, 0, f" name {row % 3}", CELLS["key"])
        sheet.write_nothing(row, 1, CELLS["text"])
        sheet.write_number(row, 2, 1 / row, CELLS["score"])
        sheet.set_height(row, 16 * row)
    sheet.frozen = True
    sheet.filtered = (rows, 5)


def same_table(book: Any, sheet: Any, rows: int = 20) -> None:
    """Write the same through XlsxWriter."""
    styles = {kind: book.add_format(dict(CELLS[kind].shape)) for kind in ("key", "text", "score")}
    headers = {kind: book.add_format(dict(HEADERS[kind].shape)) for kind in ("key", "score")}
    sheet.set_row(0, 22)
    for place, (width, kind) in enumerate(
        [(12, "key"), (12, "text"), (8.43, "score"), (30.5, "score"), (30.5, "score")]
    ):
        sheet.set_column(place, place, width, styles[kind])
        sheet.write_string(0, place, f"H{place} & <more>", headers["key" if place < 2 else "score"])
    for row in range(1, rows + 1):
        sheet.write_string(row, 0, f" name {row % 3}", styles["key"])
        sheet.write_blank(row, 1, None, styles["text"])
        sheet.write_number(row, 2, 1 / row, styles["score"])
        sheet.set_row(row, 16 * row)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, rows, 4)


@pytest.mark.parametrize(
    "name", ["Summary", "two words", "it's", "R1", "AB12", "1st", "Go!B2", "猫", "a&b_x0041_", "😀"]
)
def test_a_workbook_is_the_one_that_the_library_makes(tmp_path: Path, name: str) -> None:
    book = Book("title")
    first, second = book.add_sheet(name), book.add_sheet("About")
    table(first)
    first.printing = Printing("a title", across=True, scale=60, over_then_down=True, rows=[9, 4, 9, 0], columns=[3])
    first.repeated_columns = 2
    first.add_rule(2, 20, Rule("cellIs", ' operator="equal"><formula>"good"</formula>', GOOD))
    first.link(3, 0, "internal:'it''s \"x\"'!A1", 'text "of" & link')
    for row, place in enumerate(LINKS, start=4):
        first.link(row, 0, f"external:{place}", "text")
    first.write_text(3, 0, 'text "of" & link', LINK)
    first.draw_bars([2, 5], 4, (1, 3))
    first.drawn += [TextBox(Frame(22, 0, 0, 4, 760, 100), "one & two\n\nthree")]
    second.set_column(0, 28)
    second.write_text(0, 0, "x")
    second.write_text(40, 7, "x")
    second.hide_column(7)
    second.printing = Printing("a title", fits=True)
    second.print_area = "$A$1:$B$7"
    second.shows_grid = False
    book.write(tmp_path / "ours.xlsx")

    def write(book: Any) -> None:
        sheet, about = book.add_worksheet(name), book.add_worksheet("About")
        same_table(book, sheet)
        set_up_paper(sheet)
        sheet.set_landscape()
        sheet.set_print_scale(60)
        sheet.print_across()
        sheet.set_h_pagebreaks([9, 4, 9, 0])
        sheet.set_v_pagebreaks([3])
        sheet.repeat_rows(0)
        sheet.repeat_columns(0, 1)
        good = book.add_format(dict(GOOD.shape))
        sheet.conditional_format(1, 2, 20, 2, {"type": "cell", "criteria": "==", "value": '"good"', "format": good})
        link = book.add_format(dict(LINK.shape))
        sheet.write_url(3, 0, "internal:'it''s \"x\"'!A1", link, string='text "of" & link')
        for row, place in enumerate(LINKS, start=4):
            sheet.hyperlinks[row][0] = xlsxwriter.url.Url(f"external:{place}")
        sheet.add_sparkline(2, 4, {**BARS, "location": ["E3", "E6"], "range": ["B3:D3", "B6:D6"]})
        sheet.insert_textbox(22, 0, "one & two\n\nthree", {**BOX, "y_offset": 4, "width": 760, "height": 100})
        about.set_column(0, 0, 28)
        about.write_string(0, 0, "x")
        about.write_string(40, 7, "x")
        about.set_column(7, 7, None, None, {"hidden": True})
        set_up_paper(about)
        about.fit_to_pages(1, 0)
        about.print_area(0, 0, 6, 1)
        about.hide_gridlines(2)

    wanted, made = by_xlsxwriter(write), parts_of(tmp_path / "ours.xlsx")
    assert list(made) == list(wanted)
    if "!" in name:  # the library cuts the name there, in what only says how many ranges there are
        del wanted["docProps/app.xml"], made["docProps/app.xml"]
    assert {part: content for part, content in made.items() if content != wanted[part]} == {}


def test_sheets_of_little_are_those_that_the_library_makes(tmp_path: Path) -> None:
    book = Book("title")
    for name in ("Empty", "Body", "One"):
        sheet = book.add_sheet(name)
        sheet.printing = Printing("a title")
        if name == "Body":
            sheet.set_height(0, 22)
            sheet.write_text(0, 0, "x")
            sheet.append([["x", "y"], [1.5, math.nan]], [CELLS["text"], CELLS["score"]], [0, 32])
        elif name == "One":
            sheet.set_height(0, 22)
            sheet.add_rule(0, 1, Rule("cellIs", ' operator="equal"><formula>1</formula>'))
    book.write(tmp_path / "ours.xlsx")

    def write(book: Any) -> None:
        for name in ("Empty", "Body", "One"):
            sheet = book.add_worksheet(name)
            set_up_paper(sheet)
            if name == "Body":
                sheet.set_row(0, 22)
                sheet.write_string(0, 0, "x")
                styles = [book.add_format(dict(CELLS[kind].shape)) for kind in ("text", "score")]
                sheet.write_string(1, 0, "x", styles[0])
                sheet.write_number(1, 1, 1.5, styles[1])
                sheet.write_string(2, 0, "y", styles[0])
                sheet.set_row_pixels(2, 32 * 4 / 3)
            elif name == "One":
                sheet.set_row(0, 22)
                sheet.conditional_format(1, 0, 1, 0, {"type": "cell", "criteria": "==", "value": 1})

    wanted, made = by_xlsxwriter(write), parts_of(tmp_path / "ours.xlsx")
    # rows that are appended do not say from where to where they reach, which no program needs to know
    wanted = {name: content.replace(b' spans="1:2"', b"") for name, content in wanted.items()}
    made = {name: content.replace(b' spans="1:1"', b"") for name, content in made.items()}
    assert made == wanted


COLUMNS = (
    Column("Name", "", "key"),
    *(Column(name, "", "score", better="higher") for name in ("Score", "Low", "High")),
    *(Column(name, "", "count") for name in ("A_1", "B")),
    Column("Said", "", "label"),
)
CHARTS = [
    Chart("t", "Name", "Score", "Low", "High"),
    Chart("t", "Name", "Score", "Low", "High", ordered=True),
    Chart("t", "Name", "Score", group="Said"),
    Chart("t", "Name", "Score", "Low", "High", edges=(Edge(0.5, "high from 0.5"), Edge(0.9, "=top!"))),
    StackedChart("t", "Name", ("A_1", "B"), ("Said", ""), 3, "Rows"),
    StackedChart("t", "A_1", ("Score", "High"), ("Said", "Name"), 9),
    LineChart("t", "Name", ("Score", "Low"), "up", Edge(0.5, "edge")),
    LineChart("t", "A_1", ("Score",)),
    Histogram("t", ("0_1", "1 to 2", "3"), (4, 0, 2), "across", "up"),
]


def page_of(model: int, chart: Any) -> Page:
    """Return a page with what charts have to cope with."""
    nan = math.nan
    data: dict[str, list[Any]] = {
        "Name": [f"m{model} & <b>", "_x0041_", "7", ""],
        "Score": [0.5 + model / 30, nan, None, 1 / 3 if model else 0.25],
        "Low": [0.25, nan, math.inf, 0.125 / (model + 1)],
        "High": [0.75, 0.5, nan, 0.9],
        "A_1": [1, 2, 3, model],
        "B": [0, 10, 20, 30],
        "Said": [f"said {model}", "=formula", "", "Go!B2"],
    }
    return Page("A page", PageTable(data), COLUMNS, chart)


def drawn_by_xlsxwriter(sketches: list[Sketch], cells: dict[tuple[str, int, int], Any]) -> list[bytes]:
    """Return charts as XlsxWriter draws them from the cells."""

    def write(book: Any) -> None:
        sheets = {name: book.add_worksheet(name) for name in ("A page", "About")}
        blank = book.add_format({"bold": True})
        for (sheet, row, place), value in cells.items():
            if value == "" and sheet == "A page":
                sheets[sheet].write_blank(row, place, None, blank)
            elif isinstance(value, str) or math.isinf(value):
                sheets[sheet].write_string(row, place, str(value))
            else:
                sheets[sheet].write_number(row, place, value)
        for sketch in sketches:
            sheets["A page"].insert_chart(0, 0, chart_of(book, sketch))

    made = by_xlsxwriter(write)
    return [made[f"xl/charts/chart{number + 1}.xml"] for number in range(len(sketches))]


def chart_of(book: Any, sketch: Sketch) -> Any:
    """Return a chart as XlsxWriter is told of it."""
    drawn = book.add_chart(sketch.kind)
    for series in sketch.series:
        drawn.add_series(told(series))
    if sketch.above:
        drawn.combine(chart_of(book, sketch.above))
        return with_frame(drawn, sketch)
    return with_frame(drawn, sketch) if sketch.title else drawn


def with_frame(drawn: Any, sketch: Sketch) -> Any:
    """Return a chart with its title, its axes and its legend."""
    drawn.set_title(told(sketch.title))
    drawn.set_x_axis(sketch.x_axis)
    drawn.set_y_axis(sketch.y_axis)
    drawn.set_legend(sketch.legend)
    if sketch.shows_hidden_cells:
        drawn.show_hidden_data()
    if sketch.skips_empty_cells:
        drawn.show_na_as_empty_cell()
    return drawn


def told(value: Any) -> Any:
    """Return an option without marks: the library looks at the cells, but for those of error bars."""
    if isinstance(value, Text):
        return value.text
    if isinstance(value, list):
        return [told(each) for each in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for name, option in value.items():
        if not isinstance(option, Cells):
            made[name] = told(option)
        elif name in ("categories", "values"):
            made[name] = [option.sheet, *option.place()]
        else:
            made[name] = f"={option.sheet}!{xlsxwriter.utility.xl_range_abs(*option.place())}"
            made[name.replace("values", "data")] = list(option.values)
    return made


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: type(chart).__name__)
def test_charts_are_those_that_the_library_draws_from_the_cells(chart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(chart_sketch, "_TEMPLATES", kept)
    for model in range(3):
        page = page_of(model, chart)
        cells = {
            ("A page", row, place): "" if value is None or value != value else value  # noqa: PLR0124 - NaN
            for place, column in enumerate(COLUMNS)
            for row, value in enumerate(page.table[column.name], start=1)
        }
        hidden = Hidden(cells)
        sketches = [each.chart for each in Charts(hidden, f"model {model} <=&!").of_page(page, 900)]
        assert sketches
        assert chart_parts(sketches) == drawn_by_xlsxwriter(sketches, cells)
    assert len(kept) == 1  # the library drew it once, for the first of the models


class Hidden(HiddenCells):
    """Hidden cells, and what they hold."""

    def __init__(self, cells: dict[tuple[str, int, int], Any]) -> None:
        super().__init__(Book("t").add_sheet("About"), 5)
        self.cells = cells

    def add(self, values: Any) -> Cells:
        """Note the values of a column too."""
        made = super().add(values)
        self.cells |= {("About", row, made.column): value for row, value in enumerate(values) if value is not None}
        return made


@pytest.mark.parametrize("corner", [(0, 0, 0, 4), (3, 2, 4, 4), (30, 7, 700, 4)])
def test_what_is_drawn_stands_where_the_library_puts_it(tmp_path: Path, corner: tuple[int, int, int, int]) -> None:
    row, column, x, y = corner
    sizes = [(560, 300), (760, 41), (64, 20)]
    book = Book("title")
    sheet = book.add_sheet("A page")
    table(sheet, rows=9)
    sheet.hide_column(5)
    sheet.drawn.append(TextBox(Frame(row, column, x, y, 760, 60), "a sentence"))
    sketch = Sketch({"type": "bar"}, [{"values": Cells("A page", 1, 2, [1 / row for row in range(1, 10)])}])
    for width, height in sizes:
        sheet.drawn.append(Picture(Frame(row, column, x, y, width, height), sketch))
    sheet.printing = Printing("a title")
    book.write(tmp_path / "ours.xlsx")

    def write(book: Any) -> None:
        sheet = book.add_worksheet("A page")
        same_table(book, sheet, rows=9)
        set_up_paper(sheet)
        sheet.set_column(5, 5, None, None, {"hidden": True})
        place = {"x_offset": x, "y_offset": y, "object_position": 2}
        sheet.insert_textbox(row, column, "a sentence", {**BOX, **place, "width": 760, "height": 60})
        for width, height in sizes:
            chart = book.add_chart({"type": "bar"})
            chart.add_series({"values": ["A page", 1, 2, 9, 2]})
            chart.set_size({"width": width, "height": height})
            sheet.insert_chart(row, column, chart, place)

    assert parts_of(tmp_path / "ours.xlsx") == by_xlsxwriter(write)


def test_two_sheets_of_one_name_are_refused() -> None:
    book = Book("t")
    book.add_sheet("Summary")
    with pytest.raises(ValueError, match="'SUMMARY'"):
        book.add_sheet("SUMMARY")


def test_a_title_in_the_header_of_a_page_is_no_command_to_the_printer() -> None:
    assert printed_title("R&D &G") == "R&&\u2060D &&\u2060G"
