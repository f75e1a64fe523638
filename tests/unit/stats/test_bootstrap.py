"""The bootstrap: against a plain loop, and what must always hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoresheet.metrics.stats import bootstrap
from scoresheet.metrics.stats.bootstrap import ResampledMeans, resample_means
from scoresheet.metrics.stats.confidence import FEWEST_CLUSTERS, expanded_tail, percentile_ends

SCORES = st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=2), min_size=5, max_size=15)


def resampled(sums: NDArray[np.float64], counts: NDArray[np.float64], *, pooled: bool = False) -> ResampledMeans:
    """The means of one measure, given cluster × sheet."""
    return resample_means(sums[:, :, None], counts[:, :, None], noun="items", pooled=pooled)


@settings(max_examples=25, deadline=None)
@given(SCORES, st.booleans())
def test_an_interval_lies_between_the_least_and_the_greatest_score(scores: list[list[float]], pooled: bool) -> None:
    sums = np.array(scores)
    low, high, note = resampled(sums, np.ones_like(sums), pooled=pooled).interval(0)
    assert sums.min() - 1e-12 <= low <= high <= sums.max() + 1e-12
    assert note == ""


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
    tail = 100 * expanded_tail(0.95, 30)
    expected = np.percentile(overall, [tail, 100 - tail])
    assert resampled(sums, counts).interval(0)[:2] == pytest.approx(tuple(expected), abs=1e-12)


def test_batches_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.random.default_rng(1).random((40, 2))
    whole = resampled(sums, np.ones_like(sums)).interval(0)
    monkeypatch.setattr(bootstrap, "_BATCH_CELLS", 100)
    assert resampled(sums, np.ones_like(sums)).interval(0) == whole


@pytest.mark.parametrize("keys", range(FEWEST_CLUSTERS))
def test_fewer_than_five_clusters_have_no_interval_and_say_so(keys: int) -> None:
    sums = np.ones((keys, 2))
    found = resampled(sums, sums)
    for each in (found.interval(0), found.sheet_interval(0, 0), found.sheet_interval(1, 0)):
        assert not each.is_known
        assert each.note == f"too few items for an interval: {keys}, at least {FEWEST_CLUSTERS} are needed"


def test_a_sheet_of_few_clusters_has_no_interval_though_the_model_has_one() -> None:
    counts = np.ones((12, 2))
    counts[4:, 1] = 0
    found = resampled(np.random.default_rng(2).random((12, 2)) * counts, counts)
    assert found.interval(0).is_known
    assert found.sheet_interval(0, 0).is_known
    assert found.sheet_interval(1, 0).note == "too few items for an interval: 4, at least 5 are needed"


def test_resamples_that_empty_a_sheet_are_counted_and_said() -> None:
    counts = np.ones((30, 2))
    counts[5:, 1] = 0
    found = resampled(np.random.default_rng(2).random((30, 2)) * counts, counts)
    drawn = np.random.default_rng(0).integers(0, 30, size=(bootstrap.RESAMPLES, 30))
    without = int((drawn >= 5).all(axis=1).sum())
    assert without > 1
    assert found.sheet_interval(1, 0).note == f"{without} of {bootstrap.RESAMPLES:,} resamples have no value"
    assert found.interval(0).note == ""  # the other sheet is there


def test_equal_scores_have_an_interval_of_no_width() -> None:
    sums = np.full((10, 2), 0.25)
    assert resampled(sums, np.ones_like(sums)).interval(0) == (0.25, 0.25, "")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 39, 40, 41, 1_999, 2_000])
def test_the_ends_of_intervals_are_the_percentiles_of_numpy_to_the_bit(size: int) -> None:
    rng = np.random.default_rng(size)
    for tail in (0.0, 0.0086, 0.025, 0.1, 0.24999, *rng.random(40).tolist()):
        rows = np.vstack([rng.normal(size=size), rng.integers(0, 5, size) / 7])
        wanted = np.percentile(rows, (100 * tail, 100 - 100 * tail), axis=1)
        assert np.array_equal(wanted, percentile_ends(rows, tail))
