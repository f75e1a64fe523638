"""A sheet of texts, parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoresheet.metrics.families.entropy.schema import ID, TEXT
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.problems import Noted, Problem
from scoresheet.metrics.tables import shown_rows, text_cells


@dataclass(frozen=True, kw_only=True)
class TextSheet(ParsedSheet):
    """The texts of a sheet, with their ids."""

    row_numbers: Sequence[int]
    ids: Sequence[str]
    texts: Sequence[str]
    unusable_rows: Mapping[int, Problem]

    def usable(self) -> Iterator[str]:
        """Yield the texts; a row that nobody could score is no text of the sheet."""
        for row, text in zip(self.row_numbers, self.texts, strict=True):
            yield "" if row in self.unusable_rows else text


def parse_sheet(sheet: Sheet) -> Noted[TextSheet]:
    """Return the texts of a sheet."""
    return Noted(
        TextSheet(
            name=sheet.name,
            rows=len(sheet.frame),
            row_numbers=shown_rows(sheet.frame),
            ids=text_cells(sheet.frame, ID.name),
            texts=text_cells(sheet.frame, TEXT.name),
            unusable_rows=sheet.unusable_rows,
        )
    )
