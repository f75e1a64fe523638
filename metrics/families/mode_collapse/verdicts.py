"""Bands of Gini and entropy, whether they agree, and what is left of them once chance has been asked."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.stats.confidence import SIGNIFICANCE_LEVEL

LOW: Final = "low"
MODERATE: Final = "moderate"
HIGH: Final = "high"
GINI_BANDS: Final = ((0.0, LOW), (0.3, MODERATE), (0.6, HIGH))
ENTROPY_BANDS: Final = ((0.0, HIGH), (0.4, MODERATE), (0.7, LOW))  # of collapse: much entropy is little collapse
TOO_FEW: Final = "too few samples"
LIKE_TARGET: Final = "not beyond target"
UNTESTED: Final = "not tested"
AGREED: Final = "strong"
DISAGREED: Final = "look at the shape"
_FROM_BEST_TO_WORST: Final = (LOW, MODERATE, HIGH)
COLLAPSED: Final = (MODERATE, HIGH)


def gini_band(gini: float) -> str:
    """Return how much collapse a Gini means.

    >>> gini_band(0.3), gini_band(math.nan)
    ('moderate', '')
    """
    return band(gini, GINI_BANDS)


def entropy_band(normalized: float) -> str:
    """Return how much collapse a normalised entropy means.

    >>> entropy_band(0.7), entropy_band(0.39)
    ('low', 'high')
    """
    return band(normalized, ENTROPY_BANDS)


def agreement(gini: float, normalized: float) -> str:
    """Return whether the two bands agree."""
    if math.isnan(gini):
        return ""
    return AGREED if gini_band(gini) == entropy_band(normalized) else DISAGREED


def verdict(gini: float, normalized: float, p_value: float, *, targeted: bool = False) -> str:
    """Return the worse of the two bands, unless chance alone gets there.

    The worse, because with two options the Gini of a wholly collapsed chooser is 0.5, and would read as moderate.

    >>> verdict(0.5, 0.0, 0.001), verdict(0.4, 0.8, 0.2)
    ('high', 'too few samples')
    """
    if math.isnan(gini):
        return ""
    worse = max(gini_band(gini), entropy_band(normalized), key=_FROM_BEST_TO_WORST.index)
    if worse == LOW:
        return worse
    if math.isnan(p_value):
        return UNTESTED
    if p_value >= SIGNIFICANCE_LEVEL:
        return LIKE_TARGET if targeted else TOO_FEW
    return worse


def describe_entropy_bands() -> str:
    """Return the bands of the normalised entropy in words, from the top down to where the lowest begins.

    >>> describe_entropy_bands()
    'low from 0.7, moderate from 0.4'
    """
    return ", ".join(f"{name} from {edge:g}" for edge, name in reversed(ENTROPY_BANDS[1:]))
