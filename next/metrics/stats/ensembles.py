"""Ensembles: gain over the best member, rho, and dead members."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from scoresheet.metrics.stats import estimate as est
from scoresheet.metrics.stats.estimate import Estimate, Floats
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import paired_difference


def _flags(values: ArrayLike, dimensions: int) -> Floats:
    return est.checked(
        values, "only 0 and 1", dimensions=dimensions, wrong=lambda x: (x != 0) & (x != 1)
    )


def gain_and_rho(
    collective: ArrayLike, members: ArrayLike, *, names: Sequence[str] = (), ci: float = 0.95
) -> tuple[Estimate, Estimate]:
    """Return the accuracy of the collective minus that of the best member, and divided by it.

    Takes 1 for right and 0 for wrong: one value per sample, and samples by members. Low ends are
    the least of the members' low ends (Berger 1982), high ends the least of their high ends at
    1 - alpha / K. The interval of rho is Fieller's: it contains 1 exactly where that of the gain
    contains 0.

    >>> gain, rho = gain_and_rho([1] * 18 + [0] * 2, [[1]] * 10 + [[0]] * 10)
    >>> round(gain.low, 4), round(gain.high, 4), round(rho.low, 4), round(rho.high, 4)
    (0.1648, 0.5, 1.234, 3.3249)
    """
    alpha, whole, parts = est.alpha_of(ci), _flags(collective, 1), _flags(members, 2)
    n, k = parts.shape
    if len(whole) != n or not parts.size:
        raise ValueError(f"expected samples by members, not {whole.shape} and {parts.shape}")
    names = names or [f"member {number + 1}" for number in range(k)]
    if len(names) != k:
        raise ValueError(f"expected {k} names, not {len(names)}")
    pairs = [paired_difference(Rows(whole), Rows(part)) for part in parts.T]
    notes = [f"{name}: {pair.note}" for name, pair in zip(names, pairs, strict=True) if pair.note]
    accuracy, best = float(whole.mean()), float(parts.mean(axis=0).max())
    gain = Estimate(accuracy - best, units=n, note="; ".join(notes))
    if not notes:
        # Above the best: the collective must beat every member. Below: one member suffices.
        above = max(pair.p if pair.difference > 0 else 1.0 for pair in pairs)
        below = min(pair.p if pair.difference < 0 else 1.0 for pair in pairs)
        low = min(pair.interval(ci)[0] for pair in pairs)
        high = min(pair.interval(1 - alpha / k)[1] for pair in pairs)
        gain = Estimate(gain.value, low, min(high, 1 - best), min(above, 1.0, k * below), n)
    if best == 0:
        value = math.inf if accuracy > 0 else math.nan
        return gain, Estimate(value, units=n, note="no member is ever right")
    if notes:
        return gain, Estimate(accuracy / best, units=n, note=gain.note)
    both = [(part, pair.df) for part, pair in zip(parts.T, pairs, strict=True)]
    low = min(_fieller(whole, part, est.t_reach(alpha, df))[0] for part, df in both)
    high = min(_fieller(whole, part, est.t_reach(alpha / k, df))[1] for part, df in both)
    note = "no upper end: the accuracy of the best member may be 0" if math.isinf(high) else ""
    return gain, Estimate(accuracy / best, low, high, gain.p, n, note)


def _fieller(upper: Floats, lower: Floats, reach: float) -> tuple[float, float]:
    """Return Fieller's interval of mean(upper) / mean(lower) at this many standard errors."""
    means = np.array([upper.mean(), lower.mean()])
    products = np.outer(means, means) - reach**2 * np.cov(upper, lower) / len(upper)
    # The ratios r with square r^2 - 2 half r + constant <= 0.
    (constant, half), (_, square) = products.tolist()
    root = math.sqrt(max(0.0, half**2 - square * constant))
    if square > 0:
        return max(0.0, (half - root) / square), (half + root) / square
    # The denominator may be 0: there is a lower end only where the numerator cannot be.
    if constant <= 0:
        return 0.0, math.inf
    return (constant / (half + root) if half + root > 0 else math.inf), math.inf


def dead_member(
    hits: int, samples: int, *, threshold: float = 0.01, members: int = 1, ci: float = 0.95
) -> Estimate:
    """Return a member's share of hits with its one-sided Clopper-Pearson upper bound.

    The member is dead where the high end is below the threshold, that is where p < 1 - ci. Both
    are corrected for the number of members. The threshold of an expert is min(0.01, 0.1 / K).

    >>> dead_member(0, 100).note
    '0 of 100: too few to tell (299 needed)'
    """
    if not 0 <= hits <= samples or members < 1 or not 0 < threshold < 1:
        raise ValueError(f"impossible: {hits} of {samples}, {members} members, at {threshold}")
    alpha = est.alpha_of(ci) / members
    if samples == 0:
        return Estimate(math.nan, note="no samples")
    share = hits / samples
    _, high = est.clopper_pearson(hits, samples, 2 * alpha)
    p = min(1.0, members * float(bdtr(hits, samples, threshold)))
    note = ""
    if share < threshold <= high:
        needed = math.floor(math.log(alpha) / math.log1p(-threshold)) + 1
        more = f" ({needed} needed)" if hits == 0 else ""
        note = f"{hits} of {samples}: too few to tell{more}"
    return Estimate(share, 0.0, high, p, samples, note)
