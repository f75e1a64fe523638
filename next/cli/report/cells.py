"""The cells of worksheets: how they look, and rows of them as XML (ECMA-376, SpreadsheetML).

XlsxWriter makes the workbook, with a header and one row of samples for each tone on every page;
the rows then take the place of the samples. With a method call for each cell a whole run would
take 1.6 times as long.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np

from scoresheet.cli.report import Column, Page, Tone
from scoresheet.cli.report.text import MINUS, excel_format, show

MOST_ROWS = 1_048_576  # of a worksheet
ROWS_AT_ONCE = 1000
INK, SOFT, HEADER_FILL, RULE = "#1F2933", "#5B6773", "#F3F1EB", "#D9D5CC"
TONES: dict[Tone | None, dict[str, str]] = {
    None: {},
    "good": {"bg_color": "#E3F0E6", "font_color": "#2F6B3F"},
    "middle": {"bg_color": "#FBF0D5", "font_color": "#8A6100"},
    "bad": {"bg_color": "#F9E1DF", "font_color": "#A3242B"},
}
CUT = " … [cut]"
LONGEST_TEXT, TALLEST_ROW = 32_767, 409  # limits of Excel: UTF-16 units of a cell, points of a row
CHARACTERS = 50 / 44  # Latin letters in one unit of column width

# What XML cannot hold is written as _xHHHH_, and so is what looks like that.
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)")
_SAMPLE = re.compile(r'<c r="([A-Z]+)\d+" s="(\d+)"')
_WORKSHEET = re.compile("(.*<sheetData>.*?</row>)(.*)(</sheetData>.*)", re.DOTALL)
_NUMBERS = (float, int, np.number)
_HALF = re.compile("[\ud800-\udfff]")
# Characters that take the place of 2.3 Latin ones: CJK, Hangul, full width forms, emoji.
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)


def cell_value(value: Any) -> float | str:
    """Return a value as a cell can hold it: a finite number, else a text.

    Half a character, and that a long text was cut, stay visible.
    """
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        if math.isfinite(value):
            return float(value)
        return show(value, "number", minus=MINUS) if math.isinf(value) else ""
    text = "" if value is None else str(value)
    if not text.isascii():
        text = _HALF.sub("\ufffd", text)
    if len(text) > LONGEST_TEXT // 2:
        units = text.encode("utf-16-le")
        if len(units) > 2 * LONGEST_TEXT:
            # A cut through a surrogate pair leaves half a character, which is dropped.
            text = units[: 2 * (LONGEST_TEXT - len(CUT))].decode("utf-16-le", "ignore") + CUT
    return text


def looks(column: Column, *, first: bool, front: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the format of a column's header and of its cells."""
    align: dict[str, Any] = {"align": "left", "indent": 0 if first else 1}
    if column.role == "interval":
        align = {"align": "center"}
    elif column.on_the_right:
        align = {"align": "right"}
    header = {"bold": True, "bg_color": HEADER_FILL, "valign": "bottom", "text_wrap": True}
    header |= {"bottom": 1, "bottom_color": INK, **align}
    look = {"valign": "vcenter" if front else "top", "text_wrap": column.is_prose, **align}
    look |= {"bottom": 1, "bottom_color": RULE}
    if column.format != "text":
        look["num_format"] = excel_format(column)
    if column.role == "key" or column.headline:
        look["bold"] = True
    if column.role == "note":
        look["font_color"] = SOFT
    return header, look


def column_width(column: Column, values: Iterable[Any], *, front: bool = False) -> float:
    """Return the width of a column in characters."""
    if column.width or column.role == "text":
        return column.width or 44
    if column.role == "key" and not front:
        return 22
    texts = {value for value in values if isinstance(value, str)}
    longest = max(map(_length, texts), default=0) + 3
    if column.role == "key":
        return min(max(16, longest), 40)
    # A short header stays on one line.
    words = column.label.split() if len(column.label) > 8 else [column.label]
    return max(11 if front else 8, *(len(word) + 2 for word in words), min(longest, 40))


def text_lines(text: Any, per_line: float) -> int:
    r"""Return how many lines a text takes in a cell that holds so many characters in one.

    >>> text_lines("one line", 50), text_lines("雪中送炭" * 6, 50), text_lines("a\nb", 50)
    (1, 2, 2)
    """
    if not isinstance(text, str):
        return 1
    if text.isascii() and "\n" not in text:  # nearly every text
        return math.ceil(len(text) / per_line) or 1
    return sum(max(1, math.ceil(_length(line) / per_line)) for line in text.split("\n"))


def row_heights(page: Page) -> list[int]:
    """Return the height of each row of a page in points, by its longest text."""
    lines = [1] * len(page.frame)
    for column in page.columns:
        if column.is_prose:
            cells = page.frame[column.name].tolist()
            # keys are bold
            room = column_width(column, cells) * (1 if column.role == "key" else CHARACTERS)
            lines = [max(n, text_lines(cell, room)) for n, cell in zip(lines, cells, strict=True)]
    return [min(15 * count + 4, TALLEST_ROW) for count in lines]


def _length(text: str) -> float:
    return len(text) if text.isascii() else len(text) + 1.3 * len(_WIDE.findall(text))


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
    styles = dict(zip(TONES, sampled, strict=True))
    heights, count = row_heights(page), min(len(page.frame), MOST_ROWS - 2)
    yield re.sub(r'(<dimension ref="A1:[A-Z]+)\d+', rf"\g<1>{count + 1}", head).encode()
    for start in range(0, count, ROWS_AT_ONCE):
        block = page.frame.iloc[start : min(start + ROWS_AT_ONCE, count)]
        numbered = enumerate(heights[start : start + len(block)], start + 2)
        rows = [f'<row r="{n}" ht="{height}" customHeight="1">' for n, height in numbered]
        for place, name in enumerate(column.name for column in page.columns):
            tones = [page.tones.get((row, name)) for row in range(start, start + len(block))]
            for i, (value, tone) in enumerate(zip(block[name].tolist(), tones, strict=True)):
                letter, style = styles[tone][place]
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
