import math

import numpy as np
import pytest
from scipy import stats

from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats.estimate import Estimate, clopper_pearson, jackknife

BANDS = ((-math.inf, "low"), (0.5, "moderate"), (0.8, "high"))


def test_an_estimate_never_holds_minus_zero() -> None:
    estimate = Estimate(-0.0, -0.0, -0.0)
    assert str([estimate.value, estimate.low, estimate.high]) == "[0.0, 0.0, 0.0]"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.1, 0.4, "low"),
        (0.1, 0.5, ""),
        (0.5 - 1e-10, 0.79, "moderate"),
        (0.5 - 1e-8, 0.6, ""),
        (0.6, 0.8 - 1e-10, ""),
        (0.9, math.inf, "high"),
        (math.nan, 0.4, ""),
        (0.1, math.nan, ""),
    ],
)
def test_a_band_word_needs_the_whole_interval(low: float, high: float, word: str) -> None:
    assert Measure("m", "", "", bands=BANDS).verdict(low, high) == word


@pytest.mark.parametrize(
    ("without", "rows", "df"),
    [
        (np.linspace(0, 1, 10), [1] * 10, 9),
        (np.linspace(0, 1, 10), [91] + [1] * 9, 100**2 / (91**2 + 9) - 1),
        ([1.0] + [0.0] * 7, [1] * 8, 2 / ((49**2 + 7) / 56**2 - 1 / 8)),
        ([0.1, 0.1 + 1e-17, 0.1], [1] * 3, 2),
        ([1.0], [1], math.nan),
        ([1.0, math.nan], [1, 1], math.nan),
    ],
)
def test_unequal_units_lower_the_df(without: list[float], rows: list[int], df: float) -> None:
    assert jackknife(np.array(without), rows)[1] == pytest.approx(df, nan_ok=True)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (1, 1000)])
@pytest.mark.parametrize("ci", [0.9, 0.999])
def test_clopper_pearson_matches_scipy(successes: int, trials: int, ci: float) -> None:
    expected = stats.binomtest(successes, trials).proportion_ci(ci, method="exact")
    ends = clopper_pearson(successes, trials, 1 - ci)
    assert ends == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)
