"""S_Info as defined: worked vectors, and what holds for any texts."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoresheet.metrics import brevity_penalty, rouge_l_precision, s_info
from tests.helpers.soak import examples

Options = dict[str, Any]

EXAMPLES = examples(50)
SPACES = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u2002\u2028\u2029\u202f\u3000"


def is_wordless(text: str) -> bool:
    return not text.replace(".", " ").split()


# --- worked vectors ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "reference", "precision", "penalty"),
    [
        ("the cat sat", "the cat sat on the mat", 1.0, 0.367879),
        ("the cat sat on the mat", "the cat sat", 0.6, 1.0),
        ("the the the cat", "the cat", 1.0, 1.0),
        ("A B C", "a b c", 0.0, 1.0),
        ("a b c d", "a b. c d", 1.0, 0.866878),
        ("喜爱得不想放手", "喜爱得舍不得放手", 6 / 7, 0.866878),
        (" ".join(["word"] * 1_500), " ".join(["word"] * 1_500), 1.0, 1.0),
        ("!!!", "the cat", 0.0, math.exp(1 - 7 / 3)),
        ("。。。", "喜爱", 0.0, 1.0),
    ],
)
def test_worked_vectors(prediction: str, reference: str, precision: float, penalty: float) -> None:
    assert rouge_l_precision(prediction, reference) == precision
    assert brevity_penalty(prediction, reference) == pytest.approx(penalty, abs=5e-7)
    assert s_info(prediction, reference) == pytest.approx(precision * penalty, abs=5e-7)


def test_chinese_without_spaces_scores_nothing_on_white_space() -> None:
    assert rouge_l_precision("喜爱得不想放手", "喜爱得舍不得放手", tokenizer="whitespace") == 0.0
    assert s_info("喜爱得不想放手", "喜爱得舍不得放手", tokenizer="whitespace") == 0.0


def test_rouge_and_lin_differ_on_repeated_words() -> None:
    assert s_info("the cat sat on the mat", "the cat sat", rouge="rouge") == 0.6
    assert s_info("the cat sat on the mat", "the cat sat", rouge="lin") == 0.5


def test_charset_comes_only_by_name() -> None:
    assert s_info("abc", "cab", rouge="charset") == 1.0
    assert s_info("abc", "cab") == 0.0


# --- brevity penalty -----------------------------------------------------------------------------


@pytest.mark.parametrize(("c", "r"), [(1, 1), (1, 2), (2, 1), (7, 8), (8, 7), (3, 300), (300, 3), (10, 10)])
def test_the_penalty_is_the_printed_formula_on_characters(c: int, r: int) -> None:
    expected = 1.0 if c >= r else math.exp(1 - r / c)
    assert brevity_penalty("x" * c, "y" * r) == pytest.approx(expected, rel=1e-14)


def test_equal_lengths_carry_no_penalty_exactly() -> None:
    for length in range(1, 60):
        assert brevity_penalty("x" * length, "y" * length) == 1.0


def test_length_is_code_points_not_bytes_words_or_graphemes() -> None:
    assert brevity_penalty("猫", "ab") == pytest.approx(math.exp(-1))
    assert brevity_penalty("e\u0301", "ab") == 1.0
    assert brevity_penalty("😀", "ab") == pytest.approx(math.exp(-1))
    assert brevity_penalty("a   b", "a b c") == 1.0  # inner white space counts


def test_length_in_tokens_counts_the_tokens_of_the_tokeniser() -> None:
    tokens: Options = {"length": "tokens"}
    assert brevity_penalty("aaaaaaaaaaaa bb", "a b c d", **tokens) == pytest.approx(math.exp(1 - 4 / 2))
    assert brevity_penalty("a b c d", "aaaaaaaaaaaaaaaa bb", **tokens) == 1.0
    chinese = ("喜爱得不想放手", "喜爱得舍不得放手")
    assert brevity_penalty(*chinese, **tokens) == pytest.approx(math.exp(1 - 8 / 7))
    assert brevity_penalty(*chinese, tokenizer="whitespace", **tokens) == 1.0
    shorter = brevity_penalty("ab c", "a b c d", tokenizer="chars", **tokens)
    assert shorter == pytest.approx(math.exp(1 - 4 / 3))
    assert brevity_penalty("a  b\u3000c", "a b c", **tokens) == 1.0
    assert brevity_penalty("a b.c d", "a b c d", **tokens) == 1.0


def test_s_info_passes_the_length_and_the_tokeniser_on() -> None:
    long_words, short_words = "aaaaaaaaaaaa bb", "aaaaaaaaaaaa b c d"
    assert s_info(long_words, short_words, length="tokens") == pytest.approx(0.5 * math.exp(1 - 4 / 2))
    assert s_info(long_words, short_words, length="chars") == pytest.approx(0.5 * math.exp(1 - 18 / 15))
    chinese = ("喜爱得不想放手", "喜爱得舍不得放手")
    assert s_info(*chinese, length="tokens", tokenizer="auto") == pytest.approx(6 / 7 * math.exp(1 - 8 / 7))
    assert s_info("猫 犬猫", "猫 犬", length="tokens", tokenizer="whitespace") == 0.5


# --- properties ----------------------------------------------------------------------------------

WORDS = st.sampled_from(["a", "b", "c", "the", "The", "cat", "猫", "犬猫", "น้ำ", "ก", "!", "cafe\u0301"])
JOINS = st.sampled_from([" ", " ", " ", "", ". ", ".", " . . ", "\n", "\u3000", "\u00a0"])
COMPOSED = st.lists(st.tuples(WORDS, JOINS), min_size=1, max_size=10).map(
    lambda pieces: "".join(word + join for word, join in pieces)
)
TEXTS = st.one_of(COMPOSED, COMPOSED, st.text(max_size=20)).filter(lambda text: not is_wordless(text))
PADDING = st.text(alphabet=SPACES, max_size=4)
OPTIONS = st.fixed_dictionaries(
    {
        "rouge": st.sampled_from(["rouge", "lin", "charset"]),
        "tokenizer": st.sampled_from(["auto", "whitespace", "chars"]),
        "length": st.sampled_from(["chars", "tokens"]),
    }
)
REFERENCES = st.lists(TEXTS, min_size=1, max_size=4)


def pieces_of(options: Options) -> tuple[Options, Options]:
    precision = {name: options[name] for name in ("rouge", "tokenizer")}
    penalty = {name: options[name] for name in ("length", "tokenizer")}
    return precision, penalty


def is_plus_zero_or_more(value: float) -> bool:
    return math.copysign(1.0, value) == 1.0


@EXAMPLES
@given(TEXTS, TEXTS, OPTIONS)
def test_s_info_is_the_product_of_its_two_parts(prediction: str, reference: str, options: Options) -> None:
    for_precision, for_penalty = pieces_of(options)
    precision = rouge_l_precision(prediction, reference, **for_precision)
    penalty = brevity_penalty(prediction, reference, **for_penalty)
    assert s_info(prediction, reference, **options) == pytest.approx(precision * penalty, rel=1e-14, abs=0)


@EXAMPLES
@given(TEXTS, TEXTS, OPTIONS)
def test_scores_lie_between_plus_zero_and_one(prediction: str, reference: str, options: Options) -> None:
    for_precision, for_penalty = pieces_of(options)
    for value in (
        rouge_l_precision(prediction, reference, **for_precision),
        brevity_penalty(prediction, reference, **for_penalty),
        s_info(prediction, reference, **options),
    ):
        assert isinstance(value, float)
        assert 0.0 <= value <= 1.0
        assert is_plus_zero_or_more(value)


@EXAMPLES
@given(TEXTS, OPTIONS)
def test_identical_texts_score_one(text: str, options: Options) -> None:
    assert s_info(text, text, **options) == 1.0


@EXAMPLES
@given(TEXTS, TEXTS)
def test_the_penalty_is_one_exactly_for_predictions_as_long_as_the_reference(prediction: str, reference: str) -> None:
    long_enough = len(prediction.strip()) >= len(reference.strip())
    assert (brevity_penalty(prediction, reference) == 1.0) is long_enough


@EXAMPLES
@given(TEXTS, TEXTS, st.text(max_size=20))
def test_appending_to_the_prediction_never_lowers_the_penalty(prediction: str, reference: str, more: str) -> None:
    assert brevity_penalty(prediction + more, reference) >= brevity_penalty(prediction, reference)


@EXAMPLES
@given(TEXTS, TEXTS, PADDING, PADDING, OPTIONS)
def test_outer_white_space_changes_nothing(
    prediction: str, reference: str, before: str, after: str, options: Options
) -> None:
    for_precision, for_penalty = pieces_of(options)
    padded = (before + prediction + after, after + reference + before)
    plain = (prediction, reference)
    assert s_info(*padded, **options) == s_info(*plain, **options)
    assert rouge_l_precision(*padded, **for_precision) == rouge_l_precision(*plain, **for_precision)
    assert brevity_penalty(*padded, **for_penalty) == brevity_penalty(*plain, **for_penalty)


def test_no_score_is_ever_minus_zero() -> None:
    rng = random.Random(3)
    for _ in range(300):
        prediction = " ".join(rng.choices("abcd", k=rng.randint(1, 5)))
        reference = " ".join(rng.choices("efgh", k=rng.randint(1, 5)))
        for rouge in ("rouge", "lin", "charset"):
            options: Options = {"rouge": rouge}
            assert is_plus_zero_or_more(rouge_l_precision(prediction, reference, **options))
            assert is_plus_zero_or_more(s_info(prediction, [reference, reference[::-1]], **options))
    assert is_plus_zero_or_more(brevity_penalty("a", "b" * 5_000))  # underflows to zero


# --- several references --------------------------------------------------------------------------


@EXAMPLES
@given(TEXTS, TEXTS, OPTIONS, st.sampled_from(["max", "mean", "first"]))
def test_one_reference_alone_or_in_a_list_scores_the_same(
    prediction: str, reference: str, options: Options, references_by: str
) -> None:
    alone = s_info(prediction, reference, **options)
    combined: Options = options | {"references_by": references_by}
    assert s_info(prediction, [reference], **combined) == alone
    assert s_info(prediction, (reference,), **combined) == alone


def distinct(references: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text.strip() for text in references))


@EXAMPLES
@given(TEXTS, REFERENCES, OPTIONS)
def test_references_are_scored_one_by_one_and_then_combined(
    prediction: str, references: list[str], options: Options
) -> None:
    assume(len(distinct(references)) == len(references))
    each = [s_info(prediction, reference, **options) for reference in references]
    assert s_info(prediction, references, **options) == max(each)  # the default
    assert s_info(prediction, references, references_by="max", **options) == max(each)
    assert s_info(prediction, references, references_by="first", **options) == each[0]
    mean = s_info(prediction, references, references_by="mean", **options)
    assert mean == pytest.approx(math.fsum(each) / len(each), rel=1e-12, abs=1e-15)


@EXAMPLES
@given(TEXTS, REFERENCES, OPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_references_changes_neither_max_nor_mean(
    prediction: str, references: list[str], options: Options, rng: random.Random
) -> None:
    shuffled = rng.sample(references, len(references))
    largest = s_info(prediction, references, references_by="max", **options)
    mean = s_info(prediction, references, references_by="mean", **options)
    assert s_info(prediction, shuffled, references_by="max", **options) == largest
    assert s_info(prediction, shuffled, references_by="mean", **options) == pytest.approx(mean, rel=1e-12)
    assert largest >= mean or largest == pytest.approx(mean, rel=1e-12)


def test_the_mean_over_references_is_the_mean_of_products() -> None:
    prediction, references = "a b", ["a b c d", "x"]
    products = [1.0 * math.exp(1 - 7 / 3), 0.0 * 1.0]
    assert s_info(prediction, references, references_by="mean") == pytest.approx(sum(products) / 2)


def test_identical_repeated_references_count_once() -> None:
    # 1, 0, 0 without the rule; 1, 0 with it
    assert s_info("a b", ["x y", "a b", "x y"], references_by="mean") == 0.5
    assert s_info("a b", ["x y", "a b", "x y"], references_by="max") == 1.0


def test_a_wordless_reference_counts_as_a_missing_one() -> None:
    assert s_info("a b", ["...", "a b"], references_by="mean") == 1.0
    assert s_info("a b", ["", "a b", "x y"], references_by="first") == 1.0
    assert s_info("a b", [" ", "a b"], references_by="max") == 1.0


WORDLESS = ["", " ", "...", ".", " . . ", "\n\t", "\u3000", "\u00a0.\u2028", "\x1c"]


@pytest.mark.parametrize("wordless", WORDLESS)
@pytest.mark.parametrize("references_by", ["max", "mean", "first"])
def test_nothing_to_compare_gives_no_score(wordless: str, references_by: str) -> None:
    options: Options = {"references_by": references_by}
    assert math.isnan(s_info(wordless, "the cat", **options))
    assert math.isnan(s_info(wordless, ["the cat", "a dog"], **options))
    assert math.isnan(s_info("the cat", wordless, **options))
    assert math.isnan(s_info("the cat", [wordless, "."], **options))
    assert math.isnan(brevity_penalty(wordless, "the cat"))
    assert math.isnan(brevity_penalty("the cat", wordless))
    assert math.isnan(brevity_penalty("the cat", wordless, length="tokens"))


def test_no_reference_at_all_gives_no_score() -> None:
    assert math.isnan(s_info("the cat", []))


# --- options -------------------------------------------------------------------------------------

VALID = {
    "rouge": ["rouge", "lin", "charset"],
    "tokenizer": ["auto", "whitespace", "chars", "words"],
    "length": ["chars", "tokens"],
    "references_by": ["max", "mean", "first"],
}


@pytest.mark.parametrize("option", VALID)
@pytest.mark.parametrize("value", ["bogus", "", "Auto", " max"])
def test_an_unknown_option_value_is_refused_with_the_valid_ones(option: str, value: str) -> None:
    options: Options = {option: value}
    with pytest.raises(ValueError, match=VALID[option][0]) as caught:
        s_info("the cat", "the cat", **options)
    for valid in VALID[option]:
        assert valid in str(caught.value)


@pytest.mark.parametrize(
    ("function", "option"),
    [
        (rouge_l_precision, "rouge"),
        (rouge_l_precision, "tokenizer"),
        (brevity_penalty, "length"),
        (brevity_penalty, "tokenizer"),
    ],
)
def test_the_parts_refuse_unknown_values_too(function: Any, option: str) -> None:
    with pytest.raises(ValueError, match=VALID[option][0]) as caught:
        function("the cat", "the cat", **{option: "bogus"})
    assert all(valid in str(caught.value) for valid in VALID[option])


@pytest.mark.parametrize("option", VALID)
def test_an_unknown_value_is_refused_even_where_there_is_nothing_to_score(option: str) -> None:
    options: Options = {option: "bogus"}
    with pytest.raises(ValueError, match=VALID[option][0]):
        s_info("", [], **options)
