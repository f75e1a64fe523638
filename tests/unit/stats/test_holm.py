"""Holm's correction, against its definition: the smallest family-wise level at which a step-down test rejects."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics.stats.holm import holm

chances = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(chances)
def test_rejecting_by_corrected_values_is_rejecting_step_by_step(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for level in (0.01, 0.05, 0.2):
        rejected = set()
        order = sorted(range(len(p_values)), key=p_values.__getitem__)
        for step, place in enumerate(order):
            if p_values[place] * (len(p_values) - step) > level:
                break
            rejected.add(place)
        assert {place for place, value in enumerate(corrected) if value <= level} == rejected


@given(chances)
def test_a_corrected_value_is_never_smaller_and_never_above_one(p_values: list[float]) -> None:
    assert all(p <= value <= 1 for p, value in zip(p_values, holm(p_values), strict=True))


def test_an_undefined_value_stays_undefined_and_costs_the_others_nothing() -> None:
    corrected = holm([0.03, math.nan, 0.01])
    assert corrected[0] == 0.03
    assert math.isnan(corrected[1])
    assert corrected[2] == 0.02
