"""`scoresheet disagree`: what a second look found wrong, each as it was met."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from scoresheet.metrics import alpha_interval, disagreement, intraclass_correlation, krippendorff_alpha
from tests.conftest import Result, Run


def table(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("|", "\n"), encoding="utf-8")


def judged(run: Run, tmp_path: Path, text: str, *options: str) -> Result:
    table(tmp_path / "in" / "m.csv", text)
    return run("disagree", "in", "-o", "out", *options)


def problems(tmp_path: Path, kind: str) -> list[str]:
    with (tmp_path / "out" / "problems.csv").open(encoding="utf-8") as file:
        return [line["message"] for line in csv.DictReader(file) if line["kind"] == kind]


def results(tmp_path: Path) -> dict[str, str]:
    with (tmp_path / "out" / "disagreement_results.csv").open(encoding="utf-8") as file:
        return next(csv.DictReader(file))


def items(tmp_path: Path) -> list[dict[str, str]]:
    with (tmp_path / "out" / "m_disagreement.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3, 1e6 / 7])
@pytest.mark.parametrize("shape", [(7, 3), (10, 2), (6, 6)])
def test_judges_who_all_say_the_same_of_everything_have_no_alpha_and_no_icc(
    value: float, shape: tuple[int, int]
) -> None:
    same = np.full(shape, value)
    assert all(math.isnan(krippendorff_alpha(same, level)) for level in ("nominal", "ordinal", "interval", "ratio"))
    assert math.isnan(intraclass_correlation(same).single)
    assert all(math.isnan(end) for end in alpha_interval(same))


def test_weights_alone_make_nobody_an_outlier(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,dimension,score,confidence"]
    for place, judge in enumerate("abcdef"):
        lines += [f"q{item},{judge},d{d},0.3,{0.1 + 0.13 * ((place + d) % 7)}" for item in range(4) for d in range(5)]
    assert judged(run, tmp_path, "|".join(lines)).code == 0
    assert {(item["Outliers"], item["Robust_Outliers"], item["Flags"]) for item in items(tmp_path)} == {("", "", "")}


def test_equal_sums_in_another_order_are_equal_scores_on_any_scale(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,x,y,z"]
    for item in range(5):
        lines += [f"q{item},a,100000.1,200000.2,300000.3", f"q{item},b,300000.3,200000.2,100000.1"]
    assert judged(run, tmp_path, "|".join(lines), "--scale", "0:400000", "--level", "ordinal").code == 0
    assert results(tmp_path)["Alpha"] == ""
    assert problems(tmp_path, "no-alpha") == ["alpha is undefined: all scores are the same"]


def test_the_overall_interval_is_empty_where_a_sheet_of_the_mean_has_none(run: Run, tmp_path: Path) -> None:
    sure = [f"A,q{item},{item / 30},{item / 30 + 0.001}" for item in range(30)]
    assert judged(run, tmp_path, "|".join(["Sheet,item,a,b", *sure, "B,q1,0.1,0.9"])).code == 0
    assert (results(tmp_path)["Alpha"] != "", results(tmp_path)["CI_Low"]) == (True, "")


@pytest.mark.parametrize("header", ["cultural_authenticity", "Cultural Authenticity", "cultural-authenticity"])
def test_strategies_weigh_a_dimension_however_its_name_is_written(run: Run, tmp_path: Path, header: str) -> None:
    text = f"item,{header},other|q1,0.8,0.2|q2,0.3,0.9"
    table(
        tmp_path / "strategies.csv",
        "strategy,emphasis,threshold,bias,cultural_authenticity,notes|s,.5,0,0,.25,why|t,.5,0,0,,",
    )
    assert judged(run, tmp_path, text, "--strategies", "strategies.csv").code == 0
    weighed = (0.25 * 0.8 + 0.2) / 1.25
    assert float(items(tmp_path)[0]["Mean"]) == pytest.approx((weighed + 0.5) / 2)


def test_weights_of_dimensions_that_are_not_there_are_noted(run: Run, tmp_path: Path) -> None:
    table(tmp_path / "strategies.csv", "strategy,emphasis,threshold,bias,fluensy|s,.5,.5,0,.25|t,.6,.5,0,")
    assert judged(run, tmp_path, "item,fluency|q1,0.8|q2,0.3", "--strategies", "strategies.csv").code == 0
    assert any("fluensy" in message for message in problems(tmp_path, "other-columns"))


@pytest.mark.parametrize("header", ["Mean", "Average", "No", "#", "total"])
def test_a_column_made_of_the_others_or_of_row_numbers_is_no_judge(run: Run, tmp_path: Path, header: str) -> None:
    text = f"item,{header},ann,bob|q1,0.1,0.2,0.4|q2,0.2,0.6,0.8|q3,0.3,0.9,0.7"
    assert judged(run, tmp_path, text).code == 0
    assert results(tmp_path)["Judges"] == "2"
    assert any(header in message and "not used" in message for message in problems(tmp_path, "other-columns"))
    assert "read as a column per judge: ann, bob" in problems(tmp_path, "other-columns")
    assert run("disagree", "in", "-o", "out", "--dimensions", f"{header},ann,bob").code == 0
    assert results(tmp_path)["Judges"] == "3"


def test_a_column_named_twice_counts_once_and_the_item_is_none(run: Run, tmp_path: Path) -> None:
    text = "item,Ann,bob|1,0.2,0.4|2,0.6,0.8|3,0.9,0.7"
    assert judged(run, tmp_path, text, "--dimensions", "Ann,ann,bob").code == 0
    assert results(tmp_path)["Judges"] == "2"
    refused = run("disagree", "in", "-o", "out", "--dimensions", "item,bob")
    assert (refused.code, "no column item" in refused.err) == (4, True)


def test_ratio_alpha_needs_scores_of_zero_or_more(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,-.2,.2|q2,.4,.5|q3,.9,.8", "--scale=-1:1").code == 0
    numbers = json.loads((tmp_path / "out" / "metrics.json").read_text())["m"]
    assert numbers["Alpha"] is not None
    refused = run("disagree", "in", "-o", "out", "--scale=-1:1", "--level", "ratio")
    assert (refused.code, "0 or more" in refused.err) == (2, True)


def test_a_name_of_thousands_of_digits_is_a_name(run: Run, tmp_path: Path) -> None:
    long = "7" * 5000
    assert judged(run, tmp_path, f"item,judge,score|q1,{long},.5|q1,8,.6|q2,{long},.1|q2,8,.3").code == 0
    assert results(tmp_path)["Judges"] == "2"


def test_a_crowd_of_judges_is_not_compared_in_pairs(run: Run, tmp_path: Path) -> None:
    lines = [f"q{item},worker {(item * 7 + turn) % 150},{(item % 10) / 10}" for item in range(300) for turn in range(2)]
    assert judged(run, tmp_path, "|".join(["item,judge,score", *lines])).code == 0
    assert len(problems(tmp_path, "many-judges")) == 1
    assert results(tmp_path)["Judges"] == "150"


@pytest.mark.parametrize(
    ("cell", "advice"), [("0,7", "with a point"), ("50%", "without %"), ("Tie", "--level nominal")]
)
def test_advice_on_a_score_that_is_no_number_fits_it(run: Run, tmp_path: Path, cell: str, advice: str) -> None:
    assert judged(run, tmp_path, f'item,judge,score|q1,a,0.5|q1,b,0.6|q2,a,"{cell}"|q2,b,0.1').code == 0
    assert advice in problems(tmp_path, "bad-score")[0]


def test_labels_are_listed_and_those_that_differ_only_in_case_are_named(run: Run, tmp_path: Path) -> None:
    text = "item,a,b|q1,win,Win|q2,win,win|q3,tie,win"
    assert judged(run, tmp_path, text, "--level", "nominal").code == 0
    (message,) = problems(tmp_path, "labels")
    assert message.startswith("labels: win 4, Win 1, tie 1")
    assert "win and Win" in message


def test_what_is_empty_is_no_error() -> None:
    assert disagreement([]).judges == 0
    assert intraclass_correlation([]).items == 0
    assert math.isnan(krippendorff_alpha([]))
    assert all(math.isnan(end) for end in alpha_interval([["a", "b"], ["a", "a"]], "nominal")) is False
    with pytest.raises(ValueError, match="level cannot be 'bogus'"):
        alpha_interval([[1, 2], [2, 3]], "bogus")


@pytest.mark.parametrize("scores", [[-0.2, -0.4], [0.5, -0.5], [0.0, 0.0, 0.0]])
def test_a_mean_of_zero_or_less_is_no_consensus(scores: list[float]) -> None:
    found = disagreement(scores)
    assert all(math.isnan(value) for value in (found.cv, found.consensus, found.reliability))
