import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from scoresheet.metrics.stats.means import (
    bounded_mean,
    proportion,
    sheet_means_jackknife,
    unbounded_mean,
)

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
@settings(max_examples=60, deadline=None)
def test_the_estimates_match_a_loop_that_leaves_units_out(
    aggregate: str, rows: list[tuple[float, int, int]]
) -> None:
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.array([])] * 3
    result = sheet_means_jackknife(*columns, aggregate=aggregate)
    scored = [row for row in rows if not math.isnan(row[0])]
    units = sorted({unit for _, unit, _ in scored})
    assert result.units.tolist() == units
    assert result.value == pytest.approx(slow_mean(scored, aggregate), abs=1e-9, nan_ok=True)
    expected = [slow_mean([row for row in scored if row[1] != unit], aggregate) for unit in units]
    assert result.without.tolist() == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert result.rows.tolist() == [sum(row[1] == unit for row in scored) for unit in units]


@given(order=st.permutations(range(24)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_rows_and_the_codes_do_not_matter(order: list[int]) -> None:
    rng = np.random.default_rng(3)
    values, units, sheets = rng.random(24), rng.integers(0, 9, 24), rng.integers(0, 3, 24)
    first = bounded_mean(values, units, sheets)
    second = bounded_mean(values[order], units[order] * 1000 + 7, 50 - sheets[order])
    assert (second.value, second.low, second.high) == pytest.approx(
        (first.value, first.low, first.high), rel=1e-9
    )


def test_thousands_of_sheets_and_units_need_no_table_of_both() -> None:
    units = np.arange(60_000)
    result = sheet_means_jackknife(np.ones(units.size), units, units // 2)
    assert result.value == 1
    assert result.without.tolist() == [1.0] * units.size


def test_overall_is_the_mean_of_the_sheet_means() -> None:
    values, sheets = [0.756, 0.698, 0.698], [0, 1, 1]
    assert bounded_mean(values, None, sheets).value == pytest.approx(0.727)
    assert bounded_mean(values, None, sheets, aggregate="rows").value == pytest.approx(2.152 / 3)


def naive_korn_graubard(x: NDArray[np.float64], ci: float) -> tuple[float, float]:
    n, share, error = len(x), x.mean(), stats.sem(x)
    shrink = stats.norm.ppf((1 + ci) / 2) / stats.t.ppf((1 + ci) / 2, n - 1)
    size = min(4 * n, share * (1 - share) / error**2 * shrink**2) if error else n
    half = (1 - ci) / 2
    low = stats.beta.ppf(half, share * size, size - share * size + 1)
    high = stats.beta.ppf(1 - half, share * size + 1, size - share * size)
    return float(np.nan_to_num(low, nan=0)), float(np.nan_to_num(high, nan=1))


@pytest.mark.parametrize("ci", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(
    "values",
    [[0, 0.2, 0.9, 0.5, 1, 0.7], [0.5, 0.51] * 8, [0.0] * 10, [1.0] * 10, [0.3] * 7, [0, 1] * 20],
)
def test_a_bounded_mean_has_the_interval_of_korn_and_graubard(
    values: list[float], ci: float
) -> None:
    estimate = bounded_mean(values, ci=ci)
    assert (estimate.low, estimate.high) == pytest.approx(
        naive_korn_graubard(np.array(values), ci), rel=1e-9, abs=1e-12
    )
    assert estimate.low <= estimate.value <= estimate.high


def test_bounds_only_rescale_the_interval() -> None:
    x = np.random.default_rng(4).random(20)
    unit, scaled = bounded_mean(x), bounded_mean(1 + 4 * x, bounds=(1, 5))
    assert (scaled.low, scaled.high) == pytest.approx((1 + 4 * unit.low, 1 + 4 * unit.high))


def test_equal_clusters_are_seen_as_no_variance() -> None:
    values, units = [0.1, 0.9] * 8, np.repeat(np.arange(8), 2)
    equal = bounded_mean(values, units)
    assert (equal.low, equal.high) == pytest.approx(
        stats.beta.ppf([0.025, 0.975], [4, 5], [5, 4]), rel=1e-9
    )


def test_an_unbounded_mean_of_light_tails_has_the_usual_t_interval() -> None:
    x = np.array([1.0, 5, 2, 4, 3, 3, 1, 5, 2, 4])
    estimate = unbounded_mean(x)
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
        ([*range(3000), 1, 2, 3, 4, 5], [0] * 3000 + [1, 2, 3, 4, 5],
         "no interval: one unit has nearly all rows"),
    ],
)  # fmt: skip
def test_an_interval_that_cannot_be_given_has_a_note(
    values: list[float], units: list[int] | None, note: str
) -> None:
    estimate = unbounded_mean(values, units)
    assert estimate.note == note
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)


def test_a_share_of_yes_counts_units_and_leaves_out_what_has_no_answer() -> None:
    estimate = proportion([True, False, True, True, math.nan, True, True, True])
    assert estimate.value == pytest.approx(6 / 7)
    assert estimate.units == 7
