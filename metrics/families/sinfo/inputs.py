"""A sheet of predictions, parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.sinfo.schema import IDIOM, PREDICTION, REFERENCE
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.messages import argument, flag
from scoresheet.metrics.problems import Noted, Problem, note, reject
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import block_slices
from scoresheet.metrics.tables import keys_of, shown_rows, text_cells


@dataclass(frozen=True, kw_only=True)
class PredictionSheet(ParsedSheet):
    """The rows of a sheet: which idiom, and what the model wrote of it."""

    model: str
    source: str
    row_numbers: Sequence[int]
    idioms: Sequence[str]
    keys: Sequence[str]  # the idioms as they must be equal on both sides
    predictions: Sequence[str]
    references: Sequence[str]  # beside the predictions; none where the table has no such column
    unusable_rows: Mapping[int, Problem]

    def reduced(self) -> PredictionSheet:
        """Return the idioms and their references alone."""
        return replace(self, row_numbers=(), keys=(), predictions=(), unusable_rows={})

    def blocks(self) -> list[PredictionSheet]:
        """Return the rows, some at a time, as sheets of their own."""
        slices = block_slices(len(self.row_numbers))
        return [self] if len(slices) == 1 else [self.part(rows) for rows in slices]

    def part(self, rows: slice[int, int, None]) -> PredictionSheet:
        """Return some rows as a sheet of their own."""
        return replace(
            self,
            rows=rows.stop - rows.start,
            row_numbers=self.row_numbers[rows],
            idioms=self.idioms[rows],
            keys=self.keys[rows],
            predictions=self.predictions[rows],
            references=self.references[rows],
        )


def parse_sheet(sheet: Sheet, *, referenced: bool) -> Noted[PredictionSheet]:
    """Return the rows of a sheet; without references of the run they must stand beside the predictions."""
    idioms = text_cells(sheet.table, IDIOM.name)
    beside = REFERENCE.name not in sheet.absent
    if not referenced and not beside:
        reject(
            "missing-column",
            f"no references were given, and no column {REFERENCE.name} (or {', '.join(REFERENCE.aliases)}) stands "
            f"beside the predictions; name {argument('REFERENCES')}, or name the column with "
            f"{flag('column')} {REFERENCE.name}=HEADER",
            sheet=sheet.name,
            effect="sheet skipped",
        )
    notes: tuple[Problem, ...] = ()
    if referenced and beside:
        message = "references stand beside the predictions too; those that were given apart count"
        notes = (note("references-beside", message, column=REFERENCE.name),)
    elif beside:
        message = f"the column {sheet.header(REFERENCE.name)!r} beside the predictions was taken for their references"
        notes = (note("references-beside", message),)
    return Noted(
        PredictionSheet(
            name=sheet.name,
            rows=len(sheet.table),
            model=sheet.model,
            source=sheet.source,
            row_numbers=shown_rows(sheet.table),
            idioms=idioms,
            keys=Coded.of(keys_of(idioms)),
            predictions=text_cells(sheet.table, PREDICTION.name),
            references=text_cells(sheet.table, REFERENCE.name) if beside and not referenced else [],
            unusable_rows=sheet.unusable_rows,
        ),
        notes,
    )
