"""Short texts as numbers: cells that are only compared, counted or read as whole numbers need not become strings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, Integers, elements
from scoresheet.metrics.stored_columns import Texts

_WIDTH: Final = 8  # bytes of a number
_MOST: Final = 4  # numbers of a text
_ROWS: Final = 2**16  # texts that are looked at at once
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WIDTH + 1)], np.uint64)
_RUNS: Final = 4  # times as many texts as there are runs of them, so that a look at the runs pays
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)  # an odd number without a pattern
_HALF: Final = np.uint64(32)
_DIGITS: Final = 8  # that a number has at most


class TextWords(NamedTuple):
    """The bytes of texts, eight to a number: two texts are the same where all their numbers are, and their sizes."""

    words: NDArray[np.uint64]  # number × text, zeros behind its end
    sizes: Integers


def text_words(cells: Sequence[str]) -> TextWords | None:
    """Return texts as numbers; None unless all are short, in ASCII and without blanks, and there as bytes.

    >>> words = text_words(["word", "text"])
    >>> words is None  # these are strings already
    True
    """
    if not isinstance(cells, Texts) or not cells.is_lined or not 0 < cells.widest <= _MOST * _WIDTH:
        return None
    words = np.empty((-(-cells.widest // _WIDTH), len(cells)), np.uint64)
    every: list[Integers] = []
    for start in range(0, len(cells), _ROWS):
        lines = cells.lines(start, min(start + _ROWS, len(cells)))
        data = np.frombuffer(lines.data + bytes(words.shape[0] * _WIDTH), np.uint8)  # a text is read beyond its end
        lengths = lines.sizes + 1
        if lines.has_blanks:
            return None
        starts = np.cumsum(lengths) - lengths
        at_each_byte = np.ndarray((len(data) - _WIDTH + 1,), "<u8", buffer=data.data, strides=(1,))
        for place, own in enumerate(words):
            left = np.clip(lines.sizes - place * _WIDTH, 0, _WIDTH)
            own[start : start + len(lines)] = at_each_byte[starts + place * _WIDTH] & _MASKS[left]
        every.append(lines.sizes)
    return TextWords(words, np.concatenate(every))


def coded_runs(cells: Sequence[str], known: TextWords | None) -> Coded[str] | None:
    """Return texts as `Coded.of` does, by a look at where they change; None where they change too often for that."""
    if known is None:
        return None
    changes = np.any(known.words[:, 1:] != known.words[:, :-1], axis=0) | (known.sizes[1:] != known.sizes[:-1])
    heads = np.append(0, np.flatnonzero(changes) + 1)
    if len(heads) * _RUNS > len(cells):
        return None
    different = Coded.of(chosen_texts(cells, heads))
    lengths = np.diff(np.append(heads, len(cells)))
    return Coded(different.values, np.repeat(different.codes, lengths))


def may_repeat(known: TextWords, groups: NDArray[np.int32]) -> bool:
    """Return whether a group may have a text twice; if not, it surely has not."""
    mixed = groups.astype(np.uint64) * _MIX + known.sizes.astype(np.uint64)
    for own in known.words:
        mixed ^= own
        mixed *= _MIX
        mixed ^= mixed >> _HALF
    mixed.sort()
    return bool(np.any(mixed[1:] == mixed[:-1]))


def whole_numbers(known: TextWords | None) -> NDArray[np.float64] | None:
    """Return texts as the whole numbers that they are; None unless all are, of few digits and without a sign."""
    if known is None or len(known.words) > 1 or not known.sizes.all():
        return None
    # the last digit into the highest byte, and 0 into those before the first
    shifts = (np.uint64(8) * (_DIGITS - known.sizes).astype(np.uint64)).astype(np.uint64)
    zeros = np.frombuffer(b"0" * _WIDTH, np.uint64)[0]
    digits = np.where(shifts > 0, (known.words[0] << shifts) | (zeros & _MASKS[_DIGITS - known.sizes]), known.words[0])
    each = digits.astype("<u8", copy=False).view(np.uint8).reshape(-1, _WIDTH) - np.uint8(ord("0"))
    if each.max(initial=0) > 9:
        return None
    found = np.zeros(len(each))
    for place in range(_WIDTH - int(known.sizes.max(initial=0)), _WIDTH):
        found = found * 10 + each[:, place]
    return found


def chosen_texts(cells: Sequence[str], places: Integers) -> list[str]:
    """Return the texts at these places, in order; no others are made strings."""
    if not isinstance(cells, Texts):
        return [cells[place] for place in places.tolist()]
    chosen = cells.take(places)
    return list(chain.from_iterable(elements(chosen, start, start + _ROWS) for start in range(0, len(chosen), _ROWS)))
