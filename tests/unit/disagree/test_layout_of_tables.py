"""What is a judge, what a dimension, what a model, and on which scale do scores lie?"""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics.families.disagree.joined_sheets import joined_ratings
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import InputError
from tests.helpers.parsing import Parsed, parsed

NUMBERS = (("q1", 0.2, 0.4), ("q2", 0.6, 0.8), ("q3", 0.9, 0.7))
RESPECTS = [("item", "accuracy", "style"), *NUMBERS]


def said(found: Parsed, kind: str) -> list[str]:
    """The messages of one kind."""
    return [problem.message for problem in found.problems if problem.kind == kind]


@pytest.mark.parametrize("header", ["Rating", "Score", "grade", "value", "Label", "first", "model"])
def test_a_judge_of_a_wide_table_keeps_his_header_and_place(header: str) -> None:
    found = parsed("disagree", [("item", "ann", header), *NUMBERS])
    assert list(found.sheet.judges) == ["ann", header]
    assert said(found, "columns-are")[0].startswith(f"read as a column per judge: ann, {header};")


@pytest.mark.parametrize("header", ["judge", "Grader", "judge_model", "rater", "strategy"])
def test_the_judge_may_be_called_in_many_ways(header: str) -> None:
    rows = [("item", header, "score"), ("q1", "a", 0.2), ("q1", "b", 0.4)]
    assert list(parsed("disagree", rows).sheet.judges) == ["a", "b"]
    with_gap = parsed("disagree", [*rows, ("q2", "", 0.4)])
    assert said(with_gap, "empty-key")[0].startswith(f"the cell {header} is empty")


def test_columns_called_as_dimensions_are_said_aloud_until_it_is_said_what_they_are() -> None:
    found = parsed("disagree", RESPECTS)
    assert list(found.sheet.judges) == ["accuracy", "style"]
    assert flag("columns-are dimensions") in said(found, "called-as-dimensions")[0]
    judges = parsed("disagree", RESPECTS, columns_are="judges")
    assert (list(judges.sheet.judges), judges.kinds) == (["accuracy", "style"], ["other-columns"])
    dimensions = parsed("disagree", RESPECTS, columns_are="dimensions")
    assert (list(dimensions.sheet.judges), list(dimensions.sheet.dimensions)) == (["judge"], ["accuracy", "style"])
    assert dimensions.kinds == ["other-columns"]


def test_columns_beside_a_judge_are_dimensions_and_cannot_be_judges() -> None:
    rows = [("item", "rater", "accuracy", "style"), ("q1", "a", 0.2, 0.4), ("q1", "b", 0.6, 0.8)]
    found = parsed("disagree", rows)
    assert said(found, "columns-are") == [
        "read as a column per dimension: accuracy, style; the column rater says who judged"
    ]
    with pytest.raises(InputError, match="the column rater says who judged"):
        parsed("disagree", rows, columns_are="judges")


def test_relevance_in_a_wide_table_is_a_weight_and_that_is_said() -> None:
    rows = [("item", "judge", "accuracy", "style", "relevance"), ("q1", "a", 0.2, 0.4, 0.5), ("q1", "b", 0.6, 0.8, 0.5)]
    found = parsed("disagree", rows)
    assert f"{flag('dimensions')} accuracy,style,relevance" in said(found, "numbers-not-used")[0]
    named = parsed("disagree", rows, dimensions="accuracy,style,relevance")
    assert list(named.sheet.dimensions) == ["accuracy", "style", "relevance"]
    assert said(named, "numbers-not-used") == []


def test_scores_in_words_are_read_when_asked_for_and_named_when_not() -> None:
    rows = [("item", "ann", "bob"), ("q1", "Score: 4/5", "3 out of 5"), ("q2", "2/5", "Rating: 1")]
    with pytest.raises(InputError, match=r"'Score: 4/5' in the column ann; .*parse-scores.* reads them"):
        parsed("disagree", rows, scale="1:5")
    found = parsed("disagree", rows, scale="1:5", parse_scores=True)
    assert found.sheet.scores[:, :, 0].tolist() == [[4, 3], [2, 1]]
    beside = parsed("disagree", [("item", "ann", "bob"), ("q1", 4, "3/5"), ("q2", 2, "1/5")], scale="1:5")
    assert flag("parse-scores") in said(beside, "numbers-not-used")[0]


def test_a_score_that_states_another_scale_is_outside_even_if_the_number_is_not() -> None:
    rows = [("item", "judge", "score"), ("q1", "a", "4/5"), ("q1", "b", "4 out of 10"), ("q2", "a", "x")]
    with pytest.raises(InputError, match="1 of 2 scores lie outside the scale 1:5: 4 out of 10 in row 3"):
        parsed("disagree", rows, scale="1:5", parse_scores=True)
    for way in ("blank", "clip"):
        left = parsed("disagree", rows, scale="1:5", parse_scores=True, out_of_scale=way)
        assert np.isnan(left.sheet.scores[0, 1, 0])
        assert said(left, "bad-score")[0].endswith("it states no score, or two that differ")
    own = parsed("disagree", rows, scale="1:5,b=0:10", parse_scores=True)
    assert own.sheet.scores[0, :, 0].tolist() == [0.75, 0.4]


def test_judges_may_have_scales_of_their_own() -> None:
    rows = [("item", "ann", "bob"), ("q1", 5, 100), ("q2", 3, 25), ("q3", 1, 0)]
    with pytest.raises(InputError, match=r"scale bob=LOW:HIGH"):
        parsed("disagree", rows, scale="1:5")
    found = parsed("disagree", rows, scale="1:5,bob=0:100")
    assert found.sheet.scores[:, :, 0].tolist() == [[1, 1], [0.5, 0.25], [0, 0]]
    each = parsed("disagree", rows, scale="ann=1:5,bob=0:100")
    assert each.sheet.scores.tolist() == found.sheet.scores.tolist()
    unknown = parsed("disagree", rows, scale="0:100,Bob=0:5")
    assert "did you mean 'bob'?" in said(unknown, "unknown-judge")[0]


@pytest.mark.parametrize("scale", ["=1:5", "a=5:1", "1:5,", "a"])
def test_what_is_no_scale_is_refused(scale: str) -> None:
    with pytest.raises(ValueError, match="scale cannot be"):
        DisagreeOptions(scale=scale)


def test_of_scales_said_twice_the_last_holds_as_of_any_option() -> None:
    scales = DisagreeOptions(scale="1:5,a=0:1,0:10,a=0:100").scales
    assert (scales.of("a"), scales.of("b")) == ((0, 100), (0, 10))


def test_an_item_under_two_models_is_two_items() -> None:
    rows: list[tuple[object, ...]] = [("item", "model", "judge", "score")]
    rows += [(item, model, judge, 0.5) for item in "pq" for model in ("x", "y") for judge in "ab"]
    found = parsed("disagree", rows)
    assert list(found.sheet.items) == ["p (x)", "p (y)", "q (x)", "q (y)"]
    assert (list(found.sheet.plain_items), list(found.sheet.models)) == (list("ppqq"), list("xyxy"))
    assert "2 models (x, y)" in said(found, "model-column")[0]
    blank = parsed("disagree", [*rows, ("p", "", "a", 0.1)])
    assert said(blank, "empty-key")[0].startswith("the cell model is empty")


def test_a_model_that_may_be_the_judge_is_said_to_be_and_is_when_it_is_named() -> None:
    rows = [("item", "model", "score"), *((item, model, 0.5) for item in "pq" for model in ("x", "y"))]
    found = parsed("disagree", rows)
    assert flag("column judge=model") in said(found, "model-column")[0]
    named = parsed("disagree", rows, columns={"judge": "model"})
    assert (list(named.sheet.items), list(named.sheet.judges)) == (["p", "q"], ["x", "y"])
    assert said(named, "model-column") == []


def test_sheets_that_are_dimensions_stand_side_by_side() -> None:
    one = parsed("disagree", [("item", "ann", "bob"), ("q1", 0.1, 0.2), ("q2", 0.3, "")], name="accuracy").sheet
    rows = [("item", "judge", "score", "confidence"), ("q2", "bob", 0.5, 0.4), ("q3", "cleo", 0.6, 1)]
    other = parsed("disagree", rows, name="style").sheet
    joined = joined_ratings([one, other])
    assert (list(joined.items), list(joined.judges)) == (["q1", "q2", "q3"], ["ann", "bob", "cleo"])
    assert list(joined.dimensions) == ["accuracy", "style"]
    assert joined.scores[1].tolist()[0][0] == 0.3
    assert joined.scores[1, 1].tolist()[1] == 0.5
    assert joined.confidence is not None
    assert (joined.confidence[1, 1].tolist(), joined.confidence[0, 0].tolist()) == ([1, 0.4], [1, 1])
    assert int((~np.isnan(joined.scores)).sum()) == 5


def test_labels_of_sheets_that_are_dimensions_keep_their_names() -> None:
    one, other = (
        parsed("disagree", [("item", "ann", "bob"), ("q1", *labels)], name=name, level="nominal").sheet
        for name, labels in (("accuracy", ("A", "B")), ("style", ("B", "Tie")))
    )
    joined = joined_ratings([one, other])
    assert list(joined.labels) == ["A", "B", "Tie"]
    assert joined.scores[0].tolist() == [[0, 1], [1, 2]]
