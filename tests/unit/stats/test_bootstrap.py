"""The bootstrap: against a plain loop, and what must always hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoresheet.metrics.stats import bootstrap
from scoresheet.metrics.stats.bootstrap import bootstrap_means

SCORES = st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=2), min_size=2, max_size=15)


@settings(max_examples=25, deadline=None)
@given(SCORES, st.booleans())
def test_an_interval_lies_between_the_least_and_the_greatest_score(scores: list[list[float]], pooled: bool) -> None:
    sums = np.array(scores)
    result = bootstrap_means(sums, np.ones_like(sums), pooled=pooled)
    low, high = result.overall
    assert sums.min() - 1e-12 <= low <= high <= sums.max() + 1e-12


def test_a_plain_loop_gives_the_same_intervals() -> None:
    rng = np.random.default_rng(7)
    sums = rng.random((30, 3))
    counts = (rng.random((30, 3)) > 0.3).astype(float)
    sums *= counts
    draws = np.random.default_rng(0).integers(0, 30, size=(bootstrap.RESAMPLES, 30))
    overall = []
    for draw in draws:
        means = [
            sum(sums[key, sheet] for key in draw) / drawn
            for sheet in range(3)
            if (drawn := sum(counts[key, sheet] for key in draw))
        ]
        overall.append(math.fsum(means) / len(means))
    expected = np.percentile(overall, [2.5, 97.5])
    assert bootstrap_means(sums, counts).overall == pytest.approx(tuple(expected), abs=1e-12)


def test_batches_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.random.default_rng(1).random((40, 2))
    whole = bootstrap_means(sums, np.ones_like(sums))
    monkeypatch.setattr(bootstrap, "_BATCH_CELLS", 100)
    assert bootstrap_means(sums, np.ones_like(sums)) == whole


@pytest.mark.parametrize("keys", [0, 1])
def test_fewer_than_two_keys_have_no_interval(keys: int) -> None:
    sums = np.ones((keys, 2))
    result = bootstrap_means(sums, sums)
    assert all(math.isnan(end) for ends in (result.overall, *result.sheets) for end in ends)


def test_equal_scores_have_an_interval_of_no_width() -> None:
    sums = np.full((10, 2), 0.25)
    assert bootstrap_means(sums, np.ones_like(sums)).overall == (0.25, 0.25)
