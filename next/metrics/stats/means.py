"""Means of sheet means, their delete-one-unit estimates and intervals."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.stats.estimate import (
    FEWEST,
    Estimate,
    Floats,
    check_level,
    clopper_pearson,
    few_units_note,
    jackknife,
    size_correction,
    t_interval,
)


class Rows(NamedTuple):
    """The scored rows of one model.

    A value of NaN was not scored. Units and sheets are whole-number codes; without units each
    row is a unit, without sheets all rows are in one.
    """

    values: ArrayLike
    units: ArrayLike | None = None
    sheets: ArrayLike | None = None


class LeaveOneOut(NamedTuple):
    """An estimate, and for each unit: its code, the estimate without it, its rows and its mean."""

    value: float
    units: NDArray[np.int64]
    without: Floats
    rows: NDArray[np.int64]
    means: Floats


class _Scored(NamedTuple):
    values: Floats
    units: NDArray[np.int64]
    sheets: NDArray[np.int64]

    def keep(self, mask: NDArray[np.bool_]) -> "_Scored":
        return _Scored(self.values[mask], self.units[mask], self.sheets[mask])


def _codes(codes: ArrayLike, size: int, what: str) -> NDArray[np.int64]:
    array = np.asarray(codes)
    if array.shape != (size,):
        raise ValueError(f"expected {size} codes of {what}, not the shape {array.shape}")
    if array.dtype.kind not in "iu" and size:
        raise ValueError(f"the codes of {what} must be whole numbers, not {array.dtype}")
    if size and array.min() < 0:
        raise ValueError(f"the codes of {what} must not be negative, not {array.min()}")
    return array.astype(np.int64)


def scored_rows(rows: Rows) -> _Scored:
    """Return the checked arrays of the rows that have a value."""
    values = np.asarray(rows.values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"expected one value per row, not the shape {values.shape}")
    if np.isinf(values).any():
        raise ValueError(f"expected finite values, not {values[np.isinf(values)][0]}")
    units = np.arange(values.size) if rows.units is None else rows.units
    sheets = np.zeros(values.size, np.int64) if rows.sheets is None else rows.sheets
    checked = _codes(units, values.size, "units"), _codes(sheets, values.size, "sheets")
    return _Scored(values, *checked).keep(~np.isnan(values))


def sheet_means_jackknife(
    values: ArrayLike,
    units: ArrayLike | None = None,
    sheets: ArrayLike | None = None,
    *,
    aggregate: str = "sheets",
) -> LeaveOneOut:
    """Return the mean of the sheet means, and the same without each unit.

    A unit is left out of every sheet that has it, and a sheet that this empties leaves the mean.
    With `aggregate="rows"` all rows form one sheet.

    >>> result = sheet_means_jackknife([1, 2, 6], [0, 1, 2], [0, 0, 1])
    >>> result.value, result.without.tolist()
    (3.75, [4.0, 3.5, 1.5])
    """
    if aggregate not in ("sheets", "rows"):
        raise ValueError(f"aggregate must be 'sheets' or 'rows', not {aggregate!r}")
    scored = scored_rows(Rows(values, units, sheets))
    codes, unit = np.unique(scored.units, return_inverse=True)
    rows = np.bincount(unit, minlength=codes.size)
    if not codes.size:
        nothing = np.empty(0)
        return LeaveOneOut(math.nan, codes, nothing, rows, nothing)
    groups = np.zeros_like(unit) if aggregate == "rows" else scored.sheets
    names, first, sheet = np.unique(groups, return_index=True, return_inverse=True)
    # Deviations from a sheet's first value: equal values then give an error of exactly 0.
    base = scored.values[first]
    deviations = scored.values - base[sheet]
    # Only the cells that occur, never a table of all units by all sheets.
    cells, cell = np.unique(unit * names.size + sheet, return_inverse=True)
    sums, counts = np.bincount(cell, deviations), np.bincount(cell)
    cell_unit, cell_sheet = np.divmod(cells, names.size)
    totals, sizes = np.bincount(cell_sheet, sums), np.bincount(cell_sheet, counts)
    sheet_means = base + totals / sizes
    left = sizes[cell_sheet] - counts
    emptied = left == 0
    new_means = (totals[cell_sheet] - sums) / np.maximum(left, 1)
    old_means = (totals / sizes)[cell_sheet]
    changes = np.where(emptied, -sheet_means[cell_sheet], new_means - old_means)
    kept = names.size - np.bincount(cell_unit, emptied)
    remaining = sheet_means.sum() + np.bincount(cell_unit, changes)
    without = np.where(kept > 0, remaining / np.maximum(kept, 1), np.nan)
    unit_means = np.bincount(unit, scored.values) / rows
    return LeaveOneOut(float(sheet_means.mean()), codes, without, rows, unit_means)


def bounded_mean(
    values: ArrayLike,
    units: ArrayLike | None = None,
    sheets: ArrayLike | None = None,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    ci: float = 0.95,
    aggregate: str = "sheets",
) -> Estimate:
    """Return the mean of a measure with bounds, with the Korn-Graubard (1998) interval.

    >>> estimate = bounded_mean([1, 1, 1, 1, 1, 1, 1, 0, 1, 1])
    >>> estimate.value, round(estimate.low, 4), round(estimate.high, 4)
    (0.9, 0.4572, 0.9995)
    >>> bounded_mean([0.2, 0.4]).note
    'no interval: 2 units, at least 6 are needed'
    """
    alpha = 1 - check_level(ci)
    lowest, highest = bounds
    if not (math.isfinite(lowest) and math.isfinite(highest) and lowest < highest):
        raise ValueError(f"the bounds must be finite and ascend, not {bounds!r}")
    width = highest - lowest
    array = np.asarray(values, dtype=np.float64)
    slack = 1e-9 * width
    outside = array[(array < lowest - slack) | (array > highest + slack)]
    if outside.size:
        raise ValueError(f"expected values from {lowest} to {highest}, not {outside[0]}")
    result = sheet_means_jackknife(array, units, sheets, aggregate=aggregate)
    n = result.units.size
    if n < FEWEST:
        return Estimate(result.value, units=n, note=few_units_note(n) if n else "no value")
    error, _ = jackknife(result.without / width, scale=max(abs(lowest), abs(highest)) / width)
    share = min(1.0, max(0.0, (result.value - lowest) / width))
    size = float(n)
    if error > 0:
        size = min(4 * n, share * (1 - share) / error**2 * size_correction(alpha, n - 1))
    low, high = clopper_pearson(share * size, size, alpha)
    return Estimate(result.value, lowest + width * low, lowest + width * high, units=n)


def unbounded_mean(
    values: ArrayLike,
    units: ArrayLike | None = None,
    sheets: ArrayLike | None = None,
    *,
    ci: float = 0.95,
    aggregate: str = "sheets",
) -> Estimate:
    """Return the mean of a measure without bounds, with Student's t interval.

    >>> estimate = unbounded_mean([1, 2, 3, 4, 5, 6])
    >>> estimate.value, round(estimate.low, 4), round(estimate.high, 4)
    (3.5, 1.5367, 5.4633)
    """
    alpha = 1 - check_level(ci)
    result = sheet_means_jackknife(values, units, sheets, aggregate=aggregate)
    n = result.units.size
    if n < FEWEST:
        return Estimate(result.value, units=n, note=few_units_note(n) if n else "no value")
    error, df = jackknife(result.without, result.rows)
    if error == 0:
        return Estimate(result.value, units=n, note="no interval: the units do not vary")
    low, high = t_interval(result.value, error, df, alpha)
    note = "no interval: one unit has nearly all rows" if math.isnan(low) else ""
    return Estimate(result.value, low, high, units=n, note=note)


def proportion(
    answers: ArrayLike,
    units: ArrayLike | None = None,
    sheets: ArrayLike | None = None,
    *,
    ci: float = 0.95,
    aggregate: str = "sheets",
) -> Estimate:
    """Return the share of yes among yes/no answers, with the Korn-Graubard interval.

    >>> estimate = proportion([False] * 20)
    >>> estimate.value, estimate.low, round(estimate.high, 4)
    (0.0, 0.0, 0.1684)
    """
    flags = np.asarray(answers, dtype=np.float64)
    wrong = flags[(flags != 0) & (flags != 1) & ~np.isnan(flags)]
    if wrong.size:
        raise ValueError(f"expected yes or no (1 or 0), not {wrong[0]}")
    return bounded_mean(flags, units, sheets, ci=ci, aggregate=aggregate)
