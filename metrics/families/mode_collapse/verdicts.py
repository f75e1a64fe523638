"""Bands of Gini and entropy, whether they agree, and what is left of them once chance has been asked."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.metrics.stats.bands import band

GINI_BANDS: Final = ((0.0, "low"), (0.3, "moderate"), (0.6, "high"))
ENTROPY_BANDS: Final = ((0.0, "high"), (0.4, "moderate"), (0.7, "low"))  # of collapse: much entropy is little collapse
CHANCE_LIMIT: Final = 0.05
TOO_FEW: Final = "too few samples"
LIKE_TARGET: Final = "not beyond target"
UNTESTED: Final = "not tested"
AGREED: Final = "strong"
DISAGREED: Final = "look at the shape"
_WORSE: Final = ("low", "moderate", "high")
COLLAPSED: Final = ("moderate", "high")


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
    worse = max(gini_band(gini), entropy_band(normalized), key=_WORSE.index)
    if worse == "low":
        return worse
    if math.isnan(p_value):
        return UNTESTED
    if p_value >= CHANCE_LIMIT:
        return LIKE_TARGET if targeted else TOO_FEW
    return worse
