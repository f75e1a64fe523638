"""Judges, items and dimensions of any name, and many of them."""

from __future__ import annotations

import statistics
from itertools import combinations

import openpyxl
import pytest

from tests.helpers.disagree import FULL, LONG, PAGES, Row, Study, alike, far, read, robust, spread
from tests.helpers.files import header, sheet_names, sheet_rows, write_book
from tests.helpers.runs import called_in

# --- names that a spreadsheet takes for something else ----------------------------------------------------------------

NAMES = ("=1+1", "Mean", "Item", "Judge", "Sheet", "Overall", "@a", "b; c", "-1", "mean", "Mean_a/b")
ASPECTS = ("a/b", "a\nb", "Overall", "=x", "Items", "score")
MANY = tuple(f"j{n:02}" for n in range(40))


def points(i: int, j: int, d: int) -> float:
    """Some score from 0 to 1."""
    return (7 * i + 5 * j + 3 * d + 1) % 11 / 10


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Hostile judges (names), dimensions (aspects), items and sheets (sheets), and forty judges (many)."""
    root = tmp_path_factory.mktemp("hostile")
    study = Study(root, called_in(root))
    items = ("=2+2", "Overall", "q,1")
    study.panel([LONG, *((i, j, points(a, b, 0)) for a, i in enumerate(items) for b, j in enumerate(NAMES))], "names")
    keys = [
        ((item, judge, name), (a, b, c))
        for a, item in enumerate(items)
        for b, judge in enumerate("ab")
        for c, name in enumerate(ASPECTS)
    ]
    study.panel([FULL, *((*names, points(*numbers)) for names, numbers in keys)], "aspects")
    study.panel([("item", *MANY), *((f"q{i}", *(points(i, j, 0) for j in range(40))) for i in range(3))], "many")
    rows: list[Row] = [LONG, ("q1", "a", 0.5), ("q1", "b", 0.6)]
    pages = ("Judges", "Flags", "Pairs", "Dimensions", "Summary", "Problems", "About", "Overall")
    write_book(study.outs / "sheets.xlsx", dict.fromkeys(pages, rows))
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


def test_nothing_a_table_names_becomes_a_formula(hostile: Study) -> None:
    for model in ("names", "aspects"):
        book = openpyxl.load_workbook(hostile.workbook(model))
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        assert "f" not in {cell.data_type for cell in cells}
        texts = {str(cell.value) for cell in cells}
        assert "=2+2" in texts
        assert ("=1+1" if model == "names" else "=x") in texts
        book.close()
    assert [line["Item"] for line in hostile.items("names") if "2+2" in line["Item"]] == ["'=2+2"]


def test_judges_of_any_name_each_have_a_line_and_a_column_of_correlations(hostile: Study) -> None:
    head, *_ = sheet_rows(hostile.workbook("names"), "Judges")
    own = PAGES["Judges"][:-5]
    assert head[: len(own)] == own
    assert len(head) == len({str(name) for name in head}) == len(own) + len(NAMES)
    lines = [row for row in hostile.page("Judges", "names") if row["Dimension"] == "Overall"]
    assert sorted(str(row["Judge"]) for row in lines) == sorted(NAMES)
    for row in lines:
        place = NAMES.index(str(row["Judge"]))
        assert row["Mean"] == pytest.approx(statistics.fmean(points(item, place, 0) for item in range(3)))


def test_items_of_any_name_are_items(hostile: Study) -> None:
    assert sorted(line["Item"] for line in hostile.items("names")) == ["'=2+2", "Overall", "q,1"]
    line = hostile.item("Overall", model="names")
    assert alike(read(line), spread([points(1, judge, 0) for judge in range(len(NAMES))]))
    assert line["Judges"] == str(len(NAMES))


def test_dimensions_of_any_name_have_their_columns_and_lines(hostile: Study) -> None:
    names = [f"{measure}_{name}" for measure in ("Disagreement", "Mean") for name in ASPECTS]
    head = header(hostile.res / "aspects_disagreement.csv")
    assert sorted(each for each in head if each in names) == sorted(names)
    line = hostile.item("q,1", model="aspects")
    for place, name in enumerate(ASPECTS):
        wanted = statistics.fmean(points(2, judge, place) for judge in range(2))
        assert float(line[f"Mean_{name}"]) == pytest.approx(wanted)
    rows = hostile.page("Dimensions", "aspects")
    shown = [str(row["Dimension"]) for row in rows]
    assert len(set(shown)) == len(shown) == len(ASPECTS) + 1
    assert set(ASPECTS) <= set(shown)
    means = [statistics.fmean(points(i, j, d) for i in range(3) for j in range(2)) for d in range(len(ASPECTS))]
    for name, wanted in zip(ASPECTS, means, strict=True):
        assert rows[shown.index(name)]["Mean"] == pytest.approx(wanted)


def test_sheets_called_like_a_page_keep_their_items(hostile: Study) -> None:
    names = [line["Sheet"] for line in hostile.items("sheets")]
    assert names == ["Judges", "Flags", "Pairs", "Dimensions", "Summary", "Problems", "About", "Overall"]
    assert len(sheet_names(hostile.workbook("sheets"))) == 7 + len(names)
    assert {row["Sheet"] for row in hostile.page("Judges", "sheets")} == set(names)
    assert [row["Sheet"] for row in hostile.page("Summary", "sheets")][-1] == "Overall"


def test_forty_judges_are_all_there(hostile: Study) -> None:
    assert hostile.results()["many"]["Judges"] == "40"
    head, *rows = sheet_rows(hostile.workbook("many"), "Judges")
    assert head == [*PAGES["Judges"][:-5], *MANY]
    pairs = [row for row in hostile.page("Pairs", "many") if row["Dimension"] == "Overall"]
    assert [(row["Judge"], row["Other_Judge"]) for row in pairs] == list(combinations(MANY, 2))
    for place, line in enumerate(hostile.items("many")):
        scores = {judge: points(place, number, 0) for number, judge in enumerate(MANY)}
        assert alike(read(line), spread(list(scores.values())))
        assert line["Outliers"] == "; ".join(far(scores))
        assert line["Robust_Outliers"] == "; ".join(robust(scores))
    assert any(line["Outliers"] for line in hostile.items("many"))
    assert len(rows) >= 40
