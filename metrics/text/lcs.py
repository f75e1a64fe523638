"""Longest common subsequences by bit-parallel dynamic programming; nothing here recurses.

A column of the table is one integer with a bit per reference position: a set bit marks a row where the length grows.
The update is Hyyrö's (2004), a handful of integer operations per prediction word; Python's integers have any width,
so a column of any length, and all reference sentences side by side, are one operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, slots=True)
class Positions:
    """Where the words of a reference stand, as bits of one integer: made once, compared with many predictions."""

    words: dict[str, int]  # word → its positions
    spans: tuple[int, ...]  # the positions of each sentence
    everywhere: int  # all positions
    firsts: int  # the first position of each word: one bit a word, to count words by

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> Positions:
        """Return the positions of the words of some sentences.

        A bit that belongs to no position stands between two sentences and stops the carry of the addition there.
        """
        words: dict[str, int] = {}
        spans: list[int] = []
        bit = 1
        for sentence in sentences:
            start = bit
            for word in sentence:
                words[word] = words.get(word, 0) | bit
                bit <<= 1
            spans.append(bit - start)
            bit <<= 1
        return cls(words, tuple(spans), sum(spans), sum(mask & -mask for mask in words.values()))


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of a longest common subsequence.

    >>> lcs_length("the cat sat on the mat".split(), "the cat sat".split())
    3
    """
    positions = Positions.of([right])
    hits = [positions.words[word] for word in left if word in positions.words]
    return _columns(hits, positions.everywhere)[-1].bit_count() if hits else 0


def union_of_lcs(predicted: Sequence[Sequence[str]], reference: Positions) -> int:
    """Return how many words are in the union of the LCSs of all sentence pairs, each the LCS that `rouge` picks.

    Words are known by their positions, so the union is one integer. Only a word that is not in it yet is worth a walk:
    each sentence meets its counterpart first, where most words are found, then those that hold a word still missing.

    >>> union_of_lcs([["a", "b", "c", "d"]], Positions.of([["a", "b"], ["c", "d"]]))
    4
    """
    return (_union(predicted, reference) & reference.firsts).bit_count()


def words_of_union(predicted: Sequence[Sequence[str]], reference: Positions) -> frozenset[str]:
    """Return the words that `union_of_lcs` counts.

    >>> sorted(words_of_union([["a", "b", "x", "d"]], Positions.of([["a", "b"], ["c", "d"]])))
    ['a', 'b', 'd']
    """
    found = _union(predicted, reference)
    return frozenset(word for word, mask in reference.words.items() if mask & found)


def lcs_pairs(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return a longest common subsequence: where each of its words stands on the left and on the right.

    >>> lcs_pairs("the cat sat on the mat".split(), "on the mat the cat sat".split())
    [(0, 3), (1, 4), (2, 5)]
    """
    positions = Positions.of([right])
    places = [place for place, word in enumerate(left) if word in positions.words]
    hits = [positions.words[left[place]] for place in places]
    columns = _columns(hits, positions.everywhere)
    window, j = positions.everywhere, len(columns) - 1
    length = columns[-1].bit_count() if columns else 0
    pairs = []
    while length:
        while j and (columns[j - 1] & window).bit_count() == length:
            j -= 1
        row = (hits[j] & window).bit_length() - 1
        pairs.append((places[j], row))
        window &= (1 << row) - 1
        j -= 1
        length -= 1
    return pairs[::-1]


def _union(predicted: Sequence[Sequence[str]], reference: Positions) -> int:
    """Return the positions of all words in the union of the LCSs."""
    known, spans = reference.words.get, reference.spans
    found = 0
    remembered = []
    for sentence, counterpart in zip(predicted, chain(spans, repeat(0)), strict=False):
        hits = [*filter(None, map(known, sentence))]  # words that the reference lacks are in no LCS
        if hits:
            columns = _columns(hits, reference.everywhere)
            found = _walk_back(hits, columns, counterpart, found)
            remembered.append((hits, columns, counterpart))
    for hits, columns, counterpart in remembered:
        missing = 0
        for mask in hits:
            missing |= mask
        missing &= ~found
        if missing:
            for span in spans:
                if span & missing and span != counterpart:
                    found = _walk_back(hits, columns, span, found)
    return found


def _columns(hits: list[int], everywhere: int) -> list[int]:
    """Return, for each word, the rows in which the LCS of the sentence up to that word grows."""
    columns: list[int] = []
    flat = everywhere
    for mask in hits:
        matched = flat & mask
        flat = ((flat + matched) | (flat - matched)) & everywhere
        columns.append(everywhere ^ flat)
    return columns


def _walk_back(hits: list[int], columns: list[int], window: int, found: int) -> int:
    """Return `found` with the words of the LCS with the reference sentence whose positions are `window`.

    `rouge` walks from the end: a match is taken first, then "up" only if strictly greater, else "left". Let L be the
    leftmost column of the current row that reaches the current length. Right of L the walk never goes up, and a match
    there can only be of the word at L, or the row above would have reached the length before. So the walk may jump to
    L, go up to the first row whose word is the word at L, and take it: the same words, without the table.
    """
    j = len(columns) - 1
    length = (columns[j] & window).bit_count()
    while length:
        while j and (columns[j - 1] & window).bit_count() == length:
            j -= 1
        mask = hits[j]
        found |= mask
        window &= (1 << ((mask & window).bit_length() - 1)) - 1
        j -= 1
        length -= 1
    return found
