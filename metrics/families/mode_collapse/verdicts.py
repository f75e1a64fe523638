"""Words for how collapsed a chooser is: they go by intervals, and by whether there is more than chance."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.metrics.families.mode_collapse.debiased_gini import DebiasedGini
from scoresheet.metrics.stats.bands import band, band_of_interval
from scoresheet.metrics.stats.confidence import SIGNIFICANCE_LEVEL

LOW: Final = "low"
MODERATE: Final = "moderate"
HIGH: Final = "high"
GINI_BANDS: Final = ((0.0, LOW), (0.3, MODERATE), (0.6, HIGH))
ENTROPY_BANDS: Final = ((0.0, HIGH), (0.4, MODERATE), (0.7, LOW))  # of collapse: much entropy is little collapse
MODERATE_GINI: Final = GINI_BANDS[1][0]  # from which on a chooser is collapsed
TOO_FEW: Final = "too few samples"
CHANCE: Final = "no more than chance"
LIKE_TARGET: Final = "not beyond target"
UNTESTED: Final = "not tested"
AGREED: Final = "strong"
DISAGREED: Final = "look at the shape"
_FROM_BEST_TO_WORST: Final = (LOW, MODERATE, HIGH)
BETWEEN: Final = tuple(
    f"{best} to {worst}" for place, best in enumerate(_FROM_BEST_TO_WORST) for worst in _FROM_BEST_TO_WORST[place + 1 :]
)
COLLAPSED: Final = (MODERATE, f"{MODERATE} to {HIGH}", HIGH)  # at least moderate, whatever the samples leave open


def gini_band(debiased: DebiasedGini) -> str:
    """Return how much collapse a Gini means: the band of its whole interval, or both that its ends lie in.

    >>> gini_band(DebiasedGini(0.4, 0.2, 0.5, "", 0.7, 0.9)), gini_band(DebiasedGini(0.4, 0.35, 0.5, "", 0.7, 0.9))
    ('low to moderate', 'moderate')
    """
    if math.isnan(debiased.value):
        return ""
    return band_of_interval(debiased.low, debiased.high, GINI_BANDS, otherwise=TOO_FEW)


def entropy_band(debiased: DebiasedGini) -> str:
    """Return how much collapse the entropies at the ends of the interval mean, the least first.

    >>> entropy_band(DebiasedGini(0.4, 0.2, 0.5, "", 0.65, 0.9))
    'low to moderate'
    """
    if math.isnan(debiased.value):
        return ""
    if math.isnan(debiased.low):
        return TOO_FEW
    return _between(band(debiased.entropy_high, ENTROPY_BANDS), band(debiased.entropy_low, ENTROPY_BANDS))


def agreement(debiased: DebiasedGini) -> str:
    """Return whether the two bands agree."""
    if math.isnan(debiased.low):
        return ""
    return AGREED if gini_band(debiased) == entropy_band(debiased) else DISAGREED


def collapse_band(debiased: DebiasedGini) -> str:
    """Return the worse of the two bands at each end of the interval.

    The worse, because with two options the Gini of a wholly collapsed chooser is 0.5, and would read as moderate.

    >>> collapse_band(DebiasedGini(0.5, 0.42, 0.5, "", 0.0, 0.39))
    'high'
    """
    if math.isnan(debiased.low):
        return TOO_FEW
    best, worst = (
        max(band(value, GINI_BANDS), band(entropy, ENTROPY_BANDS), key=_FROM_BEST_TO_WORST.index)
        for value, entropy in ((debiased.low, debiased.entropy_high), (debiased.high, debiased.entropy_low))
    )
    return _between(best, worst)


def verdict(
    debiased: DebiasedGini,
    p_value: float,
    *,
    p_holm: float | None = None,
    is_enough: bool = False,
    targeted: bool = False,
    level: float = SIGNIFICANCE_LEVEL,
) -> str:
    """Return how collapsed a chooser is, as far as its samples tell.

    `p_holm` is the p-value after a correction, where there is one. Where it shows nothing there is no band to name:
    samples that are enough to have shown a moderate collapse then speak for chance, fewer are too few.

    >>> collapsed = DebiasedGini(0.4, 0.35, 0.5, "", 0.7, 0.9)
    >>> verdict(collapsed, 0.001), verdict(collapsed, 0.2), verdict(collapsed, 0.2, is_enough=True)
    ('moderate', 'too few samples', 'no more than chance')
    """
    if math.isnan(debiased.value):
        return ""
    word = collapse_band(debiased)
    if math.isnan(p_value):
        return word if word == LOW else UNTESTED
    if (p_value if p_holm is None else p_holm) < level:
        return word
    if targeted:
        return LIKE_TARGET
    return CHANCE if is_enough and p_value >= level else TOO_FEW


def describe_entropy_bands() -> str:
    """Return the bands of the normalised entropy in words, from the top down to where the lowest begins.

    >>> describe_entropy_bands()
    'low from 0.7, moderate from 0.4'
    """
    return ", ".join(f"{name} from {edge:g}" for edge, name in reversed(ENTROPY_BANDS[1:]))


def _between(best: str, worst: str) -> str:
    return best if best == worst else f"{best} to {worst}"
