"""Tables of options and targets that hold for some questions, name parents that are none, or say things twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .files import read_csv, write_book, write_csv
from .test_mode_collapse_inputs import NOT_SCORED, Study, roots

if TYPE_CHECKING:
    from pathlib import Path

    from .files import Rows, Run

EVEN = {"food": ["rice", "bread"] * 6, "trip": ["sea", "hills", "town"] * 4}
DECLARED = {name: [("level", "option"), *((0, option) for option in dict.fromkeys(EVEN[name]))] for name in EVEN}
COUNTED = ("level", "parent", "choice", "count")
PEOPLED: list[tuple[object, ...]] = [
    ("level", "parent", "option"),
    *((0, "", option) for option in ("Japan", "Peru")),
    *((1, "", option) for option in "xy"),
]
EVERYWHERE: list[tuple[object, ...]] = [
    COUNTED,
    *((0, "", option, 9) for option in ("Japan", "Peru")),
    *((1, parent, option, 9) for parent in ("Japan", "Peru") for option in "xy"),
]


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)


def ginis(study: Study) -> dict[str, float]:
    """The Gini of every sheet's root."""
    return {cell["Sheet"]: float(cell["Gini"]) for cell in study.cells() if cell["Level"] == "0"}


def test_sheets_that_a_new_workbook_names_are_questions_where_there_are_several(study: Study) -> None:
    names = {"food": "Sheet1", "trip": "Sheet2"}
    write_book(study.root / "table" / "options.xlsx", {names[name]: rows for name, rows in DECLARED.items()})
    write_book(study.outs / "m.xlsx", {names[name]: roots(choices) for name, choices in EVEN.items()})
    assert study.score().code == 0
    assert ginis(study) == {"Sheet1": 0, "Sheet2": 0}


def test_files_of_a_table_are_questions_where_the_outputs_have_sheets_of_their_names(study: Study) -> None:
    for name, rows in DECLARED.items():
        write_csv(study.root / "table" / f"{name}.csv", rows)
        write_csv(study.outs / "m" / f"{name}.csv", roots(EVEN[name]))
    assert study.score().code == 0
    assert ginis(study) == {"food": 0, "trip": 0}


def test_files_of_a_table_hold_together_for_sheets_of_other_names(study: Study) -> None:
    write_csv(study.root / "table" / "first.csv", [("level", "option"), (0, "sea"), (0, "hills")])
    write_csv(study.root / "table" / "second.csv", [("level", "option"), (0, "town")])
    study.model(roots(EVEN["trip"]))
    assert study.score().code == 0
    assert ginis(study) == {"Sheet1": 0}
    assert study.effects("unknown-question") == {"note"}


def test_a_sheet_that_is_nearly_named_as_a_question_is_not_scored_on_the_options_of_all(study: Study) -> None:
    write_book(study.root / "table" / "options.xlsx", DECLARED)
    write_book(study.outs / "m.xlsx", {"food": roots(EVEN["food"]), "trips": roots(EVEN["trip"])})
    assert study.score().code == 0
    assert ginis(study) == {"food": 0}
    assert study.effects("unknown-question") == {NOT_SCORED}
    assert "did you mean 'trip'?" in study.problems("unknown-question")[0]["message"]


def test_a_parent_that_is_no_option_is_not_scored_and_the_option_it_resembles_is_named(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE, (1, "Japn", "x", 1)])
    assert study.score("--strict").code == 3
    assert float(study.results()["m"]["Level_1_Gini"]) == 0
    (line,) = study.problems("unknown-parent")
    assert (line["effect"], line["row"]) == (NOT_SCORED, "8")
    assert "did you mean 'Japan'?" in line["message"]


def test_a_single_sample_leaves_the_interval_of_its_level_as_it_can_be(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE[:-2], (1, "Peru", "x", 1)])
    assert study.score().code == 0
    lines = study.page("Summary")
    (level,) = (line for line in lines if (line["Level"], line["Cells"]) == ("1", 2))
    low, value, high = (float(str(level[name])) for name in ("CI_Low", "Gini", "CI_High"))
    assert 0 <= low <= value <= high <= 0.5


@pytest.mark.parametrize(
    ("row", "effect"),
    [((1, "Japn", "z"), "note"), ((2, "Japan", "z"), NOT_SCORED), ((0, "Japan", "z"), NOT_SCORED)],
)
def test_a_row_of_the_table_with_an_impossible_parent_is_listed(
    study: Study, row: tuple[object, ...], effect: str
) -> None:
    study.options([*PEOPLED, row])
    study.model(EVERYWHERE)
    assert study.score().code == 0
    (line,) = study.problems("unknown-parent")
    assert (line["file"], line["row"], line["effect"]) == ("options.csv", "6", effect)


def test_the_hint_for_a_parent_never_names_the_parent_itself(study: Study) -> None:
    study.options([*PEOPLED[:3], (1, "Japn", "x"), (1, "Japn", "y")])
    study.model(EVERYWHERE)
    assert study.score().code == 0
    assert not [line for line in study.problems() if "'Japan'; did you mean 'Japan'" in line["message"]]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(0, "", "Japan", 1), (0, "", "Japan", 1), (0, "", "Peru", 1)], "twice"),
        ([(1, "Nowhere", "x", 1)], "'Nowhere'"),
    ],
)
def test_a_target_that_cannot_be_meant_is_a_usage_error(study: Study, rows: Rows, said: str) -> None:
    study.options(PEOPLED)
    study.model(EVERYWHERE)
    write_csv(study.root / "target.csv", [("level", "parent", "option", "share"), *rows])
    result = study.score("--target", "target.csv")
    assert result.code == 2
    assert said in result.err


def test_a_way_to_see_options_is_refused_beside_a_table_of_them(study: Study) -> None:
    study.options(PEOPLED)
    study.model(EVERYWHERE)
    assert study.score("--observed", "parent").code == 2


@pytest.mark.parametrize("more", [["outs"], ["--fuzzy", "50"], ["--target", "nowhere.csv"]])
def test_what_power_would_ignore_is_refused(study: Study, more: list[str]) -> None:
    study.model(EVERYWHERE)
    assert study.run("mode-collapse", "--power", *more).code == 2


def test_a_level_without_options_is_named_whatever_its_parent(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE, (9, "Peru", "x", 1)])
    assert study.score().code == 0
    assert [line["row"] for line in study.problems("unknown-level")] == ["8"]


def test_a_cell_whose_only_row_has_a_bad_count_is_noted_at_that_row(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE[:3], (1, "Japan", "x", -4)])
    assert study.score().code == 0
    assert [line["row"] for line in study.problems("no-choices")] == ["4"]


def test_the_order_of_sheets_changes_no_number(study: Study) -> None:
    heads = ("Sheet", *COUNTED)
    rows = {name: [(name, *row) for row in EVERYWHERE[1:]] for name in ("a", "b", "c")}
    rows["b"][0] = ("b", 0, "", "Japan", 20)
    rows["c"][3] = ("c", 1, "Japan", "y", 2)
    write_csv(study.outs / "m.csv", [heads, *(row for name in "abc" for row in rows[name])])
    write_csv(study.outs / "n.csv", [heads, *(row for name in "cab" for row in rows[name])])
    study.options(PEOPLED)
    assert study.score().code == 0
    results = [study.results()[model] for model in "mn"]
    assert [value for name, value in results[0].items() if name != "Model Name"] == [
        value for name, value in results[1].items() if name != "Model Name"
    ]
    levels = [[line for line in study.page("Summary", model) if line["Sheet"] == "All sheets"] for model in "mn"]
    assert levels[0] == levels[1]
    assert sorted(map(str, read_csv(study.res / "m_mode_collapse.csv"))) == sorted(
        map(str, read_csv(study.res / "n_mode_collapse.csv"))
    )
