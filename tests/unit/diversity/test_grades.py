"""The measures called from Python: grades of any size, and arguments that cannot be."""

from __future__ import annotations

import math

import pytest

from scoresheet.metrics import diversity_of_run

# --- grades -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grade", [1e-17, 5e-324])
def test_the_smallest_grade_above_0_is_relevant(grade: float) -> None:
    judgments = [("q", "x", "a", grade), ("q", "y", "b", 3.0)]
    found = diversity_of_run({"q": ["a", "b"]}, judgments, cutoffs=[1])["q"]
    assert found["S_Recall@1"] == 0.5
    assert found["alpha_nDCG@1"] == 1


def test_a_small_grade_keeps_its_probability() -> None:
    judgments = [("q", "x", "a", 1e-12), ("q", "y", "b", 3.0)]
    found = diversity_of_run({"q": ["a"]}, judgments, cutoffs=[1])["q"]
    assert found["ERR_IA@1"] == pytest.approx(1e-12 * math.log(2) / 8 / 2, rel=1e-6)


@pytest.mark.parametrize(("alpha", "cutoffs"), [(2.0, [5]), (-1.0, [5]), (0.5, []), (0.5, [0])])
def test_python_is_told_what_cannot_be(alpha: float, cutoffs: list[int]) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        diversity_of_run({"q": ["A"]}, [("q", "a", "A", 1)], alpha=alpha, cutoffs=cutoffs)
