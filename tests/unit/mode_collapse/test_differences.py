"""Models side by side: when is one more collapsed than another, and how sure is that?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scoresheet.metrics.families.mode_collapse.compare import root_differences
from scoresheet.metrics.families.mode_collapse.measures import DIFFERENCE_MEASURES
from tests.helpers.soak import first


def _difference(one: list[int], other: list[int]) -> dict[str, Any]:
    names = [f"o{number}" for number in range(len(one))]
    roots = {"a": {"s": dict(zip(names, one, strict=True))}, "b": {"s": dict(zip(names, other, strict=True))}}
    (difference,) = root_differences(roots, seed=0)
    return {measure.name: getattr(difference, measure.field) for measure in DIFFERENCE_MEASURES}


def test_models_with_other_favourites_and_the_same_gini_are_alike_collapsed() -> None:
    line = _difference([60, 30, 10], [10, 30, 60])
    assert line["Gini_Difference"] == 0
    assert line["P_Gini"] == 1
    assert line["P_TVD"] < 0.001
    assert line["Finding"] == "other choices, alike collapsed"


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
        _difference(rng.multinomial(300, shape).tolist(), rng.multinomial(300, shape[::-1]).tolist())["P_Gini"] < 0.05
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
        _difference(rng.multinomial(one, even).tolist(), rng.multinomial(other, even).tolist())["Finding"]
        != "no difference shown"
        for _ in range(100)
    )
    assert false <= 12  # 5 % of 100 is 5; the chance of more than 12 is below one in a thousand


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
        assert root_differences({"a": {"Food": counts}, "b": {other: counts}}, seed=0)[0].cells == cells


@pytest.mark.parametrize("models", first(1, [20, 40]))
def test_with_many_models_a_plain_difference_is_still_found_or_it_is_said_why_not(models: int) -> None:
    collapsed, even = {"x": 99, "y": 1, "z": 0}, {"x": 34, "y": 33, "z": 33}
    roots = {f"m{number:02d}": {"s": collapsed if number < 2 else even} for number in range(models)}
    findings = [difference.finding for difference in root_differences(roots, seed=0)]
    assert findings.count("m00 is more collapsed") == findings.count("m01 is more collapsed") == models - 2
    assert findings.count("no difference shown") == models * (models - 1) / 2 - 2 * (models - 2)


def test_sheets_whose_names_differ_by_case_alone_are_held_to_their_own() -> None:
    even, rice, corn = {"rice": 15, "corn": 15}, {"rice": 30, "corn": 0}, {"rice": 0, "corn": 30}
    roots = {name: {"Food": even, "food": low} for name, low in (("A", rice), ("B", corn))}
    (difference,) = root_differences(roots, seed=0)
    assert (difference.cells, difference.gini_difference) == (2, 0)
    assert difference.finding == "other choices, alike collapsed"
