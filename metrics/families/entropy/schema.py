"""What entropy reads: texts, perhaps with an id."""

from typing import Final

from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

TEXT: Final = InputColumn(
    "text", "The text.", "text", ("response", "prediction", "output", "answer", "completion", "generation")
)
ID: Final = InputColumn(
    "id",
    "What the text is, or answers; by it the texts of two models are paired.",
    "label",
    ("item", "item_id", "prompt_id", "prompt", "question"),
    required=False,
)

SCHEMA: Final = Schema(outputs=TableSchema((TEXT, ID)))
