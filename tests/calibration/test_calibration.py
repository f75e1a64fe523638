"""Do intervals cover, are tests of their size, are words true? A few trials of each; `make soak` runs many more."""

from __future__ import annotations

import pytest

from tests.calibration import record
from tests.calibration.cells import Cell

FEW = 20


@pytest.mark.parametrize("family", record.families())
def test_what_is_said_holds_in_a_few_simulated_cases(family: str) -> None:
    found = list(record.cells(family, FEW))
    assert found
    assert [cell.line() for cell in found if not cell.holds] == []


def test_a_cell_fails_only_where_its_share_is_surely_beyond_the_limit() -> None:
    assert Cell("covers", "", 900, 1_000, 0.92, at_least=True).holds
    assert not Cell("covers", "", 880, 1_000, 0.92, at_least=True).holds
    assert Cell("is wrong", "", 62, 1_000, 0.05).holds
    assert not Cell("is wrong", "", 80, 1_000, 0.05).holds
    assert Cell("covers", "", 0, 0, 0.92, at_least=True).holds


def test_the_page_says_what_does_not_hold() -> None:
    text = record.page({"sinfo": [Cell("covers", "n", 1, 100, 0.92, at_least=True)]}, {"sinfo": "How."}, 100, 60)
    assert "| covers | n | 1.0 % of 100 | 0.0 to 7.2 % | ≥ 92 % | NO |" in text
