"""Ensembles: gain over the best member, rho, dead members, and a drop between epochs."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betaincinv

from scoresheet.metrics.stats.estimate import Estimate, Floats, check_level, t_reach
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import PairedDifference, paired_difference


def _flags(values: ArrayLike, dimensions: int = 1) -> Floats:
    flags = np.asarray(values, dtype=np.float64)
    if flags.ndim != dimensions:
        raise ValueError(f"expected {dimensions} dimensions, not the shape {flags.shape}")
    wrong = flags[(flags != 0) & (flags != 1)]
    if wrong.size:
        raise ValueError(f"expected only 0 and 1, not {wrong[0]}")
    return flags


def _checked(collective: ArrayLike, members: ArrayLike) -> tuple[Floats, Floats]:
    whole, parts = _flags(collective), _flags(members, 2)
    if len(whole) != len(parts) or not parts.shape[1] or not len(whole):
        raise ValueError(f"expected samples by members, not {whole.shape} and {parts.shape}")
    return whole, parts


def _pairs(
    whole: Floats, parts: Floats, names: Sequence[str] | None
) -> tuple[list[PairedDifference], float, str]:
    """Return the difference from each member, the p-value of the gain and a note."""
    count = parts.shape[1]
    names = [f"member {k + 1}" for k in range(count)] if names is None else names
    if len(names) != count:
        raise ValueError(f"expected {count} names, not {len(names)}")
    pairs = [paired_difference(Rows(whole), Rows(part)) for part in parts.T]
    notes = [f"{name}: {pair.note}" for name, pair in zip(names, pairs, strict=True) if pair.note]
    # Above the best: the collective must beat every member. Below: one member suffices.
    above = max(pair.p if pair.difference > 0 else 1.0 for pair in pairs)
    below = min(pair.p if pair.difference < 0 else 1.0 for pair in pairs)
    p = math.nan if notes else min(above, 1.0, count * below)
    return pairs, p, "; ".join(notes)


def gain_over_best(
    collective: ArrayLike,
    members: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    ci: float = 0.95,
) -> Estimate:
    """Return the accuracy of the collective minus that of the best member.

    Takes 1 for right and 0 for wrong: one value per sample, and samples by members. The low end
    is the least of the members' low ends (Berger 1982), the high end the least of their high
    ends at 1 - alpha / K, and at most 1 - best.

    >>> collective, member = [1] * 18 + [0] * 2, [[1]] * 10 + [[0]] * 10
    >>> estimate = gain_over_best(collective, member)
    >>> estimate.value, round(estimate.low, 4), round(estimate.high, 4)
    (0.4, 0.1648, 0.5)
    """
    whole, parts = _checked(collective, members)
    alpha = 1 - check_level(ci)
    best = float(parts.mean(axis=0).max())
    value = float(whole.mean()) - best
    pairs, p, note = _pairs(whole, parts, names)
    if note:
        return Estimate(value, units=len(whole), note=note)
    low = min(pair.interval(1 - alpha)[0] for pair in pairs)
    high = min(pair.interval(1 - alpha / len(pairs))[1] for pair in pairs)
    return Estimate(value, low, min(high, 1 - best), p, len(whole))


def rho(
    collective: ArrayLike,
    members: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    ci: float = 0.95,
) -> Estimate:
    """Return the accuracy of the collective divided by that of the best member.

    The interval is Fieller's: it contains 1 exactly where that of the gain contains 0. The high
    end is infinite where the member's accuracy may be 0.

    >>> collective, member = [1] * 18 + [0] * 2, [[1]] * 10 + [[0]] * 10
    >>> estimate = rho(collective, member)
    >>> estimate.value, round(estimate.low, 4), round(estimate.high, 4)
    (1.8, 1.234, 3.3249)
    """
    whole, parts = _checked(collective, members)
    alpha = 1 - check_level(ci)
    accuracy, best = float(whole.mean()), float(parts.mean(axis=0).max())
    if best == 0:
        value = math.inf if accuracy > 0 else math.nan
        return Estimate(value, units=len(whole), note="no member is ever right")
    pairs, p, note = _pairs(whole, parts, names)
    if note:
        return Estimate(accuracy / best, units=len(whole), note=note)
    both = list(zip(parts.T, pairs, strict=True))
    low = min(_fieller(whole, part, t_reach(alpha, pair.df))[0] for part, pair in both)
    alpha /= len(pairs)
    high = min(_fieller(whole, part, t_reach(alpha, pair.df))[1] for part, pair in both)
    note = "no upper end: the accuracy of the best member may be 0" if math.isinf(high) else ""
    return Estimate(accuracy / best, low, high, p, len(whole), note)


def _fieller(upper: Floats, lower: Floats, reach: float) -> tuple[float, float]:
    """Return Fieller's interval of mean(upper) / mean(lower) at this many standard errors."""
    means = np.array([upper.mean(), lower.mean()])
    products = np.outer(means, means) - reach**2 * np.cov(upper, lower) / len(upper)
    # The ratios r with products[1, 1] r^2 - 2 products[0, 1] r + products[0, 0] <= 0.
    square, half, constant = products[1, 1], products[0, 1], products[0, 0]
    root = math.sqrt(max(0.0, half**2 - square * constant))
    if square > 0:
        return max(0.0, float((half - root) / square)), float((half + root) / square)
    # The denominator may be 0: there is a lower end only where the numerator cannot be.
    if constant <= 0:
        return 0.0, math.inf
    return (float(constant / (half + root)) if half + root > 0 else math.inf), math.inf


def expert_threshold(experts: int) -> float:
    """Return the load below which one of so many experts is dead.

    >>> expert_threshold(64)
    0.0015625
    """
    if experts < 1:
        raise ValueError(f"the number of experts must be at least 1, not {experts!r}")
    return min(0.01, 0.1 / experts)


def dead_member(
    hits: int, samples: int, *, threshold: float = 0.01, members: int = 1, ci: float = 0.95
) -> Estimate:
    """Return a member's share of hits with its one-sided Clopper-Pearson upper bound.

    The member is dead where the high end is below the threshold, that is where p < 1 - ci. Both
    are corrected for the number of members.

    >>> dead_member(0, 100).note
    '0 of 100: too few to tell (299 needed)'
    >>> dead_member(0, 299).high < 0.01
    True
    """
    if not 0 <= hits <= samples or members < 1 or not 0 < threshold < 1:
        raise ValueError(f"impossible: {hits} of {samples}, {members} members, at {threshold}")
    alpha = (1 - check_level(ci)) / members
    if samples == 0:
        return Estimate(math.nan, note="no samples")
    share = hits / samples
    high = 1 - float(betaincinv(samples - hits, hits + 1, alpha)) if hits < samples else 1.0
    p = min(1.0, members * float(bdtr(hits, samples, threshold)))
    note = ""
    if share < threshold <= high:
        needed = math.floor(math.log(alpha) / math.log1p(-threshold)) + 1
        more = f" ({needed} needed)" if hits == 0 else ""
        note = f"{hits} of {samples}: too few to tell{more}"
    return Estimate(share, 0.0, high, p, samples, note)


def emergence_drop(
    before: ArrayLike, last: ArrayLike, *, rho_before: float, rho_last: float, ci: float = 0.95
) -> tuple[bool, Estimate]:
    """Return whether emergence dropped, and the change of the collective's accuracy.

    It dropped where rho is below 0.9 of the epoch before and the paired interval of the
    collective's correctness, last epoch minus the one before, lies below 0.

    >>> raised, change = emergence_drop([1] * 20, [1] * 10 + [0] * 10, rho_before=2, rho_last=1)
    >>> raised, change.value
    (True, -0.5)
    """
    first, second = _flags(before), _flags(last)
    if first.shape != second.shape:
        raise ValueError(f"expected the same samples, not {first.size} and {second.size}")
    change = paired_difference(Rows(second), Rows(first)).estimate(ci)
    return bool(rho_last < 0.9 * rho_before and change.high < 0), change
