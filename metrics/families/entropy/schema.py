"""What entropy reads: texts, perhaps with an id."""

from typing import Final

from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

TEXT: Final = InputColumn(
    "text",
    "The text: prose, code, JSON, markup, whatever the model wrote.",
    "text",
    ("response", "prediction", "output", "answer", "completion", "generation", "generated_text", "model_output"),
)
ID: Final = InputColumn(
    "id",
    "What the text is, or answers; by it the texts of two models are paired. Of several that could be it the first of "
    "these counts.",
    "label",
    required=False,
    fallbacks=("prompt_id", "item_id", "question_id", "item", "prompt", "question"),
)

SCHEMA: Final = Schema(outputs=TableSchema((TEXT, ID), identity=(ID.name,)))
