"""What `mode-collapse` reads of a table of choices: its columns, its paths and its corrections."""

from __future__ import annotations

import pytest

from scoresheet.metrics.problems import InputError
from tests.helpers.parsing import parsed


@pytest.mark.parametrize(
    "head",
    [
        ("level", "parent", "choice"),
        ("tree_level", "parent_path", "category"),
        ("Tree Level", "PARENT-PATH", "Category"),
        ("LEVEL", " Parent ", "raw_response"),
        ("level", "parent", "Raw Response"),
    ],
    ids=" ".join,
)
def test_columns_are_found_by_name_and_alias(head: tuple[str, str, str]) -> None:
    found = parsed("mode-collapse", [head, (0, "", "Rome"), (1, "Rome", "food")], referenced=True)
    assert not found.problems
    assert [(answer.location.level, answer.location.path) for answer in found.sheet.answers] == [
        (0, ()),
        (1, ("Rome",)),
    ]
    said = [(answer.choice, answer.response) for answer in found.sheet.answers]
    texts = ("Rome", "food")
    assert said == ([("", text) for text in texts] if "esponse" in head[2] else [(text, "") for text in texts])


@pytest.mark.parametrize("head", [("level", "parent"), ("count", "parent"), ("parent", "remark")], ids=" ".join)
def test_a_table_without_the_needed_columns_is_skipped(head: tuple[str, str]) -> None:
    with pytest.raises(InputError) as refused:
        parsed("mode-collapse", [head, ("0", "Rome")], referenced=True)
    assert refused.value.problem.kind == "missing-column"


CORRECTED = ("level", "choice", "corrected_category", "is_flagged")


@pytest.mark.parametrize("flag", ["true", "TRUE", "yes", "Y", "t", "1"])
def test_a_correction_wins_on_a_flagged_row(flag: str) -> None:
    (answer,) = parsed("mode-collapse", [CORRECTED, (0, "Rome", "Paris", flag)], referenced=True).sheet.answers
    assert (answer.choice, answer.correction) == ("Rome", "Paris")


@pytest.mark.parametrize("flag", ["false", "no", "0", ""])
def test_a_correction_does_not_count_on_a_row_that_is_not_flagged(flag: str) -> None:
    (answer,) = parsed("mode-collapse", [CORRECTED, (0, "Rome", "Paris", flag)], referenced=True).sheet.answers
    assert (answer.choice, answer.correction) == ("Rome", "")
