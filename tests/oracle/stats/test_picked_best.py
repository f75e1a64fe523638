"""The best of many, picked on the same data, and one-sided changes: enumeration, scipy and sacrebleu's method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from scoresheet.metrics.compare import MOST_MODELS, ComparedUnits, KeyedValues, PairedComparison, Pairing, compare_units
from scoresheet.metrics.measures import Direction
from scoresheet.metrics.stats import randomisation
from scoresheet.metrics.stats.paired_draws import N_PERMUTATIONS
from scoresheet.metrics.stats.randomisation import (
    PairedTest,
    paired_test,
    paired_tests,
    picked_tests,
)

Scores = NDArray[np.float64]


def compared(values: Scores, pairing: Pairing = Pairing(), better: Direction = "higher") -> PairedComparison:  # noqa: B008
    """Return model × unit × measure compared by the first measure."""
    keys = [f"{unit:03}" for unit in range(values.shape[1])]
    models = {
        f"m{model:02}": ComparedUnits.of_sheets({"s": KeyedValues(keys, own)}) for model, own in enumerate(values)
    }
    names = [f"measure {place}" for place in range(values.shape[2])]
    return compare_units(
        models,
        names,
        headline=names[0],
        better=better,
        units="units",
        pairing=pairing,
    )


def naive(values: Scores, sign: float) -> Scores:
    """Return the p-values by enumerating all signs: flip each unit's deviations, pick the best again, look."""
    mean = values.mean(axis=1)
    best = int(np.argmax(sign * mean[:, 0]))
    seen = np.abs(mean[best] - mean)
    deviations = values - values[best]
    reached = np.zeros_like(seen)
    flips = list(itertools.product((-1, 1), repeat=values.shape[1]))
    for signs in flips:
        flipped = (deviations * np.array(signs)[None, :, None]).mean(axis=1)
        again = int(np.argmax(sign * flipped[:, 0]))
        reached += np.abs(flipped[again] - flipped) >= seen - 1e-12
    # the best might have been any of them: as many hypotheses as models, of which one is not looked at
    more = len(values) / (len(values) - 1)
    return np.asarray(np.minimum(1.0, more * np.delete(reached / len(flips), best, axis=0)))


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_few_units_give_the_enumerated_p_values(better: Direction) -> None:
    rng = np.random.default_rng(3)
    values = rng.random((MOST_MODELS + 3, 7, 2))
    found = compared(values, better=better)
    assert found.picked
    by_measure = [[pair.test.p_value for pair in found.differences if pair.measure == f"measure {m}"] for m in (0, 1)]
    assert pytest.approx(naive(values, 1 if better == "higher" else -1)) == np.array(by_measure).T


def test_of_two_systems_the_picked_best_is_tested_two_sided_as_ever() -> None:
    rng = np.random.default_rng(4)
    ours, theirs = rng.random(9) + 0.2, rng.random(9)
    leads = (ours - theirs)[:, None]
    found = picked_tests(lambda _: leads, 1, headline=0, higher=True, levels=[0.05])
    assert found.p_values[0, 0] == paired_test(ours, theirs).p_value


def test_units_that_a_system_lacks_are_left_out_of_its_own_difference() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((MOST_MODELS + 2, 40, 1))
    values[0] += 0.6
    whole = {pair.model: pair for pair in compared(values).of_headline()}
    values[9, 5:15] = math.nan
    parts = {pair.model: pair for pair in compared(values).of_headline()}
    assert parts["m09"].test.units == 30
    assert parts["m09"].test.difference == pytest.approx(float(np.nanmean(values[9] - values[0])))
    assert parts["m20"].test._replace(detectable=0) == whole["m20"].test._replace(detectable=0)


@pytest.mark.parametrize("level", [0.4, 0.05, 0.0001])
def test_some_flips_at_a_time_give_what_all_at_once_give(monkeypatch: pytest.MonkeyPatch, level: float) -> None:
    leads = np.random.default_rng(8).normal(0.1, 1, (9, 40, 2))
    leads[3, 5] = math.nan
    whole = picked_tests(lambda measure: leads[:, :, measure], 40, headline=0, higher=True, levels=(level, level / 3))
    monkeypatch.setattr(randomisation, "_PICKED_BATCH", 40 * 7)
    monkeypatch.setattr(randomisation, "_ROWS", 7)
    parts = picked_tests(lambda measure: leads[:, :, measure], 40, headline=0, higher=True, levels=(level, level / 3))
    assert np.array_equal(whole.p_values, parts.p_values)
    assert parts.critical == pytest.approx(whole.critical, rel=1e-12)
    # every flip by itself: the best leads where no other would have led by more
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=9)))
    means = np.nansum(signs[:, :, None] * leads[None, :, :, 0], axis=1) / (~np.isnan(leads[:, :, 0])).sum(axis=0)
    best = np.minimum(means.min(axis=1), 0.0)
    tail = 1 - level * 40 / 41
    assert whole.critical[:, 0] == pytest.approx(
        np.quantile(np.abs(means - best[:, None]), tail, axis=0, method="higher")
    )


def test_many_equal_systems_are_told_apart_only_by_who_forgets_that_the_best_was_picked() -> None:
    rng = np.random.default_rng(7)
    values = rng.random((100, 40, 1))
    aware = compared(values)
    forgetful = compared(values, Pairing(against=aware.against))
    assert aware.against == forgetful.against
    assert not any(pair.shown for pair in aware.of_headline())
    pairs = zip(aware.of_headline(), forgetful.of_headline(), strict=True)
    assert all(one.test.p_value >= other.test.p_value - 0.01 for one, other in pairs)
    assert aware.of_headline()[0].test.detectable > forgetful.of_headline()[0].test.detectable


def test_findings_are_shown_among_a_hundred_and_fifty_systems() -> None:
    rng = np.random.default_rng(8)
    values = rng.random(60)[None, :, None] + 0.1 * rng.standard_normal((150, 60, 1))
    values[11] += 0.2
    found = compared(values)
    assert (found.against, len(found.of_headline())) == ("m11", 149)
    assert all(pair.shown for pair in found.of_headline())
    assert {pair.finding for pair in found.of_headline()} == {"m11 is higher"}


def test_the_work_grows_with_the_models_and_not_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Sequence[float] | None] = []

    def counted(
        ours: Sequence[Sequence[float]],
        theirs: Sequence[Sequence[float]],
        *,
        measures: int,
        confidence: float,
        seed: int,
        p_values: Sequence[float] | None = None,
    ) -> list[PairedTest]:
        calls.append(p_values)
        return paired_tests(ours, theirs, measures=measures, confidence=confidence, seed=seed, p_values=p_values)

    monkeypatch.setattr("scoresheet.metrics.compare.paired_tests", counted)
    compared(np.random.default_rng(9).random((100, 20, 1)))
    assert len(calls) == 99
    assert None not in calls  # signs are flipped once, for all of them together


@pytest.mark.parametrize("drop", [0.3, 0.02, -0.2])
def test_half_the_two_sided_p_value_is_scipys_one_sided_one(drop: float) -> None:
    rng = np.random.default_rng(10)
    before = rng.random(12)
    now = before - drop + 0.2 * rng.standard_normal(12)
    test = paired_test(now, before)
    one_sided = test.p_value / 2 if test.difference < 0 else 1 - test.p_value / 2
    theirs = stats.permutation_test(
        (now, before),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        alternative="less",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert one_sided == pytest.approx(theirs, abs=2**-11)


def sacrebleus_p(ours: Scores, theirs: Scores, trials: int, seed: int) -> float:
    """Paired approximate randomisation as sacrebleu has it: swap segments at random, count the larger differences.

    M. Post (2018), A Call for Clarity in Reporting BLEU Scores; S. Riezler, J. T. Maxwell (2005), On Some Pitfalls in
    Automatic Evaluation and Significance Testing for MT. Its corpus scores are ratios of sums over segments: where all
    references are of one length, as here, that is the mean of the segments' scores.
    """
    rng = np.random.default_rng(seed)
    pick = rng.integers(2, size=(trials, len(ours)), dtype=bool)
    first, second = (chosen @ ours + ~chosen @ theirs for chosen in (pick, ~pick))
    larger = int((np.abs(first - second) > abs(ours.sum() - theirs.sum()) + 1e-9).sum())
    return (larger + 1) / (trials + 1)


@pytest.mark.parametrize("gain", [0.0, 0.03, 0.1])
def test_the_p_value_is_that_of_sacrebleus_paired_approximate_randomisation(gain: float) -> None:
    rng = np.random.default_rng(11)
    theirs = rng.random(60)  # without ties: of differences as large as the one seen it counts none, and we do
    ours = theirs + gain + 0.2 * rng.standard_normal(60)
    expected = sacrebleus_p(ours, theirs, N_PERMUTATIONS, seed=12345)
    spread = 4 * math.sqrt(2 * expected * (1 - expected) / N_PERMUTATIONS) + 2 / N_PERMUTATIONS
    assert paired_test(ours, theirs).p_value == pytest.approx(expected, abs=spread)


def test_where_differences_tie_ours_is_the_more_careful() -> None:
    # edits per word of references of twenty words: sacrebleu 2.x with TER gave .0027 on such data, where we have .0041
    edits = np.random.default_rng(12).integers(-3, 5, size=60) / 20
    assert paired_test(edits, np.zeros(60)).p_value > sacrebleus_p(edits, np.zeros(60), 4 * N_PERMUTATIONS, seed=1)
