"""What mode-collapse reads: choices, the table of their options, and the shares of a target."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

TRUE_MARKS: Final = ("true", "yes", "y", "t", "1")  # what flags a correction, as messages list it
TRUE_MARKS_LISTED: Final = f"{', '.join(TRUE_MARKS[:-1])} or {TRUE_MARKS[-1]}"

LEVEL: Final = InputColumn(
    "level",
    "The level of the tree: 0 is the root; without the column, everything is at level 0.",
    "label",
    ("tree_level",),
    required=False,
    both_sides=True,
)
PARENT: Final = InputColumn(
    "parent",
    "The choices it was sampled under, from the root down, joined by → or /; empty at the root, or root.",
    "label",
    ("parent_path",),
    required=False,
    both_sides=True,
)
CHOICE: Final = InputColumn("choice", "The option chosen.", "text", ("category",), required=False)
RESPONSE: Final = InputColumn(
    "response",
    "The model's free text; needs the options declared.",
    "text",
    ("raw_response",),
    required=False,
    fallbacks=("answer", "output", "completion", "text"),
)
COUNT: Final = InputColumn(
    "count", "How many samples the row stands for; without the column, one.", "label", required=False
)
CORRECTION: Final = InputColumn("corrected_category", "What a person corrected the choice to.", "text", required=False)
FLAGGED: Final = InputColumn(
    "is_flagged",
    f"Whether the correction counts: {TRUE_MARKS_LISTED}; without the column, every correction does.",
    "label",
    required=False,
)
OPTION: Final = InputColumn(
    "option", "The option; of a table with one column, that column.", "key", ("choice", "category"), takes_lone=True
)
ALIASES: Final = InputColumn("aliases", "Other names of the option, joined by |.", "text", ("alias",), required=False)
QUESTION: Final = InputColumn(
    "question", "The sheet of the outputs it holds for; empty: for all.", "label", ("for_sheet",), required=False
)
SHARE: Final = InputColumn("share", "Its share, or any weight of 0 or more.", "label", ("weight", "target"))
TARGET: Final = "target"  # the option that names the table of shares

SCHEMA: Final = Schema(
    # the columns of a walk have the user's names
    outputs=TableSchema((LEVEL, PARENT, CHOICE, RESPONSE, COUNT, CORRECTION, FLAGGED), keeps_others=True),
    references=TableSchema((LEVEL, OPTION, PARENT, ALIASES, QUESTION), list_of=OPTION.name),
    references_required=False,
    sheet_columns=("question",),
    asked_by=("prompt", "prompt_id", "question_id", "task", "task_id", "item", "item_id", "scenario", "topic"),
    tables={TARGET: TableSchema((LEVEL, OPTION, PARENT, SHARE, QUESTION))},
)
