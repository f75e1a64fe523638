"""What is in the reports of `mode-collapse`, and are the numbers those that a person would work out?"""

from __future__ import annotations

import json
import math
import random
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest

from scoresheet.metrics.families.mode_collapse import power
from tests.helpers.by_hand import gini, holm, mean
from tests.helpers.charts import charts
from tests.helpers.files import digests, header, read_csv, sheet_names, sheet_rows, sheet_text, write_book, write_csv
from tests.helpers.json_values import holds, leaves, nested, refuse
from tests.helpers.mode_collapse import ACTS, CITIES, COUNTED, HOURS, TREE, Study, roots
from tests.helpers.runs import called_in

CELL_COLUMNS = [
    *("Sheet", "Level", "Parent", "N", "Incomplete", "Refused", "Refusal_Rate", "Refusal_CI_Low", "Refusal_CI_High"),
    *("Options", "Used", "Top_Choice", "Top_Share", "Top_Share_SE"),
    *("Gini", "Gini_Max", "Gini_Corrected", "Gini_Debiased", "CI_Low", "CI_High", "CI_Note"),
    *("Entropy", "Normalized_Entropy", "Entropy_MM", "Gini_Band"),
    *("Entropy_Band", "Agreement", "P_Value", "P_Holm", "Verdict", "Width", "Uniform_Deviation"),
    "Effective_Options",
    "Gini_Expected",
]
FIRST_COLUMNS = [
    *("Model Name", "Top_Choice", "Top_Share", "N", "Gini", "Gini_Expected", "P_Value"),
    *("Gini_Debiased", "CI_Low", "CI_High", "CI_Note", "Normalized_Entropy"),
]
LAST_COLUMNS = [
    *("All_Levels_Gini", "All_Levels_Entropy", "Verdict", "Collapsed_Cells", "Cells", "Worst_Cell"),
    *("Refused", "Refusal_Rate", "Refusal_CI_Low", "Refusal_CI_High"),
    *("Rank", "Shared", "On_Shared", "Rows", "Scored", "Coverage", "Status"),
]
SHAPE = "look at the shape"
FEW = "too few samples"
RESULTS = "mode_collapse_results.xlsx"

Place = tuple[str, ...]
Counts = dict[tuple[str, Place], dict[str, int]]


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


def bits(counts: Sequence[int]) -> float:
    """Shannon's entropy."""
    total = sum(counts)
    return sum(c / total * math.log2(total / c) for c in counts if c)


def evenness(counts: Sequence[int]) -> float:
    """The entropy as a share of what it could be."""
    return bits(counts) / math.log2(len(counts))


def measures(counts: Sequence[int]) -> dict[str, float]:
    """Every number of a cell that has nothing random in it."""
    n, total = len(counts), sum(counts)
    used, top = sum(c > 0 for c in counts), max(counts) / total
    return {
        "N": total,
        "Options": n,
        "Used": used,
        "Top_Share": top,
        "Top_Share_SE": math.sqrt(top * (1 - top) / total),
        "Gini": gini(counts),
        "Gini_Max": (n - 1) / n,
        "Gini_Corrected": gini(counts) * n / (n - 1),
        "Entropy": bits(counts),
        "Normalized_Entropy": evenness(counts),
        "Entropy_MM": bits(counts) + (used - 1) / (2 * total * math.log(2)),
        "Width": used / n,
        "Uniform_Deviation": sum((c / total - 1 / n) ** 2 for c in counts),
        "Effective_Options": 2 ** bits(counts),
    }


def parts(total: int, n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a total as n falling numbers, none above `most`."""
    if n == 0:
        yield ()
        return
    for first in range(-(-total // n), min(total, most) + 1):
        yield from ((first, *rest) for rest in parts(total - first, n - 1, first))


def chance(counts: Sequence[int]) -> float:
    """How often a uniform chooser is at least as unequal: every outcome counted, in whole numbers."""

    def inequality(ys: Sequence[int]) -> int:
        return sum(i * y for i, y in enumerate(sorted(ys), 1))

    n, total, seen, ways = len(counts), sum(counts), inequality(counts), 0
    for ys in parts(total, n, total):
        if inequality(ys) >= seen:
            orders = math.factorial(n) // math.prod(math.factorial(k) for k in Counter(ys).values())
            ways += orders * (math.factorial(total) // math.prod(math.factorial(y) for y in ys))
    return float(ways / n**total)


# --- two studies, each scored once ------------------------------------------------------------------------------------

FOLLOWED: Counts = {
    ("q1", ()): {"Rome": 16, "Paris": 10, "Oslo": 3, "Cairo": 2, "Lima": 1},
    ("q1", ("Rome",)): {"museum": 10, "food": 5, "walk": 1},
    ("q1", ("Paris",)): {"museum": 4, "food": 4, "walk": 2},
    ("q1", ("Rome", "museum")): {"day": 6, "night": 4},
    ("q1", ("Rome", "food")): {"day": 5},
    ("q1", ("Paris", "food")): {"day": 1, "night": 3},
    ("q2", ()): {"Rome": 4, "Paris": 3, "Oslo": 4, "Cairo": 5, "Lima": 4},
    ("q2", ("Oslo",)): {"walk": 4},
    ("q2", ("Rome",)): {"food": 2, "walk": 2},
    ("q2", ("Oslo", "walk")): {"day": 3, "night": 1},
}
SAID = [
    *("Rome", "rome", "I would pick Rome", "I would pick Rome", "Roma", "Paris", "Paris", "Paris", "Pariss"),
    *("Atlantis", "incomplete"),
]
LEVELS = (CITIES, ACTS, HOURS)
OPTIONS: list[tuple[object, ...]] = [
    ("level", "option", "aliases"),
    *((level, name, {"Rome": "Roma"}.get(name, "")) for level, names in enumerate(LEVELS) for name in names),
]


def full(place: Place, counts: Mapping[str, int]) -> list[int]:
    """A cell's counts over all declared options, zeros included."""
    return [counts.get(name, 0) for name in LEVELS[len(place)]]


def rows_of(cells: Counts, sheet: str) -> list[tuple[object, ...]]:
    """The cells of one sheet as rows with a count."""
    rows: list[tuple[object, ...]] = [("level", "parent", "choice", "count")]
    for (name, place), counts in cells.items():
        if name == sheet:
            rows += [(len(place), " → ".join(place), choice, count) for choice, count in counts.items()]
    return rows


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A tree of three levels in two sheets (m), free text at the root (n), and everything on one option (o)."""
    root = tmp_path_factory.mktemp("tree")
    study = Study(root, called_in(root))
    study.options(OPTIONS)
    write_book(study.outs / "m.xlsx", {sheet: rows_of(FOLLOWED, sheet) for sheet in ("q1", "q2")})
    study.model(roots(SAID, "response"), "n")
    study.model(roots(["Lima"] * 32), "o")
    ended = study.score("--fuzzy", "85")
    assert ended.code == 0, ended.err
    return study


# counts, bands of Gini and entropy, agreement, verdict; the first six have their values in the definitions
SHAPES: dict[str, tuple[tuple[int, ...], str, str, str, str]] = {
    "one of five": ((32, 0, 0, 0, 0), "high", "high", "strong", "high"),
    "two of five": ((16, 16, 0, 0, 0), "moderate to high", "low to high", SHAPE, "moderate to high"),
    "three of five": ((20, 8, 4, 0, 0), "moderate to high", "low to high", SHAPE, "moderate to high"),
    "three": ((20, 8, 4), "low to moderate", "low to moderate", "strong", "low to moderate"),
    "leaning": ((16, 10, 3, 2, 1), "low to high", "low to moderate", SHAPE, "low to high"),  # just up to .6
    "even": ((7, 7, 6, 6, 6), "low", "low", "strong", "no more than chance"),
    "band edge": ((48, 12, 12, 12, 12), "low to moderate", "low", SHAPE, "low to moderate"),
    "short": ((3, 1, 1, 1, 0), "low to high", "low to moderate", SHAPE, FEW),
    "coin": ((40, 0), "moderate", "moderate to high", SHAPE, "moderate to high"),
    "short coin": ((3, 0), FEW, FEW, "", FEW),
    "short and one": ((1, 0, 0, 0, 0), FEW, FEW, "", FEW),
}
PRINTED = {
    "one of five": (0.8, 0, 0),
    "two of five": (0.6, 1, 0.430677),
    "three of five": (0.6, 1.298795, 0.559361),
    "three": (0.333333, 1.298795, 0.819448),
    "leaning": (0.475, 1.750807, 0.754032),
    "even": (0.0375, 2.317741, 0.998197),
}
each_shape = pytest.mark.parametrize("shape", SHAPES)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """One sheet for each shape, with options of its own."""
    root = tmp_path_factory.mktemp("shapes")
    study = Study(root, called_in(root))
    cells = [(sheet, f"option {i}", c) for sheet, (counts, *_) in SHAPES.items() for i, c in enumerate(counts, 1)]
    study.options([("question", "level", "option"), *((sheet, 0, option) for sheet, option, _ in cells)])
    study.model([("Sheet", "level", "choice", "count"), *((sheet, 0, option, c) for sheet, option, c in cells if c)])
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


# --- files, columns and pages -----------------------------------------------------------------------------------------


def test_a_run_writes_these_files_and_no_others(tree: Study) -> None:
    names = {path.name for path in tree.res.iterdir() if path.is_file()} - {".scoresheet.lock"}
    reports = {
        f"{model}_mode_collapse{kind}" for model in "mno" for kind in (".csv", ".xlsx", "_samples.csv", "_counts.csv")
    }
    assert names == reports | {
        *("mode_collapse_results.csv", RESULTS, "problems.csv", "metrics.json", "manifest.json"),
        "comparisons.csv",
    }


def test_the_results_table_has_three_columns_for_each_level_below_the_root(tree: Study) -> None:
    assert header(tree.res / "mode_collapse_results.csv") == [
        *FIRST_COLUMNS,
        *("Level_1_Gini", "Level_1_Entropy", "Level_1_Gini_Weighted"),
        *("Level_2_Gini", "Level_2_Entropy", "Level_2_Gini_Weighted"),
        *LAST_COLUMNS,
    ]


def test_the_results_table_of_roots_alone_has_no_column_for_other_levels(shapes: Study) -> None:
    columns = header(shapes.res / "mode_collapse_results.csv")
    assert columns == [*FIRST_COLUMNS, *LAST_COLUMNS]


def test_the_table_of_cells_has_these_columns(tree: Study) -> None:
    assert [header(tree.res / f"{model}_mode_collapse.csv") for model in "mno"] == [CELL_COLUMNS] * 3


def test_a_models_workbook_has_its_sheets_between_the_summary_and_what_explains_them(tree: Study) -> None:
    last = ["Distribution", "Counts", "Mappings", "Problems", "About"]
    assert sheet_names(tree.workbook("m")) == ["Summary", "q1", "q2", *last]
    assert sheet_names(tree.workbook("n")) == ["Summary", "Sheet1", *last]


def test_the_results_workbook_has_these_pages(tree: Study) -> None:
    assert sheet_names(tree.res / RESULTS) == ["Summary", "Comparison", "Models", "Differences", "Problems", "About"]
    # many columns: first what a screen shows, which begins with the verdict and what the model keeps choosing
    first = ["Model Name", "Verdict", "Top_Choice", "Top_Share", "N", "Gini", "Gini_Expected", "P_Value"]
    assert sheet_rows(tree.res / RESULTS, "Summary")[0][: len(first)] == first


def test_a_page_of_a_sheet_shows_its_cells_of_the_table(tree: Study) -> None:
    for sheet in ("q1", "q2"):
        head, *rows = sheet_rows(tree.workbook("m"), sheet)
        assert head == CELL_COLUMNS
        cells = [cell for cell in tree.cells("m") if cell["Sheet"] == sheet]
        assert len(rows) == len(cells)
        for cell, row in zip(cells, rows, strict=True):
            for name, value in zip(CELL_COLUMNS, row, strict=True):
                if isinstance(value, int | float):
                    assert value == pytest.approx(float(cell[name]), rel=1e-12), name
                else:
                    assert (value or "") == cell[name], name


def test_sheets_called_like_a_page_keep_their_cells(study: Study) -> None:
    study.options()
    names = ("Counts", "Distribution", "Mappings")
    below = [(1, "Rome", "food"), (1, "Paris", "walk")]
    trees = [("level", "parent", "choice"), (0, "", "Rome"), (0, "", "Paris"), *below]
    write_book(study.outs / "m.xlsx", dict.fromkeys(names, trees))
    assert study.score().code == 0
    assert [cell["Sheet"] for cell in study.cells() if cell["Level"] == "0"] == list(names)
    pages = sheet_names(study.workbook())
    assert len(pages) == len({page.casefold() for page in pages}) == 9
    assert [pages[0], *pages[4:]] == ["Summary", "Distribution", "Counts", "Mappings", "Problems", "About"]
    about = sheet_text(study.workbook(), "About")
    assert [name for name in pages[1:4] if name not in about] == []


def test_about_and_manifest_carry_the_signature(tree: Study) -> None:
    manifest = json.loads((tree.res / "manifest.json").read_text("utf-8"))
    signature = manifest["signature"]
    assert re.fullmatch(r"mode-collapse\|.*\|v:[^|]+", signature)
    assert "85" in signature
    for path in (tree.workbook("m"), tree.res / RESULTS):
        assert signature in sheet_text(path, "About")


# --- numbers ----------------------------------------------------------------------------------------------------------


@each_shape
def test_a_cell_holds_the_numbers_worked_out_by_hand(shapes: Study, shape: str) -> None:
    cell = shapes.cell(sheet=shape)
    expected = measures(SHAPES[shape][0])
    assert {name: float(cell[name]) for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert SHAPES[shape][0][int(cell["Top_Choice"].removeprefix("option ")) - 1] == max(SHAPES[shape][0])
    assert "-0.0" not in cell.values()


@pytest.mark.parametrize("shape", PRINTED)
def test_a_cell_holds_the_numbers_the_definitions_print(shapes: Study, shape: str) -> None:
    cell = shapes.cell(sheet=shape)
    seen = tuple(float(cell[name]) for name in ("Gini", "Entropy", "Normalized_Entropy"))
    assert seen == pytest.approx(PRINTED[shape], abs=1e-6)


@each_shape
def test_a_cell_is_judged_by_the_worse_of_its_bands_at_each_end_unless_it_could_be_chance(
    shapes: Study, shape: str
) -> None:
    cell = shapes.cell(sheet=shape)
    judged = tuple(cell[name] for name in ("Gini_Band", "Entropy_Band", "Agreement", "Verdict"))
    assert judged == SHAPES[shape][1:]


def test_two_options_of_which_one_was_taken_are_not_read_as_mild(shapes: Study) -> None:
    cell = shapes.cell(sheet="coin")
    assert [float(cell[name]) for name in ("Gini", "Gini_Max", "Gini_Corrected")] == pytest.approx([0.5, 0.5, 1])
    # forty of forty leave the entropy of a favourite of 91 % possible, which is moderate by a hair
    assert (cell["Gini_Band"], cell["Agreement"], cell["Verdict"]) == ("moderate", SHAPE, "moderate to high")


@each_shape
def test_the_p_value_is_the_chance_of_a_uniform_chooser_at_the_same_number_of_choices(
    shapes: Study, shape: str
) -> None:
    counts = SHAPES[shape][0]
    # up to ten choices every outcome can be enumerated; more may be drawn, at least 10,000 times
    tolerance = 1e-9 if sum(counts) <= 10 else 0.005
    assert float(shapes.cell(sheet=shape)["P_Value"]) == pytest.approx(chance(counts), abs=tolerance)


@each_shape
def test_the_interval_lies_within_what_a_gini_can_be(shapes: Study, shape: str) -> None:
    cell = shapes.cell(sheet=shape)
    if int(cell["N"]) < 5:
        assert (cell["CI_Low"], cell["CI_High"]) == ("", "")
        assert cell["CI_Note"] == f"too few samples for an interval: {cell['N']}, at least 5 are needed"
        return
    low, high = float(cell["CI_Low"]), float(cell["CI_High"])
    assert -1e-12 <= low < high <= float(cell["Gini_Max"]) + 1e-12
    assert low <= float(cell["Gini_Debiased"]) <= high


def test_the_interval_of_a_cell_on_one_option_ends_there_and_does_not_hold_the_others_impossible(shapes: Study) -> None:
    cell = shapes.cell(sheet="one of five")
    low, high = float(cell["CI_Low"]), float(cell["CI_High"])
    assert high == pytest.approx(0.8)
    # a favourite of 89 % takes all of 32 samples in 2.5 % of cases
    assert low == pytest.approx(0.025 ** (1 / 32) - 1 / 5)


def test_roots_of_several_sheets_count_alike(shapes: Study) -> None:
    line = shapes.results()["m"]
    assert float(line["Gini"]) == pytest.approx(mean(gini(counts) for counts, *_ in SHAPES.values()))
    assert float(line["Normalized_Entropy"]) == pytest.approx(mean(evenness(counts) for counts, *_ in SHAPES.values()))
    assert float(line["All_Levels_Gini"]) == pytest.approx(float(line["Gini"]))


def test_each_place_of_the_tree_has_its_own_numbers(tree: Study) -> None:
    assert len(tree.cells("m")) == len(FOLLOWED)
    for (sheet, place), counts in FOLLOWED.items():
        cell = tree.cell(len(place), " → ".join(place), sheet=sheet)
        expected = measures(full(place, counts))
        assert {name: float(cell[name]) for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert counts[cell["Top_Choice"]] == max(counts.values())


def at_level(level: int) -> dict[tuple[str, Place], list[int]]:
    """The cells of the tree at one level, with their counts."""
    return {(sheet, place): full(place, c) for (sheet, place), c in FOLLOWED.items() if len(place) == level}


def share(sheet: str, place: Place) -> float:
    """How often a path was chosen: the product of the shares down the tree."""
    product = 1.0
    for depth, choice in enumerate(place):
        above = FOLLOWED[sheet, place[:depth]]
        product *= above[choice] / sum(above.values())
    return product


def weighted(level: int) -> float:
    """Gini at a level where each cell counts as often as its parent was chosen; sheets count alike."""
    by_sheet = []
    for sheet in ("q1", "q2"):
        cells = [(share(s, place), gini(counts)) for (s, place), counts in at_level(level).items() if s == sheet]
        by_sheet.append(math.fsum(w * g for w, g in cells) / math.fsum(w for w, _ in cells))
    return mean(by_sheet)


def test_a_level_is_the_plain_mean_of_its_cells_in_all_sheets(tree: Study) -> None:
    line = tree.results()["m"]
    for level, (g, e) in enumerate(
        [("Gini", "Normalized_Entropy"), *((f"Level_{k}_Gini", f"Level_{k}_Entropy") for k in (1, 2))]
    ):
        cells = list(at_level(level).values())
        assert float(line[g]) == pytest.approx(mean(map(gini, cells)), rel=1e-12)
        assert float(line[e]) == pytest.approx(mean(map(evenness, cells)), rel=1e-12)


def test_a_weighted_level_counts_a_cell_by_the_shares_down_its_path(tree: Study) -> None:
    line = tree.results()["m"]
    for level in (1, 2):
        plain = mean(map(gini, at_level(level).values()))
        assert abs(weighted(level) - plain) > 0.01  # or the test could not tell them apart
        assert float(line[f"Level_{level}_Gini_Weighted"]) == pytest.approx(weighted(level), rel=1e-12)


def test_all_levels_are_the_mean_of_the_levels_and_not_of_the_cells(tree: Study) -> None:
    line = tree.results()["m"]
    levels = [list(at_level(level).values()) for level in range(3)]
    assert float(line["All_Levels_Gini"]) == pytest.approx(mean(mean(map(gini, cells)) for cells in levels))
    assert float(line["All_Levels_Entropy"]) == pytest.approx(mean(mean(map(evenness, cells)) for cells in levels))


def test_a_model_without_deeper_levels_leaves_their_columns_empty(tree: Study) -> None:
    line = tree.results()["o"]
    names = [f"Level_{k}_{measure}" for k in (1, 2) for measure in ("Gini", "Entropy", "Gini_Weighted")]
    assert {line[name] for name in names} == {""}
    assert [float(line[name]) for name in ("Gini", "All_Levels_Gini")] == pytest.approx([0.8, 0.8])
    assert [float(line[name]) for name in ("Normalized_Entropy", "All_Levels_Entropy")] == [0, 0]


def test_a_model_of_one_root_has_the_verdict_and_the_interval_of_its_cell(tree: Study) -> None:
    for model in "no":
        line, cell = tree.results()[model], tree.cell(model=model)
        assert line["Verdict"] == cell["Verdict"]
        assert float(line["CI_Low"]) == pytest.approx(float(cell["CI_Low"]), abs=0.1)
        assert float(line["CI_High"]) == pytest.approx(float(cell["CI_High"]), abs=0.1)
    assert (tree.results()["o"]["Verdict"], tree.results()["o"]["Collapsed_Cells"]) == ("high", "1")


def test_an_undefined_cell_is_in_no_mean(study: Study) -> None:
    rows: list[tuple[object, ...]] = [("level", "parent", "option"), *((0, "", city) for city in CITIES)]
    rows += [(1, "Rome", "food"), (1, "Paris", "food"), (1, "Paris", "walk"), (1, "Oslo", "food"), (1, "Oslo", "walk")]
    study.options(rows)
    choices = [(0, "", city, 2) for city in ("Rome", "Paris", "Oslo")]
    choices += [(1, "Rome", "food", 9), (1, "Paris", "food", 3), (1, "Paris", "walk", 1), (1, "Oslo", "incomplete", 1)]
    study.model([("level", "parent", "choice", "count"), *choices])
    assert study.tables().code == 0
    line = study.results()["m"]
    assert float(line["Level_1_Gini"]) == pytest.approx(gini([3, 1]))
    assert float(line["Level_1_Entropy"]) == pytest.approx(evenness([3, 1]))
    assert float(line["Level_1_Gini_Weighted"]) == pytest.approx(gini([3, 1]))


def test_free_text_counts_like_the_option_it_was_mapped_to(tree: Study) -> None:
    cell, line = tree.cell(model="n"), tree.results()["n"]
    assert {name: float(cell[name]) for name in ("N", "Gini")} == pytest.approx({"N": 9, "Gini": gini([5, 4, 0, 0, 0])})
    assert (cell["Incomplete"], cell["Top_Choice"]) == ("2", "Rome")
    assert (line["Rows"], line["Scored"]) == ("11", "9")
    assert float(line["Coverage"]) == pytest.approx(9 / 11)


# --- pages of a model -------------------------------------------------------------------------------------------------


def test_every_mapping_that_was_not_exact_is_shown_with_how_and_how_often(tree: Study) -> None:
    rows = sheet_rows(tree.workbook("n"), "Mappings")
    mappings = [
        ("I would pick Rome", "Rome", "mention", 2),
        ("Roma", "Rome", "alias", 1),
        ("Pariss", "Paris", "fuzzy", 1),
    ]
    for mapping in mappings:
        assert len([row for row in rows if set(mapping) <= set(row)]) == 1, mapping
    assert not [row for row in rows if {"rome", "exact"} & set(row)]


def test_exact_mappings_leave_the_page_of_mappings_bare(tree: Study) -> None:
    said = {value for row in sheet_rows(tree.workbook("o"), "Mappings") for value in row}
    assert not said & {"Lima", "exact", "alias", "mention", "fuzzy"}


def counted(path: Path) -> dict[tuple[str, str, str], list[int]]:
    """The Counts page: the count of each option, by cell."""
    head, *rows = sheet_rows(path, "Counts")
    at = {str(name): i for i, name in enumerate(head)}
    cells: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        place = (str(row[at["Sheet"]]), str(row[at["Level"]]), str(row[at["Parent"]] or ""))
        count = row[at["Count"]]
        assert isinstance(count, int)
        cells.setdefault(place, []).append(count)
    return cells


@pytest.mark.parametrize("model", ["m", "n", "o"])
def test_the_counts_of_a_cell_cover_all_its_options_and_sum_to_its_choices(tree: Study, model: str) -> None:
    pages = counted(tree.workbook(model))
    cells = {(cell["Sheet"], cell["Level"], cell["Parent"]): cell for cell in tree.cells(model)}
    assert set(pages) == set(cells)
    for place, cell in cells.items():
        assert (sum(pages[place]), len(pages[place])) == (int(cell["N"]), int(cell["Options"]))


def test_the_counts_are_those_of_the_input(tree: Study) -> None:
    pages = counted(tree.workbook("m"))
    for (sheet, place), counts in FOLLOWED.items():
        assert sorted(pages[sheet, str(len(place)), " → ".join(place)]) == sorted(full(place, counts))


@pytest.mark.parametrize("model", ["m", "n", "o"])
def test_the_distribution_is_a_stacked_bar_chart_of_cells_in_the_workbook(tree: Study, model: str) -> None:
    drawn = charts(tree.workbook(model), "Distribution")
    assert drawn
    for chart in drawn:
        assert "<c:barChart>" in chart
        assert re.search(r'<c:grouping val="(percentStacked|stacked)"', chart)
        assert re.search(r"<c:f>[^<]*\$[^<]*</c:f>", chart)  # the bars come from cells, not from a picture


def test_problems_of_a_model_are_in_its_workbook(tree: Study) -> None:
    text = sheet_text(tree.workbook("n"), "Problems")
    assert [kind for kind in ("unknown-option", "incomplete") if kind not in text] == []
    assert "unknown-option" not in sheet_text(tree.workbook("o"), "Problems")
    assert "unknown-option" in sheet_text(tree.res / RESULTS, "Problems")


# --- several models ---------------------------------------------------------------------------------------------------

RIVALS = {
    "a": (10, 8, 6, 5, 3),
    "b": (10, 8, 6, 5, 3),
    "c": (0, 0, 0, 0, 32),
    "d": (13, 8, 5, 4, 2),
}


@pytest.fixture(scope="module")
def rivals(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two models that are the same, one that is far from them and one that is near."""
    root = tmp_path_factory.mktemp("rivals")
    study = Study(root, called_in(root))
    study.options()
    for name, counts in RIVALS.items():
        cells = zip(CITIES, counts, strict=True)
        study.model([("level", "choice", "count"), *((0, city, count) for city, count in cells if count)], name)
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


def test_models_are_ranked_with_the_least_collapsed_first(rivals: Study) -> None:
    shown = [value for row in sheet_rows(rivals.res / RESULTS, "Models") for value in row if value in RIVALS]
    first, second, *others = dict.fromkeys(shown)
    assert ({first, second}, others) == ({"a", "b"}, ["d", "c"])


def differences(path: Path) -> dict[str, dict[str, float]]:
    """The Differences page: what it says of every two models, found by the words of its header."""
    rows = sheet_rows(path, "Differences")
    words = [[re.findall(r"[a-z]+", str(name or "").lower()) for name in row] for row in rows]
    start = next(i for i, row in enumerate(words) if any("holm" in name for name in row))
    corrected = [i for i, name in enumerate(words[start]) if "holm" in name]
    plain = [i for i, name in enumerate(words[start]) if "p" in name and "holm" not in name]
    (distance,) = (i for i, name in enumerate(words[start]) if "tvd" in name and not {"p", "holm"} & set(name))
    assert (len(plain), len(corrected)) == (2, 2)
    names = {"TVD": distance, "P": plain[0], "Holm": corrected[0], "Gini_P": plain[1], "Gini_Holm": corrected[1]}
    found = {}
    for row in rows[start + 1 :]:
        pair = "".join(sorted(str(value) for value in row if value in RIVALS))
        if pair:
            found[pair] = {name: float(str(row[i])) for name, i in names.items()}
    return found


def test_every_two_models_are_compared(rivals: Study) -> None:
    found = differences(rivals.res / RESULTS)
    assert sorted(found) == ["".join(pair) for pair in combinations("abcd", 2)]


def test_the_distance_of_two_models_is_half_the_sum_of_what_their_shares_differ_by(rivals: Study) -> None:
    for pair, line in differences(rivals.res / RESULTS).items():
        one, other = (RIVALS[name] for name in pair)
        expected = sum(abs(p - q) for p, q in zip(one, other, strict=True)) / 32 / 2
        assert line["TVD"] == pytest.approx(expected, abs=1e-12)


def test_equal_models_do_not_differ_and_unlike_ones_do(rivals: Study) -> None:
    found = differences(rivals.res / RESULTS)
    assert min(found["ab"][name] for name in ("P", "Holm", "Gini_P", "Gini_Holm")) > 0.9
    for pair in ("ac", "bc", "cd"):
        assert max(found[pair][name] for name in ("P", "Holm", "Gini_P", "Gini_Holm")) < 0.05
        assert found[pair]["P"] > 0  # a permutation test never says "impossible"
    assert found["ad"]["P"] > 0.2


def test_p_values_of_all_pairs_are_corrected_by_holm_for_each_of_the_two_tests(rivals: Study) -> None:
    lines = list(differences(rivals.res / RESULTS).values())
    for plain, corrected in (("P", "Holm"), ("Gini_P", "Gini_Holm")):
        expected = holm([line[plain] for line in lines])
        assert [line[corrected] for line in lines] == pytest.approx(expected, rel=1e-9)


def test_the_comparison_of_every_family_has_the_debiased_ginis_and_the_distances_as_exploratory(rivals: Study) -> None:
    lines = read_csv(rivals.res / "comparisons.csv")
    pairs = {(line["Model"], line["Other_Model"], line["Measure"]): line for line in lines}
    assert len(pairs) == 12
    results = rivals.results()
    for (model, other, measure), line in pairs.items():
        assert line["Family"] == ("headline" if measure == "Gini_Debiased" else "exploratory")
        if measure == "Gini_Debiased":
            assert float(line["Mean"]) == pytest.approx(float(results[model]["Gini_Debiased"]))
            assert float(line["Difference"]) == pytest.approx(float(line["Mean"]) - float(line["Other_Mean"]))
            assert float(line["CI_Low"]) <= float(line["Difference"]) <= float(line["CI_High"])
            shown = float(line["P_Holm"]) < 0.05
            assert line["Finding"].endswith("is more collapsed" if shown else "could have been")
            assert ("c" in (model, other)) == shown
    assert [results[model]["Rank"] for model in "abdc"] == ["1", "1", "3", "4"]
    assert {results[model]["Shared"] for model in "abcd"} == {"1"}


def test_the_answer_names_who_is_least_collapsed_and_what_the_most_collapsed_keeps_choosing(rivals: Study) -> None:
    ended = rivals.run("mode-collapse", "outs", "table", "-o", "said", "--json")
    said = json.loads(ended.out)["answer"]
    assert said.startswith("a, b have the lowest mean Gini_Debiased")
    assert "c chose Lima most often (100%): high, Gini 0.800 in 32 samples, where chance alone gives 0.177" in said


# --- for machines -----------------------------------------------------------------------------------------------------


def test_metrics_json_holds_the_measures_by_model_level_and_sheet(tree: Study) -> None:
    metrics = json.loads((tree.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert set(metrics) == set("mno")
    assert {type(value) for value in leaves(nested(metrics))} <= {int, float, type(None)}
    line = tree.results()["m"]
    for name in ("Gini", "Normalized_Entropy", "All_Levels_Gini", "All_Levels_Entropy"):
        assert metrics["m"][name] == float(line[name])
    levels, sheets = metrics["m"]["Levels"], metrics["m"]["Sheets"]
    assert (len(levels), list(sheets)) == (3, ["q1", "q2"])
    for level, name in enumerate(("Gini", "Level_1_Gini", "Level_2_Gini")):
        assert holds(list(levels.values())[level], float(line[name]))
    for sheet in ("q1", "q2"):
        assert holds(sheets[sheet], gini(full((), FOLLOWED[sheet, ()])))


def test_undefined_measures_are_null_in_metrics_json(study: Study) -> None:
    study.options()
    study.model(roots(["Rome", "Paris"]))
    study.model(roots(["incomplete"]), "none")
    assert study.tables().code == 0
    metrics = json.loads((study.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert metrics["none"]["Gini"] is None
    assert (study.results()["none"]["Gini"], study.results()["none"]["Verdict"]) == ("", "")
    assert study.results()["none"]["Status"] == "unscored"


def test_with_json_stdout_is_json_with_the_numbers_of_the_results_table(study: Study) -> None:
    study.options()
    study.model(roots(["Rome", "Paris", "Rome", "Atlantis"]))
    study.model(roots(["Rome"]), "n")
    ended = study.tables("--json", "-v")
    assert ended.code == 0
    told = json.loads(ended.out, parse_constant=refuse)
    lines = {line["Model Name"]: line for line in told["models"]}
    assert {name: line["Gini"] for name, line in lines.items()} == {
        name: float(line["Gini"]) for name, line in study.results().items()
    }
    assert lines["m"]["Verdict"] == study.results()["m"]["Verdict"]
    assert "unknown-option" in {problem["kind"] for problem in told["problems"]}


def test_the_table_of_results_is_on_stdout(study: Study) -> None:
    study.options()
    study.model(roots(["Rome", "Paris", "Rome"]))
    ended = study.tables()
    assert "m" in ended.out
    assert f"{float(study.results()['m']['Gini']):.3f}" in ended.out


# --- what may change a number -----------------------------------------------------------------------------------------

RANDOM = {"P_Value", "P_Holm", "Gini_Debiased", "Gini_Expected", "CI_Low", "CI_High", "On_Shared"}
WORDS = {"Gini_Band", "Entropy_Band", "Agreement", "Verdict"}  # an end of an interval may lie beside the edge of a band


def chosen() -> dict[str, list[tuple[object, ...]]]:
    """Rows of two models, one choice each: a tree with some incomplete and some free text."""
    drawn = random.Random(20)
    rows: dict[str, list[tuple[object, ...]]] = {}
    for name, odds in (("m", (9, 5, 3, 2, 1)), ("n", (5, 4, 4, 3, 3))):
        rows[name] = [(0, "", city) for city in drawn.choices(CITIES, odds, k=97)]
        rows[name] += [(1, city, act) for city in CITIES[:2] for act in drawn.choices(ACTS, (5, 2, 1), k=23)]
        rows[name] += [(0, "", "incomplete"), (0, "", "Atlantis"), (0, "", "off to Rome"), (1, "Rome", "some food")]
    return rows


def write_models(study: Study, models: Mapping[str, list[tuple[object, ...]]]) -> None:
    """The models as CSVs."""
    for name, rows in models.items():
        study.model([("level", "parent", "choice"), *rows], name)


def by_place(cells: Iterable[dict[str, str]], without: Iterable[str] = ()) -> list[dict[str, str]]:
    """The cells in the order of their places, less some columns."""
    ordered = sorted(cells, key=lambda cell: (cell["Sheet"], cell["Level"], cell["Parent"]))
    return [{name: value for name, value in cell.items() if name not in set(without)} for cell in ordered]


def page(path: Path, name: str) -> list[list[str]]:
    """A page's rows in some fixed order."""
    return sorted([str(value) for value in row] for row in sheet_rows(path, name))


@pytest.mark.parametrize("table", ["table", ""])
def test_the_order_of_the_rows_changes_no_number(study: Study, table: str) -> None:
    study.options()
    models = chosen()
    seen = []
    for order in (None, 7, 8):
        for rows in models.values() if order else ():
            random.Random(order).shuffle(rows)
        write_models(study, models)
        assert study.score(table=table).code == 0
        pages = [page(study.res / RESULTS, "Differences"), *(page(study.workbook(name), "Counts") for name in "mn")]
        metrics = json.loads((study.res / "metrics.json").read_text("utf-8"))
        # without a table there is no order of options that could decide between two equally frequent ones
        cells = [by_place(study.cells(name), () if table else {"Top_Choice"}) for name in "mn"]
        seen.append((study.results(), cells, metrics, pages))
    assert seen[0] == seen[1] == seen[2]


def test_a_count_and_as_many_rows_give_the_same_numbers(study: Study) -> None:
    study.options()
    rows = chosen()["m"]
    study.model([("level", "parent", "choice"), *rows])
    assert study.tables().code == 0
    before = by_place(study.cells())
    study.model([("level", "parent", "choice", "count"), *((*row, n) for row, n in Counter(rows).items())])
    assert study.tables().code == 0
    assert by_place(study.cells()) == before


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The two models, scored as they are."""
    root = tmp_path_factory.mktemp("two")
    study = Study(root, called_in(root))
    study.options()
    write_models(study, chosen())
    assert study.score().code == 0
    return study


def test_a_rerun_gives_the_same_bytes_and_the_default_seed_is_0(two: Study) -> None:
    assert two.score("-j", "2", "--seed", "0", res="again").code == 0
    first = digests(two.res)
    assert len(first) == 15
    assert digests(two.root / "again") == first


def test_a_seed_changes_what_is_random_and_nothing_else(two: Study, study: Study) -> None:
    study.options()
    write_models(study, chosen())
    assert study.score("--seed", "1").code == 0
    fixed, drawn = [], []
    for each in (two, study):
        lines = [dict(line) for line in each.results().values()]
        cells = [cell for name in "mn" for cell in by_place(each.cells(name))]
        fixed.append([{name: v for name, v in line.items() if name not in RANDOM | WORDS} for line in (*lines, *cells)])
        drawn.append([[line.get(name, "") for name in sorted(RANDOM)] for line in (*lines, *cells)])
        fixed[-1].append({str(i): repr(row) for i, row in enumerate(page(each.workbook(), "Counts"))})
    assert fixed[0] == fixed[1]
    assert drawn[0] != drawn[1]
    for before, after in zip(*drawn, strict=True):
        assert [float(v) for v in before if v] == pytest.approx([float(v) for v in after if v], abs=0.05)


def test_the_other_models_of_a_run_change_nothing_where_a_table_says_the_options(two: Study) -> None:
    assert two.run("mode-collapse", "outs/m.csv", "table", "-o", "alone").code == 0
    alone, together = digests(two.root / "alone"), digests(two.res)
    names = [f"m_mode_collapse.{kind}" for kind in ("csv", "xlsx")]
    assert [alone[name] for name in names] == [together[name] for name in names]


# --- how many samples are needed --------------------------------------------------------------------------------------


@pytest.fixture
def few_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a Gini that is hard to find the whole table takes seconds, and is made line by line."""
    monkeypatch.setattr(power, "OPTIONS", (2, 3))


def test_power_has_a_line_for_every_number_of_options_of_which_one_can_be_so_uneven(study: Study) -> None:
    ended = study.run("mode-collapse", "--power", "--power-gini", "0.85")
    assert ended.code == 0
    told = [int(number) for number in re.findall(r"(?m)^\W*(\d+)\b(?=.*\d)", ended.out)]
    assert told == [options for options in power.OPTIONS if 0.85 + 1 / options <= 1]
    assert told[-1] == 100


@pytest.mark.usefixtures("few_options")
def test_power_prints_a_table_and_needs_and_writes_no_file(study: Study) -> None:
    ended = study.run("mode-collapse", "--power")
    assert ended.code == 0
    assert len(re.findall(r"(?m)^.*\d.*$", ended.out)) >= 2
    assert "Traceback" not in ended.err
    assert list(study.root.iterdir()) == []


@pytest.mark.usefixtures("few_options")
def test_power_reads_and_writes_nothing_where_there_are_files(study: Study) -> None:
    write_csv(study.root / "data" / "choices" / "m.csv", roots(["Rome"]))
    write_csv(study.root / "data" / "choice_options" / "all.csv", TREE)
    before = digests(study.root)
    assert study.run("mode-collapse", "--power", "-o", "res").code == 0
    assert digests(study.root) == before
    assert not study.res.exists()


@pytest.mark.usefixtures("few_options")
def test_power_takes_json_and_the_gini_to_be_found(study: Study) -> None:
    told = [
        study.run("mode-collapse", "--power", "--json", *words)
        for words in ((), ("--power-gini", "0.3"), ("--power-gini", "0.6"))
    ]
    assert [ended.code for ended in told] == [0, 0, 0]
    default, mild, high = (json.loads(ended.out, parse_constant=refuse) for ended in told)
    assert default == mild
    assert mild != high
    assert [n for n in leaves(mild) if isinstance(n, int) and n > 1]
    assert list(study.root.iterdir()) == []


# --- options that look like references --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["b!A1:C9", "Win a PS5!X1 now", "=Sheet1!$A$1", "=1+1", "Go!B2"])
def test_an_option_that_looks_like_a_reference_is_text_in_the_chart(study: Study, name: str) -> None:
    study.model([COUNTED, (0, "", name, 10), (0, "", "other", 9)])
    assert study.score(table="").code == 0
    with zipfile.ZipFile(study.workbook()) as book:
        charts = "".join(book.read(each).decode() for each in book.namelist() if "charts/chart" in each)
    references = re.findall(r"<c:f>([^<]*)</c:f>", charts)
    assert all(
        re.fullmatch(r"(?:Summary|Distribution|About)!\$[A-Z]+\$\d+(?::\$[A-Z]+\$\d+)?", each) for each in references
    )
    shown = charts.replace("\u2060", "")
    assert f"<a:t>{name}</a:t>" in shown
    assert "<a:t>other</a:t>" in shown
