"""Judgments: which item is relevant to which subtopic of a query, as one small matrix per query."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import compress, count, groupby, repeat
from operator import itemgetter
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.constants import LARGEST_GRADE, UNNAMED_GRADE
from scoresheet.metrics.keys import unambiguous_keys
from scoresheet.metrics.records import dataclass

# the command has texts for all three; from Python they may be anything that can be a key
Query = TypeVar("Query", bound=Hashable)
Subtopic = TypeVar("Subtopic", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)
Judgment = tuple[Query, Subtopic, Item, float]  # the last is the grade
Weights = Mapping[Query | None, Mapping[Subtopic, float]]  # None stands for all queries

_query_of: Final = itemgetter(0)


@dataclass(frozen=True)
class QueryJudgments(Generic[Subtopic, Item]):
    """What is known of one query: its subtopics, its relevant items, and how relevant they are, mapped to 0..1."""

    subtopics: tuple[Subtopic, ...]
    index: Mapping[Item, int]  # the row of each item with at least one relevant subtopic
    matrix: NDArray[np.float64]  # item × subtopic; one more row, of zeros, stands for every other item
    weights: NDArray[np.float64]  # P(j) of ERR-IA
    targets: NDArray[np.float64]  # shares that Proportionality compares with
    judged: Sequence[Item] = ()  # relevant or not, each once
    target_share_unseen: float = 0.0  # share of the target that is of none of these subtopics

    @cached_property
    def judged_items(self) -> frozenset[Item]:
        """All items that were judged, relevant or not."""
        return frozenset(self.judged)

    @cached_property
    def near_items(self) -> dict[str, str]:
        """The judged items by their loosest keys, for suggestions."""
        return unambiguous_keys(map(str, self.judged_items))

    def relevance(self, items: Iterable[Item]) -> NDArray[np.float64]:
        """Return the rows of these items."""
        rows: NDArray[np.float64] = self.matrix[self.places(items)]
        return rows

    def places(self, items: Iterable[Item]) -> list[int]:
        """Return which rows those of these items are; the last one is that of all others."""
        return list(map(self.index.get, items, repeat(len(self.index))))


class Judged(NamedTuple, Generic[Subtopic, Item]):
    """The judgments on one query, a place in each list for each: millions of tuples would take far more room."""

    subtopics: list[Subtopic]
    items: list[Item]
    grades: list[float]


@dataclass
class JudgmentsByQuery(Generic[Query, Subtopic, Item]):
    """The judgments of a run, grouped by query, before they become matrices."""

    by_query: dict[Query, Judged[Subtopic, Item]] = field(default_factory=dict)

    def add(self, judgments: Iterable[Judgment[Query, Subtopic, Item]]) -> None:
        """Add judgments; of several on the same subtopic and item the largest will count."""
        for query, together in groupby(judgments, key=_query_of):  # they mostly come query by query
            _, subtopics, items, grades = zip(*together, strict=True)
            self._add(query, subtopics, items, grades)

    def add_columns(
        self, queries: Sequence[Query], subtopics: Sequence[Subtopic], items: Sequence[Item], grades: Sequence[float]
    ) -> None:
        """Add judgments that are given as columns."""
        start = 0
        for query, together in groupby(queries):
            end = start + len(list(together))
            self._add(query, subtopics[start:end], items[start:end], grades[start:end])
            start = end

    def _add(self, query: Query, subtopics: Sequence[Subtopic], items: Sequence[Item], grades: Sequence[float]) -> None:
        known = self.by_query.setdefault(query, Judged([], [], []))
        known.subtopics.extend(subtopics)
        known.items.extend(items)
        known.grades.extend(grades)

    def raise_negative_grades(self) -> int:
        """Let grades below 0 count as 0, and return how many there were."""
        raised = 0
        for judged in self.by_query.values():
            if min(judged.grades) < 0:
                raised += sum(grade < 0 for grade in judged.grades)
                judged.grades[:] = [max(grade, 0.0) for grade in judged.grades]
        return raised

    def conflict_count(self) -> int:
        """Return how many judgments differ from another of the same subtopic and item."""
        differing = 0
        for judged in self.by_query.values():
            pairs = len(set(zip(judged.subtopics, judged.items, strict=True)))
            if pairs < len(judged.items):  # or it is the same one twice
                differing += len(set(zip(*judged, strict=True))) - pairs
        return differing

    def largest_grade(self) -> float:
        """Return the largest grade, 0 where there is none."""
        return max((max(judged.grades) for judged in self.by_query.values()), default=0.0)

    def top_grade(self, max_grade: float = UNNAMED_GRADE) -> float:
        """Return the max of the mapping (2^g - 1) / 2^max; 0 where grades are probabilities already, all in 0..1."""
        largest = self.largest_grade()
        return 0.0 if largest <= 1 and not max_grade else max_grade or largest


def query_judgments(
    judgments: JudgmentsByQuery[Query, Subtopic, Item],
    *,
    max_grade: float = UNNAMED_GRADE,
    intents: Weights[Query, Subtopic] | None = None,
    targets: Weights[Query, Subtopic] | None = None,
    declare: bool = True,
) -> dict[Query, QueryJudgments[Subtopic, Item]]:
    """Return what is known of each query with a subtopic: one with a relevant item, or named by intents or targets.

    What intents and targets name is a subtopic only if they `declare` it; else the judgments alone say what is.
    """
    top = judgments.top_grade(max_grade)
    if top > LARGEST_GRADE:
        raise ValueError(f"a grade of {top:g} cannot be meant: grades are steps such as 0, 1, 2, 3")
    made = {}
    for query, judged in judgments.by_query.items():
        known = _one_query(judged, top, weights_of(intents, query), weights_of(targets, query), declare=declare)
        if known is not None:
            made[query] = known
    return made


def aimed_at(
    known: QueryJudgments[Subtopic, Item], targets: Mapping[Subtopic, float]
) -> QueryJudgments[Subtopic, Item]:
    """Return the same with these shares for Proportionality to compare with."""
    if not targets:
        return known
    unseen = sum(share for subtopic, share in targets.items() if subtopic not in known.subtopics)
    shares = _shares(known.subtopics, targets, unseen)
    return replace(known, targets=shares, target_share_unseen=unseen / sum(targets.values()))


def weights_of(table: Weights[Query, Subtopic] | None, query: Query) -> Mapping[Subtopic, float]:
    """Return the weights of a query: its own, else those of all queries; none where the table has neither."""
    if not table:
        return {}
    return table.get(query) or table.get(None) or {}


def _probabilities(grades: NDArray[np.float64], top: float) -> NDArray[np.float64]:
    """Return (2^g - 1) / 2^top, or the grades as they are if there is no top; above 0 for every grade above 0."""
    if not top:
        return grades
    # 2^(g - top) - 2^-top: the same, and no number on the way is large
    mapped = np.minimum(2.0 ** (np.minimum(grades, top + 1) - top) - 2.0**-top, 1.0)
    if grades.min() < 0.5:  # of small grades it would leave nothing
        small = np.expm1(np.minimum(grades, 0.5) * math.log(2)) * 2.0**-top
        mapped = np.where(grades < 0.5, np.maximum(small, sys.float_info.min), mapped)
    return np.asarray(mapped)


def _one_query(
    judged: Judged[Subtopic, Item],
    top: float,
    intents: Mapping[Subtopic, float],
    targets: Mapping[Subtopic, float],
    *,
    declare: bool,
) -> QueryJudgments[Subtopic, Item] | None:
    subtopics_judged, items_judged, grades = judged
    if min(grades, default=0) <= 0:
        is_positive = [grade > 0 for grade in grades]
        subtopics_judged = list(compress(subtopics_judged, is_positive))
        items_judged = list(compress(items_judged, is_positive))
        grades = list(compress(grades, is_positive))
    named: set[Subtopic] = set(subtopics_judged)
    if declare:
        named |= intents.keys() | targets.keys()
    if not named:
        return None
    subtopics = tuple(_sorted(named))
    columns: dict[Subtopic, int] = dict(zip(subtopics, range(len(subtopics)), strict=True))
    rows: dict[Item, int] = dict(zip(dict.fromkeys(items_judged), count()))
    matrix = np.zeros((len(rows) + 1, len(columns)))
    if grades:
        values = _probabilities(np.array(grades, dtype=float), top)
        cells = np.fromiter(map(rows.__getitem__, items_judged), dtype=np.intp) * len(columns)
        cells += np.fromiter(map(columns.__getitem__, subtopics_judged), dtype=np.intp)
        order = np.argsort(values, kind="stable")  # of several on the same, the last that is set stays: the largest
        matrix.ravel()[cells[order]] = values[order]
    unseen = sum(share for subtopic, share in targets.items() if subtopic not in columns)
    return QueryJudgments(
        subtopics,
        rows,
        matrix,
        _shares(subtopics, intents if declare else {}),
        _shares(subtopics, targets, unseen),
        tuple(dict.fromkeys(judged.items)),
        unseen / sum(targets.values()) if unseen else 0.0,
    )


def _shares(subtopics: Sequence[Subtopic], given: Mapping[Subtopic, float], unseen: float = 0.0) -> NDArray[np.float64]:
    """Return the shares of the subtopics, which with the unseen sum to 1; uniform where none are given."""
    if not given:
        return np.full(len(subtopics), 1 / len(subtopics))
    shares = np.array([given.get(subtopic, 0.0) for subtopic in subtopics])
    normalised: NDArray[np.float64] = shares / (shares.sum() + unseen)
    return normalised


def _sorted(subtopics: Iterable[Subtopic]) -> list[Subtopic]:
    """Return subtopics of any type in an order: it changes no number, but reports should not change either."""
    listed = list(subtopics)
    try:
        return sorted(listed)  # type: ignore[type-var] # what has no order raises, and is put in one below
    except TypeError:
        return sorted(listed, key=lambda subtopic: (type(subtopic).__name__, str(subtopic)))
