"""The cells of a table as rows of a worksheet's XML: in Python, always there, the twin of `_cells.c`."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any, Final

from scoresheet.cli.write.cell_text import LOOKS_ESCAPED, element_text, fit_cell
from scoresheet.cli.write.shared_strings import SharedStrings
from scoresheet.cli.write.text_width import MOST_LINES, NARROW, lines

LONG: Final = 60  # characters
MOST_SHARED: Final = 2**17  # different short strings in the shared table; further ones stand in their cells
MOST_MET: Final = 2**15  # long strings that are remembered, to share them when they come again
_OVERLAPPING: Final = re.compile(r"_x[0-9a-fA-F]{4}_(?=x[0-9a-fA-F]{4}_)")

Known = dict[str, str | None]  # strings that were met, with the end of their cells; None: it stands in its cell


class CellEnds:
    """What follows a cell's address and style, for the values of one workbook.

    Numbers have sixteen digits and short strings stand in the shared table. Long
    strings stand in their cells the first time: few of them repeat, and the shared table would look at each of them
    five times.
    """

    def __init__(self, strings: SharedStrings) -> None:
        self.known: Known = {}
        self._strings = strings

    def of(self, value: Any) -> str:
        """Return the end of a value's cell; '' for a cell that is not written."""
        if isinstance(value, str):
            return self._of_text(value)
        if value is None or value != value:  # noqa: PLR0124 - NaN
            return ""
        if math.isinf(value):
            return f' t="s"><v>{self._strings.number("inf" if value > 0 else "-inf")}</v></c>'
        return f"><v>{value:.16G}</v></c>"

    def _of_text(self, text: str) -> str:
        end = self.known.get(text)
        if end is not None:
            return end
        if _is_plain(text) and len(self._strings) < MOST_SHARED:
            end = self.known[text] = f' t="s"><v>{self._strings.number(text)}</v></c>'
            return end
        shown = fit_cell(text)
        if self._stands_in_place(text):
            if len(text) > LONG:
                self.known[text] = None
            return f' t="inlineStr"><is><t xml:space="preserve">{element_text(shown)}</t></is></c>'
        end = self.known[text] = f' t="s"><v>{self._strings.number(shown)}</v></c>' if text else ""
        return end

    def _stands_in_place(self, text: str) -> bool:
        """Return whether a string is written into its cell rather than the shared table."""
        if "_x" in text and LOOKS_ESCAPED.search(text):
            # _x0041_x0042_ stands in its cell: not every program reads it right from the table
            return bool(_OVERLAPPING.search(text))
        full = len(self._strings) >= MOST_SHARED
        return (len(text) > LONG and text not in self.known) or (full and bool(text))

    def forget_single_strings(self) -> None:
        """Forget the long strings that were met once, if they are many: they would be shared if they came again."""
        if len(self.known) - len(self._strings) > MOST_MET:
            for text in [text for text, end in self.known.items() if end is None]:
                del self.known[text]


def _is_plain(text: str) -> bool:
    """Return whether a text is short, and a cell and the shared table hold it as it is; nearly all are."""
    return 0 < len(text) <= LONG and text.isascii() and text.isprintable() and "_x" not in text and text[0] != "<"


class Block:
    """The cells of some rows of a table."""

    def __init__(self, columns: list[list[Any]], ends: CellEnds) -> None:
        self._ends = [_ends_of(values, ends) for values in columns]

    def xml(self, first: int, starts: list[tuple[str, str]], heights: list[float]) -> bytes:
        """Return the rows in XML, numbered from `first` on; a height of 0 leaves a row as it is.

        A column starts its cells with what stands before and after the row's number.
        """
        numbers = [str(first + place) for place in range(len(heights))]
        shapes = {height: f' ht="{height:g}" customHeight="1"' if height else "" for height in set(heights)}
        template, parts = '<row r="%s"%s>', [numbers, [shapes[height] for height in heights]]
        for (head, style), ends in zip(starts, self._ends, strict=True):
            if all(ends):
                template += f"{head.replace('%', '%%')}%s{style.replace('%', '%%')}%s"
                parts += [numbers, ends]
            elif any(ends):
                template += "%s"
                cells = zip(numbers, ends, strict=True)
                parts.append([f"{head}{number}{style}{end}" if end else "" for number, end in cells])
        return "".join(map(f"{template}</row>".__mod__, zip(*parts, strict=True))).encode()


def _ends_of(values: list[Any], ends: CellEnds) -> list[str]:
    """Return the end of each cell of a column; what is known of a text need not be asked for."""
    known, of = ends.known, ends.of
    if set(map(type, values)) <= {str}:
        return [end if end is not None else of(text) for text, end in zip(values, map(known.get, values), strict=True)]
    met: dict[Any, str] = {}  # many numbers repeat
    made = []
    for value in values:
        end = met.get(value) if value else None  # 0 and -0 are equal, and differ in their cells
        if end is None:
            end = of(value)
            if value.__class__ is int or (value.__class__ is float and math.isfinite(value)):  # infinity is a text
                met[value] = end
        made.append(end)
    return made


def raise_lines(tallest: list[int], values: list[Any], width: float) -> None:
    """Raise each row's number of lines to what the texts of a column take."""
    # most texts are of ASCII and have no line breaks: the lines they take depend on their length alone
    by_length = _lines_by_length(width)
    longest = len(by_length) - 1
    if min(tallest, default=1) >= 1 and _take_one_line(values, by_length):
        return
    for row, value in enumerate(values):
        if isinstance(value, str) and value and tallest[row] < MOST_LINES:
            if value.isascii() and "\n" not in value:
                taken = by_length[min(len(value), longest)]
            else:
                taken = lines(value, width)
            tallest[row] = max(tallest[row], taken)


def _take_one_line(values: list[Any], by_length: list[int]) -> bool:
    """Return whether all values are texts of ASCII that are short, as those of most columns are."""
    if set(map(type, values)) != {str} or by_length[min(max(map(len, values)), len(by_length) - 1)] > 1:
        return False
    joined = "".join(values)
    return joined.isascii() and "\n" not in joined


@cache
def _lines_by_length(width: float) -> list[int]:
    """Return how many lines letters take in a cell, by their number, up to one that takes the most there are."""
    return [lines("x" * length, width) for length in range(math.ceil(MOST_LINES * width / NARROW) + 1)]
