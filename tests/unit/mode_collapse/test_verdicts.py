"""Verdicts: how often each falls on choosers of a known kind."""

from __future__ import annotations

import numpy as np

from scoresheet.metrics import collapse_p_value, gini, normalized_entropy
from scoresheet.metrics.families.mode_collapse.verdicts import verdict


def test_the_verdict_seldom_falls_on_uniform_choosers_and_nearly_always_on_a_favourite() -> None:
    rng = np.random.default_rng(11)
    collapsed = ("moderate", "high")
    for total in (6, 10, 32):
        draws = rng.multinomial(total, [0.2] * 5, size=1_000).tolist()
        found = [verdict(gini(row), normalized_entropy(row), collapse_p_value(row)) in collapsed for row in draws]
        assert sum(found) <= 50
    draws = rng.multinomial(32, [0.8, *[0.05] * 4], size=500).tolist()
    found = [verdict(gini(row), normalized_entropy(row), collapse_p_value(row)) in collapsed for row in draws]
    assert sum(found) >= 495
