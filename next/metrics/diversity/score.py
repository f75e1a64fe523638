"""Scoring of rankings: every measure for every query, at every cut-off."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.diversity import DiversityOptions, ranks_of
from scoresheet.metrics.diversity import distances as d
from scoresheet.metrics.diversity import measures as m
from scoresheet.metrics.diversity.judgments import (
    Arrays,
    Judgments,
    arrays_of,
    filled,
    item_subtopics,
    read_judgments,
    survey,
)
from scoresheet.metrics.diversity.measures import Floats
from scoresheet.metrics.family import Scores, Tables, carried_along
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, Refusal, row_problems

Function: TypeAlias = Callable[..., Any]

INTENT_AWARE = (m.alpha_ndcg, m.err_ia, m.alpha_dcg)
SUBTOPICS = (
    *(m.subtopic_recall, m.subtopic_entropy, m.normalized_subtopic_entropy),
    *(m.subtopic_gini, m.proportionality),
)
DISTANCES = (d.intra_list_distance, d.expected_distance, d.normalized_expected_distance)
MEASURES = (*INTENT_AWARE, *SUBTOPICS, *DISTANCES, m.judged_share)

JUDGED = "judged subtopics"
UNJUDGED, UNANSWERED = "no judgments for this query", "no ranking: counts as 0"
MOST_RANKS = 20_000  # rows of the table Ranks
CELLS = 2**21  # of one array in memory


def score(tables: Tables, options: DiversityOptions) -> Scores:
    """Score the rankings of one model at every cut-off."""
    outputs = tables["outputs"].reset_index(drop=True)
    tables = {"survey": survey(outputs), **tables}
    cutoffs = ranks_of(options.cutoffs)
    rankings, lists, problems = order_rankings(outputs)
    judgments, notes = read_judgments(tables, lists["query"].unique().tolist())
    items = _item_vectors(tables.get("items"), judgments, options.distance)
    functions = _functions(judgments, items)
    lists, unanswered = _with_unanswered(lists, judgments, options)
    unjudged = lists["Problem"] == UNJUDGED
    problems += row_problems(lists, unjudged, Problem("no-judgments", "row", UNJUDGED))
    problems += [*notes, *unanswered]
    if items and len(lost := rankings.loc[~rankings["item"].isin(items.index), "item"]):
        message = f"items without {items.named} drop out of ILD and EILD: {_named(lost)}"
        problems.append(Problem("no-features", "note", message))
    shown = rankings[rankings["rank"] < max(cutoffs)]
    values = _measure(shown, lists["query"].to_numpy(object), judgments, items, options)
    units = pd.DataFrame({"Sheet": lists["sheet"], "Query": lists["query"]})
    measures = _measures_at(functions, options, judgments, items)
    for function, k, measure in measures:
        units[measure.name] = np.where(unjudged, np.nan, values[function][:, cutoffs.index(k)])
    units["Subtopics"] = _counts(judgments.subtopics["query"], lists["query"])
    units["Retrieved"] = _counts(rankings["list"], pd.Series(lists.index))
    units[["Row", "Problem"]] = lists[["row", "Problem"]]
    scored = units[units[measures[0][2].name].notna()]
    results: dict[str, Any] = {"Queries": len(scored.drop_duplicates(["Sheet", "Query"]))}
    if judgments.relative:
        judged = set(judgments.queries)
        results["Answered"] = len(judged & set(rankings["query"])) / max(1, len(judged))
    results |= _over_queries(shown, tables, judgments, cutoffs)
    results["Distance"] = items.named if items else JUDGED
    further = {}
    if len(judgments.subtopics):
        further["Ranks"] = _ranks_table(shown, lists, values, judgments)
    named = tuple(measure for _, _, measure in measures)
    units = units.assign(**carried_along(lists))
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


# --- what can be measured -------------------------------------------------------------------


def _item_vectors(
    items: pd.DataFrame | None, judgments: Judgments, distance: str
) -> d.ItemVectors | None:
    """Return what items are compared by; None where it is the subtopics they are relevant to."""
    members = item_subtopics(items)
    if distance in ("auto", "subtopics") and len(members):
        return d.set_vectors(members, "subtopics of --items")
    if items is not None:
        if distance in ("auto", "features") and "feature" in items:
            return d.feature_vectors(items, "features of --items")
        if distance in ("auto", "text") and "text" in items:
            texts = items.drop_duplicates("item")
            found = texts["item"].tolist(), texts["text"].tolist()
            return d.text_vectors(*found, "texts of --items")
    if judgments.relative and distance in ("auto", "subtopics"):
        return None
    what = "subtopics, features or text" if distance == "auto" else distance
    message = f"there is nothing to measure: no judgments and no {what} of items"
    hint = "name judgments as REFERENCES, or a table of items\n--items FILE"
    if items is not None:
        columns = "items.subtopics=@header:Drama,War or items.feature=@header:sweet,salty"
        hint = f"name the columns of --items, as in --column {columns}"
    raise Refusal(Problem("missing", "skipped", message, hint=hint))


def _functions(judgments: Judgments, items: d.ItemVectors | None) -> tuple[Function, ...]:
    """Return the functions whose measures can be computed, the headline first."""
    if judgments.relative:
        return MEASURES
    has_subtopics = items is not None and len(judgments.judged) > 0
    return (*DISTANCES, *SUBTOPICS) if has_subtopics else DISTANCES


def _measures_at(
    functions: Sequence[Function],
    options: DiversityOptions,
    judgments: Judgments,
    items: d.ItemVectors | None,
) -> list[tuple[Function, int, Measure]]:
    """Return the measures with their function and cut-off, the headline first."""
    cutoffs, apart = ranks_of(options.cutoffs), items.largest if items else 1.0
    named = items.named if items else JUDGED
    sizes = judgments.subtopics["query"].value_counts()
    found = []
    for k in cutoffs:
        bounds: dict[Function, tuple[float, float] | None] = {
            m.alpha_dcg: (0, float((1 / np.log2(np.arange(2, k + 2))).sum())),
            m.subtopic_entropy: (0, math.log(max(2, sizes.max()))) if len(sizes) else None,
            d.intra_list_distance: (0, apart),
            d.expected_distance: (0, apart * max(1, k * (k - 1))),
            d.normalized_expected_distance: (0, apart),
        }
        if options.definition == "ndeval":  # its greedy ideal can be beaten
            bounds |= {m.alpha_ndcg: None, m.alpha_dcg: (0, 1)}
        for function in functions:
            measure = m.measure_at(function, k, bounds)
            if function in DISTANCES:
                sentence = f"{measure.sentence} Items are compared by {named}."
                measure = replace(measure, sentence=sentence)
            found.append((function, k, measure))
    at = cutoffs.index(10) if 10 in cutoffs else -1
    first = found[(at % len(cutoffs)) * len(functions)]
    return [first, *(entry for entry in found if entry is not first)]


# --- queries ---------------------------------------------------------------------------------


def _with_unanswered(
    lists: pd.DataFrame, judgments: Judgments, options: DiversityOptions
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the lists with those of judged queries that a run lacks, which are empty."""
    if not judgments.relative:
        return lists.assign(Problem=""), []
    has_judgments = lists["query"].isin(judgments.subtopics["query"])
    lists = lists.assign(Problem=np.where(has_judgments, "", UNJUDGED))
    keys = [name for name in ("run", "query") if name in lists]
    places = lists[["sheet", *keys[:-1]]].drop_duplicates()
    judged = places.merge(pd.DataFrame({"query": judgments.queries}), how="cross")
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


def _counts(values: pd.Series, of: pd.Series) -> list[int]:
    return [int(count) for count in of.map(values.value_counts()).fillna(0)]


# --- numbers ---------------------------------------------------------------------------------


def _measure(
    shown: pd.DataFrame,
    queries: NDArray[np.object_],
    judgments: Judgments,
    items: d.ItemVectors | None,
    options: DiversityOptions,
) -> dict[Any, Floats]:
    """Return the values of each function, list × cut-off, and of each step, list × rank.

    Queries are taken together as far as memory allows.
    """
    reverse = options.definition == "ndeval"
    at = [k - 1 for k in ranks_of(options.cutoffs)]
    ranks = at[-1] + 1
    width = int(judgments.subtopics["place"].max()) + 1 if len(judgments.subtopics) else 1
    depth = int(judgments.judged["query"].value_counts().max()) if judgments.relative else 1
    length = items.vectors.shape[1] if items else width
    step = max(1, CELLS // max(ranks * max(ranks, length), depth * width))
    order = pd.Series(queries).argsort(kind="stable").to_numpy()
    values: dict[Any, Floats] = {}
    for some in (order[start : start + step] for start in range(0, len(order) or 1, step)):
        rows = shown[shown["list"].isin(some)]
        rows = rows.assign(at=pd.Index(some).get_indexer(pd.Index(rows["list"])))
        arrays = arrays_of(rows, queries[some], judgments, ranks, reverse=reverse)
        found = _values(arrays, options, filled(arrays.judged.shape, rows[["at", "rank"]], 1))
        found |= _distances(arrays, rows, items, at, relative=judgments.relative)
        for key, part in found.items():
            values.setdefault(key, np.full((len(queries), part.shape[1]), np.nan))[some] = part
    return values


def _values(arrays: Arrays, options: DiversityOptions, shown: Floats) -> dict[Any, Floats]:
    """Return the measures of subtopics, list × cut-off, and what each rank adds, list × rank."""
    at = [k - 1 for k in ranks_of(options.cutoffs)]
    defined: dict[str, Any] = {"alpha": options.alpha, "definition": options.definition}
    relevance, pool, sizes = arrays.relevance, arrays.pool, arrays.sizes[:, None]
    so_far = np.cumsum(relevance > 0, axis=1)
    counts = so_far[:, at]
    err_ia = m.err_ia(relevance, arrays.weights, **defined)
    if not options.graded:
        relevance, pool = (relevance > 0).astype(float), (pool > 0).astype(float)
    ideal = m.ideal_ranking(pool, relevance.shape[1], alpha=options.alpha)
    own, best = (m.alpha_dcg(found, arrays.sizes, **defined) for found in (relevance, ideal))
    judged = m.judged_share(np.cumsum(arrays.judged, axis=1), np.cumsum(shown, axis=1))
    return {
        m.subtopic_recall: m.subtopic_recall(counts, sizes),
        m.subtopic_entropy: m.subtopic_entropy(counts),
        m.normalized_subtopic_entropy: m.normalized_subtopic_entropy(counts, sizes),
        m.subtopic_gini: m.subtopic_gini(counts, sizes),
        m.proportionality: m.proportionality(counts, arrays.target[:, None]),
        m.alpha_dcg: own[:, at],
        m.alpha_ndcg: m.alpha_ndcg(own, best, definition=options.definition)[:, at],
        m.err_ia: err_ia[:, at],
        m.judged_share: judged[:, at],
        "New": ((relevance > 0) & (so_far == 1)).sum(axis=-1),
        "Gain": m.subtopic_gains(relevance, options.alpha).sum(axis=-1),
        "Covered": m.subtopic_recall(so_far, sizes),
    }


def _distances(
    arrays: Arrays,
    rows: pd.DataFrame,
    items: d.ItemVectors | None,
    at: list[int],
    *,
    relative: bool,
) -> dict[Any, Floats]:
    """Return how different the items are, list × cut-off; without `items` by their subtopics."""
    chance = arrays.relevance.max(axis=-1)
    if items is None:
        vectors = np.where(chance[..., None] > 0, arrays.relevance > 0, np.nan)
    else:
        codes = items.index.get_indexer(pd.Index(rows["item"]))
        places = rows[codes >= 0]
        vectors = np.full((*chance.shape, items.vectors.shape[1]), np.nan)
        vectors[places["at"], places["rank"]] = items.vectors[codes[codes >= 0]].toarray()
    apart = d.pair_distances(vectors, sets=items is None or items.sets)
    if not relative:  # nothing says how relevant an item is
        chance = np.ones(chance.shape)
    return {
        d.intra_list_distance: d.intra_list_distance(apart)[:, at],
        **{function: function(apart, chance)[:, at] for function in DISTANCES[1:]},
    }


def _over_queries(
    shown: pd.DataFrame, tables: Tables, judgments: Judgments, cutoffs: Sequence[int]
) -> dict[str, float]:
    """Return how many of the known items are shown, and how evenly, at each cut-off."""
    sources = [tables["survey"]["item"], judgments.judged["item"]]
    sources += [tables["items"]["item"]] if "items" in tables else []
    known = pd.concat(sources).unique()
    found = {}
    for k in cutoffs:
        often = shown.loc[shown["rank"] < k, "item"].value_counts().reindex(known, fill_value=0)
        found[f"Item_Coverage@{k}"] = float(m.subtopic_recall(often))
        found[f"Item_Gini@{k}"] = float(m.subtopic_gini(often))
    return found


def _ranks_table(
    shown: pd.DataFrame, lists: pd.DataFrame, values: dict[Any, Floats], judgments: Judgments
) -> pd.DataFrame:
    """Return a row per query and rank: the item, its subtopics and what it adds."""
    rows = shown.sort_values(["list", "rank"]).head(MOST_RANKS)
    named = judgments.judged[judgments.judged["relevant"]]
    named = rows[["list", "query", "item"]].merge(named, on=judgments.keys)
    subtopics = named.groupby(["list", "item"])["subtopic"].agg(", ".join).rename("Subtopics")
    at = rows["list"].to_numpy(), rows["rank"].to_numpy()
    table = pd.DataFrame(
        {
            "Query": rows["query"],
            "Sheet": lists["sheet"].to_numpy()[at[0]],
            "Rank": rows["rank"] + 1,
            "Item": rows["item"],
            "Subtopics": rows.join(subtopics, on=["list", "item"])["Subtopics"].fillna(""),
            "New": values["New"][at].astype(int),
            **{name: values[name][at] for name in ("Gain", "Covered")},
        }
    )
    return table.reset_index(drop=True)
