"""Gini and the entropies of counts: the printed vectors, other people's code, and what holds for any counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoresheet.metrics import entropy, gini, miller_madow, normalized_entropy
from tests.helpers.soak import examples

# loaded by name: scipy publishes no types
stats: Any = import_module("scipy.stats")

EXAMPLES = examples(40)
ALL = [gini, entropy, normalized_entropy, miller_madow]

# half a unit of the last printed digit
SIX_DIGITS = 5e-7
FOUR_DIGITS = 5e-5
EXACT = 1e-12

# any number of options, most of them small, with many that nobody chose
COUNTS = st.lists(st.one_of(st.just(0), st.integers(0, 40), st.integers(0, 10**9)), min_size=2, max_size=12).filter(sum)


def is_negative_zero(value: float) -> bool:
    return value == 0.0 and math.copysign(1.0, value) < 0


def mean_difference_gini(counts: Sequence[int]) -> Fraction:
    """Return Gini's other form, exact: half the mean difference of every two options, relative to the mean."""
    return Fraction(sum(abs(a - b) for a in counts for b in counts), 2 * len(counts) * sum(counts))


def samples(counts: Sequence[int]) -> list[int]:
    """Return one number per choice, as estimators that want observations ask for."""
    return [option for option, count in enumerate(counts) for _ in range(count)]


def random_counts(seed: int, cells: int) -> list[list[int]]:
    """Return cells of every shape: flat, skewed, with and without unused options."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(cells):
        shares = generator.dirichlet([generator.choice([0.1, 1.0, 20.0])] * int(generator.integers(2, 15)))
        made.append([int(count) for count in generator.multinomial(int(generator.integers(1, 400)), shares)])
    return made


# --- worked vectors ------------------------------------------------------------------------------

VECTORS = [
    ([32, 0, 0, 0, 0], Fraction(4, 5), 0.0, 0.0),
    ([16, 16, 0, 0, 0], Fraction(3, 5), 1.0, 0.430677),
    ([20, 8, 4, 0, 0], Fraction(3, 5), 1.298795, 0.559361),
    ([20, 8, 4], Fraction(1, 3), 1.298795, 0.819448),
    ([16, 10, 3, 2, 1], Fraction(19, 40), 1.750807, 0.754032),
    ([7, 7, 6, 6, 6], Fraction(3, 80), 2.317741, 0.998197),
]


@pytest.mark.parametrize(("counts", "concentration", "bits", "normalised"), VECTORS)
def test_printed_vectors(counts: list[int], concentration: Fraction, bits: float, normalised: float) -> None:
    assert gini(counts) == pytest.approx(float(concentration), abs=EXACT)
    assert entropy(counts) == pytest.approx(bits, abs=SIX_DIGITS)
    assert normalized_entropy(counts) == pytest.approx(normalised, abs=SIX_DIGITS)


def test_printed_digits_of_gini() -> None:
    printed = [0.8, 0.6, 0.6, 0.333333, 0.475, 0.0375]
    assert [gini(counts) for counts, *_ in VECTORS] == pytest.approx(printed, abs=SIX_DIGITS)


def test_vectors_with_a_closed_form_are_exact() -> None:
    assert entropy([32, 0, 0, 0, 0]) == 0.0
    assert normalized_entropy([32, 0, 0, 0, 0]) == 0.0
    assert entropy([16, 16, 0, 0, 0]) == pytest.approx(1.0, abs=EXACT)
    assert normalized_entropy([16, 16, 0, 0, 0]) == pytest.approx(1 / math.log2(5), abs=EXACT)
    # 20, 8, 4 of 32 are 5/8, 1/4, 1/8
    bits = 5 / 8 * math.log2(8 / 5) + 1 / 4 * 2 + 1 / 8 * 3
    assert entropy([20, 8, 4, 0, 0]) == pytest.approx(bits, abs=EXACT)
    assert normalized_entropy([20, 8, 4, 0, 0]) == pytest.approx(bits / math.log2(5), abs=EXACT)
    assert normalized_entropy([20, 8, 4]) == pytest.approx(bits / math.log2(3), abs=EXACT)


@pytest.mark.parametrize(
    ("shares", "concentration", "normalised"),
    [([0.5, 0.3, 0.1, 0.1, 0.0], 0.48, 0.7259), ([0.5, 0.2, 0.1, 0.1, 0.1], 0.36, 0.8445)],
    ids=["A", "B"],
)
def test_worked_example_as_corrected(shares: list[float], concentration: float, normalised: float) -> None:
    assert gini(shares) == pytest.approx(concentration, abs=EXACT)
    assert normalized_entropy(shares) == pytest.approx(normalised, abs=FOUR_DIGITS)


def test_vector_shared_with_the_diversity_family() -> None:
    assert gini([3, 1, 0]) == pytest.approx(0.5, abs=EXACT)
    assert entropy([3, 1, 0], base=math.e) == pytest.approx(0.562335, abs=SIX_DIGITS)


@pytest.mark.parametrize("options", range(2, 30))
def test_total_collapse_reaches_the_maximum_and_a_flat_cell_the_minimum(options: int) -> None:
    collapsed, flat = [0] * (options - 1) + [17], [17] * options
    assert gini(collapsed) == pytest.approx((options - 1) / options, abs=EXACT)
    assert normalized_entropy(collapsed) == 0.0
    assert gini(flat) == pytest.approx(0.0, abs=EXACT)
    assert entropy(flat) == pytest.approx(math.log2(options), abs=EXACT)
    assert normalized_entropy(flat) == pytest.approx(1.0, abs=EXACT)


# --- against other forms and other people's code --------------------------------------------------


@EXAMPLES
@given(COUNTS)
def test_gini_is_the_mean_difference(counts: list[int]) -> None:
    assert gini(counts) == pytest.approx(float(mean_difference_gini(counts)), abs=EXACT)


def test_gini_is_the_mean_difference_on_sampled_cells() -> None:
    cells = random_counts(seed=1, cells=300)
    assert [gini(counts) for counts in cells] == pytest.approx(
        [float(mean_difference_gini(counts)) for counts in cells], abs=EXACT
    )


@EXAMPLES
@given(COUNTS)
def test_entropy_is_scipys(counts: list[int]) -> None:
    bits = float(stats.entropy(counts, base=2))
    assert entropy(counts) == pytest.approx(bits, abs=1e-11)
    assert normalized_entropy(counts) == pytest.approx(bits / math.log2(len(counts)), abs=1e-11)


@pytest.mark.parametrize("base", [2.0, math.e, 10.0, 3.0])
def test_entropy_is_scipys_in_every_base(base: float) -> None:
    for counts in random_counts(seed=2, cells=60):
        assert entropy(counts, base=base) == pytest.approx(float(stats.entropy(counts, base=base)), abs=EXACT)


def test_entropy_is_in_bits_unless_told() -> None:
    assert entropy([1, 1]) == pytest.approx(1.0, abs=EXACT)
    assert entropy([1, 1], base=math.e) == pytest.approx(math.log(2), abs=EXACT)


def test_miller_madow_is_infomeasures() -> None:
    # skipped where it cannot be installed: its compiler (numba) comes late to new versions of Python
    infomeasure: Any = import_module("infomeasure")
    for counts in [*(counts for counts, *_ in VECTORS), *random_counts(seed=3, cells=80)]:
        bits = float(infomeasure.entropy(samples(counts), approach="miller_madow", base=2))
        assert miller_madow(counts) == pytest.approx(bits, abs=EXACT), counts


@EXAMPLES
@given(COUNTS)
def test_miller_madow_adds_its_correction_for_each_used_option_beyond_the_first(counts: list[int]) -> None:
    used, total = sum(count > 0 for count in counts), sum(counts)
    expected = float(stats.entropy(counts, base=2)) + (used - 1) / (2 * total * math.log(2))
    assert miller_madow(counts) == pytest.approx(expected, abs=1e-11)


# --- what holds for any counts -------------------------------------------------------------------


@EXAMPLES
@given(COUNTS)
def test_values_stay_in_their_bounds(counts: list[int]) -> None:
    options, used = len(counts), sum(count > 0 for count in counts)
    assert 0.0 <= gini(counts) <= (options - 1) / options + EXACT
    assert 0.0 <= entropy(counts) <= math.log2(used) + EXACT
    assert 0.0 <= normalized_entropy(counts) <= 1.0 + EXACT
    assert miller_madow(counts) >= entropy(counts) - EXACT


@EXAMPLES
@given(st.lists(st.floats(0.0, 1.0, allow_subnormal=False), min_size=2, max_size=12))
def test_shares_stay_in_their_bounds_too(shares: list[float]) -> None:
    assume(sum(shares) > 1e-6)
    assert 0.0 <= gini(shares) <= (len(shares) - 1) / len(shares) + EXACT
    assert 0.0 <= normalized_entropy(shares) <= 1.0 + EXACT


@pytest.mark.parametrize("share", [0.1, 0.2, 1 / 3, 0.7, 1e-9, 1e9])
@pytest.mark.parametrize("options", [2, 3, 5, 6, 7, 10, 11, 49])
def test_rounding_never_makes_a_flat_cell_negative(share: float, options: int) -> None:
    value = gini([share] * options)
    assert value >= 0.0
    assert value == pytest.approx(0.0, abs=EXACT)


@pytest.mark.parametrize("counts", [[20, 8, 4, 0], [5, 5, 1], [3, 0, 0, 1], [1, 2, 3, 4]])
def test_order_of_the_options_does_not_matter(counts: list[int]) -> None:
    for measure in ALL:
        expected = pytest.approx(measure(counts), abs=EXACT)
        assert all(measure(list(order)) == expected for order in permutations(counts))


@EXAMPLES
@given(COUNTS, st.randoms(use_true_random=False))
def test_any_shuffle_gives_the_same_values(counts: list[int], shuffler: Any) -> None:
    shuffled = list(counts)
    shuffler.shuffle(shuffled)
    for measure in ALL:
        assert measure(shuffled) == pytest.approx(measure(counts), abs=1e-11)


@EXAMPLES
@given(COUNTS, st.integers(2, 1000))
def test_only_shares_matter_to_gini_and_plain_entropy(counts: list[int], factor: int) -> None:
    for measure in (gini, entropy, normalized_entropy):
        expected = pytest.approx(measure(counts), abs=1e-11)
        assert measure([count * factor for count in counts]) == expected
        assert measure([count / sum(counts) for count in counts]) == expected


def test_more_samples_of_the_same_shape_shrink_the_miller_madow_correction() -> None:
    corrections = [miller_madow([3 * k, 2 * k, k]) - entropy([3 * k, 2 * k, k]) for k in (1, 10, 100)]
    assert corrections == pytest.approx([2 / (2 * 6 * k * math.log(2)) for k in (1, 10, 100)], abs=EXACT)


@EXAMPLES
@given(COUNTS)
def test_an_option_nobody_chose_raises_gini_and_lowers_normalised_entropy(counts: list[int]) -> None:
    options, more = len(counts), [*counts, 0]
    assert gini(more) > gini(counts)
    assert gini(more) == pytest.approx((options * gini(counts) + 1) / (options + 1), abs=EXACT)
    assert entropy(more) == pytest.approx(entropy(counts), abs=EXACT)
    assert miller_madow(more) == pytest.approx(miller_madow(counts), abs=EXACT)
    if sum(count > 0 for count in counts) > 1:
        assert normalized_entropy(more) < normalized_entropy(counts)
    else:
        assert normalized_entropy(more) == normalized_entropy(counts) == 0.0


@EXAMPLES
@given(st.lists(st.integers(0, 60), min_size=2, max_size=10).filter(sum), st.data())
def test_a_choice_moved_to_a_more_chosen_option_raises_gini_and_lowers_entropy(
    counts: list[int], data: st.DataObject
) -> None:
    giver = data.draw(st.sampled_from([i for i, count in enumerate(counts) if count]))
    taker = data.draw(st.integers(0, len(counts) - 1))
    assume(taker != giver and counts[taker] >= counts[giver])
    moved = list(counts)
    moved[giver] -= 1
    moved[taker] += 1
    assert gini(moved) > gini(counts)
    assert entropy(moved) < entropy(counts)


# --- the edges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize(
    "counts",
    [[1, 1], [5, 0], [0, 5], [32, 0, 0, 0, 0], [1] * 3, [1] * 7, [2] * 49, [0.1] * 3, [1.0, 0.0], [10**15, 0, 0]],
)
def test_no_value_is_negative_zero(measure: Callable[[Sequence[float]], float], counts: list[float]) -> None:
    assert not is_negative_zero(measure(counts))


@EXAMPLES
@given(COUNTS)
def test_no_value_of_any_counts_is_negative_zero_or_undefined(counts: list[int]) -> None:
    for measure in ALL:
        value = measure(counts)
        assert math.isfinite(value)
        assert not is_negative_zero(value)


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize("counts", [[0], [0, 0], [0] * 12, [0.0, 0.0]])
def test_without_a_choice_every_value_is_undefined(
    measure: Callable[[Sequence[float]], float], counts: list[float]
) -> None:
    assert math.isnan(measure(counts))


@pytest.mark.parametrize("counts", [[1], [32], [0.5]])
def test_one_option_has_neither_gini_nor_normalised_entropy(counts: list[float]) -> None:
    assert math.isnan(gini(counts))
    assert math.isnan(normalized_entropy(counts))


@EXAMPLES
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_no_counts_raise(counts: list[int]) -> None:
    for measure in ALL:
        assert isinstance(measure(counts), float)


def test_the_arguments_stay_as_they_were() -> None:
    counts = [3, 0, 7, 1]
    for measure in ALL:
        measure(counts)
    assert counts == [3, 0, 7, 1]
