"""Judgments: which item is relevant to which subtopic of a query, as one small matrix per query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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

    @property
    def items(self) -> tuple[Any, ...]:
        """The relevant items."""
        return tuple(self.index)

    @cached_property
    def judged(self) -> frozenset[Any]:
        """All items that were judged, relevant or not."""
        return frozenset(item for _, _, item, _ in self.judgments)

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
        last: Any = judgments  # no query
        for judgment in judgments:
            if judgment[0] is not last:  # they mostly come query by query
                last = judgment[0]
                append = self.by_query.setdefault(last, []).append
            append(judgment)

    def conflicts(self) -> int:
        """Return how many judgments differ from another of the same subtopic and item."""
        differing = 0
        for judgments in self.by_query.values():
            different = set(judgments)
            differing += len(different) - len({(subtopic, item) for _, subtopic, item, _ in different})
        return differing

    def mapping(self, max_grade: float = 0) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return what makes probabilities of grades: (2^g - 1) / 2^max, unless they all lie in 0..1 already."""
        import numpy as np

        grade = itemgetter(3)
        largest = max((max(map(grade, judgments)) for judgments in self.by_query.values()), default=0.0)
        if largest <= 1 and not max_grade:
            return lambda grades: np.maximum(grades, 0.0)
        most = max_grade or largest
        if most > LARGEST_GRADE:
            raise ValueError(f"a grade of {most:g} cannot be meant: grades are steps such as 0, 1, 2, 3")
        # 2^(g - max) - 2^-max: the same as (2^g - 1)/2^max, and no number on the way is large
        return lambda grades: np.clip(2.0 ** (np.maximum(grades, 0.0) - most) - 2.0**-most, 0.0, 1.0)


def topics(
    judgments: Judgments, *, max_grade: float = 0, intents: Weights | None = None, targets: Weights | None = None
) -> dict[Any, Topic]:
    """Return a topic for each query that has a subtopic: one with a relevant item, or named by intents or targets."""
    relevance = judgments.mapping(max_grade)
    made = {}
    for query, judged in judgments.by_query.items():
        topic = _topic(judged, relevance, _of_query(intents, query), _of_query(targets, query))
        if topic is not None:
            made[query] = topic
    return made


def _of_query(table: Weights | None, query: Any) -> Mapping[Any, float]:
    if not table:
        return {}
    return table.get(query) or table.get(None) or {}


def _topic(
    judged: Sequence[Judgment],
    relevance: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    intents: Mapping[Any, float],
    targets: Mapping[Any, float],
) -> Topic | None:
    import numpy as np

    positive = [each for each in judged if each[3] > 0]
    _, subtopics_judged, items_judged, grades = zip(*positive, strict=True) if positive else ((), (), (), ())
    named = set(subtopics_judged)
    if intents or targets:
        named |= intents.keys() | targets.keys()
    if not named:
        return None
    subtopics = tuple(_sorted(named))
    columns = {subtopic: place for place, subtopic in enumerate(subtopics)}
    rows = {item: place for place, item in enumerate(dict.fromkeys(items_judged))}
    matrix = np.zeros((len(rows) + 1, len(columns)))
    if positive:
        values = relevance(np.array(grades, dtype=float))
        places = np.array([rows[item] for item in items_judged]) * len(columns)
        places += np.array([columns[subtopic] for subtopic in subtopics_judged])
        order = np.argsort(values, kind="stable")  # of several on the same, the last that is set stays: the largest
        matrix.ravel()[places[order]] = values[order]
    return Topic(subtopics, rows, matrix, _shares(subtopics, intents), _shares(subtopics, targets), judged)


def _shares(subtopics: Sequence[Any], given: Mapping[Any, float]) -> NDArray[np.float64]:
    """Return the shares of the subtopics, normalised to 1; uniform where none are given."""
    import numpy as np

    if not given:
        return np.full(len(subtopics), 1 / len(subtopics))
    shares = np.array([given.get(subtopic, 0.0) for subtopic in subtopics])
    normalised: NDArray[np.float64] = shares / shares.sum()
    return normalised


def _sorted(subtopics: Iterable[Any]) -> list[Any]:
    """Return subtopics of any type in an order: it changes no number, but reports should not change either."""
    listed = list(subtopics)
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=lambda subtopic: (type(subtopic).__name__, str(subtopic)))
