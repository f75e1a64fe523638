"""Coalitions of streams: what they come to is the same however many processes look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from scoresheet.cli.run.spreading import in_processes
from scoresheet.metrics.families.collective import contribution
from scoresheet.metrics.families.collective.contribution import contributions, half_failure
from scoresheet.metrics.families.collective.fusion import VoteFusion
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
