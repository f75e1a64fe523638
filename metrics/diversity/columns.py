"""The columns of the diversity reports: each measure at each cut-off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from scoresheet.metrics.core import Column

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
    Column("EILD_Norm", "Rank-discounted, relevance-aware mean distance, which does not.", "score", better="higher"),
)
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
