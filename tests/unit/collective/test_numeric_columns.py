"""Columns of numbers that are read at once: the same numbers as cell by cell, and none where a cell is none."""

from __future__ import annotations

import pytest

from scoresheet.metrics.families.collective.numeric_sheets import _every_number
from scoresheet.metrics.numbers import parse_float


def test_a_column_of_numbers_is_what_its_cells_are() -> None:
    texts = ["1", " 2e3 ", "-0", ".5", "-1.25", "٣"]
    found = _every_number(texts)
    assert found is not None
    assert list(map(repr, found.tolist())) == [repr(parse_float(text)) for text in texts]


@pytest.mark.parametrize("cell", ["", "x", "1_0", "inf", "nan", "1e999", "50%", "1,5"])
def test_a_cell_that_is_no_number_is_left_to_be_looked_at_by_itself(cell: str) -> None:
    assert _every_number(["1", cell]) is None


def test_no_cells_are_no_column() -> None:
    assert _every_number([]) is None
