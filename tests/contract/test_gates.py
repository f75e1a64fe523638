"""Gates: what is understood, what is refused before anything is read or written, and that all places agree."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import write_bytes, write_csv
from tests.helpers.runs import Result, Run, called_in
from tests.helpers.soak import examples
from tests.helpers.studies import ANSWERS, Place

HALF = ANSWERS | {"break the ice": ""}


@pytest.fixture
def ready(place: Place) -> Place:
    """Three models: one with everything right, one with a row missing, one that cannot be read."""
    place.references(ANSWERS)
    place.model("good")
    place.model("half", HALF)
    write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    return place


def gates(place: Place) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((place.res / "manifest.json").read_text("utf-8"))["gates"]
    return found


def said(ended: Result) -> list[str]:
    return [line.removeprefix("gate: ") for line in ended.err.splitlines() if line.startswith("gate: ")]


@pytest.mark.parametrize(
    ("condition", "failing"),
    [
        ("S_Info<0.7", {"bad"}),
        ("S_Info>=1", {"good", "half", "bad"}),
        ("Coverage<1", {"half", "bad"}),
        ("Coverage == 1", {"good", "bad"}),
        ("Scored<=2", {"half", "bad"}),
        ("Status!=ok", {"bad"}),
        ("Status==ok", {"good", "half", "bad"}),
        ("half:Coverage<1", {"half"}),
        ("good:Coverage<1", set()),
        ("CI_Low<0", {"good", "half", "bad"}),  # three idioms have no interval: undefined
        ("CI_Low>=0", {"good", "half", "bad"}),
    ],
)
def test_a_condition_fails_the_models_that_meet_it_and_those_without_a_value(
    ready: Place, condition: str, failing: set[str]
) -> None:
    ended = ready.score("--fail-if", condition)
    assert ended.code == (10 if failing else 3)
    assert {line.partition(":")[0] for line in said(ended)} == failing
    assert {str(each["model"]) for each in gates(ready) if each["failed"]} == failing
    assert {each["gate"] for each in gates(ready)} == {condition}


def test_the_verdict_names_gate_model_value_and_limit(ready: Place) -> None:
    ended = ready.score("--fail-if", "Coverage<0.9", "--json")
    (verdict,) = [each for each in json.loads(ended.out)["gates"] if each["model"] == "half"]
    assert verdict == {
        "gate": "Coverage<0.9",
        "model": "half",
        "value": pytest.approx(2 / 3),
        "limit": 0.9,
        "failed": True,
        "why": "Coverage is 0.666667 (fails if Coverage<0.9)",
    }
    assert "half: Coverage is 0.666667 (fails if Coverage<0.9)" in said(ended)
    assert "bad: failed, so that it has no results (fails if Coverage<0.9)" in said(ended)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("S_Inf<0.7", ("'S_Inf' can be no column", "did you mean 'S_Info'?")),
        ("good:S_inf<0.7", ("did you mean 'S_Info'?",)),
        ("zzzzzz<1", ("can be no column", "there are S_Info")),
        ("S_Info=0.7", ("a gate is a column",)),
        ("S_Info", ("a gate is a column",)),
        ("<0.7", ("a gate is a column",)),
        ("S_Info<", ("a gate is a column",)),
        ("S_Info<high", ("holds numbers, and 'high' is none",)),
        ("S_Info<nan", ("holds numbers, and 'nan' is none",)),
        ("Status<ok", ("holds words",)),
        ("Model Name==good", ("can be no column",)),
    ],
)
def test_what_can_be_no_gate_is_refused_before_anything_is_read(
    place: Place, condition: str, words: tuple[str]
) -> None:
    ended = place.score("--fail-if", condition)  # there are no files at all
    assert ended.code == 2
    assert [word for word in (*words, "--fail-if") if word not in ended.err] == []
    assert "no such" not in ended.err


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("godo:S_Info<0.7", ("no model here is called 'godo'", "did you mean 'good'?")),
        ("a:b:S_Info<0.7", ("no model here is called 'a:b'", "there are ")),
    ],
)
def test_a_model_that_turns_out_not_to_be_there_is_refused_before_anything_is_written(
    ready: Place, condition: str, words: tuple[str]
) -> None:
    ended = ready.score("--fail-if", condition)
    assert ended.code == 2
    assert [word for word in words if word not in ended.err] == []
    assert not (ready.res / "manifest.json").exists()


def test_a_column_that_a_run_may_have_is_refused_where_it_has_not(run: Run, tmp_path: Path) -> None:
    choices = [("level", "parent", "choice"), *[(0, "", "a"), (0, "", "b")] * 8]
    write_csv(tmp_path / "outs/m.csv", choices)
    assert run("mode-collapse", "outs", "-o", "res", "--fail-if", "Level_1_Gini>0.9").code == 2
    assert not (tmp_path / "res").exists()
    ended = run("mode-collapse", "outs", "-o", "res", "--fail-if", "Level_x_Gini>0.9")
    assert "can be no column" in ended.err


def test_the_longest_model_name_that_fits_counts(place: Place) -> None:
    place.references(ANSWERS)
    place.model("a")
    place.model("a_b", HALF)
    write_csv(place.outs / "more.csv", [("model", "Idiom", "Prediction"), *(("a:b", *pair) for pair in HALF.items())])
    ended = place.score("--fail-if", "a:b:Coverage<1", "--fail-if", "a:Coverage<1")
    assert [line.partition(": ")[0] for line in said(ended)] == ["a:b"]


def test_all_kinds_of_gates_go_through_one_list(ready: Place) -> None:
    ended = ready.score("--fail-if", "Scored<3", "--min-coverage", "0.5", "--json")
    told = json.loads(ended.out)
    assert told["gates"] == gates(ready)
    assert {each["gate"] for each in told["gates"]} == {"Scored<3", "--min-coverage 0.5"}
    assert [(each["model"], each["failed"]) for each in told["gates"] if each["gate"].startswith("--min")] == [
        ("good", False),
        ("half", False),
        ("bad", True),
    ]


def test_gates_that_hold_are_said_to(place: Place) -> None:
    place.references()
    place.model("m")
    ended = place.score("--fail-if", "Coverage<1")
    assert ended.code == 0
    assert "every gate holds (1 checked)" in ended.err


def test_a_worse_code_goes_before_a_gate_and_the_gate_is_told_all_the_same(place: Place) -> None:
    place.references({"another": "one"})
    place.model("m")
    ended = place.score("--fail-if", "S_Info<0.5")
    assert ended.code == 4
    assert said(ended)
    assert "exit code 4, which goes before 10" in ended.err


CONDITIONS = st.lists(
    st.sampled_from(
        ["S_Info<0.5", "S_Info>2", "Coverage<1", "Rows!=3", "half:Scored==2", "Status!=ok", "good:Rank>1", "CI_High>9"]
    ),
    unique=True,
    max_size=4,
)


@examples(12)
@given(
    conditions=CONDITIONS,
    least=st.sampled_from(["0", "0.6", "0.9"]),
    bad=st.booleans(),
    strict=st.booleans(),
    worse=st.booleans(),
)
def test_the_printed_verdict_json_manifest_junit_and_exit_code_agree(
    tmp_path_factory: pytest.TempPathFactory, conditions: list[str], least: str, bad: bool, strict: bool, worse: bool
) -> None:
    folder = tmp_path_factory.mktemp("gates")
    place = Place(folder, called_in(folder))
    place.references(ANSWERS)
    place.model("good")
    place.model("half")
    assert place.score(res="before").code == 0
    place.model("half", HALF)
    if bad:
        write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    words = [word for condition in conditions for word in ("--fail-if", condition)]
    words += ["--strict"] if strict else []
    words += ["--baseline", "before", "--fail-if-worse"] if worse else []
    ended = place.score(*words, "--min-coverage", least, "--json", "--junit", "gates.xml")
    told = json.loads(ended.out)
    record = json.loads((place.res / "manifest.json").read_text("utf-8"))
    assert told["gates"] == record["gates"]
    assert ended.code == told["exit_code"] == record["exit_code"]
    failed = [each for each in told["gates"] if each["failed"]]
    assert (ended.code == 10) == bool(failed)
    assert sorted(said(ended)) == sorted(f"{each['model']}: {each['why']}" for each in failed)
    cases = ET.parse(folder / "gates.xml").getroot().findall(".//testcase")
    judged = [case for case in cases if case.get("name") != "scored"]
    assert len(judged) == len(told["gates"])
    assert sum(case.find("failure") is not None for case in judged) == len(failed)
    for each in told["gates"]:
        if isinstance(each["value"], float):
            assert math.isfinite(each["value"])
