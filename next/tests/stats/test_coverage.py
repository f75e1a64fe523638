"""Small seeded simulations: an interval covers the truth, a test rarely finds what is not there."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from scoresheet.metrics.stats import Estimate, Floats, counts
from scoresheet.metrics.stats.agreement import alpha_difference, icc, krippendorff_alpha
from scoresheet.metrics.stats.judges import judge_findings
from scoresheet.metrics.stats.means import Rows, mean_estimate
from scoresheet.metrics.stats.paired import gain_and_rho, holm, paired_difference

Random = np.random.Generator


def share(trial: Callable[[Random], bool]) -> float:
    rng = np.random.default_rng(12345)
    return float(np.mean([trial(rng) for _ in range(400)]))  # of 95%: give or take 1.1 points


def covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low - 1e-9 <= truth <= estimate.high


def bounded(*columns: ArrayLike) -> Estimate:
    return mean_estimate(Rows(*columns), bounds=(0, 1))


@pytest.mark.parametrize("clusters", [8, 40])
@pytest.mark.parametrize(("a", "b"), [(2, 2), (9, 1), (0.5, 4)])
def test_bounded_means_are_covered(clusters: int, a: float, b: float) -> None:
    def trial(rng: Random) -> bool:
        units = np.repeat(np.arange(clusters), rng.integers(1, 5, clusters))
        return covers(bounded(rng.beta(a, b, clusters)[units], units), a / (a + b))

    assert share(trial) >= 0.92


SHAPES = [(0.2,) * 5, (0.6, 0.2, 0.1, 0.1, 0.0), (0.9, 0.05, 0.05), (0.98, 0.02)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("draws", [10, 32, 200])
def test_repeat_shares_are_covered(shape: tuple[float, ...], draws: int) -> None:
    truth = sum(p * p for p in shape)
    found = share(lambda rng: covers(counts.repeat_share(rng.multinomial(draws, shape))[0], truth))
    assert found >= 0.92


def ratings(rng: Random) -> Floats:
    """Normal items and noise of equal variance: alpha and ICC(2,1) are 1/2."""
    return rng.normal(size=(25, 1)) + rng.normal(size=(25, 4))


def sheets_of_clusters(rng: Random) -> Estimate:
    units, sheets = np.tile(np.arange(15), 4), np.repeat([0, 1, 2, 2], 15)
    x = rng.normal(size=15)[units] + rng.normal(size=60)
    return mean_estimate(Rows(x, units, sheets))


@pytest.mark.parametrize(
    ("draw", "truth", "least"),
    [
        (lambda rng: bounded(rng.random(40) < 0.03), 0.03, 0.93),
        (sheets_of_clusters, 0, 0.92),
        (lambda rng: krippendorff_alpha(ratings(rng)), 0.5, 0.9),
        (lambda rng: krippendorff_alpha(ratings(rng), level="ordinal"), 0.4826, 0.9),
        (lambda rng: icc(ratings(rng))[0], 0.5, 0.9),
    ],
)
def test_others_are_covered(draw: Callable[[Random], Estimate], truth: float, least: float) -> None:
    assert share(lambda rng: covers(draw(rng), truth)) >= least


def equal_models(rng: Random, clusters: int) -> float:
    units = np.repeat(np.arange(clusters), rng.integers(1, 6, clusters))
    a, b = (rng.normal(size=clusters)[units] + rng.normal(size=units.size) for _ in "ab")
    return paired_difference(Rows(a, units), Rows(b, units)).p


def four_equal_models(rng: Random) -> float:
    pairs = combinations(rng.normal(size=(4, 30)), 2)
    return float(min(holm([paired_difference(Rows(a), Rows(b)).p for a, b in pairs])[0]))


def equal_repeat_shares(rng: Random) -> float:
    # both choosers repeat themselves half of the time
    drawn = rng.multinomial(40, (0.5, 0.5, 0)), rng.multinomial(40, (2 / 3, 1 / 6, 1 / 6))
    return counts.difference_of_repeat_shares(*drawn).p


def equal_panels(rng: Random) -> float:
    items = rng.normal(size=(25, 1))
    return alpha_difference(*(items + rng.normal(size=(25, 3)) for _ in "ab")).p


def collective_like_its_best(rng: Random) -> float:
    drawn = rng.random((80, 4)) < [0.7, 0.7, 0.7, 0.5]
    gain, _ = gain_and_rho(drawn[:, 0], drawn[:, 1:])
    return gain.p if gain.value > 0 else 1.0


def even_router(rng: Random) -> float:
    hits = rng.multinomial(2000, [1 / 8] * 8)
    return min(counts.dead_member(int(count), 2000, members=8).high for count in hits)


@pytest.mark.parametrize(
    ("p", "least", "most"),
    [
        (lambda rng: paired_difference(Rows(rng.normal(0.5, 1, 50)), Rows([0] * 50)).p, 0.88, 1),
        (lambda rng: equal_models(rng, 12), 0.01, 0.08),
        (lambda rng: equal_models(rng, 50), 0.01, 0.08),
        (four_equal_models, 0, 0.07),
        (lambda rng: counts.even_test(rng.multinomial(32, [0.2] * 5)), 0.02, 0.08),
        (equal_repeat_shares, 0, 0.1),
        (equal_panels, 0, 0.08),
        (collective_like_its_best, 0, 0.05),
        (even_router, 0, 0),
    ],
)
def test_the_share_of_findings(p: Callable[[Random], float], least: float, most: float) -> None:
    assert least <= share(lambda rng: p(rng) < 0.05) <= most


@pytest.mark.parametrize(
    ("word", "sign", "shift"), [("reversed", -1, 6), ("lenient", 1, 1), ("strict", 1, -1)]
)
def test_unusual_judges_are_found_and_others_are_not(word: str, sign: int, shift: float) -> None:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(150):
        scores = rng.normal(3, 1, (30, 1)) + rng.normal(0, 0.7, (30, 5))
        scores[:, 0] = sign * scores[:, 0] + shift
        found.append([finding.word for finding in judge_findings(scores)])
    assert np.mean([row[0] == word for row in found]) >= 0.97
    assert np.mean([any(row[1:]) for row in found]) <= 0.08
