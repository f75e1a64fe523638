"""Scoring of rankings: every measure for every query, at every cut-off."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from scoresheet.metrics.diversity import DiversityOptions, ranks_of
from scoresheet.metrics.diversity import distances as d
from scoresheet.metrics.diversity import judgments as j
from scoresheet.metrics.diversity import measures as m
from scoresheet.metrics.diversity.measures import Floats
from scoresheet.metrics.family import Scores, Tables, carried_along
from scoresheet.metrics.measure import Measure, measure_of
from scoresheet.metrics.problem import Problem, Refusal, row_problems

Function: TypeAlias = Callable[..., Any]
Values: TypeAlias = dict[Function, Floats]  # of one ranking, one per cut-off

SUBTOPICS = (
    *(m.subtopic_recall, m.subtopic_entropy, m.normalized_subtopic_entropy),
    *(m.subtopic_gini, m.proportionality),
)
DISTANCES = (d.intra_list_distance, d.expected_distance, d.normalized_expected_distance)
MEASURES = (m.alpha_ndcg, m.err_ia, m.alpha_dcg, *SUBTOPICS, *DISTANCES, m.judged_share)
JUDGED = "judged subtopics"
UNJUDGED, UNANSWERED = "no judgments for this query", "no ranking: counts as 0"
MOST_RANKS = 20_000  # rows of the table Ranks
RANKS = ["Query", "Sheet", "Rank", "Item", "Subtopics", "New", "Gain", "Covered"]


def score(tables: Tables, options: DiversityOptions) -> Scores:
    """Score the rankings of one model at every cut-off."""
    outputs = tables["outputs"].reset_index(drop=True)
    tables = tables if "survey" in tables else {**tables, "survey": j.survey(outputs)}
    rankings, lists, problems = order_rankings(outputs)
    judgments, notes = j.read_judgments(tables)
    items = _item_vectors(tables.get("items"), judgments, options.distance)
    measures = _measures(judgments, items, options)
    lists, unanswered = _with_unanswered(lists, judgments, options)
    unjudged = lists["Problem"] == UNJUDGED
    problems += row_problems(lists, unjudged, Problem("no-judgments", "row", UNJUDGED))
    problems += [*notes, *unanswered]
    if items and len(lost := rankings.loc[~rankings["item"].isin(items.index), "item"]):
        message = f"items without {items.named} drop out of ILD and EILD: {_named(lost)}"
        problems.append(Problem("no-features", "note", message))

    values, ranks = [], list[list[Any]]()
    shown = rankings.groupby("list")["item"].agg(list)
    for place, (name, sheet) in enumerate(zip(lists["query"], lists["sheet"], strict=True)):
        if unjudged[place]:
            values.append([math.nan] * len(measures))
            continue
        found, steps = _measure(shown.get(place, []), name, judgments, items, options)
        values.append([found[function][at] for function, at, _ in measures])
        ranks += [[name, sheet, *step] for step in steps]
    named = tuple(measure for _, _, measure in measures)
    measured = pd.DataFrame(values, columns=[one.name for one in named], dtype=float)
    units = lists[["sheet", "query"]].set_axis(["Sheet", "Query"], axis=1).join(measured)
    units["Subtopics"] = np.array([len(judgments.query(q).subtopics) for q in lists["query"]], int)
    units["Retrieved"] = shown.map(len).reindex(lists.index, fill_value=0)
    units[["Row", "Problem"]] = lists[["row", "Problem"]]
    units = units.assign(**carried_along(lists))

    scored = units.loc[units[named[0].name].notna(), ["Sheet", "Query"]].drop_duplicates()
    results: dict[str, Any] = {"Queries": len(scored), "Distance": items.named if items else JUDGED}
    if judgments.relative:
        answered = judgments.queries.keys() & set(rankings["query"])
        results["Answered"] = len(answered) / max(1, len(judgments.queries))
    for k in ranks_of(options.cutoffs):
        often = rankings.loc[rankings["rank"] < k, "item"].value_counts()
        often = often.reindex(list(judgments.items), fill_value=0)
        results[f"Item_Coverage@{k}"] = float(m.subtopic_recall(often))
        results[f"Item_Gini@{k}"] = float(m.subtopic_gini(often))
    further = {"Ranks": pd.DataFrame(ranks[:MOST_RANKS], columns=RANKS)} if ranks else {}
    return Scores(units, problems, results=results, tables=further, measures=named)


def order_rankings(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, list[Problem]]:
    """Return the rankings, the first row of each list, and the rows that do not count.

    A list is what one sheet and run shows for a query. Rankings have rows of `list` (a number),
    query, item and `rank` from 0 on: by rank where there is one, else by score, ties by item.
    """
    keys = [name for name in ("sheet", "run", "query") if name in rows]
    rows = rows.assign(list=rows.groupby(keys, sort=False).ngroup())
    lists = rows.drop_duplicates("list").reset_index(drop=True)
    empty = pd.Series(np.nan, rows.index)
    ranks, scores = rows.get("rank", empty), rows.get("score", empty)
    ranked = ranks.notna().groupby(rows["list"]).transform("any")
    rows = rows.assign(order=ranks.where(ranked, -scores))
    lost = rows["order"].isna()
    problems = row_problems(rows, lost, Problem("no-rank", "row", "the row has no rank"))
    rows = rows[~lost].sort_values(["list", "order", "item"], kind="stable")
    again = rows.duplicated(["list", "item"])
    message = "the item occurs twice in this ranking; its first place counts"
    problems += row_problems(rows, again, Problem("repeated-item", "note", message))
    rows = rows[~again]
    rankings = rows.assign(rank=rows.groupby("list").cumcount())
    return rankings[["list", "query", "item", "rank"]], lists, problems


def _item_vectors(
    items: pd.DataFrame | None, judgments: j.Judgments, distance: str
) -> d.ItemVectors | None:
    """Return what items are compared by; None where it is the subtopics they are relevant to."""
    members = j.item_subtopics(items)
    if distance in ("auto", "subtopics") and len(members):
        return d.set_vectors(members, "subtopics of --items")
    if items is not None:
        if distance in ("auto", "features") and "feature" in items:
            return d.feature_vectors(items, "features of --items")
        if distance in ("auto", "text") and "text" in items:
            return d.text_vectors(items.drop_duplicates("item"), "texts of --items")
    if judgments.relative and distance in ("auto", "subtopics"):
        return None
    what = "subtopics, features or text" if distance == "auto" else distance
    message = f"there is nothing to measure: no judgments and no {what} of items"
    hint = "name judgments as REFERENCES, or a table of items\n--items FILE"
    if items is not None:
        columns = "items.subtopics=@header:Drama,War or items.feature=@header:sweet,salty"
        hint = f"name the columns of --items, as in --column {columns}"
    raise Refusal(Problem("missing", "skipped", message, hint=hint))


def _measures(
    judgments: j.Judgments, items: d.ItemVectors | None, options: DiversityOptions
) -> list[tuple[Function, int, Measure]]:
    """Return the functions with the place of a cut-off and the measure there, the headline first.

    The bounds of a measure at a cut-off are those that its intervals need.
    """
    functions: tuple[Function, ...] = MEASURES
    if not judgments.relative:
        functions = (*DISTANCES, *SUBTOPICS) if judgments.queries else DISTANCES
    cutoffs = ranks_of(options.cutoffs)
    apart = 2.0 if items and (items.vectors.data < 0).any() else 1.0  # features can be opposite
    most = max((len(query.subtopics) for query in judgments.queries.values()), default=1)
    ndeval = options.definition == "ndeval"
    by = dict.fromkeys(DISTANCES, f" Items are compared by {items.named if items else JUDGED}.")
    found = []
    for at, k in enumerate(cutoffs):
        discounts = float((1 / np.log2(np.arange(2, k + 2))).sum())
        bounds: dict[Function, tuple[float, float] | None] = {
            m.alpha_ndcg: None if ndeval else (0, 1),  # its greedy ideal can be beaten
            m.alpha_dcg: (0, 1 if ndeval else discounts),
            m.subtopic_entropy: (0, math.log(max(2, most))),
            d.intra_list_distance: (0, apart),
            d.expected_distance: (0, apart * max(1, k * (k - 1))),
            d.normalized_expected_distance: (0, apart),
        }
        for function in functions:
            declared = measure_of(function)
            measure = replace(declared, name=f"{declared.name}@{k}", label=f"{declared.label}@{k}")
            text = declared.sentence.replace("first k", f"first {k}") + by.get(function, "")
            limits = bounds.get(function, declared.bounds)
            found.append((function, at, replace(measure, sentence=text, bounds=limits)))
    first = found[(cutoffs.index(10) if 10 in cutoffs else len(cutoffs) - 1) * len(functions)]
    return [first, *(entry for entry in found if entry is not first)]


def _with_unanswered(
    lists: pd.DataFrame, judgments: j.Judgments, options: DiversityOptions
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the lists with those of judged queries that a run lacks, which are empty."""
    if not judgments.relative:
        return lists.assign(Problem=""), []
    judged = pd.DataFrame({"query": list(judgments.queries)}, dtype=object)
    lists = lists.assign(Problem=np.where(lists["query"].isin(judged["query"]), "", UNJUDGED))
    keys = [name for name in ("run", "query") if name in lists]
    judged = lists[["sheet", *keys[:-1]]].drop_duplicates().merge(judged, how="cross")
    # a query that one of the run's sheets has is not missing in the others
    answered = pd.MultiIndex.from_frame(judged[keys]).isin(pd.MultiIndex.from_frame(lists[keys]))
    missing = judged[~answered].assign(row=0, Problem=UNANSWERED)
    if missing.empty:
        return lists, []
    if "cluster" in lists:
        missing["cluster"] = missing["query"]
    zero = options.unanswered == "zero" and options.definition == "printed"
    counted = "count as 0" if zero else "are left out"
    message = f"judged queries without a ranking {counted}: {_named(missing['query'])}"
    problems = [Problem("unanswered", "note", message, file=lists["file"].iloc[0])]
    return (pd.concat([lists, missing], ignore_index=True) if zero else lists), problems


def _named(names: pd.Series) -> str:
    """Return how many different names there are, and the first of them.

    >>> _named(pd.Series(["a", "b", "a", "c", "d"]))
    '4 (a, b, c, …)'
    """
    unique = names.unique()
    return f"{len(unique)} ({', '.join(unique[:3])}{', …' if len(unique) > 3 else ''})"


def _measure(
    ranking: Sequence[str],
    name: str,
    judgments: j.Judgments,
    items: d.ItemVectors | None,
    options: DiversityOptions,
) -> tuple[Values, list[list[Any]]]:
    """Return the measures of a ranking at each cut-off, and what each of its ranks adds."""
    at = np.array(ranks_of(options.cutoffs)) - 1
    shown = [*ranking[: at[-1] + 1], *[""] * (at[-1] + 1 - len(ranking))]
    query = judgments.query(name)
    nothing = np.zeros(len(query.subtopics))
    relevance = np.array([query.relevance.get(item, nothing) for item in shown])
    found, steps = _cover(shown, relevance, query, options) if len(nothing) else ({}, [])
    chance = relevance.max(axis=1) if judgments.relative else np.ones(len(shown))
    if items is None:
        vectors = np.where(chance[:, None] > 0, relevance > 0, np.nan)
    else:
        codes = items.index.get_indexer(pd.Index(shown))
        vectors = np.full((len(shown), items.vectors.shape[1]), np.nan)
        vectors[codes >= 0] = items.vectors[codes[codes >= 0]].toarray()
    apart = d.pair_distances(vectors, sets=items is None or items.sets)
    found[d.intra_list_distance] = d.intra_list_distance(apart)
    found |= {function: function(apart, chance) for function in DISTANCES[1:]}
    return {function: values[at] for function, values in found.items()}, steps


@lru_cache(maxsize=10_000)  # models share their judgments, or all queries the same genres
def _ideal_dcg(query: j.Query, ranks: int, options: DiversityOptions) -> Floats:
    """Return the α-DCG of the ideal ranking of a query."""
    names = sorted(query.relevance, reverse=options.definition == "ndeval")  # of equal gains
    pool = np.array([query.relevance[name] for name in names])
    pool = pool[pool.any(axis=1)] if options.graded else (pool[pool.any(axis=1)] > 0).astype(float)
    ideal = m.ideal_ranking(pool, ranks, alpha=options.alpha)
    return m.alpha_dcg(ideal, alpha=options.alpha, definition=options.definition)


def _cover(
    shown: Sequence[str], relevance: Floats, query: j.Query, options: DiversityOptions
) -> tuple[Values, list[list[Any]]]:
    """Return the measures of subtopics at each rank, and what each rank adds."""
    defined: dict[str, Any] = {"alpha": options.alpha, "definition": options.definition}
    relevant = relevance > 0
    counts = np.cumsum(relevant, axis=0)
    graded = relevance if options.graded else relevant.astype(float)
    own, ideal = m.alpha_dcg(graded, **defined), _ideal_dcg(query, len(shown), options)
    judged = np.cumsum([item in query.relevance for item in shown])
    found: Values = {
        **{f: f(counts) for f in SUBTOPICS[:-1]},
        m.proportionality: m.proportionality(counts, query.target),
        m.alpha_dcg: own,
        m.alpha_ndcg: m.alpha_ndcg(own, ideal, definition=options.definition),
        m.err_ia: m.err_ia(relevance, query.weights, **defined),
        m.judged_share: m.judged_share(judged, np.cumsum([item != "" for item in shown])),
    }
    new = (relevant & (counts == 1)).sum(axis=1)
    gains = m.subtopic_gains(graded, options.alpha).sum(axis=1)
    names = [", ".join(np.array(query.subtopics)[row]) for row in relevant]
    columns = (shown, names, new.tolist(), gains.tolist(), found[m.subtopic_recall].tolist())
    steps = [[rank, *step] for rank, step in enumerate(zip(*columns, strict=True), 1)]
    return found, [step for step in steps if step[1]]
