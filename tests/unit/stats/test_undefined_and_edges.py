"""At the edge of what is defined: below the first band, no ratings drawn, items that no two judges rated, ties."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scoresheet.metrics import cohen_kappa, krippendorff_alpha
from scoresheet.metrics.families.collective.diagnostics import routing_band
from scoresheet.metrics.families.collective.emergence import emergence_band
from scoresheet.metrics.stats.alpha_interval import ResampledAlpha, interval_of_alpha
from scoresheet.metrics.stats.bands import band

RATINGS = np.array([[1.0, 2.0, np.nan], [3.0, 3.0, 1.0], [2.0, 4.0, 4.0], [5.0, np.nan, np.nan]])


def test_a_value_below_the_first_edge_is_in_the_first_band_and_an_undefined_one_in_none() -> None:
    edges = [(0.0, "low"), (0.5, "high")]
    assert [band(value, edges) for value in (-0.1, 0.49, 0.5, math.nan)] == ["low", "low", "high", ""]
    assert (emergence_band(math.nan), routing_band(math.nan)) == ("", "")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_drawn_items_is_that_of_the_table_with_those_rows_and_undefined_where_none_is(level: str) -> None:
    often = [[1, 1, 1, 1], [2, 0, 3, 1], [0, 0, 0, 4]]
    found = ResampledAlpha(RATINGS, level).alphas(np.array(often, dtype=float))
    for value, times in zip(found[:2], often[:2], strict=True):
        assert value == pytest.approx(krippendorff_alpha(np.repeat(RATINGS, times, axis=0), level=level))
    assert math.isnan(found[2])  # its only item has one score


def test_resamples_that_tie_with_all_items_but_for_the_last_digits_do_not_move_the_interval_of_alpha() -> None:
    """Processors round sums differently; which of the tied resamples come out a digit lower is theirs to say."""
    alpha, apart = 0.25, np.random.default_rng(0).normal(0, 0.2, 500)
    ties = np.full(500, alpha)
    found = {
        interval_of_alpha(alpha, np.concatenate([alpha + apart, tied]), raters=3, items=9, disagreeing=9)
        for tied in (ties, ties - 1e-16, ties + 1e-16)
    }
    lows, highs = zip(*((low, high) for low, high, _ in found), strict=True)
    assert max(lows) - min(lows) < 1e-12
    assert max(highs) - min(highs) < 1e-12


def test_kappa_of_judges_who_share_no_item_is_undefined() -> None:
    assert math.isnan(cohen_kappa([["a", None], [None, "b"]]))
