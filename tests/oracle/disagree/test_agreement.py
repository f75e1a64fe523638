"""Agreement of judges, against PyPI `krippendorff`, Krippendorff's own example, and sums of squares by hand."""

from __future__ import annotations

import math
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scoresheet.metrics import alpha_interval, disagreement, intraclass_correlation, krippendorff_alpha

LEVELS = ("nominal", "ordinal", "interval", "ratio")
_ = math.nan
# K. Krippendorff, Computing Krippendorff's Alpha-Reliability: four observers, twelve units
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T
oracle: Any = import_module("krippendorff")


@pytest.mark.parametrize(("level", "expected"), list(zip(LEVELS, (0.743, 0.815, 0.849, 0.797), strict=True)))
def test_alpha_of_the_authors_example(level: str, expected: float) -> None:
    assert krippendorff_alpha(EXAMPLE, level) == pytest.approx(expected, abs=5e-4)
    assert krippendorff_alpha(EXAMPLE, level) == pytest.approx(oracle.alpha(EXAMPLE.T, level_of_measurement=level))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(15))
def test_alpha_equals_the_package_on_random_ratings_with_missing_cells(level: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    items, judges = int(rng.integers(3, 60)), int(rng.integers(2, 7))
    true = rng.integers(1, 6, size=(items, 1))
    ratings = np.clip(true + rng.integers(-1, 2, size=(items, judges)), 1, 5).astype(float)
    if seed % 3 == 0:
        ratings += rng.random((items, judges)).round(2)  # many different values
    ratings[rng.random((items, judges)) < 0.25] = np.nan
    expected = oracle.alpha(ratings.T, level_of_measurement=level)
    assert krippendorff_alpha(ratings, level) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_the_order_of_judges_and_items_changes_nothing(level: str) -> None:
    rng = np.random.default_rng(3)
    ratings = rng.integers(1, 5, size=(30, 4)).astype(float)
    mixed = rng.permutation(rng.permutation(ratings, axis=0), axis=1)
    assert krippendorff_alpha(mixed, level) == pytest.approx(krippendorff_alpha(ratings, level), abs=1e-12)


def test_labels_are_nominal() -> None:
    labels: list[list[Any]] = [["Tie", "Tie"], ["A", "A"], ["B", "A"], ["", "B"], [None, "A"]]
    numbers: list[list[float]] = [[0, 0], [1, 1], [2, 1], [math.nan, 2], [math.nan, 1]]
    assert krippendorff_alpha(labels, "nominal") == krippendorff_alpha(numbers, "nominal")


@pytest.mark.parametrize("level", LEVELS)
def test_without_variation_or_without_pairs_alpha_is_undefined(level: str) -> None:
    assert math.isnan(krippendorff_alpha([[2, 2], [2, 2]], level))
    assert math.isnan(krippendorff_alpha([[1, math.nan], [math.nan, 2]], level))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_perfect_agreement_is_one(level: str) -> None:
    assert krippendorff_alpha([[1, 1, 1], [2, 2, 2], [5, 5, 5]], level) == 1


def test_an_unknown_level_is_named_with_what_would_do() -> None:
    with pytest.raises(ValueError, match="nominal, ordinal, interval, ratio"):
        krippendorff_alpha([[1, 2]], "cardinal")


def _mean_squares(table: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """The analysis of variance of items × judges, cell by cell."""
    n, k = table.shape
    middle = sum(table[i, j] for i in range(n) for j in range(k)) / (n * k)
    rows = [sum(table[i]) / k for i in range(n)]
    columns = [sum(table[:, j]) / n for j in range(k)]
    items = k * sum((row - middle) ** 2 for row in rows) / (n - 1)
    judges = n * sum((column - middle) ** 2 for column in columns) / (k - 1)
    error = sum((table[i, j] - rows[i] - columns[j] + middle) ** 2 for i in range(n) for j in range(k))
    return items, judges, error / ((n - 1) * (k - 1))


@pytest.mark.parametrize("seed", range(10))
def test_intraclass_correlations_are_their_formulas_over_complete_items(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.random((20, 4)) + rng.random((20, 1))
    ratings[rng.random((20, 4)) < 0.1] = np.nan
    complete = ratings[~np.isnan(ratings).any(axis=1)]
    items, judges, error = _mean_squares(complete)
    n, k = complete.shape
    found = intraclass_correlation(ratings)
    assert found.items == n
    assert found.single == pytest.approx((items - error) / (items + (k - 1) * error + k * (judges - error) / n))
    assert found.average == pytest.approx((items - error) / (items + (judges - error) / n))


def test_one_judge_or_one_item_has_no_intraclass_correlation() -> None:
    assert math.isnan(intraclass_correlation([[1.0], [2.0]]).single)
    assert math.isnan(intraclass_correlation([[1.0, 2.0]]).average)


Numbers = NDArray[np.float64]


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3, 1e6 / 7])
@pytest.mark.parametrize("shape", [(7, 3), (10, 2), (6, 6)])
def test_judges_who_all_say_the_same_of_everything_have_no_alpha_and_no_icc(
    value: float, shape: tuple[int, int]
) -> None:
    same = np.full(shape, value)
    assert all(math.isnan(krippendorff_alpha(same, level)) for level in ("nominal", "ordinal", "interval", "ratio"))
    assert math.isnan(intraclass_correlation(same).single)
    assert not alpha_interval(same).is_known


def plain_ratio_alpha(scores: Numbers) -> float:
    """Alpha as it is defined: every two ratings of an item against every two ratings there are."""
    apart = ((scores[:, :, None] - scores[:, None, :]) / (scores[:, :, None] + scores[:, None, :])) ** 2
    seen = apart.sum() / (scores.shape[1] - 1)
    flat = scores.ravel()
    expected = sum(float((((value - flat) / (value + flat)) ** 2).sum()) for value in flat)
    return float(1 - (len(flat) - 1) * seen / expected)


@pytest.mark.parametrize(("low", "high"), [(0.001, 1.0), (1.0, 1e9), (70.0, 100.0)])
def test_ratio_alpha_of_thousands_of_different_scores_is_that_of_the_definition(low: float, high: float) -> None:
    rng = np.random.default_rng(3)
    scores = np.exp(rng.uniform(math.log(low), math.log(high), size=(900, 1)) + rng.normal(0, 0.01, size=(900, 4)))
    assert krippendorff_alpha(scores, "ratio") == pytest.approx(plain_ratio_alpha(scores), abs=1e-9)


def test_ratio_alpha_counts_pairs_of_zeros_as_equal_among_thousands_of_scores() -> None:
    rng = np.random.default_rng(4)
    scores = rng.uniform(0, 1, size=(1700, 2))
    scores[:40] = 0
    scores[40:60, 0] = 0
    tiny = np.where(scores == 0, 1e-300, scores)  # as far from all others as 0 is
    assert krippendorff_alpha(scores, "ratio") == pytest.approx(plain_ratio_alpha(tiny), abs=1e-9)


def test_intervals_and_alphas_of_the_page_in_the_docs_are_those_it_shows() -> None:
    page = (Path(__file__).parents[3] / "docs" / "disagree.md").read_text(encoding="utf-8")
    known = {"alpha_interval": alpha_interval, "disagreement": disagreement, "krippendorff_alpha": krippendorff_alpha}
    shown = re.findall(r"^((?:alpha_interval|disagreement|krippendorff_alpha)\(.*)  # (.*)$", page, re.MULTILINE)
    assert len(shown) == 3
    for code, said in shown:
        value = eval(code, known)
        ends = value[:2] if isinstance(value, tuple) else (value,)
        numbers = [float(number) for number in re.findall(r"\d\.\d+", said)]
        assert [round(end, 4) for end in ends] == [round(number, 4) for number in numbers], code


def test_a_correlation_over_nothing_is_undefined() -> None:
    # by hand: between items 0.0267, between judges 0.0267, error 0.1067; 0.0267 + (0.0267 - 0.1067) / 3 is 0
    found = intraclass_correlation([[0.1, 0.9], [0.5, 0.1], [0.1, 0.5]])
    assert math.isnan(found.average)
    assert not math.isnan(found.single)
