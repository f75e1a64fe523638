"""Agreement of judges: Krippendorff's alpha at four levels of measurement, and intraclass correlation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import checked_array
from scoresheet.metrics.options import check_choice
from scoresheet.metrics.stats.ratio_distances import relative_distance, summed_distances
from scoresheet.metrics.stats.rows import row_counts, row_sums

Ratings = Sequence[Sequence[object]] | NDArray[np.float64]  # a row per item, a column per judge

MEASUREMENT_LEVELS: Final = ("nominal", "ordinal", "interval", "ratio")


def krippendorff_alpha(ratings: Ratings, level: str = "interval") -> float:
    """Return Krippendorff's alpha: 1 less the disagreement seen over that expected by chance.

    Parameters
    ----------
    ratings : array_like, shape (n_items, n_judges)
        A row per item, a column per judge. A missing rating is NaN; None or '' among labels, which only `nominal`
        takes. Items with fewer than two ratings say nothing.
    level : {'interval', 'nominal', 'ordinal', 'ratio'}, optional
        The level of measurement, which says how far two ratings are apart.

    Returns
    -------
    float
        Alpha: 1 for perfect agreement, 0 for that of chance, below 0 for less. NaN where no item has two ratings, or
        nothing varies.

    Raises
    ------
    ValueError
        If the level is none of these, rows differ in length, ratings that should be numbers are not, one is infinite,
        or there are none.

    References
    ----------
    K. Krippendorff (2004), Content Analysis: An Introduction to Its Methodology, 2nd edition, Sage.

    Examples
    --------
    >>> krippendorff_alpha([[1, 1], [2, 2], [3, 4]], "nominal")
    0.6153846153846154
    >>> krippendorff_alpha([["a", "a", None], ["b", "b", "b"], ["a", "b", ""]], "nominal")
    0.5
    """
    check_choice("level", level, MEASUREMENT_LEVELS)
    table, _ = rating_table(ratings, level)
    check_ratings(table)
    return alpha_of_table(table, level)


def alpha_of_table(values: NDArray[np.float64], level: str) -> float:
    """Return alpha of ratings as numbers, items × judges; undefined also where there are none at all."""
    present = ~np.isnan(values)
    counts = row_counts(present)
    usable = counts >= 2
    values, present, counts = values[usable], present[usable], counts[usable]
    if not len(values) or has_no_variation(values[present]):
        return math.nan  # nobody to agree with, or nothing to agree about
    if level == "nominal":
        seen, expected = _nominal(values, present, counts)
    elif level == "ratio":
        seen, expected = _ratio(values, present, counts)
    else:
        seen, expected = _squares(midranks(values, present) if level == "ordinal" else values, present, counts)
    return 1 - seen / expected if expected > 0 else math.nan


class Correlation(NamedTuple):
    """Intraclass correlations of two-way random effects, and the items they rest on.

    Attributes
    ----------
    single : float
        ICC(2,1): of one judge.
    average : float
        ICC(2,k): of the mean of all judges.
    items : int
        The items that every judge scored.
    """

    single: float
    average: float
    items: int


def intraclass_correlation(ratings: Sequence[Sequence[float]] | NDArray[np.float64]) -> Correlation:
    """Return ICC(2,1) and ICC(2,k) over the items that every judge scored.

    Parameters
    ----------
    ratings : array_like of float, shape (n_items, n_judges)
        A row per item, a column per judge; an item with a NaN is left out.

    Returns
    -------
    Correlation
        Both correlations and the number of items. The correlations are NaN for fewer than two items or judges, or where
        nothing varies.

    Raises
    ------
    ValueError
        If the ratings are no table of numbers, one is infinite, or there are none.

    References
    ----------
    P. E. Shrout, J. L. Fleiss (1979), Intraclass Correlations: Uses in Assessing Rater Reliability, Psychological
    Bulletin 86.

    Examples
    --------
    >>> scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]  # theirs
    >>> found = intraclass_correlation(scores)
    >>> round(found.single, 2), round(found.average, 2), found.items
    (0.29, 0.62, 6)
    """
    table = checked_array("ratings", ratings, 2, gaps=True, empty=True)
    check_ratings(table)
    return correlation_of_table(table)


def correlation_of_table(table: NDArray[np.float64]) -> Correlation:
    """Return the intraclass correlations of ratings, items × judges; undefined also where there are none at all."""
    complete = table[~np.isnan(table).any(axis=1)]
    items, judges = complete.shape
    if items < 2 or judges < 2 or has_no_variation(complete):
        return Correlation(math.nan, math.nan, items)
    middle = complete.mean()
    rows, columns = complete.mean(axis=1) - middle, complete.mean(axis=0) - middle
    between_items = judges * float(rows @ rows) / (items - 1)
    between_judges = items * float(columns @ columns) / (judges - 1)
    rest = complete - middle - rows[:, None] - columns[None, :]
    error = float((rest * rest).sum()) / ((items - 1) * (judges - 1))
    single = between_items + (judges - 1) * error + judges * (between_judges - error) / items
    average = between_items + (between_judges - error) / items
    true = between_items - error
    # a denominator that is nothing but the last digits of its terms is 0, and the ratio undefined
    scale = 1e-12 * (between_items + between_judges + error)
    one, many = (true / each if abs(each) > scale else math.nan for each in (single, average))
    return Correlation(one, many, items)


def check_ratings(table: NDArray[np.float64]) -> None:
    """Raise ValueError if a table holds no ratings."""
    if not table.size:
        raise ValueError(f"there are no ratings: the shape is {table.shape}")


def rating_table(ratings: Ratings, level: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the ratings as numbers and where there are any; labels become numbers, equal ones the same."""
    labels = level == "nominal" and not (isinstance(ratings, np.ndarray) and ratings.dtype == float)
    table = checked_array("ratings", _coded_labels(ratings) if labels else ratings, 2, gaps=True, empty=True)
    return table, ~np.isnan(table)


def _coded_labels(ratings: Ratings) -> list[list[float]]:
    """Return labels as numbers, equal ones the same; a row that is a single label or number is none."""
    if wrong := [row for row in ratings if isinstance(row, str) or not isinstance(row, Iterable)]:
        raise ValueError(f"ratings must have a row per item, not {wrong[0]!r}")
    if len(lengths := {len(row) for row in ratings}) > 1:
        raise ValueError(f"ratings must be rows of one length, not of {sorted(lengths)}")
    codes: dict[object, int] = {}
    return [[math.nan if _is_missing(cell) else codes.setdefault(cell, len(codes)) for cell in row] for row in ratings]


def has_no_variation(values: NDArray[np.float64]) -> bool:
    """Return whether ratings differ by nothing but the last digits of the arithmetic that made them."""
    low, high = values.min(), values.max()
    return bool(high - low <= 1e-12 * max(-low, high))


def _is_missing(cell: object) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def _squares(values: NDArray[np.float64], present: NDArray[np.bool_], counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return disagreement seen and expected for squared differences: sums over pairs are sums about means."""
    known = np.where(present, values, 0.0)
    rated = values[present]
    about = np.where(present, values - (row_sums(known) / counts)[:, None], 0.0)
    within = row_sums(about * about)
    total = len(rated)
    spread = rated - rated.mean()
    return float((within * counts / (counts - 1)).sum()) / total, float(spread @ spread) / (total - 1)


def midranks(values: NDArray[np.float64], present: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return each rating's middle rank: differences of these are the ordinal distances of the definition."""
    kinds, places, times = np.unique(values[present], return_inverse=True, return_counts=True)
    middle = np.cumsum(times) - times / 2
    ranks = np.full(values.shape, np.nan)
    ranks[present] = middle[places] if len(kinds) else 0.0
    return ranks


def _nominal(values: NDArray[np.float64], present: NDArray[np.bool_], counts: NDArray[np.int64]) -> tuple[float, float]:
    kinds, places = np.unique(values[present], return_inverse=True)
    items = np.repeat(np.arange(len(values)), counts)
    codes, times = np.unique(items * len(kinds) + places, return_counts=True)
    agreeing = np.bincount(codes // len(kinds), weights=times * (times - 1.0), minlength=len(values))
    total = float(counts.sum())
    seen = float(((counts * (counts - 1) - agreeing) / (counts - 1)).sum()) / total
    often = np.bincount(places).astype(float)
    return seen, (total * total - float(often @ often)) / (total * (total - 1))


def _ratio(values: NDArray[np.float64], present: NDArray[np.bool_], counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the same for squared relative differences."""
    seen = 0.0
    for first in range(values.shape[1]):
        for second in range(first + 1, values.shape[1]):
            both = present[:, first] & present[:, second]
            apart = relative_distance(values[both, first], values[both, second])
            seen += 2 * float((apart / (counts[both] - 1)).sum())
    kinds, often = np.unique(values[present], return_counts=True)
    total = float(counts.sum())
    return seen / total, summed_distances(kinds, often.astype(float)) / (total * (total - 1))
