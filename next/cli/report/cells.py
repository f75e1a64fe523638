"""Cells and tables of a workbook: text that stays text, and how each kind of column looks."""

import math
import re
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.report import Column, Page, Tone
from scoresheet.cli.report.text import MINUS, excel_format

INK, SOFT, HEADER_FILL, RULE = "#1F2933", "#5B6773", "#F3F1EB", "#D9D5CC"
TONES: dict[Tone, dict[str, str]] = {
    "good": {"bg_color": "#E3F0E6", "font_color": "#2F6B3F"},
    "middle": {"bg_color": "#FBF0D5", "font_color": "#8A6100"},
    "bad": {"bg_color": "#F9E1DF", "font_color": "#A3242B"},
}
CUT = " … [cut]"
# The limits of Excel: UTF-16 units in a cell, rows of a sheet, points of a row.
LONGEST_TEXT, MOST_ROWS, TALLEST_ROW = 32_767, 1_048_576, 409
CHARACTERS = 50 / 44  # Latin letters in one unit of column width

# What XML cannot hold. In cells XlsxWriter escapes all of it but half characters.
NOT_XML = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
_HALF = re.compile("[\ud800-\udfff]")
# Characters that take the place of 2.3 Latin ones: CJK, Hangul, full width forms, emoji.
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)


def write_text(sheet: Any, row: int, col: int, text: str, style: Any) -> None:
    """Write a text as a string cell, never as a number, formula, link or markup.

    What a cell cannot hold stays visible: half a character, and that a text was cut.
    """
    if not text.isascii():
        text = _HALF.sub("\ufffd", text)
    if len(text) > LONGEST_TEXT // 2:
        units = text.encode("utf-16-le")
        if len(units) > 2 * LONGEST_TEXT:
            # A cut through a surrogate pair leaves half a character, which is dropped.
            text = units[: 2 * (LONGEST_TEXT - len(CUT))].decode("utf-16-le", "ignore") + CUT
    if not text:
        sheet.write_blank(row, col, None, style)
    elif text.startswith("<r>") and text.endswith("</r>"):
        # XlsxWriter copies a string of this shape into the file as XML. In parts it escapes it.
        sheet.write_rich_string(row, col, text[:1], text[1:3], text[3:], style)
    else:
        sheet.write_string(row, col, text, style)


def _write_value(sheet: Any, row: int, col: int, value: Any, style: Any) -> None:
    """Write a value by its type; an undefined number is an empty cell."""
    if type(value) is float and math.isfinite(value):
        sheet.write_number(row, col, value, style)
    elif isinstance(value, str):
        write_text(sheet, row, col, value, style)
    elif pd.isna(value):
        sheet.write_blank(row, col, None, style)
    elif isinstance(value, bool) or not isinstance(value, int | float | np.number):
        write_text(sheet, row, col, str(value), style)
    elif math.isfinite(value):
        sheet.write_number(row, col, value, style)
    else:
        sheet.write_string(row, col, "∞" if value > 0 else f"{MINUS}∞", style)


def write_table(
    sheet: Any, page: Page, styles: Any, *, top: int = 0, left: int = 0, front: bool = False
) -> list[float]:
    """Write a page with its header in row `top` and return the widths of its columns.

    `styles` returns the format that has the given properties.
    """
    frame = page.frame.iloc[: MOST_ROWS - top - 2]
    lines, header_lines, widths = [1] * len(frame), 1, []
    for col, column in enumerate(page.columns, left):
        values = frame[column.name].tolist()
        width = _width(column, values, front)
        widths.append(width)
        sheet.set_column(col, col, width)
        # Bold letters are wider: the last character and a half of a header does not fit.
        header_lines = max(header_lines, text_lines(column.label, max(width - 1.5, 1)))
        header, look = _looks(column, first=col == left, front=front)
        write_text(sheet, top, col, column.label, styles(**header))
        plain = styles(**look)
        toned = {
            row + top + 1: styles(**{**look, **TONES[tone]})
            for row, tone in _tones(page, column).items()
        }
        write = write_text if all(type(value) is str for value in values) else _write_value
        for row, value in enumerate(values, top + 1):
            write(sheet, row, col, value, toned.get(row, plain))
        if column.is_prose:
            room = width * (1 if column.role == "key" else CHARACTERS)  # keys are bold
            lines = list(map(max, lines, (text_lines(value, room) for value in values)))
    sheet.set_row(top, 15 * header_lines + 4)
    for row, count in enumerate(lines, top + 1):
        sheet.set_row(row, min(15 * count + (5 if front else 4), TALLEST_ROW))
    if len(page.frame) > len(frame):
        mark = f"… [cut] {len(page.frame) - len(frame)} more rows are in the CSV file"
        write_text(sheet, top + 1 + len(frame), left, mark, styles(bold=True))
    return widths


def _looks(column: Column, *, first: bool, front: bool) -> tuple[dict[str, Any], dict[str, Any]]:
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


def _tones(page: Page, column: Column) -> dict[int, Tone]:
    """Return the coloured cells of a column; where there is no score, the empty cell is one."""
    is_empty = column.role in ("measure", "interval") or column.name == "Problem"
    tones: dict[int, Tone] = dict.fromkeys(page.problem_rows if is_empty else (), "middle")
    return tones | {row: tone for (row, name), tone in page.tones.items() if name == column.name}


def _width(column: Column, values: list[Any], front: bool) -> float:
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
    if not isinstance(text, str) or (len(text) <= per_line and text.isascii() and "\n" not in text):
        return 1
    return sum(max(1, math.ceil(_length(line) / per_line)) for line in text.split("\n"))


def _length(text: str) -> float:
    return len(text) if text.isascii() else len(text) + 1.3 * len(_WIDE.findall(text))
