"""The table of --features: which columns are features, the vectors and texts of items, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.core import ROW, SHEET, SOURCE
from scoresheet.metrics.families.diversity.columns import INPUT_NAMES
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Problem, UsageError

_NEVER: Final = frozenset(loose_key(name).replace(" ", "") for name in INPUT_NAMES)


@dataclass
class Features:
    """What the table says of items."""

    columns: tuple[str, ...] = ()  # the features
    vectors: dict[str, NDArray[np.float64]] = field(default_factory=dict)  # item → features
    texts: dict[str, str] = field(default_factory=dict)  # item → text
    problems: list[Problem] = field(default_factory=list)


def features_of(table: pd.DataFrame | None, wanted: str) -> Features:
    """Return what a table holds for the distance that is wanted; one that holds neither features nor texts is refused.

    A column with any number in it is a feature, unless it has the name of a key, a rank, a score or a grade.
    """
    if table is None:
        return Features()
    others = [name for name in table.columns if name not in ("item", "text", SOURCE, SHEET, ROW)]
    columns = [
        name for name in others if not _is_key(name) and any(parse_float(cell) is not None for cell in table[name])
    ]
    texts = {
        item: text
        for item, text in {
            join_key(item): text.strip() for item, text in zip(table["item"], table["text"], strict=True)
        }.items()
        if text  # of several rows the last counts, and may be empty
    }
    if not columns and (wanted == "features" or not texts):
        seen = f" (it has {join_names(others, most=12)})" if others else ""
        raise UsageError(
            f"--features: the table has no column of numbers{'' if texts else ' and no texts'} beside item{seen}; "
            "a feature is a column of numbers whose name is not that of a key, rank, score or grade"
        )
    found = Features(tuple(columns), {}, texts, _repeated(table))
    if wanted in ("features", "auto") and columns:
        _add_vectors(found, table)
        unused = [name for name in others if name not in columns]
        if unused:
            found.problems.append(_note("other-columns", f"columns that are no features: {join_names(unused)}"))
    elif wanted == "auto":
        told = "there are texts and no numbers, so that the table was not used; --distance text compares texts"
        found.problems.append(_note("other-columns", told))
    elif not texts:
        found.problems.append(_note("other-columns", "there are no texts, so that the table was not used"))
    return found


def _is_key(name: str) -> bool:
    return loose_key(name).replace(" ", "") in _NEVER


def _add_vectors(found: Features, table: pd.DataFrame) -> None:
    """Add the features of each item; one with a cell that is no number has none, and its row is named."""
    names = ["item", SOURCE, SHEET, ROW, *found.columns]
    for item, file, sheet, row, *cells in table[names].itertuples(index=False, name=None):
        values = [parse_float(cell) for cell in cells]
        found.vectors.pop(join_key(item), None)  # of several rows the last counts
        if None not in values:
            found.vectors[join_key(item)] = np.array(values, dtype=float)
        elif any(cell.strip() for cell in cells):
            problem = _bad_cell(item, found.columns, cells)
            found.problems.append(replace(problem, file=file, sheet=sheet, row=row))


def _bad_cell(item: str, columns: Sequence[str], cells: Sequence[str]) -> Problem:
    column, cell = next(pair for pair in zip(columns, cells, strict=True) if parse_float(pair[1]) is None)
    what = f"is {cell!r}, not a number" if cell.strip() else "is empty"
    message = f"the feature {column} of {item!r} {what}; the item counts as one without features"
    return Problem(kind="bad-number", message=message, effect="row not scored", column=column, table="features")


def _repeated(table: pd.DataFrame) -> list[Problem]:
    twice = [item for item, times in Counter(map(join_key, table["item"])).items() if times > 1]
    if not twice:
        return []
    message = f"the last row counts of {pluralize(len(twice), 'item')} in the table twice: {join_names(twice)}"
    return [_note("repeated-item", message)]


def _note(kind: str, message: str) -> Problem:
    return Problem(kind=kind, message=f"the table of --features: {message}", effect="note", table="features")
