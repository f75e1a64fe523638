"""McNemar's p-value against the binomial distribution of scipy, from few samples to a billion."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoresheet.metrics import mcnemar_p

stats: Any = import_module("scipy.stats")  # loaded by name: scipy publishes no types


@given(st.integers(0, 10**9), st.integers(0, 10**9))
@example(0, 1_100)
@example(400, 600)
@example(499_000, 501_000)
@example(499_000, 501_001)
@example(499_000_000, 501_000_000)
@example(2**30, 2**30 - 150_000)
def test_the_p_value_is_the_binomials_whichever_formula_gives_it(one: int, other: int) -> None:
    exact = min(1.0, 2 * float(stats.binom.cdf(min(one, other), one + other, 0.5)))
    assert mcnemar_p(one, other) == pytest.approx(max(exact, sys.float_info.min), rel=1e-7)


@given(st.integers(10**6, 10**9), st.floats(0, 37))
def test_the_p_value_of_very_many_samples_is_the_binomials_far_into_its_tails(total: int, deviations: float) -> None:
    few = max(0, int(total / 2 - deviations * total**0.5 / 2))
    exact = min(1.0, 2 * float(stats.binom.cdf(few, total, 0.5)))
    assert mcnemar_p(few, total - few) == pytest.approx(max(exact, sys.float_info.min), rel=1e-7)
