"""What people do at a first try, and what they must be told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run

OUTPUTS = "Idiom,Prediction\na,one two\nb,four five\n"


def _scores(study: Path, model: str = "good", out: str = "res") -> list[str]:
    return (study / out / f"{model}_s_info.csv").read_text(encoding="utf-8").splitlines()[1:]


def test_a_named_encoding_is_for_files_that_are_not_utf8(run: Run, study: Path) -> None:
    (study / "outs/old.csv").write_bytes("Idiom,Prediction\nden Löffel abgeben,er stürbe\n".encode("cp1252"))
    (study / "outs/good.csv").write_text("Idiom,Prediction\nden Löffel abgeben,er stürbe\n", encoding="utf-16")
    (study / "refs/r.csv").write_text("idiom,explanation\nden Löffel abgeben,er stürbe\n", encoding="utf-8")
    refused = run("sinfo", "outs", "refs", "-o", "res")
    assert refused.code == 3
    assert "cp1252 would read it 'den Löffel abgeben,er stürbe'" in refused.err
    assert "cp1252 would read it" in refused.err
    assert run("sinfo", "outs", "refs", "-o", "res", "--encoding", "cp1252").code == 0
    assert _scores(study, "old") == _scores(study, "good") == ["Sheet1,2,den Löffel abgeben,1.0,1.0,1.0"]


def test_reports_left_by_earlier_runs_are_named_until_they_are_pruned(run: Run, study: Path) -> None:
    (study / "outs/n.csv").write_text(OUTPUTS, encoding="utf-8")
    run("sinfo", "outs", "refs", "-o", "res")
    (study / "outs/n.csv").unlink()
    for _ in range(3):
        assert "res/n_s_info.xlsx: not of this run" in run("sinfo", "outs", "refs", "-o", "res").err
    assert "res/n_s_info.xlsx: removed" in run("sinfo", "outs", "refs", "-o", "res", "--prune").err
    assert not (study / "res/n_s_info.xlsx").exists()
    assert "n_s_info" not in run("sinfo", "outs", "refs", "-o", "res").err


def test_a_misspelt_header_never_scores_another_column(run: Run, study: Path) -> None:
    (study / "outs/good.csv").write_text("Idiom,Prediction,answer\na,one two,x\n", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", "--column", "Prediction=anwser")
    assert done.code == 4
    assert "no column 'anwser', which --column names as Prediction; did you mean 'answer'?" in done.err


def test_a_key_may_have_the_users_name_on_one_side_only(run: Run, study: Path) -> None:
    (study / "outs/good.csv").write_text("成语,Prediction\na,one two\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--column", "Idiom=成语").code == 0


@pytest.mark.usefixtures("study")
def test_a_column_named_twice_is_a_usage_error(run: Run) -> None:
    done = run("sinfo", "outs", "refs", "--column", "Prediction=a", "--column", "Prediction=b")
    assert done.code == 2
    assert "already" in done.err


def test_a_limit_counts_for_each_sheet_of_a_csv_too(run: Run, study: Path) -> None:
    rows = "".join(f"{sheet},a,one two\n" for sheet in "xxxyyy")
    (study / "outs/good.csv").write_text("Sheet,Idiom,Prediction\n" + rows, encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", "--limit", "2")
    assert [line.split(",")[:2] for line in _scores(study)] == [["x", "2"], ["x", "3"], ["y", "5"], ["y", "6"]]
    assert "only the first 2 rows" in done.err


@pytest.mark.parametrize("place", ["nowhere/x.log", "outs"])
def test_a_log_that_cannot_be_written_is_said_before_anything_is_done(place: str, run: Run, study: Path) -> None:
    done = run("sinfo", "outs", "refs", "-o", "res", "--log-file", place)
    assert done.code == 2
    assert f"--log-file {place}" in done.err
    assert not (study / "res").exists()


def test_the_log_tells_runs_and_their_ends_apart(run: Run, study: Path) -> None:
    run("sinfo", "outs", "refs", "-o", "res", "-q", "--log-file", "x.log")
    run("sinfo", "outs", "nowhere", "-o", "res", "-q", "--log-file", "x.log")
    lines = [line.split(" ", 1)[1] for line in (study / "x.log").read_text(encoding="utf-8").splitlines()]
    assert lines[0] == "scoresheet sinfo outs refs -o res -q --log-file x.log"
    assert lines[1] == "exit code 0"
    assert lines[3].startswith("Error: nowhere: no such file or folder")
    assert lines[3].endswith("exit code 2")


@pytest.mark.usefixtures("study")
def test_results_are_never_taken_for_models(run: Run) -> None:
    run("sinfo", "outs", "refs", "-o", "outs/first")
    done = run("sinfo", "outs", "refs", "-o", "second", "-v")
    assert done.code == 0
    assert "first: the results of an earlier run" in done.err
    for place in ("second", "outs"):
        refused = run("sinfo", place, "refs", "-o", place)
        assert refused.code == 2
        assert "folder of results" in refused.err


@pytest.mark.parametrize("arguments", [["--dry-run"], []])
def test_nobody_is_sent_to_a_file_that_was_not_written(arguments: list[str], run: Run, study: Path) -> None:
    (study / "refs/r.csv").write_text("idiom,explanation\nz,nothing\n", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", *arguments)
    assert done.code == 4
    assert "problems.csv" not in done.err


def test_when_no_reference_can_be_read_only_that_is_said(run: Run, study: Path) -> None:
    (study / "refs/r.csv").write_text("idiom,explantion\na,one\n", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 4
    assert "did you mean 'explantion'?" in done.err
    assert "row not scored" not in done.err


@pytest.mark.parametrize("key", ["A", "ａ", " a.", "“a”"])
def test_a_key_that_nearly_matches_is_suggested(key: str, run: Run, study: Path) -> None:
    (study / "outs/good.csv").write_text(f"Idiom,Prediction\n{key},one two\nb,four\n", encoding="utf-8")
    assert f"no reference for {key.strip()!r}; did you mean 'a'?" in run("sinfo", "outs", "refs", "-o", "res").err


@pytest.mark.usefixtures("study")
def test_a_sheet_pattern_that_matches_nothing_is_said(run: Run) -> None:
    done = run("sinfo", "outs", "refs", "-o", "res", "--sheet", "nosuch*", "-v")
    assert done.code == 4
    assert "no sheet of this model is left by --sheet" in done.err


def test_without_arguments_and_without_the_sample_folders_the_way_on_is_said(run: Run) -> None:
    done = run("sinfo")
    assert done.code == 2
    assert "scoresheet sinfo OUTPUTS REFERENCES" in done.err


def test_the_manifest_records_variables_that_set_options(
    run: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORESHEET_MISSING", "zero")
    run("sinfo", "outs", "refs", "-o", "res")
    manifest = json.loads((study / "res/manifest.json").read_text(encoding="utf-8"))
    assert manifest["variables"] == {"SCORESHEET_MISSING": "zero"}
    assert "missing:zero" in manifest["signature"]


def test_a_sheet_with_one_idiom_has_no_interval_of_its_own(run: Run, study: Path) -> None:
    (study / "outs/good.csv").write_text("Sheet,Idiom,Prediction\nx,a,one two\nx,b,four\ny,a,one\n", encoding="utf-8")
    run("sinfo", "outs", "refs", "-o", "res")
    sheets = json.loads((study / "res/metrics.json").read_text(encoding="utf-8"))["good"]["Sheets"]
    assert sheets["y"]["CI_Low"] is None
    assert sheets["x"]["CI_Low"] is not None


def test_a_json_dry_run_says_that_it_was_one(run: Run, study: Path) -> None:
    answer = json.loads(run("sinfo", "outs", "refs", "-o", "res", "--json", "--dry-run").out)
    assert answer["dry_run"] is True
    assert answer["files"] == []
    assert not (study / "res").exists()
