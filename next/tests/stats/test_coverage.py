"""Small seeded simulations: an interval covers the truth, a test rarely finds what is not there."""

from collections.abc import Callable

import numpy as np
import pytest

from scoresheet.metrics.stats.agreement import alpha_difference, icc, krippendorff_alpha
from scoresheet.metrics.stats.counts import difference_of_repeat_shares, even_test, repeat_share
from scoresheet.metrics.stats.ensembles import dead_member, gain_over_best
from scoresheet.metrics.stats.estimate import Estimate
from scoresheet.metrics.stats.judges import judge_findings
from scoresheet.metrics.stats.means import Rows, bounded_mean, proportion, unbounded_mean
from scoresheet.metrics.stats.paired import holm, paired_difference

Random = np.random.Generator
TRIALS = 400  # the standard error of a share of 95% is 1.1 points


def share(trial: Callable[[Random], bool]) -> float:
    rng = np.random.default_rng(12345)
    return float(np.mean([trial(rng) for _ in range(TRIALS)]))


def covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low <= truth <= estimate.high


@pytest.mark.parametrize("clusters", [8, 40])
@pytest.mark.parametrize(("a", "b"), [(2, 2), (9, 1), (0.5, 4)])
def test_bounded_means_are_covered(clusters: int, a: float, b: float) -> None:
    def trial(rng: Random) -> bool:
        sizes = rng.integers(1, 5, clusters)
        units = np.repeat(np.arange(clusters), sizes)
        return covers(bounded_mean(rng.beta(a, b, clusters)[units], units), a / (a + b))

    assert share(trial) >= 0.92


def test_shares_of_yes_are_covered_where_yes_is_rare() -> None:
    assert share(lambda rng: covers(proportion(rng.random(40) < 0.03), 0.03)) >= 0.93


def test_unbounded_means_of_clusters_over_sheets_are_covered() -> None:
    units, sheets = np.tile(np.arange(15), 4), np.repeat([0, 1, 2, 2], 15)

    def trial(rng: Random) -> bool:
        values = rng.normal(size=15)[units] + rng.normal(size=60)
        return covers(unbounded_mean(values, units, sheets), 0)

    assert 0.92 <= share(trial) <= 0.98


@pytest.mark.parametrize("clusters", [12, 50])
def test_equal_models_with_ragged_clusters_rarely_differ(clusters: int) -> None:
    def trial(rng: Random) -> bool:
        units = np.repeat(np.arange(clusters), rng.integers(1, 6, clusters))
        a, b = (rng.normal(size=clusters)[units] + rng.normal(size=units.size) for _ in "ab")
        return paired_difference(Rows(a, units), Rows(b, units)).p < 0.05

    assert 0.01 <= share(trial) <= 0.08


def test_a_real_difference_is_found() -> None:
    def trial(rng: Random) -> bool:
        return paired_difference(Rows(rng.normal(0.5, 1, 50)), Rows(np.zeros(50))).p < 0.05

    assert share(trial) >= 0.88


def test_holm_keeps_the_rate_of_any_false_finding() -> None:
    def trial(rng: Random) -> bool:
        models = rng.normal(size=(4, 30))
        p = [
            paired_difference(Rows(models[i]), Rows(models[j])).p
            for i in range(4)
            for j in range(i)
        ]
        return bool((holm(p)[0] < 0.05).any())

    assert share(trial) <= 0.07


SHAPES = [(0.2,) * 5, (0.6, 0.2, 0.1, 0.1, 0.0), (0.9, 0.05, 0.05), (0.98, 0.02)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("draws", [10, 32, 200])
def test_repeat_shares_are_covered(shape: tuple[float, ...], draws: int) -> None:
    truth = sum(p * p for p in shape)

    def trial(rng: Random) -> bool:
        estimate = repeat_share(rng.multinomial(draws, shape))
        return estimate.low - 1e-9 <= truth <= estimate.high

    assert share(trial) >= 0.92


def test_choosers_of_equal_share_and_other_shape_rarely_differ() -> None:
    # both choosers repeat themselves half of the time
    a, b = (0.5, 0.5, 0.0), (2 / 3, 1 / 6, 1 / 6)

    def trial(rng: Random) -> bool:
        counts = rng.multinomial(40, a), rng.multinomial(40, b)
        return difference_of_repeat_shares(*counts).p < 0.05

    assert share(trial) <= 0.1


def test_an_even_chooser_is_rarely_called_uneven() -> None:
    def trial(rng: Random) -> bool:
        return even_test(rng.multinomial(32, [0.2] * 5), draws=399, seed=1) < 0.05

    assert 0.02 <= share(trial) <= 0.08


@pytest.mark.parametrize("level", ["interval", "ordinal"])
def test_agreement_is_covered(level: str) -> None:
    # normal items and noise of equal variance: alpha, ICC(2,1) are 1/2, ordinal alpha nearly so
    truth = 0.5 if level == "interval" else 6 / np.pi * np.arcsin(0.25)

    def trial(rng: Random) -> bool:
        ratings = rng.normal(size=(25, 1)) + rng.normal(size=(25, 4))
        return covers(krippendorff_alpha(ratings, level=level), truth)

    assert share(trial) >= 0.9


def test_icc_is_covered_and_equal_panels_rarely_differ() -> None:
    def covered(rng: Random) -> bool:
        return covers(icc(rng.normal(size=(25, 1)) + rng.normal(size=(25, 4)))[0], 0.5)

    def found(rng: Random) -> bool:
        items = rng.normal(size=(25, 1))
        return alpha_difference(*(items + rng.normal(size=(25, 3)) for _ in "ab")).p < 0.05

    assert share(covered) >= 0.9
    assert share(found) <= 0.08


@pytest.mark.parametrize(
    ("word", "sign", "shift"), [("reversed", -1, 6), ("lenient", 1, 1), ("strict", 1, -1)]
)
def test_unusual_judges_are_found_and_others_are_not(word: str, sign: int, shift: float) -> None:
    def words(rng: Random) -> list[str]:
        ratings = rng.normal(3, 1, (30, 1)) + rng.normal(0, 0.7, (30, 5))
        ratings[:, 0] = sign * ratings[:, 0] + shift
        return [finding.word for finding in judge_findings(ratings)]

    rng = np.random.default_rng(7)
    found = [words(rng) for _ in range(150)]
    assert np.mean([row[0] == word for row in found]) >= 0.97
    assert np.mean([any(row[1:]) for row in found]) <= 0.08


def test_a_collective_as_good_as_its_best_member_rarely_gains() -> None:
    def trial(rng: Random) -> bool:
        drawn = rng.random((80, 4)) < [0.7, 0.7, 0.7, 0.5]
        return gain_over_best(drawn[:, 0], drawn[:, 1:]).low > 0

    assert share(trial) <= 0.05


def test_even_routers_have_no_dead_expert() -> None:
    def trial(rng: Random) -> bool:
        hits = rng.multinomial(2000, [1 / 8] * 8)
        return any(dead_member(int(h), 2000, members=8).high < 0.01 for h in hits)

    assert share(trial) == 0
