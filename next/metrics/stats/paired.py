"""Paired differences of two models, Holm's correction, and what a comparison could detect."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from scoresheet.metrics.stats.estimate import (
    FEWEST,
    ROUNDING,
    Estimate,
    Floats,
    check_level,
    jackknife,
    t_interval,
    t_p_value,
    t_reach,
)
from scoresheet.metrics.stats.means import (
    LeaveOneOut,
    Rows,
    scored_rows,
    sheet_means_jackknife,
)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference A minus B on shared units, with what its interval needs at any level.

    Wins, ties and losses compare A with B by the units' means. Where there is no test, `error`
    is NaN and the note gives the reason.
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

    @property
    def differing(self) -> int:
        """The number of shared units on which the models differ."""
        return self.wins + self.losses

    def interval(self, ci: float = 0.95) -> tuple[float, float]:
        """Return the ends of the interval at this level, NaN where there is no test."""
        if math.isnan(self.error):
            return math.nan, math.nan
        return t_interval(self.centre, self.error, self.df, 1 - check_level(ci))

    def estimate(self, ci: float = 0.95) -> Estimate:
        """Return the difference with its interval at this level."""
        low, high = self.interval(ci)
        return Estimate(self.difference, low, high, self.p, self.units, self.note)


def paired_difference(a: Rows, b: Rows, *, aggregate: str = "sheets") -> PairedDifference:
    """Return the difference of two models' means on the units that both scored.

    >>> a, b = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.5], [0.7, 0.7, 0.4, 0.8, 0.2, 0.7, 0.6]
    >>> result = paired_difference(Rows(a), Rows(b))
    >>> round(result.difference, 4), round(result.p, 4), result.wins, result.losses
    (0.1571, 0.0424, 6, 1)
    """
    first, second = scored_rows(a), scored_rows(b)
    shared = np.intersect1d(first.units, second.units)
    first = first.keep(np.isin(first.units, shared))
    second = second.keep(np.isin(second.units, shared))
    return difference_of_jackknives(
        sheet_means_jackknife(*first, aggregate=aggregate),
        sheet_means_jackknife(*second, aggregate=aggregate),
    )


def difference_of_jackknives(a: LeaveOneOut, b: LeaveOneOut) -> PairedDifference:
    """Return the difference of two means over the same units by a paired t-test.

    The error is the cluster jackknife's. Where each unit differs by the same d, the centre is
    d n / (n + 1), the error |d| / (n + 1) and df is n, so that the interval has a width.
    """
    if not np.array_equal(a.units, b.units):
        raise ValueError("the two models must have the same units")
    n = a.units.size
    if n == 0:
        return PairedDifference(math.nan, note="no test: no shared units")
    size = float(np.abs([a.means, b.means]).max())
    gaps = np.where(np.abs(a.means - b.means) <= ROUNDING * size, 0.0, a.means - b.means)
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    difference = a.value - b.value
    if abs(difference) <= ROUNDING * size:
        difference = 0.0
    result = PairedDifference(difference, wins, n - wins - losses, losses)
    if result.differing == 0 and difference == 0:
        return replace(result, p=1.0, note=f"identical on all {n} units")
    if result.differing < FEWEST:
        verb = "differs" if result.differing == 1 else "differ"
        return replace(result, note=f"no test: {result.differing} of {n} units {verb}")
    centre = difference
    error, df = jackknife(a.without - b.without, a.rows + b.rows, scale=size)
    if error == 0 and difference == 0:
        return replace(result, note="no test: the differences cancel out")
    if error == 0:
        centre, error, df = difference * n / (n + 1), abs(difference) / (n + 1), float(n)
    if math.isnan(t_interval(centre, error, df, 0.05)[0]):
        return replace(result, note="no test: one unit has nearly all rows")
    p = t_p_value(centre, error, df)
    return replace(result, centre=centre, error=error, df=df, p=p)


def smallest_detectable_difference(
    result: PairedDifference, *, ci: float = 0.95, power: float = 0.8
) -> float:
    """Return the difference that the test at this level finds about four times in five.

    >>> result = PairedDifference(0.1, wins=20, losses=10, centre=0.1, error=0.05, df=29.0)
    >>> round(smallest_detectable_difference(result), 4)
    0.145
    """
    if not 0.5 <= power < 1:
        raise ValueError(f"the power must lie between 0.5 and 1, not {power!r}")
    alpha = 1 - check_level(ci)
    if math.isnan(result.error):
        return math.nan
    return (t_reach(alpha, result.df) + float(stdtrit(result.df, power))) * result.error


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
    p = np.asarray(p_values, dtype=np.float64)
    alpha = 1 - check_level(ci)
    wrong = p[(p < 0) | (p > 1)]
    if p.ndim != 1 or wrong.size:
        raise ValueError(f"expected p-values from 0 to 1, not {wrong[0] if wrong.size else p}")
    if comparisons is not None and comparisons < p.size:
        raise ValueError(f"{p.size} p-values cannot come from {comparisons} comparisons")
    defined = np.flatnonzero(~np.isnan(p))
    m = defined.size + (comparisons or p.size) - p.size
    order = defined[np.argsort(p[defined], kind="stable")]
    divisors = m - np.arange(order.size)
    adjusted, levels = np.full(p.size, np.nan), np.full(p.size, np.nan)
    ordered = np.maximum.accumulate(p[order] * divisors)
    failed = np.flatnonzero(ordered >= alpha)
    if failed.size:
        divisors[failed[0] :] = divisors[failed[0]]
    adjusted[order] = np.minimum(ordered, 1.0)
    levels[order] = 1 - alpha / divisors
    return adjusted, levels


def baseline_level(ci: float, series: int) -> float:
    """Return the level of the baseline gate for a number of gated series.

    >>> round(baseline_level(0.95, 1), 10)
    0.99
    """
    if series < 1:
        raise ValueError(f"the number of gated series must be at least 1, not {series!r}")
    return 1 - (1 - check_level(ci)) / (5 * series)
