"""How the measures of one query came about: what each rank added, and what the ideal would have had by then."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.families.diversity.constants import AS_PRINTED, LOOSE
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.inputs import RankingSheet
from scoresheet.metrics.families.diversity.judgments import QueryJudgments
from scoresheet.metrics.families.diversity.loose_matches import loosely_matched
from scoresheet.metrics.families.diversity.measures import (
    ALPHA_NDCG,
    ERR_IA,
    IDEAL,
    ILD,
    QUERY_KEY,
    S_RECALL,
    name_at,
)
from scoresheet.metrics.families.diversity.options import DiversityOptions, MeasureRules
from scoresheet.metrics.families.diversity.ranking_measures import ideal_gains
from scoresheet.metrics.families.diversity.rankings import Ranking
from scoresheet.metrics.families.diversity.score import score_sheet
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class RankPart:
    """What the item at one rank added to each measure; NaN where nobody judged anything."""

    rank: int
    item: str
    row: int  # of the input
    adds: tuple[str, ...]  # subtopics that no item above covers
    repeats: tuple[str, ...]
    gain: float  # Σ over its subtopics of (1-α)^(items above on that subtopic), times the grade where grades count
    discount: float  # 1 / log2(rank + 1)
    cumulative: float  # α-DCG down to here, not yet divided by anything
    ideal: float  # the same of the ideal ranking
    alpha_ndcg: float
    err_ia: float
    s_recall: float
    ild: float


@dataclass(frozen=True, kw_only=True)
class DiversityExplanation(Explanation):
    """How one query came to its measures."""

    query: str
    alpha: float
    definition: str
    graded: bool
    cutoff: int  # of the headline
    subtopics: tuple[str, ...]
    relevant_items: int
    ideal_by: str  # how the ideal was found
    ranks: tuple[RankPart, ...]
    problem: str = ""  # why there is nothing to explain


def query_of_row(sheet: RankingSheet, _: DiversityContext, row: int) -> UnitName | None:
    """Return the query in whose ranking a row stands; None if it stands in none."""
    found = (ranking.query for ranking in sheet.rankings if row in ranking.row_numbers)
    return next((UnitName(sheet.name, {QUERY_KEY: query}) for query in found), None)


def explain_query(
    sheets: Sequence[RankingSheet], context: DiversityContext, options: DiversityOptions, unit: UnitName
) -> DiversityExplanation:
    """Return how the measures of a query came about; NoSuchUnit if no sheet has it."""
    sheet = next((each for each in sheets if each.name == unit.sheet), None)
    if sheet is None:
        raise NoSuchUnit(unit)
    query = unit.keys[QUERY_KEY]
    every = loosely_matched(sheet.rankings, context).value if options.match == LOOSE else sheet.rankings
    ranking = next((each for each in every if each.query == query), None)
    alone = replace(sheet, rankings=() if ranking is None else (ranking,))
    exact = replace(options, match="exact")  # the ranking has the query that it was matched with
    units = score_sheet(alone, context, exact).value.units
    place = list(units.keys[QUERY_KEY]).index(query) if query in units.keys[QUERY_KEY] else -1
    if place < 0:
        raise NoSuchUnit(unit)
    measures = {name: values[place] for name, values in units.measures.items()}
    known = context.covered_by(query)
    said = str(measures.pop(IDEAL.name))
    return DiversityExplanation(
        measures=measures,
        query=query,
        alpha=options.alpha,
        definition=options.definition,
        graded=options.graded,
        cutoff=options.headline_cutoff(),
        subtopics=() if known is None else known.subtopics,
        relevant_items=0 if known is None else len(known.index),
        ideal_by=said,
        ranks=() if ranking is None or said == "no judgments" else _ranks(alone, ranking, context, exact),
        problem=said if ranking is None or said == "no judgments" else "",
    )


def _ranks(
    sheet: RankingSheet, ranking: Ranking, context: DiversityContext, options: DiversityOptions
) -> tuple[RankPart, ...]:
    """Return what each rank added: the measures of the lists that end at it, taken by the same road as all others."""
    depth = min(options.rules().depth, len(ranking.items))
    scored = score_sheet(sheet, context, replace(options, cutoffs=",".join(map(str, range(1, depth + 1))))).value
    # the subtopics of a catalogue are none that anybody judged
    judged = context.queries.get(ranking.query) if context.is_judged else None
    rules = options.rules()
    gains = _gains(ranking, judged, rules, depth) if judged is not None else [math.nan] * depth
    ideals = ideal_gains([judged], rules)[0].tolist() if judged is not None else [math.nan]
    steps = {step.rank: step for step in scored.steps.each()}
    parts = []
    total = 0.0
    for rank in range(1, depth + 1):
        discount = 1 / math.log2(rank + 1)
        total += gains[rank - 1] * discount
        ideal = ideals[min(rank, len(ideals)) - 1]
        if rules.definition == AS_PRINTED and ideal < total:
            ideal = total  # greedy is not always the best, and nothing exceeds the best
        values = [
            float(scored.units.measures[name_at(measure, rank)][0])
            if name_at(measure, rank) in scored.units.measures
            else math.nan
            for measure in (ALPHA_NDCG, ERR_IA, S_RECALL, ILD)
        ]
        step = steps.get(rank)
        parts.append(
            RankPart(
                rank,
                ranking.items[rank - 1],
                ranking.row_numbers[rank - 1],
                step.adds if step else (),
                step.repeats if step else (),
                gains[rank - 1],
                discount,
                total,
                ideal,
                *values,
            )
        )
    return tuple(parts)


def _gains(ranking: Ranking, judged: QueryJudgments[str, str], rules: MeasureRules, depth: int) -> list[float]:
    """Return what each item is worth where it stands: a subtopic less at each item on it, by 1 - α."""
    seen = [0] * len(judged.subtopics)
    gains = []
    for row in judged.relevance(ranking.items[:depth]).tolist():
        gain = 0.0
        for subtopic, value in enumerate(row):
            if value > 0:
                gain += (value if rules.graded else 1.0) * (1 - rules.alpha) ** seen[subtopic]
                seen[subtopic] += 1
        gains.append(gain)
    return gains
