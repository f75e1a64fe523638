"""When are alpha, its interval and correlations of judges defined, and what is said where they are not?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openpyxl
import pytest
from openpyxl.utils import get_column_letter

from scoresheet.metrics import alpha_interval
from tests.helpers.disagree import LONG, Study, judged, listed, numbers, problems, results
from tests.helpers.files import read_csv, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import paged

pytestmark = pytest.mark.usefixtures("no_workbooks")


def test_nobody_is_called_odd_for_a_small_rise_of_alpha(run: Run, tmp_path: Path) -> None:
    close = [(f"q{place}", place / 20, place / 20, min(1, place / 20 + 0.03 * (place % 3))) for place in range(1, 20)]
    apart = [(*row[:3], 1 - row[3]) for row in close]
    for name, rows in (("close", close), ("apart", apart)):
        write_csv(tmp_path / f"outs/{name}.csv", [("item", "ann", "bob", "cleo"), *rows])
    assert run("disagree", "outs", "-o", "res").code == 0
    lines = {line["Model Name"]: line["Odd_Judge"] for line in read_csv(tmp_path / "res/disagreement_results.csv")}
    assert lines == {"close": "", "apart": "cleo"}


def test_the_overall_interval_is_empty_where_a_sheet_of_the_mean_has_none(run: Run, tmp_path: Path) -> None:
    sure = [f"A,q{item},{item / 30},{item / 30 + 0.001}" for item in range(30)]
    assert judged(run, tmp_path, "|".join(["Sheet,item,a,b", *sure, "B,q1,0.1,0.9"])).code == 0
    assert (results(tmp_path)["Alpha"] != "", results(tmp_path)["CI_Low"]) == (True, "")


def test_ratio_alpha_needs_scores_of_zero_or_more(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,-.2,.2|q2,.4,.5|q3,.9,.8", "--scale=-1:1").code == 0
    assert numbers(tmp_path)["Alpha"] is not None
    refused = run("disagree", "in", "-o", "out", "--scale=-1:1", "--level", "ratio")
    assert (refused.code, "0 or more" in refused.err) == (2, True)


def test_a_crowd_of_judges_is_not_compared_in_pairs(run: Run, tmp_path: Path) -> None:
    lines = [f"q{item},worker {(item * 7 + turn) % 110},{(item % 10) / 10}" for item in range(110) for turn in range(2)]
    assert judged(run, tmp_path, "|".join(["item,judge,score", *lines])).code == 0
    assert len(problems(tmp_path, "many-judges")) == 1
    assert results(tmp_path)["Judges"] == "110"


def test_a_sheet_without_alpha_is_not_counted_among_those_of_the_mean(run: Run, tmp_path: Path) -> None:
    text = "Sheet,item,a,b|A,q1,.1,.2|A,q2,.8,.9|A,q3,.4,.5|B,q1,.5,.5|B,q2,.5,.5"
    assert judged(run, tmp_path, text).code == 0
    found = results(tmp_path)
    assert (found["Alpha_Sheets"], found["Alpha_Items"], found["Consensus_Items"]) == ("1", "3", "5")
    assert numbers(tmp_path)["Sheets"]["B"]["Alpha_Sheets"] == 0


def test_why_alpha_is_undefined_is_said_of_the_items_it_rests_on(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,judge,score|q1,a,.5|q5,a,.4|q5,b,.4").code == 0
    (message,) = problems(tmp_path, "no-alpha")
    assert message == (
        "alpha is undefined: two judges or more scored only 1 of 2 items, and all these scores are the same"
    )


@pytest.mark.usefixtures("workbooks")
def test_a_matrix_of_judges_colours_what_is_opposite_unlike_what_is_unrelated(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,.1,.9|q2,.5,.5|q3,.9,.1").code == 0
    page = openpyxl.load_workbook(tmp_path / "out" / "m_disagreement.xlsx")["Judges"]
    header = [cell.value for cell in page[1]]
    letter = get_column_letter(header.index("b") + 1)
    scales = [
        [float(point.val) for point in rule.colorScale.cfvo]
        for area in page.conditional_formatting
        if str(area.sqref).startswith(letter)
        for rule in area.rules
    ]
    assert scales == [[-1, 0, 1]]


def test_alpha_without_an_interval_says_why(run: Run, tmp_path: Path) -> None:
    sure = [f"A,q{item},{item / 30},{item / 30 + 0.001}" for item in range(30)]
    assert judged(run, tmp_path, "|".join(["Sheet,item,a,b", *sure, "B,q1,0.1,0.9"])).code == 0
    own, mean = listed(tmp_path, "no-interval")
    assert (own["sheet"], "too few items for an interval: 1" in own["message"]) == ("B", True)
    assert (mean["sheet"], "none for B" in mean["message"]) == ("", True)
    assert "none for B" in results(tmp_path)["CI_Note"]


def test_ratio_alpha_of_thousands_of_different_scores_has_an_interval(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    true = rng.uniform(0.1, 0.9, size=(1600, 1))
    scores = true * np.exp(rng.normal(0, 0.2, size=(1600, 2)))
    low, high, _ = alpha_interval(scores, "ratio")
    few = np.round(scores, 2)  # hardly other scores, of which every two can be looked at
    assert (low, high) == pytest.approx(alpha_interval(few, "ratio")[:2], abs=0.002)
    lines = ["item,a,b", *(f"q{n},{a!r},{b!r}" for n, (a, b) in enumerate(scores.tolist()))]
    assert judged(run, tmp_path, "|".join(lines), "--level", "ratio", "--scale", "0:2").code == 0
    found = results(tmp_path)
    assert 0 < float(found["CI_Low"]) < float(found["Alpha"]) < float(found["CI_High"]) < 1


@pytest.mark.patched
def test_ratio_alpha_of_more_than_there_is_room_for_says_that_it_has_no_interval(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoresheet.metrics.stats.alpha_interval._MOST_CELLS", 1000)
    rng = np.random.default_rng(6)
    scores = rng.uniform(0.1, 0.9, size=(1600, 2))
    assert not alpha_interval(scores, "ratio").is_known
    lines = ["item,a,b", *(f"q{n},{a!r},{b!r}" for n, (a, b) in enumerate(scores.tolist()))]
    assert judged(run, tmp_path, "|".join(lines), "--level", "ratio").code == 0
    assert (results(tmp_path)["Alpha"] != "", results(tmp_path)["CI_Low"]) == (True, "")
    (message,) = problems(tmp_path, "no-interval")
    assert "too many different scores" in message


# --- edges ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("workbooks")
def test_two_judges_whose_scores_never_vary_have_no_correlation(study: Study) -> None:
    study.panel([("item", "a", "b"), ("q1", 0.1, 0.3), ("q2", 0.1, 0.6), ("q3", 0.1, 0.9)])
    assert study.score().code == 0
    (pair,) = (row for row in study.page("Pairs") if row["Dimension"] == "Overall")
    assert (pair["Correlation"], pair["Items"], pair["Agreement"]) == (None, 3, 0)
    assert pair["Mean_Difference"] == pytest.approx(-0.5)


@pytest.mark.usefixtures("workbooks")
def test_a_judge_who_is_alone_with_an_item_has_no_bias(study: Study) -> None:
    study.panel([LONG, ("q1", "a", 0.5), ("q2", "b", 0.5)])
    assert study.score().code == 0
    lines = [row for row in study.page("Judges") if row["Dimension"] == "Overall"]
    assert [(row["Judge"], row["Items"], row["Bias"]) for row in lines] == [("a", 1, None), ("b", 1, None)]
    assert [row["Flag"] for row in study.page("Flags")] == ["single_strategy_only"] * 2


@pytest.mark.usefixtures("workbooks")
def test_one_judge_correlates_with_nobody(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("item", "judge", "score"), ("q1", "a", 0.1), ("q2", "a", 0.5)])
    assert run("disagree", "outs", "-o", "res").code == 0
    for page in ("Summary", "Dimensions"):
        assert {line["ICC_Items"] for line in paged(tmp_path / "res/m_disagreement.xlsx", page)} == {0}
