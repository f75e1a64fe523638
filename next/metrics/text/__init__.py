"""Words of a text, also in scripts that are written without spaces."""

import re
from typing import Literal, get_args

import regex

Tokenizer = Literal["auto", "whitespace", "chars"]
_TOKENIZERS = get_args(Tokenizer)

# The long vowel mark belongs to both kana; Unicode counts it with neither.
_UNSPACED_SET = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_UNSPACED = regex.compile(_UNSPACED_SET)
# `re` finds a range six times as fast; this one has all such scripts and little else.
_MAYBE_UNSPACED = re.compile("[\u0e00-\u1fff\u2e80-\U0010ffff]")
# Full stops stay together: a space between two would be a blank sentence for ROUGE.
_PART = regex.compile(
    rf"\.+|(?={_UNSPACED_SET})\X|[[\p{{L}}\p{{M}}\p{{Nd}}]--{_UNSPACED_SET}]+|.",
    regex.V1 | regex.DOTALL,
)
_CHARACTER = regex.compile(r"\.+|\X")
_PUNCTUATION = regex.compile(r"[\p{P}--.]", regex.V1)
_TOKEN = re.compile(r"\S+")  # `re` and str.split agree on what white space is; `regex` does not


def tokenize(text: str, *, how: Tokenizer = "auto") -> str:
    """Return the text with white space between its tokens and all full stops where they were.

    `auto` leaves a token as it is unless it has a character of a script written without spaces.
    Such a token is cut into each such character, each run of other letters, marks and digits, and
    each remaining character. `chars` cuts every token into characters (graphemes).

    >>> tokenize("the cat's mat.")
    "the cat's mat."
    >>> tokenize("放手 means let-go. 用GPT4o！")
    '放 手 means let-go. 用 GPT4o ！'
    >>> tokenize("a cat.", how="chars")
    'a c a t .'
    """
    if how not in _TOKENIZERS:
        raise ValueError(f"expected one of {', '.join(_TOKENIZERS)}, got {how!r}")
    if how == "whitespace" or (how == "auto" and not has_unspaced(text)):
        return text
    if how == "chars":
        return _TOKEN.sub(lambda token: " ".join(_CHARACTER.findall(token[0])), text)
    return _TOKEN.sub(
        lambda token: " ".join(_PART.findall(token[0])) if has_unspaced(token[0]) else token[0],
        text,
    )


def has_unspaced(text: str) -> bool:
    """Return whether any character is of a script that is written without spaces.

    >>> has_unspaced("한국어"), has_unspaced("日本語")
    (False, True)
    """
    return not text.isascii() and bool(_MAYBE_UNSPACED.search(text) and _UNSPACED.search(text))


def words(text: str) -> list[str]:
    """Return the words between white space and full stops.

    >>> words("It is 3.5 m. Really")
    ['It', 'is', '3', '5', 'm', 'Really']
    """
    return text.replace(".", " ").split()


def has_words(text: str) -> bool:
    """Return False for a text of white space and full stops only.

    >>> has_words(" ... "), has_words("?")
    (False, True)
    """
    return text.replace(".", " ").strip() != ""


def fold_case_and_punctuation(text: str) -> str:
    """Return the text in folded case without punctuation; full stops still end its sentences.

    >>> fold_case_and_punctuation("“Well-known,” he said... Straße!")
    'well known he said. strasse'
    """
    pieces = _PUNCTUATION.sub(" ", text.casefold()).split(".")
    # A piece of punctuation only must not become a blank sentence: `rouge` counts it as a word.
    return ". ".join(" ".join(piece.split()) for piece in pieces if piece.strip())
