"""How sure a share is whose units come in clusters: Wilson's interval at the size that the clusters leave."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, FEWEST_CLUSTERS, Interval, t_quantile, too_few

Numbers = NDArray[np.float64]


def clustered_share_interval(
    hits: Numbers, counts: Numbers, *, noun: str, confidence: float = CONFIDENCE_LEVEL
) -> Interval:
    """Return the interval of a share, the mean over sheets of each sheet's: cluster × sheet in, `noun` the clusters.

    A bootstrap of a share of 0 has nothing to draw but zeros and says 0 to 0; Wilson's interval does not. Units of one
    cluster resemble each other, so its sample size is that of as many independent units as have the variance that the
    clusters show, less for few clusters as Student's interval is wider. Where all units are alike that variance is
    unknown, and a cluster counts as one unit.

    References
    ----------
    E. B. Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference, JASA 22.
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected Number of Positive
    Counts Estimated from Survey Data, Survey Methodology 24.

    Examples
    --------
    >>> none_of_twenty = clustered_share_interval(np.zeros((20, 1)), np.ones((20, 1)), noun="texts")
    >>> none_of_twenty.low, round(none_of_twenty.high, 3)
    (0.0, 0.161)
    """
    known = counts.sum(axis=0) > 0
    hits, counts = hits[:, known], counts[:, known]
    drawn = (counts > 0).any(axis=1)
    hits, counts = hits[drawn], counts[drawn]
    clusters, sheets = counts.shape
    if clusters < FEWEST_CLUSTERS:
        return Interval(math.nan, math.nan, too_few(clusters, noun))
    totals = counts.sum(axis=0)
    shares = hits.sum(axis=0) / totals
    share = float(shares.mean())
    independent = sheets**2 / float((1 / totals).sum())
    z = NormalDist().inv_cdf(1 - (1 - confidence) / 2)
    if counts.max() == 1 and sheets == 1:
        return _wilson(share, independent, z)
    if share in (0.0, 1.0):
        return _wilson(share, clusters, z)
    influence = ((hits - shares * counts) / totals).mean(axis=1)
    variance = clusters / (clusters - 1) * float((influence**2).sum())
    size = share * (1 - share) / variance if variance > 0 else math.inf
    student = t_quantile(1 - (1 - confidence) / 2, clusters - 1)
    return _wilson(share, min(size, independent) * (z / student) ** 2, z)


def _wilson(share: float, size: float, z: float) -> Interval:
    room = z * z / size
    middle = (share + room / 2) / (1 + room)
    half = math.sqrt(share * (1 - share) * room + room * room / 4) / (1 + room)
    # at a share of 0 or 1 the two are equal, but for the arithmetic's last digits
    return Interval(0.0 if share == 0 else middle - half, 1.0 if share == 1 else middle + half)
