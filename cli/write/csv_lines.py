"""The lines of a CSV where no field needs quotes: in Python, always there, the twin of what `_cells.c` has of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

_QUOTED: Final = ',"\r\n'  # what a field with quotes around it may hold


def csv_lines(columns: list[list[Any]]) -> bytes | None:
    r"""Return the lines of some rows, given as columns; None where a field is not plain, or needs quotes.

    >>> csv_lines([["a", "b"], [0.1, None], [1, 2]]), csv_lines([["a"], ["b, c"]])
    (b'a,0.1,1\nb,,2\n', None)
    """
    texts = []
    for values in columns:
        written = _plain_texts(values)
        if written is None:
            return None
        texts.append(written)
    lines = [f"{line}\n" for line in map(",".join, zip(*texts, strict=True))]
    try:
        return "".join(lines).encode()
    except UnicodeEncodeError:  # half a pair of surrogates
        return None


def _plain_texts(values: Sequence[Any]) -> Iterable[str] | None:
    types = set(map(type, values))
    if types <= {str}:
        joined = "".join(set(values))
        return None if any(mark in joined for mark in _QUOTED) else values
    if types == {float}:
        return _digits(values)
    if types <= {float, int, str, type(None)}:
        each = ["" if value is None else value if isinstance(value, str) else repr(value) for value in values]
        return _plain_texts(each)
    return None


def _digits(values: Sequence[float]) -> Iterable[str]:
    """Return floats with all their digits, which are made once for each that comes again: that takes a while."""
    different = set(values)
    is_signed = 0.0 in different and any(math.copysign(1, value) < 0 for value in values if not value)  # 0 is -0 there
    if 2 * len(different) > len(values) or is_signed:
        return map(repr, values)
    known = {value: repr(value) for value in different}
    return map(known.__getitem__, values)
