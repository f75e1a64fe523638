"""What does the result of `collective` say of single samples, by which systems can be compared?"""

from __future__ import annotations

import pandas as pd

from scoresheet.metrics.families.collective.family import FAMILY
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.result import CollectiveResult
from scoresheet.metrics.family import Sheet

ROWS = [
    ("s2", "x", "clean", "x", "y", "y"),
    ("s1", "y", "clean", "y", "y", "x"),
    ("s1", "y", "noise", "x", "x", "x"),
]


def system() -> CollectiveResult:
    frame = pd.DataFrame(ROWS, columns=["sample", "label", "condition", "a", "b", "c"], index=[2, 3, 4])
    frame[["epoch", "collective", "split"]] = ""
    sheet = Sheet("predictions", frame, absent=frozenset({"epoch", "collective", "split"}))
    options = CollectiveOptions()
    parsed = FAMILY.parse(sheet, options, referenced=False).value
    return FAMILY.combine([FAMILY.score(parsed, None, options).value], None, options).value


def test_units_are_the_samples_of_the_headline_with_who_is_right_on_each() -> None:
    units = system().units()
    assert list(units.columns) == ["Sample", "Correct", "Correct: a", "Correct: b", "Correct: c"]
    assert units.to_numpy().tolist() == [["s1", 1, 1, 1, 0], ["s2", 0, 1, 0, 0]]


def test_a_slim_result_keeps_its_units_and_measures_and_drops_what_was_read() -> None:
    whole = system()
    slim = whole.slim()
    assert slim.units().equals(whole.units())
    assert (slim.measures, slim.alerts) == (whole.measures, whole.alerts)
    assert not slim.sheets


def test_a_scored_sheet_has_the_hits_of_every_condition() -> None:
    (sheet,) = system().sheets
    assert sheet.units.keys["Condition"] == ["clean", "noise", "clean"]
    assert sheet.units.measures["Correct: a"] == [1, 0, 1]
