"""Tables of options and targets that hold for some questions, name parents that are none, or say things twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.files import Rows, read_csv, write_book, write_csv
from tests.helpers.mode_collapse import (
    COUNTED,
    EVERYWHERE,
    NOT_SCORED,
    PEOPLED,
    QUESTIONS,
    Study,
    roots,
    write_questions,
)
from tests.helpers.runs import Run
from tests.helpers.studies import paged, problems_of

pytestmark = pytest.mark.usefixtures("no_workbooks")

EVEN = {"food": ["rice", "bread"] * 6, "trip": ["sea", "hills", "town"] * 4}
DECLARED = {name: [("level", "option"), *((0, option) for option in dict.fromkeys(EVEN[name]))] for name in EVEN}


def ginis(study: Study) -> dict[str, float]:
    """The Gini of every sheet's root."""
    return {cell["Sheet"]: float(cell["Gini"]) for cell in study.cells() if cell["Level"] == "0"}


def test_sheets_that_a_new_workbook_names_are_questions_where_there_are_several(study: Study) -> None:
    names = {"food": "Sheet1", "trip": "Sheet2"}
    write_book(study.root / "table" / "options.xlsx", {names[name]: rows for name, rows in DECLARED.items()})
    write_book(study.outs / "m.xlsx", {names[name]: roots(choices) for name, choices in EVEN.items()})
    assert study.tables().code == 0
    assert ginis(study) == {"Sheet1": 0, "Sheet2": 0}


def test_files_of_a_table_are_questions_where_the_outputs_have_sheets_of_their_names(study: Study) -> None:
    for name, rows in DECLARED.items():
        write_csv(study.root / "table" / f"{name}.csv", rows)
        write_csv(study.outs / "m" / f"{name}.csv", roots(EVEN[name]))
    assert study.tables().code == 0
    assert ginis(study) == {"food": 0, "trip": 0}


def test_files_of_a_table_hold_together_for_sheets_of_other_names(study: Study) -> None:
    write_csv(study.root / "table" / "first.csv", [("level", "option"), (0, "sea"), (0, "hills")])
    write_csv(study.root / "table" / "second.csv", [("level", "option"), (0, "town")])
    study.model(roots(EVEN["trip"]))
    assert study.tables().code == 0
    assert ginis(study) == {"Sheet1": 0}
    assert study.effects("unknown-question") == {"note"}


def test_a_sheet_that_is_nearly_named_as_a_question_is_not_scored_on_the_options_of_all(study: Study) -> None:
    write_book(study.root / "table" / "options.xlsx", DECLARED)
    write_book(study.outs / "m.xlsx", {"food": roots(EVEN["food"]), "trips": roots(EVEN["trip"])})
    assert study.tables().code == 0
    assert ginis(study) == {"food": 0}
    assert study.effects("unknown-question") == {NOT_SCORED}
    assert "did you mean 'trip'?" in study.problems("unknown-question")[0]["message"]


def test_a_parent_that_is_no_option_is_not_scored_and_the_option_it_resembles_is_named(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE, (1, "Japn", "x", 1)])
    assert study.tables("--strict").code == 3
    assert float(study.results()["m"]["Level_1_Gini"]) == 0
    (line,) = study.problems("unknown-parent")
    assert (line["effect"], line["row"]) == (NOT_SCORED, "8")
    assert "did you mean 'Japan'?" in line["message"]


@pytest.mark.usefixtures("workbooks")
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
    assert study.tables().code == 0
    (line,) = study.problems("unknown-parent")
    assert (line["file"], line["row"], line["effect"]) == ("options.csv", "6", effect)


def test_the_hint_for_a_parent_never_names_the_parent_itself(study: Study) -> None:
    study.options([*PEOPLED[:3], (1, "Japn", "x"), (1, "Japn", "y")])
    study.model(EVERYWHERE)
    assert study.tables().code == 0
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


def test_a_level_without_options_is_named_whatever_its_parent(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE, (9, "Peru", "x", 1)])
    assert study.tables().code == 0
    assert [line["row"] for line in study.problems("unknown-level")] == ["8"]


def test_a_cell_whose_only_row_has_a_bad_count_is_noted_at_that_row(study: Study) -> None:
    study.options(PEOPLED)
    study.model([*EVERYWHERE[:3], (1, "Japan", "x", -4)])
    assert study.tables().code == 0
    assert [line["row"] for line in study.problems("no-choices")] == ["4"]


@pytest.mark.usefixtures("workbooks")
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


def _two_questions(study: Study) -> None:
    write_questions(
        study.outs / "m.xlsx", {"drink": roots(["tea", "coffee"] * 4), "way": roots(["bus", "train", "car"] * 4)}
    )


def test_a_table_with_a_sheet_per_question_declares_each_question_its_own_options(study: Study) -> None:
    _two_questions(study)
    (study.root / "table").mkdir()
    write_questions(study.root / "table" / "options.xlsx", {"drink": QUESTIONS[0], "way": QUESTIONS[1]})
    assert study.tables().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "3"]


def test_a_csv_table_with_a_sheet_column_does_the_same(study: Study) -> None:
    _two_questions(study)
    rows: list[tuple[object, ...]] = [("Sheet", "level", "option")]
    rows += [("drink", *row) for row in QUESTIONS[0][1:]] + [("way", *row) for row in QUESTIONS[1][1:]]
    study.options(rows)
    assert study.tables().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "3"]


def test_a_table_whose_sheets_are_no_questions_holds_for_every_sheet(study: Study) -> None:
    study.model(
        [("level", "parent", "choice"), (0, "", "tea"), (0, "", "coffee"), (1, "tea", "green"), (1, "tea", "black")]
    )
    (study.root / "table").mkdir()
    below = [("level", "option"), (1, "green"), (1, "black")]
    write_questions(study.root / "table" / "options.xlsx", {"first": QUESTIONS[0], "second": below})
    assert study.tables().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "2"]


def test_a_question_is_found_whatever_its_case(study: Study) -> None:
    _two_questions(study)
    rows: list[tuple[object, ...]] = [("question", "level", "option")]
    rows += [("Drink", *row) for row in QUESTIONS[0][1:]] + [("WAY", *row) for row in QUESTIONS[1][1:]]
    study.options(rows)
    assert study.tables().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "3"]


def test_a_sheet_without_options_of_its_own_is_told_which_questions_have_some(study: Study) -> None:
    _two_questions(study)
    study.options([("question", "level", "option"), *(("drink", *row) for row in QUESTIONS[0][1:])])
    assert study.tables().code == 0
    (message,) = {line["message"] for line in study.problems("unknown-level")}
    assert "'way'" in message
    assert "'drink'" in message


def test_a_table_with_a_header_alone_is_named(study: Study) -> None:
    study.options([("level", "option")])
    study.model(roots(["bus", "car"]))
    done = study.score()
    assert done.code == 4
    assert "a header and no rows" in done.err


def test_a_table_of_options_that_lies_among_the_outputs_is_no_model(study: Study) -> None:
    write_csv(study.outs / "options.csv", QUESTIONS[1])
    study.model(roots(["bus", "car"]))
    assert study.tables(table="outs/options.csv").code == 0
    assert list(study.results()) == ["m"]


def test_a_target_without_a_question_holds_wherever_its_options_are_declared(study: Study) -> None:
    _two_questions(study)
    rows: list[tuple[object, ...]] = [("question", "level", "option")]
    rows += [("drink", *row) for row in QUESTIONS[0][1:]] + [("way", *row) for row in QUESTIONS[1][1:]]
    study.options(rows)
    target = write_csv(
        study.root / "target.csv", [("level", "option", "share"), (0, "tea", "70%"), (0, "coffee", "30%")]
    )
    assert study.tables("--target", target).code == 0
    assert [bool(cell["P_Value"]) for cell in study.cells()] == [True, False]
    assert study.effects("no-target") == {"note"}


@pytest.mark.usefixtures("workbooks")
def test_a_percent_sign_is_a_hundredth(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    study.model(roots(["x", "y", "x"]))
    target = write_csv(study.root / "t.csv", [("level", "option", "share"), (0, "x", "50%"), (0, "y", "0.5")])
    assert study.score("--target", target).code == 0
    assert [line["Target"] for line in paged(study.workbook(), "Counts")] == [0.5, 0.5]
    huge = write_csv(study.root / "u.csv", [("level", "option", "share"), (0, "x", "1e308"), (0, "y", "1e308")])
    assert study.score("--target", huge).code == 2


def test_the_hashes_of_two_tables_of_one_name_are_both_kept(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    study.model(roots(["x", "y", "x"]))
    write_csv(study.root / "t/options.csv", [("level", "option", "share"), (0, "x", 1), (0, "y", 2)])
    assert study.score("--target", "t/options.csv").code == 0
    manifest = json.loads((study.res / "manifest.json").read_text(encoding="utf-8"))
    assert [each["file"] for each in manifest["references"]] == ["options.csv", "options.csv (--target)"]


def test_outputs_are_not_their_own_options(study: Study) -> None:
    study.model(roots(["x", "y"]))
    assert study.score(table="outs").code == 2


OPTIONS: Rows = [("level", "option"), (0, "Japan"), (0, "Peru")]
ANSWERS: Rows = [("level", "choice"), *[(0, "Japan")] * 9, *[(0, "Peru")] * 3]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(0, "Japan", 0.5, "Peru"), (0, "Peru", 0.25, "")], "the root has none"),
        ([(0, "Japan", 0.5, ""), (0, "Nippon", 0.25, "")], "twice"),
    ],
)
def test_a_row_of_the_target_that_cannot_be_meant_stops_the_run(
    run: Run, tmp_path: Path, rows: Rows, said: str
) -> None:
    write_csv(tmp_path / "outs/m.csv", ANSWERS)
    write_csv(tmp_path / "table.csv", [("level", "option", "aliases"), (0, "Japan", "Nippon"), (0, "Peru", "")])
    write_csv(tmp_path / "target.csv", [("level", "option", "share", "parent"), *rows])
    done = run("mode-collapse", "outs", "table.csv", "--target", "target.csv", "-o", "res")
    assert done.code == 2
    assert said in done.err


def test_an_option_that_no_answer_can_mean_is_not_counted_among_them(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", ANSWERS)
    write_csv(tmp_path / "table.csv", [*OPTIONS, (0, "Incomplete")])
    assert run("mode-collapse", "outs", "table.csv", "-o", "res").code == 0
    assert read_csv(tmp_path / "res/m_mode_collapse.csv")[0]["Options"] == "2"
    assert [line["row"] for line in problems_of(tmp_path / "res", "incomplete")] == ["4"]
