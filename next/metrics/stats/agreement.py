"""Agreement of judges: Krippendorff's alpha, ICC, Gwet's AC1, Cohen's kappa."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.stats.estimate import (
    FEWEST,
    ROUNDING,
    Estimate,
    Floats,
    check_level,
    jackknife,
    t_interval,
    t_p_value,
)

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def rating_matrix(ratings: ArrayLike) -> Floats:
    """Return ratings as a checked matrix of items by judges, NaN where there is none."""
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"expected a matrix of items by judges, not the shape {matrix.shape}")
    if np.isinf(matrix).any():
        raise ValueError(f"expected finite ratings, not {matrix[np.isinf(matrix)][0]}")
    return matrix


def _pairable(matrix: Floats) -> NDArray[np.bool_]:
    return np.asarray((~np.isnan(matrix)).sum(axis=1) >= 2)


def _disagreeing(matrix: Floats) -> int:
    """Return the number of items whose ratings are not all equal."""
    largest = np.where(np.isnan(matrix), -np.inf, matrix).max(axis=1, initial=-np.inf)
    smallest = np.where(np.isnan(matrix), np.inf, matrix).min(axis=1, initial=np.inf)
    scale = np.nanmax(np.abs(matrix), initial=0.0)
    return int((largest - smallest > ROUNDING * scale).sum())


class _Patterns(NamedTuple):
    """The distinct items: equal items give equal delete-one values, each computed once."""

    values: Floats  # the distinct ratings, and a 0 at the end for a missing one
    codes: NDArray[np.int64]  # places in values, one row per pattern
    times: NDArray[np.int64]  # items of each pattern
    item: NDArray[np.int64]  # the pattern of each item
    sizes: NDArray[np.int64]  # ratings of each pattern


def _patterns(matrix: Floats) -> _Patterns:
    given = ~np.isnan(matrix)
    values, places = np.unique(matrix[given], return_inverse=True)
    codes = np.full(matrix.shape, values.size)
    codes[given] = places
    codes, item, times = np.unique(
        np.sort(codes, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    sizes = (codes < values.size).sum(axis=1)
    return _Patterns(np.append(values, 0.0), codes, times, item.reshape(-1), sizes)


def _squared_differences(a: Floats, b: Floats, level: str) -> Floats:
    if level == "nominal":
        return np.asarray(a != b, dtype=np.float64)
    scale = np.where(a + b == 0, 1.0, a + b) if level == "ratio" else 1.0
    return np.asarray(((a - b) / scale) ** 2)


def _within(patterns: _Patterns, values: Floats, level: str) -> Floats:
    """Return each pattern's squared differences over ordered pairs, divided by ratings - 1."""
    x = values[patterns.codes]
    given = patterns.codes < values.size - 1
    total = np.zeros(len(x))
    for judge in range(x.shape[1]):
        squares = _squared_differences(x[:, [judge]], x, level)
        total += (squares * (given & given[:, [judge]])).sum(axis=1)
    return total / (patterns.sizes - 1)


def _distances_to_all(values: Floats, counts: Floats, level: str) -> Floats:
    """Return for each value the sum of its squared differences from all ratings."""
    if level == "nominal":
        return np.asarray(counts.sum() - counts)
    if level == "interval":
        first, second = counts @ values, counts @ values**2
        return np.asarray(counts.sum() * values**2 - 2 * values * first + second)
    return np.array([_squared_differences(x, values, level) @ counts for x in values])


def _disagreement_ratios(matrix: Floats, level: str) -> tuple[float, Floats, NDArray[np.int64]]:
    """Return 1 - alpha, the same without each item, and the ratings of each item."""
    patterns = _patterns(matrix)
    rows = patterns.sizes[patterns.item]
    if patterns.values.size <= 2:
        return math.nan, np.full(len(matrix), np.nan), rows  # all ratings are equal
    weights = np.repeat(patterns.times, matrix.shape[1])
    tally = np.bincount(patterns.codes.ravel(), weights)[: patterns.values.size - 1]
    counts = tally.astype(np.float64)
    if level == "ordinal":
        ratio, ratios = _ordinal_ratios(patterns, counts)
        return ratio, ratios[patterns.item], rows
    # Around their mean the squares of interval ratings lose no digits.
    values = patterns.values - (patterns.values[:-1].mean() if level == "interval" else 0.0)
    within = _within(patterns, values, level)
    to_all = _distances_to_all(values[:-1], counts, level)
    n, observed, expected = counts.sum(), within @ patterns.times, to_all @ counts
    lost = np.append(to_all, 0.0)[patterns.codes].sum(axis=1)
    expected_without = expected - 2 * lost + (patterns.sizes - 1) * within
    expected_without[expected_without <= 0] = np.nan
    ratios = (n - patterns.sizes - 1) * (observed - within) / expected_without
    return float((n - 1) * observed / expected), ratios[patterns.item], rows


def _ordinal_ratios(patterns: _Patterns, counts: Floats) -> tuple[float, Floats]:
    """Return 1 - alpha, and the same without each pattern once: the ranks change every time."""

    def ratio(kept: Floats, leave: int | None) -> float:
        n = kept.sum()
        ranks = np.append(np.cumsum(kept) - kept / 2 - n / 2, 0.0)
        x = ranks[patterns.codes]
        within = patterns.sizes * (x**2).sum(axis=1) - x.sum(axis=1) ** 2
        within = 2 * within / (patterns.sizes - 1)
        observed = within @ patterns.times - (0.0 if leave is None else within[leave])
        expected = 2 * (n * (kept @ ranks[:-1] ** 2) - (kept @ ranks[:-1]) ** 2)
        return float((n - 1) * observed / expected) if expected > 0 else math.nan

    tallies = (np.bincount(codes, minlength=counts.size + 1)[:-1] for codes in patterns.codes)
    without = [ratio(counts - tally, index) for index, tally in enumerate(tallies)]
    return ratio(counts, None), np.array(without)


def _check_scale(level: str, *matrices: Floats) -> None:
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    for matrix in matrices:
        if level == "ratio" and (matrix < 0).any():
            raise ValueError(f"ratio ratings must be 0 or more, not {matrix[matrix < 0][0]}")


def _disagreement_note(count: int, what: str) -> str:
    items = "1 item has" if count == 1 else f"{count} items have"
    return f"{what}: {items} any disagreement, at least {FEWEST} are needed"


def _log_interval_estimate(
    matrix: Floats, ratio: float, without: Floats, rows: ArrayLike | None, ci: float
) -> Estimate:
    """Return 1 - ratio with the interval of log(ratio), cut at -1 and 1."""
    n, differing = len(matrix), _disagreeing(matrix)
    if math.isnan(ratio):
        return Estimate(math.nan, units=n, note="all ratings are equal")
    if differing < FEWEST:
        return Estimate(1 - ratio, units=n, note=_disagreement_note(differing, "no interval"))
    error, df = jackknife(np.log(without), rows, scale=1.0) if (without > 0).all() else (0.0, 0.0)
    if error == 0:
        return Estimate(1 - ratio, units=n, note="no interval: the items do not vary")
    low, high = t_interval(math.log(ratio), error, df, 1 - ci)
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
    matrix = rating_matrix(ratings)
    _check_scale(level, matrix)
    matrix = matrix[_pairable(matrix)]
    if not len(matrix):
        return Estimate(math.nan, note="no item has two ratings")
    return _log_interval_estimate(matrix, *_disagreement_ratios(matrix, level), check_level(ci))


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
    a, b = rating_matrix(ratings_a), rating_matrix(ratings_b)
    _check_scale(level, a, b)
    if len(a) != len(b):
        raise ValueError(f"expected the same items, not {len(a)} and {len(b)}")
    shared = _pairable(a) & _pairable(b)
    a, b, n = a[shared], b[shared], int(shared.sum())
    alpha = 1 - check_level(ci)
    if n < FEWEST:
        return Estimate(math.nan, units=n, note=f"no test: {n} items, at least {FEWEST} are needed")
    ratio_a, without_a, rows_a = _disagreement_ratios(a, level)
    ratio_b, without_b, rows_b = _disagreement_ratios(b, level)
    value, differing = ratio_b - ratio_a, min(_disagreeing(a), _disagreeing(b))
    if differing < FEWEST:
        return Estimate(value, units=n, note=_disagreement_note(differing, "no test"))
    centre = math.log(ratio_a / ratio_b)
    error, df = jackknife(np.log(without_a) - np.log(without_b), rows_a + rows_b, scale=1.0)
    if error == 0 and abs(centre) < 1e-12:
        return Estimate(0.0, p=1.0, units=n, note=f"identical on all {n} items")
    if error == 0:
        return Estimate(value, units=n, note="no test: the items do not vary")
    spread = 2 * math.sqrt(ratio_a * ratio_b)
    # 2 is the largest difference of two alphas; beyond 5 sinh only grows.
    ends = (np.clip(end / 2, -5, 5) for end in t_interval(centre, error, df, alpha))
    high, low = (float(np.clip(-spread * math.sinh(end), -2, 2)) for end in ends)
    return Estimate(value, low, high, t_p_value(centre, error, df), n)


def observed_agreement(ratings: ArrayLike) -> float:
    """Return the share of equal ratings among the pairs of ratings of an item.

    >>> observed_agreement([[1, 1], [2, 3], [3, 3], [4, 4]])
    0.75
    """
    matrix = rating_matrix(ratings)
    matrix = matrix[_pairable(matrix)]
    if not len(matrix):
        return math.nan  # there is no pair
    patterns = _patterns(matrix)
    unequal = _within(patterns, patterns.values, "nominal") @ patterns.times
    return 1 - float(unequal / (patterns.sizes @ patterns.times))


def icc(ratings: ArrayLike, *, ci: float = 0.95) -> tuple[Estimate, Estimate]:
    """Return ICC(2,1) and ICC(2,k), absolute agreement, over the items that all judges rated.

    The interval of ICC(2,k) has no lower end where 1 + (k - 1) ICC is not above 0.

    >>> single, average = icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> round(single.value, 4), round(average.value, 4)
    (0.2614, 0.586)
    """
    matrix = rating_matrix(ratings)
    matrix = matrix[~np.isnan(matrix).any(axis=1)]
    level = check_level(ci)
    n, k = matrix.shape
    if n < 3 or k < 2:
        nothing = Estimate(math.nan, units=n, note="fewer than 3 complete items or 2 judges")
        return nothing, nothing
    grand = matrix.mean()
    row, column = matrix.mean(axis=1) - grand, matrix.mean(axis=0) - grand
    rest = matrix - grand - row[:, None] - column
    squares = k * (row**2).sum(), n * (column**2).sum(), (rest**2).sum()
    # The residuals give the three sums of squares without each item in closed form.
    squares_without = (
        squares[0] - k * row**2 * n / (n - 1),
        (n - 1) * ((column - rest / (n - 1)) ** 2).sum(axis=1),
        squares[2] - (rest**2).sum(axis=1) * n / (n - 1),
    )
    varied = np.ptp(matrix) > 0
    ratio = float(_icc_ratio(*squares, n, k)) if varied else math.nan
    without = _icc_ratio(*squares_without, n - 1, k) if varied else row
    single = _log_interval_estimate(matrix, ratio, without, None, level)

    def stepped_up(value: float) -> float:
        below = 1 + (k - 1) * value
        return k * value / below if below > 0 else math.nan

    note, low = single.note, stepped_up(single.low)
    if math.isnan(low) and not math.isnan(single.low):
        note = "no lower end: 1 + (k - 1) ICC may be 0"
    ends = (low if math.isnan(low) else max(-1.0, low)), stepped_up(single.high)
    return single, Estimate(stepped_up(single.value), *ends, units=n, note=note)


def _icc_ratio(rows: Floats, columns: Floats, rest: Floats, n: int, k: int) -> Floats:
    """Return 1 - ICC(2,1) from the sums of squares of items, judges and residuals."""
    error = np.maximum(rest, 0.0) / ((n - 1) * (k - 1))
    between = k * (columns / (k - 1) - error) / n
    whole = rows / (n - 1) + (k - 1) * error + between
    return np.asarray((k * error + between) / np.where(whole > 0, whole, np.nan))


def gwet_ac1(ratings: ArrayLike, *, categories: int | None = None) -> float:
    """Return Gwet's AC1 of labels; the categories are those seen unless a number is given.

    >>> round(gwet_ac1([[1, 1], [1, 1], [1, 2], [2, 2]]), 4)
    0.5294
    """
    matrix = rating_matrix(ratings)
    matrix = matrix[~np.isnan(matrix).all(axis=1)]
    labels = np.unique(matrix[~np.isnan(matrix)])
    number = labels.size if categories is None else categories
    if number < labels.size:
        raise ValueError(f"{labels.size} categories occur, more than {categories}")
    twice = _pairable(matrix)
    if number < 2 or not twice.any():
        return math.nan  # one category leaves nothing to agree on
    counts = np.stack([(matrix == label).sum(axis=1) for label in labels], axis=1)
    sizes = counts.sum(axis=1)
    pairs = (counts * (counts - 1)).sum(axis=1)[twice]
    agreement = float((pairs / (sizes * (sizes - 1))[twice]).mean())
    shares = (counts / sizes[:, None]).mean(axis=0)
    chance = float((shares * (1 - shares)).sum()) / (number - 1)
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
    pairs = pairs[_pairable(pairs)]
    if not len(pairs) or np.ptp(pairs) == 0:
        return math.nan  # no shared item, or one label only: there is no chance agreement to beat
    x, y = pairs.T
    if weights == "quadratic":
        expected = x.var() + y.var() + (x.mean() - y.mean()) ** 2
        return 1 - float(((x - y) ** 2).mean() / expected)
    chance = sum((x == label).mean() * (y == label).mean() for label in np.unique(pairs))
    return 1 - float((x != y).mean() / (1 - chance))
