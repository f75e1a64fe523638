"""What was read as what: the account of `check` and --dry-run, what is said once, and how much got through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.files import read_csv, write_book, write_bytes, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers, paged

pytestmark = pytest.mark.usefixtures("no_workbooks")

IDIOMS = list(ANSWERS)


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and no model yet."""
    place.references()
    return place


def account(ready: Place, *options: str) -> list[dict[str, Any]]:
    """What a dry run says, for machines, of each sheet."""
    ended = ready.run("check", "outs", "refs", "--for", "sinfo", "--json", *options)
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    assert told["dry_run"] is True
    read: list[dict[str, Any]] = told["read"]
    return read


def test_check_shows_where_each_column_went(ready: Place) -> None:
    rows = [("phrase", "Prediction", "note"), *((*pair, "x") for pair in ANSWERS.items()), ("unheard", "of", "x")]
    write_book(ready.outs / "m.xlsx", {"one": [("A title",), *rows], "two": rows[:2]})
    ended = ready.run("check", "outs", "refs", "--for", "sinfo", "--column", "Idiom=phrase")
    assert ended.code == 0, ended.err
    head, _, first, second, *rest = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert head == "Model Name File Sheet Header Read as Not used Rows With a reference"
    assert first == "m m.xlsx one 2 Idiom=phrase, Prediction note 4 3"
    assert second == "m m.xlsx two 1 Idiom=phrase, Prediction note 1 1"
    assert rest[1:] == ["references: all.csv", "would score 4 rows; nothing was written"]
    assert not ready.res.exists()


def test_the_same_is_there_for_machines(ready: Place) -> None:
    rows = [("phrase", "Prediction", "note", "Model", "Sheet"), *((*pair, "x", "gpt", "s") for pair in ANSWERS.items())]
    write_csv(ready.outs / "m.csv", rows)
    assert account(ready, "--column", "Idiom=phrase") == [
        {
            "model": "gpt",
            "file": "m.csv",
            "sheet": "s",
            "header_row": 1,
            "sheet_column": "Sheet",
            "model_column": "Model",
            "columns": {"Idiom": "phrase", "Prediction": "Prediction"},
            "ignored": ["note"],
            "rows": 3,
            "joined": 3,
        }
    ]
    shown = ready.run("check", "outs", "refs", "--for", "sinfo", "--column", "Idiom=phrase").out
    assert "(model)=Model, (sheet)=Sheet, Idiom=phrase, Prediction" in shown


def test_it_is_the_dry_run_of_the_command(ready: Place) -> None:
    ready.model("m")
    write_bytes(ready.outs / "notes.md", b"x")
    checked = ready.run("check", "outs", "refs", "--for", "sinfo", "--json")
    assert checked.out == ready.score("--dry-run", "--json").out
    assert json.loads(checked.out)["not_read"] == ["notes.md: not a table (.md)"]
    assert not (ready.res / "s_info_results.csv").exists()


def test_a_column_that_is_shown_by_or_kept_is_not_called_unused(ready: Place) -> None:
    rows = [("Idiom", "Prediction", "a", "b", "c"), *((*pair, "x", "y", "z") for pair in ANSWERS.items())]
    write_csv(ready.outs / "m.csv", rows)
    assert [sheet["ignored"] for sheet in account(ready, "--by", "a", "--keep", "b")] == [["c"]]


def test_json_and_parquet_have_no_header_row(ready: Place) -> None:
    write_bytes(ready.outs / "m.jsonl", json.dumps({"Idiom": IDIOMS[0], "Prediction": "x"}).encode())
    assert [sheet["header_row"] for sheet in account(ready)] == [None]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for", "sinf"), "--for sinf: there is no such command; there are collective, disagree,"),
        ((), "Missing option '--for'"),
        (("--for", "sinfo", "--nonsense"), "No such option: --nonsense"),
    ],
)
def test_check_needs_a_command_and_its_options(run: Run, folder: Path, words: tuple[str, ...], said: str) -> None:
    assert folder.exists()
    ended = run("check", "outs", "refs", *words)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


def test_check_ends_as_the_run_would(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", [("Idiom", "text"), (IDIOMS[0], "x")])
    assert ready.run("check", "outs", "refs", "--for", "sinfo").code == 4
    ready.model("good")
    assert ready.run("check", "outs", "refs", "--for", "sinfo").code == 3


# --- said once -------------------------------------------------------------------------------------------------------


def test_one_cause_in_many_sheets_is_said_once_with_its_count_and_listed_in_full(ready: Place) -> None:
    ready.model("good")
    bad = [("Idiom", "text"), (IDIOMS[0], "x")]
    for number in range(4):
        write_csv(ready.outs / f"bad{number}.csv", bad)
    ended = ready.score()
    assert ended.code == 3
    (line,) = [line for line in ended.err.splitlines() if "no column Prediction" in line]
    assert line.startswith("sheet skipped: outs/bad0.csv[Sheet1]: ")
    assert line.endswith(" (and 3 more like it)")
    assert [each["file"] for each in ready.problems("missing-column")] == [f"bad{number}.csv" for number in range(4)]
    verbose = ready.score("-v").err.splitlines()
    assert len([line for line in verbose if "no column Prediction" in line]) == 4


def test_notes_of_one_cause_are_said_once(ready: Place) -> None:
    for number in range(3):
        write_csv(ready.outs / f"m{number}.csv", [("Idiom", "answer"), *ANSWERS.items()])
    ready.model("n0")
    ready.model("n1")
    ended = ready.score("--column", "Prediction=answer")
    assert ended.code == 0
    (line,) = [line for line in ended.err.splitlines() if "which --column names" in line]
    assert line.endswith("; 'Prediction' was taken (and in 1 more place)")
    assert len(ready.problems("renaming")) == 2


def test_rows_of_one_cause_are_said_once_per_sheet_and_every_row_is_listed(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", [*answers(), *[("", "x")] * 5])
    ended = ready.score()
    (line,) = [line for line in ended.err.splitlines() if "the key is empty" in line]
    assert line.endswith("(4 more rows like this)")
    assert [each["row"] for each in ready.problems("empty-key")] == ["5", "6", "7", "8", "9"]


# --- little got through ----------------------------------------------------------------------------------------------


def known(of: int, rows: int = 4) -> list[tuple[str, str]]:
    """A table of which so many rows have a reference."""
    return [("Idiom", "Prediction"), *((IDIOMS[n % 3] if n < of else f"unheard {n}", "x") for n in range(rows))]


def test_less_than_half_is_never_ok(ready: Place) -> None:
    for scored in (1, 2, 3):
        write_csv(ready.outs / f"m{scored}.csv", known(scored))
    ended = ready.score()
    assert ended.code == 0
    assert {model: line["Status"] for model, line in ready.results().items()} == {
        "m1": "partial",
        "m2": "ok",
        "m3": "ok",
    }
    shown = {line.split()[0]: line.split()[-1] for line in ended.out.splitlines()[2:5]}
    assert shown == {"m1": "partial", "m2": "ok", "m3": "ok"}


def test_coverage_can_be_a_gate(ready: Place) -> None:
    write_csv(ready.outs / "few.csv", known(2))
    write_csv(ready.outs / "all.csv", known(4))
    ended = ready.score("--min-coverage", "0.9")
    assert ended.code == 10
    assert "gate: few: 50.0% of its rows got a score, less than 90.0%" in ended.err.splitlines()
    assert not [line for line in ended.err.splitlines() if line.startswith("gate: all")]
    assert len(ready.results()) == 2  # written all the same
    assert ready.score("--min-coverage", "0.5").code == 0
    assert ready.score("--min-coverage", "0.9", "--dry-run").code == 10


def test_a_model_that_failed_does_not_pass_the_gate(ready: Place) -> None:
    ready.model("good")
    write_bytes(ready.outs / "bad.csv", b"Idiom\nx\n")
    ended = ready.score("--min-coverage", "0.5")
    assert ended.code == 10
    assert "gate: bad: none of its rows got a score, less than 50.0%" in ended.err.splitlines()


@pytest.mark.parametrize("share", ["90", "1.01", "-1", "nan"])
def test_a_share_that_is_none_is_a_usage_error(ready: Place, share: str) -> None:
    ready.model("m")
    ended = ready.score("--min-coverage", share)
    assert ended.code == 2
    assert "--min-coverage cannot be" in ended.err


@pytest.mark.usefixtures("workbooks")
def test_the_gate_names_a_model_that_a_column_names(ready: Place) -> None:
    head, *rows = known(2)
    write_csv(ready.outs / "all.csv", [(*head, "model"), *((*row, "ab"[n > 1]) for n, row in enumerate(rows))])
    ended = ready.score("--min-coverage", "1")
    assert ended.code == 10
    assert "gate: b: 0.0% of its rows got a score, less than 100.0%" in ended.err.splitlines()
    (line,) = [each for each in read_csv(ready.res / "s_info_results.csv") if each["Model Name"] == "b"]
    assert line["Status"] == "unscored"
    assert [each["Model Name"] for each in paged(ready.res / "s_info_results.xlsx", "Summary")] == ["a", "b"]
