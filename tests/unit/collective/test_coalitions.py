"""Coalitions of streams: what they come to is the same however many processes look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from scoresheet.cli.run.spreading import in_processes
from scoresheet.metrics.families.collective import contribution
from scoresheet.metrics.families.collective.contribution import contributions, half_failure
from scoresheet.metrics.families.collective.fusion import VoteFusion
from scoresheet.metrics.families.collective.pairwise_diversity import error_diversity, stream_pairs
from scoresheet.metrics.spread import A, B


@pytest.mark.parametrize("ties", ["first", "wrong", "class", "random"])
def test_coalitions_come_to_the_same_whoever_looks_at_them(ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class InProcesses:
        def at_once(self, blocks: int, /) -> int:
            return min(blocks, 2)

        def __call__(self, work: Callable[[A], B], blocks: Sequence[A], /) -> Iterator[B]:
            return in_processes(work, blocks, 2, fewest=1)

        def done(self, rows: int, /) -> None:
            raise AssertionError(rows)

    rng = np.random.default_rng(1)
    votes, labels = rng.integers(-1, 3, size=(40, 7)), rng.integers(3, size=40)
    alone = contributions(VoteFusion(votes, labels, ties=ties), 7)
    monkeypatch.setattr(contribution, "_MUCH_WORK", 0)
    fusion = VoteFusion(votes, labels, ties=ties)
    assert contributions(fusion, 7, InProcesses()) == alone
    kept = half_failure(fusion, 7, 0)
    monkeypatch.setattr(VoteFusion, "is_correct", None)  # all coalitions are known by now
    assert half_failure(fusion, 7, 0) == kept


@pytest.mark.parametrize("ties", ["first", "wrong"])
@pytest.mark.parametrize(("streams", "classes"), [(1, 2), (2, 2), (5, 3), (10, 2), (10, 12)])
def test_coalitions_looked_at_together_are_as_accurate_as_one_by_one(ties: str, streams: int, classes: int) -> None:
    rng = np.random.default_rng(streams + classes)
    votes, labels = rng.integers(-1, classes, size=(700, streams)), rng.integers(classes, size=700)
    fusion = VoteFusion(votes, labels, ties=ties)
    every = fusion.every_accuracy()
    assert every is not None
    assert every == [fusion.accuracy(contribution._members(code)) for code in range(2**streams)]


def test_other_ties_and_weights_are_looked_at_one_by_one() -> None:
    votes, labels = np.array([[0, 1, 1], [1, 0, 0]]), np.array([0, 1])
    for ties in ("class", "random"):
        assert VoteFusion(votes, labels, ties=ties).every_accuracy() is None
    assert VoteFusion(votes, labels, weights=[1.0, 2.0, 3.0]).every_accuracy() is None
    assert VoteFusion(np.zeros((3, 11), np.int64), np.zeros(3, np.int64)).every_accuracy() is None


def test_every_two_streams_err_as_the_public_function_says() -> None:
    hits = np.random.default_rng(3).random((50, 4)) < 0.6
    for pair in stream_pairs("abcd", hits):
        one, other = hits[:, "abcd".index(pair.one)], hits[:, "abcd".index(pair.other)]
        assert pair.errors == error_diversity(one, other)
