import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoresheet.metrics.stats import Floats
from scoresheet.metrics.stats.means import Rows, leave_one_out
from scoresheet.metrics.stats.paired import (
    gain_and_rho,
    holm,
    paired_difference,
    smallest_detectable_difference,
)


def test_single_units_give_the_paired_t_test() -> None:
    b = np.random.default_rng(2).random(10)
    a = b + np.array([1, -1, 2, -2, 1.5, -1.5, 2, 1, 0.5, 2.5])  # light tails
    result, expected = paired_difference(Rows(a), Rows(b)), stats.ttest_rel(a, b)
    interval = expected.confidence_interval(0.9)
    assert result.df == 9
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.interval(0.9) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert (result.wins, result.ties, result.losses) == (7, 0, 3)


def test_the_error_is_that_of_the_means_without_each_shared_unit() -> None:
    rng = np.random.default_rng(5)
    a = Rows(rng.random(80), rng.integers(0, 20, 80), rng.integers(0, 3, 80))
    b = Rows(rng.random(60), rng.integers(5, 25, 60), rng.integers(0, 3, 60))
    shared = np.intersect1d(np.asarray(a.units), np.asarray(b.units))
    result, one, other = paired_difference(a, b), *(leave_one_out(rows, shared) for rows in (a, b))
    assert result.units == len(shared)
    assert result.difference == pytest.approx(one.value - other.value)
    variance = (len(shared) - 1) * np.var(one.without - other.without)
    assert result.error == pytest.approx(math.sqrt(variance))


NAN, ZEROS = math.nan, [0.0] * 30


@pytest.mark.parametrize(
    ("a", "b", "note", "p"),
    [
        (Rows(ZEROS), Rows(ZEROS), "identical on all 30 units", 1.0),
        (Rows([0.1 + 0.2] * 7), Rows([0.3] * 7), "identical on all 7 units", 1.0),
        (Rows([1.0] * 3 + ZEROS), Rows([0.0] * 3 + ZEROS), "no test: 3 of 33 units differ", NAN),
        (Rows([1, 2, 3], [0, 1, 2]), Rows([1, 2], [5, 6]), "no test: no shared units", NAN),
        # a unit that one model did not score is not shared
        (Rows([1, 2, math.nan]), Rows([0, math.nan, 3]), "no test: 1 of 1 units differs", NAN),
        # each unit's differences sum to 0
        (Rows([0.1, 0.9] * 8, np.arange(16) // 2, np.arange(16) % 2),
         Rows([0.9, 0.1] * 8, np.arange(16) // 2, np.arange(16) % 2),
         "identical on all 8 units", 1.0),
        # the units are equal, their sheets are not
        (Rows([1, 0, 0, 0], [0, 0, 1, 2], [0, 1, 1, 1]),
         Rows([0, 1, 0, 0], [0, 0, 1, 2], [0, 1, 1, 1]), "no test: 0 of 3 units differ", NAN),
        (Rows([*range(5000), 1, 2, 3, 4, 5], [0] * 5000 + [1, 2, 3, 4, 5]),
         Rows([0] * 6, range(6)), "no test: one unit has nearly all rows", NAN),
    ],
)  # fmt: skip
def test_a_test_that_cannot_be_made_has_a_note(a: Rows, b: Rows, note: str, p: float) -> None:
    result = paired_difference(a, b)
    assert result.note == note
    assert result.p == pytest.approx(p, nan_ok=True)
    assert all(math.isnan(end) for end in result.interval(0.95))
    assert math.isnan(smallest_detectable_difference(result))


@pytest.mark.parametrize("d", [0.1, -0.1, 3.0])
@pytest.mark.parametrize("n", [6, 100])
def test_equal_differences_have_an_interval_with_a_width(d: float, n: int) -> None:
    b = np.linspace(0, 1, n)
    result = paired_difference(Rows(b + d), Rows(b))
    assert (result.centre, result.error) == pytest.approx((d * n / (n + 1), abs(d) / (n + 1)))
    assert result.df == n
    assert result.p == pytest.approx(2 * stats.t.sf(n, n))
    low, high = result.interval(0.95)
    assert low < d < high


@given(
    p=st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), max_size=12),
    ci=st.sampled_from([0.8, 0.95]),
)
@settings(max_examples=80)
def test_holm_matches_statsmodels_and_its_levels_its_decisions(p: list[float], ci: float) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    adjusted, levels = holm(p, ci)
    defined = [value for value in p if not math.isnan(value)]
    if defined:
        expected = multitest.multipletests(defined, alpha=1 - ci, method="holm")[1]
        assert adjusted[~np.isnan(p)].tolist() == pytest.approx(expected.tolist())
    assert np.isnan(adjusted).tolist() == np.isnan(p).tolist() == np.isnan(levels).tolist()
    for value, corrected, level in zip(p, adjusted, levels, strict=True):
        if not math.isnan(value) and abs(corrected - (1 - ci)) > 1e-9:
            assert (corrected < 1 - ci) == (value < 1 - level)


@pytest.mark.parametrize(
    ("p", "comparisons", "divisors"),
    [
        ([0.5, 0.6, 0.7], None, [3, 3, 3]),
        ([0.001, 0.6, 0.7], None, [3, 2, 2]),
        ([0.001, math.nan, 1.0], None, [2, math.nan, 1]),
        ([0.0001, 0.6], 45, [45, 44]),
    ],
)
def test_each_interval_has_the_level_of_its_test(
    p: list[float], comparisons: int | None, divisors: list[float]
) -> None:
    _, levels = holm(p, 0.95, comparisons=comparisons)
    assert levels.tolist() == pytest.approx([1 - 0.05 / d for d in divisors], nan_ok=True)


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
@settings(max_examples=60)
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


def test_a_member_that_is_never_right_does_not_widen_rho() -> None:
    drawn = right([0.8, 0.4, 0.0], 60, 4)
    (_, alone), (_, rho) = (gain_and_rho(drawn[:, 0], drawn[:, 1:end]) for end in (2, 3))
    assert rho.low == alone.low > 1


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
        ([1] * 40, [1] * 2 + [0] * 38, 20,
         "no upper end: the accuracy of the best member may be 0"),
        ([1] * 10, [0] * 10, math.inf, "no member is ever right"),
        ([0] * 10, [0] * 10, math.nan, "no member is ever right"),
        ([0] * 20, [1] * 20, 0, ""),
        ([1] * 3 + [0] * 47, [0] * 3 + [0] * 46 + [1], 3, "ears: no test: 4 of 50 units differ"),
    ],
)  # fmt: skip
def test_rho_without_an_interval_has_a_note(
    collective: list[int], member: list[int], value: float, note: str
) -> None:
    gain, rho = gain_and_rho(collective, np.array([member]).T, names=["ears"])
    assert rho.value == pytest.approx(value, nan_ok=True)
    assert rho.note == note
    assert gain.note == note or "ears" not in note
    assert math.isfinite(rho.high) == (note == "")
