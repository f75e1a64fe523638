"""A sheet of texts, parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scoresheet.metrics.families.entropy.blocks import batch_slices
from scoresheet.metrics.families.entropy.schema import ID, TEXT
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.problems import Noted, Problem
from scoresheet.metrics.records import dataclass
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

    def blocks(self) -> list[TextSheet]:
        """Return the texts, some at a time, as sheets of their own."""
        return [self._part(rows) for rows in batch_slices(map(len, self.usable()))]

    def unscored(self) -> TextSheet:
        """Return it as a sheet none of whose rows count as done when it was looked at."""
        return replace(self, rows=0)

    def _part(self, rows: slice[int, int, None]) -> TextSheet:
        return replace(
            self,
            rows=rows.stop - rows.start,
            row_numbers=self.row_numbers[rows],
            ids=self.ids[rows],
            texts=self.texts[rows],
        )


def parse_sheet(sheet: Sheet) -> Noted[TextSheet]:
    """Return the texts of a sheet."""
    return Noted(
        TextSheet(
            name=sheet.name,
            rows=len(sheet.table),
            row_numbers=shown_rows(sheet.table),
            ids=text_cells(sheet.table, ID.name),
            texts=text_cells(sheet.table, TEXT.name),
            unusable_rows=sheet.unusable_rows,
        )
    )
