"""Unions of longest common subsequences of many texts at once, by arrays: for whoever has no compiled kernel.

Each pair of sentences is a lane, a column of its table one number of 64 bits, and one operation moves all lanes on by a
word. What it finds is what `lcs` finds pair by pair; that one takes sentences of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Integers = NDArray[np.int64]

_BITS: Final = 64  # words of a reference's sentence at most
MOST_LANES: Final = 128  # of two texts; with more, most of them would have nothing to find
_TOGETHER: Final = 8_192  # lanes that are worked on at once: their columns stay in the processor's cache


class LaneReference(NamedTuple):
    """Where the words of a reference stand in each of its sentences, as bits."""

    numbers: dict[str, int]  # of each distinct word, from 1 on
    bits: Bits  # number × sentence
    everywhere: Bits  # of each sentence, the bits of all its words

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> LaneReference | None:
        """Return the words of some sentences; None if one of them is too long."""
        if max(map(len, sentences), default=0) > _BITS:
            return None
        numbers: dict[str, int] = {}
        for sentence in sentences:
            for word in sentence:
                numbers.setdefault(word, len(numbers) + 1)
        bits = [[0] * len(sentences) for _ in range(len(numbers) + 1)]
        for place, sentence in enumerate(sentences):
            for position, word in enumerate(sentence):
                bits[numbers[word]][place] |= 1 << position
        everywhere = [(1 << len(sentence)) - 1 for sentence in sentences]
        return cls(numbers, np.array(bits, dtype=np.uint64), np.array(everywhere, dtype=np.uint64))


class LanePair(NamedTuple):
    """Two texts to be compared."""

    hits: list[list[int]]  # of each sentence of the prediction, the numbers of its words that the reference has
    reference: LaneReference
    lanes: int  # how many pairs of sentences there are

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], reference: LaneReference) -> LanePair:
        """Return a prediction with its reference: words that the reference lacks are in no LCS."""
        known = reference.numbers.get
        hits = [found for sentence in sentences if (found := [*filter(None, map(known, sentence))])]
        return cls(hits, reference, len(hits) * len(reference.everywhere))


def union_sizes(pairs: Sequence[LanePair]) -> list[int]:
    """Return for each pair of texts how many distinct words are in the union of their sentences' LCSs."""
    sizes: list[int] = []
    start = lanes = 0
    for stop, pair in enumerate(pairs, start=1):
        lanes += pair.lanes
        if lanes >= _TOGETHER or stop == len(pairs):
            sizes += _sizes_of_some(pairs[start:stop])
            start, lanes = stop, 0
    return sizes


class _Lanes(NamedTuple):
    """Pairs of sentences, those with the most words first: which words, and where the bits of a word are found."""

    words: Integers  # the numbers of the words of all sentences
    bits: Bits  # of all words of all references
    first: Integers  # of each lane, where its sentence begins among the words
    steps: Integers  # and how many words that has
    own: Integers  # where the bits of word 0 are in the sentence of the reference
    width: Integers  # how far the bits of two words are apart
    everywhere: Bits
    found: Integers  # where the words of the reference begin among those of all pairs


def _sizes_of_some(pairs: Sequence[LanePair]) -> list[int]:
    words_of_pair = np.array([len(pair.reference.numbers) + 1 for pair in pairs], dtype=np.int64)
    starts = np.cumsum(words_of_pair) - words_of_pair
    found = np.zeros(int(words_of_pair.sum()), dtype=np.uint8)
    lanes = _lanes(pairs, starts)
    if len(lanes.first):
        _mark_found(lanes, found)
    sizes: list[int] = np.add.reduceat(found, starts, dtype=np.int64).tolist()
    return sizes


def _lanes(pairs: Sequence[LanePair], starts: Integers) -> _Lanes:
    references = [pair.reference for pair in pairs]
    width = np.array([len(each.everywhere) for each in references], dtype=np.int64)
    sizes = np.array([each.bits.size for each in references], dtype=np.int64)
    pair_of = np.repeat(np.arange(len(pairs)), [len(pair.hits) for pair in pairs])  # of each sentence
    steps = np.array([len(hits) for pair in pairs for hits in pair.hits], dtype=np.int64)
    first = np.cumsum(steps) - steps
    # every sentence of a prediction with every one of its reference
    repeats = width[pair_of]
    sentence = np.repeat(np.arange(len(steps)), repeats)
    place = np.arange(len(sentence)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    order = np.argsort(-steps[sentence], kind="stable")
    sentence, place = sentence[order], place[order]
    pair = pair_of[sentence]
    return _Lanes(
        words=np.fromiter(chain.from_iterable(chain.from_iterable(pair.hits for pair in pairs)), np.int64),
        bits=np.concatenate([each.bits.ravel() for each in references]),
        first=first[sentence],
        steps=steps[sentence],
        own=(np.cumsum(sizes) - sizes)[pair] + place,
        width=width[pair],
        everywhere=np.concatenate([each.everywhere for each in references])[(np.cumsum(width) - width)[pair] + place],
        found=starts[pair],
    )


def _mark_found(lanes: _Lanes, found: NDArray[np.uint8]) -> None:
    """Mark the words in any lane's LCS: the tables are filled word by word, then all walked back as `lcs` does."""
    # of each word, how many lanes have so many; those with the most come first
    active = np.searchsorted(-lanes.steps, -np.arange(1, int(lanes.steps[0]) + 1), side="right").tolist()
    flat = lanes.everywhere.copy()
    words: list[Integers] = []
    hits: list[Bits] = []
    columns: list[Bits] = [np.zeros_like(flat)]
    for step, count in enumerate(active):
        words.append(lanes.words[lanes.first[:count] + step])
        hits.append(lanes.bits[lanes.own[:count] + words[step] * lanes.width[:count]])
        before = flat[:count]
        matched = before & hits[step]
        flat[:count] = ((before + matched) | (before ^ matched)) & lanes.everywhere[:count]
        columns.append(lanes.everywhere[:count] ^ flat[:count])
    window = lanes.everywhere.copy()
    length = np.zeros(len(window), dtype=np.uint8)
    begun = 0
    for step in range(len(active) - 1, -1, -1):
        count = active[step]
        length[begun:count] = np.bitwise_count(columns[step + 1][begun:] & window[begun:count])
        begun = count
        shorter = np.bitwise_count(columns[step][:count] & window[:count]) < length[:count]
        taken = np.flatnonzero(shorter)
        found[lanes.found[taken] + words[step][taken]] = 1
        length[taken] -= 1
        window[taken] = _below_highest(hits[step][taken] & window[taken])


def _below_highest(bits: Bits) -> Bits:
    """Return all bits below the highest one that is set."""
    for shift in (1, 2, 4, 8, 16, 32):
        bits = bits | (bits >> np.uint64(shift))
    return bits >> np.uint64(1)
