import math

import numpy as np
import pytest
from scipy import stats

from scoresheet.metrics.stats.estimate import Floats
from scoresheet.metrics.stats.judges import correlation, judge_findings

NAN = math.nan


def scores(judges: int = 5, items: int = 40, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.normal(3, 1, (items, 1)) + rng.normal(0, 0.5, (items, judges))


@pytest.mark.parametrize(
    ("judges", "changes", "words"),
    [
        (5, {}, [""] * 5),
        (3, {1: (1, 1)}, ["", "lenient", ""]),
        (5, {1: (1, -1)}, ["", "strict", "", "", ""]),
        (3, {1: (-1, 6)}, ["", "reversed", ""]),
        # reversed judges leave the panel before offsets are tested
        (6, {0: (-1, 8), 3: (-1, 6), 5: (1, 1)}, ["reversed", "", "", "reversed", "", "lenient"]),
        # of two judges either could be the outlier
        (2, {1: (-1, 9)}, ["", ""]),
    ],
)
def test_unusual_judges_are_named_and_the_others_are_not(
    judges: int, changes: dict[int, tuple[float, float]], words: list[str]
) -> None:
    ratings = scores(judges)
    for judge, (sign, shift) in changes.items():
        ratings[:, judge] = sign * ratings[:, judge] + shift
    findings = judge_findings(ratings)
    assert [finding.word for finding in findings] == words
    assert all(math.isfinite(finding.offset.low) for finding in findings)


def test_a_word_never_contradicts_the_interval() -> None:
    for seed in range(60):
        ratings, noise = scores(4, items=10, seed=seed), np.random.default_rng(seed).normal(size=10)
        ratings[:, 2] = 6 - ratings[:, 2] + noise / 2 if seed % 2 else ratings[:, 2] + 0.5
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
    assert all(finding.offset.note and finding.correlation.note for finding in findings)


def test_a_correlation_matches_scipy_and_is_finite_where_it_is_perfect() -> None:
    x, y = scores(2).T
    expected = stats.pearsonr(x, y)
    interval, estimate = expected.confidence_interval(0.9), correlation(x, y, ci=0.9)
    assert estimate.value == pytest.approx(expected.statistic)
    assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high))
    perfect = correlation(x, -x)
    assert -1 <= perfect.low <= perfect.high < -0.99
    assert correlation(x, [0.1 + 0.2] * 40).note == "constant"
