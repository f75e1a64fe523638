"""Distances of features of any size, and of many lists together."""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics import intra_list_diversity
from scoresheet.metrics.families.diversity.distances import (
    DescribedLists,
    cosine_blocks,
    jaccard_blocks,
    list_diversities,
    list_diversity,
    unit_vectors,
)

# --- features ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1.5e308, 1e-310, 5e-324])
def test_features_of_any_size_have_a_direction(size: float) -> None:
    rows = np.array([[size, size], [size, size], [1.0, 1.0], [size, -size]])
    assert intra_list_diversity(rows, [3, 4]) == pytest.approx({3: 0, 4: 0.5}, abs=1e-12)
    units, present = unit_vectors(rows)
    assert present.all()
    assert cosine_blocks(units)(0, 3, 3) == pytest.approx(np.zeros((3, 3)), abs=1e-12)


def test_tiny_and_huge_features_have_a_direction_all_the_same() -> None:
    for size in (1e-200, 1e200):
        assert intra_list_diversity(np.array([[size, 0], [0, size], [size, 0]]), [3])[3] == pytest.approx(2 / 3)


# --- many lists together ----------------------------------------------------------------------------------------------


def test_lists_looked_at_together_have_the_bits_that_each_has_by_itself() -> None:
    rng = np.random.default_rng(0)
    sets = rng.random((48, 30, 11)) < 0.3
    relevance = rng.random((48, 30)) * (rng.random((48, 30)) < 0.8)
    present = np.zeros((48, 30), dtype=bool)  # some ranks have nothing to be compared by
    for place, length in enumerate([*range(24), *range(24)]):
        present[place, rng.choice(30, length, replace=False)] = True
        sets[place, :, rng.integers(1, 12) :] = False
    cutoffs = (1, 5, 10, 20, 40)
    together = list_diversities(DescribedLists.of(sets, relevance, present), cutoffs)
    assert list(together) == list(cutoffs)
    for place, own in enumerate(present):
        ranks = np.flatnonzero(own)
        alone = list_diversity(jaccard_blocks(sets[place, own]), relevance[place, own], ranks, cutoffs)
        np.testing.assert_array_equal([together[k][place] for k in cutoffs], list(alone.values()))


def test_a_list_too_long_to_be_looked_at_with_others_is_measured_by_itself() -> None:
    sets = np.random.default_rng(1).random((600, 5)) < 0.3
    long = DescribedLists.of(sets[None], np.ones((1, 600)), np.ones((1, 600), dtype=bool))
    found = list_diversities(long, (10, 600))
    alone = list_diversity(jaccard_blocks(sets), np.ones(600), np.arange(600), (10, 600))
    assert {k: tuple(own[0].tolist()) for k, own in found.items()} == alone


def test_lists_of_nothing_have_no_diversity() -> None:
    nothing = DescribedLists.of(np.zeros((2, 0, 1), bool), np.zeros((2, 0)), np.zeros((2, 0), bool))
    assert np.isnan(list_diversities(nothing, (5,))[5]).all()
