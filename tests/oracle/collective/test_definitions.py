"""What streams make together, against plain loops over votes, DESlib, statsmodels and scipy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from scoresheet.metrics import (
    efficiency,
    emergence_ratio,
    error_diversity,
    fingerprint_diversity,
    majority_vote,
    mcnemar_p,
    routing_entropy,
    vote_contributions,
)
from scoresheet.metrics.families.collective.fusion import VoteFusion

Codes = npt.NDArray[np.int64]

# loaded by name: they publish no types
stats: Any = import_module("scipy.stats")

BLANK = -1
FIXED_TIES = ("first", "wrong", "class")


@cache
def deslib() -> Any:
    return import_module("deslib.util.diversity")


@cache
def statsmodels_tables() -> Any:
    return import_module("statsmodels.stats.contingency_tables")  # seconds to load, so only where it is asked


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


def all_near(values: Sequence[float | Fraction]) -> Any:
    return pytest.approx([float(value) for value in values], rel=1e-12, abs=1e-12, nan_ok=True)


# --- votes ---------------------------------------------------------------------------------------


def random_votes(seed: int, samples: int, streams: int, classes: int, blank: float = 0.15) -> Codes:
    rng = np.random.default_rng(seed)
    votes = rng.integers(0, classes, size=(samples, streams))
    votes[rng.random(votes.shape) < blank] = BLANK
    return votes


def tied_classes(row: Sequence[int]) -> list[int]:
    """Return the classes with the most votes, the one whose first voter stands leftmost first."""
    counts = Counter(vote for vote in row if vote != BLANK)  # a Counter keeps the order of first sight
    return [code for code, count in counts.items() if count == max(counts.values())]


def plain_vote(row: Sequence[int], ties: str) -> int:
    top = tied_classes(row)
    if not top or (ties == "wrong" and len(top) > 1):
        return BLANK
    return min(top) if ties == "class" else top[0]


def accuracy(votes: Sequence[Sequence[int]], labels: Sequence[int], ties: str) -> Fraction:
    right = sum(plain_vote(row, ties) == label for row, label in zip(votes, labels, strict=True))
    return Fraction(right, len(labels))


def of_streams(votes: Codes, chosen: Sequence[int]) -> list[list[int]]:
    return [[row[stream] for stream in chosen] for row in votes.tolist()]


@pytest.mark.parametrize("ties", FIXED_TIES)
@pytest.mark.parametrize("seed", range(8))
def test_a_majority_vote_equals_a_counter_per_row(seed: int, ties: str) -> None:
    votes = random_votes(seed, samples=300, streams=1 + seed, classes=2 + seed % 4, blank=0.1 * (seed % 4))
    codes, tied = majority_vote(votes, ties=ties)
    assert codes.tolist() == [plain_vote(row, ties) for row in votes.tolist()]
    assert tied.tolist() == [len(tied_classes(row)) > 1 for row in votes.tolist()]


def test_ties_go_to_the_class_whose_first_voter_stands_leftmost_unless_told_otherwise() -> None:
    votes = np.array([[2, 1, 1, 2], [1, 2, 2, 1], [0, 2, 1, -1], [-1, 3, 0, -1]])
    assert majority_vote(votes)[0].tolist() == [2, 1, 0, 3]
    assert majority_vote(votes, ties="class")[0].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("ties", [*FIXED_TIES, "random"])
def test_where_nobody_votes_there_is_no_prediction_and_no_tie(ties: str) -> None:
    codes, tied = majority_vote(np.array([[-1, -1, -1], [-1, 4, -1]]), ties=ties)
    assert codes.tolist() == [BLANK, 4]
    assert tied.tolist() == [False, False]


def test_codes_that_are_far_apart_are_counted_all_the_same() -> None:
    votes = np.array([[1_000_000, 3, 1_000_000], [5, 1_000_000, -1]])
    codes, tied = majority_vote(votes)
    assert codes.tolist() == [1_000_000, 5]
    assert tied.tolist() == [False, True]


def test_an_unknown_rule_for_ties_is_refused() -> None:
    with pytest.raises(ValueError, match=r"coin|ties"):
        majority_vote(np.array([[0, 1]]), ties="coin")


def test_random_ties_take_one_of_the_tied_classes_and_leave_the_others_alone() -> None:
    votes = random_votes(50, samples=2_000, streams=5, classes=4)
    codes, tied = majority_vote(votes, ties="random")
    for row, code, is_tied in zip(votes.tolist(), codes.tolist(), tied.tolist(), strict=True):
        top = tied_classes(row)
        assert is_tied == (len(top) > 1)
        assert code in top or (code == BLANK and not top)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_random_ties_are_uniform_over_the_tied_classes(classes: int) -> None:
    # every class once and so all tied, in an order that differs from row to row
    rng = np.random.default_rng(classes)
    votes = np.array([rng.permutation(classes) for _ in range(6_000)])
    codes, tied = majority_vote(votes, ties="random")
    assert tied.all()
    chosen = np.bincount(codes, minlength=classes)
    places = np.bincount(np.nonzero(votes == codes[:, None])[1], minlength=classes)
    # a fair choice fails either of these once in ten thousand seeds
    assert stats.chisquare(chosen).pvalue > 1e-4
    assert stats.chisquare(places).pvalue > 1e-4


def test_random_ties_are_the_same_in_every_run_of_a_seed_and_others_with_another() -> None:
    votes = random_votes(51, samples=1_000, streams=4, classes=3)
    first, again, other = (majority_vote(votes, ties="random", seed=seed)[0].tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other
    assert first != majority_vote(votes, ties="first")[0].tolist()


def shapley_by_permutations(votes: Codes, labels: Sequence[int], ties: str) -> list[Fraction]:
    """Return each stream's mean gain over every order in which the streams could join; nobody scores 0."""
    streams = votes.shape[1]

    @cache
    def value(coalition: tuple[int, ...]) -> Fraction:
        return accuracy(of_streams(votes, coalition), labels, ties) if coalition else Fraction(0)

    totals = [Fraction(0)] * streams
    for order in permutations(range(streams)):
        for place, stream in enumerate(order):
            # streams keep the file's order, whatever the order of joining: it decides ties
            before = tuple(sorted(order[:place]))
            totals[stream] += value(tuple(sorted((*before, stream)))) - value(before)
    return [total / math.factorial(streams) for total in totals]


def voting_task(seed: int, samples: int, streams: int, classes: int = 4) -> tuple[Codes, list[int]]:
    """Return votes that are right more often in the streams to the left, with blanks and a class that is no label."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, size=samples)
    votes = rng.integers(0, classes + 1, size=(samples, streams))
    right = rng.random(votes.shape) < np.linspace(0.7, 0.2, streams)
    votes = np.where(right, labels[:, None], votes)
    votes[rng.random(votes.shape) < 0.1] = BLANK
    return votes, labels.tolist()


@pytest.mark.parametrize("ties", FIXED_TIES)
@pytest.mark.parametrize("streams", [2, 3, 5, 8])
def test_contributions_equal_the_loss_of_voting_again_without_the_stream(streams: int, ties: str) -> None:
    votes, labels = voting_task(streams, samples=150, streams=streams)
    found = vote_contributions(votes, np.array(labels), ties=ties)
    everyone = list(range(streams))
    of_all = accuracy(of_streams(votes, everyone), labels, ties)
    without = [accuracy(of_streams(votes, [n for n in everyone if n != left]), labels, ties) for left in everyone]
    assert found.accuracy == near(float(of_all))
    assert found.without == all_near(without)
    assert found.contribution == all_near([of_all - value for value in without])
    assert any(found.contribution)


@pytest.mark.parametrize("ties", FIXED_TIES)
@pytest.mark.parametrize("streams", [1, 2, 3, 4, 5, 6])
def test_shapley_values_equal_the_mean_over_all_orders_of_joining(streams: int, ties: str) -> None:
    votes, labels = voting_task(20 + streams, samples=60, streams=streams)
    found = vote_contributions(votes, np.array(labels), ties=ties)
    assert found.shapley == all_near(shapley_by_permutations(votes, labels, ties))


@pytest.mark.parametrize("ties", [*FIXED_TIES, "random"])
@pytest.mark.parametrize("streams", [2, 7, 10])
def test_shapley_values_sum_to_the_accuracy_of_all(streams: int, ties: str) -> None:
    votes, labels = voting_task(40 + streams, samples=80, streams=streams)
    found = vote_contributions(votes, np.array(labels), ties=ties)
    assert len(found.shapley) == streams
    assert math.fsum(found.shapley) == near(found.accuracy)


def test_streams_that_vote_alike_have_equal_shapley_values_and_a_silent_one_has_none() -> None:
    votes, labels = voting_task(60, samples=90, streams=3)
    votes = np.column_stack([votes, votes[:, 0], np.full(len(votes), BLANK)])
    # only where ties fall the same way on both sides is a stream's place of no account
    found = vote_contributions(votes, np.array(labels), ties="wrong")
    assert found.shapley[0] == near(found.shapley[3])
    assert found.contribution[0] == near(found.contribution[3])
    assert (found.shapley[4], found.contribution[4]) == (near(0), near(0))


def test_a_stream_alone_has_no_contribution_and_all_of_the_shapley_value() -> None:
    found = vote_contributions(np.array([[0], [1], [-1], [2]]), np.array([0, 1, 1, 1]))
    assert found.accuracy == 0.5
    assert [math.isnan(value) for value in found.contribution] == [True]
    assert found.shapley == (0.5,)


def test_contributions_of_eleven_streams_have_no_shapley_values() -> None:
    votes, labels = voting_task(70, samples=40, streams=11)
    found = vote_contributions(votes, np.array(labels))
    assert all(math.isnan(value) for value in found.shapley)
    others = [accuracy(of_streams(votes, [n for n in range(11) if n != left]), labels, "first") for left in range(11)]
    assert found.without == all_near(others)


def test_contributions_worked_by_hand() -> None:
    # the first stream is always right and wins ties; the second is right on the first sample and the last
    found = vote_contributions(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1]))
    assert found.accuracy == 1
    assert list(found.without) == [0.5, 1]
    assert list(found.contribution) == [0.5, 0]
    assert list(found.shapley) == [0.75, 0.25]


# --- pairs of streams --------------------------------------------------------------------------------


def pair(seed: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    samples = int(rng.integers(20, 400))
    one = rng.random(samples) < rng.uniform(0.2, 0.9)
    other = np.where(rng.random(samples) < rng.uniform(0, 0.8), one, rng.random(samples) < 0.5)
    return one, other


@pytest.mark.parametrize("seed", range(20))
def test_q_disagreement_and_double_fault_equal_deslibs(seed: int) -> None:
    one, other = pair(seed)
    truth = np.ones(len(one), dtype=bool)  # right is True, so both are predictions of it
    found = error_diversity(one, other)
    assert found.q == near(deslib().Q_statistic(truth, one, other))
    assert found.disagreement == near(deslib().disagreement_measure(truth, one, other))
    assert found.double_fault == near(deslib().double_fault(truth, one, other))
    assert error_diversity(other, one) == found


def test_error_diversity_worked_by_hand() -> None:
    # both right 3, only one 1, only the other 2, both wrong 4: q = (12 − 2) / (12 + 2)
    one = np.array([True] * 4 + [False] * 6)
    other = np.array([True] * 3 + [False] + [True] * 2 + [False] * 4)
    found = error_diversity(one, other)
    assert (found.q, found.disagreement, found.double_fault) == (near(10 / 14), near(0.3), near(0.4))


@pytest.mark.parametrize(
    ("one", "other"),
    [([True, True], [True, True]), ([False, False], [False, False]), ([True, True], [True, False])],
)
def test_q_of_streams_with_neither_agreement_nor_opposition_to_compare_is_undefined(
    one: list[bool], other: list[bool]
) -> None:
    found = error_diversity(np.array(one), np.array(other))
    assert math.isnan(found.q)
    with pytest.raises(ZeroDivisionError):  # DESlib has no answer either
        deslib().Q_statistic([True, True], one, other)
    assert found.disagreement == sum(a != b for a, b in zip(one, other, strict=True)) / 2
    assert found.double_fault == sum(not a and not b for a, b in zip(one, other, strict=True)) / 2


def test_q_of_many_samples_does_not_overflow() -> None:
    counts = (90_000, 70_001, 60_003, 80_007)
    one = np.repeat([True, True, False, False], counts)
    other = np.repeat([True, False, True, False], counts)
    agree, oppose = counts[0] * counts[3], counts[1] * counts[2]
    assert error_diversity(one, other).q == near(float(Fraction(agree - oppose, agree + oppose)))


# --- McNemar -------------------------------------------------------------------------------------------

DISCORDANT = [
    (0, 0),
    (0, 1),
    (1, 1),
    (0, 6),
    (5, 5),
    (3, 12),
    (12, 3),
    (40, 61),
    (500, 500),
    (1_000, 1_100),
    (0, 1_000),
    (9_999, 10_400),
    (50_000, 50_001),
    (100_000, 99_000),
    (100_000, 98_000),
    (100_000, 100_000),
]


@pytest.mark.parametrize(("only_one", "only_other"), DISCORDANT)
def test_mcnemar_equals_statsmodels_exact_test(only_one: int, only_other: int) -> None:
    wanted = statsmodels_tables().mcnemar([[7, only_one], [only_other, 11]], exact=True).pvalue
    assert mcnemar_p(only_one, only_other) == pytest.approx(float(wanted), rel=1e-9, abs=0)
    assert mcnemar_p(only_one, only_other) == mcnemar_p(only_other, only_one)


@pytest.mark.parametrize("seed", range(10))
def test_mcnemar_of_small_counts_equals_the_sum_of_binomials_in_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (int(count) for count in rng.integers(0, 60, size=2))
    trials, fewer = one + other, min(one, other)
    tail = Fraction(sum(math.comb(trials, count) for count in range(fewer + 1)), 2**trials)
    assert mcnemar_p(one, other) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-9, abs=0)


@pytest.mark.parametrize(("only_one", "only_other"), [(0, 100_000), (100_000, 1), (60_000, 100_000)])
def test_mcnemar_of_what_no_float_can_hold_is_zero_and_no_error(only_one: int, only_other: int) -> None:
    assert mcnemar_p(only_one, only_other) == pytest.approx(0, abs=1e-300)


# --- emergence ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("collective", "individual", "wanted"),
    [
        (0.85, (0.10, 0.12), 7.0833333333333333),
        (0.85, (0.12, 0.10), 7.0833333333333333),
        (0.934, (0.1,), 9.34),
        (0.8468, (0.001, 0.0005), 846.8),
        (0.5, (0.5, 0.4), 1.0),
        (0.0, (0.3, 0.0), 0.0),
        (0.3, (0.6,), 0.5),
        (1.0, (1.0, 1.0, 1.0), 1.0),
    ],
)
def test_the_emergence_ratio_is_the_collective_over_the_best(
    collective: float, individual: tuple[float, ...], wanted: float
) -> None:
    assert emergence_ratio(collective, individual) == near(wanted)


def test_nothing_is_added_to_the_denominator() -> None:
    assert emergence_ratio(1e-9, [1e-9]) == 1
    assert emergence_ratio(0.5, [1e-12]) == near(5e11)


def test_the_emergence_ratio_over_nothing_is_infinite_and_of_nothing_undefined() -> None:
    assert emergence_ratio(0.2, [0.0, 0.0]) == math.inf
    assert math.isnan(emergence_ratio(0.0, [0.0, 0.0]))


# --- routing, fingerprints, efficiency ---------------------------------------------------------------------


@pytest.mark.parametrize("routes", [1, 2, 4, 16])
def test_routing_entropy_equals_scipys(routes: int) -> None:
    rng = np.random.default_rng(routes)
    weights = rng.dirichlet(np.full(routes, 0.4), size=200)
    weights[:20, 0] = 0
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    weights = weights[weights.sum(axis=1) > 0.5]
    found = routing_entropy(weights)
    assert found.shape == (len(weights),)
    assert found.tolist() == pytest.approx(stats.entropy(weights, axis=1).tolist(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [((0.7, 0.1, 0.1, 0.1), 0.940448), ((0.25,) * 4, math.log(4)), ((0.5, 0.5, 0, 0), math.log(2)), ((1, 0, 0, 0), 0)],
)
def test_routing_entropy_of_known_weights_is_in_nats(weights: tuple[float, ...], wanted: float) -> None:
    assert routing_entropy(np.array([weights])).tolist() == [pytest.approx(wanted, rel=0, abs=5e-7)]


def test_routing_entropy_is_never_below_zero() -> None:
    # a sum that is 1 within the tolerance allowed may exceed it
    found = routing_entropy(np.array([[1.00005, 0.0], [1.0, 0.0], [0.0, 1.0]])).tolist()
    assert found == [0, 0, 0]
    assert all(math.copysign(1, value) == 1 for value in found)


def looped_diversity(vectors: npt.NDArray[np.float64], signed: bool) -> float:
    similar = []
    for i, one in enumerate(vectors):
        for j, other in enumerate(vectors):
            if i != j:
                cosine = float(one @ other) / (float(np.linalg.norm(one)) * float(np.linalg.norm(other)))
                similar.append(cosine if signed else abs(cosine))
    return 1 - math.fsum(similar) / len(similar)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_fingerprint_diversity_equals_loops_over_ordered_pairs(seed: int, signed: bool) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(2 + seed, int(rng.integers(1, 40)))) * 10.0 ** rng.integers(-3, 4, size=(2 + seed, 1))
    found = fingerprint_diversity(vectors, signed=signed)
    assert found == pytest.approx(looped_diversity(vectors, signed), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("vectors", "signed", "wanted"),
    [
        ([[1, 0], [1, 1]], False, 0.292893),
        ([[1, 2], [-1, -2]], False, 0),
        ([[1, 2], [-1, -2]], True, 2),
        ([[1, 0, 0], [0, 1, 0], [1, 1, 0]], False, 0.528595),
        ([[1, 0], [0, 5]], False, 1),
        ([[3, 4], [3, 4]], True, 0),
    ],
)
def test_fingerprint_diversity_of_known_vectors(vectors: list[list[float]], signed: bool, wanted: float) -> None:
    assert fingerprint_diversity(np.array(vectors, float), signed=signed) == pytest.approx(wanted, rel=0, abs=5e-7)


def test_fingerprint_diversity_of_equal_vectors_is_not_below_zero() -> None:
    vectors = np.tile(np.array([0.1, 0.7, 0.3]), (5, 1))
    assert 0 <= fingerprint_diversity(vectors) < 1e-12


def test_fingerprint_diversity_of_one_stream_is_undefined() -> None:
    assert math.isnan(fingerprint_diversity(np.array([[1.0, 2.0]])))


@pytest.mark.parametrize(("accuracy_", "params_m", "wanted"), [(0.8468, 60, 1.4113), (0.76, 428, 0.1776), (0, 5, 0)])
def test_efficiency_is_percent_per_million_parameters(accuracy_: float, params_m: float, wanted: float) -> None:
    assert efficiency(accuracy_, params_m) == pytest.approx(wanted, rel=0, abs=5e-5)
    assert efficiency(accuracy_, params_m) == near(100 * accuracy_ / params_m)


# --- ties -------------------------------------------------------------------------------------------------------------


def test_a_drawn_tie_of_weights_favours_no_class() -> None:
    votes = np.tile([0, 1, 1], (20_000, 1))
    drawn = VoteFusion(votes, np.zeros(20_000, dtype=np.int64), ties="random", weights=[2, 1, 1])
    assert drawn.accuracy(range(3)) == pytest.approx(0.5, abs=0.02)  # five standard errors and more
