"""Power: how many samples a Gini needs."""

from __future__ import annotations

import math
from itertools import pairwise

from scoresheet.metrics.families.mode_collapse.power import samples_needed


def test_a_larger_gini_needs_fewer_samples() -> None:
    needed = [samples_needed(5, value, powers=(0.9,))[0] or math.inf for value in (0.2, 0.3, 0.5)]
    assert all(more > less for more, less in pairwise(needed))
