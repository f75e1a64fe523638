"""The table of features: which columns are features, the vectors and texts of items, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.diversity.constants import BY_FEATURES, BY_SUBTOPICS, BY_TEXT, CHOSEN_DISTANCE
from scoresheet.metrics.families.diversity.names import SEPARATOR, names_in, unsplit_names
from scoresheet.metrics.families.diversity.problems import table_note
from scoresheet.metrics.families.diversity.schema import DESCRIBED_GENRES, DESCRIBED_ITEM, NO_FEATURES, TEXT
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import flag, join_names, pluralize
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Noted, Problem, UsageError
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import ROW, SHEET, SOURCE

if TYPE_CHECKING:
    import pandas as pd

FEATURES: Final = "features"  # that names the table
_NO_FEATURES: Final = frozenset(loose_key(name).replace(" ", "") for name in NO_FEATURES)


@dataclass(frozen=True)
class Features:
    """What the table says of items."""

    columns: tuple[str, ...] = ()  # the features
    vectors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # item → features
    texts: Mapping[str, str] = field(default_factory=dict)  # item → text
    genres: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # item → what it is


def parse_features(table: pd.DataFrame | None, distance: str, separator: str = "") -> Noted[Features]:
    """Return what a table holds for the distance that is wanted; one that holds nothing for it is refused.

    A column with any number in it is a feature, unless it has the name of a key, a rank, a score or a grade. Genres
    are what items are compared by before any numbers: years and votes are numbers too.
    """
    if table is None:
        return Noted(Features())
    known = (DESCRIBED_ITEM.name, TEXT.name, DESCRIBED_GENRES.name, SOURCE, SHEET, ROW)
    others = [name for name in table.columns if name not in known]
    columns = tuple(
        name for name in others if not _is_key(name) and any(parse_float(cell) is not None for cell in table[name])
    )
    texts = _texts(table)
    genres, problems = _genres(table, separator)
    if distance == BY_SUBTOPICS and not genres:
        raise UsageError(
            f"{flag(FEATURES)}: the table has no column {DESCRIBED_GENRES.name} (or "
            f"{', '.join(DESCRIBED_GENRES.aliases)}) that {flag(f'distance {BY_SUBTOPICS}')} could compare"
        )
    if not columns and (distance == BY_FEATURES or not (texts or genres)):
        hint = _hint_of_genres(table, others)
        shown = [*others, *([DESCRIBED_GENRES.name] if genres else [])]
        seen = f" (it has {join_names(shown, most=12)})" if shown else ""
        raise UsageError(
            f"{flag(FEATURES)}: the table has no column of numbers"
            f"{'' if texts or genres else ', no genres and no texts'} beside item{seen}; "
            f"a feature is a column of numbers whose name is not that of a key, rank, score or grade{hint}"
        )
    problems += _repeated_items(table)
    vectors: Mapping[str, NDArray[np.float64]] = {}
    if distance in (BY_SUBTOPICS, CHOSEN_DISTANCE) and genres:
        if columns and distance == CHOSEN_DISTANCE:
            compares = f"{flag(f'distance {BY_FEATURES}')} compares these"
            problems.append(
                _other_columns(f"items are compared by their genres, not by {join_names(columns)}; {compares}")
            )
        columns = ()
    elif distance in (BY_FEATURES, CHOSEN_DISTANCE) and columns:
        vectors, bad = _vectors(table, columns)
        problems += bad
        unused = [name for name in others if name not in columns]
        if unused:
            hint = _hint_of_genres(table, unused)
            problems.append(_other_columns(f"columns that are no features: {join_names(unused)}{hint}"))
    elif distance == CHOSEN_DISTANCE:
        compares = f"{flag(f'distance {BY_TEXT}')} compares texts"
        problems.append(_other_columns(f"there are texts and no numbers, so that the table was not used; {compares}"))
    elif not texts:
        problems.append(_other_columns("there are no texts, so that the table was not used"))
    return Noted(Features(columns, vectors, texts, genres), tuple(problems))


def _hint_of_genres(table: pd.DataFrame, unused: Sequence[str]) -> str:
    """Return how to use a column that lists names as genres do."""
    listing = [name for name in unused if not _is_key(name) and any(SEPARATOR in cell for cell in table[name])]
    return f"; {flag(f'column features.genres={listing[0]}')} takes {listing[0]!r} for genres" if listing else ""


def _is_key(name: str) -> bool:
    return loose_key(name).replace(" ", "") in _NO_FEATURES


def _texts(table: pd.DataFrame) -> dict[str, str]:
    cells = zip(table[DESCRIBED_ITEM.name], table[TEXT.name], strict=True)
    last = {join_key(item): text.strip() for item, text in cells}
    return {item: text for item, text in last.items() if text}  # of several rows the last counts, and may be empty


def _genres(table: pd.DataFrame, separator: str) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """Return the genres of each item that has any; a cell that holds no names is named."""
    genres: dict[str, tuple[str, ...]] = {}
    problems = []
    names = [DESCRIBED_ITEM.name, DESCRIBED_GENRES.name, SOURCE, SHEET, ROW]
    for item, cell, file, sheet, row in table[names].itertuples(index=False, name=None):
        genres.pop(join_key(item), None)  # of several rows the last counts
        found = names_in(cell, separator)
        if found:
            genres[join_key(item)] = found
        elif found is None:
            problems.append(
                Problem(
                    kind="nested-cell",
                    message=f"the genres of {item!r} are no list of names; the item counts as one without genres",
                    effect="row not scored",
                    file=file,
                    sheet=sheet,
                    row=row,
                    column=DESCRIBED_GENRES.name,
                    table=FEATURES,
                )
            )
    unsplit = unsplit_names("genres", table[DESCRIBED_GENRES.name].tolist(), separator)
    return genres, [*problems, *([table_note(FEATURES, "unsplit-names", unsplit)] if unsplit else [])]


def _vectors(table: pd.DataFrame, columns: Sequence[str]) -> tuple[dict[str, NDArray[np.float64]], list[Problem]]:
    """Return the features of each item; one with a cell that is no number has none, and its row is named."""
    vectors: dict[str, NDArray[np.float64]] = {}
    problems = []
    names = [DESCRIBED_ITEM.name, SOURCE, SHEET, ROW, *columns]
    for item, file, sheet, row, *cells in table[names].itertuples(index=False, name=None):
        values = [parse_float(cell) for cell in cells]
        vectors.pop(join_key(item), None)  # of several rows the last counts
        if None not in values:
            vectors[join_key(item)] = np.array(values, dtype=float)
        elif any(cell.strip() for cell in cells):
            column, message = _bad_cell(item, columns, cells)
            problems.append(
                Problem(
                    kind="bad-number",
                    message=message,
                    effect="row not scored",
                    file=file,
                    sheet=sheet,
                    row=row,
                    column=column,
                    table=FEATURES,
                )
            )
    return vectors, problems


def _bad_cell(item: str, columns: Sequence[str], cells: Sequence[str]) -> tuple[str, str]:
    """Return the first column whose cell is no number, and what is said of it."""
    column, cell = next(pair for pair in zip(columns, cells, strict=True) if parse_float(pair[1]) is None)
    what = f"is {cell!r}, not a number" if cell.strip() else "is empty"
    return column, f"the feature {column} of {item!r} {what}; the item counts as one without features"


def _repeated_items(table: pd.DataFrame) -> list[Problem]:
    twice = [item for item, times in Counter(map(join_key, table[DESCRIBED_ITEM.name])).items() if times > 1]
    if not twice:
        return []
    message = f"the last row counts of {pluralize(len(twice), 'item')} in the table twice: {join_names(twice)}"
    return [table_note(FEATURES, "repeated-item", message)]


def _other_columns(message: str) -> Problem:
    return table_note(FEATURES, "other-columns", message)
