"""Means of sheet means, their delete-one-unit estimates and intervals."""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics import stats as est
from scoresheet.metrics.stats import Estimate, Floats

Integers: TypeAlias = NDArray[np.int64]


class Rows(NamedTuple):
    """The rows of one model; NaN was not scored, units and sheets are whole-number codes.

    Without units each row is a unit, without sheets all rows are in one.
    """

    values: ArrayLike
    units: ArrayLike | None = None
    sheets: ArrayLike | None = None

    def scored(self, shared: Integers | None = None) -> tuple[Floats, Integers, Integers]:
        """Return the values, units and sheets of the rows that have a value, of shared units."""
        values = est.checked(self.values, "one finite value per row")
        n, kept = values.size, ~np.isnan(values)
        units = np.asarray(np.arange(n) if self.units is None else self.units, np.int64)
        sheets = np.asarray(np.zeros(n) if self.sheets is None else self.sheets, np.int64)
        if shared is not None:
            kept &= np.isin(units, shared)
        return values[kept], units[kept], sheets[kept]


class LeaveOneOut(NamedTuple):
    """An estimate, and for each unit: its code, the estimate without it, its rows and its mean."""

    value: float
    units: Integers
    without: Floats
    rows: Integers
    means: Floats


def leave_one_out(
    rows: Rows, shared: Integers | None = None, *, aggregate: str = "sheets"
) -> LeaveOneOut:
    """Return the mean of the sheet means, and the same without each unit.

    A unit is left out of every sheet that has it, and a sheet that this empties leaves the mean.
    With `aggregate="rows"` all rows form one sheet; with `shared` only those units count.

    >>> result = leave_one_out(Rows([1, 2, 6], [0, 1, 2], [0, 0, 1]))
    >>> result.value, result.without.tolist()
    (3.75, [4.0, 3.5, 1.5])
    """
    x, row_units, row_sheets = rows.scored(shared)
    codes, unit, counts = np.unique(row_units, return_inverse=True, return_counts=True)
    if not x.size:
        return LeaveOneOut(math.nan, codes, x, counts, x)
    x, base = x - x[0], x[0]  # equal values then give an error of exactly 0
    names, sheet = np.unique(row_sheets, return_inverse=True)
    if aggregate == "rows":
        names, sheet = names[:1], np.zeros_like(sheet)
    totals, sizes = np.bincount(sheet, x), np.bincount(sheet)
    means = totals / sizes
    # Only the cells that occur, never a table of all units by all sheets.
    cells, cell = np.unique(unit * names.size + sheet, return_inverse=True)
    cell_unit, cell_sheet = np.divmod(cells, names.size)
    left = sizes[cell_sheet] - np.bincount(cell)
    mean_left = (totals[cell_sheet] - np.bincount(cell, x)) / np.maximum(left, 1)  # 0 if emptied
    change = mean_left - means[cell_sheet]
    sheets_left = names.size - np.bincount(cell_unit, left == 0)
    without = base + (means.sum() + np.bincount(cell_unit, change)) / np.maximum(sheets_left, 1)
    without[sheets_left == 0] = np.nan
    unit_means = base + np.bincount(unit, x) / counts
    return LeaveOneOut(float(base + means.mean()), codes, without, counts, unit_means)


def mean_estimate(
    rows: Rows,
    *,
    bounds: tuple[float, float] | None = None,
    ci: float = 0.95,
    aggregate: str = "sheets",
) -> Estimate:
    """Return the mean of a measure with its interval.

    It is Korn and Graubard's for a measure with bounds (or for yes/no), else Student's t.

    >>> round(mean_estimate(Rows([1, 1, 1, 1, 1, 1, 1, 0, 1, 1]), bounds=(0, 1)).low, 4)
    0.4572
    >>> round(mean_estimate(Rows([1, 2, 3, 4, 5, 6])).low, 4)
    1.5367
    """
    alpha = est.alpha_of(ci)
    result = leave_one_out(rows, aggregate=aggregate)
    if bounds:
        low, high = bounds
        slack, expected = 1e-9 * (high - low), f"values from {low} to {high}"
        est.checked(rows.values, expected, wrong=lambda x: (x < low - slack) | (x > high + slack))
    n = result.units.size
    if note := est.few_units_note(n):
        return Estimate(result.value, units=n, note=note if n else "no value")
    if bounds:
        return Estimate(result.value, *_korn_graubard(result, bounds, alpha), units=n)
    error, df = est.jackknife(result.without, result.rows)
    if error == 0:
        return Estimate(result.value, units=n, note="no interval: the units do not vary")
    low, high, _ = est.t_test(result.value, error, df, alpha)
    note = "no interval: one unit has nearly all rows" if math.isnan(low) else ""
    return Estimate(result.value, low, high, units=n, note=note)


def _korn_graubard(
    result: LeaveOneOut, bounds: tuple[float, float], alpha: float
) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of the share of the width at the effective size."""
    low, width, n = bounds[0], bounds[1] - bounds[0], result.units.size
    scale = max(map(abs, bounds)) / width
    error, _ = est.jackknife(result.without / width, result.rows, scale=scale)
    share, size = min(1.0, max(0.0, (result.value - low) / width)), float(n)
    if error > 0:
        size = min(4 * n, share * (1 - share) / error**2 * est.size_correction(alpha, n - 1))
    ends = est.clopper_pearson(share * size, size, alpha)
    return low + width * ends[0], low + width * ends[1]
