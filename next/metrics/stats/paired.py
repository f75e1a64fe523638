"""Paired differences: of two models, of several, and of a collective and its members."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from scoresheet.metrics import stats as est
from scoresheet.metrics.stats import FEWEST, ROUNDING, Estimate, Floats
from scoresheet.metrics.stats.means import LeaveOneOut, Rows, leave_one_out


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference A minus B on shared units, with what its interval needs at any level.

    Wins, ties and losses count units. Without a test `error` is NaN and the note gives the reason.
    """

    difference: float
    wins: int = 0
    ties: int = 0
    losses: int = 0
    centre: float = math.nan
    error: float = math.nan
    df: float = math.nan
    p: float = math.nan
    note: str = ""

    @property
    def units(self) -> int:
        """The number of shared units."""
        return self.wins + self.ties + self.losses

    def interval(self, ci: float = 0.95) -> tuple[float, float]:
        """Return the ends of the interval at this level, NaN where there is no test."""
        if math.isnan(self.error):
            return math.nan, math.nan
        return est.t_test(self.centre, self.error, self.df, est.alpha_of(ci))[:2]


def paired_difference(a: Rows, b: Rows, *, aggregate: str = "sheets") -> PairedDifference:
    """Return the difference of two models' means on the units that both scored.

    It is a paired t-test with the error of the cluster jackknife. Where all units differ by the
    same d, the centre is d n / (n + 1), the error |d| / (n + 1) and df is n: a width above 0.

    >>> a, b = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.5], [0.7, 0.7, 0.4, 0.8, 0.2, 0.7, 0.6]
    >>> result = paired_difference(Rows(a), Rows(b))
    >>> round(result.difference, 4), round(result.p, 4), result.wins, result.losses
    (0.1571, 0.0424, 6, 1)
    """
    units = a.scored()[1], b.scored()[1]
    shared = None if np.array_equal(*units) else np.intersect1d(*units)  # mostly they are equal
    first, second = (leave_one_out(rows, shared, aggregate=aggregate) for rows in (a, b))
    n = first.units.size
    if n == 0:
        return PairedDifference(math.nan, note="no test: no shared units")
    size = float(np.abs([first.means, second.means]).max())
    gaps, difference = first.means - second.means, first.value - second.value
    wins, losses = int((gaps > ROUNDING * size).sum()), int((gaps < -ROUNDING * size).sum())
    if abs(difference) <= ROUNDING * size:
        difference = 0.0
    result = PairedDifference(difference, wins, n - wins - losses, losses)
    differing = wins + losses
    if differing == 0 and difference == 0:
        return replace(result, p=1.0, note=f"identical on all {n} units")
    if differing < FEWEST:
        verb = "differs" if differing == 1 else "differ"
        return replace(result, note=f"no test: {differing} of {n} units {verb}")
    rows, centre = first.rows + second.rows, difference
    error, df = est.jackknife(first.without - second.without, rows, scale=size)
    if error == 0 and difference == 0:
        return replace(result, note="no test: the differences cancel out")
    if error == 0:
        centre, error, df = difference * n / (n + 1), abs(difference) / (n + 1), float(n)
    _, _, p = est.t_test(centre, error, df, 0.05)
    if math.isnan(p):
        return replace(result, note="no test: one unit has nearly all rows")
    return replace(result, centre=centre, error=error, df=df, p=p)


def smallest_detectable_difference(result: PairedDifference, *, ci: float = 0.95) -> float:
    """Return the difference that the test at this level finds about four times in five.

    >>> result = PairedDifference(0.1, wins=20, losses=10, centre=0.1, error=0.05, df=29.0)
    >>> round(smallest_detectable_difference(result), 4)
    0.145
    """
    reach = est.t_reach(est.alpha_of(ci), result.df)
    return (reach + float(stdtrit(result.df, 0.8))) * result.error


def holm(
    p_values: ArrayLike, ci: float = 0.95, *, comparisons: int | None = None
) -> tuple[Floats, Floats]:
    """Return Holm's adjusted p-values and the level at which each one was tested.

    An interval at its level contains 0 exactly where the adjusted p is 1 - ci or more. NaN does
    not enter. `comparisons` is the number of possible comparisons where only some were made.

    >>> adjusted, levels = holm([0.01, 0.04, 0.03, float("nan")])
    >>> adjusted.round(4).tolist(), levels.round(4).tolist()
    ([0.03, 0.06, 0.06, nan], [0.9833, 0.975, 0.975, nan])
    """
    p = est.checked(p_values, "p-values from 0 to 1", wrong=lambda x: (x < 0) | (x > 1))
    alpha = est.alpha_of(ci)
    undefined = int(np.isnan(p).sum())
    order = np.argsort(p, kind="stable")[: p.size - undefined]  # NaN sorts last
    divisors = (comparisons or p.size) - undefined - np.arange(order.size)
    ordered = np.maximum.accumulate(p[order] * divisors)
    failed = np.flatnonzero(ordered >= alpha)
    if failed.size:
        divisors[failed[0] :] = divisors[failed[0]]
    adjusted, levels = np.full((2, p.size), np.nan)
    adjusted[order] = np.minimum(ordered, 1.0)
    levels[order] = 1 - alpha / divisors
    return adjusted, levels


def baseline_level(ci: float, series: int) -> float:
    """Return the level of the baseline gate for a number of gated series.

    >>> round(baseline_level(0.95, 1), 10)
    0.99
    """
    return 1 - est.alpha_of(ci) / (5 * series)


def gain_and_rho(
    collective: ArrayLike,
    members: ArrayLike,
    *,
    names: Sequence[str] = (),
    units: ArrayLike | None = None,
    ci: float = 0.95,
) -> tuple[Estimate, Estimate]:
    """Return the accuracy of the collective minus that of the best member, and divided by it.

    Takes 1 for right and 0 for wrong: one value per sample, and samples by members; `units` are
    codes where several samples form one unit. Low ends are the least of the members' low ends
    (Berger 1982), high ends the least of their high ends at 1 - alpha / K. The interval of rho is
    Fieller's: it contains 1 exactly where that of the gain contains 0.

    >>> gain, rho = gain_and_rho([1] * 18 + [0] * 2, [[1]] * 10 + [[0]] * 10)
    >>> round(gain.low, 4), round(gain.high, 4), round(rho.low, 4), round(rho.high, 4)
    (0.1648, 0.5, 1.234, 3.3249)
    """
    whole, parts = np.asarray(collective, float), np.asarray(members, float)
    k = parts.shape[1]
    names = names or [f"member {number + 1}" for number in range(k)]
    rows, *others = (Rows(x, units) for x in (whole, *parts.T))
    pairs = [paired_difference(rows, other) for other in others]
    accuracy, best = float(whole.mean()), float(parts.mean(axis=0).max())
    note = "; ".join(f"{name}: {p.note}" for name, p in zip(names, pairs, strict=True) if p.note)
    alpha, corrected = est.alpha_of(ci), est.alpha_of(ci) / k
    gain = Estimate(accuracy - best, units=pairs[0].units, note=note)
    if not note:
        # Above the best: the collective must beat every member. Below: one member suffices.
        above = max(pair.p if pair.difference > 0 else 1.0 for pair in pairs)
        below = min(pair.p if pair.difference < 0 else 1.0 for pair in pairs)
        low = min(pair.interval(ci)[0] for pair in pairs)
        high = min(1 - best, *(pair.interval(1 - corrected)[1] for pair in pairs))
        gain = replace(gain, low=low, high=high, p=min(above, 1.0, k * below))
    if best == 0:
        ratio = math.inf if accuracy > 0 else math.nan
        return gain, Estimate(ratio, units=gain.units, note="no member is ever right")
    if note:
        return gain, replace(gain, value=accuracy / best)
    upper, *lower = map(leave_one_out, (rows, *others))
    tested = list(zip(lower, pairs, strict=True))
    low = min(_fieller(upper, one, est.t_reach(alpha, pair.df))[0] for one, pair in tested)
    high = min(_fieller(upper, one, est.t_reach(corrected, pair.df))[1] for one, pair in tested)
    note = "no upper end: the accuracy of the best member may be 0" if math.isinf(high) else ""
    return gain, Estimate(accuracy / best, low, high, gain.p, gain.units, note)


def _fieller(upper: LeaveOneOut, lower: LeaveOneOut, reach: float) -> tuple[float, float]:
    """Return Fieller's interval of the ratio of two means at this many standard errors."""
    means = np.array([upper.value, lower.value])
    covariance = (len(upper.units) - 1) * np.cov(np.array([upper.without, lower.without]), ddof=0)
    products = np.outer(means, means) - reach**2 * covariance
    # The ratios r with square r^2 - 2 half r + constant <= 0, both ends with half + root.
    (constant, half), (_, square) = products.tolist()
    reach = half + math.sqrt(max(0.0, half**2 - square * constant))
    low = 0.0  # the upper mean may be 0
    if constant > 0:
        low = constant / reach if reach > 0 else math.inf  # the lower mean is 0
    return low, reach / square if square > 0 else math.inf  # the lower mean may be 0
