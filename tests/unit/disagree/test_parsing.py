"""Which columns of a table of judgements are judges, which cells are scores, and what is said of the others?"""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics.messages import flag
from tests.helpers.parsing import Parsed, parsed

ONCE = (("q1", 0.2, 0.4), ("q2", 0.6, 0.8), ("q3", 0.9, 0.7))


def said(found: Parsed, kind: str) -> list[str]:
    """The messages of one kind."""
    return [problem.message for problem in found.problems if problem.kind == kind]


@pytest.mark.parametrize("header", ["Mean", "Average", "No", "#", "total"])
def test_a_column_made_of_the_others_or_of_row_numbers_is_no_judge(header: str) -> None:
    cells = zip((0.1, 0.2, 0.3), ONCE, strict=True)
    rows = [("item", header, "ann", "bob"), *((item, own, a, b) for own, (item, a, b) in cells)]
    found = parsed("disagree", rows)
    assert list(found.sheet.judges) == ["ann", "bob"]
    assert any(header in message and "not used" in message for message in said(found, "other-columns"))
    assert said(found, "columns-are")[0].startswith("read as a column per judge: ann, bob;")
    named = parsed("disagree", rows, dimensions=f"{header},ann,bob")
    assert sorted(named.sheet.judges) == sorted([header, "ann", "bob"])


@pytest.mark.parametrize("level", ["interval", "nominal"])
@pytest.mark.parametrize("header", ["id", "question_id", "Response ID", "Comment", "notes", "Rationale", "text"])
def test_a_key_or_a_remark_beside_judges_is_no_judge(header: str, level: str) -> None:
    cells = zip((0.1, 0.2, 0.3), ONCE, strict=True)
    found = parsed("disagree", [(header, "item", "ann", "bob"), *((own, *row) for own, row in cells)], level=level)
    assert list(found.sheet.judges) == ["ann", "bob"]
    assert any(header in message and "not used" in message for message in said(found, "other-columns"))


@pytest.mark.parametrize("level", ["interval", "nominal"])
def test_a_second_column_of_judges_beside_the_first_is_no_dimension(level: str) -> None:
    rows = [
        ("item", "judge", "strategy", "x", "y"),
        ("q1", "a", 0.1, 0.2, 0.4),
        ("q1", "b", 0.2, 0.6, 0.8),
        ("q2", "a", 0.3, 0.9, 0.7),
        ("q2", "b", 0.3, 0.9, 0.7),
    ]
    found = parsed("disagree", rows, level=level)
    assert (list(found.sheet.judges), list(found.sheet.dimensions)) == (["a", "b"], ["x", "y"])
    assert any("strategy" in message and "not used" in message for message in said(found, "other-columns"))


@pytest.mark.parametrize(
    ("cell", "advice"), [("0,7", "with a point"), ("50%", "without %"), ("Tie", flag("level nominal"))]
)
def test_advice_on_a_score_that_is_no_number_fits_it(cell: str, advice: str) -> None:
    rows = [("item", "judge", "score"), ("q1", "a", 0.5), ("q1", "b", 0.6), ("q2", "a", cell), ("q2", "b", 0.1)]
    (problem,) = parsed("disagree", rows).problems
    assert (problem.kind, problem.row, problem.effect) == ("bad-score", 4, "row not scored")
    assert advice in problem.message


def test_a_first_place_that_is_none_of_the_labels_is_noted_and_counts_for_nobody() -> None:
    rows = [
        ("item", "judge", "label", "first"),
        ("i1", "j1", "A", "A"),
        ("i1", "j2", "B", "who knows"),
        ("i2", "j1", "B", ""),
    ]
    found = parsed("disagree", rows, level="nominal")
    (said,) = [problem for problem in found.problems if problem.kind == "unknown-order"]
    assert said.message.startswith("1 cells do not say which of the labels stood first, such as 'who knows'")
    assert found.sheet.first is not None
    assert int((~np.isnan(found.sheet.first)).sum()) == 1
