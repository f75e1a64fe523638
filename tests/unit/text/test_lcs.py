"""LCS: against a plain table on random sequences."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics.text.lcs import Positions, lcs_length, lcs_pairs, union_of_lcs, words_of_union

WORDS = st.lists(st.sampled_from("abcd"), max_size=30)


def _table_length(left: list[str], right: list[str]) -> int:
    row = [0] * (len(right) + 1)
    for word in left:
        above = row[:]
        for j, other in enumerate(right):
            row[j + 1] = above[j] + 1 if word == other else max(above[j + 1], row[j])
    return row[-1]


@given(WORDS, WORDS)
def test_the_length_is_that_of_the_table(left: list[str], right: list[str]) -> None:
    assert lcs_length(left, right) == _table_length(left, right)


@given(WORDS, WORDS)
def test_the_length_does_not_depend_on_the_side(left: list[str], right: list[str]) -> None:
    assert lcs_length(left, right) == lcs_length(right, left)


@given(st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=5))
def test_the_union_holds_at_most_the_words_of_both_sides(
    predicted: list[list[str]], reference: list[list[str]]
) -> None:
    common = set().union(*predicted) & set().union(*reference)
    longest = max((lcs_length(one, other) for one in predicted for other in reference), default=0)
    found = union_of_lcs(predicted, Positions.of(reference))
    assert found <= len(common)
    assert (found > 0) == (longest > 0)


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=20), min_size=1, max_size=5))
def test_a_text_holds_all_of_itself(text: list[list[str]]) -> None:
    assert union_of_lcs(text, Positions.of(text)) == len({word for sentence in text for word in sentence})


@given(WORDS, WORDS)
def test_the_pairs_are_a_common_subsequence_of_that_length(left: list[str], right: list[str]) -> None:
    pairs = lcs_pairs(left, right)
    assert len(pairs) == _table_length(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))


@given(st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=5))
def test_the_words_of_the_union_are_those_that_are_counted(
    predicted: list[list[str]], reference: list[list[str]]
) -> None:
    positions = Positions.of(reference)
    words = words_of_union(predicted, positions)
    assert len(words) == union_of_lcs(predicted, positions)
    assert words <= set().union(*predicted) & set().union(*reference)
