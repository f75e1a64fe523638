"""Scores one after another: where each belongs, and whether they can be what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.schema import JUDGE
from scoresheet.metrics.keys import natural_order
from scoresheet.metrics.messages import flag
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.problems import Problem, note, reject, unscored_row

_SHOWN_OUTSIDE: Final = 3  # scores outside the scale that a refusal shows


@dataclass(frozen=True)
class NameCodes:
    """Names of cells or rows, as numbers into the distinct names."""

    names: list[str]
    codes: NDArray[np.int64]

    def __getitem__(self, position: int) -> str:
        return self.names[int(self.codes[position])]


def name_codes(names: Sequence[str]) -> NameCodes:
    """Return names as numbers, the distinct ones in the order in which people sort them; an empty one is -1."""
    distinct = sorted({name for name in names if name}, key=natural_order)
    codes = {name: code for code, name in enumerate(distinct)} | {"": -1}
    return NameCodes(distinct, np.fromiter(map(codes.__getitem__, names), dtype=np.int64, count=len(names)))


@dataclass(frozen=True)
class RatingCells:
    """Scores one after another: where each belongs and what it says."""

    positions: NDArray[np.int64]  # of their rows in the sheet
    judges: NameCodes  # of each cell
    dimensions: NameCodes
    headers: NameCodes  # the columns they stand in
    values: NDArray[np.float64]
    labels: tuple[str, ...] = ()  # by their numbers


def refuse_duplicates(
    slots: NDArray[np.int64], cells: RatingCells, items: Sequence[str], row_numbers: Sequence[int]
) -> None:
    """Refuse the file if a judge scored an item twice on one dimension: neither score is more right than the other.

    `slots` says of each cell where in items × judges × dimensions it belongs, `items` of each row what it is about.
    """
    order = np.argsort(slots, kind="stable")
    repeats = (np.diff(slots[order]) == 0).nonzero()[0]
    if not len(repeats):
        return
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
    """Return the scores within the scale; those outside refuse the file, or are left out or moved as told."""
    low, high = options.scale_ends
    is_outside = (cells.values < low) | (cells.values > high)
    outside = is_outside.nonzero()[0]
    if not len(outside):
        return cells.values, []
    if options.out_of_scale == "refuse":
        shown = [
            f"{format_float(cells.values[cell])} in row {row_numbers[int(cells.positions[cell])]}, "
            f"column {cells.headers[cell]}"
            for cell in outside[:_SHOWN_OUTSIDE].tolist()
        ]
        reject(
            "out-of-scale",
            f"{len(outside):,} of {len(cells.values):,} scores lie outside the scale {options.scale}: "
            f"{'; '.join(shown)}{'; …' if len(outside) > _SHOWN_OUTSIDE else ''}. "
            f"{_way_on(options)}, or go on with {flag('out-of-scale blank')} or clip",
        )
    problems = _problems_outside(cells, outside, options, row_numbers)
    if options.out_of_scale == "clip":
        return np.clip(cells.values, low, high), problems
    return np.where(is_outside, np.nan, cells.values), problems


def _way_on(options: DisagreeOptions) -> str:
    if options.scale != DisagreeOptions().scale:
        return f"Correct these cells, name the columns that are scores with {flag('dimensions')}"
    return f"Declare yours with {flag('scale LOW:HIGH')}, name the columns of a wide table with {flag('dimensions')}"


def _problems_outside(
    cells: RatingCells, outside: NDArray[np.int64], options: DisagreeOptions, row_numbers: Sequence[int]
) -> list[Problem]:
    blanked = options.out_of_scale == "blank"
    outcome = "is left out" if blanked else "was moved to its end"
    rows = int(cells.positions.max()) + 1
    kept = np.bincount(cells.positions) - np.bincount(cells.positions[outside], minlength=rows)
    problems = []
    for cell in outside.tolist():
        position = int(cells.positions[cell])
        value, row, header = format_float(cells.values[cell]), row_numbers[position], cells.headers[cell]
        message = f"the score {value} lies outside the scale {options.scale} and {outcome} ({cells.judges[cell]})"
        if blanked and not kept[position]:  # the only score that the row had
            problems.append(unscored_row("out-of-scale", message, row=row, column=header))
        else:
            problems.append(note("out-of-scale", message, row=row, column=header))
    return problems
