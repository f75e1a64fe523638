"""Distances of features of any size."""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics import intra_list_diversity
from scoresheet.metrics.families.diversity.distances import cosine_blocks, unit_vectors

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
