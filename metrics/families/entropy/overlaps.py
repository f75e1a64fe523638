"""Runs of words that a sheet has: how many different ones, and which of them several texts share.

Runs are the same if their first two words are, and more. So they are put into parts by a number that the first two
words make, and each part is looked through by itself. All runs of a long sheet take several times the room of its
words: it is gone over a few times, and each time some of the parts are written to a temporary file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.ngrams import may_repeat, run_lengths
from scoresheet.metrics.stats.means import mean_of_array
from scoresheet.metrics.stored_columns import ArrayStore, ByteStore

Integers = NDArray[np.int64]
Runs = NDArray[np.int32]  # a row each: four words, -1 where the text has ended, and the text

_RUNS: Final = 125_000  # runs of words that are looked through at once, about
_GATHERED: Final = 1_000_000  # words whose runs are put into parts at once, about
_FEW_PARTS: Final = 32  # that are written at once; of more, a share
_PASSES: Final = 4  # over all words, at most
_MIXING: Final = 0x9E3779B1  # an odd number without order in its digits
_COLUMNS: Final = 5  # of a run


def overlaps(words: ArrayStore, lengths: Sequence[Integers]) -> tuple[list[float], float]:
    """Return distinct-1 to 3, and the mean share of a text's runs of four words that another text has too."""
    sizes = np.concatenate(lengths)
    total = int(sizes.sum())
    span = 1 + max(int(codes.max(initial=0)) for codes in words.pieces())
    seen = np.zeros(span, dtype=bool)
    for codes in words.pieces():
        seen[codes] = True
    hits = np.zeros(len(sizes), dtype=np.int64)
    distinct = np.zeros(2, dtype=np.int64)
    for runs in _parts(words, lengths, span, -(-total // _RUNS)):
        number, first = _numbered(runs[:, 0] * np.int64(span) + runs[:, 1])
        has_third = runs[:, 2] >= 0
        distinct += (number, _distinct(first[has_third] * np.int64(span) + runs[has_third, 2]))
        for fours in _some_fours(runs):
            np.add.at(hits, _shared_fours(first[fours], runs[fours, 2:], span), 1)
    found = [int(seen.sum()) / total, *(_share(int(each), sizes, n) for n, each in enumerate(distinct.tolist(), 2))]
    totals = np.maximum(sizes - 3, 0)
    return found, mean_of_array(hits[totals > 0] / totals[totals > 0])


def _parts(words: ArrayStore, lengths: Sequence[Integers], span: int, parts: int) -> Iterator[Runs]:
    """Yield the runs of each part, by text."""
    passes = min(_PASSES, -(-parts // _FEW_PARTS))
    edges = np.linspace(0, parts, passes + 1).astype(np.int64).tolist()
    for first, last in pairwise(edges):
        store, ends = ByteStore(), []
        for codes, sizes, text in _gathered(words, lengths):
            runs, own = _runs(codes, sizes, text, span, parts, (first, last))
            start = store.add(runs.tobytes())
            ends.append(start + own * runs.itemsize * _COLUMNS)
        for part in range(last - first):
            places = [own[part : part + 2].tolist() for own in ends]
            data = bytearray(sum(stop - start for start, stop in places))
            filled = 0
            for start, stop in places:
                data[filled : filled + stop - start] = store.read(start, stop)
                filled += stop - start
            yield np.frombuffer(data, np.int32).reshape(-1, _COLUMNS)


def _gathered(words: ArrayStore, lengths: Sequence[Integers]) -> Iterator[tuple[NDArray[np.int32], Integers, int]]:
    """Yield the words of some texts in a row, how many each text has, and how many texts were before."""
    codes: list[NDArray[np.int32]] = []
    sizes: list[Integers] = []
    text = 0
    for number, (some, own) in enumerate(zip(words.pieces(), lengths, strict=True), start=1):
        codes.append(some)
        sizes.append(own)
        if number == len(lengths) or sum(map(len, codes)) >= _GATHERED:
            yield np.concatenate(codes), np.concatenate(sizes), text
            text += sum(map(len, sizes))
            codes, sizes = [], []


def _runs(
    codes: NDArray[np.int32], sizes: Integers, text: int, span: int, parts: int, wanted: tuple[int, int]
) -> tuple[Runs, Integers]:
    """Return the runs that words of some texts begin, part after part from one to another, and where parts end."""
    owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    begun = np.flatnonzero(owners[:-1] == owners[1:])  # two words of one text
    if parts > 1:
        part = ((codes[begun] * np.int64(span) + codes[begun + 1]) * _MIXING >> 32) % parts
        chosen = np.flatnonzero((part >= wanted[0]) & (part < wanted[1]))
        part = (part[chosen] - wanted[0]).astype(np.uint16)
        order = np.argsort(part, kind="stable")
        begun = begun[chosen[order]]
        ends = np.searchsorted(part[order], np.arange(wanted[1] - wanted[0] + 1))
    else:
        ends = np.array([0, len(begun)])
    last = np.cumsum(sizes)[owners[begun]]
    runs = np.empty((len(begun), _COLUMNS), dtype=np.int32)
    runs[:, 0], runs[:, 1] = codes[begun], codes[begun + 1]
    for place in (2, 3):
        there = begun + place < last
        runs[:, place] = np.where(there, codes[np.where(there, begun + place, 0)], -1)
    runs[:, 4] = owners[begun] + text
    return runs, ends


def _some_fours(runs: Runs) -> Iterator[Integers]:
    """Yield the places of runs of four words, equal ones together; where one pair begins very many, some at a time."""
    places = np.flatnonzero(runs[:, 3] >= 0)
    parts = len(places) // _RUNS
    if parts < 2:
        yield places
        return
    mixed = ((runs[places, 2] * np.int64(_MIXING) >> 16) + runs[places, 3]) * _MIXING >> 16
    for part in range(parts):
        yield places[mixed % parts == part]


def _numbered(keys: Integers) -> tuple[int, NDArray[np.int32]]:
    """Return how many different keys there are, and the number of each among them."""
    different, numbers = np.unique(keys, return_inverse=True)
    return len(different), numbers.astype(np.int32)


def _shared_fours(first: NDArray[np.int32], rest: Runs, span: int) -> Integers:
    """Return the text of each run of four words that another text has too.

    Runs are given by the number of their first pair, their last two words, and the text.
    """
    several = may_repeat((first * np.int64(_MIXING) + rest[:, 0]) * np.int64(_MIXING) + rest[:, 1])
    first, rest = first[several], rest[several]
    others, ids = _numbered(rest[:, 0] * np.int64(span) + rest[:, 1])
    fours = first * np.int64(max(others, 1)) + ids
    order = np.argsort(fours, kind="stable")
    start, lengths = run_lengths(fours[order])
    texts = rest[order, 2].astype(np.int64)
    # in stable order the texts of equal runs ascend: the first and the last differ if any two do
    shared = texts[start] != texts[start + lengths - 1] if len(start) else np.zeros(0, dtype=bool)
    found: Integers = texts[np.repeat(shared, lengths)]
    return found


def _share(distinct: int, sizes: Integers, n: int) -> float:
    """Return different runs of n words over all of them."""
    runs = int(np.maximum(sizes - n + 1, 0).sum())
    return distinct / runs if runs else math.nan


def _distinct(keys: Integers) -> int:
    # sorted, because np.unique hashes where nothing but the values is asked for, which is much slower here
    return len(run_lengths(np.sort(keys))[0])
