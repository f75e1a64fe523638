"""Which scores are on the scale, and what becomes of the others?"""

from __future__ import annotations

from pathlib import Path

import pytest

from scoresheet.cli.report.page import Column
from scoresheet.cli.terminal.tables import text_table
from tests.helpers.disagree import Row, Study, alike, items, judged, listed, problems, read, results, signature, spread
from tests.helpers.files import read_csv, sheet_text, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import paged

pytestmark = pytest.mark.usefixtures("no_workbooks")

SCORES = [("item", "ann", "bob", "cleo"), ("q1", 1, 2, 1), ("q2", 4, 5, 4), ("q3", 3, 3, 3), ("q4", 2, 2, 1)]


def test_whoever_declared_a_scale_is_not_asked_to_declare_one(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [*SCORES, ("q5", 55, 2, 3)])
    assert "Declare yours with --scale" in run("disagree", "outs", "-o", "res").err
    told = run("disagree", "outs", "-o", "res", "--scale", "1:5").err
    assert "Correct these cells" in told
    assert "Declare" not in told


def test_advice_on_a_score_that_is_no_number_fits_it(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, 'item,judge,score|q1,a,0.5|q1,b,0.6|q2,a,"0,7"|q2,b,0.1').code == 0
    assert "with a point" in problems(tmp_path, "bad-score")[0]


@pytest.mark.usefixtures("workbooks")
def test_scores_of_judges_stand_on_the_scale_of_the_mean_on_the_page_and_in_the_csv(run: Run, tmp_path: Path) -> None:
    rows = {"q1": (4, 4, 7), "q2": (8, 3, 3), "q3": (2, 2, 9), "q4": (10, 7, 1)}
    text = "|".join(["item,ann,bob,cleo", *(f"{item},{a},{b},{c}" for item, (a, b, c) in rows.items())])
    assert judged(run, tmp_path, text, "--scale", "1:10").code == 0
    assert [float(item["Min"]) for item in items(tmp_path)] == [(min(each) - 1) / 9 for each in rows.values()]
    lines = paged(tmp_path / "out" / "m_disagreement.xlsx", "Sheet1")
    for place, judge in enumerate(("ann", "bob", "cleo")):
        wanted = [(each[place] - 1) / 9 for each in rows.values()]
        assert [line[f"Score_{judge}"] for line in lines] == pytest.approx(wanted)
        assert [float(item[f"Score_{judge}"]) for item in items(tmp_path)] == wanted


def test_a_row_that_loses_its_only_score_is_not_scored(run: Run, tmp_path: Path) -> None:
    long = "item,judge,score|q1,a,.5|q1,b,7|q2,a,.4|q2,b,.6"
    assert judged(run, tmp_path, long, "--out-of-scale", "blank").code == 0
    assert [(line["row"], line["effect"]) for line in listed(tmp_path, "out-of-scale")] == [("3", "row not scored")]
    wide = "item,a,b|q1,.5,7|q2,8,9|q3,.4,.6"
    assert judged(run, tmp_path, wide, "--out-of-scale", "blank").code == 0
    found = [(line["row"], line["effect"]) for line in listed(tmp_path, "out-of-scale")]
    assert sorted(found) == [("2", "note"), ("3", "row not scored"), ("3", "row not scored")]
    assert (results(tmp_path)["Rows"], results(tmp_path)["Scored"]) == ("3", "2")
    assert judged(run, tmp_path, long, "--out-of-scale", "clip").code == 0
    assert {line["effect"] for line in listed(tmp_path, "out-of-scale")} == {"note"}


@pytest.mark.usefixtures("workbooks")
def test_ranges_are_signed_with_all_their_digits(run: Run, tmp_path: Path) -> None:
    options = ("--scale", "0:1000001", "--recommend", "0.3333333:0.9")
    assert judged(run, tmp_path, "item,a,b|q1,1,2|q2,8,9", *options).code == 0
    assert "scale:0:1000001|" in signature(tmp_path)
    assert "recommend:0.3333333:0.9" in signature(tmp_path)
    assert "0 to 1000001" in sheet_text(tmp_path / "out" / "m_disagreement.xlsx", "About")


def test_labels_are_signed_without_a_scale(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,x,y|q2,x,x", "--level", "nominal").code == 0
    assert "scale" not in signature(tmp_path)


# --- edges ------------------------------------------------------------------------------------------------------------


def test_an_overall_score_at_the_end_of_what_is_recommended_is_recommended(study: Study) -> None:
    study.panel([("item", "a", "b", "c", "d"), ("q1", 2.8, 6.4, 2.79, 6.41)])  # 2.8 of 1 to 7 is 0.3, and 6.4 is 0.9
    assert study.score("--scale", "1:7", "--robust-threshold", "100").code == 0
    assert study.item()["Recommended"] == "a; b"


def test_the_ends_of_the_scale_are_on_it(study: Study) -> None:
    study.panel([("item", "a", "b"), ("q1", 0, 1), ("q2", "1.0", "1e0")])
    assert study.score("--strict").code == 0
    assert alike(read(study.item("q2")), spread([1, 1]))


def test_an_overall_score_that_rounding_moves_off_the_scale_is_no_reason_to_refuse(study: Study) -> None:
    rows: list[Row] = [("q1", judge, *([1] * 3), weight) for judge, weight in (("a", 0.1), ("b", 0.7), ("c", 0.3))]
    study.panel([("item", "judge", "x", "y", "z", "confidence"), *rows])
    assert study.score().code == 0
    assert (study.value("Max"), study.value("Variance"), study.value("Consensus")) == (1, 0, 1)


def test_nothing_is_ever_minus_nothing(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("item", "a", "b"), ("q1", "-0", 0.5), ("q2", 0.5, 0.5)])
    assert run("disagree", "outs", "-o", "res").code == 0
    assert read_csv(tmp_path / "res/m_disagreement.csv")[0]["Min"] == "0.0"
    assert text_table((Column("CI_High", "", "score"),), [[-2e-16]]).split("\n")[-1].strip() == "0.000"
