"""How a worksheet is laid out on paper: A4, upright or across, at a size that can be read, nothing cut in two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from scoresheet.cli.report.page import Column
from scoresheet.cli.write.cell_text import escape_control_characters
from scoresheet.cli.write.sheet import Printing, Sheet
from scoresheet.metrics.records import dataclass

SMALLEST: Final = 0.6  # at which a table can still be read
_UPRIGHT_SMALLEST: Final = 0.8  # below it, the table stands across
_DIGIT: Final = 8.4  # pixels of a digit where Calibri is not there; those of Calibri have 7
_CALIBRI: Final = 7 / _DIGIT
_MOST_KEYS: Final = 4  # columns among which those that are repeated on each page are looked for
_KEY_SHARE: Final = 0.35  # of a page, at the smallest size, that these may take
_LONGEST_TITLE: Final = 80  # characters; a header has 255, and an ampersand takes three
_KEPT: Final = 256  # layouts that come again in other worksheets


@dataclass(frozen=True)
class _Paper:
    """Pixels of a page of A4 between its margins, at full size."""

    width: float
    height: float


_UPRIGHT, _ACROSS = _Paper(700, 960), _Paper(1020, 640)  # a little less than there is, since sizes are rounded


@dataclass(frozen=True)
class PrintLayout:
    """Which columns stand on which page, and at what size."""

    across: bool
    scale: float
    starts: tuple[int, ...]  # the columns that pages begin with
    keys: int  # columns on the left that every page repeats
    drawn_from: int  # the first column that something may be drawn over: what lies over repeated ones is repeated too
    room: float  # pixels, at that size and in Calibri, that it may be wide
    height: float  # pixels that a page is high, at that size


def pixels(width: float) -> float:
    """Return how many pixels a column of this width in characters has at most, whatever font stands for ours."""
    return _DIGIT * width + 5


def print_layout(
    columns: Sequence[Column], widths: Sequence[float], drawn: float = 0, *, beside: bool = False
) -> PrintLayout:
    """Return how a table of these widths is printed; `drawn` is the width of what stands below or beside it.

    What is drawn is as wide as the columns that it lies over, and so wider too where a font is.
    """
    wide = tuple(map(pixels, widths))
    return _layout(wide, _keys(columns, wide), drawn / _CALIBRI, beside=beside)


@lru_cache(_KEPT)  # sheets that answer the same questions are as wide
def _layout(wide: tuple[float, ...], keys: int, drawn: float, *, beside: bool) -> PrintLayout:
    repeated = sum(wide[:keys]) if beside else 0.0
    after = len(wide) + 1
    needed = max(sum(wide), repeated + drawn, 1.0)
    for paper, smallest in ((_UPRIGHT, _UPRIGHT_SMALLEST), (_ACROSS, SMALLEST)):
        if needed <= paper.width / smallest:
            scale = min(1.0, paper.width / needed)
            room = _CALIBRI * (paper.width / scale - repeated)
            return PrintLayout(paper is _ACROSS, scale, (0,), keys, after if beside else 0, room, paper.height / scale)
    # as few pages as the smallest size allows, and then as large as these few allow
    fewest = len(_starts(wide, keys, SMALLEST))
    for percent in range(100, int(100 * SMALLEST) - 1, -1):
        scale = percent / 100
        starts = _starts(wide, keys, scale)
        room = _ACROSS.width / scale - repeated if beside else sum(wide[keys : starts[1]])
        if len(starts) == fewest and room >= drawn:
            break
    return PrintLayout(True, scale, starts, keys, after if beside else keys, _CALIBRI * room, _ACROSS.height / scale)


def set_up_print(
    sheet: Sheet, layout: PrintLayout, title: str, rows: Sequence[int] = (), *, beside: bool = False
) -> None:
    """Set up a sheet's pages: size, breaks, what is repeated, and whose report it is at the top and which page below.

    `rows` are those that begin a page; what stands `beside` the table has a page of its own.
    """
    starts = [*layout.starts[1:], *([layout.drawn_from] if beside else [])]
    breaks = bool(starts or rows)  # they do not count where a sheet is fitted to pages
    sheet.printing = Printing(
        printed_title(title),
        across=layout.across,
        scale=int(100 * layout.scale) if breaks else 100,
        fits=layout.scale < 1 and not breaks,
        over_then_down=len(layout.starts) > 1,
        rows=rows,
        columns=starts,
    )
    sheet.repeated_columns = layout.keys


def printed_title(title: str) -> str:
    """Return a title as it stands at the top of printed pages."""
    # && is an ampersand; nobody sees the joiner after it
    return escape_control_characters(title)[:_LONGEST_TITLE].replace("&", "&&\u2060")


def _keys(columns: Sequence[Column], wide: Sequence[float]) -> int:
    """Return how many columns on the left say what a row is about."""
    keys = max((place for place, column in enumerate(columns[:_MOST_KEYS], start=1) if column.kind == "key"), default=1)
    while keys > 1 and sum(wide[:keys]) > _KEY_SHARE * _ACROSS.width / SMALLEST:
        keys -= 1
    return keys


def _starts(wide: Sequence[float], keys: int, size: float) -> tuple[int, ...]:
    """Return the columns that begin a page where each holds as many as there is room for, after those repeated."""
    room = _ACROSS.width / size
    starts, used = [0], 0.0
    for place, pixels_of_column in enumerate(wide):
        if used + pixels_of_column > room and place > max(starts[-1], keys - 1):
            starts.append(place)
            used = sum(wide[:keys])
        used += pixels_of_column
    return tuple(starts)
