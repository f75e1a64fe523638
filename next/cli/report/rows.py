"""The rows of worksheets, written as the XML of the standard (ECMA-376, SpreadsheetML).

XlsxWriter makes the workbook, with a header and one row of samples for each tone on every page;
the rows then take the place of the samples. With a method call for each cell a whole run would
take 1.4 times as long, and hold all cells in memory.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from scoresheet.cli.report import Page, Tone
from scoresheet.cli.report.cells import cell_value, column_width, row_heights, tones_of

MOST_ROWS = 1_048_576  # of a worksheet
ROWS_AT_ONCE = 1000

_WORKSHEET = re.compile("(.*<sheetData>.*?</row>)(.*)(</sheetData>.*)", re.DOTALL)
_STYLE = re.compile(r'<c r="[A-Z]+\d+" s="(\d+)"')
_LAST_CELL = re.compile(r'(<dimension ref="A1:[A-Z]+)\d+')
_COLUMN = re.compile(r'<c r="([A-Z]+)1"')
# What XML cannot hold is written as _xHHHH_, and so is what looks like that.
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)")


def sampled_tones(page: Page) -> list[Tone | None]:
    """Return the tones of a page's cells, none first, in the order of their sample rows."""
    return [None, *sorted({t for column in page.columns for t in tones_of(page, column).values()})]


def write_with_rows(draft: IO[bytes], path: Path, pages: Mapping[str, Page]) -> None:
    """Write a workbook to its path; `pages` are the worksheets whose rows are to be put in."""
    with ZipFile(draft) as parts, ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as book:
        for name in parts.namelist():
            content = parts.read(name)
            with book.open(name, "w") as part:
                page = pages.get(name)
                part.writelines([content] if page is None else _worksheet(content, page))


def _worksheet(content: bytes, page: Page) -> Iterator[bytes]:
    """Yield the XML of a worksheet with its rows in place of the samples."""
    head, samples, tail = _WORKSHEET.findall(content.decode())[0]
    sampled = map(_STYLE.findall, samples.split("<row ")[1:])
    styles = dict(zip(sampled_tones(page), sampled, strict=True))
    letters, tones = _COLUMN.findall(head), [tones_of(page, column) for column in page.columns]
    widths = [column_width(column, page.frame[column.name]) for column in page.columns]
    frame = page.frame.iloc[: MOST_ROWS - 2]
    yield _LAST_CELL.sub(rf"\g<1>{len(frame) + 1}", head).encode()
    for start in range(0, len(frame), ROWS_AT_ONCE):
        block = frame.iloc[start : start + ROWS_AT_ONCE]
        numbers = range(start + 2, start + 2 + len(block))
        columns = [block[column.name].tolist() for column in page.columns]
        cells = [
            [
                _cell(f"{letter}{number}", styles[toned.get(number - 2)][place], value)
                for number, value in zip(numbers, values, strict=True)
            ]
            for place, (letter, toned, values) in enumerate(
                zip(letters, tones, columns, strict=True)
            )
        ]
        heights = row_heights(page.columns, columns, widths)
        rows = zip(numbers, heights, zip(*cells, strict=True), strict=True)
        yield "".join(_row(number, height, "".join(row)) for number, height, row in rows).encode()
    if len(page.frame) > len(frame):
        mark = f"… [cut] {len(page.frame) - len(frame)} more rows are in the CSV file"
        yield _row(MOST_ROWS, 19, _cell(f"A{MOST_ROWS}", styles[None][0], mark)).encode()
    yield tail.encode()


def _row(number: int, height: float, cells: str) -> str:
    return f'<row r="{number}" ht="{height}" customHeight="1">{cells}</row>'


def _cell(place: str, style: str, value: Any) -> str:
    value = cell_value(value)
    if isinstance(value, float):
        return f'<c r="{place}" s="{style}"><v>{value!r}</v></c>'
    if not value:
        return f'<c r="{place}" s="{style}"/>'
    text = escape(value)
    if not text.isprintable() or "_x" in text:
        text = _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    start = f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">'
    return f"{start}{text}</t></is></c>"
