"""The words of a text, and its sentences."""

import re
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import regex

from scoresheet.metrics.text import has_unspaced, tokenize

VOCABULARY = "o200k_base"
_ENDS = re.compile("[.!?。！？]")
_PLAIN = re.compile("[a-z0-9_]{2,}")  # the same for ASCII, by a simpler pattern
_NOT_WORDS = regex.compile(r"[^\p{L}\p{M}\p{N}_]+")


def content_words(text: str, tokenizer: str = "words") -> Sequence[Any]:
    """Return the words of a text in lower case; a single letter is not a word.

    Scripts that are written without spaces are cut into characters. `chars` cuts every word,
    `tokens` returns the BPE tokens of the text as it is.

    >>> content_words("A cat's hat, 7 cats and 猫")
    ['cat', 'hat', 'cats', 'and', '猫']
    """
    if tokenizer == "tokens":
        return _encoder()(text.encode("utf-8", "replace").decode())  # a lone surrogate has no code
    lower = text.lower()
    if tokenizer == "words" and lower.isascii():
        return _PLAIN.findall(lower)
    spaced = _NOT_WORDS.sub(" ", unicodedata.normalize("NFC", lower))
    if tokenizer == "chars":
        return tokenize(spaced, how="chars").split()
    return [word for word in tokenize(spaced).split() if len(word) > 1 or has_unspaced(word)]


@cache
def _encoder() -> Callable[[str], list[int]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # how the package opens its vocabulary
        import bpe_openai

        encode: Callable[[str], list[int]] = bpe_openai.get_encoding(VOCABULARY).encode_ordinary
    return encode


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that have words.

    >>> sentences("It rains. ... It pours!")
    ['It rains', 'It pours']
    """
    return [part.strip() for part in _ENDS.split(text) if content_words(part)]
