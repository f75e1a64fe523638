"""How wide a text is and how many lines it takes: East Asian characters are twice as wide as a digit."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any, Final

MOST_LINES: Final = 8  # a long answer is read in its cell; taller rows would hide its neighbours
NARROW: Final = 0.92  # of a letter, in digits, by which widths are counted; what is lost at the ends of lines is in it
_WIDE: Final = 2.1  # of a Chinese, Japanese or Korean character in the same size
# what most wide characters are, all of them wide: a run of these is counted at once, any other one by one
_FIRST_WIDE: Final = "\u3001"
_WIDE_RUNS: Final = (  # compiled when there are any, which takes longer than all else here
    f"[{_FIRST_WIDE}-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]+"
)
_NO_WIDTH: Final = ("Mn", "Me", "Cf")  # accents, and characters that only say something of their neighbours


class _Columns(dict[str, int]):
    """The columns of each character that was met."""

    def __missing__(self, character: str) -> int:
        columns = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if unicodedata.category(character) in _NO_WIDTH:
            columns = 0
        self[character] = columns
        return columns


_COLUMNS: Final = _Columns()


def text_columns(text: str) -> int:
    """Return how many columns a text in one line takes.

    >>> text_columns("saúde"), text_columns("塞翁失马"), text_columns("e\u0301")
    (5, 8, 1)
    """
    if text.isascii():
        return len(text)
    others = re.sub(_WIDE_RUNS, "", text) if max(text) >= _FIRST_WIDE else text
    return 2 * (len(text) - len(others)) + (len(others) if others.isascii() else sum(map(_COLUMNS.__getitem__, others)))


def lines(value: Any, width: float, most: int = MOST_LINES) -> int:
    """Return how many lines a text takes in a cell of this width, `most` if it is more.

    >>> lines("short", 20), lines("塞翁失马" * 5, 20), lines("one" * 40 + chr(10) + "two", 20), lines("long" * 99, 20)
    (1, 3, 7, 8)
    """
    if not isinstance(value, str) or (len(value) * 2 <= width and "\n" not in value):
        return 1
    if "\n" in value:
        return min(sum(lines(line, width, most) for line in value.split("\n", most)[:most]), most)
    if value.isascii():
        return min(max(1, math.ceil(NARROW * len(value) / width)), most)
    shown = value[: math.ceil(most * width / NARROW)]  # no more of it can be seen
    columns = text_columns(shown)
    wide = max(columns - len(shown), 0)  # all others are narrow, but for the few that have no width
    return min(max(1, math.ceil((NARROW * (columns - 2 * wide) + _WIDE * wide) / width)), most)
