"""Binomial tails: how probable so many hits, or more, are; exact, for any number of samples."""

from __future__ import annotations

import math


def binomial_tail(hits: int, samples: int, share: float) -> float:
    """Return the chance of this many hits or more among independent samples, each a hit with a chance of `share`.

    >>> binomial_tail(2, 2, 0.5), round(binomial_tail(90, 100, 0.8), 6)
    (0.25, 0.005696)
    """
    if not 0 <= hits <= samples or not 0 <= share <= 1:
        raise ValueError(f"no tail of {hits} hits among {samples} samples with a share of {share}")
    if hits == 0 or share == 1:
        return 1.0
    if share == 0:
        return 0.0
    if hits > samples * share:
        return min(1.0, _upper(hits, samples, share))
    # below the mean the other tail is the small one
    return max(0.0, 1 - _upper(samples - hits + 1, samples, 1 - share))


def _upper(hits: int, samples: int, share: float) -> float:
    """Return the sum from `hits` on, whose terms fall."""
    if hits > samples:
        return 0.0
    logarithm = (
        math.lgamma(samples + 1)
        - math.lgamma(hits + 1)
        - math.lgamma(samples - hits + 1)
        + hits * math.log(share)
        + (samples - hits) * math.log1p(-share)
    )
    relative, terms = 1.0, [1.0]
    for count in range(hits + 1, samples + 1):
        relative *= (samples - count + 1) / count * share / (1 - share)
        terms.append(relative)
        if relative < 1e-18:
            break
    return math.exp(logarithm) * math.fsum(terms)
