"""Scores one after another: where each belongs, and whether they can be what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from shlex import quote
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.schema import JUDGE
from scoresheet.metrics.keys import natural_order
from scoresheet.metrics.messages import flag
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.problems import Problem, note, reject, unscored_row
from scoresheet.metrics.records import dataclass

_SHOWN_OUTSIDE: Final = 3  # scores outside the scale that a refusal shows


@dataclass(frozen=True)
class NameCodes:
    """Names of cells or rows, as numbers into the distinct names."""

    names: list[str]
    codes: NDArray[np.int64]

    def __getitem__(self, position: int) -> str:
        return self.names[int(self.codes[position])]


def name_codes(names: Coded[str]) -> NameCodes:
    """Return names as numbers, the distinct ones in the order in which people sort them; an empty one is -1."""
    distinct = sorted(filter(None, names.values), key=natural_order)
    codes = {name: code for code, name in enumerate(distinct)} | {"": -1}
    return NameCodes(distinct, np.array([codes[name] for name in names.values], dtype=np.int64)[names.codes])


@dataclass(frozen=True)
class RatingCells:
    """Scores one after another: where each belongs and what it says."""

    positions: NDArray[np.int64]  # of their rows in the sheet
    judges: NameCodes  # of each cell
    dimensions: NameCodes
    headers: NameCodes  # the columns they stand in
    values: NDArray[np.float64]
    labels: tuple[str, ...] = ()  # by their numbers
    tops: NDArray[np.float64] | None = None  # ends of the scales that cells state, NaN where none does; None: nowhere


def refuse_duplicates(
    slots: NDArray[np.int64], cells: RatingCells, items: Sequence[str], row_numbers: Sequence[int]
) -> None:
    """Refuse the file if a judge scored an item twice on one dimension: neither score is more right than the other.

    `slots` says of each cell where in items × judges × dimensions it belongs, `items` of each row what it is about.
    """
    taken = np.zeros(int(slots.max(initial=-1)) + 1, dtype=bool)
    taken[slots] = True
    if np.count_nonzero(taken) == len(slots):
        return
    order = np.argsort(slots, kind="stable")
    repeats = (np.diff(slots[order]) == 0).nonzero()[0]
    first, second = order[repeats[0]], order[repeats[0] + 1]
    one, other = (row_numbers[int(cells.positions[cell])] for cell in (first, second))
    reject(
        "duplicate-rating",
        f"{items[int(cells.positions[first])]!r} has two scores by {cells.judges[first]} on {cells.dimensions[first]}, "
        f"in rows {one} and {other}"
        + (f" (and {len(repeats) - 1:,} more like this)" if len(repeats) > 1 else "")
        + f"; keep one of them, name the column of judges with {flag(f'column {JUDGE.name}=HEADER')}, or put rounds on "
        "sheets of their own",
    )


def scores_within_scale(
    cells: RatingCells, options: DisagreeOptions, row_numbers: Sequence[int]
) -> tuple[NDArray[np.float64], list[Problem]]:
    """Return the scores on the scale that all judges share.

    Those outside the judge's own refuse the file, or are left out or moved as told.
    """
    scales = options.scales
    ends = np.array([scales.of(judge) for judge in cells.judges.names]).reshape(-1, 2)
    low, high = ends[cells.judges.codes].T
    is_other = np.zeros(len(cells.values), dtype=bool)  # whether a cell states another scale
    if cells.tops is not None:
        is_other = ~np.isnan(cells.tops) & (cells.tops != high)
    is_outside = (cells.values < low) | (cells.values > high) | is_other
    outside = is_outside.nonzero()[0]
    values, problems = cells.values, []
    if len(outside):
        if options.out_of_scale == "refuse":
            _refuse_outside(cells, outside, options, row_numbers)
        problems = _problems_outside(cells, outside, is_other, options, row_numbers)
        if options.out_of_scale == "clip":
            values = np.where(is_other, np.nan, np.clip(values, low, high))
        else:
            values = np.where(is_outside, np.nan, values)
    return ((values - low) / (high - low) if scales.differ else values), problems


def _refuse_outside(
    cells: RatingCells, outside: NDArray[np.int64], options: DisagreeOptions, row_numbers: Sequence[int]
) -> NoReturn:
    shown = [
        f"{_shown(cells, cell)} in row {row_numbers[int(cells.positions[cell])]}, column {cells.headers[cell]}"
        for cell in outside[:_SHOWN_OUTSIDE].tolist()
    ]
    judges = list(dict.fromkeys(cells.judges[cell] for cell in outside.tolist()))
    whose = f" of {judges[0]}" if options.scales.by_judge and len(judges) == 1 else ""
    ends = list(dict.fromkeys(":".join(map(format_float, options.scales.of(judge))) for judge in judges))
    reject(
        "out-of-scale",
        f"{len(outside):,} of {len(cells.values):,} scores lie outside the scale {' or '.join(ends)}{whose}: "
        f"{'; '.join(shown)}{'; …' if len(outside) > _SHOWN_OUTSIDE else ''}. "
        f"{_way_on(options, cells, judges)}, or go on with {flag('out-of-scale blank')} or clip",
    )


def _shown(cells: RatingCells, cell: int) -> str:
    """Return a score as it stands, with the end of its scale if that is said."""
    top = math.nan if cells.tops is None else float(cells.tops[cell])
    return format_float(cells.values[cell]) + ("" if math.isnan(top) else f" out of {format_float(top)}")


def _way_on(options: DisagreeOptions, cells: RatingCells, judges: Sequence[str]) -> str:
    some = len(judges) < len(cells.judges.names)
    word = quote(f"{judges[0]}=LOW:HIGH")
    own = f"declare the scale of one judge with {flag(f'scale {word}')}" if some else ""
    if options.scale != DisagreeOptions().scale:
        first = f"Correct these cells, name the columns that are scores with {flag('dimensions')}"
    else:
        first = (
            f"Declare yours with {flag('scale LOW:HIGH')}, name the columns of a wide table with {flag('dimensions')}"
        )
    return ", ".join(filter(None, (first, own)))


def _problems_outside(
    cells: RatingCells,
    outside: NDArray[np.int64],
    is_other: NDArray[np.bool_],
    options: DisagreeOptions,
    row_numbers: Sequence[int],
) -> list[Problem]:
    rows = int(cells.positions.max()) + 1
    lost = outside if options.out_of_scale == "blank" else np.flatnonzero(is_other)
    kept = np.bincount(cells.positions) - np.bincount(cells.positions[lost], minlength=rows)
    problems = []
    for cell in outside.tolist():
        position = int(cells.positions[cell])
        row, header, judge = row_numbers[position], cells.headers[cell], cells.judges[cell]
        blanked = options.out_of_scale == "blank" or bool(is_other[cell])
        outcome = "is left out" if blanked else "was moved to its end"
        scale = ":".join(map(format_float, options.scales.of(judge)))
        message = f"the score {_shown(cells, cell)} lies outside the scale {scale} and {outcome} ({judge})"
        if blanked and not kept[position]:  # the only score that the row had
            problems.append(unscored_row("out-of-scale", message, row=row, column=header))
        else:
            problems.append(note("out-of-scale", message, row=row, column=header))
    return problems
