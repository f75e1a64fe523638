"""How different the sentences of a text are: the cosines of every two, their mean and the entropy of their spread."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import ENDS, Block, bounded_ranges, content_words, spans
from scoresheet.metrics.families.entropy.constants import SEMANTIC_BINS
from scoresheet.metrics.families.entropy.ngrams import run_lengths
from scoresheet.metrics.families.entropy.options import WITH_DIAGONAL
from scoresheet.metrics.families.entropy.vocabularies import sentence_embedder
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.concentration import entropy_rows
from scoresheet.metrics.text.tfidf import inverse_frequency

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_PAIRS: Final = 4_000_000  # looked at at once
_ROWS: Final = 512  # sentences whose cosines with all later ones are looked at at once


@dataclass(frozen=True)
class Entries:
    """Weights of words in sentences, word by word: whose (text, word) each is, in which sentence, and how much."""

    words: Integers  # ascending, and within a word `sentences` ascending
    sentences: Integers
    weights: Numbers


class Similarities:
    """What is kept of the cosines of a text's sentences: their sum, and how many fall into each bin."""

    def __init__(self, sentences: Integers) -> None:
        self.sentences = sentences  # of each text
        self.sums = np.zeros(len(sentences))
        self.bins = np.zeros((len(sentences), SEMANTIC_BINS), dtype=np.int64)

    def add(self, texts: Integers, cosines: Numbers) -> None:
        """Take in cosines of pairs, each with its text."""
        number = len(self.sentences)
        self.sums += np.bincount(texts, weights=cosines, minlength=number)
        positions = np.clip(np.floor(cosines * SEMANTIC_BINS + TOLERANCE), 0, SEMANTIC_BINS - 1).astype(np.int64)
        self.bins += np.bincount(texts * SEMANTIC_BINS + positions, minlength=number * SEMANTIC_BINS).reshape(
            number, SEMANTIC_BINS
        )

    def diversity(self, definition: str) -> Numbers:
        """Return 1 less the mean cosine; WITH_DIAGONAL has every sentence's cosine with itself in it."""
        n = self.sentences
        pairs = n * (n - 1) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (n + 2 * self.sums) / (n * n) if definition == WITH_DIAGONAL else self.sums / pairs
        apart = 1 - means
        return np.where(n > 1, np.where(np.abs(apart) < 1e-12, 0.0, apart), np.nan)

    def entropy(self) -> Numbers:
        """Return the entropy in bits of the cosines in equal bins; negative ones are in the first."""
        return entropy_rows(self.bins)


def similarities(block: Block, vectors: str, tokenizer: str) -> Similarities:
    """Return the cosines of the sentences of each text of a block."""
    return _by_embedding(block, tokenizer) if vectors == "static" else _by_tfidf(block)


def _by_tfidf(block: Block) -> Similarities:
    """Return the cosines of TF-IDF vectors, the weights from the text's own sentences."""
    texts, words = block.sentences()
    counts = np.bincount(texts, minlength=len(block.texts))
    found = Similarities(counts)
    entries = _entries(texts, words.owners, words.codes, counts)
    n = counts[texts]
    firsts = np.cumsum(counts) - counts
    partners = n - 1 - (np.arange(len(texts)) - firsts[texts])  # sentences after it in its text
    for first, last in bounded_ranges(partners, _PAIRS):
        found.add(np.repeat(texts[first:last], partners[first:last]), _cosines(entries, partners, first, last))
    return found


def _entries(texts: Integers, sentences: Integers, codes: Integers, counts: Integers) -> Entries:
    """Return the words of sentences as unit vectors: smooth inverse frequencies among the sentences of a text."""
    span, number = int(codes.max(initial=0)) + 1, max(len(texts), 1)
    # numbered by text and word, then sorted together with the sentence: one sort, and no key grows too large
    ids = np.unique(texts[sentences] * span + codes, return_inverse=True)[1]
    ordered = np.sort(ids * number + sentences)
    starts, times = run_lengths(ordered)
    words, inside = np.divmod(ordered[starts], number)
    frequency = np.bincount(words)[words]
    n = counts[texts[inside]]
    weights = times * inverse_frequency(n, frequency)
    lengths = np.sqrt(np.bincount(inside, weights=weights * weights, minlength=len(texts)))
    return Entries(words, inside, weights / lengths[inside])


def _cosines(entries: Entries, partners: Integers, first: int, last: int) -> Numbers:
    """Return the cosines of these sentences with those after them in their texts, sentence by sentence."""
    own = partners[first:last]
    positions = np.cumsum(own) - own
    cosines = np.zeros(int(own.sum()))
    starts, lengths = run_lengths(entries.words)
    later = np.repeat(starts + lengths, lengths) - np.arange(len(entries.words)) - 1
    chosen = np.flatnonzero((entries.sentences >= first) & (entries.sentences < last) & (later > 0))
    for begin, end in bounded_ranges(later[chosen], _PAIRS):
        some = chosen[begin:end]
        others = spans(some + 1, later[some])
        one = np.repeat(some, later[some])
        sentence = entries.sentences[one]
        pair = positions[sentence - first] + entries.sentences[others] - sentence - 1
        cosines += np.bincount(pair, weights=entries.weights[one] * entries.weights[others], minlength=len(cosines))
    return np.clip(cosines, 0.0, 1.0)


def _by_embedding(block: Block, tokenizer: str) -> Similarities:
    """Return the cosines of static embeddings; a sentence without words is none, whatever the vectors."""
    wordy = "auto" if tokenizer == "bpe" else tokenizer
    parts = [[part.strip() for part in ENDS.split(text) if content_words(part, wordy)] for text in block.texts]
    found = Similarities(np.array([len(own) for own in parts], dtype=np.int64))
    embed = sentence_embedder()
    for text, own in enumerate(parts):
        if len(own) > 1:
            vectors = embed(own)
            lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
            units = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
            for first in range(0, len(own), _ROWS):
                rows, columns = np.triu_indices(min(_ROWS, len(own) - first), 1, len(own) - first)
                cosines = np.clip((units[first : first + _ROWS] @ units[first:].T)[rows, columns], -1.0, 1.0)
                found.add(np.full(len(cosines), text), cosines)
    return found
