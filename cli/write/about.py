"""The About sheet: how the numbers were made, what the columns mean, what the names stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scoresheet.cli.write.print_layout import printed_title
from scoresheet.cli.write.sheet import Printing, Sheet
from scoresheet.cli.write.styles import CELLS, HEADING, NAME
from scoresheet.cli.write.text_width import lines
from scoresheet.cli.write.worksheet import LINE
from scoresheet.metrics.records import dataclass

_NAME_WIDTH: Final = 28
_WIDTH: Final = 110
_MOST_LINES: Final = 25  # a row is at most 409 points high


@dataclass(frozen=True)
class About:
    """Blocks of names and values under headings; nothing in it may differ between equal runs."""

    blocks: Sequence[tuple[str, Sequence[tuple[str, str]]]]


def write_about(sheet: Sheet, about: About, title: str) -> None:
    """Write the blocks one below the other."""
    sheet.set_column(0, _NAME_WIDTH)
    sheet.set_column(1, _WIDTH)
    row = 0
    for heading, entries in about.blocks:
        if not entries:
            continue
        sheet.write_text(row, 0, heading, HEADING)
        row += 1
        for name, value in entries:
            sheet.write_text(row, 0, name, NAME)
            sheet.write_text(row, 1, value, CELLS["text"])
            needed = (lines(value, _WIDTH - 2, _MOST_LINES), lines(name, _NAME_WIDTH - 2, _MOST_LINES))
            sheet.set_height(row, LINE * max(needed))
            row += 1
        row += 1
    sheet.printing = Printing(printed_title(title), across=True, fits=True)
    sheet.print_area = f"$A$1:$B${max(row - 1, 1)}"  # and not the cells that charts are drawn from
    sheet.shows_grid = False
