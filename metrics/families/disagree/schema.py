"""What disagree reads: scores by item, judge and dimension, in three layouts, and a table of strategies."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.disagree.options import BUILT_IN_STRATEGIES
from scoresheet.metrics.messages import flag
from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

ITEM: Final = InputColumn(
    "item",
    "What was judged.",
    "label",
    ("item_id", "id", "question_id", "response_id"),
    fallbacks=("prompt_id", "sample_id", "example_id", "task_id", "qid", "sample", "question", "prompt"),
)
MODEL: Final = InputColumn(
    "model",
    "Whose answer was judged: an item under two models is two items.",
    "label",
    ("model_name",),
    required=False,
)
JUDGE: Final = InputColumn(
    "judge",
    "Who judged it.",
    "label",
    ("strategy", "rater", "annotator", "evaluator", "grader", "judge_name", "judge_model"),
    required=False,
    former_names=("strategy",),
)
DIMENSION: Final = InputColumn(
    "dimension", "In which respect; without the column there is one.", "label", ("criterion", "aspect"), required=False
)
SCORE: Final = InputColumn(
    "score",
    f"The score, or with {flag('level nominal')} the label.",
    "label",
    ("rating", "value", "label", "grade"),
    required=False,
    shared_without=JUDGE.name,  # in a column for each judge, two of these names are two judges
)
CONFIDENCE: Final = InputColumn("confidence", "How sure the judge is; empty: 1.", "label", required=False)
RELEVANCE: Final = InputColumn(
    "cultural_relevance", "How much the dimension matters; empty: 1.", "label", ("relevance",), required=False
)
FIRST: Final = InputColumn(
    "first",
    f"With {flag('level nominal')}, the label that stood first when the judge chose; for the order bias.",
    "label",
    ("order", "shown_first", "first_shown"),
    required=False,
)
INPUTS: Final = (ITEM, MODEL, JUDGE, DIMENSION, SCORE, CONFIDENCE, RELEVANCE, FIRST)

STRATEGY: Final = InputColumn(
    "strategy", "The strategy; other columns of numbers weigh the dimension they name.", "key", ("name",)
)
STRATEGY_PARAMETERS: Final = ("emphasis", "threshold", "bias")

SCHEMA: Final = Schema(
    outputs=TableSchema(
        INPUTS, keeps_others=True, identity=tuple(column.name for column in (ITEM, MODEL, JUDGE, DIMENSION))
    ),
    splits_models=False,  # its answers are what is judged
    groups_by_model=MODEL.name,
    tables={
        "strategies": TableSchema(
            (STRATEGY, *(InputColumn(name, f"Its {name}.", "label") for name in STRATEGY_PARAMETERS)),
            keeps_others=True,
            built_in=BUILT_IN_STRATEGIES,
        )
    },
)
