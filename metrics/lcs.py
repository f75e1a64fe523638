"""Longest common subsequences by bit-parallel dynamic programming; nothing here recurses.

Row i of the table is one integer with a bit per position of the prediction: a cleared bit marks a column where the
length grows. The update is Hyyrö's (2004), a handful of integer operations per reference word; Python's integers
have any width, so a row of any length is one operation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of a longest common subsequence.

    >>> lcs_length("the cat sat on the mat".split(), "the cat sat".split())
    3
    """
    masks: dict[str, int] = {}
    for position, word in enumerate(left):
        masks[word] = masks.get(word, 0) | 1 << position
    full = (1 << len(left)) - 1
    row = full
    for word in right:
        hits = row & masks.get(word, 0)
        row = ((row + hits) | (row - hits)) & full
    return len(left) - row.bit_count()


def union_of_lcs(
    predicted: Sequence[Sequence[str]], reference: Sequence[Sequence[str]], common: Collection[str]
) -> set[str]:
    """Return the words in the union of the LCSs of all sentence pairs, each the LCS that `rouge` 1.0.1 walks back to.

    `common` holds the words that both texts have; the others cannot be in any LCS and are left out of the rows.

    `rouge` walks from the end: a match is taken first, then "up" only if strictly greater, else "left". Let L be the
    leftmost column of the current row that reaches the current length. Right of L the walk never goes up, and a match
    there can only be of the word at L, or the row above would have reached the length before. So the walk may jump
    to L, go up to the first row whose word matches, and take that word: the same words, without the table.

    >>> sorted(union_of_lcs([["a", "b", "c", "d"]], [["a", "b"], ["c", "d"]], {"a", "b", "c", "d"}))
    ['a', 'b', 'c', 'd']
    """
    masks, spans, columns = _layout(predicted, common)
    found: set[str] = set()
    for sentence in reference:
        words = [word for word in sentence if word in masks]
        if found.issuperset(words):
            continue  # nothing new can come of this sentence
        hits = [masks[word] for word in words]
        rows = _rows(hits, columns)
        for span in spans:
            _walk_back(words, hits, rows, span, found)
        if len(found) == len(common):
            break
    return found


def _layout(predicted: Sequence[Sequence[str]], common: Collection[str]) -> tuple[dict[str, int], list[int], int]:
    """Return each word's positions, each sentence's span, and all positions, as bits of one integer.

    A bit that belongs to no position stands between two sentences and stops the carry of the addition there.
    """
    masks: dict[str, int] = {}
    spans: list[int] = []
    bit = 1
    for sentence in predicted:
        start = bit
        for word in sentence:
            if word in common:
                masks[word] = masks.get(word, 0) | bit
                bit <<= 1
        if bit != start:
            spans.append(bit - start)
            bit <<= 1
    return masks, spans, sum(spans)


def _rows(hits: list[int], columns: int) -> list[int]:
    """Return, for each row, the columns in which the length of the LCS grows."""
    rows: list[int] = []
    row = columns
    for mask in hits:
        matched = row & mask
        row = ((row + matched) | (row - matched)) & columns
        rows.append(columns ^ row)
    return rows


def _walk_back(words: list[str], hits: list[int], rows: list[int], window: int, found: set[str]) -> None:
    """Add to `found` the words of the LCS with the prediction sentence whose positions are `window`."""
    i = len(rows) - 1
    while i >= 0 and (growth := rows[i] & window):
        leftmost = 1 << (growth.bit_length() - 1)
        while not hits[i] & leftmost:
            i -= 1
        found.add(words[i])
        window &= leftmost - 1
        i -= 1
