import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from scoresheet.metrics.stats.ensembles import (
    dead_member,
    emergence_drop,
    expert_threshold,
    gain_over_best,
    rho,
)
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import paired_difference


def right(shares: list[float], samples: int, seed: int) -> NDArray[np.float64]:
    return (np.random.default_rng(seed).random((samples, len(shares))) < shares).astype(float)


def test_the_gain_is_tested_against_every_member() -> None:
    members = right([0.4, 0.5, 0.3], 120, 1)
    collective = right([0.8], 120, 2)[:, 0]
    estimate = gain_over_best(collective, members)
    pairs = [paired_difference(Rows(collective), Rows(member)) for member in members.T]
    assert estimate.value == pytest.approx(collective.mean() - members.mean(axis=0).max())
    assert estimate.low == pytest.approx(min(pair.interval(0.95)[0] for pair in pairs))
    assert estimate.high == pytest.approx(min(pair.interval(1 - 0.05 / 3)[1] for pair in pairs))
    assert estimate.p == pytest.approx(max(pair.p for pair in pairs))


@given(
    seed=st.integers(0, 10_000),
    shares=st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4),
    whole=st.floats(0.05, 0.95),
)
@settings(max_examples=60, deadline=None)
def test_gain_and_rho_never_contradict_each_other_or_the_p_value(
    seed: int, shares: list[float], whole: float
) -> None:
    drawn = right([whole, *shares], 60, seed)
    gain, ratio = gain_over_best(drawn[:, 0], drawn[:, 1:]), rho(drawn[:, 0], drawn[:, 1:])
    assert gain.high <= 1 - drawn[:, 1:].mean(axis=0).max() or math.isnan(gain.high)
    if gain.note or ratio.note == "no member is ever right":
        assert ratio.note
        return
    assert (gain.low > 0) == (ratio.low > 1)
    assert (gain.high < 0) == (ratio.high < 1)
    assert (gain.p < 0.05) == (gain.low > 0 or gain.high < 0)
    assert gain.p == ratio.p
    assert ratio.low <= ratio.value <= ratio.high


def test_rho_has_the_ends_at_which_fieller_stops_to_reject() -> None:
    drawn = right([0.7, 0.4], 80, 3)
    estimate = rho(drawn[:, 0], drawn[:, 1:])
    df = paired_difference(Rows(drawn[:, 0]), Rows(drawn[:, 1])).df
    for end in (estimate.low, estimate.high):
        gaps = drawn[:, 0] - end * drawn[:, 1]
        assert abs(gaps.mean() / stats.sem(gaps)) == pytest.approx(stats.t.ppf(0.975, df))


def test_rho_of_a_member_that_may_be_useless_has_no_upper_end() -> None:
    collective, member = np.ones(40), np.zeros((40, 1))
    member[:2] = 1
    estimate = rho(collective, member)
    assert estimate.value == pytest.approx(20)
    assert 1 < estimate.low < 20
    assert estimate.high == math.inf
    assert estimate.note.startswith("no upper end")


def test_a_member_that_is_never_right_does_not_change_rho() -> None:
    drawn = right([0.8, 0.5], 60, 5)
    alone, joined = (
        rho(drawn[:, 0], m) for m in (drawn[:, 1:], np.hstack([drawn[:, 1:], np.zeros((60, 1))]))
    )
    assert joined.low == alone.low


@pytest.mark.parametrize(("collective", "value"), [(1, math.inf), (0, math.nan)])
def test_rho_without_any_member_that_is_right(collective: int, value: float) -> None:
    estimate = rho([collective] * 10, np.zeros((10, 2)))
    assert estimate.value == pytest.approx(value, nan_ok=True)
    assert estimate.note == "no member is ever right"


def test_a_member_too_close_to_test_is_named() -> None:
    members = right([0.5, 0.5], 50, 4)
    collective = members[:, 1].copy()
    collective[:3] = 1 - collective[:3]
    estimate = gain_over_best(collective, members, names=["ears", "eyes"])
    assert estimate.note == "eyes: no test: 3 of 50 units differ"
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.p)
    assert rho(collective, members).note == "member 2: no test: 3 of 50 units differ"


def test_a_collective_that_is_always_wrong_has_a_rho_of_zero() -> None:
    estimate = rho(np.zeros(20), np.ones((20, 1)))
    assert (estimate.value, estimate.low) == (0, 0)
    assert estimate.high < 1


@pytest.mark.parametrize(
    ("hits", "samples", "members", "dead", "note"),
    [
        (0, 100, 1, False, "0 of 100: too few to tell (299 needed)"),
        (0, 298, 1, False, "0 of 298: too few to tell (299 needed)"),
        (0, 299, 1, True, ""),
        (0, 299, 8, False, "0 of 299: too few to tell (505 needed)"),
        (0, 505, 8, True, ""),
        (3, 400, 1, False, "3 of 400: too few to tell"),
        (50, 100, 1, False, ""),
        (100, 100, 1, False, ""),
    ],
)
def test_a_member_is_dead_only_where_the_bound_is_below_the_threshold(
    hits: int, samples: int, members: int, dead: bool, note: str
) -> None:
    estimate = dead_member(hits, samples, members=members)
    assert (estimate.high < 0.01, estimate.p < 0.05, estimate.note) == (dead, dead, note)
    level = 1 - 0.05 / members
    test = stats.binomtest(hits, samples, 0.01, alternative="less")
    assert estimate.high == pytest.approx(test.proportion_ci(level).high)
    assert estimate.p == pytest.approx(min(1, members * test.pvalue))


@pytest.mark.parametrize(("experts", "threshold"), [(1, 0.01), (10, 0.01), (20, 0.005)])
def test_many_experts_lower_the_threshold(experts: int, threshold: float) -> None:
    assert expert_threshold(experts) == pytest.approx(threshold)


@pytest.mark.parametrize(
    ("lost", "rho_last", "raised"), [(20, 1.5, True), (20, 1.9, False), (1, 1.5, False)]
)
def test_a_drop_needs_the_rule_and_the_interval(lost: int, rho_last: float, raised: bool) -> None:
    before = np.ones(50)
    last = before.copy()
    last[:lost] = 0
    result, change = emergence_drop(before, last, rho_before=2.0, rho_last=rho_last)
    assert result is raised
    assert change.value == pytest.approx(-lost / 50)
