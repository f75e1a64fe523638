"""A sheet of predictions, parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoresheet.metrics.families.sinfo.schema import IDIOM, PREDICTION
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.problems import Noted, Problem


@dataclass(frozen=True, kw_only=True)
class PredictionSheet(ParsedSheet):
    """The rows of a sheet: which idiom, and what the model wrote of it."""

    model: str
    source: str
    row_numbers: Sequence[int]
    idioms: Sequence[str]
    keys: Sequence[str]  # the idioms as they must be equal on both sides
    predictions: Sequence[str]
    unusable_rows: Mapping[int, Problem]


def parse_sheet(sheet: Sheet) -> Noted[PredictionSheet]:
    """Return the rows of a sheet."""
    idioms = sheet.frame[IDIOM.name].tolist()
    return Noted(
        PredictionSheet(
            name=sheet.name,
            rows=len(sheet.frame),
            model=sheet.model,
            source=sheet.source,
            row_numbers=sheet.frame.index.tolist(),
            idioms=idioms,
            keys=[join_key(idiom) for idiom in idioms],
            predictions=sheet.frame[PREDICTION.name].tolist(),
            unusable_rows=sheet.unusable_rows,
        )
    )
