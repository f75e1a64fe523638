"""The tables that diversity reads."""

import math

from scoresheet.metrics.checks import Columns, Doubt, Further, Unused, grouped, one_value
from scoresheet.metrics.role import DOC, MODEL, Role, Table, outputs

QUERY = Role("query", words=("query_id", "qid", "topic", "user", "user_id"), needed=True)
ITEM = Role("item", words=DOC, needed=True)
SUBTOPICS = Role("subtopics", words=("genres",), lists="cell")


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
            Role("model", words=MODEL),
            Role("sheet"),
            QUERY,
            Role("item", words=DOC, needed=True, lists="rows"),
            Role("rank", "number", ("position",)),
            Role("score", "number", ("rating",)),
            SUBTOPICS,
            Role("relevance", "number", ("rel",)),
        ),
        cells=("item", ("rank", "score")),
        unique=(("query", "item"), ("query", "rank")),
        one_of=(("rank", "score"),),
        numbered="rank",
        checks=(one_subtopic,),
    ),
    Table(
        "references",
        (
            QUERY,
            Role("subtopic", words=("intent",), needed=True),
            ITEM,
            Role("relevance", "number", ("rel", "grade"), needed=True),
        ),
        unique=(("query", "subtopic", "item"),),
        key="query",
        checks=(one_subtopic,),
    ),
    Table(
        "items",
        (
            ITEM,
            SUBTOPICS,
            Role("text", "text"),
            Role("feature", open=True),
            Role("value", "number"),
        ),
        cells=("value",),
        unique=(("item", "feature"),),
        checks=(uneven_features,),
    ),
    Table(
        "weights",
        (
            Role("query", words=QUERY.words),
            Role("subtopic", words=("intent",), needed=True),
            Role("target", "number"),
            Role("weight", "number"),
        ),
        unique=(("query", "subtopic"),),
    ),
)
