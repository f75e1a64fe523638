"""diversity: how many sides of a query a ranking covers."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from scoresheet.metrics import Command, option
from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, grouped, one_value
from scoresheet.metrics.role import DOC, MODEL, Role, Table, outputs


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
        "", "Table of query, subtopic, target share and weight.", metavar="FILE", table="weights"
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


QUERY = Role("query", words=("query_id", "qid", "topic", "user", "user_id"), needed=True)
ITEM = Role("item", words=DOC, needed=True)
SUBTOPIC = Role("subtopic", words=("intent",), needed=True)
SUBTOPICS = Role("subtopics", words=("genres",), lists="cell")
VALUE, TARGET, WEIGHT = (Role(name, "number") for name in ("value", "target", "weight"))


def one_subtopic(columns: Columns, unused: Unused, further: Further) -> Doubt | None:
    """Return the only subtopic of a table."""
    subtopics = [value for cell in columns.get("subtopics", ()) for value in cell]
    cells = {"row": subtopics, "subtopic": subtopics} if subtopics else columns
    return one_value(cells, unused, further, role="subtopic")


def uneven_features(columns: Columns, _: Unused, __: Further) -> Doubt | None:
    """Return the feature that outweighs the others a hundredfold."""
    if "feature" not in columns or not columns.get("value"):
        return None
    values = [0 if math.isnan(value) else abs(value) for value in columns["value"]]
    groups = grouped(columns, "feature")
    sizes = {name: sum(values[at] for at in rows) / len(rows) for (name,), rows in groups.items()}
    first, *others = sorted(sizes, key=lambda name: -sizes[name])
    if not others or sizes[first] <= 100 * sizes[others[0]]:
        return None
    message = f"feature {first} outweighs the others a hundredfold"
    return Doubt("uneven-features", message, "leave it out, or accept it")


TABLES = (
    outputs(
        (
            *(Role("model", words=MODEL), Role("sheet"), QUERY, replace(ITEM, lists="rows")),
            *(Role("rank", "number", ("position",)), Role("score", "number", ("rating",))),
            *(SUBTOPICS, Role("relevance", "number", ("rel",))),
        ),
        cells=("item", ("rank", "score")),
        unique=(("query", "item"), ("query", "rank")),
        one_of=(("rank", "score"),),
        numbered="rank",
        checks=(one_subtopic,),
    ),
    Table(
        "references",
        (QUERY, SUBTOPIC, ITEM, Role("relevance", "number", ("rel", "grade"), needed=True)),
        unique=(("query", "subtopic", "item"),),
        key="query",
        checks=(one_subtopic,),
    ),
    Table(
        "items",
        (ITEM, SUBTOPICS, Role("text", "text"), Role("feature", open=True), VALUE),
        cells=("value",),
        unique=(("item", "feature"),),
        checks=(uneven_features,),
    ),
    Table(
        "weights",
        (replace(QUERY, needed=False), SUBTOPIC, TARGET, WEIGHT),
        unique=(("query", "subtopic"),),
    ),
)
