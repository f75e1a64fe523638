"""Items: weighted scores, spread, consensus, outliers and flags."""

import math
from typing import Any

import pandas as pd
import pytest

from scoresheet.metrics.problem import Refusal

from .conftest import one, panel, scored

NAN = math.nan
FIVE = [0.6, 0.8, 0.7, 0.9, 0.75]
FOURTH_FAR = [0.8, 0.85, 0.82, 0.1, 0.83]
FAR = "cannot happen with so few judges"


@pytest.mark.parametrize(
    ("scores", "cv", "consensus", "reliability", "outliers"),
    [
        (FIVE, 0.149071, 0.701858, 0.657992, ""),
        (FOURTH_FAR, 0.477545, 0.04491, 0.021231, "d"),
        ([0.7, 0.8, 0.75, 0.85], 0.08329, 0.83342, 0.916057, FAR),
        ([0.7] * 5, 0.0, 1.0, 1.0, ""),
        ([0.0, 0.0], NAN, NAN, NAN, FAR),
        ([0.4], NAN, 1.0, 0.7, FAR),
        ([NAN, NAN], NAN, 0.0, 0.0, FAR),
    ],
)
def test_consensus_and_reliability(
    scores: list[float], cv: float, consensus: float, reliability: float, outliers: str
) -> None:
    unit = one(scores)
    found = [unit["CV"], unit["Consensus"], unit["Reliability"]]
    assert found == pytest.approx([cv, consensus, reliability], abs=1e-6, nan_ok=True)
    assert unit["Outliers"] == outliers


@pytest.mark.parametrize(
    ("scores", "options", "words", "severity"),
    [
        (FIVE, {}, "", ""),
        (FIVE, {"consensus_threshold": 0.8}, "low consensus", "medium"),
        (FOURTH_FAR, {}, "low consensus; outlier d", "high"),
        (
            FOURTH_FAR,
            {"outlier_threshold": 2},
            "low consensus; outlier d",
            "high",
        ),  # the robust rule
        ([0.8, 0.85, 0.1], {}, "low consensus; outlier c", "high"),
        ([0.5, 0.62, 0.74], {}, "low consensus", "medium"),
        ([0.4], {}, "one judge", "medium"),
        ([NAN], {}, "no judge", "high"),
        ([0.0, 0.0], {}, "", ""),
    ],
)
def test_flags(scores: list[float], options: dict[str, Any], words: str, severity: str) -> None:
    unit = one(scores, **options)
    assert (unit["Flags"], unit["Severity"]) == (words, severity)


def test_every_flag_is_listed_with_value_and_threshold_the_high_ones_first() -> None:
    flags = panel([0.5, 0.62, 0.74], FOURTH_FAR, [0.4]).tables["Flags"]
    shown = flags[["Item", "Severity", "Flag", "What", "Threshold"]].to_numpy().tolist()
    assert shown == [
        ["i2", "high", "high_ensemble_disagreement", "low consensus", 0.7],
        ["i1", "medium", "high_ensemble_disagreement", "low consensus", 0.7],
        ["i2", "medium", "strategy_outliers", "outlier d", pytest.approx(NAN, nan_ok=True)],
        ["i3", "medium", "single_strategy_only", "one judge", pytest.approx(NAN, nan_ok=True)],
    ]


WEIGHTED = pd.DataFrame(
    {
        "item": "i",
        "judge": ["a"] * 3 + ["b"] * 3,
        "dimension": [*"xyz"] * 2,
        "score": [0.8, 0.6, 0.9, 0.4, 0.4, 0.4],
        "confidence": [0.9, 0.5, 0.8, 1, 1, 1],
        "cultural_relevance": [0.7, 0.3, 0.9, 0.5, 0.5, 0.2],
    }
)


def test_the_overall_score_is_weighted_by_confidence_and_relevance() -> None:
    result = scored(WEIGHTED)
    unit = result.units.iloc[0]
    assert unit["Score_a"] == pytest.approx(0.828)
    assert unit["Score_b"] == pytest.approx(0.4)
    assert unit["Confidence_x"] == pytest.approx(0.95)
    assert unit["Relevance_z"] == pytest.approx(0.55)
    competence = [(0.9 * 0.7 + 0.5 * 0.3 + 0.8 * 0.9) / 2.2, 0.4]
    assert unit["Cultural_Competence"] == pytest.approx(sum(competence) / 2)
    spread = pd.Series(competence).std() / pd.Series(competence).mean()
    assert unit["Cultural_Consensus"] == pytest.approx(1 - spread)
    assert result.tables["Judges"]["Cultural_Competence"].tolist() == pytest.approx(competence)


def test_the_disagreement_of_a_dimension_is_its_cv() -> None:
    rows = pd.DataFrame({"item": "i", "judge": [*"abc"], "dimension": "tone"})
    unit = scored(rows.assign(score=[0.8, 0.6, 0.9])).units.iloc[0]
    assert unit["Disagreement_tone"] == pytest.approx(0.199242, abs=1e-6)
    assert unit["Flags"] == "low consensus"
    unit = scored(rows.assign(score=[0.8, 0.2, 0.85])).units.iloc[0]
    assert unit["Flags"] == "low consensus; spread in tone; outlier b"


def test_only_dimensions_that_all_judges_scored_count() -> None:
    rows = WEIGHTED.drop(columns=["confidence", "cultural_relevance"])
    result = scored(rows.assign(score=[0.8, 0.6, NAN, 0.4, 0.2, 0.9]))
    assert result.units["Score_a"].tolist() == pytest.approx([0.7])
    assert result.units["Score_b"].tolist() == pytest.approx([0.3])
    assert [p.message.partition(" (")[0] for p in result.problems] == ["1 score is empty"]


@pytest.mark.parametrize("change", ["nothing in common", "no weight"])
def test_an_item_without_an_overall_score_is_listed_and_not_scored(change: str) -> None:
    rows = WEIGHTED.drop(columns="cultural_relevance")
    if change == "no weight":
        rows["confidence"] = 0.0
    else:
        rows["score"] = [0.8, 0.6, NAN, NAN, NAN, 0.9]
    result = scored(rows)
    unit = result.units.iloc[0]
    assert pd.isna(unit[["Mean", "Consensus", "Reliability"]]).all()
    assert unit["Problem"].startswith("no dimension")
    assert "row" in {problem.effect for problem in result.problems}
    assert result.results["Scored"] == 0
    assert result.results["Status"] == "unscored"


def test_scores_are_mapped_to_their_scale_before_anything_is_said() -> None:
    unit = one([2, 4, 5], scale=("1:5",))
    assert [unit[name] for name in ("Score_a", "Mean", "Max")] == [0.25, 2 / 3, 1]
    unit = one([2, 75, 1.0], scale=("1:5", "b=0:100", "c=0:1"))
    assert [unit["Score_a"], unit["Score_b"], unit["Score_c"]] == [0.25, 0.75, 1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "2 of 3 scores lie outside the scale 0:1 (first: row 3, b = 5)"),
        ({"scale": ("1:4",)}, "outside the scale 1:4 (first: row 3, b = 5)"),
        (
            {"scale": ("0:5", "b=0:1")},
            "1 of 3 scores lie outside the scale 0:1 (first: row 3, b = 5)",
        ),
        ({"scale": ("0:5",), "gold": "z"}, "--gold: z is not one of the judges a, b, c"),
    ],
)
def test_scores_that_cannot_be_meant_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(Refusal) as refused:
        panel([1, 5, 3], **options)
    assert says in str(refused.value)


def test_the_hint_names_a_scale_that_holds_all_scores() -> None:
    for scores, scale in (([1, 5, 3], "1:5"), ([0, 7, 70], "0:100"), ([0, 4, 5], "0:5")):
        with pytest.raises(Refusal) as refused:
            panel(scores)
        (problem,) = refused.value.problems
        assert problem.hint.endswith(f"add --scale {scale}")
        panel(scores, scale=(scale,))


@pytest.mark.parametrize("scale", ["5", "5:1", "1:1", "low:high", "a=1", "0:inf"])
def test_a_scale_that_is_none_is_refused(scale: str) -> None:
    with pytest.raises(ValueError, match="scale"):
        panel([1, 2], scale=(scale,))


def test_recommended_judges_are_no_outliers_and_neither_low_nor_full_of_praise() -> None:
    assert one([0.3, 0.9, 0.6, 0.91, 0.29])["Recommended"] == "a, b, c"
    assert one(FOURTH_FAR)["Recommended"] == "a, b, c, e"


def test_items_are_ranked_by_their_spread() -> None:
    units = panel([0.5, 0.6], [0.1, 0.9], [0.5, 0.5], [0.3]).units
    assert units["Spread_Rank"].fillna(0).tolist() == [2, 1, 3, 0]
