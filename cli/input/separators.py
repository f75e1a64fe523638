"""Columns that by their names tell models or runs apart: where nothing used them, that is said aloud."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Final

from scoresheet.cli.input.header_matching import Renamings, fold_header, headers_of
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.cli.input.rivals import same_groups
from scoresheet.metrics.family import P
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

# what each seems to tell apart, and the option that would use it
_MODELS: Final = ("model", "modelname", "system", "engine")
_SHEETS: Final = ("run", "sheet", "question", "prompttype", "arrangement", "round")
_ABOUT: Final = ("question", "prompttype", "round")  # may be of each row its own
_LONGEST: Final = 40  # characters of a value that are shown


def unseparated_columns(
    parsed: Sequence[tuple[Noted[P], LoadedSheet]], schema: Schema, renamed: Renamings
) -> list[Problem]:
    """Return, once for each file, the columns of several values that nothing used: their rows were taken together."""
    columns: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}  # file and header → sheet → values
    for each, loaded in parsed:
        ours = headers_of(loaded.frame, schema.of_sheet(loaded.name), renamed)
        keys = [header for header, column in ours.items() if header is not None and column.kind != "text"]
        for header, values in _separating_columns(loaded.frame, {*ours, *each.value.used_columns}, keys).items():
            several = len(values) > 1 or fold_header(header) in _MODELS  # a file's sheets are one model's
            if values and several:
                columns.setdefault((loaded.source, header), {})[loaded.name] = values
    problems = []
    for (source, header), sheets in columns.items():
        every = list(dict.fromkeys(value for values in sheets.values() for value in values))
        if len(every) > 1:
            message = _message(header, every, len(sheets))
            problems.append(note("not-separated", message, column=header, sheet=next(iter(sheets))).at(file=source))
    return problems


def _separating_columns(
    frame: pd.DataFrame, used: Collection[str | None], keys: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the columns that were not used and seem to tell rows apart, each with its different values."""
    return {
        header: values
        for header in map(str, frame.columns)
        if fold_header(header) in (*_MODELS, *_SHEETS) and header not in used
        for values in [tuple(dict.fromkeys(filter(None, map(join_key, frame[header]))))]
        # where every row has a value of its own, it tells what a row is about and keeps no groups apart; where a key of
        # ours goes with it, the key keeps them apart
        if fold_header(header) not in _ABOUT
        or (len(values) < len(frame) and not any(_go_together(frame, header, key) for key in keys))
    }


def _go_together(frame: pd.DataFrame, header: str, key: str) -> bool:
    return same_groups(*([join_key(cell) for cell in frame[each].tolist()] for each in (header, key)))


def _message(header: str, values: Sequence[str], sheets: int) -> str:
    some = join_names(value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…" for value in values)
    where = f", over {pluralize(sheets, 'sheet')}," if sheets > 1 else ""
    return (
        f"{pluralize(len(values), 'different value')} ({some}){where} in a column that was not used, so that their "
        f"rows were scored together; {_way(header)}"
    )


def _way(header: str) -> str:
    """Return the option that would keep the values of a column apart."""
    named = quote(header)
    if fold_header(header) in _MODELS:
        return f"--model-column {named} makes each a model"
    return f"--sheet-column {named} makes each a sheet, --model-column {named} a model"
