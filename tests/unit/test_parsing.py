"""What each family understands of a sheet: without a run, a process or a workbook."""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics.problems import InputError
from tests.helpers.parsing import parsed


def test_sinfo_keeps_rows_apart_that_say_nothing_of_their_idiom() -> None:
    found = parsed("sinfo", [("Idiom", "Prediction"), ("a ", "one"), (" ", "two")], referenced=True)
    assert list(found.sheet.keys) == ["a", ""]
    assert [(problem.kind, problem.row, problem.column) for problem in found.problems] == [("empty-key", 3, "Idiom")]


def test_a_needed_column_is_in_doubt_only_where_it_is_not_there_by_its_name() -> None:
    head, row = ("id", "prompt_id", "output", "gold"), ("1", "p1", "one", "two")
    assert parsed("sinfo", [head, row]).kinds == ["several-candidates", "references-beside"]
    (said,) = parsed("sinfo", [("Idiom", *head), ("a", *row)]).problems
    assert said.message == "the column 'gold' beside the predictions was taken for their references"


def test_references_that_were_given_apart_go_before_those_beside_the_predictions() -> None:
    (said,) = parsed("sinfo", [("Idiom", "Prediction", "Reference"), ("a", "one", "two")], referenced=True).problems
    assert (said.kind, said.effect) == ("references-beside", "note")
    assert said.message == "references stand beside the predictions too; those that were given apart count"


def test_columns_are_found_by_name_alias_and_renaming() -> None:
    rows = [("IDIOM", "answer"), ("a", "one")]
    named = {"Idiom": "what", "Prediction": "said"}
    renamed = parsed("sinfo", [("what", "said"), ("a", "one")], columns=named, referenced=True)
    assert list(parsed("sinfo", rows, referenced=True).sheet.predictions) == list(renamed.sheet.predictions) == ["one"]


@pytest.mark.parametrize(
    ("command", "rows", "kind"),
    [
        ("sinfo", [("Idiom", "said"), ("a", "b")], "missing-column"),
        ("sinfo", [("Idiom", "Prediction", "prediction "), ("a", "b", "c")], "ambiguous-column"),
        ("mode-collapse", [("level", "parent"), (0, "")], "missing-column"),
        ("mode-collapse", [("level", "response"), (0, "Japan, please")], "needs-options"),
        ("diversity", [("query", "item"), ("q", "a")], "missing-column"),
        ("disagree", [("item", "judge", "score"), ("q", "a", 4)], "out-of-scale"),
        ("disagree", [("item", "judge", "score"), ("q", "a", 0.4), ("q", "a", 0.5)], "duplicate-rating"),
        ("entropy", [("words",), ("one",)], "missing-column"),
        ("collective", [("a", "b"), (1, 2)], "unknown-sheet"),
    ],
)
def test_a_sheet_that_cannot_be_used_is_refused_with_the_reason(
    command: str, rows: list[tuple[object, ...]], kind: str
) -> None:
    with pytest.raises(InputError) as refused:
        parsed(command, rows)
    assert refused.value.problem.kind == kind
    assert refused.value.problem.message


def test_an_entropy_sheet_without_ids_says_so_and_has_none() -> None:
    assert list(parsed("entropy", [("text",), ("one two",)]).sheet.ids) == [""]
    assert list(parsed("entropy", [("text", "id"), ("one two", "p1")]).sheet.ids) == ["p1"]


def test_choices_know_their_place_in_the_tree_and_what_they_stand_for() -> None:
    rows = [
        ("level", "parent", "choice", "count"),
        (0, "", "Japan", 3),
        (1, "Japan", "tea", 2),
        (1, "Japan", "rice", ""),
    ]
    sheet = parsed("mode-collapse", rows).sheet
    assert [(answer.location.level, answer.choice, answer.samples) for answer in sheet.answers] == [
        (0, "Japan", 3),
        (1, "tea", 2),
        (1, "rice", None),
    ]


def test_a_choice_sheet_is_reduced_to_what_was_chosen_in_each_cell() -> None:
    rows = [("level", "parent", "choice"), (0, "", "Japan"), (0, "", "Japan"), (0, "", "Peru")]
    reduced = parsed("mode-collapse", rows).sheet.reduced()
    assert not reduced.answers
    assert list(reduced.choices_seen.values()) == [{"Japan": 2, "Peru": 1}]


def test_rankings_are_in_the_order_of_their_ranks_and_judgments_beside_them_are_parsed_with_them() -> None:
    rows = [("query", "item", "rank", "subtopics"), ("q", "b", 2, "x|y"), ("q", "a", 1, "")]
    sheet = parsed("diversity", rows).sheet
    (ranking,) = sheet.rankings
    assert list(ranking.items) == ["a", "b"]
    assert sheet.has_subtopics


def test_the_three_layouts_of_ratings_are_the_same_ratings() -> None:
    long = [("item", "judge", "score"), ("q1", "ann", 0.1), ("q1", "bob", 0.2), ("q2", "ann", 0.3), ("q2", "bob", 0.4)]
    by_judge = [("item", "ann", "bob"), ("q1", 0.1, 0.2), ("q2", 0.3, 0.4)]
    by_dimension = [("item", "judge", "style"), *long[1:]]
    sheets = [parsed("disagree", rows).sheet for rows in (long, by_judge, by_dimension)]
    for sheet in sheets:
        assert (list(sheet.items), list(sheet.judges)) == (["q1", "q2"], ["ann", "bob"])
        assert np.array_equal(sheet.scores[:, :, 0], [[0.1, 0.2], [0.3, 0.4]])
    assert list(sheets[2].dimensions) == ["style"]


def test_a_renamed_key_reaches_every_sheet_of_a_system_that_has_it() -> None:
    for name, rows in (
        ("predictions", [("sid", "label", "a"), ("s1", "x", "x")]),
        ("probabilities", [("sid", "stream", "x", "y"), ("s1", "a", 0.9, 0.1)]),
    ):
        assert parsed("collective", rows, name=name, columns={"sample": "sid"}).sheet.role == name
