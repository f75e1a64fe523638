"""The sentence that a person can quote, and the other words about a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from scoresheet.cli.report.paired_comparison import (
    COMPARISON_COLUMNS,
    comparison_page,
    comparison_row,
    describe_comparison,
    leading_sentence,
    nothing_shared_sentence,
    own_units_sentence,
    screen_table,
)
from scoresheet.metrics.compare import ComparedUnits, KeyedValues, PairedComparison, compare_units
from scoresheet.metrics.measures import Direction

RNG = np.random.default_rng(4)
ITEMS = RNG.random(30)
NOISE = 0.1 * RNG.standard_normal((3, 30))


def compared(
    models: Mapping[str, Sequence[float]],
    *,
    better: Direction | None = "higher",
    confidence: float = 0.95,
    first: Mapping[str, int] | None = None,
) -> PairedComparison:
    """Models whose units are numbered from 0, or from what `first` says."""
    units = {
        name: ComparedUnits.of_sheets(
            {
                "s": KeyedValues(
                    [f"u{(first or {}).get(name, 0) + place:03}" for place in range(len(values))],
                    np.column_stack([values, values]),
                )
            }
        )
        for name, values in models.items()
    }
    measures = ["S_Info", "BP"]
    return compare_units(units, measures, headline="S_Info", better=better, units="idioms", confidence=confidence)


def steps(*means: float) -> dict[str, list[float]]:
    """Models that differ by a constant on 30 units, named in the order given."""
    return {f"m{place}": (ITEMS + mean).tolist() for place, mean in enumerate(means)}


def test_a_model_that_beats_another() -> None:
    assert leading_sentence(compared({"a": [0.5] * 20, "b": [0.4] * 20})) == (
        "a has the highest mean S_Info, 0.500, on the 20 idioms that both models share; shown to be higher than b."
    )


def test_lower_can_be_better() -> None:
    sentence = leading_sentence(compared({"a": [0.5] * 20, "b": [0.4] * 20}, better="lower"))
    assert sentence.startswith(
        "b has the lowest mean S_Info, 0.400, on the 20 idioms that both models share; shown to be"
    )
    assert sentence.endswith("shown to be lower than a.")


def test_a_lead_that_is_not_shown_says_how_large_it_is_and_what_could_have_been_shown() -> None:
    found = compared({"a": (ITEMS + NOISE[0] + 0.01).tolist(), "b": (ITEMS + NOISE[1]).tolist()})
    test = found.of_headline()[0].test
    leader, other = ("a", "b") if test.difference > 0 else ("b", "a")
    assert leading_sentence(found) == (
        f"{leader} has the highest mean S_Info, {max(test.mean, test.other_mean):.3f}, on the 30 idioms that both "
        f"models share; not shown to be higher than {other} (difference {abs(test.difference):.3f}; "
        f"{test.detectable:.3f} could have been shown)."
    )


def test_too_few_units_are_said_to_be_too_few() -> None:
    sentence = leading_sentence(compared({"a": [0.5] * 4, "b": [0.4] * 4}))
    assert sentence.endswith("not shown to be higher than b (difference 0.100; too few idioms to tell).")


def test_three_models_of_which_one_is_beaten() -> None:
    models = {"a": ITEMS + 0.02 + NOISE[0], "b": ITEMS + NOISE[1], "c": ITEMS - 0.5 + NOISE[2]}
    sentence = leading_sentence(compared({name: values.tolist() for name, values in models.items()}))
    assert (
        "on the 30 idioms that all 3 models share; shown to be higher than c; not shown to be higher than" in sentence
    )


def test_many_beaten_models_are_counted_and_few_are_named() -> None:
    assert leading_sentence(compared(steps(0.4, 0.2, 0))).endswith("; shown to be higher than m1, m2.")
    assert leading_sentence(compared(steps(0.5, 0.4, 0.3, 0.2, 0))).endswith("; shown to be higher than all 4 others.")


def test_models_that_share_the_first_place_are_both_named_and_nothing_is_shown() -> None:
    sentence = leading_sentence(compared({"a": [0.5] * 9, "b": [0.5] * 9, "c": [0.1] * 9}))
    assert sentence == "a, b have the highest mean S_Info, 0.500, on the 9 idioms that all 3 models share."


def test_a_model_that_shares_nothing_is_counted_out() -> None:
    models = {"a": [0.5] * 9, "b": [0.1] * 9, "stray": [0.9] * 3}
    sentence = leading_sentence(compared(models, first={"stray": 500}))
    assert "on the 9 idioms that 2 of 3 models share; shown to be higher than b." in sentence


def test_models_without_anything_in_common_are_said_not_to_be_comparable() -> None:
    apart = compared({"a": [0.5] * 9, "b": [0.1] * 9}, first={"b": 500})
    assert leading_sentence(apart) == ""
    said = nothing_shared_sentence(apart)
    assert said == "No two of the 2 models have idioms in common: they cannot be compared."
    assert nothing_shared_sentence(compared({"a": [0.5] * 9, "b": [0.1] * 9})) == ""


@pytest.mark.parametrize("better", [None, "higher"])
def test_a_lone_model_and_a_measure_without_direction_have_no_leader(better: Direction | None) -> None:
    models = {"a": [0.5] * 9} if better else {"a": [0.5] * 9, "b": [0.1] * 9}
    assert leading_sentence(compared(models, better=better)) == ""


def test_a_higher_score_over_other_units_is_told_apart() -> None:
    found = compared({"a": [0.5] * 9 + [0.1] * 9, "b": [0.4] * 9})
    assert own_units_sentence(found, {"a": 0.3, "b": 0.4}) == (
        "The higher S_Info of b (0.400) is not over the same idioms."
    )
    assert own_units_sentence(found, {"a": 0.45, "b": 0.4}) == ""
    assert own_units_sentence(compared({"a": [0.5] * 9, "b": [0.4] * 9}), {"a": 0.3, "b": 0.4}) == ""


def test_the_page_has_the_headline_first_and_says_how_many_hypotheses_there_were() -> None:
    found = compared(steps(0.4, 0.2, 0), confidence=0.9)
    page = comparison_page(found)
    assert list(page.table["Family"]) == ["headline"] * 3 + ["exploratory"] * 3
    assert list(page.table["Measure"]) == ["S_Info"] * 3 + ["BP"] * 3
    words = describe_comparison(found)
    assert "90 % bootstrap interval" in words
    assert "Holm's correction at 0.1: 3 hypotheses of S_Info together, 3 of all other measures together" in words
    assert "exploratory" in words


def test_the_screen_shows_the_headlines_pairs() -> None:
    columns, rows = screen_table(compared(steps(0.4, 0.2, 0)))
    assert [column.name for column in columns] == [
        *("Model", "Other_Model", "Shared", "Difference", "CI_Low", "CI_High", "P_Holm", "Finding")
    ]
    assert [row[:3] for row in rows] == [["m0", "m1", 30], ["m0", "m2", 30], ["m1", "m2", 30]]
    assert all(len(comparison_row(pair)) == len(COMPARISON_COLUMNS) for pair in compared(steps(0.4, 0.2)).differences)
