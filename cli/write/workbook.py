"""Pages to a workbook people like to open: frozen headers, filters, widths, colours, charts, links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from scoresheet.cli.report.page import Page
from scoresheet.cli.write.about import About, write_about
from scoresheet.cli.write.book import Book
from scoresheet.cli.write.charts import Charts
from scoresheet.cli.write.hidden_cells import HiddenCells
from scoresheet.cli.write.names import SheetNames
from scoresheet.cli.write.placement import TableSize, lay_out
from scoresheet.cli.write.sheet import Sheet
from scoresheet.cli.write.worksheet import ROW_LIMIT, write_page
from scoresheet.metrics.records import dataclass

_PROBLEMS: Final = "Problems"
_ABOUT: Final = "About"
_HIDDEN: Final = 5  # first of the hidden columns of About


@dataclass(frozen=True)
class Workbook:
    """A workbook to be: pages of our own making, between them one per input sheet, then Problems and About."""

    title: str
    front: Sequence[Page]
    problems: Page
    about: About
    sheets: Sequence[Page] = ()
    back: Sequence[Page] = ()
    whose: str = ""  # the model or the run, in the titles of charts


def sheet_names(own: Iterable[Page], sheets: Iterable[Page]) -> dict[str, list[str]]:
    """Return the worksheet names of each input sheet: a safe name, and more where its rows exceed one worksheet."""
    names = SheetNames([*(name for page in own for name in _parts(page)), _PROBLEMS, _ABOUT])
    return {
        page.title: [names.take(page.title) for _ in range(0, max(len(page.table), 1), ROW_LIMIT)] for page in sheets
    }


def named_pages(workbook: Workbook) -> dict[str, Page]:
    """Return all pages but About, by the names of the first worksheet of each."""
    names = sheet_names([*workbook.front, *workbook.back], workbook.sheets)
    own = [(page.title, page) for page in workbook.front]
    own += [(names[page.title][0], page) for page in workbook.sheets]
    return dict([*own, *((page.title, page) for page in (*workbook.back, workbook.problems))])


def write_workbook(path: Path, workbook: Workbook, wrote: Callable[[int], None] = lambda _: None) -> str:
    """Write a workbook and return its SHA-256; OSError if that fails.

    `wrote` hears of rows of input sheets, twice of each: when its cells are made, and when they are packed.
    """
    book = Book(workbook.title)
    names = sheet_names([*workbook.front, *workbook.back], workbook.sheets)
    targets = {title: f"internal:'{own[0].replace(chr(39), chr(39) * 2)}'!A1" for title, own in names.items()}
    title = workbook.title
    front = [(book.add_sheet(page.title), page) for page in workbook.front]
    drawn = [(sheet, page, write_page(sheet, page, {**targets, **page.links})) for sheet, page in front]
    for page in workbook.sheets:
        _write_parts(book, page, names[page.title], title, wrote)
    for page in (*workbook.back, workbook.problems):
        drawn += _write_parts(book, page, _parts(page), title)
    about = book.add_sheet(_ABOUT)
    write_about(about, workbook.about, title)
    charts = Charts(HiddenCells(about, _HIDDEN), workbook.whose)
    for sheet, page, size in drawn:
        lay_out(sheet, page, size, charts, title)
    return book.write(path)


def _parts(page: Page) -> list[str]:
    """Return the worksheet names of a page of our own: its title, and more where its rows exceed one worksheet."""
    more = range(2, 2 + (len(page.table) - 1) // ROW_LIMIT)
    return [page.title, *(f"{page.title} ({number})" for number in more)]


def _write_parts(
    book: Book, page: Page, names: Sequence[str], title: str, wrote: Callable[[int], None] = lambda _: None
) -> list[tuple[Sheet, Page, TableSize]]:
    """Write a page into as many worksheets as its rows need; return the first of them if more is to be drawn on it."""
    sheets = [book.add_sheet(name) for name in names]
    left = []
    for part, (name, sheet) in enumerate(zip(names, sheets, strict=True)):
        rows = slice(part * ROW_LIMIT, (part + 1) * ROW_LIMIT)
        written = replace(page, title=name, table=page.table.part(rows) if len(names) > 1 else page.table)
        sheet.on_packed = wrote
        size = write_page(sheet, written, {}, wrote)
        if part == 0 and (page.chart or page.sentence):
            left.append((sheet, page, size))
        else:
            lay_out(sheet, written, size, None, title)
    return left
