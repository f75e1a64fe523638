"""Columns that explain why a table has the same thing several times: what they tell apart may be systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final

_ENOUGH: Final = 0.1  # of the rows must repeat another before it is looked for a reason
_LEFT: Final = 0.1  # of the repeats, that may stay unexplained
_MOST: Final = 3  # values for each row of a key; more would tell rows apart by mere chance


def explains_repeats(keys: Sequence[Hashable], values: Sequence[str]) -> bool:
    """Return whether a column tells apart the rows that have the same key.

    Under each of its values a key stands once, or nearly so; or every key equally often under all of them. What is said
    of a key, such as its category, is the same wherever the key stands, and explains nothing.

    >>> explains_repeats(["a", "b", "a", "b"], ["x", "x", "y", "y"]), explains_repeats(["a", "b"], ["x", "y"])
    (True, False)
    >>> explains_repeats(["a", "b", "a", "b"], ["x", "y", "x", "y"])
    False
    """
    rows = [(key, value) for key, value in zip(keys, values, strict=True) if value]
    repeated = len(rows) - len({key for key, _ in rows})
    different = len({value for _, value in rows})
    if not 2 <= different <= _MOST * len(rows) / (len(rows) - repeated or 1) or different * 2 > len(rows):
        return False
    if repeated < max(2, _ENOUGH * len(rows)):
        return False
    pairs = Counter(rows)
    left = len(rows) - len(pairs)
    crossed = len(pairs) == different * (len(rows) - repeated) and len(set(pairs.values())) == 1
    return left <= _LEFT * repeated or crossed
