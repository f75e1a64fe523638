"""What diversity reads: rankings, perhaps with judgments beside them; judgments; weights, shares and features."""

from typing import Final

from scoresheet.metrics.families.diversity.constants import BY_TEXT, UNWRITTEN_GRADE
from scoresheet.metrics.messages import flag
from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

_QUERY_ALIASES: Final = ("topic", "qid", "query_id")
_ITEM_ALIASES: Final = ("doc", "document", "docno", "item_id", "doc_id")
_QUERY_FALLBACKS: Final = ("user", "user_id")  # a recommender's query is who it is for; userId is found by it too
_ITEM_FALLBACKS: Final = ("movie_id",)
_GRADE_ALIASES: Final = ("grade", "rel")
_TEXT: Final = f"Its text, for {flag(f'distance {BY_TEXT}')}."

QUERY: Final = InputColumn("query", "The query.", "label", _QUERY_ALIASES, both_sides=True, fallbacks=_QUERY_FALLBACKS)
ITEM: Final = InputColumn("item", "The item.", "label", _ITEM_ALIASES, both_sides=True, fallbacks=_ITEM_FALLBACKS)
RANK: Final = InputColumn("rank", "Its rank, 1 on top.", "label", ("position",), required=False)
SCORE: Final = InputColumn(
    "score",
    "Its score, used where there is no rank.",
    "label",
    required=False,
    fallbacks=("predicted_rating", "prediction", "rating"),
)
SUBTOPICS: Final = InputColumn(
    "subtopics", "Subtopics it is relevant to, joined by | or a list, in line.", "text", required=False, lists=True
)
RELEVANCE: Final = InputColumn(
    "relevance",
    f"Its grade for these subtopics; empty: {UNWRITTEN_GRADE:g}.",
    "label",
    _GRADE_ALIASES,
    required=False,
    both_sides=True,
)
TEXT: Final = InputColumn("text", _TEXT, "text", required=False, both_sides=True)
GENRES: Final = InputColumn(
    "genres",
    "What kinds of thing it is, joined by | or a list: what items are compared by where nobody judged them.",
    "text",
    ("genre",),
    required=False,
    both_sides=True,
    lists=True,
)
TREC_RANK: Final = InputColumn(
    "trec_rank", "The rank field of a TREC run file, which does not order it.", "label", required=False
)
JUDGED_QUERY: Final = InputColumn("query", "The query.", "key", _QUERY_ALIASES, fallbacks=_QUERY_FALLBACKS)
SUBTOPIC: Final = InputColumn("subtopic", "The subtopic, aspect or intent.", "label", ("intent", "aspect"))
GRADE: Final = InputColumn(
    "relevance",
    f"The grade; above 0 is relevant. Without the column: {UNWRITTEN_GRADE:g}.",
    "label",
    _GRADE_ALIASES,
    required=False,
)
TREC_QRELS: Final = InputColumn(
    "trec_qrels", "Filled where the judgments come from a TREC file.", "label", required=False
)
WEIGHTED_QUERY: Final = InputColumn(
    "query",
    "The query; empty: all queries.",
    "label",
    _QUERY_ALIASES,
    required=False,
    both_sides=True,
    fallbacks=_QUERY_FALLBACKS,
)
SHARE: Final = InputColumn("share", "Its share.", "label", ("weight", "target"))
WEIGHT: Final = InputColumn("weight", "Its probability.", "label", ("probability", "share"))
DESCRIBED_ITEM: Final = InputColumn(
    "item",
    "The item; every other column with numbers is a feature.",
    "key",
    _ITEM_ALIASES,
    fallbacks=_ITEM_FALLBACKS,
)
DESCRIBED_GENRES: Final = InputColumn(
    "genres",
    "What kinds of thing the item is, joined by | or a list. Over the whole table they are what rankings can cover "
    "where nobody judged.",
    "text",
    (*GENRES.aliases, "subtopics"),
    required=False,
    both_sides=True,
    lists=True,
)

_RANKINGS: Final = TableSchema(
    (QUERY, ITEM, RANK, SCORE, SUBTOPICS, RELEVANCE, TEXT, GENRES, TREC_RANK), identity=(QUERY.name, ITEM.name)
)
_JUDGMENTS: Final = TableSchema((JUDGED_QUERY, SUBTOPIC, ITEM, GRADE, TREC_QRELS))
SCHEMA: Final = Schema(
    outputs=_RANKINGS,
    references=_JUDGMENTS,
    references_required=False,
    tables={
        "targets": TableSchema((WEIGHTED_QUERY, SUBTOPIC, SHARE)),
        "intents": TableSchema((WEIGHTED_QUERY, SUBTOPIC, WEIGHT)),
        "features": TableSchema((DESCRIBED_ITEM, TEXT, DESCRIBED_GENRES), keeps_others=True),
    },
    reads_trec=True,
)

# what keys, ranks and grades are called; a number under such a name says nothing of what an item is like
NO_FEATURES: Final = frozenset(
    name
    for column in (*_RANKINGS.columns, *_JUDGMENTS.columns)
    for name in (column.name, *column.aliases, *(column.fallbacks if column is not SCORE else ()))
)
