"""The columns of the diversity reports: each measure at each cut-off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.core import Column
from scoresheet.metrics.families.diversity.distances import DISCOUNT

if TYPE_CHECKING:
    from scoresheet.metrics.families.diversity.options import DiversityOptions

ITEMS: Final = ("doc", "document", "docno", "item_id", "doc_id")
QUERIES: Final = ("topic", "qid", "query_id")
GRADES: Final = ("grade", "rel")
SUBTOPICS: Final = ("intent", "aspect")
# what keys, places and grades are called; a number under such a name says nothing of what an item is like
INPUT_NAMES: Final = (
    *("query", *QUERIES, "item", *ITEMS, "subtopic", "subtopics", *SUBTOPICS),
    *("rank", "position", "trec_rank", "score", "relevance", *GRADES, "text"),
)

MEASURES: Final = (
    Column("S_Recall", "Share of the query's subtopics that the first k items cover.", "score", better="higher"),
    Column("S_Entropy", "Entropy of the items' subtopics, natural logarithm unless --log-base says another.", "score"),
    Column("S_Entropy_Norm", "Entropy as a share of its maximum: 1 all subtopics alike.", "score", better="higher"),
    Column("Gini", "Inequality among all subtopics, uncovered ones included: 0 all alike.", "score", better="lower"),
    Column("Proportionality", "1 less the total variation distance from the target shares.", "score", better="higher"),
    Column("alpha_DCG", "α-DCG divided by the number of subtopics.", "score"),
    Column("alpha_nDCG", "α-DCG as a share of that of the ideal ranking.", "score", better="higher"),
    Column("ERR_IA", "Expected reciprocal rank, intent-aware.", "score", better="higher"),
    Column("ILD", "Mean distance between two of the first k items.", "score", better="higher"),
    Column("EILD", "Σ P(i)·P(j)·d(i,j) as printed: grows with k.", "score"),
    Column(
        "EILD_Norm",
        f"Rank-discounted ({DISCOUNT} a rank), relevance-aware mean distance, which does not.",
        "score",
        better="higher",
    ),
)
_NDEVAL: Final = {  # what differs under --definition ndeval
    "alpha_DCG": "α-DCG as a share of that of a list whose every item is on every subtopic, as ndeval has it.",
    "alpha_nDCG": "α-DCG as a share, which can exceed 1, of that of ndeval's greedy ideal.",
    "ERR_IA": "Expected reciprocal rank, intent-aware, as a share of that of a list whose every item is on every "
    "subtopic, as ndeval has it.",
    "Subtopics": "Subtopics of the query with a relevant item.",
}
LOW: Final = Column("CI_Low", "Lower end of the 95 % bootstrap interval of the headline over queries.", "score")
HIGH: Final = Column("CI_High", "Upper end of the 95 % bootstrap interval of the headline over queries.", "score")
QUERY: Final = (
    Column("Sheet", "The input sheet.", "key"),
    Column("Query", "The query.", "key"),
    Column("Subtopics", "Subtopics of the query: with a relevant item, or named by --intents or --targets.", "count"),
    Column("Retrieved", "Items in the ranking, each once.", "count"),
)
IDEAL: Final = Column(
    "Ideal",
    "How the ideal of α-nDCG was found: exact; or greedy, with a bound: at least this share of the best possible.",
    "label",
)


def at_cutoffs(cutoffs: Iterable[int | str], columns: Iterable[Column] = MEASURES) -> tuple[Column, ...]:
    """Return the measures at each cut-off, cut-off by cut-off."""
    listed = list(columns)
    return tuple(
        replace(column, name=f"{column.name}@{k}", about=f"{column.about[:-1]}, at rank {k}.")
        for k in cutoffs
        for column in listed
    )


def defined_by(definition: str, columns: Iterable[Column]) -> tuple[Column, ...]:
    """Return the columns with what they mean by a definition."""
    others = _NDEVAL if definition == "ndeval" else {}
    return tuple(replace(column, about=others.get(column.name, column.about)) for column in columns)


def measured_at(options: DiversityOptions) -> tuple[Column, ...]:
    """Return the measures of a run at each of its cut-offs."""
    return at_cutoffs(options.ranks(), defined_by(options.definition, MEASURES))
