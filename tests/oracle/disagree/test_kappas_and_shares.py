"""Kappas against scikit-learn and statsmodels, the beta distribution and what follows from it against scipy."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from scoresheet.metrics import alpha_interval, cohen_kappa, fleiss_kappa, proportion_interval
from scoresheet.metrics.families.disagree.spread_limit import spread_limits
from scoresheet.metrics.stats.agreement import krippendorff_alpha
from scoresheet.metrics.stats.beta_distribution import beta_cdf, beta_quantile, f_quantile

# loaded by name: they publish no types
stats: Any = import_module("scipy.stats")
sklearn: Any = import_module("sklearn.metrics")
raters: Any = import_module("statsmodels.stats.inter_rater")
proportion: Any = import_module("statsmodels.stats.proportion")


@pytest.mark.parametrize("seed", range(20))
def test_kappas_equal_scikit_learns_and_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.choice(["A", "B", "Tie"], size=(30, 4), p=(0.5, 0.3, 0.2))
    assert cohen_kappa(labels[:, :2].tolist()) == pytest.approx(sklearn.cohen_kappa_score(labels[:, 0], labels[:, 1]))
    counts, _ = raters.aggregate_raters(np.unique(labels, return_inverse=True)[1].reshape(labels.shape))
    assert fleiss_kappa(labels.tolist()) == pytest.approx(raters.fleiss_kappa(counts))


def test_kappas_leave_out_items_that_lack_a_label_and_need_two_labels() -> None:
    assert cohen_kappa([["a", "a"], ["b", ""], ["b", "b"], [None, "a"]]) == 1
    assert math.isnan(cohen_kappa([["a", "a"], ["a", "a"]]))
    assert math.isnan(fleiss_kappa([["a", ""], ["", "b"]]))


@pytest.mark.parametrize("seed", range(40))
def test_the_beta_distribution_is_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = np.exp(rng.uniform(-1, 8, 2)).tolist()
    share = float(rng.uniform(0.001, 0.999))
    value = float(stats.beta.ppf(share, first, second))
    assert beta_cdf(value, first, second) == pytest.approx(stats.beta.cdf(value, first, second), abs=1e-10)
    assert beta_quantile(share, first, second) == pytest.approx(value, rel=1e-9)
    above, below = rng.integers(1, 3_000, 2).tolist()
    assert f_quantile(0.999, above, below) == pytest.approx(stats.f.ppf(0.999, above, below), rel=1e-8)


@pytest.mark.parametrize(("successes", "trials"), [(0, 5), (5, 5), (3, 10), (99, 100), (500, 1_000)])
def test_the_interval_of_a_proportion_is_clopper_and_pearsons(successes: int, trials: int) -> None:
    wanted = proportion.proportion_confint(successes, trials, method="beta")
    assert proportion_interval(successes, trials)[:2] == pytest.approx(wanted, abs=1e-9)
    assert not proportion_interval(1, 4).is_known


def test_the_variance_that_a_spread_is_held_to_is_what_alpha_says() -> None:
    rng = np.random.default_rng(1)
    scores = rng.uniform(size=(60, 1)) + 0.1 * rng.standard_normal((60, 4))
    variances = scores.var(axis=1, ddof=1)
    within = (1 - krippendorff_alpha(scores)) * scores.var(ddof=1)
    assert variances.mean() == pytest.approx(within)
    limits = spread_limits(variances, np.full(60, 4))
    for item in (0, 17, 59):
        others = np.delete(variances, item).mean()
        assert limits[item] == pytest.approx(math.sqrt(stats.f.ppf(0.999, 3, 59 * 3) * others))


def test_without_any_disagreement_the_lower_end_is_that_of_the_items_that_may_disagree() -> None:
    for items in (5, 10, 40):
        same = [[place % 7, place % 7, place % 7] for place in range(items)]
        low, high, _ = alpha_interval(same)
        # the largest share of items with a disagreement that so many without one allow
        assert (low, high) == pytest.approx((0.025 ** (1 / items), 1))
