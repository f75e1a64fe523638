"""Scoring a sheet: the measures of each query, what each rank adds, and what could not be scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from scoresheet.metrics.families.diversity.constants import BY_SUBTOPICS, NDEVAL
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.distances import (
    cosine_blocks,
    intra_list_diversity,
    jaccard_blocks,
    list_diversity,
)
from scoresheet.metrics.families.diversity.ideal import MAX_EXACT_ITEMS
from scoresheet.metrics.families.diversity.inputs import RankingSheet
from scoresheet.metrics.families.diversity.judgments import QueryJudgments
from scoresheet.metrics.families.diversity.measures import (
    ALPHA_NDCG,
    DISTANCE_MEASURES,
    EILD,
    EILD_NORM,
    IDEAL,
    ILD,
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
from scoresheet.metrics.units import Units, Value

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


class _JudgedRanking(NamedTuple):
    ranking: Ranking
    judged: QueryJudgments[str, str] | None  # None where the run has no judgments


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
    rankings, unjudged = _split(sheet.rankings, context)
    missing = sorted(context.queries.keys() - {ranking.query for ranking in sheet.rankings})
    measured, undescribed = _measured(rankings, context, rules)
    empty = [_without_judgments(ranking) for ranking in unjudged]
    if options.complete:
        empty += [_without_ranking(query, context.queries[query], rules) for query in missing]
    judgment_problems = _judgment_problems(rankings, unjudged, context)
    bad_grades = sheet.inline.bad_grades if context.is_inline else ()
    scored = DiversitySheet(
        name=sheet.name,
        rows=sheet.rows,
        units=_units(rankings, measured, empty, rules),
        used_rows=_used_rows(rankings, measured, bad_grades),
        steps=tuple(step for each in rankings for step in _steps(each, rules)),
    )
    problems = (
        *sheet.ranking_problems,
        *judgment_problems,
        *bad_grades,
        *(sheet.inline.notes if context.is_inline else ()),
        *undescribed,
        *([missing_queries(missing, len(context.queries), complete=options.complete)] if missing else []),
        *([unused_inline_judgments()] if sheet.has_subtopics and not context.is_inline else []),
    )
    return Noted(scored, problems)


def _split(rankings: Sequence[Ranking], context: DiversityContext) -> tuple[list[_JudgedRanking], list[Ranking]]:
    """Return the rankings that can be scored, and those whose query has no relevant judgment though others have."""
    if not context.is_judged:
        return [_JudgedRanking(ranking, None) for ranking in rankings], []
    known = context.queries
    judged = [_JudgedRanking(each, known[each.query]) for each in rankings if each.query in known]
    return judged, [each for each in rankings if each.query not in known]


def _judgment_problems(
    rankings: Sequence[_JudgedRanking], unjudged: Sequence[Ranking], context: DiversityContext
) -> list[Problem]:
    problems = [unjudged_query(ranking, context.near_queries) for ranking in unjudged]
    for ranking, judged in rankings:
        if judged is not None:
            problem = unjudged_items(ranking, judged, context.judged_nonrelevant.get(ranking.query, ()))
            problems += [problem] if problem else []
    return problems


def _measured(
    rankings: Sequence[_JudgedRanking], context: DiversityContext, rules: MeasureRules
) -> tuple[dict[str, list[float]], list[Problem]]:
    """Return every measure at every cut-off, a value per ranking, and a note on items that could not be compared."""
    values = {name: [math.nan] * len(rankings) for name in names_at(rules.cutoffs, JUDGED_MEASURES)}
    judged = [each.judged for each in rankings if each.judged is not None]
    if judged:
        found = judged_measures([each.ranking.items for each in rankings], judged, rules)
        values = {name: own.tolist() for name, own in found.items()}
    values |= {name: [] for name in names_at(rules.cutoffs, DISTANCE_MEASURES)}
    problems = []
    for each in rankings:
        distances, lost = _distance_measures(each, context, rules)
        for name, value in distances.items():
            values[name].append(value)
        if lost:
            descriptions = context.descriptions
            problems.append(undescribed_items(each.ranking, lost, descriptions.distance, descriptions.near_items))
    return values, problems


def _distance_measures(
    each: _JudgedRanking, context: DiversityContext, rules: MeasureRules
) -> tuple[dict[str, float], list[str]]:
    """Return ILD and EILD of a ranking, and the items that had nothing to be compared by."""
    ranking, judged = each
    items = ranking.items[: rules.depth]
    vectors, present = context.descriptions.item_vectors(items, ranking.texts[: rules.depth], judged)
    ranks = np.flatnonzero(present)
    relevance = np.ones(len(items)) if judged is None else judged.relevance(items).max(axis=1)
    by_subtopics = context.descriptions.distance == BY_SUBTOPICS
    kept = vectors[ranks]
    block = jaccard_blocks(kept > 0) if by_subtopics else cosine_blocks(kept)
    values = {}
    for k, found in list_diversity(block, relevance[ranks], ranks, rules.cutoffs).items():
        values[name_at(ILD, k)] = found.ild
        values[name_at(EILD, k)] = found.eild
        values[name_at(EILD_NORM, k)] = found.eild_norm
    if not by_subtopics and len(vectors):
        # the closed form looks at no pair; items that are missing keep their rank as zeros
        values |= {name_at(ILD, k): ild for k, ild in intra_list_diversity(vectors, rules.cutoffs).items()}
    return values, [item for item, there in zip(items, present.tolist(), strict=True) if not there]


def _units(
    rankings: Sequence[_JudgedRanking],
    measured: Mapping[str, Sequence[float]],
    empty: Sequence[_EmptyQuery],
    rules: MeasureRules,
) -> Units:
    sizes = [math.nan if judged is None else len(judged.subtopics) for _, judged in rankings]
    measures: dict[str, Sequence[Value]] = {
        SUBTOPICS.name: [*sizes, *(each.subtopics for each in empty)],
        RETRIEVED.name: [*(len(each.ranking.items) for each in rankings), *(each.retrieved for each in empty)],
    }
    for name in names_at(rules.cutoffs):
        measures[name] = [*measured[name], *(each.values.get(name, math.nan) for each in empty)]
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
    return sum(
        row not in bad
        for each, known in zip(rankings, defined, strict=True)
        if known
        for row in each.ranking.row_numbers
    )


def _steps(each: _JudgedRanking, rules: MeasureRules) -> list[RankStep]:
    """Return for each rank which subtopics it adds and repeats, and how many are covered by then."""
    ranking, judged = each
    if judged is None:
        return []
    covered: set[str] = set()
    steps = []
    shown = ranking.items[: rules.depth]
    for rank, (item, row) in enumerate(zip(shown, judged.relevance(shown).tolist(), strict=True), start=1):
        names = [subtopic for subtopic, value in zip(judged.subtopics, row, strict=True) if value > 0]
        adds = tuple(name for name in names if name not in covered)
        repeats = tuple(name for name in names if name in covered)
        covered.update(adds)
        share = len(covered) / len(judged.subtopics)
        steps.append(RankStep(ranking.query, rank, item, adds, repeats, len(covered), share))
    return steps


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
