"""The tables that diversity reads."""

from scoresheet.metrics.role import DOC, MODEL, Role, Table, outputs

QUERY = Role("query", words=("query_id", "qid", "topic", "user", "user_id"), needed=True)
ITEM = Role("item", words=DOC, needed=True)
SUBTOPICS = Role("subtopics", words=("genres",), lists="cell")

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
        checks=("one-subtopic",),
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
        checks=("one-subtopic",),
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
        checks=("uneven-features",),
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
