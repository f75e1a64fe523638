"""Bands: names for ranges of a score, with one rule for their edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # options are declared with bands, and have no need of it
    import numpy as np
    from numpy.typing import NDArray

Bands = Sequence[tuple[float, str]]  # lower edges in ascending order, each with the name of what begins there

TOLERANCE: Final = 1e-9  # a score that misses an edge only by the arithmetic's last digits has reached it


def band(value: float, edges: Bands) -> str:
    """Return the name of the last band whose lower edge the value reaches; '' for an undefined value.

    >>> band(0.8, [(0, "low"), (0.5, "moderate"), (0.8, "high")])
    'high'
    """
    if math.isnan(value):
        return ""
    for edge, name in reversed(edges):
        if value >= edge - TOLERANCE:
            return name
    return edges[0][1]


def band_codes(values: NDArray[np.float64], edges: Bands) -> NDArray[np.int64]:
    """Return which of the bands each value is in, and for an undefined one how many there are.

    >>> import numpy as np
    >>> band_codes(np.array([0.8, 0.1, np.nan]), [(0, "low"), (0.5, "moderate"), (0.8, "high")]).tolist()
    [2, 0, 3]
    """
    codes: NDArray[np.int64] = (values != values) * len(edges)  # noqa: PLR0124 - NaN, which reaches none of them
    for edge, _ in edges[1:]:
        codes += values >= edge - TOLERANCE
    return codes


def band_of_interval(low: float, high: float, edges: Bands, *, otherwise: str) -> str:
    """Return the band that holds the whole interval, or both bands that its ends lie in; `otherwise` without one.

    >>> edges = [(0, "low"), (0.5, "moderate"), (0.8, "high")]
    >>> band_of_interval(0.55, 0.7, edges, otherwise="too few"), band_of_interval(0.4, 0.9, edges, otherwise="too few")
    ('moderate', 'low to high')
    """
    if math.isnan(low) or math.isnan(high):
        return otherwise
    first, last = band(low, edges), band(high, edges)
    return first if first == last else f"{first} to {last}"


def describe_bands(edges: Bands) -> str:
    """Return in words where the bands lie.

    >>> describe_bands([(0, "low"), (0.5, "moderate"), (0.8, "high")])
    'low below 0.5, moderate below 0.8, high from 0.8'
    """
    below = [f"{name} below {following:g}" for (_, name), (following, _) in pairwise(edges)]
    last, name = edges[-1]
    return ", ".join([*below, f"{name} from {last:g}"])


def describe_band_starts(edges: Bands) -> str:
    """Return in words where each band begins.

    >>> describe_band_starts([(0, "low"), (0.5, "moderate"), (0.8, "high")])
    'low below 0.5, moderate from 0.5, high from 0.8'
    """
    first = f"{edges[0][1]} below {edges[1][0]:g}"
    return ", ".join([first, *(f"{name} from {edge:g}" for edge, name in edges[1:])])
