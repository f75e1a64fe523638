"""Means of sheet means, their delete-one-unit estimates and intervals."""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.stats import estimate as est
from scoresheet.metrics.stats.estimate import Estimate, Floats

Codes: TypeAlias = ArrayLike | None
Integers: TypeAlias = NDArray[np.int64]


class Rows(NamedTuple):
    """The rows of one model; NaN was not scored, units and sheets are whole-number codes.

    Without units each row is a unit, without sheets all rows are in one.
    """

    values: ArrayLike
    units: Codes = None
    sheets: Codes = None


class LeaveOneOut(NamedTuple):
    """An estimate, and for each unit: its code, the estimate without it, its rows and its mean."""

    value: float
    units: Integers
    without: Floats
    rows: Integers
    means: Floats


def _codes(codes: ArrayLike, size: int, what: str) -> Integers:
    array = np.asarray(codes)
    if array.shape != (size,) or (size and (array.dtype.kind not in "iu" or array.min() < 0)):
        raise ValueError(f"expected {size} whole-number codes of {what}, not {array}")
    return array.astype(np.int64)


def scored_rows(rows: Rows) -> tuple[Floats, Integers, Integers]:
    """Return the values, units and sheets of the rows that have a value."""
    values = est.checked(rows.values, "one finite value per row")
    n, scored = values.size, ~np.isnan(values)
    units = _codes(np.arange(n) if rows.units is None else rows.units, n, "units")
    sheets = _codes(np.zeros(n, int) if rows.sheets is None else rows.sheets, n, "sheets")
    return values[scored], units[scored], sheets[scored]


def sheet_means_jackknife(
    values: ArrayLike, units: Codes = None, sheets: Codes = None, *, aggregate: str = "sheets"
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
    x, row_units, row_sheets = scored_rows(Rows(values, units, sheets))
    codes, unit, rows = np.unique(row_units, return_inverse=True, return_counts=True)
    if not x.size:
        return LeaveOneOut(math.nan, codes, x, rows, x)
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
    unit_means = base + np.bincount(unit, x) / rows
    return LeaveOneOut(float(base + means.mean()), codes, without, rows, unit_means)


def bounded_mean(
    values: ArrayLike,
    units: Codes = None,
    sheets: Codes = None,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    ci: float = 0.95,
    aggregate: str = "sheets",
) -> Estimate:
    """Return the mean of a measure with bounds (or of yes/no) with the Korn-Graubard interval.

    >>> round(bounded_mean([1, 1, 1, 1, 1, 1, 1, 0, 1, 1]).low, 4)
    0.4572
    """
    alpha, (lowest, highest) = est.alpha_of(ci), bounds
    if not -math.inf < lowest < highest < math.inf:
        raise ValueError(f"the bounds must be finite and ascend, not {bounds!r}")
    width = highest - lowest
    below, above = lowest - 1e-9 * width, highest + 1e-9 * width
    expected = f"values from {lowest} to {highest}"
    array = est.checked(values, expected, wrong=lambda x: (x < below) | (x > above))
    result = sheet_means_jackknife(array, units, sheets, aggregate=aggregate)
    n = result.units.size
    if note := est.few_units_note(n):
        return Estimate(result.value, units=n, note=note if n else "no value")
    scale = max(abs(lowest), abs(highest)) / width
    error, _ = est.jackknife(result.without / width, result.rows, scale=scale)
    share = min(1.0, max(0.0, (result.value - lowest) / width))
    size = float(n)
    if error > 0:
        size = min(4 * n, share * (1 - share) / error**2 * est.size_correction(alpha, n - 1))
    low, high = est.clopper_pearson(share * size, size, alpha)
    return Estimate(result.value, lowest + width * low, lowest + width * high, units=n)


def unbounded_mean(
    values: ArrayLike,
    units: Codes = None,
    sheets: Codes = None,
    *,
    ci: float = 0.95,
    aggregate: str = "sheets",
) -> Estimate:
    """Return the mean of a measure without bounds, with Student's t interval.

    >>> round(unbounded_mean([1, 2, 3, 4, 5, 6]).low, 4)
    1.5367
    """
    alpha = est.alpha_of(ci)
    result = sheet_means_jackknife(values, units, sheets, aggregate=aggregate)
    n = result.units.size
    if note := est.few_units_note(n):
        return Estimate(result.value, units=n, note=note if n else "no value")
    error, df = est.jackknife(result.without, result.rows)
    if error == 0:
        return Estimate(result.value, units=n, note="no interval: the units do not vary")
    low, high, _ = est.t_test(result.value, error, df, alpha)
    note = "no interval: one unit has nearly all rows" if math.isnan(low) else ""
    return Estimate(result.value, low, high, units=n, note=note)
