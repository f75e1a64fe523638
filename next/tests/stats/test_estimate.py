import math

import numpy as np
import pytest
from scipy import stats

from scoresheet.metrics.stats.estimate import (
    Estimate,
    band_of_interval,
    clopper_pearson,
    jackknife,
)

BANDS = [(-math.inf, "low"), (0.5, "moderate"), (0.8, "high")]


def test_an_estimate_never_holds_minus_zero() -> None:
    estimate = Estimate(-0.0, -0.0, -0.0)
    assert str([estimate.value, estimate.low, estimate.high]) == "[0.0, 0.0, 0.0]"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.1, 0.4, "low"),
        (0.1, 0.5, ""),
        (0.5, 0.79, "moderate"),
        (0.5 - 1e-10, 0.6, "moderate"),
        (0.5 - 1e-8, 0.6, ""),
        (0.6, 0.8 - 1e-10, ""),
        (0.8, 1.0, "high"),
        (0.9, math.inf, "high"),
        (math.nan, 0.4, ""),
        (0.1, math.nan, ""),
        (math.nan, math.nan, ""),
    ],
)
def test_a_band_word_needs_the_whole_interval(low: float, high: float, word: str) -> None:
    assert band_of_interval(low, high, BANDS) == word


def test_the_jackknife_of_a_mean_is_its_usual_standard_error() -> None:
    x = np.random.default_rng(1).normal(size=25)
    error, df = jackknife((x.sum() - x) / 24)
    assert error == pytest.approx(stats.sem(x), rel=1e-12)
    assert df <= 24


def test_one_dominant_value_lowers_the_degrees_of_freedom() -> None:
    x = np.array([100.0, 1, 0, 1, 0, 1, 0, 1])
    assert jackknife((x.sum() - x) / 7)[1] < 4


def test_unequal_clusters_lower_the_degrees_of_freedom() -> None:
    thetas = np.linspace(0, 1, 10)
    assert jackknife(thetas, np.ones(10))[1] == pytest.approx(9)
    assert jackknife(thetas, [91] + [1] * 9)[1] == pytest.approx(100**2 / (91**2 + 9) - 1)


@pytest.mark.parametrize("thetas", [[0.1] * 7, [0.1, 0.1 + 1e-17, 0.1], [0, 0, 0]])
def test_equal_estimates_have_no_error(thetas: list[float]) -> None:
    assert jackknife(thetas)[0] == 0


@pytest.mark.parametrize("thetas", [[], [1.0], [1.0, math.nan]])
def test_too_few_estimates_have_an_undefined_error(thetas: list[float]) -> None:
    assert math.isnan(jackknife(thetas)[0])


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (1, 1000)])
@pytest.mark.parametrize("ci", [0.9, 0.95, 0.999])
def test_clopper_pearson_matches_scipy(successes: int, trials: int, ci: float) -> None:
    expected = stats.binomtest(successes, trials).proportion_ci(ci, method="exact")
    assert clopper_pearson(successes, trials, 1 - ci) == pytest.approx(
        (expected.low, expected.high), rel=1e-9, abs=1e-12
    )
