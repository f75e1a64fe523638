"""Gates and baselines: what passes, fails or is undecided, the same in every report."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Result, Study

ITEMS = [f"q{n}" for n in range(20)]
GOOD = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.5, 0.9, 0.7, 0.8] * 2
BAD = [score - 0.2 - n / 100 for n, score in enumerate(GOOD)]
R = "results/scores"


def write(study: Study, **models: list[float]) -> None:
    """Write the scores of each model as a file in the folder s, and remove the others."""
    for old in (study.folder / "s").glob("*"):
        old.unlink()
    for name, values in models.items():
        study.csv(f"s/{name}.csv", "item,score", list(zip(ITEMS, values, strict=False)))


def gates(study: Study, *typed: str) -> tuple[int, list[dict[str, Any]]]:
    result = study.run("scores", "s", "--bounds", "0:1", "--format", "json", *typed)
    content = json.loads(result.out)
    assert content["exit_code"] == result.code
    return result.code, content["gates"]


@pytest.mark.parametrize(
    ("condition", "code", "states"),
    [
        ("Score<0.5", 10, "passed failed"),
        ("Score <= 0.5", 10, "passed failed"),
        ("Score>0.5", 10, "failed passed"),
        ("Score>=2", 0, "passed passed"),
        ("Score.high<0.7", 10, "passed failed"),
        ("Score.low<0.7", 10, "failed failed"),
        ("Coverage<0.9", 0, "passed passed"),
        ("Scored!=20", 0, "passed passed"),
        ("Status!=ok", 0, "passed passed"),
        ("Status==ok", 10, "failed failed"),
        ("Status==0.5", 0, "passed passed"),
        ("good:Score<0.5", 0, "passed"),
        ("bad:Score<0.5", 10, "failed"),
        ("gone:Score<0.5", 10, "failed"),
        ("Change.low<-0.02", 0, "undecided undecided"),
    ],
)
def test_a_condition_that_is_true_fails(
    study: Study, condition: str, code: int, states: str
) -> None:
    write(study, good=GOOD, bad=BAD)
    found, listed = gates(study, "--fail-if", condition)
    by_name = sorted(listed, key=lambda gate: str(gate["model"]), reverse=True)
    assert (found, " ".join(gate["state"] for gate in by_name)) == (code, states)
    manifest = study.json(f"{R}/manifest.json")
    assert (manifest["gates"], manifest["exit_code"]) == (listed, code)


@pytest.mark.parametrize(
    ("command", "condition", "says"),
    [
        ("sinfo", "S_Inof<0.7", "did you mean S_Info?"),
        ("sinfo", "S_Info.hgih<0.7", "S_Info.hgih is not a column"),
        ("sinfo", "S_Info=0.7", "one of < <= > >= == !="),
        ("sinfo", "S_Info<high", "high is not a number"),
        ("sinfo", "S_Info<nan", "nan is not a number"),
        ("sinfo", "Status<1x", "1x is not a number"),
        ("sinfo", "Alerts>0", "Alerts is not a column"),
        ("diversity", "alpha_nDCG@7<0.2", "did you mean alpha_nDCG@"),
        ("diversity", "ILD<0.2", "did you mean ILD@"),
    ],
)
def test_an_unknown_name_is_refused_before_anything_is_read(
    study: Study, command: str, condition: str, says: str
) -> None:
    result = study.run(command, "nowhere", "nowhere", "--fail-if", condition)
    assert (result.code, says in result.text) == (2, True), result.err
    assert "no file or folder" not in result.text


def test_a_name_that_only_the_data_can_have_is_refused_before_anything_is_written(
    study: Study,
) -> None:
    write(study, good=GOOD)
    result = study.run("scores", "s", "--fail-if", "Scroe<0.5")
    assert (result.code, "did you mean Score" in result.text) == (2, True)
    assert not (study.folder / R / "manifest.json").exists()


def test_too_few_units_are_undecided_and_other_undefined_values_fail(study: Study) -> None:
    write(study, few=GOOD[:4])
    code, [gate] = gates(study, "--fail-if", "Score.high<0.7")
    assert (code, gate["state"]) == (0, "undecided")
    assert gate["note"] == "no interval: 4 units, at least 6 are needed"
    study.text("s/broken.csv", b"\xff\xfe\x00")
    code, listed = gates(study, "--fail-if", "Score<0.7")
    assert code == 10
    broken = next(gate for gate in listed if gate["model"] == "broken")
    assert (broken["state"], broken["value"], broken["note"]) == ("failed", None, "undefined")


def junit(study: Study, name: str = "j.xml") -> dict[str, str]:
    """Return the result of each test of a JUnit file: its element, empty where it passed."""
    root = ElementTree.parse(study.folder / name).getroot()
    cases = list(root.iter("testcase"))
    for suite in root.iter("testsuite"):
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[count]) == len(list(suite.iter(tag)))
    return {case.attrib["name"]: case[0].tag if len(case) else "" for case in cases}


def test_screen_json_junit_manifest_and_exit_code_agree(study: Study) -> None:
    write(study, good=GOOD, bad=BAD)
    typed = ["--fail-if", "Score<0.5", "--fail-if", "Change<0", "--junit", "j.xml"]
    result = study.run("scores", "s", *typed)
    assert result.code == 10
    assert "gate failed: Score<0.5: bad" in result.text
    assert "gate undecided: Change<0: good (no baseline yet" in result.text
    assert "1 of 4 gates passed" in result.text
    assert junit(study) == {
        "scored": "",
        "Score<0.5: good": "",
        "Score<0.5: bad": "failure",
        "Change<0: good": "skipped",
        "Change<0: bad": "skipped",
    }
    quiet = study.run("scores", "s", "-q", *typed)
    assert quiet.err.startswith("gate failed: Score<0.5: bad")
    assert "undecided" not in quiet.err


def test_a_junit_file_is_never_left_from_an_earlier_run(study: Study) -> None:
    write(study, good=GOOD)
    assert study.run("scores", "s", "--junit", "j.xml").code == 0
    assert junit(study) == {"scored": ""}
    assert study.run("scores", "gone", "--junit", "j.xml").code == 2
    assert junit(study) == {"scored": "error"}
    mine = study.text("s/mine.csv", "item,score\n")
    assert study.run("scores", "s", "--junit", "s/mine.csv").code == 2
    assert mine.read_text() == "item,score\n"
    assert study.run("scores", "s", "--junit", "s").code == 2


def test_a_junit_file_holds_any_name(study: Study) -> None:
    write(study, **{"a\x07<&>'b": GOOD})
    assert study.run("scores", "s", "--junit", "j.xml", "--fail-if", "Score<2").code == 10
    assert junit(study) == {"scored": "", "Score<2: a\ufffd<&>'b": "failure"}


# --- baseline -------------------------------------------------------------------------------


def night(study: Study, *typed: str) -> Result:
    return study.run("scores", "s", "--baseline", "base", "--fail-if-worse", *typed)


@pytest.fixture
def baseline(study: Study) -> Study:
    """Two models whose results are the baseline."""
    write(study, a=GOOD, b=BAD)
    assert study.run("scores", "s", "-o", "base").code == 0
    return study


WORSE = [score - 0.1 - n / 500 for n, score in enumerate(GOOD)]


@pytest.mark.parametrize(
    ("models", "typed", "code", "says"),
    [
        ({"a": GOOD, "b": BAD}, [], 0, "2 of 2 gates passed"),
        ({"a": WORSE, "b": BAD}, [], 10, "fail-if-worse: a -0.119 (change beyond chance)"),
        ({"a": WORSE, "b": BAD}, ["--lower-is-better", "Score"], 2, "made in another way: lower"),
        ({"a": GOOD}, [], 10, "fail-if-worse: b (missing, the baseline has its results)"),
        ({"a": GOOD[:18], "b": BAD}, [], 10, "a 0.1 (10.0% of the units that the baseline has"),
        ({"a": GOOD[:19], "b": BAD}, [], 0, "2 of 2 gates passed"),
        ({"a": GOOD, "b": BAD, "c": GOOD}, [], 0, "2 of 2 gates passed"),
        ({"a": [*GOOD[:-1], 0.1], "b": BAD}, [], 0, "undecided: fail-if-worse: a (no test: 1"),
    ],
)
def test_a_model_is_worse_beyond_chance_missing_or_has_lost_units(
    baseline: Study, models: dict[str, list[float]], typed: list[str], code: int, says: str
) -> None:
    write(baseline, **models)
    result = night(baseline, *typed)
    assert (result.code, says in result.text) == (code, True), result.err


def test_a_baseline_without_a_unit_or_measure_in_common_fails(baseline: Study) -> None:
    for name in "ab":
        rows = list(zip(ITEMS, GOOD, strict=True))
        baseline.csv(f"s/{name}.csv", "item,bleu", rows)
    result = night(baseline, "--column", "measure=@header:bleu", "--fail-if", "Change<-1")
    assert (result.code, "a 1 (100.0% of the units" in result.text) == (10, True), result.err
    assert "Change<-1: a (no shared units)" in result.text


def test_the_change_is_in_the_results_with_its_interval(baseline: Study) -> None:
    write(baseline, a=WORSE, b=BAD, c=GOOD)
    result = night(baseline, "--fail-if", "Change.low<-0.02")
    assert "Change in Score since base" in result.out
    rows: Any = baseline.results(R).to_dict("index")
    assert rows["a"]["Change"] == pytest.approx(-0.119)
    assert rows["a"]["Change_Low"] < -0.119 < rows["a"]["Change_High"] < 0
    assert [rows["b"][name] for name in ("Change", "Change_Low", "Change_High")] == [0, 0, 0]
    assert rows["c"]["Change_Note"] == "not in the baseline"
    states = {g["model"]: g["state"] for g in baseline.json(f"{R}/manifest.json")["gates"][:3]}
    assert states == {"a": "failed", "b": "passed", "c": "undecided"}


def test_a_baseline_that_is_not_there_yet_is_undecided_and_a_damaged_one_refused(
    study: Study,
) -> None:
    write(study, a=GOOD)
    assert "fail-if-worse: a (no baseline yet: base)" in night(study).text
    (study.folder / "base").mkdir()
    assert night(study).code == 0
    study.text("base/scores_results.csv", "Model Name\n")
    assert "base holds no results" in night(study).text
    assert study.run("scores", "s", "--fail-if-worse").code == 2
    assert study.run("scores", "s", "-o", "whole").code == 0
    (study.folder / "whole/a_scores.csv").unlink()
    assert "not whole: a_scores.csv" in study.run("scores", "s", "--baseline", "whole").text
    own = study.run("scores", "s", "--baseline", R)
    assert (own.code, "is the results folder of this run" in own.text) == (2, True)


def test_make_is_green_again_after_good_data_without_cleaning_up(baseline: Study) -> None:
    """With .DELETE_ON_ERROR, make removes the target of a rule that failed: the manifest."""
    manifest = Path(baseline.folder / R / "manifest.json")
    write(baseline, a=WORSE, b=BAD)
    assert night(baseline, "--strict").code == 10
    manifest.unlink()
    write(baseline, a=GOOD, b=BAD)
    columns = ["--column", "score=score", "--column", "item=item"]
    assert night(baseline, "--strict", *columns).code == 0
    assert manifest.exists()
