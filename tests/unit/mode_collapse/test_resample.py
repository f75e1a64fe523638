"""Resamples: the same distributions as numpy's own draws, and intervals that hold the value they belong to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoresheet.metrics.families.mode_collapse.gini_bootstrap import bootstrap_ginis, gini_interval
from scoresheet.metrics.families.mode_collapse.permutation_test import permuted_counts
from scoresheet.metrics.stats.concentration import gini

cells = st.lists(st.integers(0, 30), min_size=2, max_size=12).filter(lambda counts: sum(counts) > 1)


def deck(counts: list[int]) -> list[float]:
    """The chances of a resample, worked by hand: the samples, and one card more than there are options chosen once."""
    total, used = sum(counts), sum(count > 0 for count in counts)
    unused = len(counts) - used
    cards = min(sum(count == 1 for count in counts) + 1, total * unused // used) if unused else 0
    return [(count or cards / unused) / (total + cards) if unused else count / total for count in counts]


@pytest.mark.parametrize(
    "counts",
    [
        [9, 5, 3, 2, 1, 0],
        [200, 100, 50, 3],
        [1] * 40,
        [1] * 5 + [0] * 30,
        [32, 0, 0, 0, 0],
        [3_000, 1_000, 500],
        [3_000, 1_000, 0, 0],
        [60, 20, 1, 1, 1, *[0] * 60],
    ],
)
def test_the_bootstrap_is_that_of_a_multinomial_in_which_no_option_is_impossible(counts: list[int]) -> None:
    plain = np.random.default_rng(5).multinomial(sum(counts), deck(counts), size=2_000)
    theirs = np.array([gini(row) for row in plain.tolist()])
    ours = bootstrap_ginis(counts)
    assert ours.mean() == pytest.approx(theirs.mean(), abs=5 * theirs.std() / np.sqrt(1_000) + 1e-12)
    assert np.quantile(ours, [0.025, 0.975]) == pytest.approx(np.quantile(theirs, [0.025, 0.975]), abs=0.03)


@pytest.mark.parametrize("options", [5, 20, 50])
@pytest.mark.parametrize("favourite", [0.5, 0.8, 0.95])
def test_an_interval_covers_the_mean_gini_of_samples_of_its_size(options: int, favourite: float) -> None:
    rng = np.random.default_rng(1)
    shares = [favourite, *[(1 - favourite) / (options - 1)] * (options - 1)]
    mean = np.mean([gini(row) for row in rng.multinomial(32, shares, size=4_000).tolist()])
    held = 0
    for counts in rng.multinomial(32, shares, size=100).tolist():
        low, high = gini_interval(gini(counts), bootstrap_ginis(counts), 1 - 1 / options)
        held += bool(low - 1e-12 <= mean <= high + 1e-12)
    assert held >= 85  # of 100; a bootstrap of the chosen options alone covers 60 to 80 of them


@settings(deadline=None)
@given(counts=cells, seed=st.integers(0, 3))
def test_an_interval_holds_its_gini_and_stays_within_what_is_possible(counts: list[int], seed: int) -> None:
    value, most = gini(counts), 1 - 1 / len(counts)
    low, high = gini_interval(value, bootstrap_ginis(counts, seed), most)
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= most + 1e-12


@given(counts=cells)
def test_the_order_of_options_changes_no_digit(counts: list[int]) -> None:
    assert np.array_equal(bootstrap_ginis(counts), bootstrap_ginis(counts[::-1]))


@pytest.mark.parametrize(("ours", "theirs"), [([5, 3, 0], [1, 1, 6]), ([900, 700, 3], [400, 500, 8])])
def test_dealing_anew_keeps_every_total(ours: list[int], theirs: list[int]) -> None:
    dealt, rest = permuted_counts(ours, theirs)
    assert (dealt.sum(axis=1) == sum(ours)).all()
    assert ((dealt + rest) == np.add(ours, theirs)).all()
    assert (dealt >= 0).all()
    assert (rest >= 0).all()
    expected = np.add(ours, theirs) * sum(ours) / (sum(ours) + sum(theirs))
    assert dealt.mean(axis=0) == pytest.approx(expected, rel=0.05, abs=0.2)


def test_cells_with_their_own_stream_are_dealt_independently() -> None:
    first, _ = permuted_counts([5, 5], [5, 5], stream=0)
    second, _ = permuted_counts([5, 5], [5, 5], stream=1)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.05
