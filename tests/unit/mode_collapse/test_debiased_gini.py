"""The debiased Gini: what samples have on average is given back, ends are in order, and no order matters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, poisson  # type: ignore[import-untyped]

from scoresheet.metrics import debiased_gini, gini
from scoresheet.metrics.families.mode_collapse import debiased_gini as module
from scoresheet.metrics.families.mode_collapse.debiased_gini import (
    debiased_gini_of_cells,
    gini_difference,
    shapes,
)

cells = st.lists(st.integers(0, 30), min_size=2, max_size=12).filter(lambda counts: sum(counts) > 1)


@settings(deadline=None, max_examples=40)
@given(counts=cells, seed=st.integers(0, 2))
def test_the_ends_hold_the_value_and_stay_within_what_is_possible(counts: list[int], seed: int) -> None:
    found = debiased_gini(counts, seed=seed)
    assert 0 <= found.value <= 1 - 1 / len(counts) + 1e-9
    if found.note:
        assert math.isnan(found.low)
    else:
        assert 0 <= found.low <= found.value + 1e-12 <= found.high + 2e-12 <= 1 - 1 / len(counts) + 1e-9
        assert -1e-12 <= found.entropy_low <= found.entropy_high <= 1


@settings(deadline=None, max_examples=25)
@given(counts=cells)
def test_the_order_of_options_and_of_cells_changes_no_digit(counts: list[int]) -> None:
    assert str(debiased_gini(counts)) == str(debiased_gini(counts[::-1]))
    other = [9, 1, 0]
    assert str(debiased_gini_of_cells([counts, other])) == str(debiased_gini_of_cells([other, counts]))


def test_the_mean_gini_of_a_choosers_samples_is_debiased_to_its_own() -> None:
    """By another road: the exact mean Gini of two options, from the binomial distribution."""
    favourite, samples = 0.7, 60
    counts = np.arange(samples + 1)
    seen = float(np.sum(binom.pmf(counts, samples, favourite) * np.abs(counts / samples - 0.5)))
    top = round((seen + 0.5) * samples)
    assert debiased_gini([top, samples - top]).value == pytest.approx(favourite - 0.5, abs=0.02)


def test_the_bias_of_a_plain_gini_is_gone() -> None:
    """A favourite of 48 % of 5 options, 20 samples: the Gini of a sample is .06 too high on average."""
    rng = np.random.default_rng(3)
    drawn = rng.multinomial(20, [0.48, *[0.13] * 4], size=150).tolist()
    assert np.mean([gini(counts) for counts in drawn]) - 0.28 > 0.06
    assert np.mean([debiased_gini(counts).value for counts in drawn]) == pytest.approx(0.28, abs=0.04)


def test_many_even_cells_are_debiased_together() -> None:
    rng = np.random.default_rng(4)
    drawn = rng.multinomial(10, [0.2] * 5, size=200).tolist()
    one_by_one = np.mean([debiased_gini(counts).value for counts in drawn])
    together = debiased_gini_of_cells(drawn)
    assert one_by_one > 0.1
    assert together.value < 0.05
    assert together.low == 0


def test_all_samples_on_one_option_have_an_exact_end() -> None:
    found = debiased_gini([10, 0, 0, 0, 0])
    # the favourite's share that gives ten of ten in 2.5 % of cases
    assert found.low == pytest.approx(0.025 ** (1 / 10) - 1 / 5)
    assert (found.value, found.high) == (0.8, 0.8)
    assert binom.pmf(10, 10, found.low + 1 / 5) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("counts", "note"),
    [
        ([2, 2], "too few samples for an interval: 4, at least 5 are needed"),
        ([*[1] * 20, *[0] * 80], "too few samples for an interval: 20 for 100 options, at least 60 are needed"),
        ([18, 1, 1, *[0] * 97], ""),  # most stand out: what the rest is like matters little
        ([3, 2], ""),
    ],
)
def test_too_few_samples_have_no_interval_and_say_so(counts: list[int], note: str) -> None:
    found = debiased_gini(counts)
    assert found.note == note
    assert math.isnan(found.low) == math.isnan(found.entropy_low) == bool(note)
    assert not math.isnan(found.value)


@pytest.mark.parametrize("counts", [[7], [0, 0, 0]])
def test_where_there_is_no_gini_nothing_is_said(counts: list[int]) -> None:
    assert all(math.isnan(value) for value in debiased_gini(counts)[:3])
    assert debiased_gini(counts).note == ""


@pytest.mark.parametrize("counts", [[-1, 3], [1.5, 2], [math.nan, 1], [[1, 2]], ["a", "b"], [math.inf, 1]])
def test_what_is_no_count_is_refused(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="counts"):
        debiased_gini(counts)


def test_a_wider_level_has_a_wider_interval() -> None:
    narrow, wide = (debiased_gini([20, 6, 3, 2, 1], confidence=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert narrow.value == wide.value
    with pytest.raises(ValueError, match="a level of confidence"):
        debiased_gini([3, 4], confidence=95)


def test_shares_seen_are_freed_of_the_noise_of_sampling() -> None:
    rng = np.random.default_rng(6)
    flat, steep = shapes(sorted(rng.multinomial(500, [0.1] * 10).tolist(), reverse=True), 10)
    assert np.ptp(flat) == 0
    assert [flat.sum(), steep.sum()] == pytest.approx([1, 1])
    # two that stand out and are alike, eight that are never chosen by more than chance
    flat, _ = shapes([100, 96, *[4] * 8], 10)
    assert flat[0] == flat[1] > 10 * flat[2]
    flat, _ = shapes([100, 99, 98], 6)  # of three that were never chosen none would be missed by chance
    assert flat[3:].tolist() == [0, 0, 0]


@pytest.mark.parametrize(("count", "mean"), [(2, 0.1), (5, 1.5), (3, 3.0), (30, 8.0), (1_000, 600.0), (4, 9.0)])
def test_a_poisson_tail_is_that_of_scipy_where_it_matters(count: int, mean: float) -> None:
    found = module._at_least(count, mean)
    exact = float(poisson.sf(count - 1, mean))
    # a count below the mean never stands out, and is not counted out
    assert found == (1.0 if mean > count else pytest.approx(exact, rel=1e-6, abs=1e-15))


def test_a_difference_is_that_of_the_two_and_has_its_sign() -> None:
    ours, theirs = [[40, 5, 5]], [[20, 15, 15]]
    found, turned = gini_difference(ours, theirs), gini_difference(theirs, ours)
    means = [debiased_gini_of_cells(each).value for each in (ours, theirs)]
    assert found.value == pytest.approx(means[0] - means[1])
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low))
    assert math.isnan(gini_difference([[2, 1]], theirs).low)
    assert math.isnan(gini_difference([], theirs).value)
