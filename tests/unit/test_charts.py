"""Charts: sorted bars with whiskers, lines at the edges of bands, and titles that say whose they are."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from scoresheet.cli.report.page import Chart, Column, Edge, LineChart, Page, PageTable
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.write.about import About
from scoresheet.cli.write.workbook import Workbook, write_workbook
from tests.helpers.charts import charts

COLUMNS = (Column("Name", "", "key"), *(Column(name, "", "score") for name in ("Score", "Low", "High")))
EDGES = (Edge(0.5, "moderate from 0.5"), Edge(0.8, "high from 0.8"))


def drawn(path: Path, scores: dict[str, float], *, whose: str = "Model_A", **settings: Any) -> str:
    """The XML of the chart of these scores, with intervals of 0.1 to either side."""
    cells: dict[str, list[Any]] = {"Name": list(scores), "Score": list(scores.values())}
    cells |= {"Low": [score - 0.1 for score in scores.values()], "High": [score + 0.1 for score in scores.values()]}
    chart = Chart("Score by name", "Name", "Score", "Low", "High", **settings)
    page = Page("Page", PageTable(cells), COLUMNS, chart)
    write_workbook(path, Workbook("t", [page], problems_page([]), About([("Heading", [("a", "b")])]), whose=whose))
    (found,) = charts(path, "Page")
    return found


def cells_of(path: Path, xml: str, what: str) -> list[object]:
    """The cells that the bars take their names (cat) or values (val) from."""
    found = re.search(rf"<c:{what}>.*?<c:f>([^<!]*)!([^<]*)</c:f>", xml, re.DOTALL)
    assert found
    rows = openpyxl.load_workbook(path)[found[1]][found[2].replace("$", "")]
    return [row[0].value for row in rows if row[0].value]


@pytest.mark.parametrize("edges", [(), EDGES])
def test_the_largest_bar_is_the_first_and_one_without_a_value_the_last(edges: tuple[Edge, ...], tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    xml = drawn(path, {"b": 0.4, "none": math.nan, "a": 0.9, "c": 0.6}, edges=edges)
    assert cells_of(path, xml, "cat") == ["a", "c", "b", "none"]
    assert cells_of(path, xml, "val") == [0.9, 0.6, 0.4]


def test_bars_whose_order_means_something_stay_in_it(tmp_path: Path) -> None:
    xml = drawn(tmp_path / "t.xlsx", {"clean": 0.4, "noise": 0.9}, ordered=True)
    assert "<c:f>Page!$A$2:$A$3</c:f>" in xml  # the page's own cells
    assert "<c:f>Page!$B$2:$B$3</c:f>" in xml


def test_a_line_stands_at_each_edge_and_the_legend_names_it(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    xml = drawn(path, {"only": 0.7}, edges=EDGES)
    assert "<c:lineChart>" in xml
    about = openpyxl.load_workbook(path)["About"]
    columns = [[cell.value for cell in column[:3]] for column in about.iter_cols(min_col=6)]
    assert [0.5] * 3 in columns  # before, at and after the bar: a line that is seen over a single one
    assert [0.8] * 3 in columns
    assert "moderate from 0.5" in xml
    assert "high from 0.8" in xml


def test_the_whiskers_are_those_of_the_sorted_bars(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    cells: dict[str, list[Any]] = {"Name": ["a", "b"], "Score": [0.2, 0.6], "Low": [0.1, 0.3], "High": [0.25, 0.61]}
    page = Page("Page", PageTable(cells), COLUMNS, Chart("t", "Name", "Score", "Low", "High", edges=EDGES))
    write_workbook(path, Workbook("t", [page], problems_page([]), About([("Heading", [("a", "b")])])))
    (xml,) = charts(path, "Page")
    plus = re.search(r"<c:plus>.*?<c:f>About!([^<]*)</c:f>", xml, re.DOTALL)
    minus = re.search(r"<c:minus>.*?<c:f>About!([^<]*)</c:f>", xml, re.DOTALL)
    about = openpyxl.load_workbook(path)["About"]
    assert plus
    assert minus
    above, below = ([row[0].value for row in about[found[1].replace("$", "")]] for found in (plus, minus))
    assert above == pytest.approx([0, 0.01, 0.05, 0])
    assert below == pytest.approx([0, 0.3, 0.1, 0])


@pytest.mark.parametrize(("whose", "shown"), [("Model_A", "Model_A"), ("=1+1", "\u2060=1+1"), ("Go!B2", "Go!\u2060B2")])
def test_a_title_says_whose_report_it_is_whatever_that_is_called(whose: str, shown: str, tmp_path: Path) -> None:
    xml = drawn(tmp_path / "t.xlsx", {"a": 0.5, "b": 0.4}, whose=whose)
    assert f"<a:t>{shown}: Score by name</a:t>" in xml


def test_of_very_many_bars_as_many_are_drawn_as_can_be_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    xml = drawn(path, {f"m{number:03}": number / 200 for number in range(150)})
    assert "(the first 50 of 150)" in xml
    names = cells_of(path, xml, "cat")
    assert (len(names), names[0], names[-1]) == (50, "m149", "m100")


@pytest.mark.parametrize(("ratio", "end", "lines"), [(0.4, 1.5, 1), (1.5, 2.5, 2), (30.0, 35.0, 3)])
def test_the_first_edge_is_always_seen_and_others_where_bars_come_near(
    ratio: float, end: float, lines: int, tmp_path: Path
) -> None:
    edges = (Edge(1.0, "one"), Edge(2.0, "two"), Edge(10.0, "ten"))
    xml = drawn(tmp_path / "t.xlsx", {"a": ratio}, edges=edges)
    assert [float(found) for found in re.findall(r'<c:max val="([^"]*)"/>', xml)] == [end]
    assert sum(f"<c:v>{edge.name}</c:v>" in xml for edge in edges) == lines


def test_a_chart_of_lines_has_its_level_and_what_its_axes_are(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    cells: dict[str, list[Any]] = {
        "Name": ["1", "2", "3"],
        "Score": [0.9, 1.1, 1.2],
        "Low": [0.0] * 3,
        "High": [2.0] * 3,
    }
    chart = LineChart("Emergence ratio", "Name", ("Score",), "ρ", Edge(1.0, "as good as the best"))
    page = Page("Page", PageTable(cells), COLUMNS, chart)
    write_workbook(path, Workbook("t", [page], problems_page([]), About([("Heading", [("a", "b")])]), whose="s"))
    (xml,) = charts(path, "Page")
    assert "as good as the best" in xml
    assert "<a:t>ρ</a:t>" in xml
    assert [1, 1, 1] in [
        [cell.value for cell in column[:3]] for column in openpyxl.load_workbook(path)["About"].iter_cols(min_col=6)
    ]
