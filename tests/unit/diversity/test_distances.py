"""Distances of features of any size, and of many lists together."""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics import intra_list_diversity
from scoresheet.metrics.families.diversity.distances import (
    DescribedList,
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
    lists = []
    for length in [*range(24), *range(24)]:
        ranks = np.sort(rng.choice(30, length, replace=False))  # some ranks have nothing to be compared by
        sets = rng.random((length, int(rng.integers(1, 12)))) < 0.3
        lists.append(DescribedList(sets, rng.random(length) * (rng.random(length) < 0.8), ranks))
    cutoffs = (1, 5, 10, 20, 40)
    alone = [list_diversity(jaccard_blocks(each.sets), each.relevance, each.ranks, cutoffs) for each in lists]
    together = list_diversities(lists, cutoffs)
    assert [list(each) for each in together] == [list(cutoffs)] * len(lists)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(list(one.values()), list(other.values()))


def test_a_list_too_long_to_be_looked_at_with_others_is_measured_by_itself() -> None:
    rng = np.random.default_rng(1)
    long = DescribedList(rng.random((600, 5)) < 0.3, np.ones(600), np.arange(600))
    found = list_diversities([long], (10, 600))[0]
    assert found == list_diversity(jaccard_blocks(long.sets), long.relevance, long.ranks, (10, 600))
