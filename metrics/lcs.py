"""Longest common subsequences by bit-parallel dynamic programming; nothing here recurses.

A column of the table is one integer with a bit per reference position: a set bit marks a row where the length grows.
The update is Hyyrö's (2004), a handful of integer operations per prediction word; Python's integers have any width,
so a column of any length, and all reference sentences side by side, are one operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat


@dataclass(frozen=True, slots=True)
class Positions:
    """Where the words of a reference stand, as bits of one integer: made once, compared with many predictions."""

    words: dict[str, int]  # word → its positions
    spans: tuple[int, ...]  # the positions of each sentence
    everywhere: int  # all positions

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
        return cls(words, tuple(spans), sum(spans))


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of a longest common subsequence.

    >>> lcs_length("the cat sat on the mat".split(), "the cat sat".split())
    3
    """
    positions = Positions.of([right])
    hits = [positions.words[word] for word in left if word in positions.words]
    return _columns(hits, positions.everywhere)[-1].bit_count() if hits else 0


def union_of_lcs(predicted: Sequence[Sequence[str]], reference: Positions) -> set[str]:
    """Return the words in the union of the LCSs of all sentence pairs, each the LCS that `rouge` 1.0.1 walks back to.

    Only a word that is not in the union yet is worth a walk. So each sentence meets its counterpart first, where most
    words are found, and then those other sentences that hold a word still missing.

    >>> sorted(union_of_lcs([["a", "b", "c", "d"]], Positions.of([["a", "b"], ["c", "d"]])))
    ['a', 'b', 'c', 'd']
    """
    known, spans = reference.words.get, reference.spans
    found: set[str] = set()
    remembered = []
    for sentence, counterpart in zip(predicted, chain(spans, repeat(0)), strict=False):
        masks = [*map(known, sentence)]
        hits = [*filter(None, masks)]  # words that the reference lacks are in no LCS
        if hits:
            words = [*compress(sentence, masks)]
            columns = _columns(hits, reference.everywhere)
            _walk_back(words, hits, columns, counterpart, found)
            remembered.append((words, hits, columns, counterpart))
    for words, hits, columns, counterpart in remembered:
        if found.issuperset(words):
            continue
        missing = 0
        for word, mask in zip(words, hits, strict=True):
            if word not in found:
                missing |= mask
        for span in spans:
            if span & missing and span != counterpart:
                _walk_back(words, hits, columns, span, found)
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


def _walk_back(words: list[str], hits: list[int], columns: list[int], window: int, found: set[str]) -> None:
    """Add to `found` the words of the LCS with the reference sentence whose positions are `window`.

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
        found.add(words[j])
        window &= (1 << ((hits[j] & window).bit_length() - 1)) - 1
        j -= 1
        length -= 1
