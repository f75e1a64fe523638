"""Which columns and sheets are used, and who may choose?"""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from tests.helpers.files import write_book, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers, statuses_in

pytestmark = pytest.mark.usefixtures("no_workbooks")


@pytest.mark.parametrize(
    ("idiom", "prediction"),
    [
        ("IDIOM", "PREDICTION"),
        ("idiom", "pre_diction"),
        (" Idiom ", "Pre-Diction"),
        ("_idiom", "pre diction"),
    ],
)
def test_columns_are_found_ignoring_case_spaces_underscores_and_hyphens(
    place: Place, idiom: str, prediction: str
) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [(idiom, prediction), *ANSWERS.items()])
    assert place.score().code == 0
    assert len(place.scores()) == 3


@pytest.mark.parametrize("head", [("Idiom", "Explanation"), ("IDIOM", "EXPLANATION"), ("idiom_", "expla-nation")])
def test_reference_columns_are_found_the_same_way(place: Place, head: tuple[str, str]) -> None:
    place.model("m")
    write_csv(place.refs / "r.csv", [head, *ANSWERS.items()])
    assert place.score().code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_columns_may_stand_in_any_order(place: Place) -> None:
    place.references(ANSWERS)
    rows = [("Prediction", "Score", "Idiom"), *((text, "0", idiom) for idiom, text in ANSWERS.items())]
    write_csv(place.outs / "m.csv", rows)
    assert place.score().code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_column_may_be_named(place: Place) -> None:
    place.references(ANSWERS)
    write_csv(place.outs / "m.csv", [("phrase", "answer"), *ANSWERS.items()])
    assert place.score("--column", "Idiom=phrase", "--column", "Prediction=answer").code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_named_column_wins_over_one_of_the_right_name(place: Place) -> None:
    place.references(ANSWERS)
    rows = [("Idiom", "Prediction", "answer"), *((idiom, "zzz", text) for idiom, text in ANSWERS.items())]
    write_csv(place.outs / "m.csv", rows)
    assert place.score("--column", "Prediction=answer").code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_reference_column_may_be_named(place: Place) -> None:
    place.model("m")
    write_csv(place.refs / "r.csv", [("idiom", "gloss"), *ANSWERS.items()])
    assert place.score("--column", "explanation=gloss").code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_named_column_may_hold_an_equals_sign(place: Place) -> None:
    place.references(ANSWERS)
    write_csv(place.outs / "m.csv", [("Idiom", "t=0"), *ANSWERS.items()])
    assert place.score("--column", "Prediction=t=0").code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_near_miss_is_suggested_and_never_guessed(place: Place) -> None:
    place.references()
    place.model("good")
    write_csv(place.outs / "m.csv", [("Idiom", "Predicton"), *ANSWERS.items()])
    ended = place.score()
    assert ended.code == 3
    (line,) = place.problems("missing-column")
    assert line["file"] == "m.csv"
    assert "Prediction" in line["message"] + line["column"]
    assert "Predicton" in line["message"]
    assert place.results()["m"]["Status"] == "failed"


def test_a_table_without_a_header_is_refused_and_loses_no_row_in_silence(place: Place) -> None:
    place.references()
    place.model("good")
    write_csv(place.outs / "m.csv", list(ANSWERS.items()))
    assert place.score().code == 3
    assert [line["file"] for line in place.problems("missing-column")] == ["m.csv"]


@pytest.mark.parametrize("second", ["prediction", "PREDICTION", "pre-diction"])
def test_two_columns_that_could_both_be_meant_are_an_error(place: Place, second: str) -> None:
    place.references()
    place.model("good")
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction", second), ("break the ice", "to talk", "to sing")])
    assert place.score().code == 3
    kinds = {line["kind"] for line in place.problems() if line["file"] == "m.csv"}
    assert kinds <= {"ambiguous-column", "duplicate-header"}
    assert place.results()["m"]["Status"] == "failed"


def test_sheets_may_be_chosen_by_pattern(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "perm2": answers(), "notes": [("a",)], "other": answers()})
    assert place.score("--sheet", "perm*", "--sheet", "oth?r").code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1", "perm2", "other"}


def test_sheets_may_be_skipped_by_pattern(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "notes": [("a",)], "draft": answers(), "draft2": answers()})
    assert place.score("--skip-sheet", "notes", "--skip-sheet", "draft*").code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1"}
    assert place.results()["m"]["Status"] == "ok"


def test_a_skipped_sheet_may_hold_anything(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "notes": [("Idiom", "Idiom"), ("x", "y")]})
    assert place.score("--skip-sheet", "notes").code == 0


def test_a_pattern_that_chooses_no_sheet_leaves_nothing_to_score(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers()})
    assert place.score("--sheet", "nothing*").code == 4


def test_a_pattern_also_chooses_among_the_csvs_of_a_models_folder(place: Place) -> None:
    place.references()
    for sheet in ("perm1", "perm2", "draft"):
        write_csv(place.outs / "m" / f"{sheet}.csv", answers())
    assert place.score("--sheet", "perm*", "--skip-sheet", "perm2").code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1"}


def test_a_visible_sheet_without_the_columns_is_skipped_input(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "notes": [("Date", "Who"), ("today", "me")]})
    ended = place.score()
    assert ended.code == 3
    lines = place.problems("missing-column")
    assert {(line["file"], line["sheet"], line["effect"]) for line in lines} == {("m.xlsx", "notes", "sheet skipped")}
    assert "m.xlsx[notes]" in ended.err
    assert len(place.scores()) == 3
    assert place.results()["m"]["Status"] == "partial"


def test_patterns_for_sheets_leave_the_references_whole(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers()})
    assert place.score("--sheet", "perm*").code == 0
    assert len(place.scores()) == 3


def test_a_misspelt_header_never_scores_another_column(run: Run, folder: Path) -> None:
    (folder / "outs/good.csv").write_text("Idiom,Prediction,answer\na,one two,x\n", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", "--column", "Prediction=anwser")
    assert done.code == 2
    assert "no file has the column 'anwser', which --column names as Prediction; did you mean 'answer'?" in done.err
    assert not (folder / "res/s_info_results.csv").exists()


def test_a_key_may_have_the_users_name_on_one_side_only(run: Run, folder: Path) -> None:
    (folder / "outs/good.csv").write_text("成语,Prediction\na,one two\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--column", "Idiom=成语").code == 0


@pytest.mark.usefixtures("folder")
def test_a_column_named_twice_has_two_names_of_which_a_table_must_have_one(run: Run) -> None:
    done = run("sinfo", "outs", "refs", "--column", "Prediction=a", "--column", "Prediction=b")
    assert done.code == 2
    assert "no file has the column 'a' or 'b', which --column names as Prediction" in done.err
    assert run("sinfo", "outs", "refs", "--column", "Prediction=a", "--column", "Prediction=prediction").code == 0


@pytest.mark.usefixtures("folder")
def test_a_sheet_pattern_that_matches_nothing_is_said(run: Run) -> None:
    done = run("sinfo", "outs", "refs", "-o", "res", "--sheet", "nosuch*")
    assert done.code == 4
    assert "no sheet of this file is left by --sheet" in done.err


@pytest.mark.parametrize("pattern", ["run1/*", "run1/perm*", "*perm*"])
def test_patterns_see_the_names_that_reports_show(pattern: str, run: Run, folder: Path) -> None:
    (folder / "outs/m").mkdir()
    book = openpyxl.Workbook()
    book.active.title = "perm"  # type: ignore[union-attr]
    for row in (["Idiom", "Prediction"], ["a", "one two"]):
        book.active.append(row)  # type: ignore[union-attr]
    book.create_sheet("notes").append(["no", "columns"])
    book.save(folder / "outs/m/run1.xlsx")
    assert run("sinfo", "outs", "refs", "-o", "res", "--sheet", pattern, "--skip-sheet", "*notes").code == 0
    assert statuses_in(folder)["m"] == "ok"


JUDGED = [("query", "subtopic", "item", "relevance"), ("q", "x", "a", 1), ("q", "y", "c", 1), ("p", "x", "a", 1)]


def test_every_column_that_is_missing_is_named_with_its_option(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    write_csv(tmp_path / "outs/m.csv", [("thema", "ding", "rank"), ("q", "a", 1)])
    done = run("diversity", "outs", "refs", "-o", "res")
    assert "name yours with --column query=HEADER --column item=HEADER" in done.err


# --- other headers in other files ------------------------------------------------------------------------------------


@pytest.fixture
def three(place: Place) -> Place:
    """The same answers under three headers, each in a file of its own."""
    place.references(ANSWERS)
    for name, head in (("a", "answer"), ("b", "回答"), ("c", "Prediction")):
        write_csv(place.outs / f"{name}.csv", [("Idiom", head), *ANSWERS.items()])
    return place


@pytest.mark.parametrize(
    "options",
    [
        ("--column", "Prediction=answer", "--column", "Prediction=回答"),
        ("--column", "Prediction=answer|回答"),
        ("--column", "Prediction= 回答 | ANSWER "),
        ("--column", "outputs.Prediction=answer|回答"),
    ],
)
def test_each_file_takes_the_first_header_that_it_has(three: Place, options: tuple[str, ...]) -> None:
    ended = three.score(*options)
    assert ended.code == 0, ended.err
    for model in "abc":
        assert three.scores(model) == [1.0, 1.0, 1.0]
    # that one file goes by our own name is said
    assert [(line["file"], line["effect"]) for line in three.problems("renaming")] == [("c.csv", "note")]
    assert "'Prediction' was taken" in three.problems("renaming")[0]["message"]


def test_the_first_header_that_is_named_wins_where_a_file_has_several(place: Place) -> None:
    place.references(ANSWERS)
    write_csv(place.outs / "m.csv", [("Idiom", "b", "a"), *((idiom, "zzz", text) for idiom, text in ANSWERS.items())])
    for option in (("--column", "Prediction=a|b"), ("--column", "Prediction=a", "--column", "Prediction=b")):
        assert place.score(*option).code == 0
        assert place.scores() == [1.0, 1.0, 1.0]


def test_a_header_that_is_literally_so_written_wins_over_its_parts(place: Place) -> None:
    place.references(ANSWERS)
    rows = [("Idiom", "a", "a|b", "x.y"), *((idiom, "zzz", text, text) for idiom, text in ANSWERS.items())]
    write_csv(place.outs / "m.csv", rows)
    for header in ("a|b", "x.y"):
        assert place.score("--column", f"Prediction={header}").code == 0
        assert place.scores() == [1.0, 1.0, 1.0]


def test_a_side_may_be_named_and_holds_for_it_alone(place: Place) -> None:
    write_csv(place.outs / "m.csv", [("Idiom", "English"), *ANSWERS.items()])
    write_csv(place.refs / "r.csv", [("idiom", "English", "explanation"), *((i, t, "zzz") for i, t in ANSWERS.items())])
    sides = ("--column", "outputs.Prediction=English", "--column", "references.explanation=English")
    assert place.score(*sides).code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("elsewhere.Prediction=a", "there are no tables 'elsewhere' here; there are outputs, references"),
        ("Predicton=a", "there is no column 'Predicton' here; did you mean 'Prediction'?"),
        ("references.=a", "write it as Name=header"),
        ("Prediction=", "write it as Name=header"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_no_column_or_no_side_is_a_usage_error(run: Run, option: str, said: str) -> None:
    done = run("sinfo", "outs", "refs", "-o", "res", "--column", option)
    assert done.code == 2
    assert said in done.err


def test_a_renaming_that_a_table_does_not_need_is_not_demanded_of_it(place: Place) -> None:
    write_csv(place.outs / "m.csv", [("phrase", "Prediction"), *ANSWERS.items()])
    write_csv(place.refs / "r.csv", [("idiom", "gloss"), *ANSWERS.items()])
    assert place.score("--column", "Idiom=phrase", "--column", "explanation=gloss", "--strict").code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_header_of_references_that_is_misspelt_is_refused_and_nothing_is_written(place: Place) -> None:
    place.model("m")
    place.references()
    for option in ("explanation=Englsh", "references.explanation=Englsh"):
        ended = place.score("--column", option)
        assert ended.code == 2
        assert "no file has the column 'Englsh', which --column names as explanation" in ended.err
    assert not (place.res / "s_info_results.csv").exists()


def test_sheets_of_references_may_be_skipped(place: Place) -> None:
    place.model("m")
    sheets: dict[str, list[tuple[str, str]]] = {
        "good": [("idiom", "explanation"), *ANSWERS.items()],
        "notes": [("remember", "me"), ("to ask", "Kim")],
        "old": [("idiom", "explanation"), *((idiom, "zzz") for idiom in ANSWERS)],
    }
    write_book(place.refs / "r.xlsx", sheets)
    assert place.score("--skip-sheet", "notes", "--skip-sheet", "ol?", "--strict").code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_the_one_table_of_a_reference_file_is_no_sheet_that_a_pattern_could_mean(place: Place) -> None:
    place.references()
    place.book("m", {"Sheet1": [("remember",), ("me",)], "answers": answers()})
    assert place.score("--skip-sheet", "Sheet1", "--strict").code == 0
    assert len(place.scores()) == 3


def test_patterns_hold_for_sheets_that_a_column_makes(place: Place) -> None:
    place.references()
    rows = [("Sheet", "Idiom", "Prediction"), *((f"s{n}", *pair) for n, pair in enumerate(ANSWERS.items()))]
    place.book("one", {"Sheet1": rows, "other": [("remember",), ("nothing",)]})
    write_csv(place.outs / "two.csv", rows)
    for options in (("--sheet", "*s1"), ("--skip-sheet", "*s0", "--skip-sheet", "*s2", "--skip-sheet", "other")):
        ended = place.score(*options, "--strict")
        assert ended.code == 0, ended.err
        assert {model: [unit["Sheet"] for unit in place.detail(model)] for model in ("one", "two")} == {
            "one": ["s1"],
            "two": ["s1"],
        }


def test_a_worksheet_that_a_column_splits_can_still_be_chosen_by_its_own_name(place: Place) -> None:
    place.references()
    rows = [("Sheet", "Idiom", "Prediction"), *((f"s{n}", *pair) for n, pair in enumerate(ANSWERS.items()))]
    place.book("m", {"mine": rows, "other": answers(), "hidden things": [("x",), ("y",)]})
    assert place.score("--sheet", "mine", "--strict").code == 0
    assert [unit["Sheet"] for unit in place.detail()] == ["mine/s0", "mine/s1", "mine/s2"]
    assert place.problems("missing-column") == []
