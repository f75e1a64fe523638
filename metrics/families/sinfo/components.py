"""What precision and brevity say together: an answer is balanced, too short, off the point, or poor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.stats.bands import TOLERANCE

if TYPE_CHECKING:  # the options of the command have no need of it
    import numpy as np
    from numpy.typing import NDArray

    from scoresheet.metrics.columns import Coded

BALANCED: Final = "balanced"
TOO_SHORT: Final = "too short"
OFF_POINT: Final = "off the point"
POOR: Final = "poor"
COMPONENTS: Final = {
    BALANCED: "P_ROUGE and BP high",
    TOO_SHORT: "P_ROUGE high, BP low",
    OFF_POINT: "P_ROUGE low, BP high: long enough, but other words",
    POOR: "both low",
}
EDGE: Final = 0.5  # from which on a component is high


def component(p_rouge: float, bp: float, edge: float = EDGE) -> str:
    """Return what the two components of a score say together; '' where they are undefined.

    >>> component(0.8, 1.0), component(0.8, 0.2), component(0.2, 1.0), component(0.2, 0.2)
    ('balanced', 'too short', 'off the point', 'poor')
    """
    if math.isnan(p_rouge) or math.isnan(bp):
        return ""
    reached = edge - TOLERANCE
    long = bp >= reached
    if p_rouge >= reached:
        return BALANCED if long else TOO_SHORT
    return OFF_POINT if long else POOR


def component_codes(p_rouge: NDArray[np.float64], bp: NDArray[np.float64], edge: float = EDGE) -> NDArray[np.int64]:
    """Return which of COMPONENTS each row has, and for one that is undefined how many there are.

    >>> import numpy as np
    >>> component_codes(np.array([0.8, 0.2, np.nan]), np.array([0.2, 1.0, 1.0])).tolist()
    [1, 2, 4]
    """
    reached = edge - TOLERANCE
    codes: NDArray[np.int64] = 2 * (p_rouge < reached) + (bp < reached)
    codes[(p_rouge != p_rouge) | (bp != bp)] = len(COMPONENTS)  # noqa: PLR0124 - NaN
    return codes


def component_counts(found: Coded[str]) -> dict[str, int]:
    """Return how many rows have each component; those without one are in none.

    >>> from scoresheet.metrics.columns import Coded
    >>> component_counts(Coded.of(["poor", "balanced", "", "poor"]))
    {'balanced': 1, 'too short': 0, 'off the point': 0, 'poor': 2}
    """
    counted = found.counted()
    return {name: counted.get(name, 0) for name in COMPONENTS}


def describe_components() -> str:
    """Return in words what each stands for."""
    return "; ".join(f"{name}: {about}" for name, about in COMPONENTS.items())
