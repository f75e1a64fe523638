"""Scores one after another: where each belongs, and whether they can be what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.options import DisagreeOptions, ends
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.problems import Problem, reject


@dataclass
class Cells:
    """Scores one after another: where each belongs and what it says."""

    rows: NDArray[np.int64]  # positions in the sheet
    judges: Names  # of each cell
    dimensions: Names
    headers: Names  # the columns they stand in
    values: NDArray[np.float64]


@dataclass
class Names:
    """Names of cells or rows, as numbers into those there are."""

    known: list[str]
    codes: NDArray[np.int64]

    def __getitem__(self, place: int) -> str:
        return self.known[int(self.codes[place])]


def refuse_twice(places: NDArray[np.int64], cells: Cells, items: Sequence[str], index: Any) -> None:
    """Refuse the file if a judge scored an item twice on one dimension: neither score is more right than the other."""
    order = np.argsort(places, kind="stable")
    same = (np.diff(places[order]) == 0).nonzero()[0]
    if not len(same):
        return
    first, second = order[same[0]], order[same[0] + 1]
    rows = [int(index[cells.rows[place]]) for place in (first, second)]
    reject(
        "duplicate-rating",
        f"{items[cells.rows[first]]!r} has two scores by {cells.judges[first]} on {cells.dimensions[first]}, in rows "
        f"{rows[0]} and {rows[1]}"
        + (f" (and {len(same) - 1:,} more like this)" if len(same) > 1 else "")
        + "; keep one of them, name the column of judges with --column strategy=HEADER, or put rounds on sheets of "
        "their own",
    )


def _way_on(options: DisagreeOptions) -> str:
    if options.scale != DisagreeOptions().scale:
        return "Correct these cells, name the columns that are scores with --dimensions"
    return "Declare yours with --scale LOW:HIGH, name the columns of a wide table with --dimensions"


def in_scale(cells: Cells, options: DisagreeOptions, index: Any, problems: list[Problem]) -> NDArray[np.float64]:
    """Return the scores within the scale; those outside refuse the file, or are left out or moved as told."""
    low, high = ends(options.scale, "scale")
    outside = ((cells.values < low) | (cells.values > high)).nonzero()[0]
    if not len(outside):
        return cells.values
    shown = [
        f"{format_float(cells.values[place])} in row {index[cells.rows[place]]}, column {cells.headers[place]}"
        for place in outside[:4].tolist()
    ]
    if options.out_of_scale == "refuse":
        reject(
            "out-of-scale",
            f"{len(outside):,} of {len(cells.values):,} scores lie outside the scale {options.scale}: "
            f"{'; '.join(shown[:3])}{'; …' if len(outside) > 3 else ''}. "
            f"{_way_on(options)}, or go on with --out-of-scale blank or clip",
        )
    done = "is left out" if options.out_of_scale == "blank" else "was moved to its end"
    kept = np.bincount(cells.rows) - np.bincount(cells.rows[outside], minlength=int(cells.rows.max()) + 1)
    for place in outside.tolist():
        value, row = format_float(cells.values[place]), int(index[cells.rows[place]])
        lost = options.out_of_scale == "blank" and not kept[cells.rows[place]]  # the only score that the row had
        message = f"the score {value} lies outside the scale {options.scale} and {done} ({cells.judges[place]})"
        problems.append(
            Problem(
                kind="out-of-scale",
                message=message,
                effect="row not scored" if lost else "note",
                row=row,
                column=cells.headers[place],
            )
        )
    if options.out_of_scale == "clip":
        return np.clip(cells.values, low, high)
    return np.where((cells.values < low) | (cells.values > high), np.nan, cells.values)
