"""Scoring a sheet: the measures of each query, what each rank adds, and what could not be scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.constants import BY_SUBTOPICS, LOOSE, NDEVAL
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.distances import (
    DescribedLists,
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
from scoresheet.metrics.families.diversity.rank_steps import RankSteps, ShownItems, rank_steps
from scoresheet.metrics.families.diversity.ranking_measures import ideal_nearness, judged_measures
from scoresheet.metrics.families.diversity.rankings import Ranking
from scoresheet.metrics.families.diversity.side_by_side import side_by_side, some_at_a_time
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.problems import Noted, Problem
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Units, Value

_ALIKE: Final = 1e-9  # values this near to each other are the same
_PROVED: Final = 1 - 1e-9  # an ideal this near to what none exceeds is the best but for the arithmetic


@dataclass(frozen=True, kw_only=True)
class DiversitySheet(ScoredSheet):
    """The measures of a sheet's queries, and what its ranks add."""

    used_rows: int  # rows of the input that are in scored rankings
    steps: RankSteps
    unjudged: tuple[UnjudgedItem, ...] = ()  # among the ranks that matter
    differs_in_trec: bool = False  # whether the tool of TREC, whose judgments these are, gives other values


class _JudgedRanking(NamedTuple):
    ranking: Ranking
    judged: QueryJudgments[str, str] | None  # None where the run has no judgments
    covered: QueryJudgments[str, str] | None  # what it can cover: the same, or without judgments the known genres
    shown: NDArray[np.float64]  # how relevant the items down to the last cut-off are to that, item × subtopic
    unjudged: Sequence[int] = ()  # ranks of those that no judgment names, from 0

    @classmethod
    def judged_by(cls, ranking: Ranking, context: DiversityContext, depth: int) -> _JudgedRanking:
        """Return a ranking with what the judgments of its query say of its first items."""
        judged = context.queries[ranking.query]
        items = ranking.items[:depth]
        places = judged.places(items)
        shown, other = judged.matrix[places], len(judged.index)
        unjudged: list[int] = []
        if other in places:  # what is not relevant may yet have been judged
            nonrelevant = context.judged_nonrelevant.get(ranking.query, ())
            known = judged.judged_items
            unjudged = [
                rank
                for rank, (place, item) in enumerate(zip(places, items, strict=True))
                if place == other and item not in known and item not in nonrelevant
            ]
        return cls(ranking, judged, judged, shown, unjudged)

    @classmethod
    def covering(cls, ranking: Ranking, context: DiversityContext, depth: int) -> _JudgedRanking:
        """Return a ranking with what its first items cover, where nobody judged them."""
        items, covered = ranking.items[:depth], context.covered_by(ranking.query)
        return cls(ranking, None, covered, np.zeros((len(items), 0)) if covered is None else covered.relevance(items))


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
        steps=_steps(rankings),
        unjudged=tuple(_unjudged_items(rankings)),
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
        return [_JudgedRanking.covering(each, context, depth) for each in rankings], []
    known = context.queries
    judged = [_JudgedRanking.judged_by(each, context, depth) for each in rankings if each.query in known]
    return judged, [each for each in rankings if each.query not in known]


def _unjudged_items(rankings: Sequence[_JudgedRanking]) -> Iterator[UnjudgedItem]:
    for each in rankings:
        if each.judged is not None:
            items = (each.ranking.items[rank] for rank in each.unjudged)
            yield from unjudged_items(each.ranking.query, items, each.judged)


def _differs_in_trec(rankings: Sequence[_JudgedRanking], rules: MeasureRules) -> bool:
    """Return whether any measure of any query is another by the definition of the TREC tool."""
    if rules.definition == NDEVAL:
        return False
    other = replace(rules, definition=NDEVAL, graded=False)
    for _, judged, _, shown, _ in rankings:  # mostly the first query tells
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
        values |= _judged_shares(rankings, rules)
    distances = _by_subtopics if context.descriptions.distance == BY_SUBTOPICS else _by_cosines
    problems = []
    catalogue = context.descriptions.catalogue
    genres = 1 if catalogue is None else len(catalogue.subtopics)
    for some in some_at_a_time([each.shown for each in rankings], width=genres):
        own_values, lost = distances(rankings[some], context, rules)
        for name, own in own_values.items():
            values[name] += own
        problems += [
            undescribed_items(each.ranking, items, context.descriptions)
            for each, items in zip(rankings[some], lost, strict=True)
            if items
        ]
    return values, problems


def _judged_shares(rankings: Sequence[_JudgedRanking], rules: MeasureRules) -> dict[str, list[float]]:
    """Return which share of the first items of each ranking was judged, at every cut-off."""
    found = {}
    for k in rules.cutoffs:
        counted = [min(k, len(each.shown)) for each in rankings]
        lost = [sum(rank < k for rank in each.unjudged) for each in rankings]
        found[name_at(JUDGED_ITEMS, k)] = [(items - own) / items for items, own in zip(counted, lost, strict=True)]
    return found


def _by_subtopics(
    rankings: Sequence[_JudgedRanking], context: DiversityContext, rules: MeasureRules
) -> tuple[dict[str, list[float]], list[list[str]]]:
    """Return ILD and EILD of rankings by their items' subtopics, and the items of each that have none."""
    described = context.descriptions
    judged = side_by_side([each.shown for each in rankings]) if context.is_judged else None
    if judged is None or described.compares_genres:
        sets = side_by_side([described.item_genres(each.ranking.items[: rules.depth]) for each in rankings]) > 0
    else:
        sets = judged > 0
    present = np.asarray(sets.any(axis=2))
    relevance = np.ones(present.shape) if judged is None else judged.max(axis=2)
    found = list_diversities(DescribedLists.of(sets, relevance, present), rules.cutoffs)
    values = {
        name_at(measure, k): own[:, place].tolist()
        for k, own in found.items()
        for place, measure in enumerate((ILD, EILD, EILD_NORM))
    }
    lost: list[list[str]] = [[] for _ in rankings]
    there = np.arange(present.shape[1]) < np.array([len(each.shown) for each in rankings])[:, None]
    for place, rank in np.argwhere(there & ~present).tolist():
        lost[place].append(rankings[place].ranking.items[rank])
    return values, lost


def _by_cosines(
    rankings: Sequence[_JudgedRanking], context: DiversityContext, rules: MeasureRules
) -> tuple[dict[str, list[float]], list[list[str]]]:
    """Return ILD and EILD of rankings by their items' features or texts, and the items of each that have none."""
    values: dict[str, list[float]] = {name: [] for name in names_at(rules.cutoffs, (ILD, EILD, EILD_NORM))}
    lost = []
    for each in rankings:
        items = each.ranking.items[: rules.depth]
        texts = each.ranking.texts[: rules.depth] or [""] * len(items)
        vectors, present = context.descriptions.item_vectors(items, texts)
        ranks = np.flatnonzero(present)
        relevance = np.ones(len(vectors)) if each.judged is None else each.shown.max(axis=1)
        found = list_diversity(cosine_blocks(vectors[ranks]), relevance[ranks], ranks, rules.cutoffs)
        # the closed form looks at no pair; items that are missing keep their rank as zeros
        closed = intra_list_diversity(vectors, rules.cutoffs) if len(vectors) else {}
        for k, own in found.items():
            values[name_at(ILD, k)].append(closed.get(k, own.ild))
            values[name_at(EILD, k)].append(own.eild)
            values[name_at(EILD_NORM, k)].append(own.eild_norm)
        lost.append([item for item, known in zip(items, present.tolist(), strict=True) if not known])
    return values, lost


def _units(
    rankings: Sequence[_JudgedRanking],
    measured: Mapping[str, Sequence[float]],
    empty: Sequence[_EmptyQuery],
    rules: MeasureRules,
) -> Units:
    sizes = [math.nan if each.covered is None else len(each.covered.subtopics) for each in rankings]
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


def _steps(rankings: Sequence[_JudgedRanking]) -> RankSteps:
    """Return what each rank adds to those above it."""
    return rank_steps(
        [
            ShownItems(ranking.query, ranking.items[: len(shown)], covered.subtopics, shown)
            for ranking, _, covered, shown, _ in rankings
            if covered is not None
        ]
    )


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
