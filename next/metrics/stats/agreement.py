"""Agreement of judges: Krippendorff's alpha, ICC, Gwet's AC1, Cohen's kappa."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.stats import estimate as est
from scoresheet.metrics.stats.estimate import FEWEST, ROUNDING, Estimate, Floats

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def rating_matrix(ratings: ArrayLike, level: str = "interval") -> Floats:
    """Return ratings as a checked matrix of items by judges, NaN where there is none."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    matrix = est.checked(ratings, "a matrix of finite ratings, items by judges", dimensions=2)
    if level == "ratio":
        est.checked(matrix, "ratio ratings of 0 or more", dimensions=2, wrong=lambda x: x < 0)
    return matrix


def _rating_counts(matrix: Floats) -> NDArray[np.int64]:
    return np.asarray((~np.isnan(matrix)).sum(axis=1))


def _distances(matrix: Floats, others: Floats, weights: ArrayLike, level: str) -> Floats:
    """Return for each rating the weighted sum of its squared differences from the others."""
    total = np.zeros_like(matrix)
    for other, weight in zip(others, np.asarray(weights), strict=True):
        gaps = matrix - other
        if level == "nominal":
            gaps = np.sign(gaps)
        elif level == "ratio":
            gaps /= np.where(matrix + other == 0, 1.0, matrix + other)
        total += weight * np.nan_to_num(gaps) ** 2
    return total


def _within(matrix: Floats, level: str) -> Floats:
    """Return each item's squared differences over ordered pairs, divided by its ratings - 1."""
    judges = matrix.T[:, :, None]
    distances = _distances(matrix, judges, np.ones(len(judges)), level)
    return np.asarray(distances.sum(axis=1) / (_rating_counts(matrix) - 1))


def _disagreement_ratios(matrix: Floats, level: str) -> tuple[float, Floats]:
    """Return 1 - alpha, and the same without each item."""
    given = ~np.isnan(matrix)
    if np.ptp(matrix[given]) == 0:
        return math.nan, np.full(len(matrix), np.nan)  # nothing can disagree
    if level == "ordinal":
        return _ordinal_ratios(matrix)
    sizes, within = _rating_counts(matrix), _within(matrix, level)
    n, observed = sizes.sum(), within.sum()
    if level == "interval":
        squares = (matrix - np.nanmean(matrix)) ** 2
        to_all = np.where(given, n * squares + np.nansum(squares), 0.0)
    else:
        to_all = _distances(matrix, *np.unique(matrix[given], return_counts=True), level)
    expected = to_all.sum()
    expected_without = expected - 2 * to_all.sum(axis=1) + (sizes - 1) * within
    expected_without[expected_without <= 0] = np.nan
    without = (n - sizes - 1) * (observed - within) / expected_without
    return float((n - 1) * observed / expected), without


def _ordinal_ratios(matrix: Floats) -> tuple[float, Floats]:
    """Return 1 - alpha, and the same without each item: the ranks change every time."""
    given = ~np.isnan(matrix)
    values, places = np.unique(matrix[given], return_inverse=True)
    codes = np.full(matrix.shape, values.size)
    codes[given] = places
    # Equal items give equal results, each computed once.
    patterns, item, times = np.unique(
        np.sort(codes, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    sizes = (patterns < values.size).sum(axis=1)

    def ratio(times: NDArray[np.int64]) -> float:
        weights = np.repeat(times, matrix.shape[1])
        counts = np.bincount(patterns.ravel(), weights, values.size + 1)[:-1]
        n = counts.sum()
        ranks = np.append(np.cumsum(counts) - counts / 2 - n / 2, 0.0)  # 0: a missing rating
        x = ranks[patterns]
        within = (sizes * (x**2).sum(axis=1) - x.sum(axis=1) ** 2) / (sizes - 1)
        expected = n * (counts @ ranks[:-1] ** 2) - (counts @ ranks[:-1]) ** 2
        return float((n - 1) * (within @ times) / expected) if expected > 0 else math.nan

    without = [ratio(times - (np.arange(times.size) == left_out)) for left_out in range(times.size)]
    return ratio(times), np.array(without)[item.reshape(-1)]


def _disagreement_note(what: str, *panels: Floats) -> str:
    """Return a note where a panel has too few items with different ratings, else nothing."""
    counts = []
    for matrix in panels:
        ranges = np.nanmax(matrix, axis=1) - np.nanmin(matrix, axis=1)
        counts.append(int((ranges > ROUNDING * np.nanmax(np.abs(matrix))).sum()))
    if min(counts) >= FEWEST:
        return ""
    items = "1 item has" if min(counts) == 1 else f"{min(counts)} items have"
    return f"{what}: {items} any disagreement, at least {FEWEST} are needed"


def _log_estimate(matrix: Floats, ratio: float, without: Floats, alpha: float) -> Estimate:
    """Return 1 - ratio with the jackknife interval of log(ratio), cut at -1 and 1."""
    n = len(matrix)
    if math.isnan(ratio):
        return Estimate(math.nan, units=n, note="all ratings are equal")
    if note := _disagreement_note("no interval", matrix):
        return Estimate(1 - ratio, units=n, note=note)
    error, df = 0.0, math.nan
    if (without > 0).all():
        error, df = est.jackknife(np.log(without), _rating_counts(matrix), scale=1.0)
    if error == 0:
        return Estimate(1 - ratio, units=n, note="no interval: the items do not vary")
    low, high, _ = est.t_test(math.log(ratio), error, df, alpha)
    ends = max(-1.0, 1 - math.exp(min(high, 1.0))), min(1.0, 1 - math.exp(low))
    return Estimate(1 - ratio, *ends, units=n)


def krippendorff_alpha(
    ratings: ArrayLike, *, level: str = "interval", ci: float = 0.95
) -> Estimate:
    """Return Krippendorff's alpha of items by judges, with the item-jackknife interval.

    The interval is that of log(1 - alpha) (Arvesen 1969). Items with one rating do not count.

    >>> round(krippendorff_alpha([[1, 1], [2, 3], [3, 3], [4, 4]], level="ordinal").value, 4)
    0.9103
    """
    matrix, alpha = rating_matrix(ratings, level), est.alpha_of(ci)
    matrix = matrix[_rating_counts(matrix) >= 2]
    if not len(matrix):
        return Estimate(math.nan, note="no item has two ratings")
    return _log_estimate(matrix, *_disagreement_ratios(matrix, level), alpha)


def alpha_difference(
    ratings_a: ArrayLike, ratings_b: ArrayLike, *, level: str = "interval", ci: float = 0.95
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
    a, b, n = a[shared], b[shared], int(shared.sum())
    if n < FEWEST:
        return Estimate(math.nan, units=n, note=f"no test: {n} items, at least {FEWEST} are needed")
    ratio_a, without_a = _disagreement_ratios(a, level)
    ratio_b, without_b = _disagreement_ratios(b, level)
    value = ratio_b - ratio_a
    if note := _disagreement_note("no test", a, b):
        return Estimate(value, units=n, note=note)
    centre, rows = math.log(ratio_a / ratio_b), _rating_counts(a) + _rating_counts(b)
    error, df = est.jackknife(np.log(without_a) - np.log(without_b), rows, scale=1.0)
    if error == 0 and abs(centre) < ROUNDING:
        return Estimate(0.0, p=1.0, units=n, note=f"identical on all {n} items")
    if error == 0:
        return Estimate(value, units=n, note="no test: the items do not vary")
    spread = 2 * math.sqrt(ratio_a * ratio_b)
    *ends, p = est.t_test(centre, error, df, alpha)
    # 2 is the largest difference of two alphas; beyond 10 the ends only grow.
    high, low = np.clip(-spread * np.sinh(np.clip(ends, -10, 10) / 2), -2, 2)
    return Estimate(value, low, high, p, n)


def observed_agreement(ratings: ArrayLike) -> float:
    """Return the share of equal ratings among the pairs of ratings of an item.

    >>> observed_agreement([[1, 1], [2, 3], [3, 3], [4, 4]])
    0.75
    """
    matrix = rating_matrix(ratings)
    matrix = matrix[_rating_counts(matrix) >= 2]
    if not len(matrix):
        return math.nan  # there is no pair
    return 1 - float(_within(matrix, "nominal").sum() / _rating_counts(matrix).sum())


def _icc_ratios(matrix: Floats) -> tuple[float, Floats]:
    """Return 1 - ICC(2,1), and the same without each item."""
    n, k = matrix.shape
    if np.ptp(matrix) == 0:
        return math.nan, np.full(n, np.nan)  # nothing can disagree
    x = matrix - matrix.mean()
    squares, row_squares, columns = (x**2).sum(axis=1), x.sum(axis=1) ** 2 / k, x.sum(axis=0)

    def ratio(n: int, squares: Floats, row_squares: Floats, columns: Floats) -> Floats:
        constant = columns.sum(axis=-1) ** 2 / (n * k)
        judges = (columns**2).sum(axis=-1) / n - constant
        error = np.maximum(squares - row_squares - judges, 0.0) / ((n - 1) * (k - 1))
        between = k * (judges / (k - 1) - error) / n
        whole = (row_squares - constant) / (n - 1) + (k - 1) * error + between
        return np.asarray((k * error + between) / np.where(whole > 0, whole, np.nan))

    all_squares, all_row_squares = squares.sum(), row_squares.sum()
    without = ratio(n - 1, all_squares - squares, all_row_squares - row_squares, columns - x)
    return float(ratio(n, all_squares, all_row_squares, columns)), without


def icc(ratings: ArrayLike, *, ci: float = 0.95) -> tuple[Estimate, Estimate]:
    """Return ICC(2,1) and ICC(2,k), absolute agreement, over the items that all judges rated.

    The interval of ICC(2,k) has no lower end where 1 + (k - 1) ICC is not above 0.

    >>> single, average = icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(single.value, 4), round(average.value, 4)
    (0.2614, 0.586)
    """
    matrix, alpha = rating_matrix(ratings), est.alpha_of(ci)
    matrix = matrix[~np.isnan(matrix).any(axis=1)]
    n, k = matrix.shape
    if n < 3 or k < 2:
        nothing = Estimate(math.nan, units=n, note="fewer than 3 complete items or 2 judges")
        return nothing, nothing
    single = _log_estimate(matrix, *_icc_ratios(matrix), alpha)

    def stepped_up(value: float) -> float:
        below = 1 + (k - 1) * value
        return k * value / below if below > 0 else math.nan

    value, low, high = (stepped_up(x) for x in (single.value, single.low, single.high))
    no_low = math.isnan(low) and not math.isnan(single.low)
    note = "no lower end: 1 + (k - 1) ICC may be 0" if no_low else single.note
    # max keeps NaN, its first argument
    return single, Estimate(value, max(low, -1.0), high, units=n, note=note)


def gwet_ac1(ratings: ArrayLike) -> float:
    """Return Gwet's AC1 of labels; the categories are those that occur.

    >>> round(gwet_ac1([[1, 1], [1, 1], [1, 2], [2, 2]]), 4)
    0.5294
    """
    matrix = rating_matrix(ratings)
    labels = np.unique(matrix[~np.isnan(matrix)])
    counts = np.array([(matrix == label).sum(axis=1) for label in labels])
    sizes = _rating_counts(matrix)
    if labels.size < 2 or not (sizes >= 2).any():
        return math.nan  # one category leaves nothing to agree on
    pairs = (counts * (counts - 1)).sum(axis=0)[sizes >= 2]
    agreement = float((pairs / (sizes * (sizes - 1))[sizes >= 2]).mean())
    shares = (counts[:, sizes > 0] / sizes[sizes > 0]).mean(axis=1)
    chance = float((shares * (1 - shares)).sum()) / (labels.size - 1)
    return (agreement - chance) / (1 - chance)


def cohen_kappa(a: ArrayLike, b: ArrayLike, *, weights: str = "none") -> float:
    """Return Cohen's kappa of two judges; quadratic weights use the ratings as numbers.

    >>> round(cohen_kappa([1, 2, 3, 1], [1, 2, 3, 2], weights="quadratic"), 4)
    0.8
    """
    if weights not in ("none", "quadratic"):
        raise ValueError(f"weights must be 'none' or 'quadratic', not {weights!r}")
    if np.shape(a) != np.shape(b) or np.ndim(a) != 1:
        raise ValueError(f"expected two lists of one length, not {np.shape(a)} and {np.shape(b)}")
    pairs = rating_matrix(np.column_stack([a, b]))
    pairs = pairs[_rating_counts(pairs) == 2]
    if not len(pairs) or np.ptp(pairs) == 0:
        return math.nan  # no shared item, or one label only: there is no chance agreement to beat
    x, y = pairs.T
    if weights == "quadratic":
        expected = x.var() + y.var() + (x.mean() - y.mean()) ** 2
        return 1 - float(((x - y) ** 2).mean() / expected)
    chance = sum((x == label).mean() * (y == label).mean() for label in np.unique(pairs))
    return 1 - float((x != y).mean() / (1 - chance))
