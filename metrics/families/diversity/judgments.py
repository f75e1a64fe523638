"""Judgments: which item is relevant to which subtopic of a query, as one small matrix per query."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.keys import loose_keys

LARGEST_GRADE: Final = 60  # beyond, the relevance of a grade of 1 would be nothing
Judgment = tuple[Any, Any, Any, float]  # query, subtopic, item, grade
Weights = Mapping[Any, Mapping[Any, float]]  # query (None for all) → subtopic → weight


@dataclass(frozen=True)
class Topic:
    """What is known of one query: its subtopics, its relevant items, and how relevant they are, mapped to 0..1."""

    subtopics: tuple[Any, ...]
    index: Mapping[Any, int]  # where each item with at least one relevant subtopic stands
    matrix: NDArray[np.float64]  # item × subtopic; one more row, of zeros, stands for every other item
    weights: NDArray[np.float64]  # P(j) of ERR-IA
    targets: NDArray[np.float64]  # shares that Proportionality compares with
    judgments: Sequence[Judgment] = ()  # all that it was made of
    elsewhere: float = 0.0  # share of the target that is of none of these subtopics

    @property
    def items(self) -> tuple[Any, ...]:
        """The relevant items."""
        return tuple(self.index)

    @cached_property
    def judged(self) -> frozenset[Any]:
        """All items that were judged, relevant or not."""
        return frozenset(item for _, _, item, _ in self.judgments)

    @cached_property
    def loose(self) -> dict[str, str]:
        """The judged items by their loose keys, for suggestions."""
        return loose_keys(map(str, self.judged))

    def relevance(self, items: Iterable[Any]) -> NDArray[np.float64]:
        """Return the rows of these items."""
        index, other = self.index, len(self.index)
        rows: NDArray[np.float64] = self.matrix[[index.get(item, other) for item in items]]
        return rows


@dataclass
class Judgments:
    """The judgments of a run, grouped by query, before they become matrices."""

    by_query: dict[Any, list[Judgment]] = field(default_factory=dict)

    def add(self, judgments: Iterable[Judgment]) -> None:
        """Add judgments; of several on the same subtopic and item the largest will count."""
        for query, together in groupby(judgments, key=itemgetter(0)):  # they mostly come query by query
            self.by_query.setdefault(query, []).extend(together)

    def conflicts(self) -> int:
        """Return how many judgments differ from another of the same subtopic and item."""
        differing = 0
        for judgments in self.by_query.values():
            different = set(judgments)
            differing += len(different) - len({(subtopic, item) for _, subtopic, item, _ in different})
        return differing

    def largest(self) -> float:
        """Return the largest grade, 0 where there is none."""
        grade = itemgetter(3)
        return max((max(map(grade, judgments)) for judgments in self.by_query.values()), default=0.0)

    def top(self, max_grade: float = 0) -> float:
        """Return the max of the mapping (2^g - 1) / 2^max; 0 where grades are probabilities already, all in 0..1."""
        largest = self.largest()
        return 0.0 if largest <= 1 and not max_grade else max_grade or largest


def topics(
    judgments: Judgments,
    *,
    max_grade: float = 0,
    intents: Weights | None = None,
    targets: Weights | None = None,
    declare: bool = True,
) -> dict[Any, Topic]:
    """Return a topic for each query that has a subtopic: one with a relevant item, or named by intents or targets.

    What intents and targets name is a subtopic only if they `declare` it; else the judgments alone say what is.
    """
    top = judgments.top(max_grade)
    if top > LARGEST_GRADE:
        raise ValueError(f"a grade of {top:g} cannot be meant: grades are steps such as 0, 1, 2, 3")
    made = {}
    for query, judged in judgments.by_query.items():
        topic = _topic(judged, top, _of_query(intents, query), _of_query(targets, query), declare=declare)
        if topic is not None:
            made[query] = topic
    return made


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


def _of_query(table: Weights | None, query: Any) -> Mapping[Any, float]:
    if not table:
        return {}
    return table.get(query) or table.get(None) or {}


def _topic(
    judged: Sequence[Judgment],
    top: float,
    intents: Mapping[Any, float],
    targets: Mapping[Any, float],
    *,
    declare: bool,
) -> Topic | None:
    least = min(map(itemgetter(3), judged), default=0)
    positive = judged if least > 0 else [each for each in judged if each[3] > 0]
    _, subtopics_judged, items_judged, grades = zip(*positive, strict=True) if positive else ((), (), (), ())
    named = set(subtopics_judged)
    if declare:
        named |= intents.keys() | targets.keys()
    if not named:
        return None
    subtopics = tuple(_sorted(named))
    columns = dict(zip(subtopics, range(len(subtopics)), strict=True))
    rows = dict(zip(dict.fromkeys(items_judged), count()))
    matrix = np.zeros((len(rows) + 1, len(columns)))
    if positive:
        values = _probabilities(np.array(grades, dtype=float), top)
        places = np.fromiter(map(rows.__getitem__, items_judged), dtype=np.intp) * len(columns)
        places += np.fromiter(map(columns.__getitem__, subtopics_judged), dtype=np.intp)
        order = np.argsort(values, kind="stable")  # of several on the same, the last that is set stays: the largest
        matrix.ravel()[places[order]] = values[order]
    beyond = sum(share for subtopic, share in targets.items() if subtopic not in columns)
    return Topic(
        subtopics,
        rows,
        matrix,
        _shares(subtopics, intents if declare else {}),
        _shares(subtopics, targets, beyond),
        judged,
        beyond / sum(targets.values()) if beyond else 0.0,
    )


def _shares(subtopics: Sequence[Any], given: Mapping[Any, float], beyond: float = 0.0) -> NDArray[np.float64]:
    """Return the shares of the subtopics, which with what lies beyond them sum to 1; uniform where none are given."""
    if not given:
        return np.full(len(subtopics), 1 / len(subtopics))
    shares = np.array([given.get(subtopic, 0.0) for subtopic in subtopics])
    normalised: NDArray[np.float64] = shares / (shares.sum() + beyond)
    return normalised


def _sorted(subtopics: Iterable[Any]) -> list[Any]:
    """Return subtopics of any type in an order: it changes no number, but reports should not change either."""
    listed = list(subtopics)
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=lambda subtopic: (type(subtopic).__name__, str(subtopic)))
