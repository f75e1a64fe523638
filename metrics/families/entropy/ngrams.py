"""Counting words and runs of words of many texts at once."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Words
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.concentration import entropy_groups

Integers = NDArray[np.int64]

_ROOM: Final = 2**62  # keys stay below
_MIXING: Final = np.uint64(0x9E3779B97F4A7C15)  # an odd number without order in its digits


@dataclass(frozen=True)
class Tally:
    """How often each type occurs in each owner: owner by owner, `owners` ascending."""

    owners: Integers
    counts: Integers
    number: int  # of owners, with those that have nothing

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        """Return the entropy of each owner's types in bits; of none, none."""
        return entropy_groups(self.owners, self.counts, self.number)

    @cached_property
    def types(self) -> Integers:
        """Return how many types (different words or runs of words) each owner has."""
        return np.bincount(self.owners, minlength=self.number)

    @cached_property
    def largest(self) -> Integers:
        """Return the count of each owner's commonest type, 0 if it has none."""
        most = np.zeros(self.number, dtype=np.int64)
        if len(self.owners):
            starts, _ = run_lengths(self.owners)
            most[self.owners[starts]] = np.maximum.reduceat(self.counts, starts)
        return most


class NgramCounter:
    """The words of some texts, numbered within their text, so that keys of several words stay small."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.number = len(words.offsets) - 1
        self.owners = words.owners
        self._span = int(words.codes.max(initial=0)) + 1
        keys = self.owners * self._span + words.codes
        self.pairs, self.ids, counts = np.unique(keys, return_inverse=True, return_counts=True)
        self.tally = Tally(self.pairs // self._span, counts, self.number)
        firsts = np.searchsorted(self.tally.owners, np.arange(self.number))
        self.local = self.ids - firsts[self.owners]  # of each word, among the distinct words of its text
        self.most = int(self.tally.types.max(initial=0))

    @property
    def codes(self) -> Integers:
        """Return the code of each (text, distinct word)."""
        codes: Integers = self.pairs % self._span
        return codes

    def keys(self, n: int) -> tuple[Integers, Integers]:
        """Return where runs of n words start, and a key for each: equal for equal runs of one text."""
        keys, room = self.ids, len(self.pairs) * max(self.most, 1)
        for step in range(1, n):
            if room >= _ROOM:
                keys = np.unique(keys, return_inverse=True)[1]
                room = len(keys) * self.most
            keys = keys[: len(self.local) - step] * self.most + self.local[step:]
            room *= max(self.most, 1)
        starts = np.arange(max(len(self.owners) - n + 1, 0))
        inside = self.owners[: len(starts)] == self.owners[n - 1 :]
        return starts[inside], keys[: len(starts)][inside]

    def ngrams(self, n: int) -> Tally:
        """Return how often each run of n words occurs in each text."""
        starts, keys = self.keys(n)
        # a key begins with the (text, first word), so that sorted keys are in the order of texts
        first, counts = run_lengths(np.sort(keys))
        texts = self.owners[starts]
        # the sorted keys of a text fill the same positions as its unsorted ones
        return Tally(texts[first], counts, self.number)


def tally(owners: Integers, types: Integers, number: int) -> Tally:
    """Return how often each type (a small whole number) occurs in each owner."""
    span = int(types.max(initial=0)) + 1
    ordered = np.sort(owners * span + types)
    starts, counts = run_lengths(ordered)
    return Tally(ordered[starts] // span, counts, number)


def may_repeat(keys: Integers) -> NDArray[np.bool_]:
    """Return which keys may stand there more than once: all that do, and few others, without sorting.

    >>> import numpy as np
    >>> may_repeat(np.array([7, 8, 7, 9])).tolist()
    [True, False, True, False]
    """
    bits = max(len(keys), 1).bit_length() + 2
    places = (keys.astype(np.uint64) * _MIXING >> np.uint64(64 - bits)).astype(np.int64)
    found: NDArray[np.bool_] = np.bincount(places)[places] > 1
    return found


def run_lengths(ordered: Integers) -> tuple[Integers, Integers]:
    """Return where runs of equal values start in a sorted array, and how long they are.

    >>> import numpy as np
    >>> [part.tolist() for part in run_lengths(np.array([3, 3, 7]))]
    [[0, 2], [2, 1]]
    """
    if not len(ordered):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return starts, np.diff(np.append(starts, len(ordered)))
