"""The measures of rankings against judgments, for many queries at once and all cut-offs in one pass."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.constants import AS_PRINTED, LOG_BASES, NDEVAL
from scoresheet.metrics.families.diversity.ideal import MAX_EXACT_ITEMS, exact_ideals, greedy_ideals, upper_bounds
from scoresheet.metrics.families.diversity.judgments import Item, QueryJudgments, Subtopic
from scoresheet.metrics.families.diversity.measures import (
    ALPHA_DCG,
    ALPHA_NDCG,
    ERR_IA,
    GINI,
    JUDGED_MEASURES,
    PROPORTIONALITY,
    S_ENTROPY,
    S_ENTROPY_NORM,
    S_RECALL,
    name_at,
    names_at,
)
from scoresheet.metrics.families.diversity.options import MeasureRules
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.stats.concentration import entropy_rows, gini_rows

_BATCH: Final = 4_000_000  # numbers in flight


class _Targets(NamedTuple):
    """What Proportionality compares with."""

    shares: NDArray[np.float64]  # query × subtopic
    unseen: NDArray[np.float64]  # of each query: the share of subtopics that no judgment names


def judged_measures(
    rankings: Sequence[NDArray[np.float64]],
    queries: Sequence[QueryJudgments[Subtopic, Item]],
    rules: MeasureRules,
    measures: Sequence[Measure] = JUDGED_MEASURES,
) -> dict[str, NDArray[np.float64]]:
    """Return each measure at each cut-off, as `S_Recall@5`, with a value per query.

    Of each ranking there is how relevant its items are, as far down as is looked at: item × subtopic of its query.
    Without the measures that need an ideal none is looked for: a catalogue can be large.
    """
    widest = max((len(query.subtopics) for query in queries), default=1)
    deepest = min(rules.depth, max((len(items) for items in rankings), default=1))
    step = max(1, _BATCH // max(1, deepest * widest))
    parts = [
        _batch(rankings[start : start + step], queries[start : start + step], rules, measures)
        for start in range(0, len(rankings), step)
    ]
    names = names_at(rules.cutoffs, measures)
    return {name: np.concatenate([part[name] for part in parts]) if parts else np.zeros(0) for name in names}


def _batch(
    rankings: Sequence[NDArray[np.float64]],
    queries: Sequence[QueryJudgments[Subtopic, Item]],
    rules: MeasureRules,
    measures: Sequence[Measure],
) -> dict[str, NDArray[np.float64]]:
    # beyond the longest list nothing changes, and arrays as deep as the deepest cut-off could be large
    depth = min(rules.depth, max(1, *map(len, rankings)))
    widest = max(len(query.subtopics) for query in queries)
    relevance = np.zeros((len(queries), depth, widest))
    weights, targets = np.zeros((len(queries), widest)), np.zeros((len(queries), widest))
    for position, (shown, query) in enumerate(zip(rankings, queries, strict=True)):
        own = len(query.subtopics)
        relevance[position, : len(shown), :own] = shown
        weights[position, :own], targets[position, :own] = query.weights, query.targets
    sizes = np.array([len(query.subtopics) for query in queries], dtype=float)
    unseen = np.array([query.target_share_unseen for query in queries])
    hits = relevance > 0
    seen = np.cumsum(hits, axis=1, dtype=np.int64)
    found: dict[str, NDArray[np.float64]] = {}
    for k in rules.cutoffs:
        counts = seen[:, min(k, depth) - 1]
        found[name_at(S_RECALL, k)] = (counts > 0).sum(axis=1) / sizes
        found |= _evenness(counts, sizes, _Targets(targets, unseen), k, rules)
    if ALPHA_NDCG not in measures:
        return found
    gains = _gains(relevance, hits, seen, rules)
    ideals = _KEPT_IDEALS.of(queries, rules)
    if rules.definition == NDEVAL:  # which knows no weights
        weights = np.where(np.arange(widest) < sizes[:, None], 1 / sizes[:, None], 0.0)
    reciprocal = _expected_reciprocal_ranks(relevance, hits, seen, weights, rules)
    for k in rules.cutoffs:
        last = min(k, depth) - 1
        own_gain, ideal = gains[:, last], ideals[:, min(k, ideals.shape[1]) - 1]
        if rules.definition == AS_PRINTED:
            ideal = np.maximum(ideal, own_gain)  # greedy is not always the best, and nothing exceeds the best
        found[name_at(ALPHA_DCG, k)] = own_gain / sizes / _norm(k, rules, by_rank=False)
        found[name_at(ALPHA_NDCG, k)] = _ratio(own_gain, ideal)
        found[name_at(ERR_IA, k)] = reciprocal[:, last] / _norm(k, rules, by_rank=True)
    return found


def ideal_gains(queries: Sequence[QueryJudgments[Subtopic, Item]], rules: MeasureRules) -> NDArray[np.float64]:
    """Return the ideal α-DCG of each query at every rank, as far as any has relevant items."""
    depth = min(rules.depth, max((len(query.index) for query in queries), default=0) or 1)
    discounts = _discounts(depth)
    ideals = np.zeros((len(queries), depth))
    groups: dict[int, list[int]] = {}
    for position, query in enumerate(queries):
        size = len(query.index)
        exact = rules.definition == AS_PRINTED and size <= MAX_EXACT_ITEMS
        groups.setdefault(size if exact else -1, []).append(position)
    for size, positions in groups.items():
        if size >= 0:
            pools = [queries[position].matrix[:-1] for position in positions]
            ideals[positions] = exact_ideals(pools, discounts, rules.alpha, graded=rules.graded)
        else:
            ndeval = rules.definition == NDEVAL
            pools = [_by_name(queries[position]) if ndeval else queries[position].matrix[:-1] for position in positions]
            ideals[positions] = greedy_ideals(pools, discounts, rules.alpha, graded=rules.graded, in_order=ndeval)
    return ideals


class _KeptIdeals:
    """The ideals of the queries that were last asked for: mostly the next model answers the same ones."""

    def __init__(self) -> None:
        self._asked: tuple[MeasureRules, Sequence[object]] | None = None
        self._ideals = np.zeros((0, 0))

    def of(self, queries: Sequence[QueryJudgments[Subtopic, Item]], rules: MeasureRules) -> NDArray[np.float64]:
        """Return `ideal_gains`, which depend on nothing but the judgments; nobody may change them."""
        if self._asked is None or not self._is_same(queries, rules, *self._asked):
            self._ideals = ideal_gains(queries, rules)
            self._asked = (rules, tuple(queries))
        return self._ideals

    @staticmethod
    def _is_same(
        queries: Sequence[object], rules: MeasureRules, other_rules: MeasureRules, others: Sequence[object]
    ) -> bool:
        return rules == other_rules and len(queries) == len(others) and all(map(operator.is_, queries, others))


_KEPT_IDEALS: Final = _KeptIdeals()


def ideal_nearness(queries: Sequence[QueryJudgments[Subtopic, Item]], rules: MeasureRules) -> list[float]:
    """Return how near each ideal is to the best possible at every cut-off, at least: a share of what none exceeds."""
    ideals = ideal_gains(queries, rules)
    pools = [query.matrix[:-1] for query in queries]
    nearness = [1.0] * len(queries)
    for depth in {min(k, ideals.shape[1]) for k in rules.cutoffs}:
        bounds = upper_bounds(pools, _discounts(depth), rules.alpha)
        for position, bound in enumerate(bounds):
            if bound:
                nearness[position] = min(nearness[position], float(ideals[position, depth - 1]) / bound)
    return nearness


def _by_name(query: QueryJudgments[Subtopic, Item]) -> NDArray[np.float64]:
    order = sorted(range(len(query.index)), key=list(map(str, query.index)).__getitem__, reverse=True)
    pool: NDArray[np.float64] = query.matrix[:-1][order]
    return pool


def _discounts(depth: int) -> NDArray[np.float64]:
    return 1 / np.log2(np.arange(2, depth + 2))


def _gains(
    relevance: NDArray[np.float64], hits: NDArray[np.bool_], seen: NDArray[np.int64], rules: MeasureRules
) -> NDArray[np.float64]:
    """Return α-DCG at every rank, not yet divided by the number of subtopics."""
    worth = _worth(hits, seen, rules)
    gains = (np.where(hits, relevance if rules.graded else 1.0, 0.0) * worth).sum(axis=2)
    return np.asarray(np.cumsum(gains * _discounts(gains.shape[1]), axis=1))


def _worth(hits: NDArray[np.bool_], seen: NDArray[np.int64], rules: MeasureRules) -> NDArray[np.float64]:
    """Return what a subtopic is still worth at each rank: less for each item above that has it."""
    powers = (1 - rules.alpha) ** np.arange(hits.shape[1] + 1)  # there are few, and to look them up is quick
    return np.asarray(powers[seen - hits])


def _expected_reciprocal_ranks(
    relevance: NDArray[np.float64],
    hits: NDArray[np.bool_],
    seen: NDArray[np.int64],
    weights: NDArray[np.float64],
    rules: MeasureRules,
) -> NDArray[np.float64]:
    """Return ERR-IA at every rank; the TREC tool counts what a repeated subtopic is worth instead of grades."""
    ranks = np.arange(1, hits.shape[1] + 1)[None, :, None]
    if rules.definition == NDEVAL:
        stops = np.where(hits, _worth(hits, seen, rules), 0.0)
    else:
        passed = np.cumprod(1 - relevance, axis=1)
        before = np.concatenate([np.ones_like(passed[:, :1]), passed[:, :-1]], axis=1)
        stops = relevance * before
    return np.asarray(np.cumsum(((stops / ranks) * weights[:, None, :]).sum(axis=2), axis=1))


def _norm(k: int, rules: MeasureRules, *, by_rank: bool) -> float:
    """Return what the TREC tool divides by: a list whose every item is on every subtopic; 1 by the other definition."""
    if rules.definition == AS_PRINTED:
        return 1.0
    return math.fsum((1 - rules.alpha) ** rank / (rank + 1 if by_rank else math.log2(rank + 2)) for rank in range(k))


def _evenness(
    counts: NDArray[np.int64],
    sizes: NDArray[np.float64],
    targets: _Targets,
    k: int,
    rules: MeasureRules,
) -> dict[str, NDArray[np.float64]]:
    """Return how evenly the relevant items fall on the subtopics; nothing relevant is neither even nor uneven."""
    totals = counts.sum(axis=1)
    entropy = entropy_rows(counts, base=LOG_BASES[rules.log_base])
    several = sizes > 1
    most = np.log(np.where(several, sizes, 2.0)) / math.log(LOG_BASES[rules.log_base])
    with np.errstate(divide="ignore", invalid="ignore"):
        proportionality = 1 - (np.abs(counts / totals[:, None] - targets.shares).sum(axis=1) + targets.unseen) / 2
    return {
        name_at(S_ENTROPY, k): entropy,
        name_at(S_ENTROPY_NORM, k): np.where(several, np.minimum(entropy / most, 1.0), np.nan),
        name_at(GINI, k): gini_rows(counts, sizes),
        name_at(PROPORTIONALITY, k): np.where(totals > 0, proportionality, np.nan),
    }


def _ratio(value: NDArray[np.float64], ideal: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(ideal > 0, value / np.where(ideal > 0, ideal, 1.0), np.nan)
