"""What sinfo reads: predictions by idiom, and reference explanations."""

from typing import Final

from scoresheet.metrics.schema import InputColumn, Schema, TableSchema
from scoresheet.metrics.text.scripts_and_languages import is_language_header

IDIOM: Final = InputColumn(
    "Idiom",
    "What the row explains; the key that finds the references.",
    "key",
    ("phrase", "expression"),
    fallbacks=("id", "key", "item_id", "prompt_id", "item", "prompt", "question", "input"),
    both_sides=True,
)
PREDICTION: Final = InputColumn(
    "Prediction",
    "The explanation the model wrote.",
    "text",
    ("response", "output", "answer", "model_output"),
    fallbacks=("completion", "actual_output", "generated_text", "generation"),
)
REFERENCE: Final = InputColumn(
    "Reference",
    "The reference beside the prediction, for runs that are given no others; several may be joined by ||.",
    "text",
    ("gold", "target", "expected", "explanation", "ground_truth", "expected_output", "ref"),
    required=False,
)
REFERENCE_IDIOM: Final = InputColumn(
    "idiom", "The idiom explained.", "key", IDIOM.aliases, fallbacks=IDIOM.fallbacks, both_sides=True
)
EXPLANATION: Final = InputColumn(
    "explanation",
    "The reference explanation; several may be joined by ||.",
    "text",
    ("reference", "meaning", "definition", "ground_truth", "ref"),
    replaced_by=is_language_header,
)
LANGUAGE: Final = InputColumn("language", "The language of the reference.", "label", ("lang",), required=False)

SCHEMA: Final = Schema(
    outputs=TableSchema((IDIOM, PREDICTION, REFERENCE)),
    references=TableSchema((REFERENCE_IDIOM, EXPLANATION, LANGUAGE), keeps_others=True),
    references_required=False,
)
