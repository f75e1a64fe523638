"""The words of a text and their measures: entropy of words and chunks, and repetition."""

import math
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import regex

from scoresheet.metrics.measure import measure
from scoresheet.metrics.text import has_unspaced, tokenize

CHUNK = 20  # words, at least
DROP, FALLING, RISING = 0.8, 0.9, 1.1  # of the chunk before; of the first third
TOLERANCE = 1e-9  # a value this near to an edge is on it
FEWEST_WORDS = 6  # a shorter text is never repetitive
RUN, RUN_UNSPACED = 5, 20  # words, characters
REPEATED = 0.25  # of the words of a repetitive text

Words = Sequence[Hashable]

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
        tokens: list[int] = _encoder()(text.encode("utf-8", "replace").decode())
        return tokens  # a lone surrogate has no code
    lower = text.lower()
    if tokenizer == "words" and lower.isascii():
        return _PLAIN.findall(lower)
    spaced = _NOT_WORDS.sub(" ", unicodedata.normalize("NFC", lower))
    if tokenizer == "chars":
        return tokenize(spaced, how="chars").split()
    return [word for word in tokenize(spaced).split() if len(word) > 1 or has_unspaced(word)]


@cache
def _encoder() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # how the package opens its vocabulary
        import bpe_openai

        return bpe_openai.get_encoding(VOCABULARY).encode_ordinary


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that have words.

    >>> sentences("It rains. ... It pours!")
    ['It rains', 'It pours']
    """
    return [part.strip() for part in _ENDS.split(text) if content_words(part)]


@measure("Word_Entropy", label="Word entropy", reference="Shannon 1948")
def entropy(words: Words) -> float:
    """Return the entropy of the words in bits; it grows with the length of a text.

    >>> entropy("aabc")
    1.5
    """
    if not words:
        return math.nan
    repeats = sum(n * math.log2(n) for n in Counter(words).values() if n > 1)
    return max(math.log2(len(words)) - repeats / len(words), 0.0)


def runs(words: Words, n: int) -> Iterator[tuple[Hashable, ...]]:
    """Return the runs of n words.

    >>> [*runs(["so", "it", "goes"], 2)]
    [('so', 'it'), ('it', 'goes')]
    """
    return zip(*(words[start:] for start in range(n)), strict=False)


def window_entropies(words: Words, window: int) -> list[float]:
    """Return the entropy of each window of consecutive words that is full."""
    starts = range(0, len(words) - window + 1, window)
    return [entropy(words[start : start + window]) for start in starts]


@measure("Segment_Entropy", label="Segment entropy", better="higher")
def segment_entropy(words: Words, window: int = 50) -> float:
    """Return the mean entropy, in bits, of consecutive windows of 50 words (--window).

    A text shorter than a window has none; words after the last full window do not count.
    """
    found = window_entropies(words, window)
    return sum(found) / len(found) if found else math.nan


@measure("Too_Short", label="Too short", format="share", bounds=(0, 1))
def is_too_short(words: Words, window: int = 50) -> float:
    """Return 1 for a text that is shorter than a window and so has no segment entropy, else 0."""
    return float(len(words) < window)


@measure("Bigram_Entropy", label="Bigram entropy")
def bigram_entropy(words: Words) -> float:
    """Return the entropy of two words in a row, in bits."""
    return entropy([*runs(words, 2)])


@measure("Trigram_Entropy", label="Trigram entropy")
def trigram_entropy(words: Words) -> float:
    """Return the entropy of three words in a row, in bits."""
    return entropy([*runs(words, 3)])


@measure("Vocab_Diversity", label="Vocabulary diversity", bounds=(0, 1))
def vocabulary_diversity(words: Words) -> float:
    """Return the word entropy as a share of its maximum, log2 of the different words."""
    return entropy(words) / math.log2(max(len(set(words)), 2))


@measure("Unique_Ratio", label="Unique words", format="share", bounds=(0, 1))
def unique_ratio(words: Words) -> float:
    """Return the different words as a share of all words; it falls with the length of a text."""
    return len(set(words)) / len(words)


@measure("Quality_Ratio", label="Quality ratio")
def quality_ratio(words: Words, length: int) -> float:
    """Return the word entropy divided by log2 of the length in white-space words, at least 1."""
    return entropy(words) / max(math.log2(length), 1)


def chunk_entropies(spaced: Sequence[str], tokenizer: str = "words") -> list[float]:
    """Return the entropy of each chunk of white-space words that has words.

    Chunks are max(20, words // 10) long, half a chunk apart.
    """
    size = max(CHUNK, len(spaced) // 10)
    starts = range(0, len(spaced) - size + 1, size // 2)
    chunks = (content_words(" ".join(spaced[start : start + size]), tokenizer) for start in starts)
    return [entropy(words) for words in chunks if words]


@measure("Entropy_Variance", label="Variance of chunks")
def entropy_variance(chunks: Sequence[float]) -> float:
    """Return the population variance of the entropies of a text's chunks."""
    return float(np.var(chunks)) if chunks else math.nan


@measure("Entropy_Drops", label="Entropy drops")
def entropy_drops(chunks: Sequence[float]) -> float:
    """Return how many chunks have less than 0.8 of the entropy of the chunk before."""
    drops = sum(after < DROP * before - TOLERANCE for before, after in pairwise(chunks))
    return float(drops) if chunks else math.nan


def entropy_trend(chunks: Sequence[float]) -> str:
    """Return whether the entropy falls or rises from the first third of the chunks to the last.

    >>> entropy_trend([4.0, 4.0, 3.0]), entropy_trend([4.0, 3.7]), entropy_trend([4.0])
    ('decreasing', 'stable', '')
    """
    if len(chunks) < 2:
        return ""
    third = max(len(chunks) // 3, 1)
    first, last = sum(chunks[:third]), sum(chunks[-third:])
    if last < FALLING * first - TOLERANCE:
        return "decreasing"
    return "increasing" if last > RISING * first + TOLERANCE else "stable"


@measure("Top_Word_Share", label="Top word", format="share", bounds=(0, 1))
def top_word_share(words: Words) -> float:
    """Return the share of the most frequent word."""
    return max(Counter(words).values()) / len(words)


@measure("Max_Bigram", label="Top pair")
def max_bigram(words: Words) -> float:
    """Return how often the most frequent pair of words occurs."""
    return float(max(Counter(runs(words, 2)).values(), default=0))


@measure("Repeated_Share", label="Repeated words", format="share", bounds=(0, 1), better="lower")
def repeated_share(words: Words, run: int = RUN) -> float:
    """Return the share of the words that lie in runs which occurred before in the text.

    A run has five words (20 in a text of an unspaced script), never more than half of the text.

    >>> repeated_share("to be or not to be".split())
    0.0
    """
    n = max(min(run, len(words) // 2), 1)
    seen: set[tuple[Hashable, ...]] = set()
    repeated = end = 0
    for place, own in enumerate(runs(words, n)):
        if own in seen:
            repeated += place + n - max(place, end)
            end = place + n
        seen.add(own)
    return repeated / len(words)


@measure("Repetitive", format="share", bounds=(0, 1), better="lower", reference="Rae et al. 2021")
def is_repetitive(words: Words, repeated: float) -> float:
    """Return 1 for a text of six words or more of which a quarter or more are repeated, else 0."""
    return float(len(words) >= FEWEST_WORDS and repeated >= REPEATED - TOLERANCE)


@measure("Repetitive_Printed", label="Repetitive (printed)", format="share", bounds=(0, 1))
def is_repetitive_as_printed(words: Words, length: int, chunks: Sequence[float]) -> float:
    """Return 1 for a text that is repetitive by the printed rule, as most long texts are, else 0.

    6 to 19 white-space words: top word over 25% or a pair twice; longer with one or two chunks:
    over 20% or a pair twice; else over 20%, a pair three times, or a variance of the chunks below
    0.1 with two drops.
    """
    limit = 0.25 if length < CHUNK else 0.2
    most = 2 if len(chunks) < 3 else 3
    flat = entropy_variance(chunks) < 0.1 - TOLERANCE and entropy_drops(chunks) >= 2
    repeats = top_word_share(words) > limit + TOLERANCE or max_bigram(words) >= most or flat
    return float(length >= FEWEST_WORDS and repeats)
