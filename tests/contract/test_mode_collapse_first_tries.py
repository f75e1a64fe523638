"""What people do at the first try: questions of their own, slips of the pen, columns by other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from tests.conftest import Run
from tests.contract.files import write_csv
from tests.contract.test_mode_collapse_inputs import Study, roots

QUESTIONS = (
    [("level", "option"), (0, "tea"), (0, "coffee")],
    [("level", "option"), (0, "bus"), (0, "train"), (0, "car")],
)


@pytest.fixture
def study(run: Run, tmp_path: Path) -> Study:
    return Study(tmp_path, run)


def _workbook(path: Path, sheets: Mapping[str, Sequence[tuple[object, ...]]]) -> None:
    book = Workbook()
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    book.remove(book.worksheets[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)


def _two_questions(study: Study) -> None:
    _workbook(study.outs / "m.xlsx", {"drink": roots(["tea", "coffee"] * 4), "way": roots(["bus", "train", "car"] * 4)})


def test_a_table_with_a_sheet_per_question_declares_each_question_its_own_options(study: Study) -> None:
    _two_questions(study)
    (study.root / "table").mkdir()
    _workbook(study.root / "table" / "options.xlsx", {"drink": QUESTIONS[0], "way": QUESTIONS[1]})
    assert study.score().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "3"]


def test_a_csv_table_with_a_sheet_column_does_the_same(study: Study) -> None:
    _two_questions(study)
    rows: list[tuple[object, ...]] = [("Sheet", "level", "option")]
    rows += [("drink", *row) for row in QUESTIONS[0][1:]] + [("way", *row) for row in QUESTIONS[1][1:]]
    study.options(rows)
    assert study.score().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "3"]


def test_a_table_whose_sheets_are_no_questions_holds_for_every_sheet(study: Study) -> None:
    study.model(
        [("level", "parent", "choice"), (0, "", "tea"), (0, "", "coffee"), (1, "tea", "green"), (1, "tea", "black")]
    )
    (study.root / "table").mkdir()
    below = [("level", "option"), (1, "green"), (1, "black")]
    _workbook(study.root / "table" / "options.xlsx", {"first": QUESTIONS[0], "second": below})
    assert study.score().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "2"]


def test_a_question_is_found_whatever_its_case(study: Study) -> None:
    _two_questions(study)
    rows: list[tuple[object, ...]] = [("question", "level", "option")]
    rows += [("Drink", *row) for row in QUESTIONS[0][1:]] + [("WAY", *row) for row in QUESTIONS[1][1:]]
    study.options(rows)
    assert study.score().code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "3"]


def test_a_sheet_without_options_of_its_own_is_told_which_questions_have_some(study: Study) -> None:
    _two_questions(study)
    study.options([("question", "level", "option"), *(("drink", *row) for row in QUESTIONS[0][1:])])
    assert study.score().code == 0
    (message,) = {line["message"] for line in study.problems("unknown-level")}
    assert "'way'" in message
    assert "'drink'" in message


def test_options_seen_under_the_same_parent_are_not_mixed_with_those_of_other_parents(study: Study) -> None:
    rows: list[tuple[object, ...]] = [("level", "parent", "choice"), (0, "", "tea"), (0, "", "coffee")]
    rows += [(1, "tea", "green"), (1, "tea", "black"), (1, "coffee", "flat"), (1, "coffee", "long")]
    study.model(rows)
    assert study.score("--observed", "parent", table="").code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "2", "2"]
    assert study.score(table="").code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "4", "4"]
    (note,) = study.problems("observed-options")
    assert "counts as never chosen here" in note["message"]


def test_a_slip_of_the_pen_is_answered_with_the_option_it_resembles(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots(["bus", "trian", "car"]))
    done = study.score()
    assert "did you mean 'train'?" in done.err


def test_the_same_problem_in_many_rows_is_said_once(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots([*["lorry"] * 30, "bus", "train"]))
    done = study.score()
    assert done.err.count("lorry") == 1
    assert "29 more rows like this" in done.err
    assert len(study.problems("unknown-option")) == 30


def test_a_level_that_starts_at_one_leaves_the_model_without_a_score_and_says_so(study: Study) -> None:
    study.options([("level", "option"), (1, "bus"), (1, "car")])
    study.model([("level", "parent", "choice"), (1, "x", "bus"), (1, "x", "car")])
    assert study.score().code == 0
    assert study.effects("no-root") == {"note"}
    assert study.results()["m"]["Gini"] == ""


def test_without_a_parent_column_the_rows_below_the_root_say_so(study: Study) -> None:
    study.options([("level", "option"), (0, "bus"), (0, "car"), (1, "day"), (1, "night")])
    study.model([("level", "choice"), (0, "bus"), (1, "day")])
    assert "there is no column parent" in study.score().err


def test_a_mark_that_is_neither_yes_nor_no_beside_a_correction_is_noted(study: Study) -> None:
    study.options(QUESTIONS[1])
    head = ("level", "choice", "corrected_category", "is_flagged")
    study.model([head, (0, "bus", "car", "x"), (0, "train", "car", "no"), (0, "train", "", "maybe")])
    assert study.score().code == 0
    (note,) = study.problems("unknown-flag")
    assert "'x'" in note["message"]
    assert "maybe" not in note["message"]


def test_a_table_with_a_header_alone_is_named(study: Study) -> None:
    study.options([("level", "option")])
    study.model(roots(["bus", "car"]))
    done = study.score()
    assert done.code == 4
    assert "a header and no rows" in done.err


def test_a_table_of_options_that_lies_among_the_outputs_is_no_model(study: Study) -> None:
    write_csv(study.outs / "options.csv", QUESTIONS[1])
    study.model(roots(["bus", "car"]))
    assert study.score(table="outs/options.csv").code == 0
    assert list(study.results()) == ["m"]


def test_a_column_may_have_the_users_name_in_the_outputs_alone(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model([("depth", "choice"), (0, "bus"), (0, "car")])
    assert study.score("--column", "level=depth").code == 0


def test_a_target_without_a_question_holds_wherever_its_options_are_declared(study: Study) -> None:
    _two_questions(study)
    rows: list[tuple[object, ...]] = [("question", "level", "option")]
    rows += [("drink", *row) for row in QUESTIONS[0][1:]] + [("way", *row) for row in QUESTIONS[1][1:]]
    study.options(rows)
    target = write_csv(
        study.root / "target.csv", [("level", "option", "share"), (0, "tea", "70%"), (0, "coffee", "30%")]
    )
    assert study.score("--target", target).code == 0
    assert [bool(cell["P_Value"]) for cell in study.cells()] == [True, False]
    assert study.effects("no-target") == {"note"}


def test_models_with_one_question_each_are_compared_whatever_their_sheets_are_called(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots(["bus"] * 20), "a")
    _workbook(study.outs / "b.xlsx", {"answers": roots(["car"] * 20)})
    assert study.score().code == 0
    page = load_workbook(study.res / "mode_collapse_results.xlsx")["Differences"]
    head, line = ([cell.value for cell in row] for row in page.iter_rows())
    assert dict(zip(head, line, strict=True))["TVD"] == 1


def test_a_gini_for_power_without_power_is_a_usage_error(run: Run) -> None:
    done = run("mode-collapse", "--power-gini", "0.5")
    assert done.code == 2
    assert "--power" in done.err
