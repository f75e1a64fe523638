"""Scoring a sheet: the measures of each query, what each rank adds, and what could not be scored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Detail, Joined
from scoresheet.metrics.families.diversity.columns import IDEAL, MEASURES, QUERY, at_cutoffs
from scoresheet.metrics.families.diversity.distances import (
    cosine_blocks,
    intra_list_diversity,
    jaccard_blocks,
    spread_of_items,
    unit_vectors,
)
from scoresheet.metrics.families.diversity.given import Ready
from scoresheet.metrics.families.diversity.ideal import SMALL
from scoresheet.metrics.families.diversity.in_line import grade_problems
from scoresheet.metrics.families.diversity.judgments import Topic
from scoresheet.metrics.families.diversity.measures import JUDGED, Rules, ideal_nearness, judged_measures
from scoresheet.metrics.families.diversity.noted import lost_items, missing_queries, unjudged_items, unjudged_query
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.rankings import Ranking, ranked_sheet
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.tables import object_frame
from scoresheet.metrics.text.word_tokenizer import lower_words

_BETWEEN = " | "  # the subtopics of a cell: a comma may be part of a name, this sign cannot in line
_ZEROED = ("S_Recall", "alpha_DCG", "alpha_nDCG", "ERR_IA")  # what an empty ranking has; the rest is undefined


@dataclass(frozen=True)
class Scored:
    """What the model's summary needs of a sheet besides its table."""

    rows: int  # of the input that are in scored rankings
    steps: tuple[tuple[Any, ...], ...]  # per query and rank: what it adds


def scored_sheet(joined: Joined, ready: Ready, options: DiversityOptions) -> Detail:
    """Return the measures of each query of a sheet."""
    rules = options.rules()
    ranked = ranked_sheet(joined)
    problems = ranked.problems
    rankings = ranked.rankings
    unjudged: list[Ranking] = []
    if ready.judged:
        unjudged = [ranking for ranking in rankings if ranking.query not in ready.topics]
        rankings = [ranking for ranking in rankings if ranking.query in ready.topics]
        problems += [unjudged_query(each, ready.loose) for each in unjudged]
        problems += [
            problem
            for each in rankings
            if (problem := unjudged_items(each, ready.topics[each.query], ready.of_none.get(each.query, ())))
        ]
    misgraded = grade_problems(joined) if ready.in_line else []
    problems += misgraded
    columns = _measured(rankings, ready, rules, problems)
    defined = [any(not math.isnan(value) for value in values) for values in zip(*columns.values(), strict=True)]
    used = [number for each, known in zip(rankings, defined, strict=True) if known for number in each.numbers]
    sizes = [len(ready.topics[each.query].subtopics) if ready.judged else math.nan for each in rankings]
    rows: dict[str, list[Any]] = {
        "Sheet": [joined.sheet.name] * len(rankings),
        "Query": [each.query for each in rankings],
        "Subtopics": sizes,
        "Retrieved": [len(each.items) for each in rankings],
        **columns,
        IDEAL.name: _ideals([ready.topics[each.query] for each in rankings], rules)
        if ready.judged
        else [""] * len(rankings),
    }
    for each in unjudged:  # they have no measure, and are shown all the same
        _add_empty(rows, each.query, (joined.sheet.name, math.nan, len(each.items), "no judgments"), rules, math.nan)
    found = {each.query for each in ranked.rankings}
    missing = sorted(query for query in ready.topics if query not in found)
    if missing:
        problems.append(missing_queries(missing, len(ready.topics), complete=options.complete))
        if options.complete:
            for query in missing:  # they cover nothing
                size = len(ready.topics[query].subtopics)
                _add_empty(rows, query, (joined.sheet.name, size, 0, "no ranking"), rules, 0.0)
                if not ready.topics[query].index:  # nothing could have been found
                    for k in rules.cutoffs:
                        rows[f"alpha_nDCG@{k}"][-1] = math.nan
    steps = tuple(step for each in rankings for step in _steps(joined.sheet.name, each, ready, rules))
    bad = {problem.row for problem in misgraded if problem.effect != "note"}
    extra = Scored(sum(number not in bad for number in used), steps)
    names = [column.name for column in (*QUERY, *at_cutoffs(rules.cutoffs), IDEAL)]
    return Detail(joined.sheet, object_frame({name: rows[name] for name in names}), tuple(problems), extra=extra)


def _measured(
    rankings: Sequence[Ranking], ready: Ready, rules: Rules, problems: list[Problem]
) -> dict[str, list[float]]:
    judged: dict[str, list[float]] = {
        f"{name}@{k}": [math.nan] * len(rankings) for k in rules.cutoffs for name in JUDGED
    }
    if ready.judged and rankings:
        found = judged_measures(
            [each.items for each in rankings], [ready.topics[each.query] for each in rankings], rules
        )
        judged = {name: values.tolist() for name, values in found.items()}
    distances: dict[str, list[float]] = {
        f"{name}@{k}": [] for k in rules.cutoffs for name in ("ILD", "EILD", "EILD_Norm")
    }
    for each in rankings:
        values, lost = _distances(each, ready, rules)
        for name, value in values.items():
            distances[name].append(value)
        if lost:
            problems.append(lost_items(each, lost, ready.distance, ready.described))
    return {
        f"{column.name}@{k}": (judged | distances)[f"{column.name}@{k}"] for k in rules.cutoffs for column in MEASURES
    }


def _distances(ranking: Ranking, ready: Ready, rules: Rules) -> tuple[dict[str, float], list[str]]:
    """Return ILD and EILD of a ranking, and the items that had nothing to be compared by."""
    items = ranking.items[: rules.depth]
    vectors, present = _vectors(ranking, items, ready)
    ranks = np.flatnonzero(present)
    relevance = np.ones(len(items))
    if ready.judged:
        relevance = ready.topics[ranking.query].relevance(items).max(axis=1)
    kept = vectors[ranks]
    block = jaccard_blocks(kept > 0) if ready.distance == "subtopics" else cosine_blocks(kept)
    values = {}
    for k, spread in spread_of_items(block, relevance[ranks], ranks, rules.cutoffs).items():
        values[f"ILD@{k}"], values[f"EILD@{k}"], values[f"EILD_Norm@{k}"] = spread
    if ready.distance != "subtopics" and len(vectors):
        # the closed form looks at no pair; items that are missing keep their place as zeros
        values |= {f"ILD@{k}": value for k, value in intra_list_diversity(vectors, rules.cutoffs).items()}
    return values, [item for item, there in zip(items, present.tolist(), strict=True) if not there]


def _vectors(ranking: Ranking, items: Sequence[str], ready: Ready) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what the items are compared by, and which have it."""
    if ready.distance == "subtopics":
        topic = ready.topics.get(ranking.query)
        matrix = topic.relevance(items) if topic else np.zeros((len(items), 1))
        return matrix, np.asarray(matrix.any(axis=1))
    if ready.distance == "text":
        assert ready.tfidf is not None  # noqa: S101 - made ready with the texts
        beside = zip(items, ranking.texts[: len(items)], strict=True)
        words = [ready.words[item] if item in ready.words else lower_words(text) for item, text in beside]
        return unit_vectors(ready.tfidf.vectors(words))
    width = len(next(iter(ready.vectors.values()), ()))
    nothing = np.zeros(width)
    return unit_vectors(np.array([ready.vectors.get(item, nothing) for item in items]).reshape(len(items), width))


def _steps(sheet: str, ranking: Ranking, ready: Ready, rules: Rules) -> list[tuple[Any, ...]]:
    """Return for each rank which subtopics it adds and repeats, and how many are covered by then."""
    if not ready.judged:
        return []
    topic = ready.topics[ranking.query]
    covered: dict[Any, None] = {}
    steps = []
    shown = ranking.items[: rules.depth]
    for rank, (item, row) in enumerate(zip(shown, topic.relevance(shown).tolist(), strict=True), start=1):
        names = [subtopic for subtopic, value in zip(topic.subtopics, row, strict=True) if value > 0]
        adds = [name for name in names if name not in covered]
        repeats = [name for name in names if name in covered]
        covered |= dict.fromkeys(adds)
        share = len(covered) / len(topic.subtopics)
        steps.append(
            (sheet, ranking.query, rank, item, _BETWEEN.join(adds), _BETWEEN.join(repeats), len(covered), share)
        )
    return steps


def _ideals(topics: Sequence[Topic], rules: Rules) -> list[str]:
    """Return in words how the ideal of each query was found."""
    if rules.definition == "ndeval":
        return ["greedy, as ndeval"] * len(topics)
    large = [topic for topic in topics if len(topic.index) > SMALL]
    shares = iter(ideal_nearness(large, rules) if large else ())
    return [_found_by(next(shares)) if len(topic.index) > SMALL else "exact" for topic in topics]


def _found_by(share: float) -> str:
    if share > 1 - 1e-9:
        return "greedy, proved the best"
    return f"greedy, at least {math.floor(share * 1000) / 10:.1f} %"


def _add_empty(
    rows: dict[str, list[Any]], query: str, told: tuple[str, float, int, str], rules: Rules, value: float
) -> None:
    """Add a query that nothing was measured of; the value stands where an empty ranking would have a measure."""
    for name, cell in zip(("Sheet", "Subtopics", "Retrieved", IDEAL.name), told, strict=True):
        rows[name].append(cell)
    rows["Query"].append(query)
    for k in rules.cutoffs:
        for column in MEASURES:
            rows[f"{column.name}@{k}"].append(value if column.name in _ZEROED else math.nan)
