"""Quantiles, tails and intervals, against scipy and against their formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from scoresheet.metrics import bootstrap_interval
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import (
    FEWEST_CLUSTERS,
    POWER,
    check_confidence,
    confidence_percent,
    detectable_difference,
    expanded_interval,
    expanded_tail,
    significance_level,
    t_quantile,
    without_value,
)
from tests.helpers.soak import examples

SHARES = (1e-6, 0.0005, 0.025, 0.2, 0.5, 0.8, 0.9, 0.975, 0.995, 0.9995, 1 - 1e-6)
FREEDOMS = (1, 2, 3, 4, 5, 7, 9, 10, 29, 30, 99, 100, 199, 200, 201, 202, 500, 4_999, 100_000)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_of_students_distribution_are_those_of_scipy(freedom: int) -> None:
    ours = [t_quantile(share, freedom) for share in SHARES]
    assert ours == pytest.approx(stats.t.ppf(SHARES, freedom), rel=1e-8, abs=1e-12)


@examples(30)
@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 400))
def test_a_quantile_is_that_of_scipy_at_any_share(share: float, freedom: int) -> None:
    assert t_quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(("share", "freedom"), [(0.0, 5), (1.0, 5), (-0.1, 5), (math.nan, 5), (0.9, 0), (0.9, -3)])
def test_no_quantile_where_there_is_none(share: float, freedom: int) -> None:
    with pytest.raises(ValueError, match=str(freedom)):
        t_quantile(share, freedom)


@pytest.mark.parametrize(("confidence", "clusters"), list(product((0.5, 0.8, 0.95, 0.99), (5, 10, 30, 1_000))))
def test_the_tail_of_an_expanded_interval_is_the_formula_of_hesterberg(confidence: float, clusters: int) -> None:
    reach = stats.t.ppf(1 - (1 - confidence) / 2, clusters - 1) * math.sqrt(clusters / (clusters - 1))
    assert expanded_tail(confidence, clusters) == pytest.approx(stats.norm.cdf(-reach), rel=1e-9)
    assert expanded_tail(confidence, clusters) < (1 - confidence) / 2


def test_an_expanded_interval_of_a_normal_mean_is_as_wide_as_students() -> None:
    rng = np.random.default_rng(3)
    for clusters in (5, 10, 40):
        values = rng.standard_normal(clusters)
        means = rng.normal(values.mean(), values.std() / math.sqrt(clusters), size=400_000)
        ours = expanded_interval(means, clusters, noun="items")
        theirs = stats.t.interval(0.95, clusters - 1, values.mean(), stats.sem(values))
        assert (ours.low, ours.high) == pytest.approx(theirs, abs=0.02)


def test_an_interval_is_that_of_scipys_bootstrap_at_the_expanded_level() -> None:
    values = np.random.default_rng(5).beta(2, 5, size=25)
    level = 1 - 2 * expanded_tail(0.95, 25)
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", confidence_level=level, n_resamples=20_000, rng=1
    ).confidence_interval
    assert tuple(bootstrap_interval(values)[:2]) == pytest.approx((theirs.low, theirs.high), abs=0.008)


def test_clusters_are_drawn_whole_as_scipy_draws_their_means() -> None:
    rng = np.random.default_rng(6)
    means = rng.random(20)
    values, clusters = np.repeat(means, 7), [f"c{place}" for place in range(20) for _ in range(7)]
    whole = bootstrap_interval(values, clusters)
    assert tuple(whole) == pytest.approx(tuple(bootstrap_interval(means)), abs=1e-9)
    alone = bootstrap_interval(values)
    assert alone.high - alone.low < 0.5 * (whole.high - whole.low)


@pytest.mark.parametrize("clusters", range(2, FEWEST_CLUSTERS + 2))
def test_fewer_than_five_clusters_have_no_interval_and_a_reason(clusters: int) -> None:
    found = bootstrap_interval(np.linspace(0, 1, 3 * clusters), [place // 3 for place in range(3 * clusters)])
    assert found.is_known == (clusters >= FEWEST_CLUSTERS)
    missing = f"too few clusters for an interval: {clusters}, at least {FEWEST_CLUSTERS} are needed"
    assert found.note == ("" if found.is_known else missing)


def test_resamples_without_a_value_are_counted_and_said() -> None:
    values = np.array([0.1, np.nan, 0.3, np.nan, np.nan, 0.2])
    found = expanded_interval(values, 30, noun="items")
    assert 0.1 <= found.low < found.high <= 0.3
    assert found.note == "3 of 6 resamples have no value"
    none = expanded_interval(np.full(4, np.nan), 30, noun="items")
    assert (none.is_known, none.note) == (False, "none of 4 resamples has a value")
    assert without_value(1, RESAMPLES) == f"1 of {RESAMPLES:,} resamples has no value"


@pytest.mark.parametrize(("confidence", "tests"), [(0.95, 1), (0.95, 6), (0.9, 1), (0.99, 45)])
def test_the_detectable_difference_is_the_formula_with_scipys_quantiles(confidence: float, tests: int) -> None:
    level = (1 - confidence) / tests
    reach = stats.t.ppf(1 - level / 2, 29) + stats.t.ppf(POWER, 29)
    found = detectable_difference(0.3, 30, confidence=confidence, tests=tests)
    assert found == pytest.approx(reach * 0.3 / math.sqrt(30), rel=1e-9)


@pytest.mark.parametrize("units", [10, 30, 100])
def test_the_power_at_the_detectable_difference_is_that_of_the_noncentral_t(units: int) -> None:
    centre = detectable_difference(1.0, units) * math.sqrt(units)
    edge = stats.t.ppf(0.975, units - 1)
    power = stats.nct.sf(edge, units - 1, centre) + stats.nct.cdf(-edge, units - 1, centre)
    assert power == pytest.approx(POWER, abs=0.025)


def test_one_constant_steers_intervals_and_tests() -> None:
    assert [significance_level(level) for level in (0.5, 0.9, 0.95, 0.99, 0.999)] == [0.5, 0.1, 0.05, 0.01, 0.001]
    assert [confidence_percent(level) for level in (0.5, 0.95, 0.999)] == ["50 %", "95 %", "99.9 %"]


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: check_confidence(95), "95"),
    (lambda: check_confidence(0.3), "0.3"),
    (lambda: check_confidence(math.nan), "nan"),
    (lambda: expanded_tail(0.95, 1), "1"),
    (lambda: bootstrap_interval([]), r"\(0,\)"),
    (lambda: bootstrap_interval([[0.1], [0.2]]), r"\(2, 1\)"),
    (lambda: bootstrap_interval([0.1, math.inf]), "infinite"),
    (lambda: bootstrap_interval([0.1, 0.2], ["a"]), "2 values and 1 clusters"),
    (lambda: bootstrap_interval([0.1, 0.2], confidence=1.0), "1.0"),
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_what_cannot_be_is_refused_with_the_value(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_values_that_are_all_undefined_have_no_interval() -> None:
    found = bootstrap_interval([math.nan] * 8)
    assert not found.is_known
    assert found.note == f"too few clusters for an interval: 0, at least {FEWEST_CLUSTERS} are needed"
