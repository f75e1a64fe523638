"""Columns of texts told apart, sorted and joined, without a string for each row where texts are short or many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import BATCH, Coded, Column, Integers, Listed
from scoresheet.metrics.keys import join_keys
from scoresheet.metrics.stored_columns import ByteStore, Texts, TextWriter, texts_of_bytes

_LONGEST_END: Final = 64  # bytes that are put behind a text of a column of bytes
_MANY: Final = 2**17  # rows whose different texts are not kept as strings
_TABLE: Final = 2**16  # places of a table in which short texts are looked up by their hashes
_BEYOND_TABLE: Final = np.uint64(64 - 16)  # bits of a hash that say nothing of the place
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)  # an odd number without a pattern
_HALF: Final = np.uint64(32)


def coded_texts(cells: Iterable[str]) -> Coded[str]:
    """Return texts as a column of different ones, which are `Texts` where there are very many rows.

    A dictionary of a million strings takes hundreds of bytes for each. So rows are grouped by their hashes, and rows of
    one hash are looked at: in the end those are the same which have the same text.

    >>> list(coded_texts(["b", "a", "b"])), coded_texts(["b", "a", "b"]).values
    (['b', 'a', 'b'], ['b', 'a'])
    """
    rest = iter(cells)
    some = list(islice(rest, _MANY))
    if len(some) < _MANY:
        return Coded.of(some)
    writer = TextWriter(ByteStore())
    hashes: list[Integers] = []
    while some:
        writer.add(some)
        hashes.append(np.fromiter(map(hash, some), np.int64, len(some)))
        some = list(islice(rest, BATCH))
    texts = writer.texts()
    _, firsts, groups = np.unique(np.concatenate(hashes), return_index=True, return_inverse=True)
    by_row = np.argsort(firsts)
    codes = np.empty(len(firsts), np.int32)
    codes[by_row] = np.arange(len(firsts), dtype=np.int32)
    again = np.flatnonzero(firsts[groups] != np.arange(len(texts)))
    if not all(map(str.__eq__, texts.take(again), texts.take(firsts[groups[again]]))):
        return Coded.of(texts)  # two texts of one hash, which nobody will live to see
    different = texts.take(firsts[by_row])
    return Coded(different if len(different) >= _MANY else list(different), codes[groups])


def joined_texts(parts: Sequence[Sequence[str]]) -> Coded[str]:
    """Return several columns of texts as one column of different ones, as `coded_texts` has them."""
    if sum(map(len, parts)) < _MANY:
        return Coded.joined([part.present() if isinstance(part, Coded) else Coded.of(part) for part in parts])
    return coded_texts(chain.from_iterable(parts))


def coded_cells(cells: Sequence[str]) -> Coded[str]:
    """Return cells as `Coded.of` does; of short texts no string is made but for those that differ.

    >>> coded_cells(Texts.of(["b", "a", "b"])).values
    ['b', 'a']
    """
    if isinstance(cells, Coded):
        return Coded.of_codes(cells.values, cells.codes)
    words = cells.words() if isinstance(cells, Texts) and len(cells) else None
    if words is None or not isinstance(cells, Texts):
        return Coded.of(cells)
    firsts, groups = _first_of_each(words)
    in_order = np.argsort(firsts)
    codes = np.empty(len(firsts), np.int32)
    codes[in_order] = np.arange(len(firsts), dtype=np.int32)
    return Coded(list(cells.take(firsts[in_order])), codes[groups])


def _first_of_each(words: NDArray[np.uint64]) -> tuple[Integers, Integers]:
    """Return where the different columns of a table stand first, and which of these each column is.

    Of few different ones, as cells mostly are, no two fall into one place of a table by their hashes: then nothing is
    sorted.
    """
    mixed = words[0] * _MIX
    for row in words[1:]:
        mixed ^= mixed >> _HALF
        mixed = (mixed + row) * _MIX
    places = (mixed >> _BEYOND_TABLE).astype(np.intp)
    count = words.shape[1]
    first_of = np.full(_TABLE, count)
    first_of[places[::-1]] = np.arange(count - 1, -1, -1)  # of those that fall into one place the last is kept
    firsts = first_of[places]
    if all(bool((row[firsts] == row).all()) for row in words):
        taken = first_of < count
        return first_of[taken], (np.cumsum(taken) - 1)[places]
    groups = np.zeros(count, np.int64)
    for row in words:
        found, own = np.unique(row, return_inverse=True)
        groups = np.unique(groups * len(found) + own, return_inverse=True)[1]
    return np.unique(groups, return_index=True)[1], groups


def sorted_places(texts: Sequence[str]) -> Integers:
    """Return the places of texts in their order, by code points.

    >>> sorted_places(["b", "c", "a"]).tolist()
    [2, 0, 1]
    """
    padded = texts.padded() if isinstance(texts, Texts) else None
    if padded is not None:
        if bool((padded[1:] >= padded[:-1]).all()):  # as most tables are
            return np.arange(len(padded))
        return np.argsort(padded, kind="stable")
    cells = list(texts)
    return np.array(sorted(range(len(cells)), key=cells.__getitem__), dtype=np.int64)


def text_ranks(texts: Sequence[str]) -> Integers:
    """Return which of the different texts each is, counted in their order.

    >>> text_ranks(["b", "c", "a", "b"]).tolist()
    [1, 2, 0, 1]
    """
    padded = texts.padded() if isinstance(texts, Texts) else None
    if padded is None:
        coded = texts if isinstance(texts, Coded) else Coded.of(texts)
        ranks = np.empty(len(coded.values), np.int64)
        ranks[sorted_places(coded.values)] = np.arange(len(ranks))
        return ranks[coded.codes]
    if bool((padded[1:] > padded[:-1]).all()):
        return np.arange(len(padded))
    return np.unique(padded, return_inverse=True)[1]


def filled_cells(cells: Sequence[str]) -> NDArray[np.bool_]:
    """Return which cells are more than blanks.

    >>> filled_cells(["a", " ", ""]).tolist()
    [True, False, False]
    """
    if isinstance(cells, Texts):
        return cells.is_filled()
    coded = cells if isinstance(cells, Coded) else None
    found = np.fromiter((bool(cell.strip()) for cell in (cells if coded is None else coded.values)), bool)
    return found if coded is None else found[coded.codes]


def key_column(cells: Sequence[str]) -> Column[str]:
    """Return the keys that cells are; those of texts that are keys already are no strings.

    >>> list(key_column([" a ", "b"]))
    ['a', 'b']
    """
    return cells if isinstance(cells, Texts) and cells.is_visible else Listed(join_keys(cells))


def paired_texts(first: Column[str], second: Coded[str], between: str) -> Column[str]:
    """Return each text with another one of a few behind it; of short ones that many rows have no strings are made.

    >>> list(paired_texts(Texts.of(["a", "bc"]), Coded.of(["x", ""]), "/"))
    ['a/x', 'bc/']
    """
    padded = first.padded() if isinstance(first, Texts) and len(first) > BATCH else None
    ends = [f"{between}{text}".encode("utf-8", "surrogatepass") for text in second.values]
    if padded is None or max(map(len, ends)) > _LONGEST_END or any(b"\0" in end for end in ends):
        return Listed([f"{one}{between}{other}" for one, other in zip(first, second, strict=True)])
    behind = np.array(ends)[second.codes]
    both = np.empty(len(padded), [("first", padded.dtype), ("second", behind.dtype)])
    both["first"], both["second"] = padded, behind
    data = both.view(np.uint8)
    sizes = np.strings.str_len(padded) + np.array(list(map(len, ends)))[second.codes]
    return texts_of_bytes(data[data != 0].tobytes(), sizes.astype(np.uint32))
