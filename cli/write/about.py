"""The About sheet: how the numbers were made, what the columns mean, what the names stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.write.cell_text import fit_cell
from scoresheet.cli.write.print_layout import set_up_paper
from scoresheet.cli.write.text_width import lines
from scoresheet.cli.write.worksheet import LINE, Styles
from scoresheet.metrics.records import dataclass

_NAME_WIDTH: Final = 28
_WIDTH: Final = 110
_MOST_LINES: Final = 25  # a row is at most 409 points high


@dataclass(frozen=True)
class About:
    """Blocks of names and values under headings; nothing in it may differ between equal runs."""

    blocks: Sequence[tuple[str, Sequence[tuple[str, str]]]]


def write_about(sheet: Worksheet, about: About, styles: Styles, title: str) -> None:
    """Write the blocks one below the other."""
    sheet.set_column(0, 0, _NAME_WIDTH)
    sheet.set_column(1, 1, _WIDTH)
    row = 0
    for heading, entries in about.blocks:
        if not entries:
            continue
        sheet.write_string(row, 0, heading, styles.heading)
        row += 1
        for name, value in entries:
            sheet.write_string(row, 0, fit_cell(name), styles.name)
            sheet.write_string(row, 1, fit_cell(value), styles.wrapped)
            needed = (lines(value, _WIDTH - 2, _MOST_LINES), lines(name, _NAME_WIDTH - 2, _MOST_LINES))
            sheet.set_row(row, LINE * max(needed))
            row += 1
        row += 1
    set_up_paper(sheet, title, across=True)
    sheet.print_area(0, 0, max(row - 2, 0), 1)  # and not the cells that charts are drawn from
    sheet.fit_to_pages(1, 0)
    sheet.hide_gridlines(2)
