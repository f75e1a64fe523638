"""The ideal of α-nDCG: its bound holds, and nothing depends on the order of the items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoresheet.metrics.families.diversity.ideal import exact_ideals, greedy_ideals, upper_bounds

DISCOUNTS = 1 / np.log2(np.arange(2, 9))
pools = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0.0, 1.0]), min_size=width, max_size=width), min_size=1, max_size=7
    )
)


@settings(deadline=None)
@given(rows=pools, alpha=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_no_ranking_exceeds_the_bound_and_greedy_does_not_exceed_the_best(
    rows: list[list[float]], alpha: float
) -> None:
    pool = np.array(rows)
    best = exact_ideals([pool], DISCOUNTS, alpha, graded=False)[0]
    greedy = greedy_ideals([pool], DISCOUNTS, alpha, graded=False)[0]
    assert (greedy <= best + 1e-9).all()
    assert best[-1] <= upper_bounds([pool], DISCOUNTS, alpha)[0] + 1e-9
    assert (np.diff(best) >= -1e-12).all()


@settings(deadline=None)
@given(rows=pools, seed=st.integers(0, 5))
def test_the_order_of_the_items_changes_no_digit_of_a_greedy_ideal(rows: list[list[float]], seed: int) -> None:
    pool = np.array(rows)
    mixed = np.random.default_rng(seed).permutation(pool)
    one, other = greedy_ideals([pool, mixed], DISCOUNTS, 0.5, graded=False)
    assert np.array_equal(one, other)


@pytest.mark.parametrize("size", range(1, 11))
def test_pools_of_one_size_may_have_different_numbers_of_subtopics(size: int) -> None:
    rng = np.random.default_rng(size)
    together = [(rng.random((size, width)) < 0.5).astype(float) for width in (2, 5, 3)]
    alone = np.vstack([exact_ideals([pool], DISCOUNTS, 0.5, graded=False) for pool in together])
    assert exact_ideals(together, DISCOUNTS, 0.5, graded=False) == pytest.approx(alone)


def test_grades_count_only_if_asked_for() -> None:
    pool = np.array([[0.25, 0.0], [0.0, 0.75]])
    assert exact_ideals([pool], DISCOUNTS, 0.5, graded=False)[0, 0] == 1
    assert exact_ideals([pool], DISCOUNTS, 0.5, graded=True)[0, 0] == 0.75
    assert greedy_ideals([pool], DISCOUNTS, 0.5, graded=True)[0, 0] == 0.75
