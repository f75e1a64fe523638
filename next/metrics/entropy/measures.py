"""The measures of a text: entropy of its words and chunks, and repetition."""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from scoresheet.metrics.entropy.words import content_words
from scoresheet.metrics.measure import measure

CHUNK = 20  # words, at least
DROP, FALLING, RISING = 0.8, 0.9, 1.1  # of the chunk before; of the first third
TOLERANCE = 1e-9  # a value this near to an edge is on it
FEWEST_WORDS = 6  # a shorter text is never repetitive
RUN, RUN_UNSPACED = 5, 20  # words, characters
REPEATED = 0.25  # of the words of a repetitive text

Words = Sequence[Hashable]


def entropy(things: Sequence[Hashable]) -> float:
    """Return the entropy of things in bits.

    >>> entropy("aabc")
    1.5
    """
    shares = [count / len(things) for count in Counter(things).values()]
    return -sum(share * math.log2(share) for share in shares) + 0.0 if things else math.nan


def runs(words: Words, n: int) -> Iterator[tuple[Hashable, ...]]:
    """Return the runs of n words.

    >>> [*runs(["so", "it", "goes"], 2)]
    [('so', 'it'), ('it', 'goes')]
    """
    return zip(*(words[start:] for start in range(n)), strict=False)


# --- words ----------------------------------------------------------------------------------


@measure("Segment_Entropy", label="Segment entropy", better="higher")
def segment_entropy(words: Words, window: int = 50) -> float:
    """Return the mean entropy, in bits, of consecutive windows of 50 words (--window).

    A text shorter than a window has none; words after the last full window do not count.
    """
    starts = range(0, len(words) - window + 1, window)
    found = [entropy(words[start : start + window]) for start in starts]
    return sum(found) / len(found) if found else math.nan


@measure("Too_Short", label="Too short", format="share", bounds=(0, 1))
def is_too_short(words: Words, window: int = 50) -> float:
    """Return 1 for a text that is shorter than a window and so has no segment entropy, else 0."""
    return float(len(words) < window)


@measure("Word_Entropy", label="Word entropy", reference="Shannon 1948")
def word_entropy(words: Words) -> float:
    """Return the entropy of the words in bits; it grows with the length of a text."""
    return entropy(words)


@measure("Bigram_Entropy", label="Bigram entropy")
def bigram_entropy(words: Words) -> float:
    """Return the entropy of two words in a row, in bits."""
    return entropy([*runs(words, 2)])


@measure("Trigram_Entropy", label="Trigram entropy")
def trigram_entropy(words: Words) -> float:
    """Return the entropy of three words in a row, in bits."""
    return entropy([*runs(words, 3)])


@measure("Vocab_Diversity", label="Vocabulary diversity", bounds=(0, 1))
def vocabulary_diversity(bits: float, different: int) -> float:
    """Return the word entropy as a share of its maximum, log2 of the different words."""
    return bits / math.log2(max(different, 2))


@measure("Unique_Ratio", label="Unique words", format="share", bounds=(0, 1))
def unique_ratio(words: Words) -> float:
    """Return the different words as a share of all words; it falls with the length of a text."""
    return len(set(words)) / len(words)


@measure("Quality_Ratio", label="Quality ratio")
def quality_ratio(bits: float, length: int) -> float:
    """Return the word entropy divided by log2 of the length in white-space words, at least 1."""
    return bits / max(math.log2(length), 1)


# --- chunks ---------------------------------------------------------------------------------


def chunk_entropies(spaced: Sequence[str], tokenizer: str = "words") -> list[float]:
    """Return the entropy of each chunk of white-space words that has words.

    Chunks are max(20, words // 10) long, half a chunk apart.
    """
    size = max(CHUNK, len(spaced) // 10)
    starts = range(0, len(spaced) - size + 1, size // 2)
    chunks = (" ".join(spaced[start : start + size]) for start in starts)
    found = [entropy(content_words(chunk, tokenizer)) for chunk in chunks]
    return [value for value in found if not math.isnan(value)]


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


# --- repetition -----------------------------------------------------------------------------


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
    """Return 1 for a text in which a quarter or more of the words are repeated, else 0.

    A text under six words is never repetitive.
    """
    return float(len(words) >= FEWEST_WORDS and repeated >= REPEATED - TOLERANCE)


@measure("Repetitive_Printed", label="Repetitive (printed)", format="share", bounds=(0, 1))
def is_repetitive_as_printed(words: Words, length: int, chunks: Sequence[float]) -> float:
    """Return 1 for a text that is repetitive by the printed rule, as most long texts are, else 0.

    6 to 19 white-space words: top word over 25% or a pair twice; longer with one or two chunks:
    over 20% or a pair twice; else over 20%, a pair three times, or a variance of the chunks below
    0.1 with two drops.
    """
    top, pairs = top_word_share(words) - TOLERANCE, max_bigram(words)
    if length < FEWEST_WORDS:
        return 0.0
    if length < CHUNK:
        return float(top > 0.25 or pairs >= 2)
    if len(chunks) < 3:
        return float(top > 0.2 or pairs >= 2)
    flat = entropy_variance(chunks) < 0.1 - TOLERANCE and entropy_drops(chunks) >= 2
    return float(top > 0.2 or pairs >= 3 or flat)
