"""The estimate that this package returns, and the pieces that its intervals share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri, stdtr, stdtrit

Floats: TypeAlias = NDArray[np.float64]
Bands: TypeAlias = Sequence[tuple[float, str]]  # (lower edge, word), ascending

FEWEST = 6  # units, draws or items; with fewer there is no interval
BAND_TOLERANCE = 1e-9
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


def check_level(ci: float) -> float:
    """Return the confidence level if it lies strictly between 0 and 1."""
    if not 0 < ci < 1:
        raise ValueError(f"the confidence level must lie between 0 and 1, not {ci!r}")
    return float(ci)


def few_units_note(count: int, what: str = "units") -> str:
    """Return the note for an interval that needs more units.

    >>> few_units_note(4)
    'no interval: 4 units, at least 6 are needed'
    """
    return f"no interval: {count} {what if count != 1 else what[:-1]}, at least {FEWEST} are needed"


def z_reach(alpha: float) -> float:
    """Return the standard normal quantile with alpha / 2 above it."""
    return -float(ndtri(alpha / 2))


def t_reach(alpha: float, df: float) -> float:
    """Return the quantile of Student's t with alpha / 2 above it.

    >>> round(t_reach(0.05, 5), 4)
    2.5706
    """
    return -float(stdtrit(df, alpha / 2))


def size_correction(alpha: float, df: float) -> float:
    """Return (z / t) squared, by which few units shrink an effective sample size.

    >>> round(size_correction(0.05, 5), 4)
    0.5813
    """
    z, t = z_reach(alpha), t_reach(alpha, df)
    return (z / t) ** 2 if t > 0 else 1.0


def t_interval(centre: float, error: float, df: float, alpha: float) -> tuple[float, float]:
    """Return the ends of Student's t interval, NaN where df is too small for one.

    >>> [round(end, 3) for end in t_interval(1.0, 0.5, 10, 0.05)]
    [-0.114, 2.114]
    """
    reach = t_reach(alpha, df)
    if not reach < 1e6:
        return math.nan, math.nan  # one cluster holds nearly all rows
    return centre - reach * error, centre + reach * error


def t_p_value(centre: float, error: float, df: float) -> float:
    """Return the two-sided p-value of Student's t.

    >>> round(t_p_value(2.2281, 1.0, 10), 4)
    0.05
    """
    return 2 * float(stdtr(df, -abs(centre / error)))


def jackknife(
    thetas: ArrayLike, rows_per_cluster: ArrayLike | None = None, *, scale: float = 0.0
) -> tuple[float, float]:
    """Return the standard error and Satterthwaite df of delete-one-unit estimates.

    An error within rounding of 0, relative to the estimates or to `scale`, is 0.

    >>> error, df = jackknife([2.5, 2.0, 1.5])  # the means of 1, 2, 3 without each
    >>> round(error, 4), df
    (0.5774, 2.0)
    """
    estimates = np.asarray(thetas, dtype=np.float64)
    n = estimates.size
    if n < 2 or not np.isfinite(estimates).all():
        return math.nan, math.nan
    squares = (estimates - estimates.mean()) ** 2
    total = float(squares.sum())
    error = math.sqrt((n - 1) / n * total)
    if error <= ROUNDING * max(scale, float(np.abs(estimates).max())):
        return 0.0, float(n - 1)
    df = float(n - 1)
    excess = float(((squares / total) ** 2).sum()) - 1 / n
    if excess > 0:
        df = min(df, 2 / excess)
    if rows_per_cluster is not None:
        rows = np.asarray(rows_per_cluster, dtype=np.float64)
        df = min(df, float(rows.sum() ** 2 / (rows**2).sum()) - 1)
    return error, df


def clopper_pearson(successes: float, trials: float, alpha: float) -> tuple[float, float]:
    """Return the Clopper-Pearson interval; the counts need not be whole numbers.

    >>> [round(end, 4) for end in clopper_pearson(0, 10, 0.05)]
    [0.0, 0.3085]
    """
    failures = trials - successes
    low = float(betaincinv(successes, failures + 1, alpha / 2)) if successes > 0 else 0.0
    high = 1 - float(betaincinv(failures, successes + 1, alpha / 2)) if failures > 0 else 1.0
    return low, high


def band_of(value: float, bands: Bands) -> str:
    """Return the word of the band that holds the value, empty if there is none.

    >>> band_of(0.5, [(0, "low"), (0.5, "moderate"), (0.8, "high")])
    'moderate'
    """
    edges = [edge for edge, _ in bands]
    if edges != sorted(edges):
        raise ValueError(f"the band edges must ascend, not {edges}")
    word = ""
    for edge, name in bands:
        if value >= edge - BAND_TOLERANCE:
            word = name
    return word


def band_of_interval(low: float, high: float, bands: Bands) -> str:
    """Return the word of the band that holds the whole interval, empty if there is none.

    >>> band_of_interval(0.55, 0.7, [(0, "low"), (0.5, "moderate"), (0.8, "high")])
    'moderate'
    >>> band_of_interval(0.45, 0.7, [(0, "low"), (0.5, "moderate"), (0.8, "high")])
    ''
    """
    word = band_of(low, bands)
    return word if word == band_of(high, bands) else ""
