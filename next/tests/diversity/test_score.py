"""What diversity does with rankings, judgments, items and weights."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoresheet.metrics.diversity import DiversityOptions
from scoresheet.metrics.diversity.family import FAMILY
from scoresheet.metrics.diversity.judgments import survey
from scoresheet.metrics.diversity.measures import err_ia
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.summary import summarize

from .conftest import Study, outputs

NAN = math.nan
EXAMPLE = [("q", "a", "A", 1.0), ("q", "b", "B", 1.0), ("q", "b", "D", 1.0), ("q", "c", "C", 1.0)]
RANKING = {"q": ["A", "D", "E", "B"]}


def value(study: Study, measure: str, query: str = "q", **options: Any) -> float:
    return float(study.units(**options).loc[query, measure])


# --- the vectors of the definitions ----------------------------------------------------------


def test_the_examples_of_the_definitions() -> None:
    unit = Study(RANKING, EXAMPLE).units().loc["q"]
    expected = {"alpha_nDCG@5": 0.786896, "S_Recall@5": 2 / 3, "ERR_IA@5": 0.5, "Judged@5": 0.75}
    assert {name: unit[name] for name in expected} == pytest.approx(expected, abs=5e-7)
    half = np.zeros((4, 3))
    half[[0, 1, 3], [0, 1, 1]] = 0.5
    assert err_ia(half, [1 / 3] * 3)[-1] == pytest.approx(0.270833, abs=5e-7)


@pytest.mark.parametrize(
    ("items", "subtopics", "expected"),
    [  # S-Recall, S-Entropy, its normalised twin, Gini, Proportionality
        (["a1", "b1"], "ab", [1, math.log(2), 1, 0, 1]),
        (["a1", "a2"], "ab", [0.5, 0, 0, 0.5, 0.5]),
        (["a1", "a2"], "a", [1, 0, NAN, 0, 1]),
        (["x", "y"], "ab", [0, NAN, NAN, NAN, NAN]),
    ],
)
def test_edges_of_the_subtopic_measures(
    items: list[str], subtopics: str, expected: list[float]
) -> None:
    judgments = [("q", s, f"{s}{n}", 1.0) for s in subtopics for n in (1, 2)]
    names = ("S_Recall", "S_Entropy", "S_Entropy_Norm", "Gini", "Proportionality")
    found = [value(Study({"q": items}, judgments), f"{name}@10") for name in names]
    assert found == pytest.approx(expected, nan_ok=True)


def test_the_greedy_ideal_is_never_below_the_ranking_itself() -> None:
    # greedy takes a first; b and c together cover more
    pairs = [("a", "1234"), ("b", "125"), ("c", "346")]
    judgments = [("q", s, item, 1.0) for item, subtopics in pairs for s in subtopics]
    printed = Study({"q": ["b", "c"]}, judgments)
    assert value(printed, "alpha_nDCG@2", cutoffs="2", alpha=0.99) == 1
    assert value(printed, "alpha_nDCG@2", cutoffs="2", alpha=0.99, definition="ndeval") > 1


def test_a_shorter_ranking_is_used_as_it_is_and_ild_needs_two_items() -> None:
    unit = Study({"q": ["A", "D"]}, EXAMPLE).units().loc["q"]
    assert (unit["ILD@5"], unit["ILD@20"], unit["Retrieved"]) == (1, 1, 2)
    assert math.isnan(value(Study({"q": ["A"]}, EXAMPLE), "ILD@5"))


# --- order ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        ({"rank": [3.0, 1.0, 2.0]}, ["b", "c", "a"]),
        ({"rank": [2.0, 10.0, 1.0], "score": [1.0, 9.0, 5.0]}, ["c", "a", "b"]),
        ({"score": [1.0, 9.0, 5.0]}, ["b", "c", "a"]),
        ({"score": [5.0, 9.0, 5.0]}, ["b", "a", "c"]),  # ties by item
        ({"rank": [NAN, 1.0, 2.0]}, ["b", "c"]),
    ],
)
def test_the_order_of_a_ranking(columns: dict[str, list[float]], order: list[str]) -> None:
    rows = pd.DataFrame({"query": "q", "item": list("abc"), **columns})
    scores = Study(rows, [("q", "1", "a", 1.0), ("q", "2", "b", 1.0)]).score()
    assert scores.tables["Ranks"]["Item"].tolist() == order
    assert [p.kind for p in scores.problems] == ["no-rank"] * (3 - len(order))


def test_a_repeated_item_keeps_its_first_place() -> None:
    scores = Study({"q": ["A", "B", "A", "C"]}, EXAMPLE).score()
    assert scores.tables["Ranks"]["Item"].tolist() == ["A", "B", "C"]
    assert [(p.kind, p.row) for p in scores.problems] == [("repeated-item", 4)]


# --- which queries count ---------------------------------------------------------------------

TWO = [*EXAMPLE, ("other", "a", "A", 1.0)]


@pytest.mark.parametrize(
    ("options", "queries", "mean"),
    [
        ({}, ["q", "other"], 1 / 3),
        ({"unanswered": "drop"}, ["q"], 2 / 3),
        ({"definition": "ndeval"}, ["q"], 2 / 3),
    ],
)
def test_a_judged_query_without_a_ranking(
    options: dict[str, Any], queries: list[str], mean: float
) -> None:
    scores = Study(RANKING, TWO).score(**options)
    units = scores.units
    assert units["Query"].tolist() == queries
    assert units["S_Recall@10"].mean() == pytest.approx(mean)
    assert (units["Gini@10"].notna().sum(), scores.results["Answered"]) == (1, 0.5)
    (problem,) = scores.problems
    assert "1 (other)" in problem.message


@pytest.mark.parametrize("judgments", [[], EXAMPLE])
def test_a_table_without_rows_has_no_scores(judgments: Any) -> None:
    study = Study({}, judgments, {"items": GENRES})
    assert summarize(study.score(), FAMILY).results["Status"] == "unscored"


def test_a_query_of_another_sheet_is_not_missing() -> None:
    rows = pd.DataFrame({"query": ["q", "other"], "item": "A", "rank": 1.0, "sheet": ["1", "2"]})
    units = Study(rows, TWO).score().units
    assert units[["Sheet", "Query"]].values.tolist() == [["1", "q"], ["2", "other"]]


@pytest.mark.parametrize("judgments", [EXAMPLE, [*EXAMPLE, ("new", "a", "A", 0.0)]])
def test_a_query_without_relevant_judgments_is_listed_and_has_no_score(judgments: Any) -> None:
    scores = Study({**RANKING, "new": ["A", "B"]}, judgments).score()
    unit = scores.units.set_index("Query").loc["new"]
    assert unit.filter(like="@").isna().all()
    assert unit["Problem"] == "no judgments for this query"
    assert [(p.kind, p.row) for p in scores.problems] == [("no-judgments", 6)]


def test_runs_are_kept_apart_and_each_lacks_its_own_queries() -> None:
    rows = pd.DataFrame({"query": ["q", "q", "other"], "item": ["A", "B", "A"]})
    units = Study(rows.assign(rank=1.0, run=["1", "2", "2"], cluster="c"), TWO).score().units
    assert units[["Query", "Run"]].values.tolist() == [
        *(["q", "1"], ["q", "2"], ["other", "2"], ["other", "1"])
    ]
    assert units["Cluster"].notna().all()


# --- grades, judgments in the rankings, weights ----------------------------------------------


@pytest.mark.parametrize(
    ("grade", "highest", "expected"),
    [(1.0, 1.0, 1.0), (0.5, 1.0, 0.5), (2.0, 3.0, 3 / 8), (-2.0, 3.0, 0.0)],
)
def test_grades_are_mapped_by_the_highest_of_the_whole_reference(
    grade: float, highest: float, expected: float
) -> None:
    judgments = [("q", "1", "a", grade), ("q", "1", "b", 1.0), ("r", "1", "a", highest)]
    study = Study({"q": ["a"], "r": ["x"]}, judgments)
    assert value(study, "ERR_IA@10") == pytest.approx(expected)


def test_graded_prefers_the_better_item() -> None:
    study = Study({"q": ["a", "b"]}, [("q", "1", "a", 1.0), ("q", "2", "b", 3.0)])
    assert value(study, "alpha_nDCG@5") == 1
    assert value(study, "alpha_nDCG@5", graded=True) < 1


def test_subtopics_in_rankings_are_judgments_pooled_over_all_models() -> None:
    rows = pd.DataFrame({"query": "q", "item": ["a", "b"], "rank": [1.0, 2.0]})
    mine = outputs(rows.assign(subtopics=pd.Series([["x"], []])))
    other = outputs(rows.assign(item=["b", "c"], subtopics=pd.Series([[], ["y", "z"]])))
    pooled = pd.concat([survey(mine), survey(other)]).drop_duplicates()
    alone, together = (
        Study(mine, further={"survey": known}).units().loc["q"] for known in (survey(mine), pooled)
    )
    assert (alone["S_Recall@10"], together["S_Recall@10"]) == (1, pytest.approx(1 / 3))
    assert together["Judged@10"] == 1
    graded = rows.assign(subtopics=pd.Series([["x"], ["y"]]), relevance=[0.0, 2.0])
    assert Study(graded).units()["Subtopics"].tolist() == [1]


@pytest.mark.parametrize(
    ("column", "rows", "measure", "expected"),
    [
        ("weight", [("q", "a", 3.0), ("q", "b", 1.0)], "ERR_IA", 0.875),
        ("weight", [("", "a", 3.0), ("", "b", 1.0)], "ERR_IA", 0.875),  # for all queries
        ("weight", [("", "a", 1.0), ("q", "b", 1.0)], "ERR_IA", 0.5),  # its own first
        ("weight", [("", "a", 0.0), ("", "b", 0.0)], "ERR_IA", NAN),
        ("weight", [("q", "new", 1.0)], "S_Recall", 0.5),
        ("target", [("q", "a", 1.0)], "Proportionality", 0.5),
        ("target", [("r", "a", 1.0)], "Proportionality", 2 / 3),  # of another query
    ],
)
def test_weights_and_targets(column: str, rows: Any, measure: str, expected: float) -> None:
    weights = pd.DataFrame(rows, columns=["query", "subtopic", column])
    weights = weights.drop(columns="query") if not any(weights["query"]) else weights
    study = Study({"q": ["A", "D"]}, EXAMPLE, {"weights": weights})
    assert value(study, f"{measure}@10") == pytest.approx(expected, nan_ok=True)


# --- items ----------------------------------------------------------------------------------

GENRES = pd.DataFrame({"item": list("abcd"), "subtopics": [["x"], ["x", "y"], ["y"], []]})
FEATURES = pd.DataFrame(
    {"item": list("aabbcc"), "feature": list("uvuvuv"), "value": [1.0, 0, 0, 2, 3, 0]}
)


def test_genres_alone_give_something_to_cover_and_no_judgments() -> None:
    scores = Study({"q": ["a", "b", "d"]}, further={"items": GENRES}).score()
    unit, names = scores.units.iloc[0], [m.name for m in scores.measures]
    assert names[0] == "ILD@10"
    assert not any(name.startswith(("alpha", "ERR", "Judged")) for name in names)
    assert (unit["S_Recall@10"], unit["ILD@10"]) == (1, 0.5)
    assert scores.results["Item_Coverage@10"] == 0.75
    assert "1 (d)" in scores.problems[0].message


@pytest.mark.parametrize(
    ("items", "options", "expected", "named"),
    [
        (FEATURES, {}, 2 / 3, "features of --items"),
        (FEATURES, {"distance": "subtopics"}, 1.0, "judged subtopics"),
        (GENRES, {}, 2 / 3, "subtopics of --items"),
        (pd.DataFrame({"item": list("ab"), "text": ["x", "X!"]}), {}, 0.0, "texts of --items"),
        (None, {}, 1.0, "judged subtopics"),
    ],
)
def test_what_items_are_compared_by(
    items: pd.DataFrame | None, options: dict[str, Any], expected: float, named: str
) -> None:
    judgments = [("q", item, item, 1.0) for item in "abc"]
    further = {} if items is None else {"items": items}
    scores = Study({"q": list("abc")}, judgments, further).score(**options)
    found = scores.units["ILD@10"].iloc[0]
    assert (found, scores.results["Distance"]) == (pytest.approx(expected), named)


def test_an_item_with_an_empty_feature_drops_out() -> None:
    items = FEATURES.assign(value=FEATURES["value"].mask(FEATURES.index == 2))
    scores = Study({"q": list("abc")}, further={"items": items}).score()
    assert scores.units["ILD@10"].iloc[0] == 0
    assert "1 (b)" in scores.problems[0].message


def test_opposite_features_can_be_two_apart() -> None:
    items = pd.DataFrame({"item": ["a", "b"], "feature": "u", "value": [1.0, -1.0]})
    scores = Study({"q": ["a", "b"]}, further={"items": items}).score()
    assert scores.units["ILD@10"].iloc[0] == 2
    assert scores.measures[0].bounds == (0, 2)


@pytest.mark.parametrize(
    ("tables", "options", "says"),
    [
        ({}, {}, "no subtopics, features or text of items"),
        ({"items": GENRES}, {"distance": "text"}, "no text of items"),
        ({"weights": pd.DataFrame({"subtopic": ["a"], "weight": -1.0})}, {}, "not be below 0"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    tables: dict[str, pd.DataFrame], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(Refusal, match=says):
        Study(RANKING, [], tables).score(**options)


NDEVAL = {"definition": "ndeval"}


@pytest.mark.parametrize(
    "options",
    [
        *({"cutoffs": "5,x"}, {"cutoffs": "0"}, {"alpha": 1.5}),
        *({"graded": True, **NDEVAL}, {"weights": "w.csv", **NDEVAL}),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"must be ranks|must lie between|ndeval knows no grades"):
        DiversityOptions(**options)


def test_a_query_is_explained_rank_by_rank() -> None:
    assert FAMILY.explain is not None
    study = Study(RANKING, TWO)
    tables = FAMILY.explain(study.tables(), DiversityOptions(), "", "q").tables
    ranks = tables["Ranks"][["Item", "New", "Gain"]].values.tolist()
    assert ranks == [["A", 1, 1.0], ["D", 1, 1.0], ["E", 0, 0.0], ["B", 0, 0.5]]
    assert tables["Measures"]["Measure"][0] == "alpha_nDCG@10"
    (sentence,) = FAMILY.explain(study.tables(), DiversityOptions(), "", "other").sentences
    assert "counts as 0" in sentence
