import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from scoresheet.metrics.stats.judges import (
    correlation,
    judge_findings,
    robust_outliers,
    sd_outliers,
)

NAN = math.nan


def scores(judges: int = 5, items: int = 40, seed: int = 1) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return rng.normal(3, 1, (items, 1)) + rng.normal(0, 0.5, (items, judges))


def words(ratings: NDArray[np.float64]) -> list[str]:
    return [finding.word for finding in judge_findings(ratings)]


def test_judges_who_agree_have_no_word() -> None:
    assert words(scores()) == [""] * 5


@pytest.mark.parametrize("judges", [3, 5, 8])
def test_one_unusual_judge_is_named_and_the_others_are_not(judges: int) -> None:
    for word, sign, shift in (("lenient", 1, 1), ("strict", 1, -1), ("reversed", -1, 6)):
        ratings = scores(judges)
        ratings[:, 1] = sign * ratings[:, 1] + shift
        assert words(ratings) == ["", word] + [""] * (judges - 2)


def test_reversed_judges_leave_the_panel_before_offsets_are_tested() -> None:
    ratings = scores(7)
    ratings[:, 0] = 8 - ratings[:, 0]  # also much too high
    ratings[:, 3] = 6 - ratings[:, 3]
    ratings[:, 5] += 1
    assert words(ratings) == ["reversed", "", "", "reversed", "", "lenient", ""]


def test_two_judges_have_offsets_and_correlations_but_no_word() -> None:
    ratings = scores(2)
    ratings[:, 1] = 9 - ratings[:, 1]
    for finding in judge_findings(ratings):
        assert finding.word == ""
        assert finding.correlation.high < 0
        assert abs(finding.offset.value) > 1
        assert math.isfinite(finding.offset.low)


def test_a_word_never_contradicts_the_interval() -> None:
    for seed in range(30):
        ratings = scores(4, items=10, seed=seed)
        ratings[:, 2] = ratings[::-1, 2] if seed % 2 else ratings[:, 2] + 0.5
        for finding in judge_findings(ratings):
            offset, r = finding.offset, finding.correlation
            assert (finding.word == "reversed") == (r.high < 0)
            if finding.word != "reversed":
                assert bool(finding.word) == (offset.low > 0 or offset.high < 0)


def test_the_offset_is_the_mean_distance_from_the_others() -> None:
    ratings = scores(3, seed=2)
    ratings[4, 0] = ratings[5, 1] = NAN
    finding = judge_findings(ratings)[0]
    gaps = ratings[:, 0] - np.nanmean(ratings[:, 1:], axis=1)
    assert finding.offset.value == pytest.approx(np.nanmean(gaps))
    assert finding.offset.units == 39


@pytest.mark.parametrize("shape", [(0, 3), (3, 3), (10, 1), (10, 0)])
def test_a_panel_too_small_to_test_has_notes(shape: tuple[int, int]) -> None:
    findings = judge_findings(np.random.default_rng(0).random(shape))
    assert len(findings) == shape[1]
    for finding in findings:
        assert finding.word == ""
        assert finding.offset.note
        assert finding.correlation.note


def test_a_constant_judge_is_not_reversed() -> None:
    ratings = scores(4)
    ratings[:, 2] = 0.1 + 0.2
    finding = judge_findings(ratings)[2]
    assert finding.correlation.note == "constant"
    assert math.isnan(finding.correlation.value)


def test_a_correlation_matches_scipy() -> None:
    x, y = scores(2).T
    expected = stats.pearsonr(x, y)
    interval = expected.confidence_interval(0.9)
    estimate = correlation(x, y, ci=0.9)
    assert estimate.value == pytest.approx(expected.statistic)
    assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_correlation_is_finite(sign: int) -> None:
    x = np.linspace(0, 1, 10)
    estimate = correlation(x, sign * x)
    assert estimate.value == pytest.approx(sign)
    assert -1 <= estimate.low <= estimate.high <= 1
    assert estimate.p < 1e-10


@pytest.mark.parametrize(
    ("row", "by_sd", "by_mad"),
    [
        ([0.8, 0.85, 0.82, 0.1, 0.83], [3], [3]),
        ([0.6, 0.8, 0.7, 0.9, 0.75], [], []),
        ([0.8, 0.82, 0.81, 0.1], [], [3]),  # four judges: 1.5 sd cannot be exceeded
        ([0.0, 0.0, 0.0, 1.0], [], [3]),
        ([0.8, 0.82, NAN, 0.1], [], [3]),
        ([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [], []),
        ([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3, 0.3], [], []),
        ([0.5, 0.5, 0.5, 0.55], [], []),
        ([0.5, NAN, NAN, NAN], [], []),
        ([NAN, NAN], [], []),
    ],
)
def test_outlier_scores_of_an_item(row: list[float], by_sd: list[int], by_mad: list[int]) -> None:
    assert np.flatnonzero(sd_outliers([row])).tolist() == by_sd
    assert np.flatnonzero(robust_outliers([row])).tolist() == by_mad
