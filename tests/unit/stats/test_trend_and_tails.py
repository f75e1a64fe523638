"""Do Kendall's test and the binomial tail equal those of scipy?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, kendalltau  # type: ignore[import-untyped]

from scoresheet.metrics.stats.binomial import binomial_tail
from scoresheet.metrics.stats.trend import kendall_trend


@pytest.mark.parametrize("values", [2, 5, 8, 23, 50])
def test_a_trend_without_ties_has_scipys_exact_p_value(values: int) -> None:
    rng = np.random.default_rng(values)
    series = rng.normal(size=values) + 0.1 * np.arange(values)
    wanted = kendalltau(np.arange(values), series, method="exact")
    found = kendall_trend(series.tolist())
    assert (found.tau, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))


def test_a_long_trend_is_near_scipys_normal_one() -> None:
    series = np.random.default_rng(1).normal(size=300) + 0.002 * np.arange(300)
    wanted = kendalltau(np.arange(300), series, method="asymptotic")
    assert kendall_trend(series.tolist()).p_value == pytest.approx(wanted.pvalue, rel=0.02)


def test_ties_count_half_and_nothing_but_ties_is_no_trend() -> None:
    assert kendall_trend([1.0, 1.0, 1.0, 1.0]).p_value == 1
    tied = kendall_trend([1, 1, 2, 2, 3, 3, 4, 4])
    assert tied.tau == pytest.approx(24 / 28)
    # S = 24, its variance (8·7·21 − 4·2·1·9) / 18, corrected for continuity
    assert tied.p_value == pytest.approx(math.erfc(23 / math.sqrt(2 * (1176 - 72) / 18)))


def test_what_is_not_known_is_left_out_and_one_value_has_no_trend() -> None:
    assert kendall_trend([1.0, math.nan, 2.0, 3.0]) == kendall_trend([1.0, 2.0, 3.0])
    assert math.isnan(kendall_trend([1.0]).p_value)


@pytest.mark.parametrize("share", [0.0, 1e-4, 0.3, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("samples", [1, 20, 1_000, 50_000])
def test_a_tail_is_scipys(samples: int, share: float) -> None:
    for hits in sorted({0, 1, samples // 3, round(samples * share), samples - 1, samples}):
        wanted = binom.sf(hits - 1, samples, share)
        assert binomial_tail(hits, samples, share) == pytest.approx(wanted, rel=1e-7, abs=1e-300), (
            hits,
            samples,
            share,
        )


@pytest.mark.parametrize(("hits", "samples", "share"), [(-1, 3, 0.5), (4, 3, 0.5), (1, 3, 1.5), (1, 3, math.nan)])
def test_a_tail_of_nothing_is_refused(hits: int, samples: int, share: float) -> None:
    with pytest.raises(ValueError, match="no tail"):
        binomial_tail(hits, samples, share)
