"""ROUGE-L against the library that defines it and against the textbook algorithm."""

import math
import random
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from scoresheet.metrics.text.rouge_l import (
    charset_precision,
    lcs_marks,
    lin_precision,
    rouge_l_precision,
)
from scoresheet.metrics.text.tokens import Tokenizer, has_words, tokenize

Precision = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
PRECISIONS: list[Precision] = [rouge_l_precision, lin_precision, charset_precision]


def one(prediction: str, reference: str) -> float:
    return float(rouge_l_precision([prediction], [reference])[0])


def from_library(prediction: str, reference: str) -> float:
    return float(Rouge().get_scores(prediction, reference)[0]["rouge-l"]["p"])


def from_table(prediction: str, reference: str) -> float:
    """Return the precision as `rouge` defines it, with the full table and a loop for the walk."""
    predicted = [piece.split() or [""] for piece in prediction.split(".") if piece]
    union: set[str] = set()
    for rows in [piece.split() or [""] for piece in reference.split(".") if piece]:
        for columns in predicted:
            union.update(picked_lcs(rows, columns))
    return len(union) / len(set(chain.from_iterable(predicted)))


def picked_lcs(rows: list[str], columns: list[str]) -> list[str]:
    table = lcs_table(rows, columns)
    i, j, picked = len(rows), len(columns), []
    while i and j:
        if rows[i - 1] == columns[j - 1]:
            picked.append(rows[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return picked


def lcs_table(rows: list[str], columns: list[str]) -> list[list[int]]:
    table = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    for i, row in enumerate(rows, 1):
        for j, column in enumerate(columns, 1):
            longest = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if row == column else longest
    return table


SHORT_TEXTS = st.text(alphabet="ab c.d\u3000\x1f\u200b")
SEPARATORS = [" "] * 12 + [".", ". ", " . ", "..", ". .", "\u3000", "\xa0", "\t", "\n", "\x1c"]


def random_text(rng: random.Random, *, most_words: int) -> str:
    vocabulary = "abcdefghijklmnop"[: rng.randint(1, 16)]
    size = rng.randint(1, most_words)
    return "".join(rng.choice(vocabulary) + rng.choice(SEPARATORS) for _ in range(size))


def random_pairs(seed: int, size: int, *, most_words: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    texts = [random_text(rng, most_words=most_words) for _ in range(2 * size)]
    return texts[:size], texts[size:]


@pytest.mark.parametrize(
    ("prediction", "reference", "how", "precision"),
    [
        ("the cat sat", "the cat sat on the mat", "auto", 1),
        ("the cat sat on the mat", "the cat sat", "auto", 0.6),
        ("the the the cat", "the cat", "auto", 1),
        ("A B C", "a b c", "auto", 0),
        ("a b c d", "a b. c d", "auto", 1),
        ("喜爱得不想放手", "喜爱得舍不得放手", "whitespace", 0),
        ("喜爱得不想放手", "喜爱得舍不得放手", "auto", 6 / 7),
    ],
)
def test_the_examples_of_the_definition(
    prediction: str, reference: str, how: Tokenizer, precision: float
) -> None:
    assert one(tokenize(prediction, how=how), tokenize(reference, how=how)) == precision


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("a. .b", "a. .b"),  # a blank piece is one empty word
        ("a. ", "a"),
        ("a", "a. "),
        ("a..b", "a b"),  # an empty piece is nothing
        (".a", "a."),
        ("v3.14 is", "v3.14 was"),
        ("a b a b", "b a b a"),
    ],
)
def test_the_edge_cases_are_those_of_the_library(prediction: str, reference: str) -> None:
    assert one(prediction, reference) == from_library(prediction, reference)


@pytest.mark.parametrize(("seed", "most_words"), [(1, 4), (2, 10), (3, 25)])
def test_random_pairs_score_as_in_the_library(seed: int, most_words: int) -> None:
    predictions, references = random_pairs(seed, 1_500, most_words=most_words)
    expected = list(map(from_library, predictions, references))
    assert rouge_l_precision(predictions, references).tolist() == expected


def test_long_random_pairs_score_as_with_the_full_table() -> None:
    predictions, references = random_pairs(4, 40, most_words=220)
    expected = list(map(from_table, predictions, references))
    assert rouge_l_precision(predictions, references).tolist() == expected


@pytest.mark.parametrize("size", [1_024, 1_025, 2_900])
def test_a_sentence_of_any_length_scores_as_with_the_full_table(size: int) -> None:
    rng = random.Random(size)
    words = rng.choices([str(number) for number in range(300)], k=300)
    prediction, reference = " ".join(rng.choices(words, k=size)), " ".join(words[:200])
    reference += ". " + " ".join(words[200:])
    assert 0.1 < one(prediction, reference) == from_table(prediction, reference) < 0.9


@given(SHORT_TEXTS, SHORT_TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_with_words_scores_as_in_the_library(prediction: str, reference: str) -> None:
    score = one(prediction, reference)
    if has_words(prediction) and has_words(reference):
        assert score == from_library(prediction, reference) == from_table(prediction, reference)
    else:
        assert math.isnan(score)


def test_identical_texts_too_long_for_the_library_score_1() -> None:
    text = " ".join(["word"] * 1_500)
    with pytest.raises(RecursionError):
        from_library(text, text)
    assert one(text, text) == 1


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
        (["a"], [math.nan], "nan"),
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
    predictions, references = texts[:1_000], texts[1_000:]
    scorer = RougeScorer(["rougeL"])
    expected = [
        scorer.score(r, p)["rougeL"].precision for p, r in zip(predictions, references, strict=True)
    ]
    assert lin_precision(predictions, references).tolist() == expected


def test_lin_counts_across_full_stops() -> None:
    assert lin_precision(["a b. c d."], ["b c. d e"]).tolist() == [0.75]


def test_charset_compares_sets_of_characters() -> None:
    assert charset_precision(["aab c", "放手"], ["abc", "手"]).tolist() == [0.75, 0.5]


@pytest.mark.parametrize("seed", range(3))
def test_marked_words_explain_the_precision(seed: int) -> None:
    for prediction, reference in zip(*random_pairs(seed, 200, most_words=15), strict=True):
        marked = lcs_marks(prediction, reference)
        pairs = {pair for words, marks in marked for pair in zip(words, marks, strict=True)}
        distinct = {word for word, _ in pairs}
        assert len(pairs) == len(distinct)  # a word has the same mark wherever it occurs
        precision = sum(mark for _, mark in pairs) / len(distinct)
        assert precision == one(prediction, reference)


@pytest.mark.parametrize(
    ("prediction", "reference", "marks"),
    [
        ("", "a", []),
        ("a b", "", [(["a", "b"], [False, False])]),
        ("a b", " . ", [(["a", "b"], [False, False])]),
        ("b a. c", "a b", [(["b", "a"], [True, False]), (["c"], [False])]),
    ],
)
def test_marks_of_short_texts(
    prediction: str, reference: str, marks: list[tuple[list[str], list[bool]]]
) -> None:
    assert lcs_marks(prediction, reference) == marks
