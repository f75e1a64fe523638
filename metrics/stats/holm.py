"""Holm's correction: many comparisons at once, and the chance of any false difference stays where one had it."""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for their number, step by step; undefined ones stay undefined and are not counted.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    corrected = [math.nan] * len(p_values)
    largest = 0.0
    for step, (p, place) in enumerate(order):
        largest = max(largest, min(1.0, p * (len(order) - step)))
        corrected[place] = largest
    return corrected
