"""Scoring a sheet: the measures of each query, what each rank adds, and what could not be scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.constants import BY_SUBTOPICS, LOOSE, NDEVAL
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.distances import (
    DescribedList,
    cosine_blocks,
    intra_list_diversity,
    list_diversities,
    list_diversity,
)
from scoresheet.metrics.families.diversity.ideal import MAX_EXACT_ITEMS
from scoresheet.metrics.families.diversity.inputs import RankingSheet
from scoresheet.metrics.families.diversity.judgments import QueryJudgments
from scoresheet.metrics.families.diversity.loose_matches import loosely_matched
from scoresheet.metrics.families.diversity.measures import (
    ALPHA_NDCG,
    COVERAGE_MEASURES,
    EILD,
    EILD_NORM,
    IDEAL,
    ILD,
    JUDGED_ITEMS,
    JUDGED_MEASURES,
    QUERY_KEY,
    RETRIEVED,
    SUBTOPICS,
    ZERO_WITHOUT_RANKING,
    name_at,
    names_at,
)
from scoresheet.metrics.families.diversity.options import DiversityOptions, MeasureRules
from scoresheet.metrics.families.diversity.problems import (
    UnjudgedItem,
    missing_queries,
    undescribed_items,
    unjudged_items,
    unjudged_query,
    unused_inline_judgments,
)
from scoresheet.metrics.families.diversity.ranking_measures import ideal_nearness, judged_measures
from scoresheet.metrics.families.diversity.rankings import Ranking
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.problems import Noted, Problem
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Units, Value

_ALIKE: Final = 1e-9  # values this near to each other are the same
_PROVED: Final = 1 - 1e-9  # an ideal this near to what none exceeds is the best but for the arithmetic


class RankStep(NamedTuple):
    """What the item at one rank adds to those above it."""

    query: str
    rank: int
    item: str
    adds: tuple[str, ...]  # subtopics that no item above covers
    repeats: tuple[str, ...]
    covered: int  # subtopics, down to this rank
    s_recall: float


@dataclass(frozen=True, kw_only=True)
class DiversitySheet(ScoredSheet):
    """The measures of a sheet's queries, and what its ranks add."""

    used_rows: int  # rows of the input that are in scored rankings
    steps: tuple[RankStep, ...]
    unjudged: tuple[UnjudgedItem, ...] = ()  # among the ranks that matter
    differs_in_trec: bool = False  # whether the tool of TREC, whose judgments these are, gives other values


class _JudgedRanking(NamedTuple):
    ranking: Ranking
    judged: QueryJudgments[str, str] | None  # None where the run has no judgments
    covered: QueryJudgments[str, str] | None  # what it can cover: the same, or without judgments the known genres
    shown: NDArray[np.float64]  # how relevant the items down to the last cut-off are to that, item × subtopic

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        judged: QueryJudgments[str, str] | None,
        covered: QueryJudgments[str, str] | None,
        depth: int,
    ) -> _JudgedRanking:
        """Return a ranking with what is known of its items."""
        items = ranking.items[:depth]
        return cls(ranking, judged, covered, np.zeros((len(items), 0)) if covered is None else covered.relevance(items))


class _DescribedRanking(NamedTuple):
    """What the first items of a ranking are compared by."""

    vectors: NDArray[np.float64]  # a row each, of zeros where there is nothing
    ranks: NDArray[np.int64]  # of the items that there is something of
    relevance: NDArray[np.float64]
    lost: list[str]  # items that there is nothing of


class _EmptyQuery(NamedTuple):
    """A query that nothing was measured of, and is shown all the same."""

    query: str
    subtopics: float
    retrieved: int
    why: str
    values: Mapping[str, float]  # what is not undefined


def score_sheet(sheet: RankingSheet, context: DiversityContext, options: DiversityOptions) -> Noted[DiversitySheet]:
    """Return the measures of each query of a sheet."""
    rules = options.rules()
    every, matches = loosely_matched(sheet.rankings, context) if options.match == LOOSE else Noted(sheet.rankings)
    rankings, unjudged = _split(every, context, rules.depth)
    missing = sorted(context.queries.keys() - {ranking.query for ranking in every})
    measured, undescribed = _measured(rankings, context, rules)
    empty = [_without_judgments(ranking) for ranking in unjudged]
    if options.complete:
        empty += [_without_ranking(query, context.queries[query], rules) for query in missing]
    bad_grades = sheet.inline.bad_grades if context.is_inline else ()
    scored = DiversitySheet(
        name=sheet.name,
        rows=sheet.rows,
        units=_units(rankings, measured, empty, rules),
        used_rows=_used_rows(rankings, measured, bad_grades),
        steps=tuple(step for each in rankings for step in _steps(each)),
        unjudged=tuple(_unjudged_items(rankings, context, rules)),
        differs_in_trec=context.is_trec and _differs_in_trec(rankings, rules),
    )
    problems = (
        *sheet.ranking_problems,
        *matches,
        *(unjudged_query(ranking, context.near_queries) for ranking in unjudged),
        *bad_grades,
        *(sheet.inline.notes if context.is_inline else ()),
        *undescribed,
        *([missing_queries(missing, len(context.queries), complete=options.complete)] if missing else []),
        *([unused_inline_judgments()] if sheet.has_subtopics and not context.is_inline else []),
    )
    return Noted(scored, problems)


def _split(
    rankings: Sequence[Ranking], context: DiversityContext, depth: int
) -> tuple[list[_JudgedRanking], list[Ranking]]:
    """Return the rankings that can be scored, and those whose query has no relevant judgment though others have."""
    if not context.is_judged:
        return [_JudgedRanking.of(each, None, context.covered_by(each.query), depth) for each in rankings], []
    known = context.queries
    judged = [
        _JudgedRanking.of(each, known[each.query], known[each.query], depth) for each in rankings if each.query in known
    ]
    return judged, [each for each in rankings if each.query not in known]


def _unjudged_items(
    rankings: Sequence[_JudgedRanking], context: DiversityContext, rules: MeasureRules
) -> Iterator[UnjudgedItem]:
    for ranking, judged, _, _ in rankings:
        if judged is not None:
            nonrelevant = context.judged_nonrelevant.get(ranking.query, ())
            yield from unjudged_items(ranking, judged, nonrelevant, rules.depth)


def _differs_in_trec(rankings: Sequence[_JudgedRanking], rules: MeasureRules) -> bool:
    """Return whether any measure of any query is another by the definition of the TREC tool."""
    if rules.definition == NDEVAL:
        return False
    other = replace(rules, definition=NDEVAL, graded=False)
    for _, judged, _, shown in rankings:  # mostly the first query tells
        if judged is not None:
            ours, theirs = (judged_measures([shown], [judged], each) for each in (rules, other))
            if any(not np.allclose(ours[name], theirs[name], atol=_ALIKE, equal_nan=True) for name in ours):
                return True
    return False


def _measured(
    rankings: Sequence[_JudgedRanking], context: DiversityContext, rules: MeasureRules
) -> tuple[dict[str, list[float]], list[Problem]]:
    """Return every measure at every cut-off, a value per ranking, and a note on items that could not be compared."""
    values: dict[str, list[float]] = {name: [] for name in names_at(rules.cutoffs, context.measures)}
    covered = [each.covered for each in rankings if each.covered is not None]
    if covered:
        measures = JUDGED_MEASURES if context.is_judged else COVERAGE_MEASURES
        found = judged_measures([each.shown for each in rankings], covered, rules, measures)
        values |= {name: own.tolist() for name, own in found.items()}
    if context.is_judged:
        values |= _judged_shares(rankings, context, rules)
    described = [_described(each, context, rules) for each in rankings]
    for distances in _distance_measures(described, context, rules):
        for name, value in distances.items():
            values[name].append(value)
    problems = [
        undescribed_items(each.ranking, own.lost, context.descriptions)
        for each, own in zip(rankings, described, strict=True)
        if own.lost
    ]
    return values, problems


def _judged_shares(
    rankings: Sequence[_JudgedRanking], context: DiversityContext, rules: MeasureRules
) -> dict[str, list[float]]:
    """Return which share of the first items of each ranking was judged, at every cut-off."""
    shares: dict[str, list[float]] = {name_at(JUDGED_ITEMS, k): [] for k in rules.cutoffs}
    for ranking, judged, _, _ in rankings:
        known = judged.judged_items if judged is not None else frozenset()
        nonrelevant = context.judged_nonrelevant.get(ranking.query, ())
        there = [item in known or item in nonrelevant for item in ranking.items[: rules.depth]]
        for k in rules.cutoffs:
            first = there[:k]
            shares[name_at(JUDGED_ITEMS, k)].append(sum(first) / len(first))
    return shares


def _described(each: _JudgedRanking, context: DiversityContext, rules: MeasureRules) -> _DescribedRanking:
    """Return what the first items of a ranking are compared by."""
    ranking, judged, _, shown = each
    items = ranking.items[: rules.depth]
    by_judgments = None if judged is None else shown
    vectors, present = context.descriptions.item_vectors(items, ranking.texts[: rules.depth], by_judgments)
    relevance = np.ones(len(items)) if judged is None else shown.max(axis=1)
    lost = [item for item, there in zip(items, present.tolist(), strict=True) if not there]
    return _DescribedRanking(vectors, np.flatnonzero(present), relevance, lost)


def _distance_measures(
    described: Sequence[_DescribedRanking], context: DiversityContext, rules: MeasureRules
) -> Iterator[dict[str, float]]:
    """Yield ILD and EILD of each ranking."""
    by_subtopics = context.descriptions.distance == BY_SUBTOPICS
    if by_subtopics:
        lists = [DescribedList(own.vectors[own.ranks] > 0, own.relevance[own.ranks], own.ranks) for own in described]
        found = list_diversities(lists, rules.cutoffs)
    else:
        found = [
            list_diversity(cosine_blocks(own.vectors[own.ranks]), own.relevance[own.ranks], own.ranks, rules.cutoffs)
            for own in described
        ]
    for own, by_cutoff in zip(described, found, strict=True):
        values = {}
        for k, each in by_cutoff.items():
            values[name_at(ILD, k)] = each.ild
            values[name_at(EILD, k)] = each.eild
            values[name_at(EILD_NORM, k)] = each.eild_norm
        if not by_subtopics and len(own.vectors):
            # the closed form looks at no pair; items that are missing keep their rank as zeros
            values |= {name_at(ILD, k): ild for k, ild in intra_list_diversity(own.vectors, rules.cutoffs).items()}
        yield values


def _units(
    rankings: Sequence[_JudgedRanking],
    measured: Mapping[str, Sequence[float]],
    empty: Sequence[_EmptyQuery],
    rules: MeasureRules,
) -> Units:
    sizes = [math.nan if covered is None else len(covered.subtopics) for _, _, covered, _ in rankings]
    measures: dict[str, Sequence[Value]] = {
        SUBTOPICS.name: [*sizes, *(each.subtopics for each in empty)],
        RETRIEVED.name: [*(len(each.ranking.items) for each in rankings), *(each.retrieved for each in empty)],
    }
    for name, values in measured.items():
        measures[name] = [*values, *(each.values.get(name, math.nan) for each in empty)]
    measures[IDEAL.name] = [*_ideals(rankings, rules), *(each.why for each in empty)]
    return Units({QUERY_KEY: [*(each.ranking.query for each in rankings), *(each.query for each in empty)]}, measures)


def _without_judgments(ranking: Ranking) -> _EmptyQuery:
    return _EmptyQuery(ranking.query, math.nan, len(ranking.items), "no judgments", {})


def _without_ranking(query: str, judged: QueryJudgments[str, str], rules: MeasureRules) -> _EmptyQuery:
    """Return a query that an empty ranking covers nothing of; where there is nothing to find, it has no α-nDCG."""
    zero = [measure for measure in ZERO_WITHOUT_RANKING if judged.index or measure is not ALPHA_NDCG]
    return _EmptyQuery(query, len(judged.subtopics), 0, "no ranking", dict.fromkeys(names_at(rules.cutoffs, zero), 0.0))


def _used_rows(
    rankings: Sequence[_JudgedRanking], measured: Mapping[str, Sequence[float]], bad_grades: Sequence[Problem]
) -> int:
    """Return how many rows of the input are in a ranking with any measure, and say nothing unusable."""
    defined = [any(not math.isnan(value) for value in values) for values in zip(*measured.values(), strict=True)]
    bad = {problem.row for problem in bad_grades}
    used = [each.ranking.row_numbers for each, known in zip(rankings, defined, strict=True) if known]
    return sum(sum(row not in bad for row in rows) if bad else len(rows) for rows in used)


def _steps(each: _JudgedRanking) -> list[RankStep]:
    """Return for each rank which subtopics it adds and repeats, and how many are covered by then."""
    ranking, _, known, shown = each
    if known is None:
        return []
    hits = shown > 0
    new = hits & (np.cumsum(hits, axis=0) == 1)
    covered = np.cumsum(new.sum(axis=1)).tolist()
    names = known.subtopics
    rows = zip(ranking.items, new.tolist(), (hits & ~new).tolist(), covered, strict=False)  # as deep as is shown
    return [
        RankStep(
            ranking.query,
            rank,
            item,
            tuple(compress(names, adds)),
            tuple(compress(names, repeats)),
            by_now,
            by_now / len(names),
        )
        for rank, (item, adds, repeats, by_now) in enumerate(rows, start=1)
    ]


def _ideals(rankings: Sequence[_JudgedRanking], rules: MeasureRules) -> list[str]:
    """Return in words how the ideal of each query was found; '' where there are no judgments."""
    judged = [each.judged for each in rankings if each.judged is not None]
    if rules.definition == NDEVAL:
        return ["" if each.judged is None else f"greedy, as {NDEVAL}" for each in rankings]
    large = [each for each in judged if len(each.index) > MAX_EXACT_ITEMS]
    shares = iter(ideal_nearness(large, rules) if large else ())
    words = iter([_greedy(next(shares)) if len(each.index) > MAX_EXACT_ITEMS else "exact" for each in judged])
    return ["" if each.judged is None else next(words) for each in rankings]


def _greedy(share: float) -> str:
    if share > _PROVED:
        return "greedy, proved the best"
    return f"greedy, at least {math.floor(share * 1000) / 10:.1f} %"
