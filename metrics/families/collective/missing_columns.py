"""What a sheet must have and has not, in the words of the file."""

from __future__ import annotations

from collections.abc import Sequence

from scoresheet.metrics.family import Sheet
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import reject
from scoresheet.metrics.schema import InputColumn


def refuse_missing(sheet: Sheet, missing: Sequence[InputColumn], role: str) -> None:
    """Reject a sheet that lacks columns: which, under which names they would be found, and what it has instead."""
    if missing:
        reject(
            "missing-column",
            f"{no_column_text(missing)} in the sheet {role}; the first row has "
            f"{join_names(sheet.headers, most=12)}; name "
            f"yours with {flag(f'column {missing[0].name}=HEADER')}",
            effect="sheet skipped",
        )


def no_column_text(missing: Sequence[InputColumn]) -> str:
    """Return that columns are not there, with what else they may be called.

    >>> no_column_text([InputColumn("label", "", aliases=("gold",)), InputColumn("name", "")])
    'no column label (or gold) and no column name'
    """
    names = (f"{column.name} (or {', '.join(column.aliases)})" if column.aliases else column.name for column in missing)
    return " and ".join(f"no column {name}" for name in names)
