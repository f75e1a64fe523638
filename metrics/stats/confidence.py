"""How sure: the level of intervals and tests, and what few clusters do to it; one home for all families."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from scoresheet.metrics.checks import is_between

if TYPE_CHECKING:
    from collections.abc import Sequence
    from statistics import NormalDist

    import numpy as np
    from numpy.typing import NDArray


CONFIDENCE_LEVEL: Final = 0.95
LOWEST_CONFIDENCE: Final = 0.5
HIGHEST_CONFIDENCE: Final = 0.999  # beyond, the resamples are too few for its ends
FEWEST_CLUSTERS: Final = 5  # with an interval; below, even an expanded one covers too seldom
POWER: Final = 0.8  # with which a detectable difference would be found
_SERIES: Final = 200  # degrees of freedom up to which the sum of terms is used; beyond, the expansion is exact enough


class Interval(NamedTuple):
    """A confidence interval: its ends, NaN where there is none, and in words why there is none or what it lacks."""

    low: float
    high: float
    note: str = ""

    @property
    def is_known(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)


def check_confidence(confidence: float) -> None:
    """Raise ValueError if this is no level of confidence."""
    if not is_between(confidence, LOWEST_CONFIDENCE, HIGHEST_CONFIDENCE):
        raise ValueError(f"a level of confidence is {LOWEST_CONFIDENCE} to {HIGHEST_CONFIDENCE}, not {confidence!r}")


def significance_level(confidence: float) -> float:
    """Return the level of a test that goes with an interval: one constant steers both.

    >>> significance_level(0.95)
    0.05
    """
    return round(1 - confidence, 12)


SIGNIFICANCE_LEVEL: Final = significance_level(CONFIDENCE_LEVEL)  # of a test that is told nothing else


def confidence_percent(confidence: float) -> str:
    """Return a level of confidence in words.

    >>> confidence_percent(0.95), confidence_percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{round(100 * confidence, 9):g} %"


def too_few(clusters: int, noun: str) -> str:
    """Return why so few clusters have no interval.

    >>> too_few(3, "idioms")
    'too few idioms for an interval: 3, at least 5 are needed'
    """
    return f"too few {noun} for an interval: {clusters:,}, at least {FEWEST_CLUSTERS} are needed"


def expanded_tail(confidence: float, clusters: int) -> float:
    """Return the share of resamples that an expanded percentile interval leaves out at each end.

    A percentile interval is too narrow for few clusters, as a normal interval is that takes the variance for known and
    divides by n. The expanded one reaches as far as Student's interval does: the normal tail beyond
    t * sqrt(n / (n - 1)).

    References
    ----------
    T. C. Hesterberg (2015), What Teachers Should Know About the Bootstrap, The American Statistician 69.

    Examples
    --------
    >>> round(expanded_tail(0.95, 10_000), 4), round(expanded_tail(0.95, 10), 4)
    (0.025, 0.0086)
    """
    if clusters < 2:
        raise ValueError(f"an interval needs two clusters or more, not {clusters}")
    reach = t_quantile(1 - (1 - confidence) / 2, clusters - 1) * math.sqrt(clusters / (clusters - 1))
    return _normal().cdf(-reach)


def _normal() -> NormalDist:
    """Return the normal distribution, whose home imports much that help has no use for."""
    from statistics import NormalDist

    return NormalDist()


def expanded_interval(
    resampled: NDArray[np.float64], clusters: int, *, noun: str, confidence: float = CONFIDENCE_LEVEL
) -> Interval:
    """Return the expanded percentile interval of resampled values; without a value they are left out, and counted.

    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=2_000)
    >>> ten, many = (expanded_interval(values, n, noun="items") for n in (10, 1_000))
    >>> ten.low < many.low < many.high < ten.high
    True
    >>> expanded_interval(values, 4, noun="items").note
    'too few items for an interval: 4, at least 5 are needed'
    """
    import numpy as np  # only here: the options take their level from this module, and --help needs no arrays

    if clusters < FEWEST_CLUSTERS:
        return Interval(math.nan, math.nan, too_few(clusters, noun))
    defined = resampled[~np.isnan(resampled)]
    missing = len(resampled) - len(defined)
    if not len(defined):
        return Interval(math.nan, math.nan, f"none of {len(resampled):,} resamples has a value")
    low, high = percentile_ends(defined[None, :], expanded_tail(confidence, clusters))  # a copy of what is defined
    return Interval(float(low[0]), float(high[0]), without_value(missing, len(resampled)))


def expanded_intervals(
    resampled: NDArray[np.float64], clusters: Sequence[int], *, noun: str, confidence: float = CONFIDENCE_LEVEL
) -> list[Interval]:
    """Return the same of several measures, resample × measure, each with its clusters.

    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(2_000, 2))
    >>> both = expanded_intervals(values, [10, 10], noun="items")
    >>> both[1] == expanded_interval(values[:, 1], 10, noun="items")
    True
    """
    import numpy as np  # as above

    found: dict[int, Interval] = {}
    undefined = set(
        np.flatnonzero(np.isnan(resampled).any(axis=0)).tolist()
    )  # measures that a resample has no value of
    for number in set(clusters):
        together = [place for place, own in enumerate(clusters) if own == number and place not in undefined]
        if number >= FEWEST_CLUSTERS and together and len(resampled):
            low, high = percentile_ends(
                np.ascontiguousarray(resampled[:, together].T), expanded_tail(confidence, number)
            )
            ends = zip(low.tolist(), high.tolist(), strict=True)
            found |= {place: Interval(*own) for place, own in zip(together, ends, strict=True)}
    return [
        found.get(place) or expanded_interval(resampled[:, place], own, noun=noun, confidence=confidence)
        for place, own in enumerate(clusters)
    ]


def percentile_ends(rows: NDArray[np.float64], tail: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values that a share of each row lies below, and above; the rows are put in another order.

    They are `numpy.percentile`'s, to the bit. It looks for all the values that it needs at once, which takes four times
    as long as looking for one after the other: only then does numpy compare many at a time.

    >>> import numpy as np
    >>> low, high = percentile_ends(np.arange(101.0)[None, ::-1].copy(), 0.025)
    >>> low.tolist(), high.tolist()
    ([2.5], [97.5])
    """
    percent = 100 * tail
    last = rows.shape[1] - 1
    places = [last * (each / 100) for each in (percent, 100 - percent)]
    low, high = map(int, places)
    if not low + 1 < high < last:  # of few values
        rows.sort(axis=1)
        neighbours = [(rows[:, place], rows[:, min(place + 1, last)]) for place in (low, high)]
    else:
        rows.partition(low + 1, axis=1)
        rows[:, low + 2 :].partition(high - low - 2, axis=1)
        neighbours = [
            (rows[:, : low + 1].max(axis=1), rows[:, low + 1]),
            (rows[:, high], rows[:, high + 1 :].min(axis=1)),
        ]
    ends = []
    for place, (below, above) in zip(places, neighbours, strict=True):
        share = place - int(place)
        ends.append(above - (above - below) * (1 - share) if share >= 0.5 else below + (above - below) * share)
    return ends[0], ends[1]


def without_value(missing: int, resamples: int) -> str:
    """Return what is said of resamples that have no value.

    >>> without_value(0, 2_000), without_value(1, 2_000)
    ('', '1 of 2,000 resamples has no value')
    """
    return f"{missing:,} of {resamples:,} resamples {'has' if missing == 1 else 'have'} no value" if missing else ""


def detectable_difference(
    deviation: float, units: int, *, confidence: float = CONFIDENCE_LEVEL, tests: int = 1
) -> float:
    """Return the smallest mean difference that a paired test of so many units finds with a chance of POWER.

    Parameters
    ----------
    deviation : float
        Standard deviation of the units' differences.
    units : int
        Units compared.
    confidence : float, optional
        One minus the level of the test.
    tests : int, optional
        How many hypotheses are corrected for: the level of one is divided by them, as Holm does for the smallest.

    Returns
    -------
    float
        The difference; NaN for fewer than two units.

    Examples
    --------
    >>> round(detectable_difference(0.1, 30), 3)
    0.053
    """
    if units < 2 or math.isnan(deviation):
        return math.nan
    level = (1 - confidence) / tests
    reach = t_quantile(1 - level / 2, units - 1) + t_quantile(POWER, units - 1)
    return reach * deviation / math.sqrt(units)


@lru_cache(maxsize=1_000)
def t_quantile(share: float, freedom: int) -> float:
    """Return the value below which a share of Student's distribution lies.

    Parameters
    ----------
    share : float
        Between 0 and 1, both excluded.
    freedom : int
        Degrees of freedom, at least one.

    Raises
    ------
    ValueError
        If there is no such value.

    References
    ----------
    M. Abramowitz, I. A. Stegun (1964), Handbook of Mathematical Functions, 26.7.3 to 26.7.5.

    Examples
    --------
    >>> round(t_quantile(0.975, 9), 6), round(t_quantile(0.975, 100_000), 4)
    (2.262157, 1.96)
    """
    if not 0 < share < 1 or freedom < 1:
        raise ValueError(f"no quantile at {share} with {freedom} degrees of freedom")
    if share < 0.5:
        return -t_quantile(1 - share, freedom)
    start = _expansion(_normal().inv_cdf(share), freedom)
    if freedom > _SERIES:
        return start
    low, high = 0.0, max(1.0, 2 * abs(start))
    while _below(high, freedom) < share:
        high *= 2
    while high - low > 1e-13 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _below(value: float, freedom: int) -> float:
    """Return the share of Student's distribution below a value, by its finite sum for whole degrees of freedom."""
    angle = math.atan(value / math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for step in range(freedom // 2):
        total += term
        term *= square * (2 * step + 2 if odd else 2 * step + 1) / (2 * step + 3 if odd else 2 * step + 2)
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + within / 2


def _expansion(normal: float, freedom: int) -> float:
    """Return the quantile by its expansion around the normal one."""
    x = normal
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92_160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
