"""Texts to flat arrays of word codes, a block of texts at a time: what everything else counts."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import chain, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.options import TOKENIZERS, VOCABULARIES
from scoresheet.metrics.families.entropy.vocabularies import bpe_encoder, bpe_vocabulary
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.text.rouge_tokenizer import UNSPACED, has_unspaced, unspaced_script_pattern
from scoresheet.metrics.text.word_tokenizer import lower_words

Integers = NDArray[np.int64]

ENDS: Final = re.compile("[.!?。！？]")  # of a sentence
_TEXTS: Final = 2_048  # of a block
_LETTERS: Final = 2_000_000  # of a block, so that memory follows neither the sheet nor long texts
_WORD, _FIRST_WORD = " ", "\n"  # before words that stand alone: what white space was split at begins with neither


@dataclass(frozen=True)
class Words:
    """Words in a row, as codes, and where each of their owners (texts, chunks, sentences) begins and ends."""

    codes: Integers
    offsets: Integers  # one more than there are owners

    @property
    def owners(self) -> Integers:
        """Return for each word whose it is."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True)
class Block:
    """Some texts: their words, their lengths in white-space words, and how to look at parts of them."""

    texts: Sequence[str]
    words: Words
    units: Words  # for each text its units (white-space words; words where a script has no spaces): words in each
    breaks: Integers  # for each word how many sentences of its text ended before it
    by_character: NDArray[np.bool_]  # the texts whose words are characters
    encode: Callable[[str], list[int]] | None = None  # under bpe, where a part must be cut anew
    spaced: Sequence[Sequence[str]] = field(default=())  # under bpe: white-space words; () where tokens are the units

    @property
    def lengths(self) -> Integers:
        """Return each text's length in units."""
        return np.diff(self.units.offsets)

    def windows(self, texts: Integers, firsts: Integers, sizes: Integers) -> Words:
        """Return the words of windows of units, each inside one text."""
        if self.encode is not None:
            return _row_of([self._encoded(*each) for each in zip(texts, firsts, sizes, strict=True)])
        ends = np.concatenate([[0], np.cumsum(self.units.codes)])
        start = self.units.offsets[texts] + firsts
        lengths = ends[start + sizes] - ends[start]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Words(self.words.codes[spans(ends[start], lengths)], offsets)

    def _encoded(self, text: int, first: int, size: int) -> list[int]:
        if self.encode is None or not self.spaced[text]:
            start = int(self.words.offsets[text]) + int(first)
            return [int(code) for code in self.words.codes[start : start + int(size)]]
        return self.encode(" ".join(self.spaced[text][first : first + size]))

    def sentences(self) -> tuple[Integers, Words]:
        """Return whose each sentence is, and its words; sentences without words are none."""
        if self.encode is not None:
            parts = [
                (text, self.encode(part))
                for text, whole in enumerate(self.texts)
                for part in ENDS.split(whole)
                if lower_words(part)
            ]
            return np.array([text for text, _ in parts], dtype=np.int64), _row_of([codes for _, codes in parts])
        owners = self.words.owners
        changed = np.ones(len(owners), dtype=bool)
        changed[1:] = (np.diff(owners) != 0) | (np.diff(self.breaks) != 0)
        starts = np.flatnonzero(changed)
        return owners[starts], Words(self.words.codes, np.append(starts, len(owners)))


def spans(starts: Integers, lengths: Integers) -> Integers:
    """Return the indices of several spans, one after the other.

    >>> import numpy as np
    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths))


def bounded_ranges(counts: Integers, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of positions whose counts sum to no more than can be looked at at once (a lone one may).

    >>> import numpy as np
    >>> list(bounded_ranges(np.array([2, 1, 9, 1]), 3))
    [(0, 2), (2, 3), (3, 4)]
    """
    total = np.cumsum(counts)
    first, done = 0, 0
    while first < len(counts):
        last = max(first + 1, int(np.searchsorted(total, done + most, side="right")))
        yield first, last
        first, done = last, int(total[last - 1])


def content_words(text: str, tokenizer: str = "auto") -> list[str]:
    """Return the words that count: one-letter words do not, unless their script is unspaced or every letter is one.

    >>> content_words("A cat, 7 cats and 猫")
    ['cat', 'cats', 'and', '猫']
    """
    words = lower_words(text, tokenizer)
    if tokenizer == "chars":
        return words
    return [word for word in words if len(word) > 1 or unspaced_script_pattern(f"[{UNSPACED}]").match(word)]


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts in blocks of bounded size; one without texts if there is none."""
    return (texts[rows] for rows in batch_slices(map(len, texts)))


def batch_slices(lengths: Iterable[int]) -> list[slice[int, int, None]]:
    """Return where the blocks of texts of these lengths begin and end.

    >>> batch_slices([1, 2_000_000, 5, 6])
    [slice(0, 1, None), slice(1, 2, None), slice(2, 4, None)]
    """
    starts, letters, end = [0], 0, 0
    for length in lengths:
        letters += length
        if end > starts[-1] and (letters > _LETTERS or end - starts[-1] == _TEXTS):
            starts.append(end)
            letters = length
        end += 1
    return [slice(*both) for both in pairwise([*starts, end])]


class WordEncoder:
    """Gives the same word the same code, throughout a sheet."""

    def __init__(self, tokenizer: str = TOKENIZERS[0], vocabulary: str = VOCABULARIES[0]) -> None:
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary
        self._types = _WordTypes(tokenizer)
        self._encode = bpe_encoder(vocabulary) if tokenizer == "bpe" else None

    def new_words(self, texts: Sequence[str]) -> list[str]:
        """Return what `learn` has to know of texts before some that come after them are made arrays."""
        if self._encode is not None:
            return []  # a vocabulary has its numbers
        return list(dict.fromkeys(chain.from_iterable(self._cut(texts, self._unspaced(texts)))))

    def learn(self, words: Iterable[str]) -> None:
        """Give words their codes, those of earlier texts first: a word has the code of where it first stands."""
        for word in words:
            self._types[word]  # which numbers it

    def block(self, texts: Sequence[str]) -> Block:
        """Return texts as arrays."""
        unspaced = self._unspaced(texts)
        if self._encode is not None:
            return self._encoded_block(texts, self._encode, unspaced)
        pieces = self._cut(texts, unspaced)
        total = sum(map(len, pieces))
        types = np.fromiter(map(self._types.__getitem__, chain.from_iterable(pieces)), np.int64, total)
        units = Words(
            np.asarray(np.array(self._types.lengths, dtype=np.int64)[types]),
            _offsets(np.fromiter(map(len, pieces), np.int64, len(pieces))),
        )
        ends = np.concatenate([[0], np.cumsum(self._types.lengths)])
        positions = spans(ends[types], units.codes)
        ended = np.concatenate([[0], np.cumsum(np.array(self._types.ends, dtype=np.int64)[types])])
        # sentences that ended in units before, and those that ended before it in its own; counted over the block,
        # which serves as well, since only a change between words of one text is looked at
        breaks = np.repeat(ended[:-1], units.codes) + np.array(self._types.breaks, dtype=np.int64)[positions]
        words_before = np.concatenate([[0], np.cumsum(units.codes)])
        codes = np.array(self._types.codes, dtype=np.int64)[positions]
        words = Words(codes, words_before[units.offsets])
        return Block(texts, words, units, breaks, self._by_character(unspaced))

    def decode(self, codes: Sequence[int]) -> str:
        """Return words as they stand in a text: with spaces between them, but for unspaced scripts."""
        if self._encode is not None:
            # a phrase may begin or end inside a character, which several tokens make together
            return bpe_vocabulary(self.vocabulary).decode(list(codes)).strip("\ufffd \n\t")
        words = [self._types.words[code] for code in codes]
        unspaced = [self.tokenizer != "whitespace" and has_unspaced(word) for word in words]
        tight = [both[0] and both[1] for both in zip([False, *unspaced], unspaced, strict=False)]
        if self.tokenizer == "chars":
            tight = [True] * len(words)
        return "".join(word if close else f" {word}" for word, close in zip(words, tight, strict=True)).strip()

    def _unspaced(self, texts: Sequence[str]) -> list[bool]:
        return [self.tokenizer != "whitespace" and has_unspaced(text) for text in texts]

    def _cut(self, texts: Sequence[str], unspaced: Sequence[bool]) -> list[list[str]]:
        """Return the units of each text."""
        return [self._pieces(text) if cut else text.split() for text, cut in zip(texts, unspaced, strict=True)]

    def _pieces(self, text: str) -> list[str]:
        """Return the units of a text with an unspaced script in a form that says that they stand alone."""
        pieces: list[str] = []
        for part in ENDS.split(text.lower()):
            words = content_words(part, self.tokenizer)
            pieces += [(_WORD if position or not pieces else _FIRST_WORD) + word for position, word in enumerate(words)]
        return pieces

    def _by_character(self, unspaced: Sequence[bool]) -> NDArray[np.bool_]:
        """Return which texts have characters for words: a segmenter makes words of an unspaced script too."""
        if self.tokenizer in ("chars", "words"):
            return np.full(len(unspaced), self.tokenizer == "chars")
        return np.array(unspaced, dtype=bool)

    def _encoded_block(
        self, texts: Sequence[str], encode: Callable[[str], list[int]], unspaced: Sequence[bool]
    ) -> Block:
        words = _row_of([encode(text) if text.strip() else [] for text in texts])
        spaced = [() if cut else text.split() for text, cut in zip(texts, unspaced, strict=True)]
        counts = np.diff(words.offsets)
        lengths = np.array(
            [len(own) if own else counts[position] for position, own in enumerate(spaced)], dtype=np.int64
        )
        units = Words(np.ones(int(lengths.sum()), dtype=np.int64), _offsets(lengths))
        breaks = np.zeros(len(words.codes), dtype=np.int64)
        return Block(texts, words, units, breaks, self._by_character(unspaced), encode, spaced)


class _WordTypes(dict[str, int]):
    """Every distinct white-space word, cut into words once: most texts then need no more than looking them up."""

    def __init__(self, tokenizer: str) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}
        self.words: list[str] = []  # by code
        self.lengths: array[int] = array("q")  # by type: its words
        self.ends: array[int] = array("q")  # by type: sentences that end in it
        self.codes: array[int] = array("q")  # the words of all types in a row
        self.breaks: array[int] = array("q")  # for each of them: sentences that end before it in its type

    def __missing__(self, piece: str) -> int:
        before = len(self.codes)
        if piece[0] in (_WORD, _FIRST_WORD):
            ended = int(piece[0] == _FIRST_WORD)
            self._add(piece[1:], ended)
        else:
            # lower case first: what a capital sigma becomes depends on what follows, a full stop in between or not
            parts = ENDS.split(piece.lower())
            ended = len(parts) - 1
            for position, part in enumerate(parts):
                for word in content_words(part, self._tokenizer):
                    self._add(word, position)
        self.lengths.append(len(self.codes) - before)
        self.ends.append(ended)
        number = self[piece] = len(self)
        return number

    def _add(self, word: str, ended: int) -> None:
        code = self._known.setdefault(word, len(self.words))
        if code == len(self.words):
            self.words.append(word)
        self.codes.append(code)
        self.breaks.append(ended)


def _row_of(lists: Sequence[Sequence[int]]) -> Words:
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    codes = np.fromiter(chain.from_iterable(lists), np.int64, int(lengths.sum()))
    return Words(codes, _offsets(lengths))


def _offsets(lengths: Integers) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
