"""From a sheet to what it says of a system: predictions, or one of the sheets of numbers."""

from __future__ import annotations

from scoresheet.metrics.families.collective.missing_columns import no_column_text
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable, read_numeric_sheet
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.predictions import Predictions, read_predictions
from scoresheet.metrics.families.collective.schema import (
    LABEL,
    PREDICTIONS,
    PROBABILITIES,
    ROLES,
    SAMPLE,
    numeric_sheet,
    role_by_name,
)
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Noted, reject
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, kw_only=True)
class SystemSheet(ParsedSheet):
    """One sheet of a system."""

    role: str
    content: Predictions | NumericTable
    by_columns: bool = False  # predictions by their columns, not by their name


def parse_sheet(sheet: Sheet, options: CollectiveOptions) -> Noted[SystemSheet]:
    """Return what a sheet holds, by its name or, for predictions, by its columns."""
    declared = numeric_sheet(sheet.name)
    content: Noted[Predictions] | Noted[NumericTable]
    if declared is not None:
        logits = options.logits and declared is PROBABILITIES
        content = read_numeric_sheet(sheet, declared, logits=logits, normalise=options.normalise)
    else:
        _check_known(sheet)
        content = read_predictions(sheet, options)
    parsed = SystemSheet(
        name=sheet.name,
        rows=len(sheet.table),
        used_columns=frozenset(content.value.headers),
        role=PREDICTIONS if declared is None else declared.role,
        content=content.value,
        by_columns=not role_by_name(sheet.name),
    )
    return Noted(parsed, content.problems)


def _check_known(sheet: Sheet) -> None:
    """Reject a sheet that is nothing by its name and not predictions by its columns."""
    missing = [column for column in (SAMPLE, LABEL) if column.name in sheet.absent]
    if role_by_name(sheet.name) or not missing:
        return
    reject(
        "unknown-sheet",
        f"{sheet.name!r} is none of the sheets {', '.join(ROLES)}, and to be predictions it has "
        f"{no_column_text(missing)}; "
        f"the first row has {join_names(sheet.headers, most=8)}. Name yours with "
        f"{flag(f'column {missing[0].name}=HEADER')}, rename the sheet, or leave it out with {flag('skip-sheet')}. "
        "If the files of this folder are the sheets of one system, name the folder above it",
        effect="sheet skipped",
    )
