"""Models compared on the units they share: which units, which rank, which family of hypotheses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics import paired_test
from scoresheet.metrics.compare import (
    EVERY_TWO,
    MOST_MODELS,
    ComparedUnits,
    KeyedValues,
    PairedComparison,
    Pairing,
    compare_units,
)
from scoresheet.metrics.measures import Direction
from scoresheet.metrics.stats import paired_draws
from scoresheet.metrics.stats.confidence import detectable_difference
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stored_values import MadeMapping
from tests.helpers.soak import examples

Scores = Mapping[str, float]


def units(**sheets: Scores) -> ComparedUnits | None:
    """A model with one measure, sheet by sheet."""
    return ComparedUnits.of_sheets(
        {name: KeyedValues(list(own), np.array(list(own.values()))[:, None]) for name, own in sheets.items()}
    )


def compared(
    models: Mapping[str, ComparedUnits | None], better: Direction | None = "higher", confidence: float = 0.95
) -> PairedComparison:
    return compare_units(models, ["score"], headline="score", better=better, units="items", confidence=confidence)


def numbered(values: Sequence[float], start: int = 0) -> dict[str, float]:
    return {f"u{place:03}": value for place, value in enumerate(values, start)}


def lone(**models: Sequence[float]) -> PairedComparison:
    """Models with one sheet and the same units."""
    return compared({name: units(s=numbered(values)) for name, values in models.items()})


# --- which units ------------------------------------------------------------------------------------


def test_a_pair_is_compared_on_the_keys_that_both_have() -> None:
    found = compared({"a": units(s=numbered([0.9] * 8)), "b": units(s=numbered([0.5] * 8, start=3))})
    (pair,) = found.differences
    assert (pair.test.units, pair.test.difference) == pytest.approx((5, 0.4))
    assert (found.standings["a"].units, found.standings["a"].shared, found.same_units) == (8, 5, False)


def test_a_key_is_compared_on_the_sheets_where_both_have_it() -> None:
    easy, hard = numbered([0.8] * 6), numbered([0.2] * 6)
    both, one = units(easy=easy, hard=hard), units(easy=dict.fromkeys(easy, 0.7), other=numbered([1.0] * 6))
    pair = compared({"a": both, "b": one}).differences[0]
    assert (pair.test.units, pair.test.mean, pair.test.other_mean) == pytest.approx((6, 0.8, 0.7))


def test_models_without_a_sheet_name_in_common_are_compared_by_key_alone() -> None:
    one = units(first=numbered([0.8] * 6))
    two = units(p1=numbered([0.2] * 6), p2=numbered([0.4] * 6))
    pair = compared({"a": one, "b": two}).differences[0]
    assert (pair.test.units, pair.test.other_mean) == pytest.approx((6, 0.3))


def test_several_rows_of_a_key_are_one_unit() -> None:
    rows = KeyedValues(["u", "u", "v", "w", "x", "y"], np.array([0.2, 0.6, 1, 1, 1, 1])[:, None])
    model = ComparedUnits.of_sheets({"s": rows})
    other = units(s={"u": 0.4, "v": 0.5, "w": 0.5, "x": 0.5, "y": 0.5})
    test = compared({"a": model, "b": other}).differences[0].test
    assert (test.units, test.ties, test.wins) == (5, 1, 4)


def test_nothing_in_common_is_no_comparison_and_no_rank() -> None:
    found = compared({"a": units(s=numbered([1.0] * 6)), "b": units(s=numbered([0.5] * 6, start=50))})
    assert [pair.finding for pair in found.differences] == ["no items with a value in common"]
    assert found.hypotheses == (0, 0)
    assert [(each.units, each.shared, each.rank) for each in found.standings.values()] == [(6, 0, None)] * 2


def test_a_model_without_units_is_in_every_pair_and_in_no_standing() -> None:
    found = compared({"a": units(s=numbered([1.0] * 6)), "b": None})
    assert [pair.finding for pair in found.differences] == ["no items with a value in common"]
    assert list(found.standings) == ["a"]


def test_a_model_that_shares_nothing_costs_the_others_no_rank() -> None:
    models = {
        "stray": units(s=numbered([1.0] * 4, start=500)),
        "good": units(s=numbered([0.9] * 10)),
        "poor": units(s=numbered([0.4] * 12)),
        "silent": units(s=numbered([math.nan] * 12)),
    }
    found = compared(models)
    ranks = {model: each.rank for model, each in found.standings.items()}
    assert ranks == {"stray": None, "good": 1, "poor": 2}  # who has no score at all has no place either
    assert found.ranked == ["good", "poor"]
    assert [each.shared for each in found.standings.values()] == [0, 10, 10]


# --- ranks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("better", "ranks"), [("higher", [1, 2, 2, 4]), ("lower", [4, 2, 2, 1]), (None, [None] * 4)])
def test_ranks_go_by_the_mean_on_shared_units_and_ties_share_one(better: Direction | None, ranks: list[object]) -> None:
    means = {"a": 0.9, "b": 0.5, "c": 0.5, "d": 0.1}
    found = compared({name: units(s=numbered([mean] * 6)) for name, mean in means.items()}, better)
    assert [standing.rank for standing in found.standings.values()] == ranks


def test_a_model_that_is_better_on_all_shared_units_ranks_first_whatever_its_own_mean() -> None:
    a = numbered([0.89] * 20) | numbered([0.24] * 20, start=100)  # twenty hard ones beside
    b = numbered([0.782] * 20)
    found = compared({"b": units(s=b), "a": units(s=a)})
    assert np.mean(list(a.values())) < np.mean(list(b.values()))
    assert {model: each.rank for model, each in found.standings.items()} == {"b": 2, "a": 1}
    assert [pair.finding for pair in found.differences] == ["a is higher"]


# --- numbers, corrections, words --------------------------------------------------------------------


def test_a_pair_is_the_paired_test_of_its_units_with_holms_correction_over_all_pairs() -> None:
    rng = np.random.default_rng(1)
    items = rng.random(25)
    scores = {name: items + 0.1 * rng.standard_normal(25) + gain for name, gain in (("a", 0), ("b", 0.1), ("c", 0.12))}
    found = lone(**{name: values.tolist() for name, values in scores.items()})
    tests = [paired_test(scores[one], scores[other]) for one, other in combinations(scores, 2)]
    for pair, test, corrected in zip(found.differences, tests, holm([test.p_value for test in tests]), strict=True):
        assert pair.test == test._replace(detectable=detectable_difference(test.deviation, 25, tests=3))
        assert pair.p_holm == corrected
        assert pair.shown == (corrected < 0.05)


def test_the_headline_is_one_family_and_all_other_measures_a_second() -> None:
    rng = np.random.default_rng(2)
    names = ["first", "headline", "third"]
    models = {
        name: ComparedUnits.of_sheets({"s": KeyedValues([f"{n:02}" for n in range(20)], rng.random((20, 3)))})
        for name in "abc"
    }
    found = compare_units(models, names, headline="headline", better="higher", units="items")
    assert found.hypotheses == (3, 6)
    for exploratory in (False, True):
        own = [pair for pair in found.differences if pair.exploratory == exploratory]
        assert {pair.measure for pair in own} == ({"first", "third"} if exploratory else {"headline"})
        assert [pair.p_holm for pair in own] == holm([pair.test.p_value for pair in own])
    assert [pair.measure for pair in found.differences] == names * 3


def test_the_level_of_the_run_decides_what_is_shown_and_how_wide_intervals_are() -> None:
    rng = np.random.default_rng(9)
    items = rng.random(20)
    models = {
        "a": units(s=numbered(items.tolist())),
        "b": units(s=numbered((items - 0.05 + rng.normal(0, 0.15, 20)).tolist())),
    }
    strict, lax = (compared(models, confidence=level).differences[0] for level in (0.99, 0.8))
    assert 0.01 < strict.p_holm < 0.2
    assert (strict.shown, lax.shown) == (False, True)
    assert strict.test.high - strict.test.low > lax.test.high - lax.test.low
    assert strict.test.detectable > lax.test.detectable


def test_no_difference_is_never_called_alike() -> None:
    rng = np.random.default_rng(6)
    found = lone(a=rng.random(30).tolist(), b=rng.random(30).tolist()).differences[0]
    assert found.finding == f"no difference shown; {found.test.detectable:.3f} could have been"
    assert lone(a=[0.5] * 30, b=[0.5] * 30).differences[0].finding == "equal on all 30 items"
    assert lone(a=[0.9] * 5, b=[0.5] * 5).differences[0].finding == "too few items to tell"


# --- what must always hold --------------------------------------------------------------------------

MODELS = st.dictionaries(st.sampled_from([f"u{n}" for n in range(9)]), st.integers(0, 10), min_size=1, max_size=9)


def tenths(scores: Mapping[str, int]) -> dict[str, float]:
    return {key: value / 10 for key, value in scores.items()}


@examples(25)
@given(MODELS, MODELS)
def test_swapping_two_models_flips_the_signs_and_nothing_else(one: dict[str, int], other: dict[str, int]) -> None:
    a, b = units(s=tenths(one)), units(s=tenths(other))
    straight, turned = compared({"a": a, "b": b}), compared({"b": b, "a": a})
    first, second = straight.differences[0], turned.differences[0]
    assert first.test.difference == pytest.approx(-second.test.difference, nan_ok=True)
    assert (first.test.low, first.test.high) == pytest.approx((-second.test.high, -second.test.low), nan_ok=True)
    assert first.p_holm == pytest.approx(second.p_holm, nan_ok=True)
    assert (first.finding, first.shown) == (second.finding, second.shown)
    assert {model: repr(straight.standings[model]) for model in "ab"} == {
        model: repr(turned.standings[model]) for model in "ab"
    }


@examples(25)
@given(MODELS, MODELS, st.integers(0, 10))
def test_a_unit_that_only_one_model_has_changes_nothing_in_the_pair(
    one: dict[str, int], other: dict[str, int], value: int
) -> None:
    before = compared({"a": units(s=tenths(one)), "b": units(s=tenths(other))})
    after = compared({"a": units(s=tenths(one) | {"only here": value / 10}), "b": units(s=tenths(other))})
    assert repr(after.differences) == repr(before.differences)
    assert after.standings["a"].on_shared == pytest.approx(before.standings["a"].on_shared, nan_ok=True)
    assert after.standings["a"].rank == before.standings["a"].rank
    assert after.standings["a"].units == before.standings["a"].units + 1


@examples(25)
@given(MODELS, MODELS)
def test_the_order_of_rows_changes_nothing(one: dict[str, int], other: dict[str, int]) -> None:
    shuffled = dict(sorted(one.items(), reverse=True))
    before = compared({"a": units(s=tenths(one)), "b": units(s=tenths(other))})
    after = compared({"a": units(s=tenths(shuffled)), "b": units(s=tenths(other))})
    assert repr(after) == repr(before)


@pytest.mark.parametrize("units", [14, 15, 999, 1000])
@pytest.mark.parametrize("batch", [7_001, 200_000, 2_000_000])
def test_signs_of_a_randomisation_test_are_those_of_the_generator(units: int, batch: int) -> None:
    wanted = np.random.default_rng([5, units]).integers(0, 2, size=(paired_draws.N_PERMUTATIONS, units))
    found = np.concatenate(list(paired_draws._drawn_signs(units, 5, batch)))
    assert np.array_equal(found, 2.0 * wanted - 1.0)


@pytest.mark.parametrize("units", [14, 63, 64, 65, 999, 8_001])
def test_hits_sum_under_flipped_signs_to_what_a_product_has(units: int) -> None:
    values = np.random.default_rng(units).integers(-1, 2, size=(units, 3)).astype(float)
    values[:, 1] = np.abs(values[:, 1])
    wanted = np.concatenate([signs @ values for signs in paired_draws.flips(units, 5)])
    assert paired_draws.are_hits(values)
    assert np.array_equal(paired_draws.sums_of_hits(values, 5), wanted.T)
    halves, edges = values / 2, np.abs(values.sum(axis=0))  # of halves no bit is one
    assert not paired_draws.are_hits(halves)
    by_bits, by_product = (paired_draws.CountedFlips(*own) for own in ((values, edges), (halves, edges / 2)))
    for counted in (by_bits, by_product):
        counted.add_all(5)
        assert counted.reached.tolist() == (np.abs(wanted) >= edges).sum(axis=0).tolist()


OTHERS: dict[str, Pairing] = {
    "each with one": Pairing(against="m03"),
    "some pairs": Pairing(only=(("m01", "m20"), ("m34", "m02"), ("m07", "m01"))),
    "each with the best": EVERY_TWO,
    "none": Pairing(wanted=False),
}


@pytest.mark.parametrize("pairing", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("apart", [0, 1, 14])
def test_models_that_are_made_whenever_they_are_asked_for_are_told_apart(pairing: Pairing, apart: int) -> None:
    """Of many models each is read again when it is wanted; the place of one that is gone is soon another's."""
    rng = np.random.default_rng(apart)
    scores = {
        f"m{model:02}": numbered(rng.random(20).tolist(), start=100 * (model + 1) if model < apart else 0)
        for model in range(MOST_MODELS + 5)
    }

    def found(models: Mapping[str, ComparedUnits | None]) -> str:
        return repr(compare_units(models, ["x"], headline="x", better="higher", units="units", pairing=pairing))

    made = MadeMapping({name: name for name in scores}, lambda name: units(s=scores[name]))
    assert found(made) == found({name: units(s=own) for name, own in scores.items()})
