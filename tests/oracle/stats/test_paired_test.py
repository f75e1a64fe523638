"""The paired test, against scipy's randomisation test and bootstrap, and against hand counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from scoresheet.metrics import paired_test
from scoresheet.metrics.stats.confidence import POWER, detectable_difference, expanded_tail
from scoresheet.metrics.stats.paired_draws import SystemSums
from scoresheet.metrics.stats.randomisation import (
    least_p_value,
    paired_tests,
    paired_tests_of_all,
    why_not_shown,
)
from tests.helpers.soak import examples

SCORES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=9)


def scipys_p(ours: NDArray[np.float64], theirs: NDArray[np.float64], resamples: float = np.inf) -> float:
    found = stats.permutation_test(
        (ours, theirs),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=0,
    )
    return float(found.pvalue)


@examples(15)
@given(SCORES.filter(lambda scores: len(scores) > 1))
def test_few_units_give_the_exact_p_value_of_scipy(scores: list[tuple[int, int]]) -> None:
    ours, theirs = np.array(scores, dtype=float).T / 20
    assert paired_test(ours, theirs).p_value == pytest.approx(min(1.0, scipys_p(ours, theirs)), abs=1e-12)


def test_many_units_give_scipys_p_value_but_for_the_draws() -> None:
    rng = np.random.default_rng(2)
    ours = rng.random(40)
    theirs = ours - 0.04 + 0.15 * rng.standard_normal(40)
    # scipy's two-sided value is twice the smaller tail, ours counts both: alike for sums of flipped signs
    assert paired_test(ours, theirs).p_value == pytest.approx(scipys_p(ours, theirs, 20_000), abs=0.012)


def test_the_interval_is_scipys_bootstrap_of_the_differences_at_the_expanded_level() -> None:
    rng = np.random.default_rng(4)
    ours, theirs = rng.random((2, 20))
    level = 1 - 2 * expanded_tail(0.9, 20)
    theirs_ends = stats.bootstrap(
        (ours - theirs,), np.mean, method="percentile", confidence_level=level, n_resamples=20_000, rng=1
    ).confidence_interval
    found = paired_test(ours, theirs, confidence=0.9)
    assert (found.low, found.high) == pytest.approx((theirs_ends.low, theirs_ends.high), abs=0.02)


def test_the_counts_and_the_effect_size_by_hand() -> None:
    # differences .2, .1, 0, -.1, .3: mean .1, sample variance .1/4
    found = paired_test([0.9, 0.6, 0.5, 0.4, 0.8], [0.7, 0.5, 0.5, 0.5, 0.5])
    assert (found.units, found.wins, found.ties, found.losses) == (5, 3, 1, 1)
    assert (found.mean, found.other_mean) == pytest.approx((0.64, 0.54))
    assert found.difference == pytest.approx(0.1)
    assert found.deviation == pytest.approx(math.sqrt(0.025))
    assert found.effect_size == pytest.approx(0.1 / math.sqrt(0.025))
    assert found.detectable == pytest.approx(detectable_difference(math.sqrt(0.025), 5))


def test_a_unit_that_either_side_lacks_is_left_out() -> None:
    ours, theirs = [0.9, math.nan, 0.5, 0.7, 0.4, 0.3, 0.8], [0.7, 0.2, math.nan, 0.5, 0.5, 0.3, 0.1]
    both = [place for place in range(7) if not math.isnan(ours[place] + theirs[place])]
    whole = paired_test([ours[place] for place in both], [theirs[place] for place in both])
    assert paired_test(ours, theirs) == pytest.approx(whole, rel=1e-12, abs=1e-12)


def test_each_measure_is_resampled_over_the_units_that_have_it() -> None:
    rng = np.random.default_rng(7)
    ours, theirs = rng.random((12, 3)), rng.random((12, 3))
    ours[[2, 5, 8], 1] = np.nan
    theirs[:8, 2] = np.nan
    together = paired_tests(ours.tolist(), theirs.tolist(), measures=3)
    for column, found in enumerate(together[:2]):
        alone = paired_test(ours[:, column], theirs[:, column])
        assert found._replace(p_value=0) == pytest.approx(alone._replace(p_value=0), rel=1e-12)
        assert found.p_value == pytest.approx(alone.p_value, abs=0.02)
    assert together[2].units == 4
    assert math.isnan(together[2].low)


@examples(20)
@given(SCORES)
def test_swapping_the_systems_turns_everything_around(scores: list[tuple[int, int]]) -> None:
    ours, theirs = np.array(scores, dtype=float).T / 20
    one, other = paired_test(ours, theirs), paired_test(theirs, ours)
    turned = (-other.difference, -other.high, -other.low, -other.effect_size, other.p_value)
    assert (one.difference, one.low, one.high, one.effect_size, one.p_value) == pytest.approx(turned, nan_ok=True)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert one.detectable == pytest.approx(other.detectable, nan_ok=True)


@pytest.mark.parametrize("level", [0.5, 1e6, 1e12])
def test_an_interval_is_that_of_the_differences_however_much_larger_the_scores_are(level: float) -> None:
    """The sums of two systems are subtracted, of which little would be left where they are nearly the same."""
    differences = np.random.default_rng(4).choice([-1.0, 0.0, 0.5, 2.0], (60, 2))
    ours, theirs = np.full((60, 2), level) + differences, np.full((60, 2), level)
    of_differences = paired_tests_of_all([(differences, np.zeros((60, 2)))], measures=2)[0]
    for found, wanted in zip(paired_tests_of_all([(ours, theirs)], measures=2)[0], of_differences, strict=True):
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


def test_an_end_of_an_interval_that_is_nothing_is_0() -> None:
    """Most resamples draw none of the units that differ, and what their sums differ by is the arithmetic's."""
    theirs = np.random.default_rng(5).random((400, 1))
    ours = theirs.copy()
    ours[0] += 0.5
    ours[1] = np.nextafter(ours[1], 2)
    found = paired_tests_of_all([(ours, theirs)], measures=1)[0][0]
    assert found.low == 0
    assert found.high > 0


def test_a_difference_as_large_as_detectable_is_found_in_four_cases_of_five() -> None:
    rng = np.random.default_rng(8)
    step = detectable_difference(0.2, 25)
    trials = 150
    found = sum(paired_test(step + 0.2 * rng.standard_normal(25), np.zeros(25)).p_value < 0.05 for _ in range(trials))
    chance = stats.binomtest(found, trials).proportion_ci(0.999)
    assert chance.low < POWER < chance.high


@pytest.mark.parametrize("units", [1, 5, 6, 13, 14, 50])
def test_the_least_p_value_is_reached_by_a_system_that_always_wins(units: int) -> None:
    found = paired_test(np.linspace(0.5, 1, units), np.zeros(units))
    assert found.p_value == pytest.approx(least_p_value(units), rel=0.6)
    assert found.p_value > 0


def test_why_nothing_is_shown() -> None:
    rng = np.random.default_rng(9)
    ours, theirs = rng.random((2, 30))
    test = paired_test(ours, theirs)
    assert why_not_shown(test, "idioms") == f"no difference shown; {test.detectable:.3f} could have been"
    assert why_not_shown(paired_test(ours[:5], theirs[:5]), "idioms") == "too few idioms to tell"
    assert why_not_shown(paired_test(ours[:5], theirs[:5]), "idioms", confidence=0.9).startswith("no difference shown")
    assert why_not_shown(paired_test(ours, ours), "idioms") == "equal on all 30 idioms"
    assert why_not_shown(test, "idioms", tests=1_000) == "too many pairs to tell"


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: paired_test([], []), r"\(0,\)"),
    (lambda: paired_test([0.1], [0.1, 0.2]), r"\(1,\) and \(2,\)"),
    (lambda: paired_test([[0.1]], [[0.1]]), r"\(1, 1\)"),
    (lambda: paired_test([math.inf], [0.1]), "infinite"),
    (lambda: paired_test([0.2], [0.1], confidence=0.2), "0.2"),
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_what_cannot_be_is_refused_with_the_value(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_pairs_tested_together_get_what_each_gets_alone() -> None:
    rng = np.random.default_rng(17)
    pairs = []
    for units in (40, 8, 40, 0, 1, 40, 1_200, 8, 1_200):  # all signs, kept signs and drawn ones
        ours, theirs = rng.random((2, units, 3)).round(1)  # coarse, so that sums tie with the one seen
        ours[rng.random(ours.shape) < 0.1] = np.nan
        pairs.append((ours, theirs))
    together = paired_tests_of_all(pairs, measures=3, seed=2)
    alone = [paired_tests(ours, theirs, measures=3, seed=2) for ours, theirs in pairs]
    assert np.array_equal(np.array(together, dtype=float), np.array(alone, dtype=float), equal_nan=True)
    assert len({test.p_value for tests in together for test in tests}) > 5


@pytest.mark.parametrize("gaps", [0.04, 0.15, 0.3, 0.6])  # of a third and fewer, what their units add is taken away
@pytest.mark.parametrize(("units", "size"), [(8, 1.0), (40, 1.0), (1_200, 1.0), (40, 1e9)])
def test_systems_that_share_their_pairs_get_what_each_pair_gets_alone(units: int, size: float, gaps: float) -> None:
    # in tenths, so that many flips tie with the sum seen; of large numbers the sums alone would not tell which do
    rng = np.random.default_rng(3)
    systems = [np.ascontiguousarray(each) * size for each in rng.random((5, units, 3)).round(1)]
    systems[1][rng.random(units) < gaps, 2] = np.nan  # a measure that two of them have gaps in
    systems[3][rng.random(units) < gaps / 4, 1:] = np.nan
    pairs = list(itertools.combinations(systems, 2))
    kept = SystemSums()
    together = [
        each
        for some in (pairs[:7], pairs[7:])  # the second block knows its systems from the first
        for each in paired_tests_of_all(some, measures=3, seed=2, kept=kept)
    ]
    alone = [paired_tests(ours, theirs, measures=3, seed=2) for ours, theirs in pairs]
    assert np.array_equal(np.array(together, dtype=float), np.array(alone, dtype=float), equal_nan=True)
