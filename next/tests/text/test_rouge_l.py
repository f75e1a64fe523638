"""ROUGE-L against the library that defines it, and against rouge-score."""

import math
import random
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from scoresheet.metrics.text import has_words
from scoresheet.metrics.text.rouge_l import (
    charset_precision,
    lcs_marks,
    lin_precision,
    rouge_l_precision,
)

Precision = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
PRECISIONS: list[Precision] = [rouge_l_precision, lin_precision, charset_precision]
SEPARATORS = [" "] * 12 + [".", ". ", " . ", "..", ". .", "\u3000", "\xa0", "\t", "\n", "\x1c"]


def one(prediction: str, reference: str) -> float:
    return float(rouge_l_precision([prediction], [reference])[0])


def from_library(prediction: str, reference: str) -> float:
    return float(Rouge(metrics=["rouge-l"]).get_scores(prediction, reference)[0]["rouge-l"]["p"])


def random_pairs(seed: int, size: int, *, most_words: int) -> list[tuple[str, str]]:
    rng = random.Random(seed)

    def text() -> str:
        vocabulary = "abcdefghijklmnop"[: rng.randint(1, 16)]
        words = rng.choices(vocabulary, k=rng.randint(1, most_words))
        return "".join(word + rng.choice(SEPARATORS) for word in words)

    return [(text(), text()) for _ in range(size)]


@pytest.mark.parametrize(
    ("most_words", "size"), [(4, 1_500), (10, 1_500), (25, 1_500), (220, 40)], ids=str
)
def test_random_pairs_score_as_in_the_library(most_words: int, size: int) -> None:
    pairs = random_pairs(size, size, most_words=most_words)
    predictions, references = zip(*pairs, strict=True)
    expected = [from_library(*pair) for pair in pairs]
    assert rouge_l_precision(predictions, references).tolist() == expected


@pytest.mark.parametrize("size", [1_024, 1_025, 2_900])
def test_a_sentence_of_any_length_scores_as_in_the_library(size: int) -> None:
    rng = random.Random(size)
    words = rng.choices([str(number) for number in range(300)], k=300)
    prediction = " ".join(rng.choices(words, k=size))
    reference = f"{' '.join(words[:200])}. {' '.join(words[200:])}"
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(10_000)  # the library walks back by recursion
        expected = from_library(prediction, reference)
    finally:
        sys.setrecursionlimit(limit)
    assert 0.1 < one(prediction, reference) == expected < 0.9


# a blank piece is one empty word, an empty piece is nothing
EDGES = ["a. .b|a. .b", "a. |a", "a|a. ", "a..b|a b", ".a|a.", "v3.14 is|v3.14 was", "a b a|b a b"]
SHORT_TEXTS = st.text(alphabet="ab c.d\u3000\x1f\u200b")


@pytest.mark.parametrize("pair", EDGES)
def test_the_edge_cases_are_those_of_the_library(pair: str) -> None:
    prediction, reference = pair.split("|")
    assert one(prediction, reference) == from_library(prediction, reference)


@given(SHORT_TEXTS, SHORT_TEXTS)
@settings(max_examples=300)
def test_any_text_with_words_scores_as_in_the_library(prediction: str, reference: str) -> None:
    score = one(prediction, reference)
    if has_words(prediction) and has_words(reference):
        assert score == from_library(prediction, reference)
    else:
        assert math.isnan(score)


def test_rows_keep_their_order_when_references_repeat() -> None:
    scores = rouge_l_precision(["a b", "", "a b", "a b"], ["a", "a", "c", "a"])
    assert str(scores.tolist()) == "[0.5, nan, 0.0, 0.5]"


@pytest.mark.parametrize("wordless", ["", " ", ".", " . .. ", "\u3000", "\n.\t"])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_text_without_words_has_no_score(precision: Precision, wordless: str) -> None:
    assert np.isnan(precision([wordless, "a", wordless], ["a", wordless, "."])).all()
    assert precision([], []).shape == (0,)


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (["a"], ["a", "b"], "1 predictions but 2 references"),
        ("abc", ["a", "b", "c"], "'abc'"),
        ([None, "a"], ["a", "b"], "None"),
    ],
)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_wrong_arguments_are_reported_with_their_value(
    precision: Precision, predictions: list[str], references: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        precision(predictions, references)


def test_lin_is_the_precision_of_rouge_score() -> None:
    rng = random.Random(5)
    texts = [" ".join(rng.choices("abcdefgh123", k=rng.randint(1, 30))) for _ in range(2_000)]
    pairs = list(zip(texts[:1_000], texts[1_000:], strict=True))
    scorer = RougeScorer(["rougeL"])
    expected = [scorer.score(r, p)["rougeL"].precision for p, r in pairs]
    assert lin_precision(texts[:1_000], texts[1_000:]).tolist() == expected


def test_marked_words_explain_the_precision() -> None:
    for prediction, reference in random_pairs(1, 500, most_words=15):
        marked = lcs_marks(prediction, reference)
        marks = dict(marked)
        assert {*marked} == {*marks.items()}  # a word has the same mark wherever it occurs
        assert sum(marks.values()) / len(marks) == one(prediction, reference)
    assert lcs_marks("", "a") == []
    assert lcs_marks("a b", " . ") == [("a", False), ("b", False)]
