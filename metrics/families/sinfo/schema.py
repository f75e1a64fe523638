"""What sinfo reads: predictions by idiom, and reference explanations."""

from typing import Final

from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

IDIOM: Final = InputColumn(
    "Idiom", "What the row explains; the key that finds the references.", "key", ("phrase", "expression")
)
PREDICTION: Final = InputColumn(
    "Prediction", "The explanation the model wrote.", "text", ("response", "output", "answer", "model_output")
)
REFERENCE_IDIOM: Final = InputColumn("idiom", "The idiom explained.", "key", IDIOM.aliases)
EXPLANATION: Final = InputColumn(
    "explanation",
    "The reference explanation; several may be joined by ||.",
    "text",
    ("reference", "meaning", "definition"),
)
LANGUAGE: Final = InputColumn("language", "The language of the reference.", "label", ("lang",), required=False)

SCHEMA: Final = Schema(
    outputs=TableSchema((IDIOM, PREDICTION)),
    references=TableSchema((REFERENCE_IDIOM, EXPLANATION, LANGUAGE)),
)
