"""Which items are relevant to which subtopics of a query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.diversity.measures import Floats, mapped_grades, ratio
from scoresheet.metrics.family import Tables
from scoresheet.metrics.problem import Problem, Refusal

TRIPLE = ["query", "subtopic", "item"]


@dataclass(frozen=True, eq=False)
class Query:
    """The subtopics of a query with their weights and target shares.

    `relevance` (0..1) of each judged item is to each subtopic.
    """

    subtopics: Sequence[str]
    weights: Floats
    target: Floats
    relevance: Mapping[str, Floats]


NOTHING = Query((), np.empty(0), np.empty(0), {})  # is judged


@dataclass(frozen=True)
class Judgments:
    """What is judged for each query that has something to cover.

    Where items have the same subtopics for all queries, such as genres, that is something to
    cover and no judgment of relevance: `relative` is False, and the query "" is any without
    weights of its own. `items` are all that are known.
    """

    queries: Mapping[str, Query]
    relative: bool
    items: frozenset[str]

    def query(self, name: str) -> Query:
        """Return what is judged for a query."""
        return self.queries.get(name) or self.queries.get("", NOTHING)


@dataclass(frozen=True, eq=False)
class _Same:
    """A table as the key of a cache: equal to no other."""

    table: Any

    def __hash__(self) -> int:
        return id(self.table)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.table is other.table


def read_judgments(tables: Tables) -> tuple[Judgments, list[Problem]]:
    """Return the judgments: those named, else the subtopics of rankings, else those of items."""
    names = ("survey", "items", "references", "weights")
    return _read_once(*(_Same(tables.get(name)) for name in names))


@lru_cache(maxsize=1)  # the models share their judgments
def _read_once(*tables: _Same) -> tuple[Judgments, list[Problem]]:
    survey, items, named, shares = (same.table for same in tables)
    pooled = survey[survey["relevance"].notna()]
    known = frozenset(survey["item"].unique()).union([] if items is None else items["item"])
    weights = _weights_by_query(shares)
    if named is None and pooled.empty:
        members = item_subtopics(items).assign(relevance=1.0).to_numpy().tolist()
        shared = {"": None, **weights} if members else {}
        own = {query: _query(members, given) for query, given in shared.items()}
        return Judgments(own, False, known), []
    judged, problems = _with_relevance(pooled if named is None else named)
    if named is not None and len(pooled):
        message = "the subtopics in the rankings are not used: REFERENCES has judgments"
        problems.append(Problem("two-judgments", "note", message))
    some = judged[judged.groupby("query")["relevance"].transform("max") > 0]
    found = {}
    for query, group in some.groupby("query", sort=False):
        rows = group[["item", "subtopic", "relevance"]].to_numpy().tolist()
        found[str(query)] = _query(rows, weights.get(str(query), weights.get("")))
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
    rows = rows[~empty].groupby(TRIPLE, sort=False, as_index=False).max()
    relevant = (rows["relevance"] > 0) & (rows["subtopic"] != "")
    relevance = np.where(relevant, mapped_grades(rows["relevance"]), 0.0)
    return rows.assign(relevance=relevance), problems


def _query(rows: list[list[Any]], given: pd.DataFrame | None) -> Query:
    """Return a query from rows of item, subtopic and relevance, and the weights given for it."""
    named = () if given is None else given["subtopic"]
    subtopics = sorted({*named, *(name for _, name, relevance in rows if relevance > 0)})
    place = {name: at for at, name in enumerate(subtopics)}
    found = {item: np.zeros(len(subtopics)) for item, _, _ in rows}
    for item, name, relevance in rows:
        if relevance > 0:
            found[item][place[name]] = relevance
    weight, target = (_shares(subtopics, given, column) for column in ("weight", "target"))
    return Query(subtopics, weight, target, found)


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
