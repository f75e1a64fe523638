"""A sheet of texts, parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoresheet.metrics.families.entropy.schema import ID, TEXT
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.problems import Noted, Problem


@dataclass(frozen=True, kw_only=True)
class TextSheet(ParsedSheet):
    """The texts of a sheet, with their ids."""

    row_numbers: Sequence[int]
    ids: Sequence[str]
    texts: Sequence[str]
    unusable_rows: Mapping[int, Problem]


def parse_sheet(sheet: Sheet) -> Noted[TextSheet]:
    """Return the texts of a sheet."""
    return Noted(
        TextSheet(
            name=sheet.name,
            rows=len(sheet.frame),
            row_numbers=sheet.frame.index.tolist(),
            ids=sheet.frame[ID.name].tolist(),
            texts=sheet.frame[TEXT.name].tolist(),
            unusable_rows=sheet.unusable_rows,
        )
    )
