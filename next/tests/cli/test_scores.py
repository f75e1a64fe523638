"""scores from the command line: people's own numbers."""

import pandas as pd
import pytest
from scipy import stats

from .conftest import Study

ITEMS = [f"q{n}" for n in range(12)]
A = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.5, 0.9, 0.7, 0.8, 0.6, 0.9]
B = [0.7, 0.7, 0.4, 0.8, 0.2, 0.7, 0.6, 0.5, 0.7, 0.4, 0.5, 0.6]


@pytest.fixture
def two(study: Study) -> Study:
    for name, scores in {"a": A, "b": B}.items():
        study.csv(f"s/{name}.csv", "item,score", list(zip(ITEMS, scores, strict=True)))
    return study


def test_the_interval_and_the_test_are_those_of_students_t(two: Study) -> None:
    assert two.run("scores", "s").code == 0
    row = two.results("results/scores").loc["a"]
    low, high = stats.ttest_1samp(A, 0).confidence_interval(0.95)
    assert (row["CI_Low"], row["CI_High"]) == pytest.approx((low, high), rel=0.05)
    (pair,) = pd.read_csv(two.folder / "results/scores/comparisons.csv").to_dict("records")
    difference = [a - b for a, b in zip(A, B, strict=True)]
    assert pair["Difference"] == pytest.approx(sum(difference) / 12)
    assert pair["P_Value"] == pytest.approx(stats.ttest_rel(A, B).pvalue, rel=0.5)


def test_several_measures_are_read_from_headers(study: Study) -> None:
    rows = [[i, a, b, "x"] for i, a, b in zip(ITEMS, A, B, strict=True)]
    study.csv("m.csv", "id,bleu,chrf,note", rows)
    refused = study.run("scores", "m.csv")
    assert refused.code == 2
    assert "no column for score" in refused.text
    done = study.run("scores", "m.csv", "--column", "measure=@header:bleu,chrf")
    assert done.code == 0, done.err
    row = study.results("results/scores").loc["m"]
    assert (row["bleu"], row["chrf"]) == pytest.approx((sum(A) / 12, sum(B) / 12))
    assert "not used: note" in done.err


def test_lower_is_better_turns_the_ranking(two: Study) -> None:
    assert "b scores lowest" in two.run("scores", "s", "--lower-is-better", "Score").out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--bounds 0:0.5", "scores lie outside 0:0.5"),
        ("--bounds 1", "bounds must be LOW:HIGH"),
        ("--bounds 1:0", "two numbers, the lower first, not '1:0'"),
        ("--bounds 0:inf", "two numbers, the lower first, not '0:inf'"),
        ("--lower-is-better bleu", "the measures are Score"),
    ],
)
def test_wrong_options_are_usage_errors(two: Study, options: str, says: str) -> None:
    result = two.run("scores", "s", *options.split())
    assert (result.code, says in result.text) == (2, True)


def test_an_empty_score_is_a_row_without_a_score(study: Study) -> None:
    study.csv("a.csv", "item,score", [*zip(ITEMS, A, strict=True), ("last", "")])
    result = study.run("scores", "a.csv", "--bounds", "0:1")
    row = study.results("results/scores").loc["a"]
    assert (row["Rows"], row["Scored"]) == (13, 12)
    assert "the score is empty" in result.text
