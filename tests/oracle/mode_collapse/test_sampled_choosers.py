"""Samples of choosers, dealt to the places of a line: their counts are binomial, and their Ginis those of numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom  # type: ignore[import-untyped]

from scoresheet.metrics.families.mode_collapse import sampled_choosers as module
from scoresheet.metrics.families.mode_collapse.null_distribution import NullDistribution
from scoresheet.metrics.families.mode_collapse.sampled_choosers import drawn_ginis, with_drawable_shares
from scoresheet.metrics.stats.concentration import gini_of_rank_sums, rank_sums

DRAWS = 4_000
OPTIONS = 20
CHOOSERS = np.array([[1 / OPTIONS] * OPTIONS, [0.62, *[0.02] * 19], [0.3, 0.3, 0.2, 0.2, *[0.0] * 16]])


@pytest.mark.parametrize("samples", [5, 200, 2_000])
def test_the_counts_of_an_option_are_binomial(samples: int) -> None:
    shares = with_drawable_shares(CHOOSERS, samples)
    counts = module._dealt_counts(shares, module._dealt(samples, OPTIONS, DRAWS, (7, samples)))
    assert (counts.sum(axis=2) == samples).all()
    for chooser, of_chooser in zip(shares, counts.transpose(1, 2, 0), strict=True):
        for share, found in zip(chooser[[0, 3, 19]], of_chooser[[0, 3, 19]], strict=True):
            expected = binom(samples, share)
            assert found.mean() == pytest.approx(expected.mean(), abs=5 * expected.std() / DRAWS**0.5)
            middle = round(expected.mean())
            chance = expected.cdf(middle)
            assert (found <= middle).mean() == pytest.approx(chance, abs=5 * (chance * (1 - chance) / DRAWS) ** 0.5)


@pytest.mark.parametrize("samples", [5, 200, 2_000])
def test_ginis_have_the_mean_and_the_spread_of_those_that_numpy_draws(samples: int) -> None:
    shares = with_drawable_shares(CHOOSERS, samples)
    rng = np.random.default_rng(3)
    found = drawn_ginis(shares, samples, DRAWS, (3, samples), rng)
    counts = rng.multinomial(samples, shares, size=(DRAWS, len(shares)))
    plain = gini_of_rank_sums(rank_sums(counts), OPTIONS, samples)
    error = plain.std(axis=0) / DRAWS**0.5
    assert found.mean(axis=0) == pytest.approx(plain.mean(axis=0), abs=float(6 * error.max()))
    assert found.std(axis=0) == pytest.approx(plain.std(axis=0), rel=0.08)


def test_the_mean_gini_of_an_even_chooser_is_the_enumerated_one() -> None:
    options, samples = 10, 12
    found = drawn_ginis(np.full((1, options), 1 / options), samples, DRAWS, (1,), np.random.default_rng(0))
    exact = NullDistribution(options).expected_gini(samples)
    assert found.mean() == pytest.approx(exact, abs=5 * float(found.std()) / DRAWS**0.5)


def test_shares_are_rounded_by_less_than_a_place_and_an_even_chooser_not_at_all() -> None:
    shares = with_drawable_shares(CHOOSERS, 200)
    assert np.abs(shares - CHOOSERS).max() <= 1 / (64 * OPTIONS)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (shares[0] == 1 / OPTIONS).all()
    assert (np.diff(shares, axis=1) <= 0).all()


@pytest.mark.parametrize(("options", "samples"), [(5, 30), (20, 2_001), (3_000, 10)])
def test_where_counts_are_drawn_shares_stay_as_they_are(options: int, samples: int) -> None:
    shares = np.full((2, options), 1 / options)
    shares[1, 0] += 0.5 / options
    shares[1, 1] -= 0.5 / options
    assert with_drawable_shares(shares, samples) is shares
