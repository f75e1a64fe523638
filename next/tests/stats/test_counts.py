import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoresheet.metrics.stats.counts import (
    difference_of_repeat_shares,
    effective_options,
    entropy_bits,
    even_test,
    gini,
    gini_if_even,
    gini_max,
    normalized_entropy,
    repeat_share,
)

COUNTS = st.lists(st.integers(0, 50), min_size=2, max_size=8).filter(lambda c: sum(c) >= 6)


@pytest.mark.parametrize(
    ("counts", "gini_value", "bits", "normalized"),
    [
        ([32, 0, 0, 0, 0], 0.8, 0, 0),
        ([16, 16, 0, 0, 0], 0.6, 1, 0.430677),
        ([20, 8, 4, 0, 0], 0.6, 1.298795, 0.559361),
        ([20, 8, 4], 1 / 3, 1.298795, 0.819448),
        ([16, 10, 3, 2, 1], 0.475, 1.750807, 0.754032),
        ([7, 7, 6, 6, 6], 0.0375, 2.317741, 0.998197),
        ([0.5, 0.3, 0.1, 0.1, 0], 0.48, 1.685475, 0.7259),
        ([0.5, 0.2, 0.1, 0.1, 0.1], 0.36, 1.960964, 0.8445),
        ([9, 9, 9], 0, math.log2(3), 1),
    ],
)
def test_vectors(counts: list[float], gini_value: float, bits: float, normalized: float) -> None:
    assert gini(counts) == pytest.approx(gini_value)
    assert entropy_bits(counts) == pytest.approx(bits, abs=1e-6)
    assert normalized_entropy(counts) == pytest.approx(normalized, abs=5e-5)


def test_one_option_has_no_inequality_and_no_normalised_entropy() -> None:
    assert gini([5]) == 0
    assert gini_max(1) == 0
    assert math.isnan(normalized_entropy([5]))


@pytest.mark.parametrize("measure", [gini, entropy_bits, normalized_entropy, even_test])
def test_nothing_chosen_is_undefined(measure: Callable[[list[int]], float]) -> None:
    assert math.isnan(measure([0, 0, 0]))


@given(counts=COUNTS, order=st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_options_does_not_matter(counts: list[int], order: Random) -> None:
    shuffled = list(counts)
    order.shuffle(shuffled)
    for measure in (gini, entropy_bits, normalized_entropy):
        assert measure(shuffled) == pytest.approx(measure(counts), abs=1e-12)
    assert 0 <= gini(counts) <= gini_max(len(counts)) + 1e-12
    assert repeat_share(shuffled).high == pytest.approx(repeat_share(counts).high)


@given(counts=COUNTS)
@settings(max_examples=60, deadline=None)
def test_a_repeat_share_is_the_share_of_equal_pairs(counts: list[int]) -> None:
    n, options = sum(counts), len(counts)
    estimate = repeat_share(counts)
    assert estimate.value == pytest.approx(
        sum(math.comb(count, 2) for count in counts) / math.comb(n, 2)
    )
    assert 1 / options <= estimate.low <= estimate.high <= 1
    assert estimate.value <= estimate.high
    inverse = effective_options(counts)
    assert inverse.low == pytest.approx(1 / estimate.high)
    assert inverse.high == pytest.approx(1 / estimate.low)
    assert 1 <= inverse.value <= options


@pytest.mark.parametrize(
    ("counts", "size", "share"),
    [([32, 0, 0], 16, 1.0), ([1] * 10, 10, 0.0), ([1] * 10 + [0] * 90, 10, 0.0)],
)
def test_all_or_no_draws_equal_have_a_stated_size(
    counts: list[int], size: float, share: float
) -> None:
    low, high = stats.binomtest(round(share * size), int(size)).proportion_ci(0.95)
    estimate = repeat_share(counts)
    assert (estimate.low, estimate.high) == pytest.approx((max(low, 1 / len(counts)), high))


def test_a_repeat_share_between_uses_the_variance_of_the_u_statistic() -> None:
    p, n = np.array([20, 8, 4]) / 32, 32
    s2, s3 = (p**2).sum(), (p**3).sum()
    variance = (4 * (n - 2) * (s3 - s2**2) + 2 * (s2 - s2**2)) / (n * (n - 1))
    size = min(3 * n, s2 * (1 - s2) / variance)
    size *= (stats.norm.ppf(0.975) / stats.t.ppf(0.975, n - 1)) ** 2
    estimate = repeat_share([20, 8, 4, 0])
    hits = estimate.value * size
    assert estimate.low == pytest.approx(stats.beta.ppf(0.025, hits, size - hits + 1))
    assert estimate.high == pytest.approx(stats.beta.ppf(0.975, hits + 1, size - hits))


@pytest.mark.parametrize(
    ("counts", "value", "note"),
    [
        ([3, 1], 0.5, "no interval: 4 draws, at least 6 are needed"),
        ([1, 0], math.nan, "no interval: 1 draw, at least 6 are needed"),
        ([0, 0], math.nan, "no interval: 0 draws, at least 6 are needed"),
        ([9], math.nan, "one option leaves no choice"),
    ],
)
def test_too_few_draws_have_no_interval(counts: list[int], value: float, note: str) -> None:
    estimate = repeat_share(counts)
    assert estimate.value == pytest.approx(value, nan_ok=True)
    assert math.isnan(estimate.low)
    assert estimate.note == effective_options(counts).note == note
    assert math.isnan(effective_options(counts).high)
    assert difference_of_repeat_shares(counts, [9, 9]).note == note


@given(a=COUNTS, b=COUNTS)
@settings(max_examples=60, deadline=None)
def test_the_p_value_inverts_the_interval_of_the_difference(a: list[int], b: list[int]) -> None:
    estimate = difference_of_repeat_shares(a, b)
    swapped = difference_of_repeat_shares(b, a)
    assert (swapped.low, swapped.high) == pytest.approx((-estimate.high, -estimate.low))
    assert swapped.p == pytest.approx(estimate.p)
    if 1e-12 < estimate.p < 0.999:
        narrow = difference_of_repeat_shares(a, b, ci=1 - estimate.p)
        assert min(abs(narrow.low), abs(narrow.high)) == pytest.approx(0, abs=1e-6)


def test_equal_choosers_do_not_differ() -> None:
    estimate = difference_of_repeat_shares([32, 0], [40, 0])
    assert (estimate.value, estimate.p) == (0, 1)


@pytest.mark.parametrize(
    ("counts", "shares"), [([12, 9, 5, 4], None), ([30, 10, 5], [0.6, 0.2, 0.2]), ([6, 4], [1, 1])]
)
def test_the_even_test_is_close_to_its_exact_twin(
    counts: list[int], shares: list[float] | None
) -> None:
    n = sum(counts)
    target = np.ones(len(counts)) if shares is None else np.array(shares)
    target = target / target.sum()
    grid = np.indices([n + 1] * (len(counts) - 1)).reshape(len(counts) - 1, -1).T
    grid = grid[grid.sum(axis=1) <= n]
    table = np.column_stack([grid, n - grid.sum(axis=1)])
    chi = ((table - n * target) ** 2 / (n * target)).sum(axis=1)
    seen = ((np.array(counts) - n * target) ** 2 / (n * target)).sum()
    exact = stats.multinomial.pmf(table, n, target)[chi >= seen - 1e-9].sum()
    assert even_test(counts, shares) == pytest.approx(exact, abs=0.015)


def test_an_option_outside_the_target_is_the_clearest_finding() -> None:
    assert even_test([5, 1], [1, 0]) == 1e-4
    assert even_test([5, 0], [1, 0]) == 1


def test_random_results_depend_on_the_seed_only() -> None:
    assert gini_if_even(4, 20, seed=1) == gini_if_even(4, 20, seed=1)
    assert gini_if_even(4, 20, seed=1) != gini_if_even(4, 20, seed=2)
    assert even_test([9, 4, 3], seed=1) == even_test([9, 4, 3], seed=1)


def test_an_even_chooser_shows_less_gini_with_more_draws() -> None:
    means, points = zip(*(gini_if_even(5, n) for n in (8, 32, 1000)), strict=True)
    assert list(means) == sorted(means, reverse=True)
    assert all(mean < point for mean, point in zip(means, points, strict=True))
