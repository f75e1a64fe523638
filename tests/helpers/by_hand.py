"""Numbers that several families have, worked out again in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


def gini(counts: Sequence[int]) -> float:
    """The Gini coefficient as the definitions print it."""
    n = len(counts)
    return 2 * sum(i * y for i, y in enumerate(sorted(counts), 1)) / (n * sum(counts)) - (n + 1) / n


def mean(values: Iterable[float]) -> float:
    """The plain mean."""
    kept = list(values)
    return math.fsum(kept) / len(kept)


def holm(ps: Sequence[float]) -> list[float]:
    """P-values corrected for how many there are."""
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    corrected, least = [0.0] * len(ps), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = least
    return corrected
