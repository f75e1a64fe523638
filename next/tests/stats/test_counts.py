import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoresheet.metrics.stats.counts import (
    dead_member,
    difference_of_repeat_shares,
    entropy_bits,
    even_test,
    gini,
    normalized_entropy,
    repeat_share,
)

NAN = math.nan
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
        ([5], 0, 0, NAN),
        ([0, 0, 0], NAN, NAN, NAN),
    ],
)
def test_vectors(counts: list[float], gini_value: float, bits: float, normalized: float) -> None:
    assert gini(counts) == pytest.approx(gini_value, nan_ok=True)
    assert entropy_bits(counts) == pytest.approx(bits, abs=1e-6, nan_ok=True)
    assert normalized_entropy(counts) == pytest.approx(normalized, abs=5e-5, nan_ok=True)


@given(counts=COUNTS, order=st.randoms())
@settings(max_examples=60)
def test_a_repeat_share_is_the_share_of_equal_pairs(counts: list[int], order: Random) -> None:
    n, options, (estimate, inverse) = sum(counts), len(counts), repeat_share(counts)
    pairs = sum(math.comb(count, 2) for count in counts) / math.comb(n, 2)
    assert estimate.value == pytest.approx(pairs)
    assert 1 / options <= estimate.low <= estimate.high <= 1
    assert estimate.value <= estimate.high
    assert (inverse.low, inverse.high) == pytest.approx((1 / estimate.high, 1 / estimate.low))
    assert 1 <= inverse.value <= options
    shuffled = order.sample(counts, options)
    assert repeat_share(shuffled)[0].high == pytest.approx(estimate.high)
    assert gini(shuffled) == pytest.approx(gini(counts), abs=1e-12)
    assert 0 <= gini(counts) <= (options - 1) / options + 1e-12


def naive_interval(counts: list[int], cap: float) -> tuple[float, float]:
    n, p = sum(counts), np.array(counts) / sum(counts)
    share, s2, s3 = (n * (p**2).sum() - 1) / (n - 1), (p**2).sum(), (p**3).sum()
    if share in (0, 1):
        size = n / 2 if share else n
    else:
        variance = (4 * (n - 2) * (s3 - s2**2) + 2 * (s2 - s2**2)) / (n * (n - 1))
        shrink = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, n - 1)) ** 2
        size = min(cap * n, s2 * (1 - s2) / variance) * shrink
    low = stats.beta.ppf(0.025, share * size, (1 - share) * size + 1) if share else 0
    high = stats.beta.ppf(0.975, share * size + 1, (1 - share) * size) if share < 1 else 1
    return low, high


@pytest.mark.parametrize(
    "counts", [[32, 0, 0], [1] * 8, [1] * 8 + [0] * 90, [20, 8, 4, 0], [7, 7, 6, 6, 6]]
)
def test_a_repeat_share_and_its_difference_match_their_naive_twins(counts: list[int]) -> None:
    low, high = naive_interval(counts, 3)
    (estimate, _), other = repeat_share(counts), [16, 10, 3, 2, 1]
    assert estimate.low == pytest.approx(max(low, 1 / len(counts)))
    assert estimate.high == pytest.approx(high)
    (low_a, high_a), (low_b, high_b) = (naive_interval(c, math.inf) for c in (counts, other))
    a, b = estimate.value, repeat_share(other)[0].value
    difference = difference_of_repeat_shares(counts, other)
    assert difference.low == pytest.approx(a - b - math.hypot(a - low_a, high_b - b))
    assert difference.high == pytest.approx(a - b + math.hypot(high_a - a, b - low_b))


@pytest.mark.parametrize(
    ("counts", "value", "note"),
    [
        ([3, 1], 0.5, "no interval: 4 draws, at least 6 are needed"),
        ([1, 0], NAN, "no interval: 1 draw, at least 6 are needed"),
        ([0, 0], NAN, "no interval: 0 draws, at least 6 are needed"),
        ([9], NAN, "one option leaves no choice"),
    ],
)
def test_too_few_draws_have_no_interval(counts: list[int], value: float, note: str) -> None:
    share, inverse = repeat_share(counts)
    assert share.value == pytest.approx(value, nan_ok=True)
    assert math.isnan(share.low)
    assert math.isnan(inverse.high)
    assert share.note == inverse.note == note
    assert difference_of_repeat_shares(counts, [9, 9]).note == note


@given(a=COUNTS, b=COUNTS)
@settings(max_examples=60)
def test_the_p_value_inverts_the_interval_of_the_difference(a: list[int], b: list[int]) -> None:
    estimate, swapped = difference_of_repeat_shares(a, b), difference_of_repeat_shares(b, a)
    assert (swapped.low, swapped.high) == pytest.approx((-estimate.high, -estimate.low))
    assert swapped.p == pytest.approx(estimate.p)
    assert difference_of_repeat_shares(a, a).p == 1
    if 1e-12 < estimate.p < 0.999:
        narrow = difference_of_repeat_shares(a, b, ci=1 - estimate.p)
        assert min(abs(narrow.low), abs(narrow.high)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "shares"), [([12, 9, 5, 4], [1, 1, 1, 1]), ([30, 10, 5], [0.6, 0.2, 0.2])]
)
def test_the_even_test_is_close_to_its_exact_twin(counts: list[int], shares: list[float]) -> None:
    n, options = sum(counts), len(counts)
    target = np.array(shares) / sum(shares)
    grid = np.indices([n + 1] * (options - 1)).reshape(options - 1, -1).T
    grid = grid[grid.sum(axis=1) <= n]
    table = np.column_stack([grid, n - grid.sum(axis=1)])
    chi = ((table - n * target) ** 2 / (n * target)).sum(axis=1)
    seen = ((np.array(counts) - n * target) ** 2 / (n * target)).sum()
    exact = stats.multinomial.pmf(table, n, target)[chi >= seen - 1e-9].sum()
    assert even_test(counts, shares) == pytest.approx(exact, abs=0.015)
    assert even_test(counts, shares, seed=1) == even_test(counts, shares, seed=1)
    # an option outside the target is the clearest finding
    assert even_test([*counts, 1], [*shares, 0]) == 1e-4
    assert even_test([*counts, 0], [*shares, 0]) == even_test(counts, shares)


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
    assert (estimate.high < 0.01, estimate.note) == (dead, note)
    test = stats.binomtest(hits, samples, 0.01, alternative="less")
    assert estimate.high == pytest.approx(test.proportion_ci(1 - 0.05 / members).high)
