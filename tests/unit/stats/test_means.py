"""Means of arrays are those of exact sums, whatever their values are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from scoresheet.metrics.stats.means import exact_parts, mean, mean_of_array

SIZES = (0, 1, 199, 200, 201, 5_000, 70_000)


def values_of(kind: str, size: int) -> NDArray[np.float64]:
    """Return numbers that are hard to add."""
    rng = np.random.default_rng([size, len(kind)])
    some = rng.normal(size=size)
    kinds = {
        "quarters": np.round(4 * some) / 4,
        "normal": some,
        "that cancel": np.concatenate([some, 1e-17 * rng.normal(size=size), -some]),
        "of many sizes": some * 10.0 ** rng.integers(-300, 300, size),
        "large": some * 1e290,
        "tiny": some * 1e-320,
        "zero": some * 0.0,
    }
    return rng.permutation(kinds[kind])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["quarters", "normal", "that cancel", "of many sizes", "large", "tiny", "zero"])
def test_the_mean_of_an_array_is_that_of_an_exact_sum(kind: str, size: int) -> None:
    values = values_of(kind, size)
    assert math.fsum(exact_parts(values)) == math.fsum(values.tolist())
    gaps = np.insert(values, len(values) // 2, math.nan)
    assert repr(mean_of_array(gaps)) == repr(mean(gaps.tolist()))


def test_scores_add_up_in_few_parts() -> None:
    assert len(exact_parts(values_of("normal", 5_000))) <= 4
    assert len(exact_parts(np.round(np.linspace(0, 1, 5_000), 1))) <= 3
