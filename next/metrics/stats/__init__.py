"""Intervals, tests, counts and agreement: the estimate they return, and what they share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri, stdtr, stdtrit

Floats: TypeAlias = NDArray[np.float64]
Condition: TypeAlias = Callable[[Floats], NDArray[np.bool_]]

FEWEST = 6  # units, draws or items; with fewer there is no interval
ROUNDING = 1e-12  # relative; a smaller error or difference is rounding


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval, p-value and units, and a note where one of them is missing."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    units: int = 0
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("value", "low", "high", "p"):
            # Adding 0.0 turns -0.0 into 0.0.
            object.__setattr__(self, name, float(getattr(self, name)) + 0.0)


def checked(
    values: ArrayLike, expected: str, *, dimensions: int = 1, wrong: Condition = np.isinf
) -> Floats:
    """Return the values as an array, or raise an error with the first wrong one."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"expected {expected}, not the shape {array.shape}")
    if (refused := array[wrong(array)]).size:
        raise ValueError(f"expected {expected}, not {refused[0]}")
    return array


def alpha_of(ci: float) -> float:
    """Return 1 minus the confidence level, which lies strictly between 0 and 1."""
    if not 0 < ci < 1:
        raise ValueError(f"the confidence level must lie between 0 and 1, not {ci!r}")
    return 1 - float(ci)


def few_units_note(count: int, what: str = "units", missing: str = "interval") -> str:
    """Return the note where there are too few units for an interval or a test, else nothing."""
    named = f"no {missing}: {count} {what if count != 1 else what[:-1]}"
    return "" if count >= FEWEST else f"{named}, at least {FEWEST} are needed"


def t_reach(alpha: float, df: float) -> float:
    """Return the quantile of Student's t with alpha / 2 above it."""
    return -float(stdtrit(df, alpha / 2))


def size_correction(alpha: float, df: float) -> float:
    """Return (z / t) squared, by which few units shrink an effective sample size."""
    t = t_reach(alpha, df)
    return (float(ndtri(alpha / 2)) / t) ** 2 if t > 0 else 1.0


def t_test(centre: float, error: float, df: float, alpha: float) -> tuple[float, float, float]:
    """Return the ends of Student's t interval and the p-value, NaN where df is too small."""
    reach = t_reach(alpha, df)
    if not reach < 1e6:
        return math.nan, math.nan, math.nan  # one cluster holds nearly all rows
    p = 2 * float(stdtr(df, -abs(centre / error)))
    return centre - reach * error, centre + reach * error, p


def clopper_pearson(successes: float, trials: float, alpha: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval; the counts need not be whole numbers.

    >>> [round(end, 4) for end in clopper_pearson(0, 10, 0.05)]
    [0.0, 0.3085]
    """
    failures = trials - successes
    low = float(betaincinv(successes, failures + 1, alpha / 2)) if successes > 0 else 0.0
    high = 1 - float(betaincinv(failures, successes + 1, alpha / 2)) if failures > 0 else 1.0
    return low, high


def jackknife(without: Floats, rows: ArrayLike, *, scale: float = 0.0) -> tuple[float, float]:
    """Return the standard error and Satterthwaite df of the estimates without each unit.

    An error within rounding of 0, relative to the estimates or to `scale`, is 0.

    >>> jackknife(np.array([3.0, 2.0, 1.0]), [1, 1, 1])
    (1.1547005383792515, 2.0)
    """
    n = without.size
    if n < 2 or not np.isfinite(without).all():
        return math.nan, math.nan
    squares = (without - without.mean()) ** 2
    total = float(squares.sum())
    error = math.sqrt((n - 1) / n * total)
    if error <= ROUNDING * max(scale, float(np.abs(without).max())):
        return 0.0, float(n - 1)
    excess = float(((squares / total) ** 2).sum()) - 1 / n
    sizes = np.asarray(rows, dtype=np.float64)
    clusters = float(sizes.sum() ** 2 / (sizes**2).sum())  # n where they are equally large
    return error, min(clusters - 1, 2 / excess if excess > 0 else math.inf)
