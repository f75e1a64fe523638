"""The command and the options of diversity."""

from dataclasses import dataclass
from typing import Literal

from scoresheet.metrics.command import Command, option


@dataclass(frozen=True)
class DiversityOptions:
    """How rankings are measured."""

    cutoffs: str = option("5,10,20", "Ranks at which everything is measured.", metavar="K,K,…")
    alpha: float = option(0.5, "Redundancy penalty of α-nDCG, from 0 to 1.", metavar="ALPHA")
    definition: Literal["printed", "ndeval"] = option(
        "printed", "Formulas as printed, or those of the TREC tool ndeval."
    )
    graded: bool = option(False, "α-nDCG also uses the grades, not only relevant or not.")
    distance: Literal["auto", "features", "subtopics", "text"] = option(
        "auto", "What ILD and EILD compare; auto takes what --items has."
    )
    items: str = option(
        "", "Table of items: subtopics or genres, features, text.", metavar="FILE", table="items"
    )
    weights: str = option(
        *("", "Table of query, subtopic, target share and weight."),
        metavar="FILE",
        table="weights",
    )
    unanswered: Literal["zero", "drop"] = option(
        "zero", "Count judged queries without a ranking as 0, or leave them out."
    )

    def __post_init__(self) -> None:
        ranks_of(self.cutoffs)
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"--alpha must lie between 0 and 1, not {self.alpha:g}")
        if self.definition == "ndeval" and (self.graded or self.weights):
            raise ValueError("ndeval knows no grades and no weights: leave out --definition ndeval")


def ranks_of(cutoffs: str) -> tuple[int, ...]:
    """Return the ranks of a list such as 5,10,20, in ascending order.

    >>> ranks_of("20,5, 10")
    (5, 10, 20)
    """
    ranks = [int(text) if text.strip().isdecimal() else 0 for text in cutoffs.split(",")]
    if not ranks or min(ranks) < 1:
        raise ValueError(f"cut-offs must be ranks such as 5,10,20, not {cutoffs!r}")
    return tuple(sorted(set(ranks)))


COMMAND = Command(
    "diversity",
    "Diversity of rankings: subtopics covered, α-nDCG, ERR-IA, distance between items.",
    DiversityOptions,
    {"outputs": "data/rankings", "references": "data/subtopics"},
    "results/diversity",
    ("rankings", "subtopics"),
)
