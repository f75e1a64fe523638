"""Agreement of judges: Krippendorff's alpha and ICC, with their intervals."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics import stats as est
from scoresheet.metrics.stats import FEWEST, ROUNDING, Estimate, Floats

MOST_PATTERNS = 3000  # different items of which each is left out to rank the others again
TOO_MANY = "too many different items for ranks, or one item has all the differences"
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def rating_matrix(ratings: ArrayLike, level: str = "interval") -> Floats:
    """Return ratings as a checked matrix of items by judges, NaN where there is none."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    matrix = est.checked(ratings, "a matrix of finite ratings, items by judges", dimensions=2)
    if level == "ratio":
        est.checked(matrix, "ratio ratings of 0 or more", dimensions=2, wrong=lambda x: x < 0)
    return matrix


class _Panel(NamedTuple):
    """Ratings of items by judges, with the codes of each item's unit and sheet."""

    ratings: Floats
    units: NDArray[np.int64]
    sheets: NDArray[np.int64]

    def kept(self, items: NDArray[np.bool_]) -> "_Panel":
        """Return the panel with some of its items; the codes of its units start at 0."""
        units = np.unique(self.units[items], return_inverse=True)[1]
        return _Panel(self.ratings[items], units.reshape(-1), self.sheets[items])

    @property
    def size(self) -> int:
        """The number of units."""
        return int(self.units.max()) + 1 if self.units.size else 0

    def per_unit(self, values: ArrayLike) -> Floats:
        """Return the sum of the items' values for each unit."""
        return np.asarray(np.bincount(self.units, np.asarray(values, float), self.size))


def _panel(ratings: Floats, units: ArrayLike | None, sheets: ArrayLike | None) -> _Panel:
    n = len(ratings)
    codes = [
        np.asarray(default if given is None else given, np.int64)
        for given, default in ((units, np.arange(n)), (sheets, np.zeros(n)))
    ]
    if any(len(code) != n for code in codes):
        raise ValueError(f"expected a unit and a sheet for each of the {n} items")
    return _Panel(ratings, *codes)


def _rating_counts(matrix: Floats) -> NDArray[np.int64]:
    return np.asarray((~np.isnan(matrix)).sum(axis=1))


def _distances(matrix: Floats, others: Floats, weights: ArrayLike, level: str) -> Floats:
    """Return for each item the weighted sum of its squared differences from the others."""
    total = np.zeros_like(matrix)
    for other, weight in zip(others, np.asarray(weights), strict=True):
        gaps = matrix - other
        if level == "nominal":
            gaps = np.sign(gaps)
        elif level == "ratio":
            gaps /= np.where(matrix + other == 0, 1.0, matrix + other)
        total += weight * np.nan_to_num(gaps) ** 2
    return np.asarray(total.sum(axis=1))


# Below, the first of the ratios 1 - alpha or 1 - ICC leaves out no item, the others one each.
# Where nothing can disagree they are NaN.


def _unit_ratios(panel: _Panel, ratios: Callable[[Floats], Floats]) -> Floats:
    """Return the mean of the sheets' ratios, and the same without each unit.

    A sheet without a ratio leaves the mean.
    """
    found = []
    for sheet in np.unique(panel.sheets):
        matrix, units = (of[panel.sheets == sheet] for of in (panel.ratings, panel.units))
        own = ratios(matrix)
        without = np.full(panel.size + 1, own[0])
        codes, first, counts = np.unique(units, return_index=True, return_counts=True)
        without[codes + 1] = own[first + 1]
        for code in codes[counts > 1]:
            rest = matrix[units != code]
            with np.errstate(all="ignore"):  # what leaves one more out is not used
                without[code + 1] = ratios(rest)[0] if len(rest) else math.nan
        found.append(without)
    return found[0] if len(found) == 1 else pd.DataFrame(found).mean().to_numpy(float)


def _alpha_ratios(matrix: Floats, level: str) -> Floats:
    if level == "ordinal":
        return _ordinal_ratios(matrix)
    given, judges = ~np.isnan(matrix), matrix.T[:, :, None]
    sizes = np.append(0, _rating_counts(matrix))
    n = sizes.sum()
    within = _distances(matrix, judges, np.ones(len(judges)), level)
    if level == "interval":
        x = matrix - matrix[given][0]  # equal ratings then differ by exactly 0
        squares = (x - np.nanmean(x)) ** 2
        to_all = np.nansum(n * squares + np.nansum(squares), axis=1)
    else:
        to_all = _distances(matrix, *np.unique(matrix[given], return_counts=True), level)
    expected = to_all.sum() - 2 * np.append(0, to_all) + np.append(0, within)
    observed = np.append(0, within / (sizes[1:] - 1))
    possible = np.where(expected > 0, expected, np.nan)
    return np.asarray((n - sizes - 1) * (observed.sum() - observed) / possible)


def _ordinal_ratios(matrix: Floats) -> Floats:
    """Return the ratios of the ranks, which change with each item that is left out."""
    given = ~np.isnan(matrix)
    values, places = np.unique(matrix[given], return_inverse=True)
    codes = np.full(matrix.shape, values.size)
    codes[given] = places
    # Equal items give equal results, each computed once.
    patterns, item, times = np.unique(
        np.sort(codes, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    sizes = (patterns < values.size).sum(axis=1)
    ratios = []
    for left_out in range(-1, times.size if times.size <= MOST_PATTERNS else 0):
        kept = times - (np.arange(times.size) == left_out)
        counts = np.bincount(patterns.ravel(), np.repeat(kept, matrix.shape[1]), values.size + 1)
        n = counts[:-1].sum()
        ranks = np.cumsum(counts) - counts / 2 - n / 2
        counts[-1] = ranks[-1] = 0.0  # a missing rating
        x = ranks[patterns]
        within = (sizes * (x**2).sum(axis=1) - x.sum(axis=1) ** 2) / (sizes - 1)
        expected = n * (counts @ ranks**2) - (counts @ ranks) ** 2
        ratios.append((n - 1) * (within @ kept) / expected if expected > 0 else math.nan)
    if times.size > MOST_PATTERNS:
        return np.append(ratios, np.full(len(matrix), np.nan))
    return np.asarray(np.array(ratios)[np.append(0, item.reshape(-1) + 1)])


def _icc_ratios(matrix: Floats) -> Floats:
    k = matrix.shape[1]
    x = matrix - matrix[0, 0]  # equal ratings then differ by exactly 0
    x -= x.mean()
    left_out = np.vstack([np.zeros(k), x])
    n = len(matrix) - np.arange(len(left_out)).clip(max=1)
    squares = (x**2).sum() - (left_out**2).sum(axis=1)
    items = ((x.sum(axis=1) ** 2).sum() - left_out.sum(axis=1) ** 2) / k
    columns = x.sum(axis=0) - left_out
    constant = columns.sum(axis=1) ** 2 / (n * k)
    judges = (columns**2).sum(axis=1) / n - constant
    error = np.maximum(squares - items - judges, 0.0) / ((n - 1) * (k - 1))
    between = k * (judges / (k - 1) - error) / n
    whole = (items - constant) / (n - 1) + (k - 1) * error + between
    return np.asarray((k * error + between) / np.where(whole > 0, whole, np.nan))


def _disagreement_note(what: str, *panels: _Panel) -> str:
    """Return a note where a panel has too few units with different ratings, else nothing."""
    counts = []
    for panel in panels:
        spread = np.nanmax(panel.ratings, axis=1) - np.nanmin(panel.ratings, axis=1)
        differs = spread > ROUNDING * np.nanmax(np.abs(panel.ratings))
        counts.append(int((panel.per_unit(differs) > 0).sum()))
    least = min(counts)
    items = "1 item has" if least == 1 else f"{least} items have"
    note = f"{what}: {items} any disagreement, at least {FEWEST} are needed"
    return note if least < FEWEST else ""


def _log_estimate(panel: _Panel, ratios: Floats, alpha: float) -> Estimate:
    """Return 1 - ratio with the jackknife interval of log(ratio), cut at -1 and 1."""
    n, value = panel.size, 1 - float(ratios[0])
    if math.isnan(value):
        return Estimate(value, units=n, note="all ratings are equal")
    if note := _disagreement_note("no interval", panel):
        return Estimate(value, units=n, note=note)
    rows = panel.per_unit(_rating_counts(panel.ratings))
    error, df = est.jackknife(np.log(ratios[1:]), rows, scale=1.0)
    if math.isnan(error):
        return Estimate(value, units=n, note=f"no interval: {TOO_MANY}")
    if error == 0:
        return Estimate(value, units=n, note="no interval: the items do not vary")
    low, high, _ = est.t_test(math.log(ratios[0]), error, df, alpha)
    ends = max(-1.0, 1 - math.exp(min(high, 1.0))), min(1.0, 1 - math.exp(low))
    return Estimate(value, *ends, units=n)


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
    alpha, panel = est.alpha_of(ci), _panel(rating_matrix(ratings, level), units, sheets)
    panel = panel.kept(_rating_counts(panel.ratings) >= 2)
    if not panel.size:
        return Estimate(math.nan, note="no item has two ratings")
    return _log_estimate(panel, _unit_ratios(panel, lambda m: _alpha_ratios(m, level)), alpha)


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
    shared = (_rating_counts(a) >= 2) & (_rating_counts(b) >= 2)
    first, second = (_panel(matrix, units, sheets).kept(shared) for matrix in (a, b))
    n = first.size
    if note := est.few_units_note(n, "items", "test"):
        return Estimate(math.nan, units=n, note=note)
    ratios_a, ratios_b = (
        _unit_ratios(panel, lambda m: _alpha_ratios(m, level)) for panel in (first, second)
    )
    value = float(ratios_b[0] - ratios_a[0])
    if note := _disagreement_note("no test", first, second):
        return Estimate(value, units=n, note=note)
    centre, *logs = np.log(ratios_a) - np.log(ratios_b)
    rows = sum(panel.per_unit(_rating_counts(panel.ratings)) for panel in (first, second))
    error, df = est.jackknife(np.array(logs), rows, scale=1.0)
    if math.isnan(error):
        return Estimate(value, units=n, note=f"no test: {TOO_MANY}")
    if error == 0 and abs(centre) < ROUNDING:
        return Estimate(0.0, p=1.0, units=n, note=f"identical on all {n} items")
    if error == 0:
        return Estimate(value, units=n, note="no test: the items do not vary")
    *ends, p = est.t_test(centre, error, df, alpha)
    spread = 2 * math.sqrt(ratios_a[0] * ratios_b[0])
    # 2 is the largest difference of two alphas; beyond 10 the ends only grow.
    high, low = np.clip(-spread * np.sinh(np.clip(ends, -10, 10) / 2), -2, 2)
    return Estimate(value, low, high, p, n)


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
    panel = _panel(matrix, units, None).kept(complete)
    n, k = panel.ratings.shape
    if n < 3 or k < 2:
        nothing = Estimate(math.nan, units=n, note="fewer than 3 complete items or 2 judges")
        return nothing, nothing
    single = _log_estimate(panel, _unit_ratios(panel, _icc_ratios), alpha)
    ends = np.array([single.value, single.low, single.high])
    below = 1 + (k - 1) * ends
    value, low, high = k * ends / np.where(below > 0, below, np.nan)
    no_low = math.isnan(low) and not math.isnan(single.low)
    note = "no lower end: 1 + (k - 1) ICC may be 0" if no_low else single.note
    return single, Estimate(value, np.maximum(low, -1), high, units=n, note=note)
