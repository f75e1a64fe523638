"""Kappas: the agreement of two raters (Cohen), and of several (Fleiss), beyond what their labels give by chance."""

from __future__ import annotations

import math

import numpy as np

from scoresheet.metrics.stats.agreement import Ratings, check_ratings, rating_table


def cohen_kappa(ratings: Ratings) -> float:
    """Return Cohen's kappa of two raters, over the items that both labelled.

    Parameters
    ----------
    ratings : array_like, shape (n_items, 2)
        A row per item, a label of each rater; a missing one is None, '' or NaN.

    Returns
    -------
    float
        1 for equal labels, 0 for the agreement that two such raters have by chance. NaN where no item has both labels,
        or both raters have one and the same label for all.

    Raises
    ------
    ValueError
        If there are not two raters or no ratings, or rows differ in length.

    References
    ----------
    J. Cohen (1960), A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20.

    Examples
    --------
    >>> cohen_kappa([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    0.5
    """
    table, present = rating_table(ratings, "nominal")
    check_ratings(table)
    if table.shape[1] != 2:
        raise ValueError(f"Cohen's kappa is that of two raters, not of {table.shape[1]}")
    both = table[present.all(axis=1)]
    if not len(both):
        return math.nan
    kinds, codes = np.unique(both, return_inverse=True)
    first, second = (np.bincount(column, minlength=len(kinds)) / len(both) for column in codes.reshape(both.shape).T)
    return _beyond_chance(float((both[:, 0] == both[:, 1]).mean()), float(first @ second))


def fleiss_kappa(ratings: Ratings) -> float:
    """Return Fleiss' kappa of several raters, over the items that all of them labelled.

    Parameters
    ----------
    ratings : array_like, shape (n_items, n_raters)
        A row per item, a label of each rater; an item with a missing one, None, '' or NaN, is left out.

    Returns
    -------
    float
        1 for equal labels, 0 for the agreement of chance. NaN for fewer than two raters, where no item has all labels,
        or there is one label only.

    Raises
    ------
    ValueError
        If there are no ratings, or rows differ in length.

    References
    ----------
    J. L. Fleiss (1971), Measuring Nominal Scale Agreement among Many Raters, Psychological Bulletin 76.

    Examples
    --------
    >>> round(fleiss_kappa([["a", "a", "a"], ["b", "b", "a"], ["b", "b", "b"]]), 4)
    0.55
    """
    table, present = rating_table(ratings, "nominal")
    check_ratings(table)
    complete = table[present.all(axis=1)]
    items, raters = complete.shape
    if raters < 2 or not items:
        return math.nan
    counts = np.stack([(complete == kind).sum(axis=1) for kind in np.unique(complete)], axis=1)
    agreeing = float((counts * (counts - 1)).sum()) / (items * raters * (raters - 1))
    shares = counts.sum(axis=0) / (items * raters)
    return _beyond_chance(agreeing, float(shares @ shares))


def complete_items(ratings: Ratings) -> int:
    """Return how many items every rater labelled: those that Fleiss' kappa rests on."""
    _, present = rating_table(ratings, "nominal")
    return int(present.all(axis=1).sum()) if present.shape[1] else 0


def _beyond_chance(seen: float, chance: float) -> float:
    return (seen - chance) / (1 - chance) if chance < 1 - 1e-12 else math.nan
