"""What the texts of a sheet have in common: how much they repeat each other, and how many they amount to."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Block, bounded_ranges, spans
from scoresheet.metrics.families.entropy.constants import COMPRESSION_LEVEL, VENDI_TEXTS
from scoresheet.metrics.families.entropy.ngrams import NgramCounter, run_lengths
from scoresheet.metrics.families.entropy.overlaps import overlaps
from scoresheet.metrics.stored_columns import ArrayStore
from scoresheet.metrics.text.tfidf import inverse_frequency

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_COLUMNS: Final = 2_048  # words whose weights stand in one matrix
_PRODUCTS: Final = 2**31  # of weights, in a product of matrices: up to here none is worth avoiding
_COMMON: Final = 16  # what more than one text in so many has is cheaper in a matrix than by pairs of texts
_PAIRS: Final = 500_000  # of texts that have a word in common, looked at at once


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


class CountedWords(NamedTuple):
    """The words of some texts in a row, how many each text has, and of each text its different words with counts."""

    codes: NDArray[np.int32]
    lengths: Integers
    counts: NDArray[np.int32]  # text, code, count

    @classmethod
    def of(cls, block: Block, counter: NgramCounter) -> CountedWords:
        """Return those of a block whose words were counted."""
        columns = (counter.tally.owners, counter.codes, counter.tally.counts)
        counts = np.stack(columns, axis=1).astype(np.int32)
        return cls(block.words.codes.astype(np.int32), np.diff(block.words.offsets), counts)


class Corpus:
    """Gathers the words of a sheet, block by block; texts without words are no texts of it."""

    def __init__(self) -> None:
        self._words = ArrayStore()  # the codes of each block
        self._lengths: list[Integers] = []  # words of each text
        self._pairs = ArrayStore()  # text, code, count
        self._compression = _Compression()
        self.number = 0  # of texts

    def add(self, texts: Sequence[str], words: CountedWords) -> None:
        """Take in the texts of a block."""
        wordy = words.lengths > 0
        numbers = np.cumsum(wordy) - 1 + self.number
        self._words.add(words.codes)
        self._lengths.append(words.lengths[wordy])
        self._pairs.add(np.column_stack([numbers[words.counts[:, 0]].astype(np.int32), words.counts[:, 1:]]))
        self._compression.add(compress(texts, wordy.tolist()))
        self.number += int(wordy.sum())

    def diversity(self, seed: int = 0) -> CorpusDiversity:
        """Return the measures of all that was taken in."""
        if not self.number:
            return CorpusDiversity()
        distinct, repetition = overlaps(self._words, self._lengths)
        alone = self.number < 2
        vectors = None if alone else Vectors(self._pairs, vendi_sample(self.number, seed))
        return CorpusDiversity(
            distinct_1=distinct[0],
            distinct_2=distinct[1],
            distinct_3=distinct[2],
            self_repetition=math.nan if alone else repetition,
            pairwise_similarity=vectors.similarity() if vectors else math.nan,
            vendi=vectors.vendi() if vectors else math.nan,
            compression_ratio=self._compression.ratio(),
        )


def vendi_sample(texts: int, seed: int) -> Integers:
    """Return the texts that eigenvalues are taken of: all, or a seeded sample in their order."""
    if texts <= VENDI_TEXTS:
        return np.arange(texts)
    return np.sort(np.random.default_rng(seed).choice(texts, VENDI_TEXTS, replace=False))


class Vectors:
    """Texts as TF-IDF vectors of length 1, weights ln((1 + texts) / (1 + texts with the word)) + 1.

    They are gone over one block after the other. What stays is the sum of the vectors, and those of a sample of texts.
    """

    def __init__(self, pairs: ArrayStore, sample: Integers) -> None:
        self.number = 1 + max(int(texts.max(initial=-1)) for texts, _, _ in _columns(pairs))
        self._sample = sample
        self._frequency = _frequencies(pairs)
        self._sums, self._squares = np.zeros((2, len(self._frequency)))
        self._rows = np.full(self.number, -1)
        self._rows[sample] = np.arange(len(sample))
        chosen = [self._add(*columns) for columns in _columns(pairs)]
        self._texts, self._codes, self._weights = (np.concatenate(column) for column in zip(*chosen, strict=True))

    def _add(self, texts: Integers, codes: Integers, counts: Integers) -> tuple[Integers, Integers, Numbers]:
        """Take in the words of some whole texts; return those of the sample, with their weights."""
        weights = counts * inverse_frequency(self.number, self._frequency[codes])
        start = int(texts.min(initial=self.number))
        lengths = np.sqrt(np.bincount(texts - start, weights=weights * weights))
        weights /= lengths[texts - start]
        # added one after the other, as they would be if all were here at once: the last digit depends on it
        np.add.at(self._sums, codes, weights)
        np.add.at(self._squares, codes, weights * weights)
        wanted = np.flatnonzero(self._rows[texts] >= 0)
        return self._rows[texts[wanted]], codes[wanted], weights[wanted]

    def similarity(self) -> float:
        """Return the mean cosine of two texts: all cosines sum to the square of the vectors' sum."""
        n = self.number
        # per word the square of the sum less the squares: nothing but 0 for a word that one text has
        several = self._frequency > 1
        total = float((self._sums[several] ** 2 - self._squares[several]).sum())
        return min(1.0, max(0.0, total / (n * (n - 1))))

    def vendi(self) -> float:
        """Return exp of the entropy of the eigenvalues of K/n, K the cosines: how many different texts these are."""
        n = len(self._sample)
        matrix = self.cosines()
        matrix /= n
        values = np.linalg.eigvalsh(matrix, UPLO="L")
        shares = values[values > 1e-12]  # what is 0 on paper
        return float(np.clip(np.exp(-(shares * np.log(shares)).sum()), 1.0, n))

    def cosines(self) -> Numbers:
        """Return the cosines of every two texts of the sample, a symmetric matrix of which the lower half is filled in.

        Nearly all words of many texts are in few of them: a matrix of their weights would be nearly all zeros.
        """
        n = len(self._sample)
        frequency = np.bincount(self._codes)
        shared = frequency > 1  # a word of one text adds to nothing but that text's cosine with itself, which is 1
        common, width = shared, _COLUMNS  # however few words: the last digits of a product depend on its width
        if n * n * int(shared.sum()) > _PRODUCTS:
            common = shared & (frequency * _COMMON > n)
            width = min(_COLUMNS, int(common.sum()))
        matrix = self._products(np.flatnonzero(common[self._codes]), width)
        self._add_pairs(matrix, np.flatnonzero((shared & ~common)[self._codes]))
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def _products(self, chosen: Integers, width: int) -> Numbers:
        """Return what the words of these entries add to the cosines, as products of matrices, `width` words in each."""
        n = len(self._sample)
        columns = np.unique(self._codes[chosen], return_inverse=True)[1]
        order = np.argsort(columns, kind="stable")
        matrix: Numbers | None = None
        for start in range(0, int(columns.max(initial=-1)) + 1, max(width, 1)):
            first, last = np.searchsorted(columns[order], [start, start + width])
            some = order[first:last]
            part = np.zeros((n, width))
            part[self._texts[chosen[some]], columns[some] - start] = self._weights[chosen[some]]
            matrix = part @ part.T if matrix is None else np.add(matrix, part @ part.T, out=matrix)
        return np.zeros((n, n)) if matrix is None else matrix

    def _add_pairs(self, matrix: Numbers, chosen: Integers) -> None:
        """Add what the words of these entries add to the lower half, text pair by text pair, word after word."""
        order = chosen[np.argsort(self._codes[chosen], kind="stable")]
        texts, weights = self._texts[order], self._weights[order]
        starts, lengths = run_lengths(self._codes[order])
        before = np.arange(len(order)) - np.repeat(starts, lengths)  # texts that have its word, before it
        flat = matrix.reshape(-1)
        for first, last in bounded_ranges(before, _PAIRS):
            own = before[first:last]
            entries = np.arange(first, last)
            later, earlier = np.repeat(entries, own), spans(entries - own, own)
            np.add.at(flat, texts[later] * len(matrix) + texts[earlier], weights[later] * weights[earlier])


def _columns(pairs: ArrayStore) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Yield texts, codes and counts of each block."""
    for block in pairs.pieces():
        texts, codes, counts = block.T
        yield texts, codes, counts


def _frequencies(pairs: ArrayStore) -> Integers:
    """Return how many texts have each word."""
    found = np.zeros(0, dtype=np.int64)
    for _, codes, _ in _columns(pairs):
        own = np.bincount(codes, minlength=len(found))
        own[: len(found)] += found
        found = own
    return found


def compression_ratio(texts: Iterable[str]) -> float:
    """Return bytes over compressed bytes of texts joined by line breaks, by zlib at its highest level.

    >>> compression_ratio(["the same"] * 100) > 20 > 1 > compression_ratio(["short"])
    True
    """
    compression = _Compression()
    compression.add(texts)
    return compression.ratio()


class _Compression:
    """Packs texts one after the other, and keeps no more than how long they were and have become."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(level=COMPRESSION_LEVEL)
        self._size = self._packed = 0
        self._joint = ""

    def add(self, texts: Iterable[str]) -> None:
        """Take in some texts."""
        for text in texts:
            part = (self._joint + text).encode("utf-8", "surrogatepass")
            self._joint = "\n"
            self._size += len(part)
            self._packed += len(self._packer.compress(part))

    def ratio(self) -> float:
        """Return bytes over compressed bytes; nothing can be added then."""
        return self._size / (self._packed + len(self._packer.flush()))
