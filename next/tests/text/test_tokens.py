"""Cutting texts into words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics.text import (
    Tokenizer,
    fold_case_and_punctuation,
    has_unspaced,
    has_words,
    tokenize,
    words,
)

TEXTS = st.text(alphabet=st.sampled_from("aB é我手のーกำ한.,。-3५\u3000 \t\x1f\u0301\u200d"))
SPACED = ["the cat's mat-like thing", "  two  spaces\tand tab ", "한국어 문장", "Hello。World"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        *((text, text) for text in SPACED),
        ("喜爱得", "喜 爱 得"),
        ("コーヒー", "コ ー ヒ ー"),
        ("น้ำใจ", "น้ำ ใ จ"),
        ("ພາສາ", "ພ າ ສ າ"),
        ("か\u3099く", "か\u3099 く"),
        ("用GPT4o吗？", "用 GPT4o 吗 ？"),
        ("５０％的人", "５０ ％ 的 人"),
        ("a-b c-d我", "a-b c - d 我"),
        ("naïve我", "naïve 我"),
        ("x½y我", "x ½ y 我"),
        ("3.5个", "3 . 5 个"),
        ("我...你", "我 ... 你"),
        ("我. .你", "我 . . 你"),
        (" 我.\t", " 我 .\t"),
    ],
)
def test_auto_cuts_only_scripts_without_spaces(text: str, tokens: str) -> None:
    assert tokenize(text) == tokens
    assert tokenize(text, how="whitespace") == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("a cat..", "a c a t .."), ("e\u0301a", "e\u0301 a"), ("我, b", "我 , b"), ("", "")],
)
def test_chars_cuts_into_graphemes(text: str, tokens: str) -> None:
    assert tokenize(text, how="chars") == tokens


@pytest.mark.parametrize("how", ["auto", "whitespace", "chars"])
@given(text=TEXTS)
def test_tokenizing_only_adds_spaces_and_no_blank_sentence(how: Tokenizer, text: str) -> None:
    cut = tokenize(text, how=how)
    assert "".join(cut.split()) == "".join(text.split())
    blanks = [piece for piece in text.split(".") if piece.isspace()]
    assert [piece for piece in cut.split(".") if piece.isspace()] == blanks
    assert tokenize(cut, how=how) == cut


def test_an_unknown_tokenizer_is_reported() -> None:
    how: Any = "bpe"
    with pytest.raises(ValueError, match="auto, whitespace, chars, got 'bpe'"):
        tokenize("a", how=how)


def test_scripts_without_spaces_are_known() -> None:
    assert all(
        map(has_unspaced, ["我", "の", "ｶ", "ー", "ไ", "ລ", "ខ", "မ", "𠀀", "a b我", "々", "〇"])
    )
    spaced = ["", "abc", "é’", "한", "हि", "عر", "рус", "。「」", "😀", "１"]
    assert not any(map(has_unspaced, spaced))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a b", ["a", "b"]), ("a.b. c.", ["a", "b", "c"]), (" . .. \u3000", []), ("?", ["?"])],
)
def test_words_are_separated_by_white_space_and_full_stops(text: str, expected: list[str]) -> None:
    assert words(text) == expected
    assert has_words(text) == bool(expected)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Don't — don’t", "don t don t"),
        ("One. “Two”. — . Three...", "one. two. three"),
        ("放手！放手。", "放手 放手"),
        ("C++ $5", "c++ $5"),
        ("?!.", ""),
    ],
)
def test_case_and_punctuation_are_ignored(text: str, folded: str) -> None:
    assert fold_case_and_punctuation(text) == folded
    assert fold_case_and_punctuation(folded) == folded
