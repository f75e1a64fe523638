"""The results table: a line per model, the best first, as CSV, workbook, terminal and JSON have it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from scoresheet.cli.report.page import Column
from scoresheet.cli.run.plan import Outcome
from scoresheet.metrics.compare import PairedComparison
from scoresheet.metrics.family import R
from scoresheet.metrics.units import Value

MODEL: Final = Column("Model Name", "The model: its file's or folder's name.", "key")
STANDING: Final = (
    Column(
        "Rank",
        "Place by On_Shared, 1 is the best; none for a model that shares nothing with the others.",
        "count",
    ),
    Column("Shared", "Units (idioms, queries, items, …) that every ranked model has a score for.", "count"),
    Column("On_Shared", "The score over these units alone: models are compared and ranked on them.", "score"),
)
STATUS: Final = Column(
    "Status",
    "ok; partial: a sheet was skipped, or a column that separates was not used; unscored: no row has a score; "
    "failed: nothing could be read or joined.",
    "label",
)
ROWS: Final = Column("Rows", "Rows read.", "count")
COUNTS: Final = (
    ROWS,
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
    STATUS,
)


def result_columns(measures: Sequence[Column]) -> tuple[Column, ...]:
    """Return all columns of the table around these measures."""
    return (MODEL, *measures, *STANDING, *COUNTS)


def result_row(outcome: Outcome[R], measures: Sequence[Column], paired: PairedComparison) -> list[Value]:
    """Return a model's line under `result_columns`."""
    known = outcome.result.measures if outcome.result else {}
    values = [known.get(column.name, _empty(column)) for column in measures]
    return [
        outcome.model,
        *values,
        *_standing(outcome.model, paired),
        outcome.rows,
        outcome.scored,
        outcome.coverage,
        outcome.status,
    ]


def place_by_rank(paired: PairedComparison) -> Callable[[str], tuple[float, str]]:
    """Return what models are sorted by: their ranks, those without one after them, by name."""

    def place(model: str) -> tuple[float, str]:
        standing = paired.standings.get(model)
        rank = standing.rank if standing else None
        return (math.inf if rank is None else rank, model)

    return place


def _empty(column: Column) -> Value:
    return "" if column.kind in ("label", "text") else math.nan


def standing_numbers(model: str, paired: PairedComparison) -> dict[str, Value]:
    """Return where a model stands, by the names of the table; nothing where there is nobody to stand among."""
    if len(paired.standings) < 2:
        return {}
    return dict(zip((column.name for column in STANDING), _standing(model, paired), strict=True))


def _standing(model: str, paired: PairedComparison) -> tuple[Value, Value, Value]:
    standing = paired.standings.get(model)
    if standing is None or len(paired.standings) < 2:
        return math.nan, math.nan, math.nan
    return math.nan if standing.rank is None else standing.rank, standing.shared, standing.on_shared
