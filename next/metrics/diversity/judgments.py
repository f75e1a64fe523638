"""Which items are relevant to which subtopics of a query, and rankings next to it as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.diversity.measures import Floats, mapped_grades
from scoresheet.metrics.family import Tables
from scoresheet.metrics.problem import Problem, Refusal

TRIPLE = ["query", "subtopic", "item"]


@dataclass(frozen=True)
class Judgments:
    """Judged items, and the subtopics of queries with their weights and targets.

    `judged` has rows of query, item, subtopic, relevance (0..1) and whether it is `relevant`.
    `subtopics` has rows of query, subtopic, place (its number among the query's), weight and
    target. Where items have the same subtopics for all queries, such as genres, `judged` has no
    query: that is something to cover, and no judgment of relevance.
    """

    judged: pd.DataFrame
    subtopics: pd.DataFrame

    @property
    def keys(self) -> list[str]:
        """Return the columns that join `judged` with rankings."""
        return [name for name in ("query", "item") if name in self.judged]

    @property
    def relative(self) -> bool:
        """Return whether items were judged for queries."""
        return "query" in self.judged and len(self.judged) > 0

    @property
    def queries(self) -> list[str]:
        """Return the queries with at least one relevant item."""
        return list(self.judged.loc[self.judged["relevant"], "query"].unique())


def read_judgments(tables: Tables, queries: Sequence[str]) -> tuple[Judgments, list[Problem]]:
    """Return the judgments: those named, else the subtopics of rankings, else those of items."""
    problems = []
    survey, items, weights = tables["survey"], tables.get("items"), tables.get("weights")
    named, pooled = tables.get("references"), survey[survey["relevance"].notna()]
    if named is not None and len(pooled):
        message = "the subtopics in the rankings are not used: REFERENCES has judgments"
        problems.append(Problem("two-judgments", "note", message))
    members = item_subtopics(items)
    if named is None and not len(pooled) and len(members):
        judged = members.assign(relevance=1.0, relevant=True)
        asked = pd.DataFrame({"query": list(queries)}, dtype=object)
        everywhere = asked.merge(members[["subtopic"]].drop_duplicates(), how="cross")
        return Judgments(judged, _query_subtopics(everywhere, weights)), problems
    judged, more = _with_relevance(pooled if named is None else named)
    relevant = judged.loc[judged["relevant"], ["query", "subtopic"]].drop_duplicates()
    return Judgments(judged, _query_subtopics(relevant, weights, queries)), problems + more


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
    problems = []
    rows = named[[*TRIPLE, "relevance"]]
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
    return rows.assign(relevance=relevance, relevant=relevant), problems


def _query_subtopics(
    covered: pd.DataFrame, weights: pd.DataFrame | None, queries: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the subtopics of each query: those that can be covered and those in the weights."""
    known = list(dict.fromkeys([*queries, *covered["query"]]))
    given = None if weights is None else _weights_of(weights, known)
    rows = covered if given is None else pd.concat([covered, given[["query", "subtopic"]]])
    rows = rows.drop_duplicates().sort_values(["query", "subtopic"], ignore_index=True)
    rows["place"] = rows.groupby("query").cumcount()
    sizes = rows.groupby("query")["place"].transform("size")
    for column in ("weight", "target"):
        rows[column] = 1 / sizes
        if given is not None and column in given:
            rows[column] = _shares(rows, given, column)
    return rows


def _weights_of(weights: pd.DataFrame, known: Sequence[str]) -> pd.DataFrame:
    """Return the weights by query; rows without a query are for all that have none of their own."""
    for column in ("weight", "target"):
        if column in weights and (weights[column] < 0).any():
            message = f"{column}s must not be below 0, not {weights[column].min():g}"
            raise Refusal(Problem("weights", "skipped", message, column=column))
    if "query" not in weights:
        weights = weights.assign(query="")
    own = set(weights["query"])
    others = pd.DataFrame({"query": [query for query in known if query not in own]}, dtype=object)
    general = weights[weights["query"] == ""].drop(columns="query")
    return pd.concat([weights[weights["query"] != ""], others.merge(general, how="cross")])


def _shares(rows: pd.DataFrame, given: pd.DataFrame, column: str) -> pd.Series:
    """Return given weights as shares of their sum; queries that are not given keep even ones."""
    keys = ["query", "subtopic"]
    found = rows[keys].merge(given[[*keys, column]], how="left", on=keys)[column]
    sums = found.groupby(rows["query"]).transform("sum")
    some = found.notna().groupby(rows["query"]).transform("any")
    # weights that are all 0 leave the shares undefined
    return (found.fillna(0.0) / sums.where(sums > 0)).where(some, rows[column])


class Arrays(NamedTuple):
    """Some rankings next to each other; an empty place is 0.

    `relevance` (0..1) is list × rank × subtopic, `judged` list × rank, `pool` list × relevant item
    × subtopic, `sizes` the number of subtopics, `weights` and `target` list × subtopic.
    """

    relevance: Floats
    judged: Floats
    pool: Floats
    sizes: NDArray[np.integer]
    weights: Floats
    target: Floats


def arrays_of(
    rows: pd.DataFrame, queries: ArrayLike, judgments: Judgments, ranks: int, *, reverse: bool
) -> Arrays:
    """Return rankings with what was judged; `at` in rows is the place of their list.

    The items of the pool are in the order of their names, or in the reverse.
    """
    names, codes = np.unique(np.asarray(queries, object), return_inverse=True)
    own = judgments.subtopics[judgments.subtopics["query"].isin(names)]
    own = own.assign(code=pd.Index(names).get_indexer(pd.Index(own["query"])))
    width = max(1, int((own["place"] + 1).max())) if len(own) else 1
    found = rows.merge(judgments.judged, on=judgments.keys)
    relevant = found[found["relevant"]].merge(own[["query", "subtopic", "place"]])
    size, of_query = (len(codes), ranks), own[["code", "place"]]
    pool = np.zeros((len(names), 1, width))
    if judgments.relative:
        items = judgments.judged[judgments.judged["relevant"]]
        items = items.merge(own[["query", "subtopic", "place", "code"]])
        items = items.sort_values("item", ascending=not reverse)
        first = ~items.duplicated(["code", "item"])
        items["number"] = first.groupby(items["code"]).cumsum() - 1
        deep = int(items["number"].max()) + 1 if len(items) else 1
        at = items[["code", "number", "place"]]
        pool = filled((len(names), deep, width), at, items["relevance"])
    return Arrays(
        filled((*size, width), relevant[["at", "rank", "place"]], relevant["relevance"]),
        filled(size, found[["at", "rank"]], 1),
        pool[codes],
        np.bincount(own["code"], minlength=len(names))[codes],
        filled((len(names), width), of_query, own["weight"])[codes],
        filled((len(names), width), of_query, own["target"])[codes],
    )


def filled(shape: tuple[int, ...], places: pd.DataFrame, values: ArrayLike) -> Floats:
    """Return an array that has the values at these places, and 0 elsewhere."""
    array = np.zeros(shape)
    array[tuple(places[column].to_numpy(np.int64) for column in places)] = values
    return array
