import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoresheet.metrics.stats.ensembles import dead_member, gain_and_rho
from scoresheet.metrics.stats.estimate import Floats
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import paired_difference


def right(shares: list[float], samples: int, seed: int) -> Floats:
    return (np.random.default_rng(seed).random((samples, len(shares))) < shares).astype(float)


def test_the_gain_is_tested_against_every_member() -> None:
    members, collective = right([0.4, 0.5, 0.3], 120, 1), right([0.8], 120, 2)[:, 0]
    gain, _ = gain_and_rho(collective, members)
    pairs = [paired_difference(Rows(collective), Rows(member)) for member in members.T]
    assert gain.value == pytest.approx(collective.mean() - members.mean(axis=0).max())
    assert gain.low == pytest.approx(min(pair.interval(0.95)[0] for pair in pairs))
    assert gain.high == pytest.approx(min(pair.interval(1 - 0.05 / 3)[1] for pair in pairs))
    assert gain.p == pytest.approx(max(pair.p for pair in pairs))


@given(seed=st.integers(0, 9999), shares=st.lists(st.floats(0.05, 0.95), min_size=2, max_size=5))
@settings(max_examples=60, deadline=None)
def test_gain_rho_and_p_never_contradict_each_other(seed: int, shares: list[float]) -> None:
    drawn = right(shares, 60, seed)
    gain, rho = gain_and_rho(drawn[:, 0], drawn[:, 1:])
    assert gain.high <= 1 - drawn[:, 1:].mean(axis=0).max() or math.isnan(gain.high)
    if gain.note or rho.note == "no member is ever right":
        assert rho.note
        return
    assert (gain.low > 0) == (rho.low > 1)
    assert (gain.high < 0) == (rho.high < 1)
    assert (gain.p < 0.05) == (gain.low > 0 or gain.high < 0)
    assert gain.p == rho.p
    assert rho.low <= rho.value <= rho.high


def test_rho_has_the_ends_at_which_fieller_stops_to_reject() -> None:
    drawn = right([0.7, 0.4, 0.1], 80, 3)  # the ends are those of the better member
    _, rho = gain_and_rho(drawn[:, 0], drawn[:, 1:])
    df = paired_difference(Rows(drawn[:, 0]), Rows(drawn[:, 1])).df
    for end, level in ((rho.low, 0.975), (rho.high, 1 - 0.025 / 2)):
        gaps = drawn[:, 0] - end * drawn[:, 1]
        assert abs(gaps.mean() / stats.sem(gaps)) == pytest.approx(stats.t.ppf(level, df))


@pytest.mark.parametrize(
    ("collective", "member", "value", "note"),
    [
        (
            [1] * 40,
            [1] * 2 + [0] * 38,
            20,
            "no upper end: the accuracy of the best member may be 0",
        ),
        ([1] * 10, [0] * 10, math.inf, "no member is ever right"),
        ([0] * 10, [0] * 10, math.nan, "no member is ever right"),
        ([0] * 20, [1] * 20, 0, ""),
        ([1] * 3 + [0] * 47, [0] * 3 + [0] * 46 + [1], 3, "ears: no test: 4 of 50 units differ"),
    ],
)
def test_rho_without_an_interval_has_a_note(
    collective: list[int], member: list[int], value: float, note: str
) -> None:
    gain, rho = gain_and_rho(collective, np.array([member]).T, names=["ears"])
    assert rho.value == pytest.approx(value, nan_ok=True)
    assert rho.note == note
    assert gain.note == note or "ears" not in note
    assert math.isfinite(rho.high) == (note == "")


@pytest.mark.parametrize(
    ("hits", "samples", "members", "dead", "note"),
    [
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
    test = stats.binomtest(hits, samples, 0.01, alternative="less")
    assert estimate.high == pytest.approx(test.proportion_ci(1 - 0.05 / members).high)
    assert estimate.p == pytest.approx(min(1, members * test.pvalue))
