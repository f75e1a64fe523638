"""Holm's correction: many comparisons at once, and the chance of any false difference stays where one had it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scoresheet.metrics.checks import checked_array


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number by Holm's step-down procedure.

    Parameters
    ----------
    p_values : sequence of float
        The p-values of one family of hypotheses; NaN stays NaN and is not counted. Of none, none come back.

    Returns
    -------
    list of float
        The corrected p-values, in the order given, none above 1.

    Raises
    ------
    ValueError
        If a p-value is below 0, above 1 or no number.

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    numbers = checked_array("p_values", p_values, 1, gaps=True, empty=True).tolist()
    if wrong := [p for p in numbers if p < 0 or p > 1]:
        raise ValueError(f"a p-value lies between 0 and 1, not at {wrong[0]}")
    order = sorted((p, index) for index, p in enumerate(numbers) if not math.isnan(p))
    corrected = [math.nan] * len(numbers)
    largest = 0.0
    for step, (p, index) in enumerate(order):
        largest = max(largest, min(1.0, p * (len(order) - step)))
        corrected[index] = largest
    return corrected
