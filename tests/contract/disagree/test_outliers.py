"""Who is an outlier, and by which rule?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.disagree import Study, items, judged, results
from tests.helpers.files import write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import paged

pytestmark = pytest.mark.usefixtures("no_workbooks")


def test_weights_alone_make_nobody_an_outlier(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,dimension,score,confidence"]
    for place, judge in enumerate("abcdef"):
        lines += [f"q{item},{judge},d{d},0.3,{0.1 + 0.13 * ((place + d) % 7)}" for item in range(4) for d in range(5)]
    assert judged(run, tmp_path, "|".join(lines)).code == 0
    assert {(item["Outliers"], item["Robust_Outliers"], item["Flags"]) for item in items(tmp_path)} == {("", "", "")}


def test_an_outlier_is_one_however_wide_the_declared_scale_is(run: Run, tmp_path: Path) -> None:
    text = "item,a,b,c,d,e,f|q1,3,3,3,3,3,9|q2,1,2,1,2,1,2"
    for scale in ("0:10", "0:1e13"):
        assert judged(run, tmp_path, text, "--scale", scale).code == 0
        assert [item["Outliers"] for item in items(tmp_path)] == ["f", ""]


@pytest.mark.usefixtures("workbooks")
def test_judges_who_differ_in_the_order_of_a_sum_do_not_differ(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,x,y,z"]
    for place in range(3):
        shift = place / 10
        lines += [f"q{place},a,{0.1 + shift},{0.2 + shift},{0.3 + shift}"]
        lines += [f"q{place},{judge},{0.3 + shift},{0.2 + shift},{0.1 + shift}" for judge in "bcdef"]
    for options in (("--mad-floor", "0"), ("--level", "ordinal")):
        assert judged(run, tmp_path, "|".join(lines), *options).code == 0
        assert float(results(tmp_path)["Alpha"]) == pytest.approx(1, abs=1e-12)
        for item in items(tmp_path):
            assert (float(item["Variance"]), item["Outliers"], item["Robust_Outliers"]) == (0, "", "")
    pairs = paged(tmp_path / "out" / "m_disagreement.xlsx", "Pairs")
    assert {pair["Agreement"] for pair in pairs if pair["Dimension"] == "Overall"} == {1}


# --- edges ------------------------------------------------------------------------------------------------------------


def test_a_value_at_its_threshold_has_not_crossed_it_whatever_binary_fractions_make_of_it(study: Study) -> None:
    at = {"q1": (0.35, 0.5, 0.65), "q2": (0.42, 0.6, 0.78), "q3": (0.21, 0.3, 0.39)}  # a CV of 0.3, consensus 0.4
    study.panel([("item", "a", "b", "c"), *((item, *scores) for item, scores in at.items())])
    assert study.score("--consensus-threshold", "0.4").code == 0
    assert [line["Flags"] for line in study.items()] == ["", "", ""]


@pytest.mark.usefixtures("workbooks")
def test_an_outlier_is_told_by_the_rule_that_found_it(run: Run, tmp_path: Path) -> None:
    scores = (0.58592, 0.6, 0.82064, 0.61891, 0.62321, 0.49053)
    write_csv(tmp_path / "outs/m.csv", [("item", *"abcdef"), ("q1", *scores), ("q2", *[0.1] * 6)])
    assert run("disagree", "outs", "-o", "res").code == 0
    flags = paged(tmp_path / "res/m_disagreement.xlsx", "Flags")
    assert "far from the mean: c; from the median: c, f" in [line["What"] for line in flags]
