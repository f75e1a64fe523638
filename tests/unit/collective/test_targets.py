"""Is a target reached, and is that shown?"""

from __future__ import annotations

import pytest
from scipy.stats import binomtest  # type: ignore[import-untyped]

from scoresheet.metrics.families.collective.targets import is_reached


@pytest.mark.parametrize("hits", [0, 1, 30, 45, 49, 50])
@pytest.mark.parametrize("target", [0.0, 0.2, 0.61, 0.9, 0.99, 1.0])
def test_it_is_by_the_side_on_which_the_exact_interval_lies(hits: int, target: float) -> None:
    ends = binomtest(hits, 50).proportion_ci(0.95, method="exact")
    wanted = "yes" if ends.low > target else "no" if ends.high < target else "not shown"
    assert is_reached(hits / 50, 50, target, confidence=0.95) == wanted


def test_another_level_asks_for_more() -> None:
    assert is_reached(0.9, 200, 0.85, confidence=0.9) == "yes"
    assert is_reached(0.9, 200, 0.85, confidence=0.999) == "not shown"
