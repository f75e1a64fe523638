"""How do dimensions and their weights make an overall score?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoresheet.metrics import krippendorff_alpha
from tests.helpers.disagree import judged, numbers, problems, results
from tests.helpers.runs import Run
from tests.helpers.studies import paged

pytestmark = pytest.mark.usefixtures("no_workbooks")


def test_equal_sums_in_another_order_are_equal_scores_on_any_scale(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,x,y,z"]
    for item in range(5):
        lines += [f"q{item},a,100000.1,200000.2,300000.3", f"q{item},b,300000.3,200000.2,100000.1"]
    assert judged(run, tmp_path, "|".join(lines), "--scale", "0:400000", "--level", "ordinal").code == 0
    assert results(tmp_path)["Alpha"] == ""
    assert problems(tmp_path, "no-alpha") == ["alpha is undefined: all scores are the same"]


def test_means_say_over_how_many_items_they_are(run: Run, tmp_path: Path) -> None:
    zeros = [f"z{place},0,0,0" for place in range(95)]
    others = [f"q{place},.{place}5,.{place}5,.{place}6" for place in range(5)]
    assert judged(run, tmp_path, "|".join(["item,ann,bob,cleo", *zeros, *others, "lone,.5,,"])).code == 0
    found = results(tmp_path)
    assert (found["Items"], found["Consensus_Items"], found["Alpha_Items"]) == ("101", "5", "100")
    assert (found["ICC_Items"], found["Alpha_Sheets"]) == ("100", "1")
    assert numbers(tmp_path)["Sheets"]["Sheet1"]["Consensus_Items"] == 5


@pytest.mark.parametrize("weight", ["", "0.3"])
def test_one_dimension_is_the_overall_score_on_any_scale(run: Run, tmp_path: Path, weight: str) -> None:
    scores = [(0.1, 0.2), (3.3, 3.1), (7.7, 7.9), (9.1, 9.6)]
    lines = [f"q{n},{judge},{s},{weight}" for n, pair in enumerate(scores) for judge, s in zip("ab", pair, strict=True)]
    text = "|".join(["item,judge,score,confidence", *lines])
    assert judged(run, tmp_path, text, "--scale", "0:1e13").code == 0
    assert float(results(tmp_path)["Alpha"]) == krippendorff_alpha(np.array(scores))
    by_dimension = numbers(tmp_path)["Sheets"]["Sheet1"]["By_Dimension"]
    assert by_dimension["Overall"] == by_dimension["score"]


def test_one_dimension_by_name_and_several_by_column_contradict_each_other(run: Run, tmp_path: Path) -> None:
    text = "item,judge,dimension,score|q1,a,x,.5|q1,b,x,.6|q2,a,y,.5|q2,b,y,.6"
    ended = judged(run, tmp_path, text, "--dimensions", "score")
    assert (ended.code, "column dimension" in ended.err) == (4, True)
    wide = "item,judge,dimension,f,g|q1,a,x,.5,.4|q1,b,x,.6,.5|q2,a,y,.5,.1|q2,b,y,.6,.3"
    assert judged(run, tmp_path, wide, "--dimensions", "f,g").code == 0
    assert any("column dimension was not used" in message for message in problems(tmp_path, "other-columns"))


@pytest.mark.usefixtures("workbooks")
def test_an_item_without_weights_is_not_told_that_it_has_no_scores(run: Run, tmp_path: Path) -> None:
    text = "item,judge,score,confidence|q1,a,.5,0|q1,b,.6,0|q2,a,.4,1|q2,b,.4,1|q3,a,,1"
    assert judged(run, tmp_path, text).code == 0
    said = {line["Item"]: line["What"] for line in paged(tmp_path / "out" / "m_disagreement.xlsx", "Flags")}
    assert said == {"q1": "all weights of the item's scores are 0", "q3": "no judge has a score for the item"}


def test_no_dimension_takes_the_name_of_the_overall_view(run: Run, tmp_path: Path) -> None:
    text = "item,judge,overall,Overall score|q1,a,.5,.1|q1,b,.6,.2|q2,a,.5,.8|q2,b,.6,.9"
    assert judged(run, tmp_path, text).code == 0
    names = list(numbers(tmp_path)["Sheets"]["Sheet1"]["By_Dimension"])
    assert sorted(names) == ["Overall score", "Overall score 2", "overall"]
