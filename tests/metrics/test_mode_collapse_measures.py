"""Measures of mode-collapse: what is declared is what the results hold, each under one name."""

from __future__ import annotations

import dataclasses

import pytest

from scoresheet.metrics.families.mode_collapse.compare import Difference
from scoresheet.metrics.families.mode_collapse.family import FAMILY
from scoresheet.metrics.families.mode_collapse.measures import (
    CELL_MEASURES,
    DIFFERENCE_MEASURES,
    LEVEL_MEASURES,
    level_measures,
    model_measures,
)
from scoresheet.metrics.families.mode_collapse.result import LevelSummary
from scoresheet.metrics.families.mode_collapse.score import CellMeasures
from scoresheet.metrics.measures import Measure, shown_in


@pytest.mark.parametrize(
    ("measures", "result", "keys"),
    [
        (CELL_MEASURES, CellMeasures, set()),
        (LEVEL_MEASURES, LevelSummary, {"sheet", "level"}),
        (DIFFERENCE_MEASURES, Difference, {"model", "other_model"}),
    ],
    ids=["cell", "level", "difference"],
)
def test_every_number_of_a_result_is_declared_and_none_that_it_lacks(
    measures: tuple[Measure, ...], result: type, keys: set[str]
) -> None:
    fields = {field.name for field in dataclasses.fields(result)}
    assert {measure.field for measure in measures} == fields - keys
    assert len({measure.name for measure in measures}) == len(measures)


def test_a_level_of_the_results_is_read_from_its_summary() -> None:
    fields = {field.name for field in dataclasses.fields(LevelSummary)}
    assert {measure.field for measure in level_measures(2)} <= fields
    assert all(measure.name.startswith("Level_2_") for measure in level_measures(2))


def test_what_is_said_to_be_shown_of_cells_and_of_models_is_shown_there() -> None:
    assert shown_in(FAMILY.measures, "unit") == CELL_MEASURES
    assert set(shown_in(FAMILY.measures, "model")) == set(model_measures(()))
