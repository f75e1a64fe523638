"""What a text repeats."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics.families.entropy import ngrams
from scoresheet.metrics.families.entropy.blocks import WordEncoder
from scoresheet.metrics.families.entropy.ngrams import NgramCounter, may_repeat
from scoresheet.metrics.families.entropy.phrases import LONGEST, repeated_phrases
from tests.helpers.soak import examples


def phrases(*texts: str) -> list[str]:
    reader = WordEncoder()
    return repeated_phrases(NgramCounter(reader.block(texts).words), reader)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("no phrase stands here more than once", ""),
        ("Red fox, red fox! red FOX", "red fox × 3"),
        ("one two three then one two three and red fox red fox red fox", "one two three × 2"),
        ("red fox sea sky red fox sea sky red fox", "red fox sea sky × 2"),
        ("sea sky, oak; red fox. red fox: sea sky. red fox", "red fox × 3"),
        ("sea sky, oak; red fox. red fox: sea sky", "sea sky × 2"),
        ("the the the the the the", "the the the × 2"),
        ("go go go", ""),
        ("我爱猫。我爱狗", "我爱 × 2"),
    ],
)
def test_the_longest_phrase_then_the_commonest_then_the_first(text: str, shown: str) -> None:
    assert phrases(text) == [shown]


def test_a_text_that_runs_in_circles_is_known_by_eight_words() -> None:
    assert phrases("round and " * 500) == ["round and round and round and round and × 125"]


def test_no_phrase_reaches_into_the_next_text() -> None:
    assert phrases("red fox", "sea red", "fox sea", "red fox red fox") == ["", "", "", "red fox × 2"]


def longest(words: list[str]) -> tuple[int, int]:
    """Return the length of the longest phrase said twice without overlap, and its first place, the slow way."""
    for n in range(min(LONGEST, len(words) // 2), 1, -1):
        grams = [tuple(words[place : place + n]) for place in range(len(words) - n + 1)]
        twice = [gram for gram in grams if len(grams) - 1 - grams[::-1].index(gram) - grams.index(gram) >= n]
        if twice:
            return n, min(grams.index(gram) for gram in twice if grams.count(gram) == max(map(grams.count, twice)))
    return 0, 0


@examples(80)
@given(st.lists(st.lists(st.sampled_from(["red", "fox", "sea"]), max_size=14), min_size=1, max_size=4))
def test_any_text_shows_what_a_slow_search_finds(texts: list[list[str]]) -> None:
    for words, shown in zip(texts, phrases(*map(" ".join, texts)), strict=True):
        n, place = longest(words)
        assert shown.rpartition(" × ")[0] == " ".join(words[place : place + n])


@examples(80)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 30), max_size=200))
def test_every_key_that_repeats_may_repeat(keys: list[int]) -> None:
    times = Counter(keys)
    found = may_repeat(np.array(keys, dtype=np.int64))
    assert all(found[place] for place, key in enumerate(keys) if times[key] > 1)


def test_few_keys_that_stand_there_once_may_repeat() -> None:
    assert may_repeat(np.arange(100_000) ** 3).mean() < 0.5


def test_keys_that_would_not_fit_are_numbered_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        "red fox sea sky red fox sea sky",
        "sea sky sea",
        "red fox red fox red",
        "one two three four one two three",
    ]
    wide = phrases(*texts)
    monkeypatch.setattr(ngrams, "_ROOM", 20)
    assert phrases(*texts) == wide == ["red fox sea sky × 2", "", "red fox × 2", "one two three × 2"]
