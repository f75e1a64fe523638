"""Which items are relevant to which subtopics of a query."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from scoresheet.metrics.diversity.measures import Floats, mapped_grades, ratio
from scoresheet.metrics.family import Tables
from scoresheet.metrics.problem import Problem, Refusal

TRIPLE = ["query", "subtopic", "item"]
Row = tuple[str, str, float]  # item, subtopic, relevance


@dataclass(frozen=True, eq=False)
class Query:
    """The subtopics of a query with their weights and target shares.

    `relevance` (0..1) of each judged item is to each subtopic.
    """

    subtopics: Sequence[str]
    weights: Floats
    target: Floats
    relevance: Mapping[str, Floats]

    def pool(self, *, reverse: bool) -> Floats:
        """Return the relevant items by name, item × subtopic, or in the reverse order."""
        rows = np.array([self.relevance[name] for name in sorted(self.relevance, reverse=reverse)])
        return rows[rows.any(axis=1)]


@dataclass(frozen=True)
class Judgments:
    """What is judged for each query that has something to cover.

    Where items have the same subtopics for all queries, such as genres, that is something to
    cover and no judgment of relevance: `relative` is False. `items` are all that are known.
    """

    queries: Mapping[str, Query] = field(default_factory=dict)
    relative: bool = False
    items: frozenset[str] = frozenset()


def read_judgments(tables: Tables, queries: Iterable[str]) -> tuple[Judgments, list[Problem]]:
    """Return the judgments: those named, else the subtopics of rankings, else those of items."""
    survey, items = tables["survey"], tables.get("items")
    named, pooled = tables.get("references"), survey[survey["relevance"].notna()]
    known = frozenset(survey["item"].unique()).union([] if items is None else items["item"])
    weights = _weights_by_query(tables.get("weights"))
    if named is None and pooled.empty:
        members = [(*row, 1.0) for row in item_subtopics(items).itertuples(index=False, name=None)]
        if not members:
            return Judgments(items=known), []
        own = {query: _query(members, given) for query, given in {"": None, **weights}.items()}
        return Judgments({q: own.get(q, own[""]) for q in queries}, items=known), []
    judged, problems = _with_relevance(pooled if named is None else named)
    if named is not None and len(pooled):
        message = "the subtopics in the rankings are not used: REFERENCES has judgments"
        problems.append(Problem("two-judgments", "note", message))
    by_query = defaultdict[str, list[Row]](list)
    some = judged[judged.groupby("query")["relevance"].transform("max") > 0]
    columns = (some[name].tolist() for name in ("query", "item", "subtopic", "relevance"))
    for query, *row in zip(*columns, strict=True):
        by_query[query].append(tuple(row))
    found = {query: _query(r, weights.get(query, weights.get(""))) for query, r in by_query.items()}
    return Judgments(found, len(judged) > 0, known.union(judged["item"].unique())), problems


def item_subtopics(items: pd.DataFrame | None) -> pd.DataFrame:
    """Return a row per item and subtopic of the table of items."""
    if items is None or "subtopics" not in items:
        return pd.DataFrame({"item": [], "subtopic": []}, dtype=object)
    if "value" in items:  # a column for each subtopic, whose cells say which items belong to it
        items = items[items["value"] > 0]
    rows = items[["item", "subtopics"]].explode("subtopics").dropna().drop_duplicates()
    return rows.rename(columns={"subtopics": "subtopic"}).reset_index(drop=True)


def survey(outputs: pd.DataFrame) -> pd.DataFrame:
    """Return the items that one model shows, and what its rows say about their subtopics.

    Rows of query, item, subtopic and relevance; relevance is empty where a row judges nothing.
    """
    if "subtopics" not in outputs:
        items = outputs[["item"]].drop_duplicates()
        return items.assign(query="", subtopic="", relevance=np.nan)
    grades = outputs.get("relevance", 1.0)
    rows = outputs[["query", "item"]].assign(subtopic=outputs["subtopics"], relevance=grades)
    # an item with no subtopic is judged, and relevant to none
    return rows.explode("subtopic").fillna({"subtopic": ""}).drop_duplicates(ignore_index=True)


def _with_relevance(named: pd.DataFrame) -> tuple[pd.DataFrame, list[Problem]]:
    """Return judgments with grades mapped to 0..1, one per query, subtopic and item."""
    rows, problems = named[[*TRIPLE, "relevance"]], []
    empty, negative = rows["relevance"].isna(), rows["relevance"] < 0
    if empty.any():
        message = f"{int(empty.sum())} judgments have no grade and were left out"
        problems.append(Problem("no-grade", "note", message, column="relevance"))
    if negative.any():
        message = f"{int(negative.sum())} grades below 0 count as 0"
        problems.append(Problem("negative-grade", "note", message, column="relevance"))
    rows = rows[~empty]
    if rows.duplicated(TRIPLE).any():  # the largest of several grades
        rows = rows.sort_values("relevance", kind="stable").drop_duplicates(TRIPLE, keep="last")
        rows = rows.sort_index()
    relevant = (rows["relevance"] > 0) & (rows["subtopic"] != "")
    relevance = np.where(relevant, mapped_grades(rows["relevance"]), 0.0)
    return rows.assign(relevance=relevance), problems


def _query(rows: Sequence[Row], given: pd.DataFrame | None) -> Query:
    """Return a query with the subtopics that can be covered and those that have weights."""
    named = () if given is None else given["subtopic"]
    subtopics = sorted({*named, *(name for _, name, relevance in rows if relevance > 0)})
    place = {name: at for at, name in enumerate(subtopics)}
    row = {item: at for at, item in enumerate(dict.fromkeys(item for item, _, _ in rows))}
    matrix = np.zeros((len(row), len(subtopics)))
    for item, name, relevance in rows:
        if relevance > 0:
            matrix[row[item], place[name]] = relevance
    weight, target = (_shares(subtopics, given, column) for column in ("weight", "target"))
    return Query(subtopics, weight, target, dict(zip(row, matrix, strict=True)))


def _weights_by_query(weights: pd.DataFrame | None) -> dict[str, pd.DataFrame]:
    """Return the weights by query; those of "" are for all queries that have none of their own."""
    if weights is None:
        return {}
    for column in ("weight", "target"):
        if column in weights and (weights[column] < 0).any():
            message = f"{column}s must not be below 0, not {weights[column].min():g}"
            raise Refusal(Problem("weights", "skipped", message, column=column))
    named = weights if "query" in weights else weights.assign(query="")
    return {str(query): rows for query, rows in named.groupby("query")}


def _shares(subtopics: list[str], given: pd.DataFrame | None, column: str) -> Floats:
    """Return given weights as shares of their sum, NaN if that is 0; even ones if none is given."""
    if given is None or column not in given or given[column].isna().all():
        return np.full(len(subtopics), 1 / len(subtopics))
    values = given.set_index("subtopic")[column].reindex(subtopics).fillna(0.0)
    return ratio(values, values.sum())
