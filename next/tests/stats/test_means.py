import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoresheet.metrics.stats import jackknife
from scoresheet.metrics.stats.means import Rows, leave_one_out, mean_estimate

ROW = st.tuples(
    st.one_of(st.floats(-100, 100), st.just(math.nan)), st.integers(0, 6), st.integers(0, 3)
)


def slow_mean(rows: list[tuple[float, int, int]], aggregate: str) -> float:
    groups: dict[int, list[float]] = {}
    for value, _, sheet in rows:
        groups.setdefault(sheet if aggregate == "sheets" else 0, []).append(value)
    return float(np.mean([np.mean(group) for group in groups.values()])) if groups else math.nan


@pytest.mark.parametrize("aggregate", ["sheets", "rows"])
@given(rows=st.lists(ROW, max_size=30))
@settings(max_examples=60)
def test_the_estimates_match_a_loop_that_leaves_units_out(
    aggregate: str, rows: list[tuple[float, int, int]]
) -> None:
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.array([])] * 3
    result = leave_one_out(Rows(*columns), aggregate=aggregate)
    scored = [row for row in rows if not math.isnan(row[0])]
    units = sorted({unit for _, unit, _ in scored})
    assert result.units.tolist() == units
    assert result.value == pytest.approx(slow_mean(scored, aggregate), abs=1e-9, nan_ok=True)
    expected = [slow_mean([row for row in scored if row[1] != unit], aggregate) for unit in units]
    assert result.without.tolist() == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert result.rows.tolist() == [sum(row[1] == unit for row in scored) for unit in units]


def test_thousands_of_sheets_and_units_need_no_table_of_both() -> None:
    units = np.arange(60_000)
    result = leave_one_out(Rows(np.ones(units.size), units, units // 2))
    assert result.without.tolist() == [1.0] * units.size


@pytest.mark.parametrize("ci", [0.8, 0.99])
@pytest.mark.parametrize(
    "values",
    [[0, 0.2, 0.9, 0.5, 1, 0.7], [0.5, 0.51] * 8, [0.0] * 10, [1.0] * 10, [0.3] * 7, [0, 1] * 20],
)
def test_a_bounded_mean_matches_a_naive_korn_and_graubard(values: list[float], ci: float) -> None:
    x, half = np.array(values), (1 - ci) / 2
    n, share, error = len(x), x.mean(), stats.sem(x)
    shrink = stats.norm.ppf(half) / stats.t.ppf(half, n - 1)
    size = min(4 * n, share * (1 - share) / error**2 * shrink**2) if error > 1e-12 else n
    low = stats.beta.ppf(half, share * size, size - share * size + 1) if share else 0
    high = stats.beta.ppf(1 - half, share * size + 1, size - share * size) if share < 1 else 1
    estimate, scaled = (
        mean_estimate(Rows(low + width * x), bounds=(low, low + width), ci=ci)
        for low, width in ((0, 1), (1, 4))
    )
    assert (estimate.low, estimate.high) == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    assert (scaled.low, scaled.high) == pytest.approx((1 + 4 * low, 1 + 4 * high), rel=1e-9)
    assert estimate.low <= estimate.value <= estimate.high


def test_equal_clusters_are_seen_as_no_variance() -> None:
    equal = mean_estimate(Rows([0.1, 0.9] * 8, np.repeat(np.arange(8), 2)), bounds=(0, 1))
    expected = stats.beta.ppf([0.025, 0.975], [4, 5], [5, 4])
    assert (equal.low, equal.high) == pytest.approx(expected, rel=1e-9)


def test_an_unbounded_mean_of_light_tails_has_the_usual_t_interval() -> None:
    x = np.array([1.0, 5, 2, 4, 3, 3, 1, 5, 2, 4])
    estimate = mean_estimate(Rows(x))
    expected = stats.t.interval(0.95, 9, x.mean(), stats.sem(x))
    assert (estimate.low, estimate.high) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("values", "units", "note"),
    [
        ([], None, "no value"),
        ([math.nan] * 9, None, "no value"),
        ([1.0], None, "no interval: 1 unit, at least 6 are needed"),
        ([0, 1] * 4, [0, 0, 1, 1, 2, 2, 3, 3], "no interval: 4 units, at least 6 are needed"),
        ([2.5] * 8, None, "no interval: the units do not vary"),
        (range(3005), [0] * 3000 + [1, 2, 3, 4, 5], "no interval: one unit has nearly all rows"),
    ],
)
def test_no_interval_has_a_note(values: list[float], units: list[int] | None, note: str) -> None:
    estimate = mean_estimate(Rows(values, units))
    assert (estimate.note, str(estimate.low), str(estimate.high)) == (note, "nan", "nan")


@pytest.mark.parametrize(
    ("without", "rows", "df"),
    [
        (np.linspace(0, 1, 10), [1] * 10, 9),
        (np.linspace(0, 1, 10), [91] + [1] * 9, 100**2 / (91**2 + 9) - 1),
        ([1.0] + [0.0] * 7, [1] * 8, 2 / ((49**2 + 7) / 56**2 - 1 / 8)),
        ([0.1, 0.1 + 1e-17, 0.1], [1] * 3, 2),
        ([1.0], [1], math.nan),
        ([1.0, math.nan], [1, 1], math.nan),
    ],
)
def test_unequal_units_lower_the_df(without: list[float], rows: list[int], df: float) -> None:
    assert jackknife(np.array(without), rows)[1] == pytest.approx(df, nan_ok=True)
