"""ROUGE-L precision: how many of the predicted words are in the reference, in order.

`rouge` 1.0.1 fills a table of reference words times predicted words and walks back through it
recursively. Here a column of that table is one integer with a bit per reference word, so the same
walk takes a few integer operations for each predicted word, for all reference sentences at once
(the bit-parallel LCS of Crochemore et al. 2001 and Hyyrö 2004).
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.text import has_words, words

_BLOCK = 1024  # columns kept at a time: bounds the memory for texts of any length


class _Reference(NamedTuple):
    """The word positions of a reference as bits, with one spare bit after each sentence."""

    places: dict[str, int]  # word → its positions
    rows: int  # all positions; the spare bits are not among them
    ends: int  # the last position of each sentence
    firsts: int  # the first position of each distinct word


def rouge_l_precision(predictions: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
    """Return the ROUGE-L precision of `rouge` 1.0.1 for each row, NaN where a text has no words.

    It is the share of the distinct predicted words that are in the union of the longest common
    subsequences of all pairs of sentences. Full stops end sentences, white space separates words.

    >>> rouge_l_precision(["the cat sat", "a b c d"], ["the cat sat on the mat", "d c b a"])
    array([1.  , 0.25])
    """
    return _by_reference(predictions, references, _sentences, _rouge_l)


def lin_precision(predictions: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
    """Return the length of the LCS of all words divided by the number of predicted words.

    >>> lin_precision(["the the the cat", "a b. c d"], ["the cat", "d. a c"])
    array([0.5, 0.5])
    """
    return _by_reference(predictions, references, lambda text: [words(text)], _lin)


def charset_precision(predictions: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of the distinct predicted characters that the reference has.

    >>> charset_precision(["abcd", "abcd"], ["dab", ""])
    array([0.75,  nan])
    """
    scores = [
        len(set(p) & set(r)) / len(set(p)) if has_words(p) and has_words(r) else math.nan
        for p, r in _checked_pairs(predictions, references)
    ]
    return np.array(scores, dtype=np.float64)


def lcs_marks(prediction: str, reference: str) -> list[tuple[str, bool]]:
    """Return the words of a prediction and whether ROUGE-L counts them as common.

    A word has the same mark wherever it occurs. The distinct marked words divided by the distinct
    words are the precision.

    >>> lcs_marks("the sat. Here", "the cat sat")
    [('the', True), ('sat', True), ('Here', False)]
    """
    sentences = _sentences(prediction)
    prepared = _prepare(_sentences(reference) if has_words(reference) else [])
    common, find = _common_words(sentences, prepared), prepared.places.get
    return [(word, find(word, 0) & common != 0) for each in sentences for word in each]


def _by_reference(
    predictions: Sequence[str],
    references: Sequence[str],
    cut: Callable[[str], list[list[str]]],
    score: Callable[[list[list[str]], _Reference], float],
) -> NDArray[np.float64]:
    """Return the score of each row; a reference is prepared once and dropped after its rows."""
    rows_of: dict[str, list[tuple[int, str]]] = {}
    for row, (prediction, reference) in enumerate(_checked_pairs(predictions, references)):
        if has_words(prediction) and has_words(reference):  # the other rows have no value
            rows_of.setdefault(reference, []).append((row, prediction))
    scores = np.full(len(predictions), math.nan)
    for reference, rows in rows_of.items():
        prepared = _prepare(cut(reference))
        for row, prediction in rows:
            scores[row] = score(cut(prediction), prepared)
    return scores


def _checked_pairs(predictions: Sequence[str], references: Sequence[str]) -> list[tuple[str, str]]:
    columns: tuple[Sequence[object], ...] = (predictions, references)
    for texts in columns:
        wrong = texts if isinstance(texts, str) else [t for t in texts if not isinstance(t, str)]
        if wrong:
            raise ValueError(f"expected a sequence of texts, got {wrong!r}")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions but {len(references)} references")
    return list(zip(predictions, references, strict=True))


def _sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence; a blank one has one empty word, as in `rouge`."""
    return [piece.split() or [""] for piece in text.split(".") if piece]


def _prepare(sentences: list[list[str]]) -> _Reference:
    places: dict[str, int] = {}
    ends, bit = 0, 1
    for sentence in sentences:
        for word in sentence:
            places[word] = places.get(word, 0) | bit
            bit <<= 1
        ends |= bit >> 1
        bit <<= 1  # the spare bit takes the carry, so that sentences do not disturb each other
    firsts = sum(place & -place for place in places.values())
    return _Reference(places, (bit - 1) ^ (ends << 1), ends, firsts)


def _rouge_l(prediction: list[list[str]], reference: _Reference) -> float:
    common = (_common_words(prediction, reference) & reference.firsts).bit_count()
    return common / len(set[str]().union(*prediction))


def _lin(prediction: list[list[str]], reference: _Reference) -> float:
    flat = _last_flat(_columns(prediction[0], reference), reference.rows, reference.rows)
    return (flat ^ reference.rows).bit_count() / len(prediction[0])


def _columns(sentence: list[str], reference: _Reference) -> list[int]:
    """Return the positions of each word; words that the reference does not have change nothing."""
    find = reference.places.get
    return [place for word in sentence if (place := find(word))]


def _last_flat(columns: list[int], flat: int, rows: int) -> int:
    """Return the rows where the LCS does not grow from the row above, after the last column."""
    for place in columns:
        match = flat & place
        flat = ((flat + match) | (flat - match)) & rows
    return flat


def _common_words(prediction: list[list[str]], reference: _Reference) -> int:
    """Return the positions of each word that is in the LCS of any two sentences."""
    common = 0
    for sentence in prediction:
        columns = _columns(sentence, reference)
        blocks = [columns[start : start + _BLOCK] for start in range(0, len(columns), _BLOCK)]
        flats = [reference.rows]
        for block in blocks[:-1]:
            flats.append(_last_flat(block, flats[-1], reference.rows))
        tops = reference.ends
        while blocks:
            tops, found = _walk_back(blocks.pop(), flats.pop(), tops, reference.rows)
            common |= found
    return common


def _walk_back(columns: list[int], flat: int, tops: int, rows: int) -> tuple[int, int]:
    """Return the rows reached at the first column, one per sentence, and the words in the LCS.

    The walk of `rouge` uses a match if there is one, else it goes up where the LCS is longer than
    in the column to the left, else to the left. So it uses the nearest match at or above its row
    where the LCS is longer. (Any other match is in a row that all longest subsequences up to there
    need: the walk to the left would find the same word again.)
    """
    rises = []  # per column the rows where the LCS is longer than in the column to the left
    for place in columns:
        match = flat & place
        grown = (flat + match) | (flat - match)
        rises.append(grown - flat)
        flat = grown & rows
    found = 0
    for place in reversed(columns):
        hits = tops & rises.pop()
        if hits:
            found |= place
            matches = hits & place
            up = hits ^ matches
            while up:
                top = up & -up
                matches |= 1 << (place & (top - 1)).bit_length() - 1
                up ^= top
            tops = tops ^ hits | matches >> 1  # above a first row is a spare bit: nothing rises
    return tops, found
