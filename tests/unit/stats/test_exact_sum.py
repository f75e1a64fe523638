"""Sums of many numbers at once: those of `math.fsum`, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics.stats.means import exact_sum, mean, mean_of_array
from tests.helpers.soak import examples


@examples(60)
@given(st.integers(0, 2**32), st.integers(-320, 200), st.integers(0, 300), st.booleans())
def test_the_sum_is_that_of_all_digits(seed: int, lowest: int, decades: int, cancels: bool) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=2_500) * 10.0 ** np.minimum(rng.uniform(lowest, lowest + decades, size=2_500), 250)
    if cancels:
        values = rng.permutation(np.concatenate([values, -values, values[:3]]))
    assert exact_sum(values).hex() == math.fsum(values).hex()
    assert mean_of_array(values) == mean(values.tolist())


@pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, 1e300, math.inf])
def test_the_ends_of_what_numbers_can_be(value: float) -> None:
    values = np.full(2_500, value)
    assert exact_sum(values).hex() == math.fsum(values).hex()


def test_what_is_undefined_does_not_count() -> None:
    assert mean_of_array(np.array([math.nan, 1.0, 2.0] * 1_000)) == 1.5
    assert math.isnan(mean_of_array(np.array([math.nan])))
