"""What `diversity` reads of a table of rankings: its columns, its order, and what it says of the rest."""

from __future__ import annotations

import pytest

from tests.helpers.diversity import RANKED, Row, ranked
from tests.helpers.parsing import parsed

SCORED = (*RANKED, "score")


def order(rows: list[Row]) -> tuple[str, list[str]]:
    """The items of the one query in their order, and the kinds of what was said of it."""
    found = parsed("diversity", rows, referenced=True)
    (ranking,) = found.sheet.rankings
    return "".join(ranking.items), [*found.kinds, *(problem.kind for problem in found.sheet.ranking_problems)]


def test_a_table_is_ordered_by_rank_ascending_as_numbers_with_ties_by_item() -> None:
    ranks = {"F": "10", "C": "9", "E": "2", "B": "2", "A": "1.0", "D": 40}
    assert order([RANKED, *(("q1", item, rank) for item, rank in ranks.items())]) == ("ABECFD", [])


def test_without_a_rank_a_table_is_ordered_by_score_descending_as_numbers_with_ties_by_item() -> None:
    scores = {"F": "-3", "C": "9", "E": "1e1", "B": "0.5", "A": "0.50", "D": "100"}
    assert order([("query", "item", "score"), *(("q1", item, score) for item, score in scores.items())]) == (
        "DECABF",
        [],
    )


def test_a_rank_with_gaps_and_a_score_that_agree_are_no_reason_for_a_note() -> None:
    assert order([SCORED, ("q1", "C", 17, -2), ("q1", "A", 1, 10), ("q1", "B", 4, 9)]) == ("ABC", [])


def test_rank_and_score_disagree_also_across_blanks() -> None:
    assert order([SCORED, ("q", "a", 1, 1), ("q", "b", 2, ""), ("q", "c", 3, 9)]) == ("abc", ["rank-and-score"])


def test_ties_in_rank_are_no_disagreement() -> None:
    rows = [("q", "a", 1, 1), ("q", "b", 1, 9), ("q", "c", 2, 1), ("q", "d", 3, ""), ("q", "e", 4, 0)]
    assert order([SCORED, *rows]) == ("abcde", [])


def test_an_item_may_stand_in_the_lists_of_several_queries() -> None:
    found = parsed("diversity", [RANKED, *ranked("A"), *ranked("A", "q2")], referenced=True)
    assert [(ranking.query, ranking.items) for ranking in found.sheet.rankings] == [("q1", ("A",)), ("q2", ("A",))]
    assert not found.problems
    assert not found.sheet.ranking_problems


@pytest.mark.parametrize(
    "head",
    [
        ("query", "item", "rank"),
        ("topic", "doc", "Rank"),
        ("qid", "document", "RANK"),
        ("QUERY", "docno", "rank"),
        ("Topic", "item_id", " rank "),
        ("q-id", "Item ID", "rank"),
        ("user", "docno", "rank"),
        ("user_id", "movie_id", "rank"),
        ("userId", "movieId", "rank"),
    ],
    ids=" ".join,
)
def test_columns_are_found_by_name_and_alias(head: tuple[str, str, str]) -> None:
    assert order([head, *ranked("ADEB")]) == ("ADEB", [])


@pytest.mark.parametrize(("name", "kinds"), [("score", []), ("rating", ["ordered-by"])])
def test_a_rating_orders_where_nothing_else_does_and_that_is_said(name: str, kinds: list[str]) -> None:
    assert order([("userId", "movieId", name), ("7", "A", 2.5), ("7", "B", 5)]) == ("BA", kinds)


def test_a_rank_or_score_orders_before_a_rating() -> None:
    assert order([(*RANKED, "rating"), ("q", "A", 1, 2), ("q", "B", 2, 5)]) == ("AB", [])
    assert order([("query", "item", "rating", "score"), ("q", "A", 5, 1), ("q", "B", 1, 5)]) == (
        "BA",
        ["other-columns"],
    )


def test_a_query_is_the_query_though_there_is_a_user_too() -> None:
    found = parsed("diversity", [("user", "topic", "item", "rank"), ("u", "q", "A", 1)], referenced=True)
    assert [ranking.query for ranking in found.sheet.rankings] == ["q"]


@pytest.mark.parametrize("cell", ["x|y", '["x", "y"]', "['x', 'y']", " x | y |"])
def test_subtopics_in_line_are_joined_by_a_bar_or_a_list(cell: str) -> None:
    found = parsed("diversity", [(*RANKED, "subtopics"), ("q", "A", 1, cell)])
    assert [judgment[1] for judgment in found.sheet.inline.judgments] == ["x", "y"]


def test_a_list_of_no_names_is_no_judgment_and_is_said() -> None:
    found = parsed("diversity", [(*RANKED, "subtopics"), ("q", "A", 1, '[{"id": 3}]')])
    assert found.sheet.inline.judgments == ()
    assert [problem.kind for problem in found.sheet.inline.bad_grades] == ["nested-cell"]


@pytest.mark.parametrize("name", ["relevance", "grade", "rel", ""])
def test_a_relevance_in_line_has_aliases_and_is_1_where_there_is_none(name: str) -> None:
    grades = (2, 0.5) if name else (1, 1)
    rows: list[Row] = [("q1", "A", 1, "a", grades[0]), ("q1", "B", 2, "b", grades[1])]
    head = (*RANKED, "subtopics")
    found = parsed("diversity", [(*head, name), *rows] if name else [head, *(row[:4] for row in rows)])
    assert not found.problems
    assert found.sheet.inline.judgments == (("q1", "a", "A", grades[0]), ("q1", "b", "B", grades[1]))
