"""What does the exit code say?"""

from __future__ import annotations

import json

import pytest

from tests.helpers.files import digests, write_bytes, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers

pytestmark = pytest.mark.usefixtures("no_workbooks")

EMPTY_PREDICTION = ANSWERS | {"break the ice": ""}


def test_everything_scored_is_0(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("sinfo", "outs", "refs", "-o", "res", "--no-such-option"),
        ("sinfo", "outs", "refs", "-o", "res", "--rouge", "rouge-2"),
        ("sinfo", "outs", "refs", "-o", "res", "--tokenizer", "bpe"),
        ("sinfo", "outs", "refs", "-o", "res", "--missing", "drop"),
        ("sinfo", "outs", "refs", "-o", "res", "--aggregate", "models"),
        ("sinfo", "outs", "refs", "-o", "res", "--length", "bytes"),
        ("sinfo", "outs", "refs", "-o", "res", "--references-by", "last"),
        ("sinfo", "outs", "refs", "-o", "res", "--reader", "pandas"),
        ("sinfo", "outs", "refs", "-o", "res", "--encoding", "no-such-encoding"),
        ("sinfo", "outs", "refs", "-o", "res", "--limit", "many"),
        ("sinfo", "outs", "refs", "-o", "res", "--column", "Prediction"),
        ("sinfo", "outs", "refs", "-o", "res", "--column", "Nonsense=answer"),
        ("sinfo", "outs", "refs", "more", "-o", "res"),
        ("no-such-command",),
    ],
    ids=lambda words: " ".join(words[5:] or words),
)
def test_wrong_usage_is_2_and_nothing_is_written(place: Place, words: tuple[str, ...]) -> None:
    place.references()
    place.model("m")
    ended = place.run(*words)
    assert ended.code == 2
    assert ended.err.strip()
    assert "Traceback" not in ended.err
    assert not place.res.exists()


@pytest.mark.parametrize(
    ("option", "value", "valid"),
    [
        ("--rouge", "rouge-2", ("rouge", "lin", "charset")),
        ("--tokenizer", "bpe", ("auto", "whitespace", "chars", "words")),
        ("--missing", "drop", ("nan", "zero", "error")),
    ],
)
def test_a_wrong_value_is_answered_with_the_right_ones(
    place: Place, option: str, value: str, valid: tuple[str, ...]
) -> None:
    place.references()
    place.model("m")
    ended = place.score(option, value)
    assert ended.code == 2
    assert [word for word in (value, *valid) if word not in ended.err] == []


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("sinfo", "--help")])
def test_help_and_version_are_0_and_on_stdout(place: Place, words: tuple[str, ...]) -> None:
    ended = place.run(*words)
    assert ended.code == 0
    assert ended.out.strip()
    assert ended.err == ""


def test_a_skipped_file_is_3_and_listed(place: Place) -> None:
    place.references()
    place.model("good")
    write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    ended = place.score()
    assert ended.code == 3
    assert "bad.xlsx" in ended.err
    assert [line["effect"] for line in place.problems("not-a-table")] == ["file skipped"]


@pytest.mark.usefixtures("workbooks")
def test_nothing_scored_is_4_and_existing_reports_stay(place: Place) -> None:
    place.references()
    path = place.model("m")
    assert place.score().code == 0
    before = digests(place.res), (place.res / "manifest.json").read_bytes()
    path.write_bytes(b"\xff\xfe\xff")
    assert place.score().code == 4
    assert (digests(place.res), (place.res / "manifest.json").read_bytes()) == before


def test_predictions_without_a_single_word_leave_nothing_scored(place: Place) -> None:
    place.references()
    place.model("m", {"break the ice": "...", "spill the beans": ""})
    assert place.score().code == 4


def test_references_of_other_idioms_leave_nothing_scored(place: Place) -> None:
    place.references({"another": "one"})
    place.model("m")
    assert place.score().code == 4


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 3)])
def test_a_row_without_a_score_is_no_skipped_input_unless_strict(
    place: Place, options: tuple[str, ...], code: int
) -> None:
    place.references()
    place.model("m", EMPTY_PREDICTION)
    assert place.score(*options).code == code
    assert place.results()["m"]["Scored"] == "2"


def test_strict_lets_a_note_pass(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction", "Note"), *ANSWERS.items()])
    assert place.score("--strict").code == 0
    assert "note" in {line["effect"] for line in place.problems()}


def test_strict_and_nothing_wrong_is_0(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score("--strict").code == 0


def test_missing_error_fails_that_model_only(place: Place) -> None:
    place.references()
    place.model("good")
    place.model("m", EMPTY_PREDICTION)
    assert place.score("--missing", "error").code == 3
    assert {name: line["Status"] for name, line in place.results().items()} == {"good": "ok", "m": "failed"}
    assert not place.workbook("m").exists()


def test_missing_error_in_the_only_model_is_4(place: Place) -> None:
    place.references()
    place.model("m", EMPTY_PREDICTION)
    assert place.score("--missing", "error").code == 4


def test_missing_zero_enters_the_mean_and_not_the_coverage(place: Place) -> None:
    place.references(ANSWERS)
    place.model("m", EMPTY_PREDICTION)
    assert place.score("--missing", "zero").code == 0
    line = place.results()["m"]
    assert float(line["S_Info"]) == pytest.approx(2 / 3)
    assert (line["Rows"], line["Scored"]) == ("3", "3")
    assert float(line["Coverage"]) == pytest.approx(2 / 3)


def good(place: Place) -> None:
    place.model("m")


def bad_beside_good(place: Place) -> None:
    place.model("m")
    write_bytes(place.outs / "bad.xlsx", b"not a workbook")


def nothing(place: Place) -> None:
    place.outs.mkdir()


def no_folder(place: Place) -> None:
    pass


def a_row_without_score(place: Place) -> None:
    place.model("m", EMPTY_PREDICTION)
    place.model("n")


def sheet_without_columns(place: Place) -> None:
    place.book("m", {"perm1": answers(), "notes": [("x",)]})


CASES = [
    (good, (), 0),
    (bad_beside_good, (), 3),
    (sheet_without_columns, (), 3),
    (nothing, (), 4),
    (no_folder, (), 2),
    (a_row_without_score, (), 0),
    (a_row_without_score, ("--strict",), 3),
    (a_row_without_score, ("--missing", "error"), 3),
]


@pytest.mark.parametrize(("fill", "options", "code"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_a_dry_run_returns_what_the_run_would_and_writes_nothing(
    place: Place, fill: object, options: tuple[str, ...], code: int
) -> None:
    place.references()
    assert callable(fill)
    fill(place)
    dry = place.score("--dry-run", *options)
    assert dry.code == code
    assert not place.res.exists()
    assert place.score(*options).code == code


def test_a_dry_run_shows_what_would_be_read(place: Place) -> None:
    place.references()
    place.book("gpt-4.1", {"perm1": answers(), "perm2": answers()})
    ended = place.score("--dry-run")
    assert "gpt-4.1" in ended.out
    assert "perm2" in ended.out


@pytest.mark.usefixtures("workbooks")
def test_a_dry_run_leaves_old_reports_alone(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    before = digests(place.res), (place.res / "manifest.json").read_bytes()
    place.model("m", EMPTY_PREDICTION)
    assert place.score("--dry-run").code == 0
    assert (digests(place.res), (place.res / "manifest.json").read_bytes()) == before


def test_a_limit_takes_the_first_rows_of_each_sheet(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "perm2": answers()})
    assert place.score("--limit", "2").code == 0
    assert [(unit["Sheet"], unit["Row"]) for unit in place.detail()] == [
        (sheet, row) for sheet in ("perm1", "perm2") for row in "23"
    ]
    assert place.results()["m"]["Rows"] == "4"


@pytest.mark.parametrize("fill", [good, bad_beside_good, nothing])
def test_with_json_stdout_is_json_and_nothing_else(place: Place, fill: object) -> None:
    place.references()
    assert callable(fill)
    fill(place)
    ended = place.score("--json", "-v")
    if ended.code != 4 or ended.out.strip():
        assert isinstance(json.loads(ended.out), dict | list)
    if ended.code != 4:
        assert repr(float(place.results()["m"]["S_Info"])) in ended.out


@pytest.mark.usefixtures("workbooks")
def test_quiet_says_nothing_where_nothing_is_wrong(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score("-q").err == ""
    loud = digests(place.res)
    assert place.score("-q", res="again").code == 0
    assert digests(place.root / "again") == loud


def test_quiet_changes_no_exit_code(place: Place) -> None:
    place.references()
    bad_beside_good(place)
    assert place.score("-q").code == 3


def test_progress_is_not_shown_without_a_terminal(place: Place) -> None:
    place.references()
    place.model("m")
    ended = place.score()
    assert "%" not in ended.err
    assert "\x1b" not in ended.out + ended.err
    assert "\r" not in ended.out + ended.err


def test_without_arguments_and_without_the_sample_folders_the_way_on_is_said(run: Run) -> None:
    done = run("sinfo")
    assert done.code == 2
    assert "scoresheet sinfo OUTPUTS REFERENCES" in done.err


@pytest.mark.parametrize(
    "arguments",
    [["x" * 300, "refs"], ["outs", "y" * 300], ["outs", "refs", "--wait", "nan"], ["outs", "refs", "-o", ""]],
)
@pytest.mark.usefixtures("folder")
def test_odd_arguments_are_usage_errors(arguments: list[str], run: Run) -> None:
    done = run("sinfo", *arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("folder")
def test_an_out_path_that_is_too_long_cannot_be_written(run: Run) -> None:
    assert run("sinfo", "outs", "refs", "-o", "z" * 300).code == 5
