"""The two patterns that training is expected to show: routing entropy falls, and the emergence ratio rises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from scoresheet.metrics.families.collective.alerts import DROP
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.confidence import FEWEST_CLUSTERS, significance_level
from scoresheet.metrics.stats.trend import kendall_trend

AS_EXPECTED: Final = "as expected"
AGAINST: Final = "against expectation"
NOT_SHOWN: Final = "not shown"
TOO_FEW: Final = "too few epochs"
ENTROPY_FALLS: Final = "routing entropy falls"
EMERGENCE_RISES: Final = "emergence ratio rises"


class Pattern(NamedTuple):
    """An expected pattern, and what came of it."""

    what: str
    epochs: int  # with a value
    first: float
    last: float
    tau: float  # Kendall's, of the values with their order
    p_value: float
    finding: str
    breaks_at: str  # epoch at which it first goes back by more than is tolerated; '' where it does not
    back_at: str  # epoch at which it has made up for that; '' where it has not


def emergence_pattern(epochs: Sequence[str], ratios: Sequence[float], *, confidence: float) -> Pattern | None:
    """Return whether the emergence ratio rises; it breaks where it falls below DROP of the highest so far."""
    return _pattern(EMERGENCE_RISES, epochs, ratios, 1, confidence)


def routing_pattern(epochs: Sequence[str], entropies: Sequence[float], *, confidence: float) -> Pattern | None:
    """Return whether routing entropy falls; it breaks where it exceeds the lowest so far by a tenth of the first."""
    return _pattern(ENTROPY_FALLS, epochs, entropies, -1, confidence)


def _pattern(
    what: str, epochs: Sequence[str], values: Sequence[float], direction: int, confidence: float
) -> Pattern | None:
    known = [(epoch, value) for epoch, value in zip(epochs, values, strict=True) if not math.isnan(value)]
    if len(known) < 2:
        return None
    series = [value for _, value in known]
    trend = kendall_trend(series)
    if len(known) < FEWEST_CLUSTERS:
        finding = TOO_FEW
    elif trend.p_value >= significance_level(confidence):
        finding = NOT_SHOWN
    else:
        finding = AS_EXPECTED if trend.tau * direction > 0 else AGAINST
    names = [epoch for epoch, _ in known]
    breaks_at, back_at = _break(names, series, direction)
    return Pattern(what, len(known), series[0], series[-1], trend.tau, trend.p_value, finding, breaks_at, back_at)


def _break(epochs: Sequence[str], values: Sequence[float], direction: int) -> tuple[str, str]:
    """Return the epoch at which a series first goes back too far, and the one at which it is back."""
    best, edge, breaks_at = values[0], math.nan, ""
    for epoch, value in zip(epochs, values, strict=True):
        if breaks_at:
            if (value - edge) * direction >= -TOLERANCE:
                return breaks_at, epoch
            continue
        best = max(best, value) if direction > 0 else min(best, value)
        edge = DROP * best if direction > 0 else best + (1 - DROP) * values[0]
        if (value - edge) * direction < -TOLERANCE:
            breaks_at = epoch
    return breaks_at, ""
