"""Models side by side: when is one more collapsed than another, and how sure is that?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from scoresheet.metrics import permutation_test
from scoresheet.metrics.families.mode_collapse.compare import Difference, compare_roots
from scoresheet.metrics.families.mode_collapse.measures import DIFFERENCE_MEASURES
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.result import Roots
from scoresheet.metrics.stats.holm import holm
from tests.helpers.soak import first


def root_differences(roots: Mapping[str, Roots]) -> tuple[Difference, ...]:
    return compare_roots(roots, ModeCollapseOptions()).differences


def _difference(one: list[int], other: list[int]) -> dict[str, Any]:
    names = [f"o{number}" for number in range(len(one))]
    roots = {"a": {"s": dict(zip(names, one, strict=True))}, "b": {"s": dict(zip(names, other, strict=True))}}
    (difference,) = root_differences(roots)
    return {measure.name: getattr(difference, measure.field) for measure in DIFFERENCE_MEASURES}


def test_models_with_other_favourites_and_the_same_gini_are_not_called_alike() -> None:
    line = _difference([60, 30, 10], [10, 30, 60])
    assert line["Gini_Difference"] == 0
    assert line["P_Gini"] == 1
    assert line["P_TVD"] < 0.001
    assert re.fullmatch(r"other choices; no difference shown; 0\.\d{3} could have been", line["Finding"])


def test_the_more_collapsed_model_is_named_with_the_sign_of_the_difference() -> None:
    line = _difference([5, 5, 90], [30, 35, 35])
    assert (line["Finding"], line["Gini_Difference"] > 0) == ("a is more collapsed", True)
    assert line["TVD"] == pytest.approx(0.55)
    line = _difference([30, 35, 35], [5, 5, 90])
    assert (line["Finding"], line["Gini_Difference"] < 0) == ("b is more collapsed", True)


# 5 % of 40 is 2 and of 400 is 20; the chance of more than 8 or 35 is below one in a thousand
@pytest.mark.parametrize(("trials", "most"), first(1, [(40, 8), (400, 35)]))
def test_favourites_in_another_order_do_not_make_a_difference_of_collapse(trials: int, most: int) -> None:
    rng = np.random.default_rng(2)
    shape = [0.3, 0.25, 0.2, 0.15, 0.1]
    false = sum(
        permutation_test(rng.multinomial(300, shape), rng.multinomial(300, shape[::-1])).p_difference < 0.05
        for _ in range(trials)
    )
    assert false <= most


@pytest.mark.parametrize(
    ("options", "one", "other"), first(3, [(50, 32, 32), (100, 32, 32), (5, 6, 60), (100, 64, 200)])
)
def test_choosers_without_a_favourite_are_not_told_apart_however_many_options_there_are(
    options: int, one: int, other: int
) -> None:
    rng = np.random.default_rng(4)
    even = [1 / options] * options
    false = sum(
        permutation_test(rng.multinomial(one, even), rng.multinomial(other, even)).p_difference < 0.05
        for _ in range(60)
    )
    assert false <= 9  # 5 % of 60 is 3; the chance of more than 9 is below one in a thousand


def test_samples_of_unlike_size_are_held_to_the_difference_that_their_sizes_make() -> None:
    line = _difference([7, 7, 6, 6, 6], [1_600, 850, 850, 850, 850])  # so even by chance in 1 of 200 such samples
    assert line["Expected_Difference"] > 0.05 > line["Gini_Difference"]
    assert line["P_Gini"] < 0.05
    assert line["Finding"] == "b is more collapsed"


def test_a_permutation_test_worked_by_hand() -> None:
    # two samples each, both alike within: of the 6 ways to deal a, a, b, b to two, 2 are as far apart
    line = _difference([2, 0], [0, 2])
    assert line["P_TVD"] == pytest.approx(1 / 3, abs=0.05)
    assert (line["Gini_Difference"], line["P_Gini"]) == (0, 1)


def test_sheets_are_compared_whatever_the_case_of_their_names_and_only_those() -> None:
    counts = {"yes": 9, "no": 1}
    for other, cells in (("food", 1), ("Murder", 0), ("Sheet1", 1)):
        assert root_differences({"a": {"Food": counts}, "b": {other: counts}})[0].cells == cells


@pytest.mark.parametrize("models", first(1, [20, 40]))
def test_with_many_models_a_plain_difference_is_still_found_or_it_is_said_why_not(models: int) -> None:
    collapsed, even = {"x": 99, "y": 1, "z": 0}, {"x": 34, "y": 33, "z": 33}
    roots = {f"m{number:02d}": {"s": collapsed if number < 2 else even} for number in range(models)}
    findings = [difference.finding for difference in root_differences(roots)]
    assert findings.count("m00 is more collapsed") == findings.count("m01 is more collapsed") == models - 2
    assert sum(finding.startswith("no difference shown") for finding in findings) == models * (models - 1) / 2 - 2 * (
        models - 2
    )


def test_sheets_whose_names_differ_by_case_alone_are_held_to_their_own() -> None:
    even, rice, corn = {"rice": 15, "corn": 15}, {"rice": 30, "corn": 0}, {"rice": 0, "corn": 30}
    roots = {name: {"Food": even, "food": low} for name, low in (("A", rice), ("B", corn))}
    (difference,) = root_differences(roots)
    assert (difference.cells, difference.gini_difference) == (2, 0)
    assert difference.finding.startswith("other choices; no difference shown")


def test_every_two_models_are_one_family_of_hypotheses_and_their_choices_another() -> None:
    rng = np.random.default_rng(8)
    roots = {
        name: {"s": dict(zip("xyz", rng.multinomial(60, shares).tolist(), strict=True))}
        for name, shares in (("a", [0.6, 0.2, 0.2]), ("b", [0.2, 0.6, 0.2]), ("c", [0.34, 0.33, 0.33]))
    }
    paired = compare_roots(roots, ModeCollapseOptions()).paired
    assert paired.hypotheses == (3, 3)
    for measure in ("Gini_Debiased", "TVD"):
        own = [pair for pair in paired.differences if pair.measure == measure]
        assert [pair.p_holm for pair in own] == holm([pair.test.p_value for pair in own])
        assert all(pair.exploratory == (measure == "TVD") for pair in own)
    assert paired.better == "lower"


def test_a_model_with_few_samples_is_not_ranked_behind_for_being_small() -> None:
    """One chooser, with 10 and with 1,000 samples: raw Ginis are .40 and .28, and the rank went by them."""
    roots = {
        "large": {"s": dict(zip("abcde", [482, 131, 130, 129, 128], strict=True))},
        "small": {"s": dict(zip("abcde", [5, 2, 1, 1, 1], strict=True))},
    }
    standings = compare_roots(roots, ModeCollapseOptions()).paired.standings
    assert standings["large"].on_shared == pytest.approx(0.28, abs=0.02)
    assert standings["small"].on_shared < standings["large"].on_shared  # the raw Gini of [5, 2, 1, 1, 1] is .36


def test_ranks_go_by_the_root_cells_that_all_models_share() -> None:
    even, uneven = {"x": 20, "y": 20, "z": 20}, {"x": 58, "y": 1, "z": 1}
    middling = {"x": 40, "y": 10, "z": 10}
    # a is the better where both have answers; its other question would make it the worse
    roots = {"a": {"both": even, "own": uneven}, "b": {"both": middling}}
    standings = compare_roots(roots, ModeCollapseOptions()).paired.standings
    assert [standings[model].rank for model in "ab"] == [1, 2]
    assert [standings[model].shared for model in "ab"] == [1, 1]
    assert [standings[model].units for model in "ab"] == [2, 1]


def test_models_without_a_root_cell_in_common_have_no_rank() -> None:
    roots = {"a": {"food": {"x": 5, "y": 5}}, "b": {"drinks": {"x": 5, "y": 5}}}
    paired = compare_roots(roots, ModeCollapseOptions()).paired
    assert {standing.rank for standing in paired.standings.values()} == {None}
    assert {pair.finding for pair in paired.differences} == {"no root cell in common"}


def test_another_level_of_confidence_changes_tests_and_intervals_together() -> None:
    roots = {"a": {"s": {"x": 30, "y": 8}}, "b": {"s": {"x": 20, "y": 18}}}
    (wide,), (narrow,) = (
        compare_roots(roots, ModeCollapseOptions(ci=level)).paired.of_headline() for level in (0.99, 0.8)
    )
    assert wide.test.low < narrow.test.low < narrow.test.high < wide.test.high
    assert (wide.shown, narrow.shown) == (False, True)
