"""The measures of rankings against judgments, for many queries at once and all cut-offs in one pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scoresheet.metrics.diversity.ideal import SMALL, exact_ideals, greedy_ideals, upper_bounds
from scoresheet.metrics.diversity.judgments import Topic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    import numpy as np

    widest = max((len(topic.subtopics) for topic in topics), default=1)
    step = max(1, _BATCH // (rules.depth * widest))
    parts = [
        _batch(rankings[start : start + step], topics[start : start + step], rules)
        for start in range(0, len(rankings), step)
    ]
    names = [f"{name}@{k}" for k in rules.cutoffs for name in JUDGED]
    return {name: np.concatenate([part[name] for part in parts]) if parts else np.zeros(0) for name in names}


def _batch(rankings: Sequence[Sequence[Any]], topics: Sequence[Topic], rules: Rules) -> dict[str, NDArray[np.float64]]:
    import numpy as np

    depth = rules.depth
    widest = max(len(topic.subtopics) for topic in topics)
    relevance = np.zeros((len(topics), depth, widest))
    weights, targets = np.zeros((len(topics), widest)), np.zeros((len(topics), widest))
    for place, (items, topic) in enumerate(zip(rankings, topics, strict=True)):
        own = len(topic.subtopics)
        shown = items[:depth]
        relevance[place, : len(shown), :own] = topic.relevance(shown)
        weights[place, :own], targets[place, :own] = topic.weights, topic.targets
    sizes = np.array([len(topic.subtopics) for topic in topics], dtype=float)
    hits = relevance > 0
    seen = np.cumsum(hits, axis=1, dtype=np.int64)
    gains = _gains(relevance, hits, seen, rules)
    ideals = ideal_gains(topics, rules)
    reciprocal = _expected_reciprocal_ranks(relevance, hits, seen, weights, rules)
    found: dict[str, NDArray[np.float64]] = {}
    for k in rules.cutoffs:
        counts = seen[:, k - 1]
        own_gain, ideal = gains[:, k - 1], ideals[:, k - 1]
        if rules.definition == "seed":
            ideal = np.maximum(ideal, own_gain)  # greedy is not always the best, and nothing exceeds the best
        found[f"S_Recall@{k}"] = (counts > 0).sum(axis=1) / sizes
        found |= _spread(counts, sizes, targets, k, rules)
        found[f"alpha_DCG@{k}"] = own_gain / sizes / _norm(k, rules, _discounts(depth))
        found[f"alpha_nDCG@{k}"] = _ratio(own_gain, ideal)
        found[f"ERR_IA@{k}"] = reciprocal[:, k - 1] / _norm(k, rules, 1 / np.arange(1, depth + 1))
    return found


def ideal_gains(topics: Sequence[Topic], rules: Rules) -> NDArray[np.float64]:
    """Return the ideal α-DCG of each query at every rank."""
    import numpy as np

    discounts = _discounts(rules.depth)
    ideals = np.zeros((len(topics), rules.depth))
    groups: dict[int, list[int]] = {}
    for place, topic in enumerate(topics):
        size = len(topic.items)
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
    """Return how near each ideal used is to the best possible, as a share of a bound that no ranking exceeds."""
    ideals = ideal_gains(topics, rules)[:, -1].tolist()
    bounds = upper_bounds([topic.matrix[:-1] for topic in topics], _discounts(rules.depth), rules.alpha)
    return [ideal / bound if bound else math.nan for ideal, bound in zip(ideals, bounds, strict=True)]


def _by_name(topic: Topic) -> NDArray[np.float64]:
    order = sorted(range(len(topic.items)), key=lambda place: str(topic.items[place]), reverse=True)
    pool: NDArray[np.float64] = topic.matrix[:-1][order]
    return pool


def _discounts(depth: int) -> NDArray[np.float64]:
    import numpy as np

    return 1 / np.log2(np.arange(2, depth + 2))


def _gains(
    relevance: NDArray[np.float64], hits: NDArray[np.bool_], seen: NDArray[np.int64], rules: Rules
) -> NDArray[np.float64]:
    """Return α-DCG at every rank, not yet divided by the number of subtopics."""
    import numpy as np

    worth = (1 - rules.alpha) ** (seen - hits)
    gains = (np.where(hits, relevance if rules.graded else 1.0, 0.0) * worth).sum(axis=2)
    return np.asarray(np.cumsum(gains * _discounts(rules.depth), axis=1))


def _expected_reciprocal_ranks(
    relevance: NDArray[np.float64],
    hits: NDArray[np.bool_],
    seen: NDArray[np.int64],
    weights: NDArray[np.float64],
    rules: Rules,
) -> NDArray[np.float64]:
    """Return ERR-IA at every rank; the TREC tool counts what a repeated subtopic is worth instead of grades."""
    import numpy as np

    ranks = np.arange(1, rules.depth + 1)[None, :, None]
    if rules.definition == "ndeval":
        stops = np.where(hits, (1 - rules.alpha) ** (seen - hits), 0.0)
        sizes = (weights > 0).sum(axis=1)
        weights = np.where(weights > 0, 1.0, 0.0) / sizes[:, None]
    else:
        passed = np.cumprod(1 - relevance, axis=1)
        before = np.concatenate([np.ones_like(passed[:, :1]), passed[:, :-1]], axis=1)
        stops = relevance * before
    return np.asarray(np.cumsum(((stops / ranks) * weights[:, None, :]).sum(axis=2), axis=1))


def _norm(k: int, rules: Rules, discounts: NDArray[np.float64]) -> float:
    """Return what the TREC tool divides by: a list whose every item is on every subtopic; 1 by the other definition."""
    if rules.definition == "seed":
        return 1.0
    return math.fsum((1 - rules.alpha) ** rank * discounts[rank] for rank in range(k))


def _spread(
    counts: NDArray[np.int64], sizes: NDArray[np.float64], targets: NDArray[np.float64], k: int, rules: Rules
) -> dict[str, NDArray[np.float64]]:
    """Return how evenly the relevant items fall on the subtopics; nothing relevant is neither even nor uneven."""
    import numpy as np

    totals = counts.sum(axis=1).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counts / totals[:, None]
        terms = np.where(counts > 0, shares * np.log(np.where(counts > 0, shares, 1.0)), 0.0)
        entropy = np.where(totals > 0, np.abs(terms.sum(axis=1)), np.nan)
        several = sizes > 1
        normalised = np.where(several, entropy / np.log(np.where(several, sizes, 2.0)), np.nan)
        # subtopics that a query does not have are zeros: they take the lowest ranks, and only shift the others
        ranks = np.arange(1, counts.shape[1] + 1)
        shifted = np.sort(counts, axis=1) @ ranks - (counts.shape[1] - sizes) * totals
        gini = np.abs(2 * shifted / (sizes * totals) - (sizes + 1) / sizes)
        gini = np.where(several & (totals > 0), gini, np.nan)
        proportionality = 1 - np.abs(shares - targets).sum(axis=1) / 2
    return {
        f"S_Entropy@{k}": entropy / math.log(LOG_BASES[rules.log_base]),
        f"S_Entropy_Norm@{k}": normalised,
        f"Gini@{k}": np.where(gini < 1e-15, 0.0, gini),
        f"Proportionality@{k}": np.where(totals > 0, proportionality, np.nan),
    }


def _ratio(value: NDArray[np.float64], ideal: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.where(ideal > 0, value / np.where(ideal > 0, ideal, 1.0), np.nan)


def as_dicts(queries: Sequence[Any], found: Mapping[str, NDArray[np.float64]]) -> dict[Any, dict[str, float]]:
    """Return the measures by query and name."""
    names = list(found)
    rows = zip(*(found[name].tolist() for name in names), strict=True)
    return {query: dict(zip(names, row, strict=True)) for query, row in zip(queries, rows, strict=True)}
