"""Do routing entropy and the emergence ratio go as expected, and where do they break?"""

from __future__ import annotations

import math

import pytest
from scipy.stats import kendalltau  # type: ignore[import-untyped]

from scoresheet.metrics.families.collective.patterns import Pattern, emergence_pattern, routing_pattern

EPOCHS = [str(epoch) for epoch in range(1, 9)]
RISING = [1.0, 1.02, 1.1, 1.2, 1.31, 1.3, 1.33, 1.34]


def rising(values: list[float]) -> Pattern:
    pattern = emergence_pattern(EPOCHS[: len(values)], values, confidence=0.95)
    assert pattern is not None
    return pattern


def falling(values: list[float]) -> Pattern:
    pattern = routing_pattern(EPOCHS[: len(values)], values, confidence=0.95)
    assert pattern is not None
    return pattern


def test_a_ratio_that_rises_and_stays_is_as_expected_and_does_not_break() -> None:
    pattern = rising(RISING)
    wanted = kendalltau(range(8), RISING)
    assert (pattern.tau, pattern.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert (pattern.finding, pattern.breaks_at, pattern.back_at) == ("as expected", "", "")
    assert (pattern.first, pattern.last, pattern.epochs) == (1.0, 1.34, 8)


def test_a_break_has_its_epoch_and_that_at_which_it_is_made_up_for() -> None:
    pattern = rising([1.0, 1.2, 1.4, 1.5, 1.2, 1.3, 1.4, 1.6])
    assert (pattern.breaks_at, pattern.back_at) == ("5", "7")  # 1.4 is more than 0.9 × 1.5, and 1.3 is not
    assert rising([1.0, 1.2, 1.4, 1.5, 1.2]).back_at == ""


def test_an_entropy_may_waver_by_a_tenth_of_where_it_began() -> None:
    assert falling([1.0, 0.7, 0.5, 0.3, 0.4, 0.3]).breaks_at == ""
    assert falling([1.0, 0.7, 0.5, 0.3, 0.45, 0.3]).breaks_at == "5"
    assert falling([1.0, 0.7, 0.5, 0.3, 0.2]).finding == "as expected"


def test_the_other_way_is_against_expectation_and_no_way_is_not_shown() -> None:
    assert rising(RISING[::-1]).finding == "against expectation"
    assert falling(RISING).finding == "against expectation"
    assert rising([1.0, 1.1, 0.9, 1.05, 0.95]).finding == "not shown"


def test_four_epochs_are_too_few() -> None:
    assert rising(RISING[:4]).finding == "too few epochs"
    assert rising([*RISING[:4], math.nan]).finding == "too few epochs"
    assert emergence_pattern(["1", "2"], [1.0, math.nan], confidence=0.95) is None
