"""Columns that by their names tell models or runs apart: where nothing used them, that is said aloud."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.columns import folded
from scoresheet.metrics.core import Family, Joined
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

_WAYS: Final = {
    "model": "give each model a file of its own",
    "modelname": "give each model a file of its own",
    "system": "give each system a file of its own",
    "run": "give each run a sheet or file of its own",
    "sheet": "only CSVs are split by it, if it is called Sheet: save it so, or give each a sheet or file of its own",
}
_KEPT_APART: Final = ("run", "sheet")  # by the sheets of a file; models are not, for a file's sheets are one model's
_LONGEST: Final = 40  # characters of a value that are shown


def separating_columns(frame: pd.DataFrame, taken: Collection[str | None]) -> dict[str, tuple[str, ...]]:
    """Return the columns that are not taken and seem to tell rows apart, each with its different values."""
    return {
        header: tuple(dict.fromkeys(filter(None, map(join_key, frame[header]))))
        for header in map(str, frame.columns)
        if folded(header) in _WAYS and header not in taken
    }


def unseparated_columns(joined: Sequence[Joined], family: Family[Any]) -> list[Problem]:
    """Return, once for each file, the columns of several values that nothing used: their rows were taken together."""
    columns: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}  # file and header → sheet → values
    for each in joined:
        unused = family.unused_columns(each)
        for header, values in each.separators.items():
            several = len(values) > 1 or folded(header) not in _KEPT_APART
            if values and several and header in unused:
                columns.setdefault((each.sheet.source, header), {})[each.sheet.name] = values
    problems = []
    for (source, header), sheets in columns.items():
        every = list(dict.fromkeys(value for values in sheets.values() for value in values))
        if len(every) > 1:
            message = _message(header, every, len(sheets))
            sheet = next(iter(sheets))
            problems.append(
                Problem(kind="not-separated", message=message, effect="note", file=source, sheet=sheet, column=header)
            )
    return problems


def _message(header: str, values: Sequence[str], sheets: int) -> str:
    some = listed(value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…" for value in values)
    where = f", over {counted(sheets, 'sheet')}," if sheets > 1 else ""
    return (
        f"{counted(len(values), 'different value')} ({some}){where} in a column that was not used, so that their rows "
        f"were scored together; {_WAYS[folded(header)]}"
    )
