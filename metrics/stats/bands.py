"""Bands: names for ranges of a score, with one rule for their edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

TOLERANCE: Final = 1e-9  # a score that misses an edge only by the arithmetic's last digits has reached it


def band(value: float, edges: Sequence[tuple[float, str]]) -> str:
    """Return the name of the last band whose lower edge the value reaches; '' for an undefined value.

    >>> band(0.8, [(0, "low"), (0.5, "moderate"), (0.8, "high")])
    'high'
    """
    if math.isnan(value):
        return ""
    return next((name for edge, name in reversed(edges) if value >= edge - TOLERANCE), edges[0][1])
