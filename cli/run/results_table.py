"""The results table: a line per model, as CSV, workbook, terminal and JSON have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from scoresheet.cli.report.page import Column
from scoresheet.cli.run.plan import Outcome
from scoresheet.metrics.family import R
from scoresheet.metrics.units import Value

MODEL: Final = Column("Model Name", "The model: its file's or folder's name.", "key")
COUNTS: Final = (
    Column("Rows", "Rows read.", "count"),
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
    Column(
        "Status",
        "ok; partial: a sheet was skipped, or a column that separates was not used; unscored: no row has a score; "
        "failed: nothing could be read or joined.",
        "label",
    ),
)


def result_row(outcome: Outcome[R], measures: Sequence[Column]) -> list[Value]:
    """Return a model's line under MODEL, the measures and COUNTS."""
    known = outcome.result.measures if outcome.result else {}
    values = [known.get(column.name, "" if column.kind == "label" else math.nan) for column in measures]
    return [outcome.model, *values, outcome.rows, outcome.scored, outcome.coverage, outcome.status]
