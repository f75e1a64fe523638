"""Verdicts: a word inside its band, both neighbours, chance, or too few samples; on choosers of a known kind."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scoresheet.metrics import collapse_p_value, debiased_gini
from scoresheet.metrics.families.mode_collapse.debiased_gini import DebiasedGini, debiased_gini_of_cells
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.power import is_enough, samples_needed
from scoresheet.metrics.families.mode_collapse.score import measure_cells, with_verdicts
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell
from scoresheet.metrics.families.mode_collapse.verdicts import (
    COLLAPSED,
    agreement,
    collapse_band,
    entropy_band,
    gini_band,
    verdict,
)
from tests.calibration.mode_collapse import JUDGED, favourite, holds_word, judged


def test_a_verdict_of_collapse_seldom_falls_on_even_choosers_and_mostly_on_a_favourite() -> None:
    rng = np.random.default_rng(11)
    for total in (6, 32):
        draws = rng.multinomial(total, [0.2] * 5, size=100).tolist()
        assert sum(judged(counts) in COLLAPSED for counts in draws) <= 12
    draws = rng.multinomial(32, [0.85, *[0.0375] * 4], size=60).tolist()
    assert sum(judged(counts) in COLLAPSED for counts in draws) >= 57


@pytest.mark.parametrize(("true", "options"), JUDGED)
def test_at_32_samples_the_word_is_right_or_names_both_neighbours(true: float, options: int) -> None:
    """A Gini of .28 over 50 options was called high in 87 % of such samples."""
    drawn = np.random.default_rng(7).multinomial(32, favourite(options, true), size=40).tolist()
    band = "moderate" if true >= 0.3 else "low"
    said = [judged(counts) for counts in drawn]
    assert sum(holds_word(word, band) for word in said) >= 31  # 90 % of 40 is 36; less than 31 in one of a hundred
    assert said.count("high") <= 6


@pytest.mark.parametrize("cells", [1, 30])
def test_the_same_chooser_keeps_its_word_at_any_sample_size_or_names_both_neighbours_or_says_too_few(
    cells: int,
) -> None:
    """It was high at N = 5, moderate up to 200, and ranked last to first in that order."""
    shares = favourite(5, 0.25)
    rng = np.random.default_rng(5)
    words = []
    for samples in (5, 10, 20, 50, 100, 200):
        counts = rng.multinomial(samples, shares, size=cells).tolist()
        p_value = collapse_p_value(counts[0]) if cells == 1 else 0.001
        words.append(verdict(debiased_gini_of_cells(counts), p_value, is_enough=samples > 30))
    assert set(words) <= {"low", "low to moderate", "low to high", "too few samples"}
    assert words[-1] in ("low", "low to moderate")


def test_many_samples_of_an_even_chooser_show_no_more_than_chance_and_few_are_too_few() -> None:
    assert judged([7, 7, 6, 6, 6]) == "no more than chance"
    assert judged([2, 1, 1, 1, 0]) == "too few samples"


def test_samples_are_enough_where_power_says_so() -> None:
    for options in (2, 5, 20):
        (needed,) = samples_needed(options, 0.3, powers=(0.8,))
        assert needed is not None
        assert is_enough([(options, round(needed * 1.15))])
        assert not is_enough([(options, round(needed * 0.8))])


def test_cells_are_judged_after_a_correction_over_cells() -> None:
    """Two of 31 cells of an even control were counted as collapsed, as many as of one with a planted collapse."""
    rng = np.random.default_rng(2)
    counts = [*rng.multinomial(40, [0.2] * 5, size=30).tolist(), [39, 1, 0, 0, 0]]
    names = ("a", "b", "c", "d", "e")
    tree = [Cell(level=1, path=(str(place),), options=names, counts=tuple(each)) for place, each in enumerate(counts)]
    options = ModeCollapseOptions()
    found = with_verdicts(measure_cells(tree, options), options)
    assert [each.cell.path for each in found if each.measures.verdict in COLLAPSED] == [("30",)]
    assert any(each.measures.p_value < 0.05 <= each.measures.p_holm for each in found)
    assert found[30].measures.p_holm == pytest.approx(31 * found[30].measures.p_value)


def test_roots_are_corrected_apart_from_what_is_below_them() -> None:
    names = ("a", "b", "c")
    tree = [
        Cell(level=level, path=path, options=names, counts=(9, 2, 1))
        for level, path in ((0, ()), (1, ("a",)), (1, ("b",)))
    ]
    options = ModeCollapseOptions()
    root, *below = with_verdicts(measure_cells(tree, options), options)
    assert root.measures.p_holm == root.measures.p_value
    assert {each.measures.p_holm for each in below} == {2 * root.measures.p_value}


@pytest.mark.parametrize(
    ("low", "high", "entropies", "words"),
    [
        (0.1, 0.2, (0.9, 0.95), ("low", "low", "low", "strong")),
        (0.1, 0.4, (0.6, 0.95), ("low to moderate", "low to moderate", "low to moderate", "strong")),
        (0.42, 0.5, (0.0, 0.39), ("moderate", "high", "high", "look at the shape")),  # two options
        (0.2, 0.7, (0.3, 0.8), ("low to high", "low to high", "low to high", "strong")),
    ],
)
def test_a_word_names_the_band_of_the_whole_interval_or_those_of_its_ends(
    low: float, high: float, entropies: tuple[float, float], words: tuple[str, ...]
) -> None:
    found = DebiasedGini((low + high) / 2, low, high, "", *entropies)
    assert (gini_band(found), entropy_band(found), collapse_band(found), agreement(found)) == words
    assert verdict(found, 0.001) == words[2]


def test_what_is_said_where_there_is_no_interval_no_test_or_a_target() -> None:
    unknown = DebiasedGini(0.4, math.nan, math.nan, "too few samples", math.nan, math.nan)
    assert (gini_band(unknown), entropy_band(unknown), agreement(unknown)) == ("too few samples", "too few samples", "")
    assert verdict(unknown, 0.001) == "too few samples"
    moderate = debiased_gini([400, 80, 80, 80])
    assert verdict(moderate, math.nan) == "not tested"
    assert verdict(moderate, 0.3, targeted=True) == "not beyond target"
    assert verdict(moderate, 0.01, p_holm=0.2, is_enough=True) == "too few samples"
    assert verdict(debiased_gini([5]), math.nan) == ""
    assert gini_band(debiased_gini([5])) == entropy_band(debiased_gini([5])) == ""
