"""The measures of rankings against judgments, for many queries at once and all cut-offs in one pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.ideal import SMALL, exact_ideals, greedy_ideals, upper_bounds
from scoresheet.metrics.families.diversity.judgments import Topic
from scoresheet.metrics.stats.concentration import entropy_rows, gini_rows

JUDGED: Final = (
    "S_Recall",
    "S_Entropy",
    "S_Entropy_Norm",
    "Gini",
    "Proportionality",
    "alpha_DCG",
    "alpha_nDCG",
    "ERR_IA",
)
LOG_BASES: Final = {"e": math.e, "2": 2.0, "10": 10.0}
DEFINITIONS: Final = ("seed", "ndeval")
_BATCH: Final = 4_000_000  # numbers in flight


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How the measures are computed."""

    cutoffs: tuple[int, ...] = (5, 10, 20)
    alpha: float = 0.5
    log_base: str = "e"
    definition: str = "seed"
    graded: bool = False

    @property
    def depth(self) -> int:
        """The ranks that matter."""
        return max(self.cutoffs)


def judged_measures(
    rankings: Sequence[Sequence[Any]], topics: Sequence[Topic], rules: Rules
) -> dict[str, NDArray[np.float64]]:
    """Return each measure at each cut-off, as `S_Recall@5`, with a value per query."""
    widest = max((len(topic.subtopics) for topic in topics), default=1)
    deepest = min(rules.depth, max((len(items) for items in rankings), default=1))
    step = max(1, _BATCH // max(1, deepest * widest))
    parts = [
        _batch(rankings[start : start + step], topics[start : start + step], rules)
        for start in range(0, len(rankings), step)
    ]
    names = [f"{name}@{k}" for k in rules.cutoffs for name in JUDGED]
    return {name: np.concatenate([part[name] for part in parts]) if parts else np.zeros(0) for name in names}


def _batch(rankings: Sequence[Sequence[Any]], topics: Sequence[Topic], rules: Rules) -> dict[str, NDArray[np.float64]]:
    # beyond the longest list nothing changes, and arrays as deep as the deepest cut-off could be large
    depth = min(rules.depth, max(1, *map(len, rankings)))
    widest = max(len(topic.subtopics) for topic in topics)
    relevance = np.zeros((len(topics), depth, widest))
    weights, targets = np.zeros((len(topics), widest)), np.zeros((len(topics), widest))
    for place, (items, topic) in enumerate(zip(rankings, topics, strict=True)):
        own = len(topic.subtopics)
        shown = items[:depth]
        relevance[place, : len(shown), :own] = topic.relevance(shown)
        weights[place, :own], targets[place, :own] = topic.weights, topic.targets
    sizes = np.array([len(topic.subtopics) for topic in topics], dtype=float)
    elsewhere = np.array([topic.elsewhere for topic in topics])
    hits = relevance > 0
    seen = np.cumsum(hits, axis=1, dtype=np.int64)
    gains = _gains(relevance, hits, seen, rules)
    ideals = ideal_gains(topics, rules)
    if rules.definition == "ndeval":  # which knows no weights
        weights = np.where(np.arange(widest) < sizes[:, None], 1 / sizes[:, None], 0.0)
    reciprocal = _expected_reciprocal_ranks(relevance, hits, seen, weights, rules)
    found: dict[str, NDArray[np.float64]] = {}
    for k in rules.cutoffs:
        last = min(k, depth) - 1
        counts = seen[:, last]
        own_gain, ideal = gains[:, last], ideals[:, min(k, ideals.shape[1]) - 1]
        if rules.definition == "seed":
            ideal = np.maximum(ideal, own_gain)  # greedy is not always the best, and nothing exceeds the best
        found[f"S_Recall@{k}"] = (counts > 0).sum(axis=1) / sizes
        found |= _spread(counts, sizes, (targets, elsewhere), k, rules)
        found[f"alpha_DCG@{k}"] = own_gain / sizes / _norm(k, rules, by_rank=False)
        found[f"alpha_nDCG@{k}"] = _ratio(own_gain, ideal)
        found[f"ERR_IA@{k}"] = reciprocal[:, last] / _norm(k, rules, by_rank=True)
    return found


def ideal_gains(topics: Sequence[Topic], rules: Rules) -> NDArray[np.float64]:
    """Return the ideal α-DCG of each query at every rank, as far as any has relevant items."""
    depth = min(rules.depth, max((len(topic.index) for topic in topics), default=0) or 1)
    discounts = _discounts(depth)
    ideals = np.zeros((len(topics), depth))
    groups: dict[int, list[int]] = {}
    for place, topic in enumerate(topics):
        size = len(topic.index)
        exact = rules.definition == "seed" and size <= SMALL
        groups.setdefault(size if exact else -1, []).append(place)
    for size, places in groups.items():
        if size >= 0:
            pools = [topics[place].matrix[:-1] for place in places]
            ideals[places] = exact_ideals(pools, discounts, rules.alpha, graded=rules.graded)
        else:
            ndeval = rules.definition == "ndeval"
            pools = [_by_name(topics[place]) if ndeval else topics[place].matrix[:-1] for place in places]
            ideals[places] = greedy_ideals(pools, discounts, rules.alpha, graded=rules.graded, in_order=ndeval)
    return ideals


def ideal_nearness(topics: Sequence[Topic], rules: Rules) -> list[float]:
    """Return how near each ideal is to the best possible at every cut-off, at least: a share of what none exceeds."""
    ideals = ideal_gains(topics, rules)
    pools = [topic.matrix[:-1] for topic in topics]
    nearness = [1.0] * len(topics)
    for depth in {min(k, ideals.shape[1]) for k in rules.cutoffs}:
        bounds = upper_bounds(pools, _discounts(depth), rules.alpha)
        for place, bound in enumerate(bounds):
            if bound:
                nearness[place] = min(nearness[place], float(ideals[place, depth - 1]) / bound)
    return nearness


def _by_name(topic: Topic) -> NDArray[np.float64]:
    order = sorted(range(len(topic.index)), key=list(map(str, topic.index)).__getitem__, reverse=True)
    pool: NDArray[np.float64] = topic.matrix[:-1][order]
    return pool


def _discounts(depth: int) -> NDArray[np.float64]:
    return 1 / np.log2(np.arange(2, depth + 2))


def _gains(
    relevance: NDArray[np.float64], hits: NDArray[np.bool_], seen: NDArray[np.int64], rules: Rules
) -> NDArray[np.float64]:
    """Return α-DCG at every rank, not yet divided by the number of subtopics."""
    worth = (1 - rules.alpha) ** (seen - hits)
    gains = (np.where(hits, relevance if rules.graded else 1.0, 0.0) * worth).sum(axis=2)
    return np.asarray(np.cumsum(gains * _discounts(gains.shape[1]), axis=1))


def _expected_reciprocal_ranks(
    relevance: NDArray[np.float64],
    hits: NDArray[np.bool_],
    seen: NDArray[np.int64],
    weights: NDArray[np.float64],
    rules: Rules,
) -> NDArray[np.float64]:
    """Return ERR-IA at every rank; the TREC tool counts what a repeated subtopic is worth instead of grades."""
    ranks = np.arange(1, hits.shape[1] + 1)[None, :, None]
    if rules.definition == "ndeval":
        stops = np.where(hits, (1 - rules.alpha) ** (seen - hits), 0.0)
    else:
        passed = np.cumprod(1 - relevance, axis=1)
        before = np.concatenate([np.ones_like(passed[:, :1]), passed[:, :-1]], axis=1)
        stops = relevance * before
    return np.asarray(np.cumsum(((stops / ranks) * weights[:, None, :]).sum(axis=2), axis=1))


def _norm(k: int, rules: Rules, *, by_rank: bool) -> float:
    """Return what the TREC tool divides by: a list whose every item is on every subtopic; 1 by the other definition."""
    if rules.definition == "seed":
        return 1.0
    return math.fsum((1 - rules.alpha) ** rank / (rank + 1 if by_rank else math.log2(rank + 2)) for rank in range(k))


def _spread(
    counts: NDArray[np.int64],
    sizes: NDArray[np.float64],
    wanted: tuple[NDArray[np.float64], NDArray[np.float64]],
    k: int,
    rules: Rules,
) -> dict[str, NDArray[np.float64]]:
    """Return how evenly the relevant items fall on the subtopics; nothing relevant is neither even nor uneven."""
    targets, elsewhere = wanted
    totals = counts.sum(axis=1)
    entropy = entropy_rows(counts, base=LOG_BASES[rules.log_base])
    several = sizes > 1
    most = np.log(np.where(several, sizes, 2.0)) / math.log(LOG_BASES[rules.log_base])
    with np.errstate(divide="ignore", invalid="ignore"):
        proportionality = 1 - (np.abs(counts / totals[:, None] - targets).sum(axis=1) + elsewhere) / 2
    return {
        f"S_Entropy@{k}": entropy,
        f"S_Entropy_Norm@{k}": np.where(several, np.minimum(entropy / most, 1.0), np.nan),
        f"Gini@{k}": gini_rows(counts, sizes),
        f"Proportionality@{k}": np.where(totals > 0, proportionality, np.nan),
    }


def _ratio(value: NDArray[np.float64], ideal: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(ideal > 0, value / np.where(ideal > 0, ideal, 1.0), np.nan)


def as_dicts(queries: Sequence[Any], found: Mapping[str, NDArray[np.float64]]) -> dict[Any, dict[str, float]]:
    """Return the measures by query and name."""
    names = list(found)
    rows = zip(*(found[name].tolist() for name in names), strict=True)
    return {query: dict(zip(names, row, strict=True)) for query, row in zip(queries, rows, strict=True)}
