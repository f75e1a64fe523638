"""A judge's overall score of an item: the weighted mean over dimensions, and which of these means are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import checked_array
from scoresheet.metrics.families.disagree.dispersion import row_means
from scoresheet.metrics.stats.rows import row_bounds, row_sums


def overall_scores(
    scores: NDArray[np.float64],
    confidence: NDArray[np.float64] | None = None,
    relevance: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return each judge's overall score of each item, Σ w·s / Σ w over dimensions with w = confidence × relevance.

    Parameters
    ----------
    scores : ndarray of float, shape (n_items, n_judges, n_dimensions)
        The scores; a missing one is NaN and has no weight.
    confidence, relevance : ndarray of float, shape (n_items, n_judges, n_dimensions), optional
        The factors of the weights; one that is not given is 1.

    Returns
    -------
    ndarray of float, shape (n_items, n_judges)
        The overall scores; NaN where there is no weight at all.

    Raises
    ------
    ValueError
        If the scores do not have three dimensions or one is infinite, a factor has another shape, or one that belongs
        to a score is negative, infinite or missing.

    Examples
    --------
    >>> import numpy as np
    >>> scores, confidence, relevance = np.array([[[[0.8, 0.6, 0.9]]], [[[0.9, 0.5, 0.8]]], [[[0.7, 0.3, 0.9]]]])
    >>> overall_scores(scores, confidence, relevance).round(3).tolist()
    [[0.828]]
    """
    scores = checked_array("scores", scores, 3, gaps=True, empty=True)
    known = ~np.isnan(scores)
    for name, factor in (("confidence", confidence), ("relevance", relevance)):
        if factor is not None:
            _check_factor(name, factor, known)
    if confidence is None and relevance is None:
        return row_means(scores)
    weights = known.astype(float)
    for factor in (confidence, relevance):
        weights = weights if factor is None else weights * np.where(known, factor, 0.0)
    total = row_sums(weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        weighted = row_sums(weights * np.where(known, scores, 0.0)) / total
    low, high = row_bounds(np.where(weights > 0, scores, np.nan))
    return np.where(total > 0, np.where(low == high, low, weighted), np.nan)


def _check_factor(name: str, factor: NDArray[np.float64], known: NDArray[np.bool_]) -> None:
    """Raise ValueError if this cannot be a factor of the weights of scores that are known there."""
    if factor.shape != known.shape:
        raise ValueError(f"{name} must have the scores' shape {known.shape}, not {factor.shape}")
    wrong = known & ~((factor >= 0) & (factor < np.inf))
    if wrong.any():
        raise ValueError(f"{name} is a finite number of 0 or more for each score, not {factor[wrong][0]}")


def shared_dimensions(scores: NDArray[np.float64], is_judge: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which dimensions all judges of an item scored, items × dimensions; `is_judge` is items × judges.

    Overall scores over different dimensions would differ though judges agree on all that both of them scored.

    >>> one = np.array([[[0.9, 0.2], [0.9, np.nan]]])
    >>> shared_dimensions(one, np.array([[True, True]])).tolist()
    [[True, False]]
    """
    return np.asarray((~np.isnan(scores) | ~is_judge[:, :, None]).all(axis=1))


def rounding_noise(
    scores: NDArray[np.float64],
    confidence: NDArray[np.float64] | None = None,
    relevance: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return by how much the arithmetic may have moved each overall score; a single dimension is not moved at all."""
    dimensions = scores.shape[-1]
    if dimensions < 2:
        return np.zeros(scores.shape[:-1])
    size = overall_scores(np.abs(scores), confidence, relevance)
    return np.asarray((dimensions + 4) * np.finfo(float).eps * size)


def merge_ties(values: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values in which those that nothing but noise keeps apart are equal, for whoever counts equal ones.

    >>> import numpy as np
    >>> merge_ties(np.array([0.1 + 0.2, 0.3, 0.4]), np.full(3, 1e-15)).tolist()
    [0.3, 0.3, 0.4]
    """
    known = np.flatnonzero(~np.isnan(values))
    flat, may_move = values.ravel()[known], noise.ravel()[known]
    order = np.argsort(flat, kind="stable")
    apart = np.diff(flat[order]) > may_move[order][1:] + may_move[order][:-1]
    groups = np.concatenate([[0], np.cumsum(apart)]) if len(order) else np.zeros(0, dtype=np.int64)
    firsts = np.flatnonzero(np.concatenate([[True], apart])) if len(order) else groups
    result = values.copy()
    result.ravel()[known[order]] = flat[order][firsts][groups]
    return result
