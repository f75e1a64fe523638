"""What each rank adds to those above it: new subtopics, repeated ones, and how many are covered by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, NumberColumn
from scoresheet.metrics.families.diversity.side_by_side import side_by_side, some_at_a_time


class RankStep(NamedTuple):
    """What the item at one rank adds to those above it."""

    query: str
    rank: int
    item: str
    adds: tuple[str, ...]  # subtopics that no item above covers
    repeats: tuple[str, ...]
    covered: int  # subtopics, down to this rank
    s_recall: float


class RankSteps(NamedTuple):
    """The same of all ranks of a sheet, column by column."""

    queries: Coded[str]
    ranks: NumberColumn
    items: Sequence[str]
    adds: Coded[tuple[str, ...]]
    repeats: Coded[tuple[str, ...]]
    covered: NumberColumn
    s_recall: NumberColumn

    def each(self) -> Iterator[RankStep]:
        """Return what is said of each rank."""
        return map(RankStep._make, zip(*self, strict=True))


class ShownItems(NamedTuple):
    """The items of a ranking, as far down as is looked at."""

    query: str
    items: Sequence[str]
    subtopics: tuple[str, ...]  # that they can cover
    relevance: NDArray[np.float64]  # item × subtopic


def rank_steps(rankings: Sequence[ShownItems]) -> RankSteps:
    """Return what each rank of these rankings adds.

    >>> shown = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> steps = rank_steps([ShownItems("q", ("x", "y"), ("a", "b"), shown)])
    >>> [(step.item, step.adds, step.repeats, step.s_recall) for step in steps.each()]
    [('x', ('a',), (), 0.5), ('y', ('b',), ('a',), 1.0)]
    """
    tables = [own.relevance for own in rankings]
    names = _SubtopicNames()
    adds, repeats, covered = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    for some in some_at_a_time(tables):
        hits = side_by_side(tables[some]) > 0
        by_now = np.logical_or.accumulate(hits, axis=1)
        new = hits.copy()
        new[:, 1:] &= ~by_now[:, :-1]
        there = np.arange(hits.shape[1]) < np.array([len(own) for own in tables[some]])[:, None]
        adds.append(names.codes(rankings[some], new[there]))
        repeats.append(names.codes(rankings[some], (hits & ~new)[there]))
        covered.append(by_now.sum(axis=2)[there])
    lengths = np.array(list(map(len, tables)), dtype=np.int64)
    counts = np.concatenate(covered)
    sizes = np.repeat(np.array([len(own.subtopics) for own in rankings], dtype=np.int64), lengths)
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return RankSteps(
        Coded([own.query for own in rankings], np.repeat(np.arange(len(rankings), dtype=np.int32), lengths)),
        NumberColumn(np.arange(1, len(counts) + 1) - before),
        [item for own in rankings for item in own.items],
        Coded(names.different, np.concatenate(adds)),
        Coded(names.different, np.concatenate(repeats)),
        NumberColumn(counts),
        NumberColumn(counts / sizes),
    )


class _SubtopicNames:
    """Which subtopics each of many items has, by name: most have the same as another, and each set is made once."""

    def __init__(self) -> None:
        self.different: list[tuple[str, ...]] = []
        self._known: dict[tuple[str, ...], dict[bytes, int]] = {}  # by the subtopics of a query, and which of them

    def codes(self, rankings: Sequence[ShownItems], has: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the number of the names that each item has, given item × subtopic of all rankings in turn."""
        packed = np.packbits(has, axis=1)
        keys = packed.view(f"V{packed.shape[1]}")[:, 0].tolist()  # as many bytes each
        found: list[int] = []
        for own in rankings:
            known = self._known.setdefault(own.subtopics, {})
            some = keys[len(found) : len(found) + len(own.items)]
            for place, key in enumerate(some, start=len(found)):
                if key not in known:
                    known[key] = len(self.different)
                    self.different.append(tuple(compress(own.subtopics, has[place].tolist())))
            found += map(known.__getitem__, some)
        return np.array(found, dtype=np.int32)
