"""The draws behind p-values: a walk draws what a direct draw would, and each size stands for itself."""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics.families.mode_collapse import null_distribution, power
from scoresheet.metrics.families.mode_collapse.null_distribution import DRAWS, NullDistribution, collapse_p_value
from scoresheet.metrics.families.mode_collapse.power import samples_needed
from scoresheet.metrics.stats.concentration import gini, gini_of_rank_sums, rank_sums


@pytest.mark.parametrize(("options", "total"), [(100, 300), (7, 255), (7, 256), (50, 1_000)])
def test_a_walk_draws_the_same_distribution_as_a_direct_draw(options: int, total: int) -> None:
    walked = NullDistribution(options).drawn_rank_sums(total)
    direct = rank_sums(np.random.default_rng(7).multinomial(total, [1 / options] * options, size=DRAWS))
    error = 5 * np.hypot(walked.std(), direct.std()) / np.sqrt(DRAWS)
    assert abs(walked.mean() - direct.mean()) < error
    assert np.allclose(np.quantile(walked, [0.05, 0.5, 0.95]), np.quantile(direct, [0.05, 0.5, 0.95]), rtol=0.02)


def test_what_is_drawn_for_a_size_does_not_depend_on_the_sizes_before_it() -> None:
    null_distribution._drawn_rank_sums.cache_clear()
    null_distribution._walk.cache_clear()
    alone = NullDistribution(60).drawn_rank_sums(500)
    null_distribution._drawn_rank_sums.cache_clear()
    null_distribution._walk.cache_clear()
    for total in (410, 499, 450):
        NullDistribution(60).drawn_rank_sums(total)
    assert np.array_equal(NullDistribution(60).drawn_rank_sums(500), alone)


def test_a_drawn_p_value_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [14, 8, 5, 3, 2]
    exact = collapse_p_value(counts)
    monkeypatch.setattr(null_distribution, "_MOST_ENUMERATED", 0)
    null_distribution._is_enumerable.cache_clear()
    drawn = collapse_p_value(counts)
    null_distribution._is_enumerable.cache_clear()
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=5 * np.sqrt(exact / DRAWS))


def test_a_p_value_that_was_drawn_is_never_zero() -> None:
    assert collapse_p_value([3_000, *[0] * 99]) == 1 / (1 + DRAWS)


def test_a_target_with_other_options_than_the_counts_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 shares for 2 options"):
        collapse_p_value([1, 2], target=[0.2, 0.3, 0.5])
    with pytest.raises(ValueError, match="not all 0"):
        collapse_p_value([1, 2], target=[0.0, 0.0])


def test_very_large_samples_need_no_more_memory() -> None:
    assert collapse_p_value([500_000_000, 500_100_000]) < 0.01


def test_rank_sums_order_cells_as_their_ginis_do() -> None:
    counts = np.random.default_rng(1).multinomial(20, [0.4, 0.3, 0.2, 0.1], size=200)
    ginis = gini_of_rank_sums(rank_sums(counts), 4, 20)
    assert ginis == pytest.approx([gini(row) for row in counts.tolist()], abs=1e-12)


def test_power_finds_what_a_direct_simulation_finds() -> None:
    needed = samples_needed(5, 0.3, powers=(0.8,))[0]
    assert needed is not None
    draws = np.random.default_rng(3).multinomial(needed, [0.5, *[0.125] * 4], size=400)
    found = np.mean([collapse_p_value(row) < 0.05 for row in draws.tolist()])
    assert found == pytest.approx(0.8, abs=0.06)


def test_a_gini_near_nothing_needs_more_samples_than_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power, "_CASES", 200)  # so few show as well that it is never found
    assert samples_needed(2, 0.001, powers=(0.99,)) == [None]
