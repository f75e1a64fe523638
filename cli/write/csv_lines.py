"""The lines of a CSV: in Python, always there, the twin of what `_cells.c` has of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

_QUOTED: Final = ',"\n'  # what a field has quotes around it for
_RETURN: Final = "\r"  # the standard library has quotes around it or not, by its version


def csv_lines(columns: list[list[Any]]) -> bytes | None:
    r"""Return the lines of some rows, given as columns; None where a field is not plain.

    >>> csv_lines([["a", "b, c"], [0.1, None], [1, 2]]), csv_lines([["a"], ["\r"]])
    (b'a,0.1,1\n"b, c",,2\n', None)
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
        different = set(values)
        joined = "".join(different)
        if _RETURN in joined:
            return None
        if not any(mark in joined for mark in _QUOTED):
            return values
        return map({text: _quoted(text) for text in different}.__getitem__, values)
    if types == {float}:
        return _digits(values)
    if types <= {float, int, str, type(None)}:
        each = ["" if value is None else value if isinstance(value, str) else repr(value) for value in values]
        return _plain_texts(each)
    return None


def _quoted(text: str) -> str:
    """Return a text as a field, in quotes where it needs them."""
    if not any(mark in text for mark in _QUOTED):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _digits(values: Sequence[float]) -> Iterable[str]:
    """Return floats with all their digits, which are made once for each that comes again: that takes a while."""
    different = set(values)
    is_signed = 0.0 in different and any(math.copysign(1, value) < 0 for value in values if not value)  # 0 is -0 there
    if 2 * len(different) > len(values) or is_signed:
        return map(repr, values)
    known = {value: repr(value) for value in different}
    return map(known.__getitem__, values)
