"""Which score does a judge's sentence state, and on which scale?"""

from __future__ import annotations

import pytest

from scoresheet.metrics.families.disagree.score_texts import parse_score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("4", (4, None)),
        (" 0.5 ", (0.5, None)),
        ("4/5", (4, 5)),
        ("4.5 / 5", (4.5, 5)),
        ("**4**/5", (4, 5)),
        ("8 out of 10", (8, 10)),
        ("Score: 4", (4, None)),
        ("Rating: **4**", (4, None)),
        ("The score is 7/10. It misses 3 facts.", (7, 10)),
        ("Good. Score: 4/5\nAgain, score: 4", (4, 5)),
        ("<think>maybe 2/5</think>I give it 4/5.", (4, 5)),
        ("评分：4", (4, None)),
        ("4 stars", (4, None)),
        ("4分", (4, None)),
        ("80%", (80, 100)),
        ("Score: -1", (-1, None)),
    ],
)
def test_a_score_in_words_is_a_number_with_its_scale(text: str, score: tuple[float, float | None]) -> None:
    assert parse_score(text) == score


@pytest.mark.parametrize(
    "text",
    [
        "",
        "good",
        "it has 3 errors",
        "4/5 for style, 3/5 for accuracy",
        "Score: 4, no, score: 3",
        "4/5 or 4/10",
        "on 4/5/2024",
        "4,5/5",
        "version 2.0.1",
        "3-4",
        "1 2",
    ],
)
def test_what_states_no_score_or_two_is_none(text: str) -> None:
    assert parse_score(text) is None
