"""Disagreement over items, against exact fractions, Python's `statistics` and what must hold whatever the scores."""

from __future__ import annotations

import csv
import math
import random
import shutil
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from scoresheet.metrics import (
    DEFAULT_STRATEGIES,
    alpha_interval,
    apply_strategy,
    disagreement,
    disagreements,
    intraclass_correlation,
    krippendorff_alpha,
    overall_scores,
)
from tests.helpers.files import sheet_rows
from tests.helpers.runs import Run, called_in
from tests.helpers.soak import examples

pytestmark = pytest.mark.usefixtures("no_workbooks")

stats: Any = import_module("scipy.stats")  # loaded by name: it publishes no types

EXAMPLES = examples(40)
STATISTICS = ("mean", "variance", "std_dev", "cv", "minimum", "maximum", "consensus", "reliability")
NAMES = ("standard", "conservative", "aggressive", "cultural_focused", "dimension_weighted")
Record = dict[str, str]


# --- the oracle: fractions, so that what lies on an edge is known to lie on it --------------------


class Expected(NamedTuple):
    judges: int
    mean: float
    variance: float
    std_dev: float
    cv: float
    minimum: float
    maximum: float
    consensus: float
    reliability: float
    outliers: tuple[int, ...]
    robust_outliers: tuple[int, ...]


def cv_squared(scores: Sequence[Fraction]) -> Fraction | None:
    """Return CV², exactly; None where it is undefined."""
    if len(scores) < 2 or statistics.mean(scores) <= 0:
        return None
    return Fraction(statistics.variance(scores) / statistics.mean(scores) ** 2)


def root(square: Fraction | None) -> float:
    return math.nan if square is None else math.sqrt(square)


def z_outliers(scores: Sequence[Fraction], threshold: Fraction = Fraction(3, 2)) -> tuple[int, ...]:
    """Return who is further from the mean than the threshold says, without a root: z² against its square."""
    if len(scores) < 2:
        return ()
    mean, variance = statistics.mean(scores), statistics.variance(scores)
    return tuple(place for place, score in enumerate(scores) if (score - mean) ** 2 > threshold**2 * variance)


def robust_outliers(
    scores: Sequence[Fraction], threshold: Fraction = Fraction("3.5"), floor: Fraction = Fraction("0.02")
) -> tuple[int, ...]:
    if not scores:
        return ()
    middle = statistics.median(scores)
    mad = statistics.median([abs(score - middle) for score in scores])
    unit = max(mad, floor)
    return tuple(n for n, score in enumerate(scores) if Fraction("0.6745") * abs(score - middle) > threshold * unit)


def expected(scores: Sequence[Fraction]) -> Expected:
    """Return an item's statistics by the definitions; edges are decided in fractions."""
    if not scores:
        nan = math.nan
        return Expected(0, nan, nan, nan, nan, nan, nan, 0, 0, (), ())
    mean, low, high = float(statistics.mean(scores)), float(min(scores)), float(max(scores))
    if len(scores) == 1:
        return Expected(1, mean, math.nan, math.nan, math.nan, low, high, 1, 0.7, (), ())
    variance = statistics.variance(scores)
    square = cv_squared(scores)
    consensus = reliability = math.nan
    if square is not None:
        consensus = max(0.0, 1 - 2 * math.sqrt(square))
        bonus = 0.1 if square < Fraction(1, 100) else 0.0  # consensus > 0.8 is CV < 0.1
        reliability = min(1.0, max(0.0, consensus * (1 - min(1.0, 5 * float(variance))) + bonus))
    return Expected(
        len(scores),
        mean,
        float(variance),
        math.sqrt(variance),
        root(square),
        low,
        high,
        consensus,
        reliability,
        z_outliers(scores),
        robust_outliers(scores),
    )


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)


def hundredths(*values: int) -> list[Fraction]:
    return [Fraction(value, 100) for value in values]


def agrees(found: Any, wanted: Expected) -> None:
    assert found.judges == wanted.judges
    for name in STATISTICS:
        assert getattr(found, name) == near(getattr(wanted, name)), name
    assert found.outliers == wanted.outliers
    assert found.robust_outliers == wanted.robust_outliers


panels = st.lists(st.integers(0, 100), max_size=9).map(lambda values: hundredths(*values))
close_panels = st.integers(10, 90).flatmap(
    lambda middle: st.lists(st.integers(middle - 8, middle + 8), min_size=2, max_size=9)
)
any_scores = st.lists(st.floats(0, 1), max_size=10)
# a panel with one judge far from a crowd: where outliers are found
with_a_loner = st.tuples(st.integers(40, 60), st.lists(st.integers(-3, 3), min_size=2, max_size=8), st.integers(0, 100))


# --- vectors of the definitions ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "cv", "consensus", "reliability", "outliers"),
    [
        ([0.6, 0.8, 0.7, 0.9, 0.75], 0.149071, 0.701858, 0.657992, ()),
        ([0.8, 0.85, 0.82, 0.1, 0.83], 0.477545, 0.04491, 0.021231, (3,)),
        ([0.7, 0.8, 0.75, 0.85], 0.08329, 0.83342, 0.916057, ()),
    ],
)
def test_vectors_of_the_definitions(
    scores: list[float], cv: float, consensus: float, reliability: float, outliers: tuple[int, ...]
) -> None:
    found = disagreement(scores)
    assert found.cv == pytest.approx(cv, abs=5e-7)
    assert found.consensus == pytest.approx(consensus, abs=5e-6)
    assert found.reliability == pytest.approx(reliability, abs=5e-7)
    assert found.outliers == outliers


def test_vector_of_the_weighted_overall_score() -> None:
    cells = np.array([[0.8, 0.9, 0.7], [0.6, 0.5, 0.3], [0.9, 0.8, 0.9]])
    scores, confidence, relevance = cells.T.reshape(3, 1, 1, 3)
    assert overall_scores(scores, confidence, relevance) == pytest.approx(np.array([[0.828]]), abs=1e-12)


def test_vector_of_the_disagreement_in_a_dimension() -> None:
    assert disagreement([0.8, 0.6, 0.9]).cv == pytest.approx(0.199242, abs=5e-7)


# --- one item ------------------------------------------------------------------------------------


@EXAMPLES
@given(panels)
@example(hundredths(34, 40, 46))
@example(hundredths(36, 40, 44))
@example(hundredths(0, 0, 0))
@example(hundredths(1, 1, 1, 1, 1, 1))
def test_an_item_equals_the_definitions_in_fractions(scores: list[Fraction]) -> None:
    assume(len(scores) != 1 or scores[0] > 0)
    agrees(disagreement([float(score) for score in scores]), expected(scores))


@EXAMPLES
@given(close_panels)
def test_an_item_with_little_spread_equals_the_definitions_in_fractions(values: list[int]) -> None:
    scores = hundredths(*values)
    agrees(disagreement([float(score) for score in scores]), expected(scores))


@EXAMPLES
@given(with_a_loner)
def test_a_judge_far_from_a_crowd_is_called_by_the_rules_that_fractions_say(
    panel: tuple[int, list[int], int],
) -> None:
    middle, crowd, loner = panel
    scores = hundredths(*(middle + step for step in crowd), loner)
    agrees(disagreement([float(score) for score in scores]), expected(scores))


@EXAMPLES
@given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_moments_are_those_of_pythons_statistics(scores: list[float]) -> None:
    found = disagreement(scores)
    assert found.judges == len(scores)
    assert found.mean == near(statistics.fmean(scores))
    assert found.variance == pytest.approx(statistics.variance(scores), rel=1e-9, abs=1e-15)
    assert found.std_dev == pytest.approx(statistics.stdev(scores), rel=1e-9, abs=1e-12)
    assert (found.minimum, found.maximum) == (min(scores), max(scores))


@pytest.mark.parametrize("scores", [[0.34, 0.4, 0.46], [0.17, 0.2, 0.23], [0.68, 0.8, 0.92], [0.51, 0.6, 0.69]])
def test_a_cv_of_fifteen_hundredths_is_a_consensus_of_seven_tenths(scores: list[float]) -> None:
    found = disagreement(scores)
    assert found.cv == near(0.15)
    assert found.consensus == near(0.7)


@pytest.mark.parametrize("scores", [[0.36, 0.4, 0.44], [0.27, 0.3, 0.33], [0.63, 0.7, 0.77], [0.72, 0.8, 0.88]])
def test_a_consensus_of_exactly_eight_tenths_has_no_bonus(scores: list[float]) -> None:
    found = disagreement(scores)
    assert found.consensus == near(0.8)
    assert found.reliability == near(0.8 * (1 - 5 * (scores[1] / 10) ** 2))


def test_a_consensus_a_little_above_eight_tenths_has_the_bonus() -> None:
    found = disagreement([0.3601, 0.4, 0.4399])
    assert found.consensus == near(1 - 2 * 0.0399 / 0.4)
    assert found.reliability == near(found.consensus * (1 - 5 * 0.0399**2) + 0.1)


def test_reliability_is_never_above_one() -> None:
    found = disagreement([0.5, 0.5001, 0.4999])
    assert found.consensus < 1
    assert found.reliability == 1


@pytest.mark.parametrize("scores", [[0.0, 1.0], [0.1, 0.5, 0.9, 0.1], [0.25, 0.5, 0.75]])
def test_a_cv_of_a_half_or_more_leaves_neither_consensus_nor_reliability(scores: list[float]) -> None:
    found = disagreement(scores)
    assert found.cv >= 0.5 - 1e-12
    assert (found.consensus, found.reliability) == (near(0), near(0))


def test_judges_who_all_say_zero_have_no_consensus() -> None:
    found = disagreement([0.0, 0.0, 0.0, 0.0, 0.0])
    assert (found.judges, found.mean, found.variance, found.std_dev) == (5, 0, 0, 0)
    assert (found.minimum, found.maximum) == (0, 0)
    assert [math.isnan(value) for value in (found.cv, found.consensus, found.reliability)] == [True] * 3
    assert found.outliers == found.robust_outliers == ()


@EXAMPLES
@given(st.floats(0.01, 1), st.integers(2, 30))
def test_judges_who_all_agree_are_in_full_consensus_and_none_stands_out(score: float, judges: int) -> None:
    found = disagreement([score] * judges)
    assert found.mean == near(score)
    assert (found.cv, found.consensus, found.reliability) == (near(0), near(1), 1)
    assert found.outliers == found.robust_outliers == ()


@pytest.mark.parametrize("score", [0.01, 0.3, 1.0])
def test_one_judge_is_in_consensus_and_not_quite_reliable(score: float) -> None:
    for scores in ([score], [math.nan, score, math.nan]):
        found = disagreement(scores)
        assert (found.judges, found.mean, found.minimum, found.maximum) == (1, score, score, score)
        assert [math.isnan(value) for value in (found.variance, found.std_dev, found.cv)] == [True] * 3
        assert (found.consensus, found.reliability) == (1, 0.7)
        assert found.outliers == found.robust_outliers == ()


@pytest.mark.parametrize("scores", [[], [math.nan], [math.nan] * 4])
def test_no_judge_is_no_consensus(scores: list[float]) -> None:
    found = disagreement(scores)
    assert (found.judges, found.consensus, found.reliability) == (0, 0, 0)
    undefined = (found.mean, found.variance, found.std_dev, found.cv, found.minimum, found.maximum)
    assert all(math.isnan(value) for value in undefined)
    assert found.outliers == found.robust_outliers == ()


# --- the two rules for outliers ------------------------------------------------------------------


@EXAMPLES
@given(st.lists(st.floats(0, 1), max_size=4))
def test_the_rule_of_the_mean_never_fires_with_four_judges_or_fewer(scores: list[float]) -> None:
    found = disagreement(scores)
    assert found.outliers == ()
    assert not found.outliers_can_fire


@pytest.mark.parametrize("judges", range(2, 12))
def test_the_furthest_a_judge_can_stand_decides_whether_the_rule_can_fire(judges: int) -> None:
    # all but one agree: the one is (n − 1)/√n standard deviations away, which nobody can exceed
    found = disagreement([0.5] * (judges - 1) + [0.9])
    assert found.outliers_can_fire == ((judges - 1) ** 2 > Fraction(9, 4) * judges)
    assert found.outliers == ((judges - 1,) if found.outliers_can_fire else ())


@pytest.mark.parametrize("start", [7, 13, 30, 64])
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_a_judge_at_exactly_one_and_a_half_deviations_is_no_outlier(start: int, factor: int) -> None:
    # from the mean: −6 −3 −1 0 0 5 5, whose squares are 96 in sum and 16 on average over n − 1: sd is 4
    scores = hundredths(*(start + factor * step for step in (0, 3, 5, 6, 6, 11, 11)))
    assert (scores[0] - statistics.mean(scores)) ** 2 == Fraction(9, 4) * statistics.variance(scores)
    for order in (scores, scores[::-1], [*scores[3:], *scores[:3]]):
        assert disagreement([float(score) for score in order]).outliers == ()
    beyond = [scores[0] - Fraction(1, 1000), *scores[1:]]
    assert disagreement([float(score) for score in beyond]).outliers == (0,)


def test_judges_who_are_missing_do_not_make_the_rule_possible() -> None:
    found = disagreement([0.5, 0.5, 0.5, math.nan, math.nan, 0.9])
    assert not found.outliers_can_fire
    assert disagreement([0.5, 0.5, 0.5, math.nan, 0.5, 0.9]).outliers_can_fire


def test_three_judges_are_enough_for_the_robust_rule() -> None:
    found = disagreement([0.80, 0.82, 0.1])
    # median .8, deviations .02 and .7: MAD .02; 0.6745 · .7 / .02 is 23.6
    assert found.robust_outliers == (2,)
    assert found.outliers == ()


def test_the_floor_of_the_mad_keeps_a_small_step_from_being_an_outlier() -> None:
    # four agree, so MAD is 0; 0.6745 · d / 0.02 passes 3.5 at d = 0.10378
    assert disagreement([0.5, 0.5, 0.5, 0.5, 0.603]).robust_outliers == ()
    assert disagreement([0.5, 0.5, 0.5, 0.5, 0.605]).robust_outliers == (4,)


def test_a_wide_mad_replaces_the_floor() -> None:
    # median .5, deviations .1 .1 0 .1 and .4: MAD .1; 0.6745 · .4 / .1 is 2.7
    assert disagreement([0.4, 0.6, 0.5, 0.6, 0.9]).robust_outliers == ()


@EXAMPLES
@given(any_scores)
def test_nobody_within_the_floors_reach_of_the_median_is_a_robust_outlier(scores: list[float]) -> None:
    assume(scores)
    middle = statistics.median(scores)
    for place in disagreement(scores).robust_outliers:
        assert abs(scores[place] - middle) > 3.5 * 0.02 / 0.6745


@EXAMPLES
@given(any_scores)
def test_fewer_than_half_of_the_judges_are_robust_outliers(scores: list[float]) -> None:
    found = disagreement(scores)
    assert 2 * len(found.robust_outliers) <= len(scores)


# --- what holds whatever the scores ---------------------------------------------------------------


@EXAMPLES
@given(any_scores)
def test_consensus_and_reliability_lie_between_zero_and_one(scores: list[float]) -> None:
    assume(len(scores) != 1)
    found = disagreement(scores)
    if scores and statistics.fmean(scores) == 0:
        assert math.isnan(found.consensus)
        assert math.isnan(found.reliability)
    else:
        assert 0 <= found.consensus <= 1
        assert 0 <= found.reliability <= 1
        assert not any(math.copysign(1, value) < 0 for value in (found.consensus, found.reliability))


@EXAMPLES
@given(panels, st.randoms(use_true_random=False))
def test_the_order_of_judges_changes_nothing(scores: list[Fraction], rng: random.Random) -> None:
    order = list(range(len(scores)))
    rng.shuffle(order)
    given_order = disagreement([float(score) for score in scores])
    mixed = disagreement([float(scores[place]) for place in order])
    for name in STATISTICS:
        assert getattr(mixed, name) == near(getattr(given_order, name)), name
    assert {order[place] for place in mixed.outliers} == set(given_order.outliers)
    assert {order[place] for place in mixed.robust_outliers} == set(given_order.robust_outliers)


@EXAMPLES
@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=10))
def test_a_missing_score_is_a_judge_left_out(cells: list[int | None]) -> None:
    there = [place for place, cell in enumerate(cells) if cell is not None]
    with_gaps = disagreement([math.nan if cell is None else cell / 100 for cell in cells])
    without = disagreement([cell / 100 for cell in cells if cell is not None])
    assert with_gaps.judges == without.judges == len(there)
    for name in STATISTICS:
        assert getattr(with_gaps, name) == near(getattr(without, name)), name
    assert with_gaps.outliers == tuple(there[place] for place in without.outliers)
    assert with_gaps.robust_outliers == tuple(there[place] for place in without.robust_outliers)
    assert with_gaps.outliers_can_fire == without.outliers_can_fire


@EXAMPLES
@given(st.lists(st.floats(0.05, 1), min_size=2, max_size=9), st.floats(0.1, 1))
def test_cv_consensus_and_the_rule_of_the_mean_ignore_the_unit(scores: list[float], factor: float) -> None:
    one, other = disagreement(scores), disagreement([factor * score for score in scores])
    assert other.cv == pytest.approx(one.cv, rel=1e-6, abs=1e-9)
    assert other.consensus == pytest.approx(one.consensus, rel=1e-6, abs=1e-9)
    assert other.variance == pytest.approx(factor**2 * one.variance, rel=1e-6, abs=1e-12)


@EXAMPLES
@given(
    st.lists(st.floats(0.3, 0.7), min_size=2, max_size=9),
    st.floats(0.05, 0.3),
)
def test_a_judge_further_out_never_raises_consensus(scores: list[float], step: float) -> None:
    lower = min(range(len(scores)), key=scores.__getitem__)
    moved = [score - step if place == lower else score for place, score in enumerate(scores)]
    assert disagreement(moved).consensus <= disagreement(scores).consensus + 1e-12


# --- many items ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_a_table_gives_each_row_what_the_row_alone_gets(seed: int) -> None:
    rng = random.Random(seed)
    judges = rng.randint(1, 9)
    rows: list[list[Fraction | None]] = [
        [None if rng.random() < 0.2 else Fraction(rng.randint(1, 20), 20) for _ in range(judges)] for _ in range(60)
    ]
    rows.append([None] * judges)
    table = np.array([[math.nan if cell is None else float(cell) for cell in row] for row in rows])
    found = disagreements(table)
    assert found.outliers.shape == found.robust_outliers.shape == table.shape
    for number, row in enumerate(rows):
        there = [place for place, cell in enumerate(row) if cell is not None]
        wanted = expected([cell for cell in row if cell is not None])
        assert found.judges[number] == wanted.judges
        for name in STATISTICS:
            assert getattr(found, name)[number] == near(getattr(wanted, name)), name
        assert np.flatnonzero(found.outliers[number]).tolist() == [there[n] for n in wanted.outliers]
        assert np.flatnonzero(found.robust_outliers[number]).tolist() == [there[n] for n in wanted.robust_outliers]


# --- overall scores ------------------------------------------------------------------------------


def weighted(cells: Iterable[tuple[float, float, float]]) -> float:
    """Return Σ w·s / Σ w of (score, confidence, relevance)."""
    there = [(score, confidence * relevance) for score, confidence, relevance in cells if not math.isnan(score)]
    total = math.fsum(weight for _, weight in there)
    return math.fsum(score * weight for score, weight in there) / total if total else math.nan


@pytest.mark.parametrize("seed", range(6))
def test_overall_scores_are_weighted_means_over_the_dimensions_that_are_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 20)), int(rng.integers(1, 5)), int(rng.integers(1, 5)))
    scores, confidence, relevance = rng.random((3, *shape))
    scores[rng.random(shape) < 0.2] = np.nan
    confidence[rng.random(shape) < 0.2] = 0
    found = overall_scores(scores, confidence, relevance)
    assert found.shape == shape[:2]
    for item, judge in np.ndindex(*found.shape):
        cells = zip(scores[item, judge], confidence[item, judge], relevance[item, judge], strict=True)
        assert found[item, judge] == near(weighted(cells))


def test_weights_that_are_not_given_are_one() -> None:
    scores = np.array([[[0.2, 0.4, 0.9], [0.3, math.nan, 0.6]]])
    weights = np.array([[[0.5, 1.0, 0.0], [0.2, 0.7, 0.6]]])
    assert overall_scores(scores)[0] == pytest.approx([0.5, 0.45], abs=1e-12)
    for found in (overall_scores(scores, confidence=weights), overall_scores(scores, relevance=weights)):
        assert found[0] == pytest.approx([0.5 / 1.5, (0.06 + 0.36) / 0.8], abs=1e-12)


def test_without_any_weight_there_is_no_overall_score() -> None:
    scores = np.array([[[0.2, 0.4], [math.nan, math.nan], [0.5, math.nan]]])
    confidence = np.array([[[0.0, 0.5], [1.0, 1.0], [0.0, 1.0]]])
    relevance = np.array([[[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]])
    assert np.isnan(overall_scores(scores, confidence, relevance)).all()


# --- strategies: the API ---------------------------------------------------------------------------

TABLE: Mapping[str, tuple[str, str, str]] = {
    "standard": (".5", ".5", "0"),
    "conservative": (".3", ".7", "-.2"),
    "aggressive": (".7", ".3", ".2"),
    "cultural_focused": (".9", ".6", ".1"),
    "dimension_weighted": (".6", ".5", "0"),
}
WEIGHTS: Mapping[str, str] = {
    "cultural_authenticity": ".3",
    "traditional_accuracy": ".3",
    "contextual_appropriateness": ".2",
    "linguistic_competence": ".2",
}


def clamped(value: Fraction) -> Fraction:
    return min(Fraction(1), max(Fraction(0), value))


def as_seen_by(
    strategy: str, dimension: str, score: Fraction, confidence: Fraction, relevance: Fraction
) -> tuple[Fraction, Fraction]:
    """Return score and confidence as the strategy of that name sees them."""
    emphasis, threshold, bias = (Fraction(number) for number in TABLE[strategy])
    score += bias / 10
    if emphasis > Fraction(1, 2):
        score += (emphasis - Fraction(1, 2)) * relevance / 5
    if strategy == "dimension_weighted" and dimension in WEIGHTS:
        confidence *= Fraction(WEIGHTS[dimension])
    if confidence < threshold:
        confidence /= 2
    return clamped(score), clamped(confidence)


def test_the_strategies_are_those_of_the_definitions() -> None:
    found = {strategy.name: strategy for strategy in DEFAULT_STRATEGIES}
    assert tuple(found) == NAMES
    for name, numbers in TABLE.items():
        strategy = found[name]
        assert (strategy.emphasis, strategy.threshold, strategy.bias) == tuple(float(number) for number in numbers)
        weights = WEIGHTS if name == "dimension_weighted" else {}
        assert dict(strategy.weights) == {dimension: float(weight) for dimension, weight in weights.items()}


unit = st.integers(0, 20).map(lambda n: Fraction(n, 20))


@EXAMPLES
@given(
    st.sampled_from(NAMES),
    st.sampled_from(["cultural_authenticity", "linguistic_competence", "tone"]),
    unit,
    unit,
    unit,
)
def test_a_strategy_changes_score_and_confidence_as_the_definitions_say(
    name: str, dimension: str, score: Fraction, confidence: Fraction, relevance: Fraction
) -> None:
    strategy = DEFAULT_STRATEGIES[NAMES.index(name)]
    weight = float(WEIGHTS[dimension]) if name == "dimension_weighted" and dimension in WEIGHTS else None
    wanted = as_seen_by(name, dimension, score, confidence, relevance)
    found = apply_strategy(float(score), float(confidence), float(relevance), strategy, weight)
    assert [float(value) for value in found] == [near(float(value)) for value in wanted]


def test_a_strategy_takes_arrays() -> None:
    rng = random.Random(5)
    cells = [[Fraction(rng.randint(0, 20), 20) for _ in range(30)] for _ in range(3)]
    arrays = [np.array([float(cell) for cell in row]) for row in cells]
    for name, strategy in zip(NAMES, DEFAULT_STRATEGIES, strict=True):
        score, confidence = apply_strategy(arrays[0], arrays[1], arrays[2], strategy)
        wanted = [as_seen_by(name, "tone", *cell) for cell in zip(*cells, strict=True)]
        assert score == pytest.approx([float(value) for value, _ in wanted], abs=1e-12)
        assert confidence == pytest.approx([float(value) for _, value in wanted], abs=1e-12)


def test_confidence_at_the_threshold_is_whole_and_below_it_halved() -> None:
    for strategy in DEFAULT_STRATEGIES:
        at, below = strategy.threshold, strategy.threshold - 0.01
        assert apply_strategy(0.5, at, 0.5, strategy)[1] == near(at)
        assert apply_strategy(0.5, below, 0.5, strategy)[1] == near(below / 2)


# --- the command: writing tables, reading reports ---------------------------------------------------


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def read_csv(path: Path) -> list[Record]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


Given = tuple[Sequence[str], Iterable[Sequence[object]]]


def all_items(run: Run, folder: Path, tables: Mapping[str, Given], *options: str) -> dict[str, dict[str, Record]]:
    """Run `disagree` once on tables, each a panel of its own or a PANEL/SHEET, and return their items by name."""
    for name, (header, rows) in tables.items():
        write_csv(folder / "in" / f"{name}.csv", header, rows)
    done = run("disagree", "in", "-o", "out", "--no-progress", *options)
    assert done.code == 0, done.err
    found: dict[str, dict[str, Record]] = {}
    for name in tables:
        panel, _, sheet = name.partition("/")
        records = read_csv(folder / "out" / f"{panel}_disagreement.csv")
        kept = [record for record in records if sheet in ("", record["Sheet"])]
        found[name] = {record["Item"]: record | {"Sheet": ""} for record in kept}
        assert len(found[name]) == len(kept) > 0
    for place in ("in", "out"):
        shutil.rmtree(folder / place)
    return found


def items(run: Run, folder: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *options: str) -> Any:
    """Run `disagree` on one panel's table and return its items by name."""
    return all_items(run, folder, {"panel": (header, rows)}, *options)["panel"]


def number(text: str) -> float:
    return float(text) if text else math.nan


def names(text: str, separator: str = "; ") -> set[str]:
    return set(text.split(separator)) if text else set()


def decimal(value: Fraction) -> str:
    return repr(float(value))


# --- the command: items of weighted dimensions ------------------------------------------------------

LONG = ("item", "strategy", "dimension", "score", "confidence", "cultural_relevance")
Cell = tuple[Fraction, Fraction, Fraction]
Rating = tuple[str, str, str, Fraction, Fraction, Fraction]


def cell(score: int, confidence: int, relevance: int) -> Cell:
    return Fraction(score, 100), Fraction(confidence, 100), Fraction(relevance, 100)


def ratings(seed: int, judges: int = 6, share: float = 0.85) -> list[Rating]:
    """Return ratings of many items: crowds with loners, spread panels, small panels, judges without a weight."""
    rng = random.Random(seed)
    found: list[Rating] = []
    for item in range(60):
        middle, spread = rng.randint(25, 85), rng.choice([2, 2, 8, 40])
        panel = rng.sample(range(judges), rng.choice([1, 2, 3, judges, judges]))
        for judge in panel:
            shift = rng.choice([-60, 60]) if rng.random() < 0.12 else 0
            for dimension in ("clarity", "depth", "tone"):
                if rng.random() > share:
                    continue
                score = min(100, max(1, middle + shift + rng.randint(-spread, spread)))
                confidence = rng.choice([0, 25, 50, 75, 100]) if rng.random() < 0.5 else 80
                relevance = rng.choice([10, 40, 90, 100])
                found.append((f"i{item}", f"j{judge}", dimension, *cell(score, confidence, relevance)))
    return found


def as_rows(found: Iterable[Rating]) -> list[list[str]]:
    return [[*rating[:3], *(decimal(value) for value in rating[3:])] for rating in found]


def exact_weighted(cells: Iterable[tuple[Fraction, Fraction]]) -> Fraction | None:
    pairs = list(cells)
    total = sum(weight for _, weight in pairs)
    return sum((value * weight for value, weight in pairs), Fraction(0)) / total if total else None


class Item(NamedTuple):
    scores: dict[str, Fraction]  # a judge's overall score
    competence: dict[str, Fraction]
    dimensions: dict[str, list[Cell]]
    incomparable: int  # judges who have no dimension in common


def worked(of_item: Sequence[Rating]) -> Item:
    """The overall scores are over the dimensions that all judges with any weight scored."""
    by_judge: dict[str, list[Cell]] = defaultdict(list)
    by_dimension: dict[str, list[Cell]] = defaultdict(list)
    for _, judge, dimension, *numbers in of_item:
        by_judge[judge].append((numbers[0], numbers[1], numbers[2]))
        by_dimension[dimension].append((numbers[0], numbers[1], numbers[2]))
    weighed = {judge for judge, cells in by_judge.items() if any(c * r for _, c, r in cells)}
    scored = {dimension: {judge for _, judge, other, *_ in of_item if other == dimension} for dimension in by_dimension}
    shared = {dimension for dimension, judges in scored.items() if weighed <= judges}
    overall = {
        judge: exact_weighted((s, c * r) for _, who, where, s, c, r in of_item if who == judge and where in shared)
        for judge in by_judge
    }
    competence = {judge: exact_weighted((r, c) for _, c, r in cells) for judge, cells in by_judge.items()}
    return Item(
        {judge: value for judge, value in overall.items() if value is not None},
        {judge: value for judge, value in competence.items() if value is not None},
        by_dimension,
        len(weighed) if len(weighed) > 1 and not shared else 0,
    )


def exceeds(square: Fraction | None, limit: str) -> bool:
    return square is not None and square > Fraction(limit) ** 2


def rare_spreads(items: Mapping[str, Item]) -> set[str]:
    """Return the items farther apart than the others are on one item in a thousand, and by more than a step."""
    known = {name: list(item.scores.values()) for name, item in items.items() if len(item.scores) > 1}
    sums = {name: statistics.variance(scores) * (len(scores) - 1) for name, scores in known.items()}
    freedom = {name: len(scores) - 1 for name, scores in known.items()}
    given = sorted({score for item in items.values() for score in item.scores.values()})
    step = min((high - low for low, high in pairwise(given)), default=Fraction(0))
    found = set()
    for name, scores in known.items():
        rest = sum(freedom.values()) - freedom[name]
        others = (sum(sums.values()) - sums[name]) / rest
        limit = stats.f.ppf(0.999, freedom[name], rest) * float(others)
        if float(statistics.variance(scores)) > limit and max(scores) - min(scores) > step:
            found.add(name)
    return found


def expected_flags(item: Item, outliers: set[str], *, rare: bool) -> tuple[set[str], str]:
    """Return the flags of an item, judges' names aside, and the worst severity."""
    flags: set[str] = set()
    severity = ""
    square = cv_squared(list(item.scores.values()))
    if exceeds(square, "0.15"):  # consensus < .7 is CV > .15, consensus < .3 is CV > .35
        flags.add("high_ensemble_disagreement")
        severity = "high" if exceeds(square, "0.35") and rare else ""
    for dimension, cells in item.dimensions.items():
        if exceeds(cv_squared([score for score, _, _ in cells]), "0.3"):
            flags.add(f"dimension_disagreement: {dimension}")
    flags |= {"strategy_outliers"} if outliers else set()
    flags |= {"single_strategy_only"} if len(item.scores) == 1 else set()
    if not item.scores and not item.incomparable:
        flags, severity = flags | {"ensemble_failure"}, "high"
    return flags, severity or ("medium" if flags else "")


def check_flags(record: Record, item: Item, outliers: set[str], *, rare: bool) -> None:
    flags, severity = expected_flags(item, outliers, rare=rare)
    shown = names(record["Flags"])
    for flag in [flag for flag in shown if flag.startswith("strategy_outliers: ")]:
        assert names(flag.removeprefix("strategy_outliers: "), ", ") == outliers
        shown = (shown - {flag}) | {"strategy_outliers"}
    assert shown == flags
    assert record["Severity"] == severity


def check_dimensions(record: Record, item: Item) -> None:
    for dimension in ("clarity", "depth", "tone"):
        cells = item.dimensions.get(dimension, [])
        wanted = root(cv_squared([score for score, _, _ in cells]))
        assert number(record[f"Disagreement_{dimension}"]) == near(wanted)
        for place, name in enumerate(("Mean", "Confidence", "Relevance")):
            mean = float(statistics.mean(cell[place] for cell in cells)) if cells else math.nan
            assert number(record[f"{name}_{dimension}"]) == near(mean)


def check_item(record: Record, item: Item, *, rare: bool) -> None:
    judges, scores = list(item.scores), list(item.scores.values())
    wanted = expected(scores)
    if item.incomparable:
        wanted = wanted._replace(judges=item.incomparable, consensus=math.nan, reliability=math.nan)
    assert int(record["Judges"]) == wanted.judges
    for column, name in zip(
        ("Mean", "Variance", "Std_Dev", "CV", "Min", "Max", "Consensus", "Reliability"), STATISTICS, strict=True
    ):
        assert number(record[column]) == near(getattr(wanted, name)), column
    seed_rule = {judges[place] for place in wanted.outliers}
    robust_rule = {judges[place] for place in wanted.robust_outliers}
    cannot_fire = 0 < len(judges) <= 4
    assert names(record["Outliers"]) == ({"cannot fire"} if cannot_fire else seed_rule)
    assert names(record["Robust_Outliers"]) == robust_rule
    outliers = seed_rule | robust_rule
    middling = {judge for judge, score in item.scores.items() if Fraction("0.3") <= score <= Fraction("0.9")}
    assert names(record["Recommended"]) == middling - outliers
    check_flags(record, item, outliers, rare=rare)
    competence = list(item.competence.values())
    assert number(record["Cultural_Competence"]) == near(float(statistics.mean(competence)) if competence else math.nan)
    assert number(record["Cultural_Consensus"]) == near(max(1 - root(cv_squared(competence)), 0.0))  # NaN stays


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Record]]:
    """The items of four samples of ratings, each a sheet of one panel."""
    root = tmp_path_factory.mktemp("rated")
    samples = {f"panel/{seed}": (LONG, as_rows(ratings(seed, judges=5 + seed))) for seed in range(4)}
    return all_items(called_in(root), root, samples)


@pytest.mark.parametrize("seed", range(4))
def test_every_column_of_every_item_follows_from_the_ratings(rated: dict[str, dict[str, Record]], seed: int) -> None:
    given_ratings = ratings(seed, judges=5 + seed)
    found = rated[f"panel/{seed}"]
    by_item: dict[str, list[Rating]] = defaultdict(list)
    for rating in given_ratings:
        by_item[rating[0]].append(rating)
    assert set(found) == set(by_item)
    rare = rare_spreads({item: worked(of_item) for item, of_item in by_item.items()})
    for item, of_item in by_item.items():
        check_item(found[item], worked(of_item), rare=item in rare)
        check_dimensions(found[item], worked(of_item))
    # the sample is worth its name: each rule fires somewhere
    shown = " ".join(record["Flags"] for record in found.values())
    for flag in ("high_ensemble", "dimension_dis", "strategy_outliers", "single_strategy_only"):
        assert flag in shown
    assert {record["Severity"] for record in found.values()} == {"medium", ""}  # judges at random: nothing is rare
    assert any(names(record["Outliers"]) - {"cannot fire"} for record in found.values())


def test_the_order_of_rows_changes_no_number(run: Run, tmp_path: Path) -> None:
    rows = as_rows(ratings(11))
    mixed = random.Random(1).sample(rows, len(rows))
    assert mixed != rows
    once, again = all_items(run, tmp_path, {"panel/once": (LONG, rows), "panel/again": (LONG, mixed)}).values()
    assert set(again) == set(once)
    numbers = [name for name in next(iter(once.values())) if name not in ("Sheet", "Item", "Flags", "Severity")]
    texts = ("Outliers", "Robust_Outliers", "Recommended")
    for item, record in once.items():
        for name in numbers:
            if name in texts:
                assert names(again[item][name]) == names(record[name])
            else:
                assert number(again[item][name]) == near(number(record[name])), name


def same_items(one: Mapping[str, Record], other: Mapping[str, Record]) -> None:
    """Assert that two runs say the same of every item, numbers to rounding."""
    assert set(one) == set(other)
    for item, record in one.items():
        assert list(record) == list(other[item])
        for name, text in record.items():
            try:
                value = number(text)
            except ValueError:
                assert names(other[item][name]) == names(text), (item, name)
            else:
                assert number(other[item][name]) == near(value), (item, name)


WEIGHED = ("item", "judge", "dimension", "score", "confidence", "relevance")


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The items of ratings between zero and one."""
    root = tmp_path_factory.mktemp("twins")
    return items(called_in(root), root, WEIGHED, as_rows(ratings(21)))


@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 100), (-3, 3), (1, 10)])
def test_scores_on_a_scale_say_what_their_twins_between_zero_and_one_say(
    run: Run, tmp_path: Path, twins: Any, low: int, high: int
) -> None:
    on_scale = [(*rating[:3], low + (high - low) * rating[3], *rating[4:]) for rating in ratings(21)]
    # the equals sign keeps a negative end from being read as an option
    same_items(twins, items(run, tmp_path, WEIGHED, as_rows(on_scale), f"--scale={low}:{high}"))


def test_clipped_scores_count_as_the_ends_of_the_scale_and_blanked_ones_not_at_all(run: Run, tmp_path: Path) -> None:
    header = ("item", "judge", "score")
    rows = [
        ("a", "x", "0.4"),
        ("a", "y", "1.3"),
        ("a", "z", "0.9"),
        ("b", "x", "-2"),
        ("b", "y", "0.5"),
        ("b", "z", "0.6"),
    ]
    clipped = [(i, j, {"1.3": "1", "-2": "0"}.get(s, s)) for i, j, s in rows]
    blanked = [row for row in rows if row[2] not in ("1.3", "-2")]
    wanted = all_items(run, tmp_path, {"panel/clip": (header, clipped), "panel/blank": (header, blanked)})
    for how in ("clip", "blank"):
        same_items(items(run, tmp_path, header, rows, "--out-of-scale", how), wanted[f"panel/{how}"])


def test_a_blank_score_is_a_judge_left_out(run: Run, tmp_path: Path) -> None:
    rows = as_rows(ratings(31))
    rng = random.Random(31)
    dropped = {rng.randrange(len(rows)) for _ in range(40)}
    # an item or judge that has nothing but blanks would leave the report in one of the two
    with_blanks = [[*row[:3], "", *row[4:]] if place in dropped else row for place, row in enumerate(rows)]
    without = [row for place, row in enumerate(rows) if place not in dropped]
    both = {"panel/blank": (LONG, with_blanks), "panel/left_out": (LONG, without)}
    blank, left_out = all_items(run, tmp_path, both).values()
    same_items({item: blank[item] for item in left_out}, left_out)


def layouts(seed: int) -> dict[str, Given]:
    """Return the same scores in three layouts."""
    rng = random.Random(seed)
    dimensions = ("clarity", "depth")
    cells = {
        (f"i{item}", f"j{judge}", dimension): decimal(Fraction(rng.randint(1, 20), 20))
        for item in range(25)
        for judge in range(5)
        for dimension in dimensions
        if rng.random() < 0.9
    }
    keys = sorted({key[:2] for key in cells})
    rows = [(*key, *(cells.get((*key, dimension), "") for dimension in dimensions)) for key in keys]
    judges = [f"j{judge}" for judge in range(5)]
    wide = [
        (item, dimension, *(cells.get((item, judge, dimension), "") for judge in judges))
        for item in sorted({item for item, _ in keys})
        for dimension in dimensions
    ]
    return {
        f"long/{seed}": (("item", "judge", "dimension", "score"), [(*key, cells[key]) for key in cells]),
        f"by_dimension/{seed}": (("item", "judge", *dimensions), rows),
        f"by_judge/{seed}": (("item", "dimension", *judges), wide),
    }


def test_long_and_both_wide_tables_say_the_same(run: Run, tmp_path: Path) -> None:
    found = all_items(run, tmp_path, layouts(0) | layouts(1))
    for seed in range(2):
        same_items(found[f"long/{seed}"], found[f"by_dimension/{seed}"])
        same_items(found[f"long/{seed}"], found[f"by_judge/{seed}"])


def test_what_lies_on_an_edge_is_not_beyond_it(run: Run, tmp_path: Path) -> None:
    # three judges at m − d, m, m + d have CV d/m
    panels_of = {
        "consensus .7": ["0.34", "0.4", "0.46"],
        "consensus .7 again": ["0.51", "0.6", "0.69"],
        "consensus .3": ["0.26", "0.4", "0.54"],
        "dimension .3": ["0.35", "0.5", "0.65"],
        "dimension .3 again": ["0.42", "0.6", "0.78"],
        "above": ["0.339", "0.4", "0.461"],
        "high": ["0.259", "0.4", "0.541"],
    }
    found = items(run, tmp_path, ("item", "x", "y", "z"), [(item, *row) for item, row in panels_of.items()])
    flagged = {item: (names(record["Flags"]), record["Severity"]) for item, record in found.items()}
    disagree = "high_ensemble_disagreement"
    dimension = {flag for flags, _ in flagged.values() for flag in flags if flag.startswith("dimension")}
    assert len(dimension) == 1  # the table has no dimensions; whatever the one is called, it is one
    assert flagged == {
        "consensus .7": (set(), ""),
        "consensus .7 again": (set(), ""),
        "consensus .3": ({disagree} | dimension, "medium"),
        "dimension .3": ({disagree}, "medium"),
        "dimension .3 again": ({disagree}, "medium"),
        "above": ({disagree}, "medium"),
        "high": ({disagree} | dimension, "medium"),  # beyond .3, but judges are as far apart elsewhere
    }
    calm = [(f"calm {place}", "0.4", "0.41", "0.4") for place in range(20)]
    found = items(run, tmp_path, ("item", "x", "y", "z"), [*calm, *((name, *row) for name, row in panels_of.items())])
    assert [item for item, record in found.items() if record["Severity"] == "high"] == []
    edges = [(name, *panels_of[name]) for name in ("consensus .3", "high")]
    for name, *row in edges:
        found = items(run, tmp_path, ("item", "x", "y", "z"), [*calm, (name, *row)])
        assert found[name]["Severity"] == ("high" if name == "high" else "medium")


def test_scores_that_map_to_the_ends_of_the_recommended_range_are_recommended(run: Run, tmp_path: Path) -> None:
    # on 1:5 the ends 0.3 and 0.9 are 2.2 and 4.6; on 0:7 they are 2.1 and 6.3, on 0:3 0.9 and 2.7
    for scale, low, high in (
        ("1:5", "2.2", "4.6"),
        ("0:7", "2.1", "6.3"),
        ("0:3", "0.9", "2.7"),
        ("0:1", "0.3", "0.9"),
    ):
        rows = [("a", low, low, high), ("b", high, high, low)]
        found = items(run, tmp_path, ("item", "x", "y", "z"), rows, "--scale", scale, "--robust-threshold", "1000000")
        assert [names(record["Recommended"]) for record in found.values()] == [{"x", "y", "z"}] * 2


def test_thresholds_are_options(run: Run, tmp_path: Path) -> None:
    rows = [("a", "0.5", "0.5", "0.52", "0.48", "0.6"), ("b", "0.9", "0.9", "0.95", "0.9", "0.2")]
    header = ("item", "v", "w", "x", "y", "z")
    plain = items(run, tmp_path, header, rows)
    assert [(r["Outliers"], r["Robust_Outliers"]) for r in plain.values()] == [("z", ""), ("z", "z")]
    # item a: |z − mean|/sd is 1.716; 0.6745 · .1 / .02 is 3.37
    strict = items(run, tmp_path, header, rows, "--outlier-threshold", "1.72", "--robust-threshold", "3.3")
    assert [(r["Outliers"], r["Robust_Outliers"]) for r in strict.values()] == [("", "z"), ("z", "z")]
    # nobody among five can be 1.79 standard deviations away: (5 − 1)/√5 is 1.7889
    never = items(run, tmp_path, header, rows, "--outlier-threshold", "1.79", "--mad-floor", "0.2")
    assert [(r["Outliers"], r["Robust_Outliers"]) for r in never.values()] == [("cannot fire", "")] * 2
    # item a has CV .0902 and consensus .8196, item b .4292 and .1416
    loose = items(
        run,
        tmp_path,
        header,
        rows,
        *("--consensus-threshold", "0.1", "--high-threshold", "0.1"),
        "--dimension-threshold",
        "0.5",
    )
    assert all("disagreement" not in record["Flags"] for record in loose.values())
    tight = items(run, tmp_path, header, rows, "--consensus-threshold", "0.85", "--high-threshold", "0.82")
    assert [record["Severity"] for record in tight.values()] == ["medium", "medium"]  # two items say little
    calm = [(f"calm {place}", "0.5", "0.5", "0.505", "0.5", "0.5") for place in range(20)]
    tight = items(run, tmp_path, header, [*rows, *calm], "--consensus-threshold", "0.85", "--high-threshold", "0.82")
    assert [record["Severity"] for record in tight.values()][:2] == ["medium", "high"]
    assert {record["Severity"] for record in tight.values()} == {"high", "medium"}  # the calm ones have an outlier
    few = items(run, tmp_path, header, rows, "--recommend", "0.51:0.55")
    assert [record["Recommended"] for record in few.values()] == ["x", ""]


def test_items_without_a_mean_a_judge_or_company_are_told_apart(run: Run, tmp_path: Path) -> None:
    header = ("item", "judge", "score", "confidence")
    rows = [
        ("zero", "x", "0", "1"),
        ("zero", "y", "0", "1"),
        ("alone", "x", "0.4", "1"),
        ("nobody", "x", "0.4", "0"),
        ("nobody", "y", "0.6", "0"),
        ("fine", "x", "0.4", "1"),
        ("fine", "y", "0.41", ""),
    ]
    write_csv(tmp_path / "in" / "panel.csv", header, rows)
    assert run("disagree", "in", "-o", "out", "--no-progress").code == 0
    found = {record["Item"]: record for record in read_csv(tmp_path / "out" / "panel_disagreement.csv")}
    columns = ("Judges", "Mean", "Variance", "CV", "Consensus", "Reliability")
    values = {item: [number(record[name]) for name in columns] for item, record in found.items()}
    nan = pytest.approx(math.nan, nan_ok=True)
    assert values["zero"] == [2, 0, 0, nan, nan, nan]
    assert values["alone"] == [1, near(0.4), nan, nan, 1, near(0.7)]
    assert values["nobody"] == [0, nan, nan, nan, 0, 0]
    assert values["fine"][0] == 2
    shown = {item: (record["Flags"], record["Severity"]) for item, record in found.items()}
    assert shown["zero"] == ("", "")
    assert shown["alone"] == ("single_strategy_only", "medium")
    assert shown["nobody"] == ("ensemble_failure", "high")
    kinds = {problem["kind"]: problem for problem in read_csv(tmp_path / "out" / "problems.csv")}
    assert (kinds["zero-mean"]["effect"], kinds["zero-mean"]["row"]) == ("note", "2")
    assert kinds["zero-weights"]["effect"] == "note"


# --- the command: strategies ---------------------------------------------------------------------------

VECTOR = [
    ("cultural_authenticity", Fraction("0.8"), Fraction("0.9"), Fraction("0.85")),
    ("traditional_accuracy", Fraction("0.75"), Fraction("0.8"), Fraction("0.7")),
]
ONE_JUDGE = ("item", "dimension", "score", "confidence", "cultural_relevance")


def ensemble(rows: Iterable[tuple[str, Fraction, Fraction, Fraction]]) -> list[Rating]:
    """Return what the five strategies make of one judge's scores of an item."""
    return [
        ("item", strategy, dimension, *as_seen_by(strategy, dimension, score, confidence, relevance), relevance)
        for dimension, score, confidence, relevance in rows
        for strategy in NAMES
    ]


def test_the_oracle_of_the_strategies_has_the_vector_of_the_definitions() -> None:
    scores = worked(ensemble(VECTOR)).scores
    wanted = dict(zip(NAMES, (0.778868, 0.758868, 0.830332, 0.851796, 0.7946), strict=True))
    assert {name: float(score) for name, score in scores.items()} == pytest.approx(wanted, abs=5e-7)


def test_vector_of_the_strategies(run: Run, tmp_path: Path) -> None:
    rows = [("a", dimension, *(decimal(value) for value in cell)) for dimension, *cell in VECTOR]
    # a second item, so that agreement over items is defined
    rows += [("b", dimension, *(decimal(value / 2) for value in cell)) for dimension, *cell in VECTOR]
    record = items(run, tmp_path, ONE_JUDGE, rows, "--strategies", "default")["a"]
    assert record["Judges"] == "5"
    assert float(record["CV"]) == pytest.approx(0.047134, abs=5e-7)
    assert float(record["Consensus"]) == pytest.approx(0.905731, abs=5e-7)
    assert float(record["Min"]) == pytest.approx(0.758868, abs=5e-7)
    assert float(record["Max"]) == pytest.approx(0.851796, abs=5e-7)
    mean = statistics.fmean((0.778868, 0.758868, 0.830332, 0.851796, 0.7946))
    assert float(record["Mean"]) == pytest.approx(mean, abs=5e-7)


@pytest.mark.usefixtures("workbooks")
def test_vector_of_the_strategies_judge_by_judge(run: Run, tmp_path: Path) -> None:
    # two items alike: each strategy's mean over them is its score of either
    rows = [(item, dimension, *(decimal(value) for value in cell)) for item in "ab" for dimension, *cell in VECTOR]
    write_csv(tmp_path / "in" / "panel.csv", ONE_JUDGE, rows)
    assert run("disagree", "in", "-o", "out", "--no-progress", "--strategies", "default").code == 0
    lines = judge_lines(tmp_path / "out" / "panel_disagreement.xlsx")
    means = {line["Judge"]: line["Mean"] for line in lines if line["Dimension"] == "Overall"}
    wanted = dict(zip(NAMES, (0.778868, 0.758868, 0.830332, 0.851796, 0.7946), strict=True))
    assert means == pytest.approx(wanted, abs=5e-7)


def judge_lines(path: Path) -> list[dict[str, Any]]:
    rows = sheet_rows(path, "Judges")
    start = next(place for place, row in enumerate(rows) if {"Judge", "Bias"} <= set(row))
    lines = [dict(zip((str(cell) for cell in rows[start]), row, strict=True)) for row in rows[start + 1 :]]
    return [line for line in lines if line["Judge"]]


def one_judges_cells(seed: int) -> dict[str, list[tuple[str, Fraction, Fraction, Fraction]]]:
    """Return one judge's scores, confidences and relevances of many items."""
    rng = random.Random(seed)
    dimensions = ("clarity", "depth", "tone") if seed == 0 else tuple(WEIGHTS)
    return {
        f"i{item}": [
            (dimension, *cell(rng.randint(5, 100), rng.randint(5, 100), rng.randint(5, 100)))
            for dimension in dimensions
        ]
        for item in range(30)
    }


@pytest.fixture(scope="module")
def strategic(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Record]]:
    """What the strategies make of three judges, each on its own; the first knows other dimensions."""
    root = tmp_path_factory.mktemp("strategic")
    tables: dict[str, Given] = {
        ("other" if seed == 0 else f"panel/{seed}"): (
            ONE_JUDGE,
            [
                (item, dimension, *(decimal(value) for value in numbers))
                for item, of_item in one_judges_cells(seed).items()
                for dimension, *numbers in of_item
            ],
        )
        for seed in range(3)
    }
    return all_items(called_in(root), root, tables, "--strategies", "default")


@pytest.mark.parametrize("seed", range(3))
def test_items_of_strategies_follow_from_one_judges_scores(strategic: dict[str, dict[str, Record]], seed: int) -> None:
    found = strategic["other" if seed == 0 else f"panel/{seed}"]
    made = {item: worked(ensemble(of_item)) for item, of_item in one_judges_cells(seed).items()}
    rare = rare_spreads(made)
    for item, wanted in made.items():
        check_item(found[item], wanted, rare=item in rare)
        if seed == 0:
            check_dimensions(found[item], wanted)


def test_a_wide_table_of_one_judge_says_what_the_long_one_says(run: Run, tmp_path: Path) -> None:
    rng = random.Random(8)
    cells = {f"i{n}": [decimal(Fraction(rng.randint(1, 20), 20)) for _ in range(2)] for n in range(12)}
    dimensions = ("cultural_authenticity", "tone")
    wide = [(item, *row) for item, row in cells.items()]
    long = [
        (item, dimension, cell) for item, row in cells.items() for dimension, cell in zip(dimensions, row, strict=True)
    ]
    both: dict[str, Given] = {
        "wide": (("item", *dimensions), wide),
        "long": (("item", "dimension", "score"), long),
    }
    same_items(*all_items(run, tmp_path, both, "--strategies", "default").values())


def test_a_table_of_strategies_that_repeats_the_default_one_gives_the_same(run: Run, tmp_path: Path) -> None:
    write_csv(
        tmp_path / "strategies.csv",
        ("strategy", "emphasis", "threshold", "bias", *WEIGHTS),
        [(name, *TABLE[name], *(WEIGHTS.values() if name == "dimension_weighted" else [""] * 4)) for name in NAMES],
    )
    rng = random.Random(9)
    rows = [
        (f"i{n}", dimension, *(decimal(Fraction(rng.randint(1, 20), 20)) for _ in range(3)))
        for n in range(12)
        for dimension in WEIGHTS
    ]
    default = items(run, tmp_path, ONE_JUDGE, rows, "--strategies", "default")
    same_items(default, items(run, tmp_path, ONE_JUDGE, rows, "--strategies", "strategies.csv"))


def test_strategies_see_scores_on_a_scale_as_their_twins_between_zero_and_one(run: Run, tmp_path: Path) -> None:
    rng = random.Random(10)
    keys = [(f"i{n}", dimension) for n in range(15) for dimension in WEIGHTS]
    cells = [cell(rng.randint(0, 100), rng.randint(5, 100), rng.randint(5, 100)) for _ in keys]
    both = []
    for low, high in ((0, 1), (1, 5)):
        rows = [
            (*key, decimal(low + (high - low) * score), decimal(confidence), decimal(relevance))
            for key, (score, confidence, relevance) in zip(keys, cells, strict=True)
        ]
        both.append(items(run, tmp_path, ONE_JUDGE, rows, "--strategies", "default", "--scale", f"{low}:{high}"))
    same_items(*both)


# --- nothing, or nothing above zero -----------------------------------------------------------------------------------


def test_an_item_without_judges_is_no_error_and_a_panel_without_ratings_is() -> None:
    assert disagreement([]).judges == 0
    for statistic in (intraclass_correlation, krippendorff_alpha, alpha_interval):
        with pytest.raises(ValueError, match="ratings"):
            statistic([])
    assert not alpha_interval([["a", "b"], ["a", "a"]], "nominal").is_known
    with pytest.raises(ValueError, match="level cannot be 'bogus'"):
        alpha_interval([[1, 2], [2, 3]], "bogus")


@pytest.mark.parametrize("scores", [[0.0, 0.0], [0.0, 0.0, 0.0]])
def test_a_mean_of_zero_is_no_consensus(scores: list[float]) -> None:
    found = disagreement(scores)
    assert all(math.isnan(value) for value in (found.cv, found.consensus, found.reliability))
