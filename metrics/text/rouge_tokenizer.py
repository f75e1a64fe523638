"""Text to sentences of words, the way PyPI `rouge` cuts them, and for scripts written without spaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.options import check_choice
from scoresheet.metrics.problems import MissingExtra
from scoresheet.metrics.text.words import spaced_sentences

if TYPE_CHECKING:
    import regex

TOKENIZERS: Final = ("auto", "whitespace", "chars", "words")

# The scripts written without spaces, as the inside of a character class of `pattern`.
# Unicode gives the prolonged sound marks to no script, though only kana use them.
UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30FC\uFF70"
_PIECES: Final = (
    rf"(?=[{UNSPACED}])\X"  # a character of an unspaced script, with the marks that belong to it
    rf"|[[\p{{L}}\p{{M}}\p{{Nd}}]--[{UNSPACED}]]+"  # a run of other letters, marks and digits
    r"|(?s:.)"
)

Sentences = list[list[str]]


@cache
def unspaced_script_pattern(text: str) -> regex.Pattern[str]:
    """Return a compiled pattern with Unicode scripts; made at first need, for these take long to compile."""
    import regex  # as long as a small run takes to score

    return regex.compile(text, regex.V1)


def is_wordless(text: str) -> bool:
    """Return whether a text is nothing but white space and full stops.

    >>> is_wordless(" . .."), is_wordless("!!!")
    (True, False)
    """
    if text and text[0] != "." and not text[0].isspace():
        return False  # what nearly every text is known by
    return not text.replace(".", "").strip()


def sentences(text: str, tokenizer: str = "auto") -> Sentences:
    """Return the words of each sentence; a blank piece between two full stops is one empty word, as in `rouge`.

    >>> sentences("It rains. It  pours.")
    [['It', 'rains'], ['It', 'pours']]
    >>> sentences("用GPT-4写")
    [['用', 'GPT', '-', '4', '写']]
    """
    cut = _cutter(tokenizer, text)
    if cut is None:
        return spaced_sentences(text)
    return [[word for token in piece.split() for word in cut(token)] or [""] for piece in text.split(".") if piece]


def needs_cutting(text: str, tokenizer: str) -> bool:
    """Return whether the tokeniser does anything to this text beyond splitting it at white space."""
    return _cutter(tokenizer, text) is not None


def has_unspaced(text: str) -> bool:
    """Return whether anything in a text is written without spaces between words.

    >>> has_unspaced("Tokyo 2020"), has_unspaced("東京 2020")
    (False, True)
    """
    return not text.isascii() and unspaced_script_pattern(f"[{UNSPACED}]").search(text) is not None


def _cutter(tokenizer: str, text: str) -> Callable[[str], list[str]] | None:
    if tokenizer == "whitespace":
        return None
    if tokenizer == "chars":
        return list
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    if not has_unspaced(text):
        return None
    return _cut_auto if tokenizer == "auto" else _cut_words


def _cut_auto(token: str) -> list[str]:
    return (
        unspaced_script_pattern(_PIECES).findall(token)
        if unspaced_script_pattern(f"[{UNSPACED}]").search(token)
        else [token]
    )


def _cut_words(token: str) -> list[str]:
    if not unspaced_script_pattern(f"[{UNSPACED}]").search(token):
        return [token]
    words: list[str] = []
    for piece in unspaced_script_pattern(r"\p{Han}+|\P{Han}+").findall(token):
        han = unspaced_script_pattern(r"\p{Han}").match(piece)
        words += chinese_segmenter()(piece) if han else unspaced_script_pattern(_PIECES).findall(piece)
    return words


@cache
def chinese_segmenter() -> Callable[[str], list[str]]:
    """Return the offline word segmenter for Chinese, or say which extra brings it."""
    try:
        import rjieba
    except ImportError:
        raise MissingExtra("the tokenizer 'words'", "words") from None
    jieba = rjieba.Jieba()
    return lambda text: list(jieba.cut(text))
