"""The beta distribution and what follows from it: quantiles of F, and the exact interval of a proportion."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from scoresheet.metrics.checks import check_whole, is_between
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    FEWEST_CLUSTERS,
    Interval,
    check_confidence,
    too_few,
)

_TERMS: Final = 10_000  # of the continued fraction, which needs about the square root of the larger parameter
_TINY: Final = 1e-300


def beta_cdf(value: float, first: float, second: float) -> float:
    """Return the share of the beta distribution below a value: the regularised incomplete beta function.

    Raises
    ------
    ValueError
        If a parameter is not above 0.

    References
    ----------
    W. J. Lentz (1976), Generating Bessel functions in Mie scattering calculations using continued fractions, Applied
    Optics 15; M. Abramowitz, I. A. Stegun (1964), Handbook of Mathematical Functions, 26.5.8.

    Examples
    --------
    >>> round(beta_cdf(0.3, 2, 5), 6)
    0.579825
    """
    if not (first > 0 and second > 0):
        raise ValueError(f"a beta distribution has parameters above 0, not {first} and {second}")
    if value <= 0 or value >= 1:
        return 0.0 if value <= 0 else 1.0
    if value > (first + 1) / (first + second + 2):  # the fraction converges fast on the other side of the mean only
        return 1 - beta_cdf(1 - value, second, first)
    front = (
        math.lgamma(first + second)
        - math.lgamma(first)
        - math.lgamma(second)
        + first * math.log(value)
        + second * math.log1p(-value)
    )
    return math.exp(front) / first / _fraction(value, first, second)


def _fraction(value: float, first: float, second: float) -> float:
    """Return the continued fraction by Lentz's method."""
    fraction, numerator, denominator = 1.0, 1.0, 0.0
    for term in range(1, _TERMS):
        half = term // 2
        if term % 2:
            over = -(first + half) * (first + second + half) * value / ((first + 2 * half) * (first + 2 * half + 1))
        else:
            over = half * (second - half) * value / ((first + 2 * half - 1) * (first + 2 * half))
        denominator = 1 / (1 + over * denominator or _TINY)
        numerator = 1 + over / numerator or _TINY
        fraction *= numerator * denominator
        if abs(numerator * denominator - 1) < 1e-15:
            break
    return fraction


@lru_cache(maxsize=1_000)
def beta_quantile(share: float, first: float, second: float) -> float:
    """Return the value below which a share of the beta distribution lies.

    >>> round(beta_quantile(0.579825, 2, 5), 5)
    0.3
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies within 0 and 1, not {share}")
    low, high = 0.0, 1.0
    while high - low > 1e-14 * high and high > 1e-300:
        middle = (low + high) / 2
        low, high = (middle, high) if beta_cdf(middle, first, second) < share else (low, middle)
    return (low + high) / 2


def f_quantile(share: float, above: float, below: float) -> float:
    """Return the value below which a share of the F distribution lies; the degrees of freedom above come first.

    >>> round(f_quantile(0.99, 2, 8), 4)
    8.6491
    """
    if not 0 < share < 1:
        raise ValueError(f"no quantile at {share}")
    upper = beta_quantile(1 - share, below / 2, above / 2)  # of what is left over, which keeps its digits
    return below * (1 - upper) / (above * upper)


def proportion_interval(
    successes: float, trials: int, *, noun: str = "trials", confidence: float = CONFIDENCE_LEVEL
) -> Interval:
    """Return the exact interval of a proportion (Clopper and Pearson), which is never empty, also at 0 and 1.

    Parameters
    ----------
    successes : float
        How many there were; a half counts as half a success, which only makes the interval a little wide.
    trials : int
        Out of how many.
    noun : str, optional
        What the trials are, in the plural, for the note.
    confidence : float, optional
        The share of such intervals that hold the true proportion, at least.

    Returns
    -------
    Interval
        Its ends; NaN for fewer than five trials, and the note says so.

    Raises
    ------
    ValueError
        If there are fewer successes than none or more than trials, the trials are no whole number, or the confidence is
        none.

    References
    ----------
    C. J. Clopper, E. S. Pearson (1934), The Use of Confidence or Fiducial Limits Illustrated in the Case of the
    Binomial, Biometrika 26.

    Examples
    --------
    >>> low, high, _ = proportion_interval(10, 10)
    >>> round(low, 4), high
    (0.6915, 1.0)
    """
    check_confidence(confidence)
    check_whole("trials", trials)
    if not is_between(successes, 0, trials):
        raise ValueError(f"successes lie within 0 and the trials, not {successes!r} of {trials}")
    if trials < FEWEST_CLUSTERS:
        return Interval(math.nan, math.nan, too_few(trials, noun))
    tail = (1 - confidence) / 2
    failures = trials - successes
    low = beta_quantile(tail, successes, failures + 1) if successes > 0 else 0.0
    high = beta_quantile(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return Interval(low, high)
