"""The parts of a workbook that we write ourselves are, byte for byte, what XlsxWriter makes of the same."""

from __future__ import annotations

import io
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xlsxwriter

from scoresheet.cli.report.page import Chart, Column, Edge, Histogram, LineChart, Page, PageTable, StackedChart
from scoresheet.cli.write.addresses import column_name, quoted_name
from scoresheet.cli.write.book import Book
from scoresheet.cli.write.charts import Charts
from scoresheet.cli.write.drawing import Frame, Picture, TextBox
from scoresheet.cli.write.hidden_cells import HiddenCells
from scoresheet.cli.write.plot import Cells, NamesAxis, Plot, Series, ValuesAxis, plot_xml
from scoresheet.cli.write.print_layout import printed_title
from scoresheet.cli.write.sheet import Printing, Rule, Sheet
from scoresheet.cli.write.styles import (
    BEST,
    CELLS,
    HEADERS,
    HEADING,
    LINK,
    MIDDLE,
    NAME,
    TOTALS,
    WORST,
    Style,
    StyleNumbers,
)

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


def look(style: Style) -> dict[str, Any]:
    """Return a style as XlsxWriter calls it."""
    shape: dict[str, Any] = {"num_format": style.number_format, "font_name": "Calibri", "font_size": style.size}
    shape |= {"valign": "vcenter" if style.middle else "top"}
    shape |= {"bold": True} if style.bold else {}
    shape |= {"text_wrap": True} if style.wrapped else {}
    shape |= {"align": "center"} if style.centred else {}
    shape |= {"underline": 1} if style.underlined else {}
    shape |= {"top": 1} if style.line_above else {}
    shape |= {"font_color": f"#{style.ink}"} if style.ink else {}
    return shape | ({"bg_color": f"#{style.fill}"} if style.fill else {})


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
    styles = {kind: book.add_format(look(CELLS[kind])) for kind in ("key", "text", "score")}
    headers = {kind: book.add_format(look(HEADERS[kind])) for kind in ("key", "score")}
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
    first.add_rule(2, 20, Rule("cellIs", ' operator="equal"><formula>"good"</formula>', BEST))
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
        good = book.add_format({"bg_color": f"#{BEST}"})
        sheet.conditional_format(1, 2, 20, 2, {"type": "cell", "criteria": "==", "value": '"good"', "format": good})
        link = book.add_format(look(LINK))
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
                styles = [book.add_format(look(CELLS[kind])) for kind in ("text", "score")]
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


def drawn_by_xlsxwriter(plots: list[Plot], cells: dict[tuple[str, int, int], Any]) -> list[bytes]:
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
        for plot in plots:
            sheets["A page"].insert_chart(0, 0, chart_of(book, plot))

    made = by_xlsxwriter(write)
    return [made[f"xl/charts/chart{number + 1}.xml"] for number in range(len(plots))]


def chart_of(book: Any, plot: Plot) -> Any:
    """Return a chart as XlsxWriter is told of it."""
    kind = {"type": "bar" if plot.is_lying else "column"} | ({"subtype": "stacked"} if plot.is_stacked else {})
    chart = book.add_chart(kind if plot.bars else {"type": "line"})
    for series in plot.bars or plot.lines:
        options = told(series) | ({"gap": plot.gap} if plot.bars else {})
        options["x_error_bars" if plot.is_lying else "y_error_bars"] = options.pop("error_bars", None)
        chart.add_series(options)
    if plot.bars and plot.lines:
        above = book.add_chart({"type": "line"})
        for series in plot.lines:
            above.add_series(told(series))
        chart.combine(above)
    chart.set_title({"name": plot.title, "name_font": {"size": 12}, "overlay": False})
    names, values = axes_of(plot)
    chart.set_x_axis(values if plot.is_lying else names)
    chart.set_y_axis(names if plot.is_lying else values)
    chart.set_legend({"position": "bottom", "delete_series": plot.unlisted} if plot.has_legend else {"none": True})
    if plot.shows_hidden_cells:
        chart.show_hidden_data()
    if plot.empty_is_empty:
        chart.show_na_as_empty_cell()
    return chart


def axes_of(plot: Plot) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both axes as XlsxWriter is told of them."""
    axis, values = plot.names_axis, plot.values_axis
    letters = {"rotation": axis.turned} if axis.turned else {}
    letters |= {"size": axis.size} if axis.size else {}
    names: dict[str, Any] = {"name": axis.title, "name_font": {"bold": False}, "num_font": letters}
    if axis.has_all:
        names |= {"interval_unit": 1, "label_position": "low", "major_tick_mark": "none"}
    if plot.is_lying:
        names |= {"reverse": True, "label_position": "low"}
    return names, {
        "name": values.title,
        "name_font": {"bold": False},
        "min": values.least,
        "max": values.most,
        "num_format": values.number_format,
        "major_gridlines": {"visible": True, "line": {"color": "#DDDDDD"}},
        "major_unit": values.step,
        "label_position": "high" if plot.is_lying else None,
    }


def told(series: Series) -> dict[str, Any]:
    """Return a series as XlsxWriter is told of it: it looks at the cells, but for those of error bars."""
    colour = f"#{series.colour}"
    made: dict[str, Any] = {"name": series.name, "categories": place(series.names), "values": place(series.values)}
    if not series.points:
        made |= {"fill": {"color": colour}} | (
            {"border": {"color": "#FFFFFF", "width": 0.75}} if series.is_outlined else {}
        )
    elif series.is_edge:
        made |= {"line": {"color": colour, "width": series.points, "dash_type": "dash"}, "marker": {"type": "none"}}
    else:
        ink = {"color": colour}
        made["line"] = {"color": colour, "width": series.points}
        made["marker"] = {"type": "circle", "size": 4, "fill": ink, "border": ink}
    if series.labels:
        ink = {"color": f"#{series.labels.ink}"}
        texts = series.labels.texts
        made["data_labels"] = {"value": True, "position": "center" if texts else "inside_base", "font": ink}
        made["data_labels"] |= {"num_format": series.labels.number_format} if series.labels.number_format else {}
        custom = [{"delete": True} if text is None else {"value": text, "font": ink} for text in texts]
        made["data_labels"] |= {"custom": custom} if custom else {}
    if series.whiskers:
        bars: dict[str, Any] = {"type": "custom", "line": {"color": "#1B2A3A"}}
        for side, cells in zip(("plus", "minus"), series.whiskers, strict=True):
            sheet, *corners = place(cells)
            bars |= {f"{side}_values": f"={sheet}!{xlsxwriter.utility.xl_range_abs(*corners)}"}
            bars |= {f"{side}_data": list(cells.values)}
        made["error_bars"] = bars
    return made


def place(cells: Cells) -> list[Any]:
    """Return where cells stand, as XlsxWriter is told."""
    return [cells.sheet, cells.row, cells.column, cells.row + len(cells.values) - 1, cells.column]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: type(chart).__name__)
def test_charts_are_those_that_the_library_draws_from_the_cells(chart: Any) -> None:
    for model in range(2):
        page = page_of(model, chart)
        cells = {
            ("A page", row, place): "" if value is None or value != value else value  # noqa: PLR0124 - NaN
            for place, column in enumerate(COLUMNS)
            for row, value in enumerate(page.table[column.name], start=1)
        }
        hidden = Hidden(cells)
        plots = [each.chart for each in Charts(hidden, f"model {model} <=&").of_page(page, 900)] * 2
        made = [plot_xml(plot, number) for number, plot in enumerate(plots, start=1)]
        assert made
        assert made == drawn_by_xlsxwriter(plots, cells)


@pytest.mark.parametrize("rows", [1, 9, 15, 40])
def test_names_below_upright_bars_are_written_as_the_library_writes_them(rows: int) -> None:
    names = [f"a long name that is number {row} of all" for row in range(rows)]
    page = Page("A page", PageTable({"Name": names, "Score": [row / 9 for row in range(rows)]}), COLUMNS[:2])
    cells: dict[tuple[str, int, int], Any] = {}
    chart = Chart("t", "Name", "Score", edges=(Edge(0.5, "edge"),))
    plots = [each.chart for each in Charts(Hidden(cells)).of_page(replace(page, chart=chart), 900)]
    assert [plot_xml(plot, 1) for plot in plots] == drawn_by_xlsxwriter(plots, cells)


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


def test_what_a_user_called_a_column_is_no_formula_and_no_bad_character_in_a_chart() -> None:
    cells = Cells("A page", 1, 0, [1.0])
    plot = Plot("=A!$B$2", NamesAxis(), ValuesAxis("", "0"), [Series("bell \x07", cells, cells, "8DB4DC")])
    drawn = plot_xml(plot, 1).decode()
    assert "<a:t>=A!$B$2</a:t>" in drawn
    assert "<c:v>bell \\x07</c:v>" in drawn
    ElementTree.fromstring(drawn)


@pytest.mark.parametrize("tints", [[], [BEST], [WORST, MIDDLE, BEST]])
def test_styles_are_those_that_the_library_makes(tints: list[str]) -> None:
    styles = [*HEADERS.values(), LINK, *TOTALS.values(), HEADING, *CELLS.values(), NAME]
    for some in (styles, styles[::-1], styles[::3], []):
        numbers = StyleNumbers()
        for tint in tints:
            numbers.of_tint(tint)
        given = [numbers.of_cells(style) for style in some]

        def write(book: Any, some: list[Style] = some) -> None:
            sheet = book.add_worksheet()
            for row, tint in enumerate(tints):
                rule = {
                    "type": "cell",
                    "criteria": "==",
                    "value": 1,
                    "format": book.add_format({"bg_color": f"#{tint}"}),
                }
                sheet.conditional_format(row, 0, row, 0, rule)
            for column, style in enumerate(some):
                sheet.write_blank(0, column, None, book.add_format(look(style)))

        wanted = by_xlsxwriter(write)
        assert numbers.part() == wanted["xl/styles.xml"]
        cells = "".join(f'<c r="{column_name(place)}1" s="{number}"/>' for place, number in enumerate(given))
        assert cells.encode() in wanted["xl/worksheets/sheet1.xml"]


@pytest.mark.parametrize(
    "name",
    [
        *("Summary", "sheet_1", "a.b", "_", ".a", "1a", "a b", "it's", "a-b", "猫", "é", "²", "x²", "A", "ABCD1"),
        *(
            "A1",
            "a1",
            "XFD1048576",
            "XFD1048577",
            "XFE1",
            "A0",
            "R",
            "c",
            "rc",
            "RC1",
            "R1x",
            "C16385",
            "C16384z",
            "R0x",
        ),
        *("r1048576_", "R1048577_", "rc5x", "RCX", "Row", "Col", "ß1"),
    ],
)
def test_names_of_sheets_are_quoted_where_the_library_quotes_them(name: str) -> None:
    assert quoted_name(name) == xlsxwriter.utility.quote_sheetname(name)


def test_columns_are_called_as_the_library_calls_them() -> None:
    places = [*range(800), 16_383]
    assert list(map(column_name, places)) == list(map(xlsxwriter.utility.xl_col_to_name, places))


@pytest.mark.parametrize("corner", [(0, 0, 0, 4), (3, 2, 4, 4), (30, 7, 700, 4)])
def test_what_is_drawn_stands_where_the_library_puts_it(tmp_path: Path, corner: tuple[int, int, int, int]) -> None:
    row, column, x, y = corner
    sizes = [(560, 300), (760, 41), (64, 20)]
    book = Book("title")
    sheet = book.add_sheet("A page")
    table(sheet, rows=9)
    sheet.hide_column(5)
    sheet.drawn.append(TextBox(Frame(row, column, x, y, 760, 60), "a sentence"))
    cells = Cells("A page", 1, 2, [1 / row for row in range(1, 10)])
    plot = Plot("t", NamesAxis(), ValuesAxis("", "0"), [Series("s", cells, cells, "8DB4DC")])
    for width, height in sizes:
        sheet.drawn.append(Picture(Frame(row, column, x, y, width, height), plot))
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
            chart = chart_of(book, plot)
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
