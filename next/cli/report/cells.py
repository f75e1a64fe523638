"""The rows of worksheets as XML (ECMA-376, SpreadsheetML).

XlsxWriter makes the workbook, with a header and one row of samples for each tone on every page;
the rows then take the place of the samples. With a method call for each cell a whole run would
take 1.6 times as long.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from scoresheet.cli.report import Page
from scoresheet.cli.report.looks import cell_value, row_heights, sampled_tones, tones_of

MOST_ROWS = 1_048_576  # of a worksheet
ROWS_AT_ONCE = 1000

# What XML cannot hold is written as _xHHHH_, and so is what looks like that.
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)")
_SAMPLE = re.compile(r'<c r="([A-Z]+)\d+" s="(\d+)"')
_WORKSHEET = re.compile("(.*<sheetData>.*?</row>)(.*)(</sheetData>.*)", re.DOTALL)


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
    sampled = (_SAMPLE.findall(row) for row in samples.split("<row ")[1:])
    styles = dict(zip(sampled_tones(page), sampled, strict=True))
    tones = [tones_of(page, column) for column in page.columns]
    heights, count = row_heights(page), min(len(page.frame), MOST_ROWS - 2)
    yield re.sub(r'(<dimension ref="A1:[A-Z]+)\d+', rf"\g<1>{count + 1}", head).encode()
    for start in range(0, count, ROWS_AT_ONCE):
        block = page.frame.iloc[start : min(start + ROWS_AT_ONCE, count)]
        numbered = enumerate(heights[start : start + len(block)], start + 2)
        rows = [f'<row r="{n}" ht="{height}" customHeight="1">' for n, height in numbered]
        for place, (column, toned) in enumerate(zip(page.columns, tones, strict=True)):
            for i, value in enumerate(block[column.name].tolist()):
                letter, style = styles[toned.get(start + i)][place]
                rows[i] += f'<c r="{letter}{start + i + 2}" s="{style}"{_content(value)}'
        yield "".join(f"{row}</row>" for row in rows).encode()
    if len(page.frame) > count:
        mark = _content(f"… [cut] {len(page.frame) - count} more rows are in the CSV file")
        _, style = styles[None][0]
        yield f'<row r="{MOST_ROWS}"><c r="A{MOST_ROWS}" s="{style}"{mark}</row>'.encode()
    yield tail.encode()


def _content(value: Any) -> str:
    """Return a cell from the end of its attributes on."""
    value = cell_value(value)
    if isinstance(value, float):
        return f"><v>{value!r}</v></c>"
    if not value:
        return "/>"
    text = escape(value)
    if not text.isprintable() or "_x" in text:
        text = _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    return f' t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
