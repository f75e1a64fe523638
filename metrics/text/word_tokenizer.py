"""Text to words in lower case: runs of letters, marks, digits and underscores, and how unspaced scripts are cut."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from scoresheet.metrics.text.rouge_tokenizer import UNSPACED, chinese_segmenter, unspaced_script_pattern

_PLAIN: Final = re.compile(r"[a-z0-9_]+")  # the same for ASCII in lower case, by a simpler pattern
_OF_WORDS: Final = r"\p{L}\p{M}\p{N}_"
_RUN: Final = rf"[{_OF_WORDS}]+"
# Marks belong to the character before them; so do these letters (sara am of Thai and Lao, half-width voicing marks).
_MARKS: Final = r"\p{M}\u0E33\u0EB3\uFF9E\uFF9F"
_WORD: Final = (
    rf"[[{_OF_WORDS}]&&[{UNSPACED}]][{_MARKS}]*"  # a character of an unspaced script
    rf"|[[{_OF_WORDS}]--[{UNSPACED}]][[{_OF_WORDS}{_MARKS}]--[[{UNSPACED}]--[{_MARKS}]]]*"  # a run of other characters
)


def without_punctuation(text: str) -> str:
    """Return a text without its punctuation: apostrophes go, what else stands between words becomes a blank.

    >>> without_punctuation("To tell a secret, often; don't.")
    'To tell a secret often dont'
    """
    kept = [
        character if not unicodedata.category(character).startswith("P") else "" if character in "'’" else " "
        for character in text
    ]
    return " ".join("".join(kept).split())


def lower_words(text: str, tokenizer: str = "auto") -> list[str]:
    """Return the words of a text in lower case.

    In scripts written without spaces every character is one; `words` segments Chinese, `whitespace` cuts no run,
    `chars` cuts every run.

    >>> lower_words("The Cat, the_hat! 喜爱")
    ['the', 'cat', 'the_hat', '喜', '爱']
    >>> lower_words("Go, 喜爱", "whitespace"), lower_words("Go!", "chars")
    (['go', '喜爱'], ['g', 'o'])
    """
    lower = text.lower() if text.isascii() else unicodedata.normalize("NFC", text.lower())
    if lower.isascii() and tokenizer != "chars":
        return _PLAIN.findall(lower)
    if tokenizer == "auto":
        return _found(_WORD, lower)
    runs = _found(_RUN, lower)
    if tokenizer == "chars":
        return [character for run in runs for character in _found(r"\X", run) if not _is_mark(character)]
    return runs if tokenizer == "whitespace" else [word for run in runs for word in _segmented(run)]


def _is_mark(character: str) -> bool:
    """Return whether there is nothing but a mark, which the character that bore it has left behind."""
    return unicodedata.category(character[0]).startswith("M")


def _segmented(run: str) -> list[str]:
    """Return the words of a run: Chinese as the segmenter has it, the rest as ever."""
    words: list[str] = []
    for piece in _found(r"\p{Han}+|\P{Han}+", run):
        words += (
            chinese_segmenter()(piece) if unspaced_script_pattern(r"\p{Han}").match(piece) else _found(_WORD, piece)
        )
    return words


def _found(expression: str, text: str) -> list[str]:
    found: list[str] = unspaced_script_pattern(expression).findall(text)
    return found
