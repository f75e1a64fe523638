"""What the texts of a sheet have in common: how much they repeat each other, and how many they amount to."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Block
from scoresheet.metrics.families.entropy.constants import COMPRESSION_LEVEL, VENDI_TEXTS
from scoresheet.metrics.families.entropy.ngrams import NgramCounter, run_lengths
from scoresheet.metrics.text.tfidf import inverse_frequency

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_COLUMNS: Final = 2_048  # words whose weights stand in one matrix


class CorpusDiversity(NamedTuple):
    """How different several texts are from each other; undefined is NaN.

    Attributes
    ----------
    distinct_1, distinct_2, distinct_3 : float
        Different words, pairs and threes over all of them.
    self_repetition : float
        Of a text's runs of four words, the share that another text has too; the mean over texts.
    pairwise_similarity : float
        The mean cosine of two texts, TF-IDF.
    vendi : float
        exp of the entropy of the eigenvalues of K/n, K these cosines: how many different texts there are.
    compression_ratio : float
        Bytes over compressed bytes.
    """

    distinct_1: float = math.nan
    distinct_2: float = math.nan
    distinct_3: float = math.nan
    self_repetition: float = math.nan
    pairwise_similarity: float = math.nan
    vendi: float = math.nan
    compression_ratio: float = math.nan


class Corpus:
    """Gathers the words of a sheet, block by block; texts without words are no texts of it."""

    def __init__(self) -> None:
        self._words: list[Integers] = []  # the codes of each block
        self._lengths: list[Integers] = []  # words of each text
        self._pairs: list[tuple[Integers, Integers, Integers]] = []  # text, code, count
        self.texts: list[str] = []

    def add(self, block: Block, counter: NgramCounter) -> None:
        """Take in a block whose words were counted."""
        lengths = np.diff(block.words.offsets)
        wordy = lengths > 0
        numbers = np.cumsum(wordy) - 1 + len(self.texts)
        self._words.append(block.words.codes.astype(np.int32))
        self._lengths.append(lengths[wordy])
        self._pairs.append(
            (
                numbers[counter.tally.owners].astype(np.int32),
                counter.codes.astype(np.int32),
                counter.tally.counts.astype(np.int32),
            )
        )
        self.texts += [text for text, has_words in zip(block.texts, wordy.tolist(), strict=True) if has_words]

    def diversity(self, seed: int = 0) -> CorpusDiversity:
        """Return the measures of all that was taken in."""
        if not self.texts:
            return CorpusDiversity()
        codes = np.concatenate(self._words).astype(np.int64)
        owners = np.repeat(np.arange(len(self.texts)), np.concatenate(self._lengths))
        distinct, repetition = _overlaps(codes, owners, len(self.texts))
        alone = len(self.texts) < 2
        vectors = None if alone else Vectors(*(np.concatenate(part) for part in zip(*self._pairs, strict=True)))
        return CorpusDiversity(
            distinct_1=distinct[0],
            distinct_2=distinct[1],
            distinct_3=distinct[2],
            self_repetition=math.nan if alone else repetition,
            pairwise_similarity=vectors.similarity() if vectors else math.nan,
            vendi=vectors.vendi(vendi_sample(len(self.texts), seed)) if vectors else math.nan,
            compression_ratio=compression_ratio(self.texts),
        )


def vendi_sample(texts: int, seed: int) -> Integers:
    """Return the texts that eigenvalues are taken of: all, or a seeded sample in their order."""
    if texts <= VENDI_TEXTS:
        return np.arange(texts)
    return np.sort(np.random.default_rng(seed).choice(texts, VENDI_TEXTS, replace=False))


def _overlaps(codes: Integers, owners: Integers, texts: int) -> tuple[list[float], float]:
    """Return distinct-1 to 3, and the mean share of a text's runs of four words that another text has too."""
    span = int(codes.max(initial=0)) + 1
    twos, threes, starts = (np.flatnonzero(owners[n:] == owners[: len(owners) - n]) for n in (1, 2, 3))
    pairs, ids = np.unique(codes[:-1] * span + codes[1:], return_inverse=True)
    found = [_distinct(codes), _distinct(ids[twos]), _distinct(ids[threes] * span + codes[threes + 2])]
    fours = ids[starts] * max(len(pairs), 1) + ids[starts + 2]
    order = np.argsort(fours, kind="stable")
    first, lengths = run_lengths(fours[order])
    texts_of = owners[starts][order]
    # in stable order the texts of equal runs ascend: the first and the last differ if any two do
    shared = texts_of[first] != texts_of[first + lengths - 1] if len(first) else np.zeros(0, dtype=bool)
    kept = np.repeat(shared, lengths)
    totals = np.bincount(texts_of, minlength=texts)
    hits = np.bincount(texts_of[kept], minlength=texts)
    shares = hits[totals > 0] / totals[totals > 0]
    return found, math.fsum(shares.tolist()) / len(shares) if len(shares) else math.nan


def _distinct(keys: Integers) -> float:
    # sorted, because np.unique hashes where nothing but the values is asked for, which is much slower here
    return len(run_lengths(np.sort(keys))[0]) / len(keys) if len(keys) else math.nan


class Vectors:
    """Texts as TF-IDF vectors of length 1, weights ln((1 + texts) / (1 + texts with the word)) + 1."""

    def __init__(self, texts: Integers, codes: Integers, counts: Integers) -> None:
        self.texts, self.codes = texts, codes
        self.number = int(texts.max()) + 1
        frequency = np.bincount(codes)
        weights = counts * inverse_frequency(self.number, frequency[codes])
        lengths = np.sqrt(np.bincount(texts, weights=weights * weights))
        self.weights = weights / lengths[texts]

    def similarity(self) -> float:
        """Return the mean cosine of two texts: all cosines sum to the square of the vectors' sum."""
        n = self.number
        sums = np.bincount(self.codes, weights=self.weights)
        # per word the square of the sum less the squares: nothing but 0 for a word that one text has
        squares = np.bincount(self.codes, weights=self.weights * self.weights)
        several = np.bincount(self.codes) > 1
        total = float((sums[several] ** 2 - squares[several]).sum())
        return min(1.0, max(0.0, total / (n * (n - 1))))

    def vendi(self, sample: Integers) -> float:
        """Return exp of the entropy of the eigenvalues of K/n, K the cosines: how many different texts these are."""
        n = len(sample)
        values = np.linalg.eigvalsh(self.cosines(sample) / n)
        shares = values[values > 1e-12]  # what is 0 on paper
        return float(np.clip(np.exp(-(shares * np.log(shares)).sum()), 1.0, n))

    def cosines(self, sample: Integers) -> Numbers:
        """Return the cosines of every two of some texts, words taken a part at a time."""
        n = len(sample)
        rows = np.full(self.number, -1)
        rows[sample] = np.arange(n)
        chosen = np.flatnonzero(rows[self.texts] >= 0)
        # a word of one text adds to nothing but that text's cosine with itself, which is 1
        chosen = chosen[np.bincount(self.codes[chosen])[self.codes[chosen]] > 1]
        columns = np.unique(self.codes[chosen], return_inverse=True)[1]
        order = np.argsort(columns, kind="stable")
        matrix = np.zeros((n, n))
        for start in range(0, int(columns.max(initial=-1)) + 1, _COLUMNS):
            first, last = np.searchsorted(columns[order], [start, start + _COLUMNS])
            some = order[first:last]
            part = np.zeros((n, _COLUMNS))
            part[rows[self.texts[chosen[some]]], columns[some] - start] = self.weights[chosen[some]]
            matrix += part @ part.T
        np.fill_diagonal(matrix, 1.0)
        return matrix


def compression_ratio(texts: Iterable[str]) -> float:
    """Return bytes over compressed bytes of texts joined by line breaks, by zlib at its highest level.

    >>> compression_ratio(["the same"] * 100) > 20 > 1 > compression_ratio(["short"])
    True
    """
    packer = zlib.compressobj(level=COMPRESSION_LEVEL)
    size = packed = 0
    for position, text in enumerate(texts):
        part = (("\n" if position else "") + text).encode("utf-8", "surrogatepass")
        size += len(part)
        packed += len(packer.compress(part))
    return size / (packed + len(packer.flush()))
