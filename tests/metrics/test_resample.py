"""Resamples: the same distributions as numpy's own draws, and intervals that hold the value they belong to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoresheet.metrics.counts import gini
from scoresheet.metrics.mode_collapse.resample import bootstrap_ginis, interval, shuffled_counts

cells = st.lists(st.integers(0, 30), min_size=2, max_size=12).filter(lambda counts: sum(counts) > 1)


@pytest.mark.parametrize("counts", [[9, 5, 3, 2, 1, 0], [200, 100, 50, 3], [1] * 40, [3_000, 1_000, 500]])
def test_the_bootstrap_is_that_of_a_multinomial(counts: list[int]) -> None:
    total = sum(counts)
    plain = np.random.default_rng(5).multinomial(total, np.array(counts) / total, size=2_000)
    theirs = np.array([gini(row) for row in plain.tolist()])
    ours = bootstrap_ginis(counts)
    assert ours.mean() == pytest.approx(theirs.mean(), abs=5 * theirs.std() / np.sqrt(1_000) + 1e-12)
    assert np.quantile(ours, [0.025, 0.975]) == pytest.approx(np.quantile(theirs, [0.025, 0.975]), abs=0.02)


@settings(deadline=None)
@given(counts=cells, seed=st.integers(0, 3))
def test_an_interval_holds_its_gini_and_stays_within_what_is_possible(counts: list[int], seed: int) -> None:
    value, most = gini(counts), 1 - 1 / len(counts)
    low, high = interval(value, bootstrap_ginis(counts, seed), most)
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= most + 1e-12


@given(counts=cells)
def test_the_order_of_options_changes_no_digit(counts: list[int]) -> None:
    assert np.array_equal(bootstrap_ginis(counts), bootstrap_ginis(counts[::-1]))


@pytest.mark.parametrize(("ours", "theirs"), [([5, 3, 0], [1, 1, 6]), ([900, 700, 3], [400, 500, 8])])
def test_dealing_anew_keeps_every_total(ours: list[int], theirs: list[int]) -> None:
    dealt, rest = shuffled_counts(ours, theirs)
    assert (dealt.sum(axis=1) == sum(ours)).all()
    assert ((dealt + rest) == np.add(ours, theirs)).all()
    assert (dealt >= 0).all()
    assert (rest >= 0).all()
    expected = np.add(ours, theirs) * sum(ours) / (sum(ours) + sum(theirs))
    assert dealt.mean(axis=0) == pytest.approx(expected, rel=0.05, abs=0.2)


def test_cells_with_their_own_stream_are_dealt_independently() -> None:
    first, _ = shuffled_counts([5, 5], [5, 5], stream=0)
    second, _ = shuffled_counts([5, 5], [5, 5], stream=1)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.05
