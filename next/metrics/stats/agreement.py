"""Agreement of judges: Krippendorff's alpha and ICC, with their intervals."""

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from scoresheet.metrics import stats as est
from scoresheet.metrics.stats import FEWEST, ROUNDING, Estimate, Floats

LEVELS = ("nominal", "ordinal", "interval", "ratio")
MOST_RANKS, BLOCK = 10**9, 2 * 10**6  # ranks of values and pairs, over all units, and at a time
TOO_MANY = "too many different values for ranks, or one item has all the differences"
CONSTANT = "the items do not vary"
Codes = NDArray[np.int64]


def rating_matrix(ratings: ArrayLike, level: str = "interval") -> Floats:
    """Return ratings as a checked matrix of items by judges, NaN where there is none."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    matrix = est.checked(ratings, "a matrix of finite ratings, items by judges", dimensions=2)
    if level == "ratio":
        est.checked(matrix, "ratio ratings of 0 or more", dimensions=2, wrong=lambda x: x < 0)
    return matrix


def _long(
    matrix: Floats, kept: ArrayLike, units: ArrayLike | None, sheets: ArrayLike | None
) -> pd.DataFrame:
    """Return a row for each rating of the items that are kept; units are codes from 0."""
    n = len(matrix)
    unit = np.asarray(np.arange(n) if units is None else units, np.int64)
    sheet = np.asarray(np.zeros(n) if sheets is None else sheets, np.int64)
    if not len(unit) == len(sheet) == n:
        raise ValueError(f"expected a unit and a sheet for each of the {n} items")
    item, judge = np.nonzero(~np.isnan(matrix) & np.asarray(kept)[:, None])
    unit = np.unique(unit[item], return_inverse=True)[1]
    columns = {"rating": matrix[item, judge], "item": item, "unit": unit, "sheet": sheet[item]}
    return pd.DataFrame(columns)


def _rated_twice(matrix: Floats) -> NDArray[np.bool_]:
    return np.asarray((~np.isnan(matrix)).sum(axis=1) >= 2)


def _to_group(x: Floats, groups: Codes, level: str) -> Floats:
    """Return for each value the sum of its squared distances from the values of its group."""
    sizes = np.bincount(groups)
    if level == "interval":
        first = np.zeros(sizes.size)
        first[groups] = x  # any one: equal values then differ by exactly 0
        x = x - first[groups]
        squares = (x - (np.bincount(groups, x) / np.maximum(sizes, 1))[groups]) ** 2
        return np.asarray(sizes[groups] * squares + np.bincount(groups, squares)[groups])
    values, codes = np.unique(x, return_inverse=True)
    cells = groups * values.size + codes
    cells, places, times = np.unique(cells, return_inverse=True, return_counts=True)
    if level == "nominal":
        return np.asarray(sizes[groups] - times[places], np.float64)
    group, value, total = cells // values.size, values[cells % values.size], np.zeros(cells.size)
    for lag in range(1, int(np.bincount(group).max())):
        low, high = value[:-lag], value[lag:]  # ascending in each group
        both = np.where(group[lag:] == group[:-lag], low + high, math.inf)
        far = ((high - low) / both) ** 2
        total[lag:] += times[:-lag] * far
        total[:-lag] += times[lag:] * far
    return np.asarray(total[places])


# Below, the first of the sums and of the ratios 1 - alpha or 1 - ICC leaves out no unit, the
# others one each. Ratios are NaN where nothing can disagree.


def _without(units: Codes, values: Floats, size: int = 0) -> Floats:
    """Return the sum of the values, and their sum without each unit."""
    sums = np.bincount(units, values, size)
    return np.asarray(sums.sum() - np.append(0, sums))


def _alpha_ratios(ratings: pd.DataFrame, level: str) -> Floats:
    """Return the mean of the sheets' ratios; a sheet without a ratio leaves the mean."""
    found, size = [], ratings["unit"].max() + 1
    for _, own in ratings.groupby("sheet"):
        x, item, unit = (own[name].to_numpy() for name in ("rating", "item", "unit"))
        others = np.bincount(item)[item] - 1
        if level == "ordinal":
            found.append(_ordinal_ratios(x, item, unit, others, size))
            continue
        to_item, to_unit = (_to_group(x, group, level) for group in (item, unit))
        to_all = _to_group(x, np.zeros_like(unit), level)
        expected = to_all.sum() - np.append(0, np.bincount(unit, 2 * to_all - to_unit, size))
        possible = np.where(expected > ROUNDING * expected[0], expected, np.nan)
        n, observed = (_without(unit, of, size) for of in (np.ones_like(x), to_item / others))
        found.append((n - 1) * observed / possible)
    return found[0] if len(found) == 1 else pd.DataFrame(found).mean().to_numpy(float)


def _ordinal_ratios(x: Floats, item: Codes, unit: Codes, others: Codes, units: int) -> Floats:
    """Return the ratios of the ranks, which change with each unit that is left out."""
    codes = np.unique(x, return_inverse=True)[1]
    counts = np.bincount(codes)
    given = sparse.csr_array((1 / np.sqrt(others), (item, codes)))
    pairs = sparse.triu(given.T @ given, 1).tocoo()  # of different values of an item, weighted
    size = counts.size + pairs.nnz
    rows, step = 1 if units * size > MOST_RANKS else units + 1, max(1, BLOCK // size)
    ratios = np.full(units + 1, np.nan)
    for start in range(0, rows, step):
        stop = min(start + step, rows)
        mine = np.flatnonzero((start <= unit + 1) & (unit + 1 < stop))
        row, code = unit[mine] + 1 - start, codes[mine]
        out = np.bincount(row * counts.size + code, minlength=(stop - start) * counts.size)
        kept = counts - out.reshape(-1, counts.size)
        n = kept.sum(axis=1)
        ranks = np.cumsum(kept, axis=1) - kept / 2 - n[:, None] / 2
        observed = 2 * (ranks[:, pairs.row] - ranks[:, pairs.col]) ** 2 @ pairs.data
        own = _to_group(ranks[row, code], item[mine], "interval") / others[mine]
        observed -= np.bincount(row, own, stop - start)
        expected = 2 * n * (kept * ranks**2).sum(axis=1)
        ratios[start:stop] = (n - 1) * observed / np.where(expected > 0, expected, np.nan)
    return ratios


def _icc_ratios(matrix: Floats, units: Codes) -> Floats:
    k, x = matrix.shape[1], matrix - matrix[0, 0]  # equal ratings then differ by exactly 0
    x -= x.mean()
    item_sums = np.ones(len(x)), (x**2).sum(axis=1), x.sum(axis=1) ** 2 / k
    n, squares, items = (_without(units, of) for of in item_sums)
    columns = np.array([_without(units, column) for column in x.T])
    with np.errstate(all="ignore"):  # one unit may have nearly all items
        constant = columns.sum(axis=0) ** 2 / (n * k)
        judges = (columns**2).sum(axis=0) / n - constant
        error = np.maximum(squares - items - judges, 0.0) / ((n - 1) * (k - 1))
        between = k * (judges / (k - 1) - error) / n
        whole = (items - constant) / (n - 1) + (k - 1) * error + between
        return np.asarray((k * error + between) / np.where(whole > 0, whole, np.nan))


def _differing(ratings: pd.DataFrame) -> int:
    """Return the number of units with an item whose ratings differ."""
    given, first = ratings["rating"], ratings.groupby("item")["rating"].transform("first")
    return ratings["unit"][(given - first).abs() > ROUNDING * given.abs()].nunique()


def _log_test(ratios: Floats, what: str, alpha: float, *panels: pd.DataFrame) -> Estimate:
    """Return the logarithm of the first ratio with its jackknife test, or why it has none."""
    with np.errstate(all="ignore"):  # log 0 has no interval
        logs = np.log(ratios)
    if (least := min(map(_differing, panels))) < FEWEST:
        items = "1 item has" if least == 1 else f"{least} items have"
        note = f"no {what}: {items} any disagreement, at least {FEWEST} are needed"
        return Estimate(logs[0], note=note)
    error, df = est.jackknife(logs[1:], sum(np.bincount(own["unit"]) for own in panels), scale=1.0)
    if not error > 0:
        return Estimate(logs[0], note=f"no {what}: {CONSTANT if error == 0 else TOO_MANY}")
    return Estimate(logs[0], *est.t_test(logs[0], error, df, alpha))


def _log_estimate(ratings: pd.DataFrame, ratios: Floats, alpha: float) -> Estimate:
    """Return 1 - ratio with the jackknife interval of log(ratio), cut at -1 and 1."""
    n, value = ratings["unit"].nunique(), 1 - float(ratios[0])
    if math.isnan(value):
        return Estimate(value, units=n, note="all ratings are equal")
    test = _log_test(ratios, "interval", alpha, ratings)
    high, low = 1 - np.exp(np.minimum([test.low, test.high], 1.0))
    return Estimate(value, np.maximum(low, -1), np.minimum(high, 1), units=n, note=test.note)


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    level: str = "interval",
    ci: float = 0.95,
    units: ArrayLike | None = None,
    sheets: ArrayLike | None = None,
) -> Estimate:
    """Return Krippendorff's alpha of items by judges, with the jackknife interval.

    The interval is that of log(1 - alpha) (Arvesen 1969). Items with one rating do not count.
    `units` and `sheets` are whole-number codes of the items: each item is a unit and all are in one
    sheet unless they are given. Of several sheets it is the mean.

    >>> round(krippendorff_alpha([[1, 1], [2, 3], [3, 3], [4, 4]], level="ordinal").value, 4)
    0.9103
    """
    alpha, matrix = est.alpha_of(ci), rating_matrix(ratings, level)
    rated = _long(matrix, _rated_twice(matrix), units, sheets)
    if rated.empty:
        return Estimate(math.nan, note="no item has two ratings")
    return _log_estimate(rated, _alpha_ratios(rated, level), alpha)


def alpha_difference(
    ratings_a: ArrayLike,
    ratings_b: ArrayLike,
    *,
    level: str = "interval",
    ci: float = 0.95,
    units: ArrayLike | None = None,
    sheets: ArrayLike | None = None,
) -> Estimate:
    """Return alpha A minus alpha B over shared items (rows) by a jackknife t-test.

    The test is that of log(1 - alpha A) - log(1 - alpha B). Its ends are given as differences
    of alpha that keep the geometric mean of the two values of 1 - alpha.

    >>> a = [[1, 1], [2, 3], [3, 3], [4, 5], [1, 2], [5, 4], [2, 1], [3, 2]]
    >>> alpha_difference(a, a).note
    'identical on all 8 items'
    """
    a, b, alpha = rating_matrix(ratings_a, level), rating_matrix(ratings_b, level), est.alpha_of(ci)
    if len(a) != len(b):
        raise ValueError(f"expected the same items, not {len(a)} and {len(b)}")
    shared = _rated_twice(a) & _rated_twice(b)
    panels = [_long(matrix, shared, units, sheets) for matrix in (a, b)]
    n = panels[0]["unit"].nunique()
    if note := est.few_units_note(n, "items", "test"):
        return Estimate(math.nan, units=n, note=note)
    of_a, of_b = (_alpha_ratios(panel, level) for panel in panels)
    value = float(of_b[0] - of_a[0])
    with np.errstate(all="ignore"):
        test = _log_test(of_a / of_b, "test", alpha, *panels)
    if test.note.endswith(CONSTANT) and abs(test.value) < ROUNDING:
        return Estimate(0.0, p=1.0, units=n, note=f"identical on all {n} items")
    # 2 is the largest difference of two alphas; beyond 10 the ends only grow.
    reach = np.sinh(np.clip([test.high, test.low], -10, 10) / 2)
    low, high = np.clip(-2 * math.sqrt(of_a[0] * of_b[0]) * reach, -2, 2)
    return Estimate(value, low, high, test.p, n, test.note)


def icc(
    ratings: ArrayLike, *, ci: float = 0.95, units: ArrayLike | None = None
) -> tuple[Estimate, Estimate]:
    """Return ICC(2,1) and ICC(2,k), absolute agreement, over the items that all judges rated.

    The interval of ICC(2,k) has no lower end where 1 + (k - 1) ICC is not above 0.

    >>> single, average = icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(single.value, 4), round(average.value, 4)
    (0.2614, 0.586)
    """
    matrix, alpha = rating_matrix(ratings), est.alpha_of(ci)
    complete = np.asarray(~np.isnan(matrix).any(axis=1))
    n, k = complete.sum(), matrix.shape[1]
    if n < 3 or k < 2:
        nothing = Estimate(math.nan, units=int(n), note="fewer than 3 complete items or 2 judges")
        return nothing, nothing
    rated = _long(matrix, complete, units, None)
    ratios = _icc_ratios(matrix[complete], rated["unit"].to_numpy()[::k])
    single = _log_estimate(rated, ratios, alpha)
    ends = np.array([single.value, single.low, single.high])
    below = 1 + (k - 1) * ends
    value, low, high = k * ends / np.where(below > 0, below, np.nan)
    no_low = math.isnan(low) and not math.isnan(single.low)
    note = "no lower end: 1 + (k - 1) ICC may be 0" if no_low else single.note
    return single, Estimate(value, np.maximum(low, -1), high, units=int(n), note=note)
