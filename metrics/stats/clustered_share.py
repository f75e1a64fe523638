"""How sure a share is whose units come in clusters: the exact interval at the size that the clusters leave."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, FEWEST_CLUSTERS, Interval, t_quantile, too_few

Numbers = NDArray[np.float64]

_TERMS: Final = 1_000  # of a continued fraction that needs some tens
_SMALLEST: Final = 1e-300  # stands for 0 where one divides by it


def clustered_share_interval(
    hits: Numbers, counts: Numbers, *, noun: str, confidence: float = CONFIDENCE_LEVEL
) -> Interval:
    """Return the interval of a share, the mean over sheets of each sheet's: cluster × sheet in, `noun` the clusters.

    A bootstrap of a share of 0 has nothing to draw but zeros and says 0 to 0; the exact interval does not. Units of one
    cluster resemble each other, so its sample size is that of as many independent units as have the variance that the
    clusters show. How well they show it depends on how many hold the rarer of the two outcomes: with few of these the
    size is less, as Student's interval is wider, down to one unit a cluster, which is also the size where no cluster
    holds it.

    References
    ----------
    C. J. Clopper, E. S. Pearson (1934), The Use of Confidence or Fiducial Limits Illustrated in the Case of the
    Binomial, Biometrika 26.
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected Number of Positive
    Counts Estimated from Survey Data, Survey Methodology 24.

    Examples
    --------
    >>> none_of_twenty = clustered_share_interval(np.zeros((20, 1)), np.ones((20, 1)), noun="texts")
    >>> none_of_twenty.low, round(none_of_twenty.high, 3)
    (0.0, 0.168)
    """
    hits, counts = hits[:, counts.sum(axis=0) > 0], counts[:, counts.sum(axis=0) > 0]
    drawn = (counts > 0).any(axis=1)
    hits, counts = hits[drawn], counts[drawn]
    if len(counts) < FEWEST_CLUSTERS:
        return Interval(math.nan, math.nan, too_few(len(counts), noun))
    share = float((hits.sum(axis=0) / counts.sum(axis=0)).mean())
    return _exact(share, _effective_size(hits, counts, share, confidence), confidence)


def _effective_size(hits: Numbers, counts: Numbers, share: float, confidence: float) -> float:
    """Return how many independent units would be as sure as these clusters are."""
    clusters, sheets = len(counts), len(counts.T)
    totals = counts.sum(axis=0)
    independent = sheets**2 / float((1 / totals).sum())
    if sheets == 1 and counts.max() == 1:
        return independent
    if share in (0.0, 1.0):
        return clusters
    influence = ((hits - hits.sum(axis=0) / totals * counts) / totals).mean(axis=1)
    variance = clusters / (clusters - 1) * float((influence**2).sum())
    size = min(independent, share * (1 - share) / variance if variance > 0 else math.inf)
    rarer = min(int((hits.sum(axis=1) > 0).sum()), int((hits < counts).any(axis=1).sum()), clusters - 1)
    tail = 1 - (1 - confidence) / 2
    return max(size * (NormalDist().inv_cdf(tail) / t_quantile(tail, rarer)) ** 2, min(size, clusters))


def _exact(share: float, size: float, confidence: float) -> Interval:
    """Return Clopper's and Pearson's interval for a share of so many units, which need not be whole."""
    tail = (1 - confidence) / 2
    hits = share * size
    low = 0.0 if share == 0 else beta_quantile(tail, hits, size - hits + 1)
    high = 1.0 if share == 1 else beta_quantile(1 - tail, hits + 1, size - hits)
    return Interval(low, high)


def beta_quantile(share: float, a: float, b: float) -> float:
    """Return the value below which a share of the beta distribution lies, `a` and `b` above 0.

    >>> round(beta_quantile(0.5, 2, 2), 9), round(beta_quantile(0.975, 1, 20), 6)
    (0.5, 0.168433)
    """
    if not 0 < share < 1 or not a > 0 or not b > 0:
        raise ValueError(f"no quantile at {share} of the beta distribution with {a} and {b}")
    low, high = 0.0, 1.0
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _below(middle, a, b) < share else (low, middle)
    return (low + high) / 2


def _below(value: float, a: float, b: float) -> float:
    """Return the share of the beta distribution below a value: the regularised incomplete beta function."""
    if value > (a + 1) / (a + b + 2):  # where the fraction of the other side ends sooner
        return 1 - _below(1 - value, b, a)
    logarithm = a * math.log(value) + b * math.log1p(-value) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(logarithm) / (a * _continued_fraction(value, a, b))


def _continued_fraction(value: float, a: float, b: float) -> float:
    """Return the fraction of Abramowitz and Stegun 26.5.8, by Lentz's method."""
    found = upper = 1.0
    lower = 0.0
    for term in range(1, _TERMS):
        half = term // 2
        if term % 2:
            step = -(a + half) * (a + b + half) * value / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            step = half * (b - half) * value / ((a + 2 * half - 1) * (a + 2 * half))
        lower = 1 / (1 + step * lower or _SMALLEST)
        upper = 1 + step / upper or _SMALLEST
        found *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return found
