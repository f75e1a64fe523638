"""What is said of panels: perfect judges with a blank, quarrels first, odd judges with why, other scales, labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scoresheet.metrics import (
    OutlierRules,
    Strategy,
    alpha_interval,
    apply_strategy,
    cohen_kappa,
    disagreement,
    disagreements,
    fleiss_kappa,
    intraclass_correlation,
    krippendorff_alpha,
    overall_scores,
    proportion_interval,
)
from scoresheet.metrics.families.disagree.labels import item_votes, label_standings, order_biases
from scoresheet.metrics.families.disagree.odd_judges import JudgeTable, odd_judges, on_another_scale
from scoresheet.metrics.stats.beta_distribution import beta_cdf, beta_quantile
from tests.calibration.disagree import quarrelling_panel, rounded_panel
from tests.helpers.disagree import Study, judged, numbers, problems, results
from tests.helpers.files import read_csv
from tests.helpers.runs import Run, called_in

Numbers = NDArray[np.float64]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A working directory."""
    return Study(tmp_path, called_in(tmp_path))


# --- dimensions that some judges left blank ---------------------------------------------------------------------------


def test_alpha_008_for_perfect_judges_with_a_blank_dimension_is_1(study: Study) -> None:
    rows: list[tuple[object, ...]] = [("item", "judge", "style", "depth")]
    for item in range(30):
        high, low = 0.6 + 0.01 * item, 0.05 + 0.01 * (item % 7)
        for judge in ("ann", "bob", "cleo"):
            blank = judge == "cleo" and item % 2
            rows.append((f"q{item:02}", judge, f"{high:.2f}", "" if blank else f"{low:.2f}"))
    study.panel(rows)
    assert study.score().code == 0
    line = study.results()["m"]
    assert (float(line["Alpha"]), line["Verdict"], line["Odd_Judge"], line["Flagged"]) == (1, "reliable", "", "0")
    assert "15 items left dimensions blank" in study.problems("different-dimensions")[0]["message"]


def test_an_item_whose_judges_share_no_dimension_has_no_overall_disagreement(study: Study) -> None:
    study.panel([("item", "judge", "x", "y"), ("q1", "a", 0.9, ""), ("q1", "b", "", 0.1), ("q2", "a", 0.5, 0.5)])
    assert study.score().code == 0
    line = study.item("q1")
    assert (line["Judges"], line["Mean"], line["Std_Dev"], line["Consensus"], line["Flags"]) == ("2", "", "", "", "")
    (said,) = study.problems("different-dimensions")
    assert (said["row"], "no dimension was scored by all of its judges" in said["message"]) == ("2", True)


# --- quarrels ---------------------------------------------------------------------------------------------------------


def test_20_planted_quarrels_are_the_first_among_1000_items_and_few_others_are_high(study: Study) -> None:
    scores, is_quarrel = quarrelling_panel(np.random.default_rng(0))
    given = (1 + 4 * scores).astype(int).tolist()
    study.panel([("item", "a", "b", "c"), *((f"q{place}", *row) for place, row in enumerate(given))])
    assert study.score("--scale", "1:5").code == 0
    planted = {f"q{place}" for place in np.flatnonzero(is_quarrel).tolist()}
    first = list(dict.fromkeys(str(row["Item"]) for row in study.page("Flags")))
    assert set(first[:20]) == planted
    high = {line["Item"] for line in study.items() if line["Severity"] == "high"}
    assert planted <= high
    assert len(high - planted) <= 0.05 * 980


def test_2_1_1_is_not_worse_than_1_3_5(study: Study) -> None:
    study.panel([("item", "a", "b", "c"), ("low", 2, 1, 1), ("apart", 1, 3, 5), ("calm", 3, 3, 3)])
    assert study.score("--scale", "1:5").code == 0
    assert (study.value("Spread_Rank", "apart"), study.value("Spread_Rank", "low")) == (1, 2)


# --- odd judges -------------------------------------------------------------------------------------------------------


def named(scores: Numbers) -> dict[str, str]:
    judges = "abcdefgh"[: scores.shape[1]]
    return {odd.name: odd.why for odd in odd_judges(JudgeTable(scores, labels=False), judges)}


def test_several_odd_judges_are_named_each_with_why() -> None:
    rng = np.random.default_rng(5)
    scores = rounded_panel(rng, 120, 7, 0.4)
    scores[:, 0] = 1 - scores[:, 0]
    scores[:, 1] = 0.75
    scores[:, 2] = rng.permutation(scores[:, 2])
    scores[:, 3] = np.minimum(1, scores[:, 3] + 0.4)
    assert named(scores) == {"a": "reversed", "b": "constant", "c": "unrelated", "d": "lenient"}


def test_two_camps_of_two_accuse_nobody() -> None:
    scores = rounded_panel(np.random.default_rng(6), 60, 4, 0.3)
    scores[:, 2:] = 1 - scores[:, 2:]
    assert named(scores) == {}


def test_a_swapped_and_a_constant_labeller_are_named() -> None:
    rng = np.random.default_rng(7)
    true = rng.integers(0, 2, size=(60, 1))
    labels = np.where(rng.random((60, 5)) < 0.95, true, 1 - true).astype(float)
    labels[:, 1] = 1 - labels[:, 1]
    labels[:, 3] = 0
    found = {odd.name: odd.why for odd in odd_judges(JudgeTable(labels, labels=True), "abcde")}
    assert found == {"b": "reversed", "d": "constant"}


def test_alpha_and_what_an_item_adds_to_it_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(40, 4))
    scores[rng.random(scores.shape) < 0.2] = np.nan
    labels = np.where(np.isnan(scores), np.nan, np.round(scores * 1.5))
    for ratings, level in ((scores, "interval"), (labels, "nominal")):
        found = JudgeTable(ratings, labels=level == "nominal").agreement([0, 1, 2, 3])
        assert found.alpha == pytest.approx(krippendorff_alpha(ratings, level))
        # leaving an item out changes alpha by what it adds, but for terms of higher order
        usable = np.flatnonzero((~np.isnan(ratings)).sum(axis=1) > 1)
        without = np.array([krippendorff_alpha(np.delete(ratings, item, axis=0), level) for item in usable])
        assert np.corrcoef(found.alpha - without, found.influence[usable])[0, 1] > 0.99


def test_judges_on_another_scale_are_told_first_and_the_honest_one_is_not_blamed(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    worth = rng.uniform(0, 1, 40)
    lines = ["item,gpt,claude,gemini"]
    for place, value in enumerate(worth.tolist()):
        few = [int(np.clip(np.rint(1 + 4 * value + rng.normal(0, 0.3)), 1, 5)) for _ in range(2)]
        lines.append(f"q{place},{few[0]},{few[1]},{int(np.clip(100 * value + rng.normal(0, 5), 0, 100))}")
    ended = judged(run, tmp_path, "|".join(lines), "--scale", "0:100")
    assert ended.code == 0
    found = results(tmp_path)
    assert found["Odd_Judge"] == "gpt; claude"
    assert found["Odd_Why"] == "gpt (other scale: 1 to 5 of 0 to 100); claude (other scale: 1 to 5 of 0 to 100)"
    assert len(problems(tmp_path, "other-scale")) == 2
    assert "another scale" in ended.err  # without -v


def test_a_strict_judge_on_the_same_scale_is_on_no_other() -> None:
    rng = np.random.default_rng(10)
    scores = np.clip(rng.uniform(0, 100, size=(50, 1)) + rng.normal(0, 5, size=(50, 3)), 0, 100)
    scores[:, 1] *= 0.6
    assert on_another_scale(scores, "abc", (0, 100)) == ()
    assert on_another_scale(scores[:, 1:2], "b", (0, 100)) == ()


# --- labels -----------------------------------------------------------------------------------------------------------

LABELS = "item,a,b,c,first|" + "|".join(
    f"q{place},A,{'A' if place % 3 else 'B'},{'Tie' if place % 4 else 'A'},{'AB' if place % 2 else 'B'}"
    for place in range(24)
)


def test_labels_have_votes_majority_win_rate_kappa_and_order_bias(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, LABELS, "--level", "nominal").code == 0
    lines = {line["Item"]: line for line in read_csv(tmp_path / "out" / "m_disagreement.csv")}
    assert (lines["q1"]["Majority"], lines["q1"]["Votes"]) == ("A", "A 2, Tie 1")
    assert (lines["q3"]["Majority"], lines["q3"]["Votes"], lines["q3"]["Flags"]) == (
        "",
        "A 1, B 1, Tie 1",
        "no_majority",
    )
    found = numbers(tmp_path)
    labels = found["Sheets"]["Sheet1"]["Labels"]["score"]
    won = sum(line["Majority"] == "A" for line in lines.values())
    assert labels["A"]["Items_Won"] == won
    assert labels["A"]["Win_Rate"] + labels["B"]["Win_Rate"] == pytest.approx(1)
    assert labels["A"]["Win_Rate"] == pytest.approx((won + (24 - won) / 2) / 24)
    assert labels["A"]["CI_Low"] < labels["A"]["Win_Rate"] < labels["A"]["CI_High"]
    table = [[line.split(",")[judge] for judge in (1, 2, 3)] for line in LABELS.split("|")[1:]]
    assert found["Fleiss_Kappa"] == pytest.approx(fleiss_kappa(table))
    assert set(found["Order"]) == {"all judges", "a", "b", "c"}


def test_win_rates_share_out_ties_between_two_and_only_between_two() -> None:
    votes = item_votes(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [0.0, 0.0]]), 3)
    two = {each.label: each.win_rate for each in label_standings(votes, ["A", "B", "Tie"])}
    assert two == {"A": 0.6, "B": 0.4, "Tie": 0.2}
    three = {each.label: each.win_rate for each in label_standings(votes, ["A", "B", "C"])}
    assert three == {"A": 0.4, "B": 0.2, "C": 0.2}


def test_order_bias_is_that_of_the_place_whatever_the_two_are_worth() -> None:
    items = [str(place) for place in range(40)]
    first = np.array([[float(place % 2)] for place in range(40)])
    always_first, always_a = first.copy(), np.zeros_like(first)
    for chosen, bias, finding in (
        (always_first, 0.5, "prefers what stood first"),
        (1 - always_first, -0.5, "prefers what stood second"),
        (always_a, 0.0, "no order bias shown"),
    ):
        (found,) = order_biases({"": (items, ["a"], chosen, first)}, ["A", "B"])
        assert (found.bias, found.finding) == (bias, finding)
    (unknown,) = order_biases({"": (items, ["a"], always_a, np.zeros_like(first))}, ["A", "B"])
    assert "always stood first" in unknown.finding


def test_panels_are_compared_on_the_items_they_share(study: Study) -> None:
    rng = np.random.default_rng(11)
    worth = rng.uniform(0.1, 0.9, size=(40, 1))
    for name, error, start in (("close", 0.02, 0), ("apart", 0.2, 10)):
        scores = np.clip(worth[start:] + error * rng.standard_normal((40 - start, 3)), 0, 1)
        rows = [(f"q{start + place}", *row) for place, row in enumerate(scores.tolist())]
        study.panel([("item", "a", "b", "c"), *rows], name)
    ended = study.score()
    assert ended.code == 0
    lines = study.results()
    assert [(lines[name]["Rank"], lines[name]["Shared"]) for name in ("close", "apart")] == [("1", "30"), ("2", "30")]
    assert list(lines) == ["close", "apart"]
    assert "close has the lowest mean Std_Dev" in ended.out
    assert "shown to be lower than apart" in ended.out


# --- what cannot be meant is refused ----------------------------------------------------------------------------------


def test_public_functions_refuse_what_cannot_be_meant() -> None:
    one = np.full((1, 2, 2), 0.5)
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: overall_scores(one[0]), "shape"),
        (lambda: overall_scores(one, one[:, :1]), "confidence"),
        (lambda: overall_scores(one, None, -one), "relevance"),
        (lambda: overall_scores(one * np.inf), "finite"),
        (lambda: disagreement([np.inf, 0.5]), "infinite"),
        (lambda: disagreements(np.array([0.5, 0.6])), "shape"),
        (lambda: OutlierRules(outlier=-1), "outlier"),
        (lambda: OutlierRules(mad_floor=float("nan")), "mad_floor"),
        (lambda: Strategy("s", 0.5, 1.2, 0.0), "threshold"),
        (lambda: Strategy("s", 0.5, 0.2, -1.5), "bias"),
        (lambda: apply_strategy(1.5, 1.0, 1.0, Strategy("s", 0.5, 0.2, 0.0)), "score cannot be 1.5"),
        (lambda: apply_strategy(0.5, -1.0, 1.0, Strategy("s", 0.5, 0.2, 0.0)), "confidence cannot be -1"),
        (lambda: krippendorff_alpha([]), "ratings .* shape"),
        (lambda: krippendorff_alpha([[np.inf, 1.0]]), "infinite"),
        (lambda: krippendorff_alpha(np.array([1.0, 2.0])), "shape"),
        (lambda: intraclass_correlation(np.array([1.0, 2.0])), "shape"),
        (lambda: alpha_interval([[1, 2]], confidence=2), "confidence"),
        (lambda: cohen_kappa([["a", "b", "c"]]), "two raters"),
        (lambda: fleiss_kappa([[]]), "no ratings"),
        (lambda: proportion_interval(5, 4), "5 of 4"),
        (lambda: beta_cdf(0.5, 0, 1), "above 0"),
        (lambda: beta_quantile(1.5, 1, 1), "1.5"),
    ]
    for call, words in refusals:
        with pytest.raises(ValueError, match=words):
            call()
