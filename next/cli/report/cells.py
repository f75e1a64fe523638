"""Cells and tables of a workbook: text that stays text, and how each kind of column looks."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scoresheet.cli.report.numbers import MINUS, excel_format, is_missing
from scoresheet.cli.report.pages import Column, Page, Tone

Styles = Callable[..., Any]  # from properties to the format that has them

INK, SOFT, ACCENT = "#1F2933", "#5B6773", "#1F5F8B"
HEADER_FILL, RULE, BAR = "#F3F1EB", "#D9D5CC", "#D3E2ED"
TONES: dict[Tone, tuple[str, str]] = {
    "good": ("#E3F0E6", "#2F6B3F"),
    "middle": ("#FBF0D5", "#8A6100"),
    "bad": ("#F9E1DF", "#A3242B"),
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


def safe_text(text: str) -> str:
    r"""Return a text that a cell can hold; what had to change stays visible.

    >>> safe_text("a\udc80"), len(safe_text("x" * 40_000)), safe_text("x" * 40_000)[-8:]
    ('a�', 32767, ' … [cut]')
    """
    if not text.isascii():
        text = _HALF.sub("\ufffd", text)
    if len(text) > LONGEST_TEXT // 2:
        units = text.encode("utf-16-le")
        if len(units) > 2 * LONGEST_TEXT:
            # A cut through a surrogate pair leaves half a character, which is dropped.
            return units[: 2 * (LONGEST_TEXT - len(CUT))].decode("utf-16-le", "ignore") + CUT
    return text


def write_text(sheet: Any, row: int, col: int, text: str, style: Any) -> None:
    """Write a text as a string cell, never as a number, formula, link or markup."""
    text = safe_text(text)
    if not text:
        sheet.write_blank(row, col, None, style)
    elif text.startswith("<r>") and text.endswith("</r>"):
        # XlsxWriter copies a string of this shape into the file as XML. In parts it escapes it.
        sheet.write_rich_string(row, col, text[:1], text[1:3], text[3:], style)
    else:
        sheet.write_string(row, col, text, style)


def write_cell(sheet: Any, row: int, col: int, value: Any, style: Any) -> None:
    """Write a value by its type; an undefined number is an empty cell."""
    if isinstance(value, str):
        write_text(sheet, row, col, value, style)
    elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
        if math.isfinite(value):
            sheet.write_number(row, col, value, style)
        elif math.isnan(value):
            sheet.write_blank(row, col, None, style)
        else:
            sheet.write_string(row, col, "∞" if value > 0 else f"{MINUS}∞", style)
    else:
        write_text(sheet, row, col, "" if is_missing(value) else str(value), style)


def write_table(
    sheet: Any, page: Page, styles: Styles, *, top: int = 0, left: int = 0, front: bool = False
) -> list[float]:
    """Write a page with its header in row `top` and return the widths of its columns."""
    rows = min(len(page.frame), MOST_ROWS - top - 2)
    lines, widths = [1] * rows, []
    valign = "vcenter" if front else "top"
    for col, column in enumerate(page.columns, left):
        values = page.frame[column.name].iloc[:rows].tolist()
        widths.append(_width(column, values, front))
        sheet.set_column(col, col, widths[-1])
        look = {**_alignment(column, first=col == left), "text_wrap": True}
        header = {"bold": True, "bg_color": HEADER_FILL, "valign": "bottom", "bottom": 1}
        write_text(sheet, top, col, column.label, styles(**header, bottom_color=INK, **look))
        look = {**look, **_properties(column), "valign": valign}
        plain = styles(**look)
        toned = {
            row: styles(**{**look, "bg_color": TONES[tone][0], "font_color": TONES[tone][1]})
            for row, tone in _tones(page, column).items()
        }
        for row, value in enumerate(values):
            write_cell(sheet, top + 1 + row, col, value, toned.get(row, plain))
        if column.is_prose:
            room = widths[-1] * (1 if column.role == "key" else CHARACTERS)  # keys are bold
            lines = list(map(max, lines, (text_lines(value, room) for value in values)))
    pairs = zip(page.columns, widths, strict=True)
    # Bold letters are wider: the last character and a half of a header does not fit.
    tallest = max(text_lines(column.label, max(width - 1.5, 1)) for column, width in pairs)
    sheet.set_row(top, 15 * tallest + 4)
    for row, count in enumerate(lines, top + 1):
        sheet.set_row(row, min(15 * count + (5 if front else 4), TALLEST_ROW))
    if len(page.frame) > rows:
        mark = f"… [cut] {len(page.frame) - rows} more rows are in the CSV file"
        write_text(sheet, top + 1 + rows, left, mark, styles(bold=True))
    return widths


def _properties(column: Column) -> dict[str, Any]:
    properties: dict[str, Any] = {"bottom": 1, "bottom_color": RULE}
    properties["text_wrap"] = column.is_prose
    if column.format != "text":
        properties["num_format"] = excel_format(column.format, column.signed)
    if column.role == "key" or column.headline:
        properties["bold"] = True
    if column.role == "note":
        properties["font_color"] = SOFT
    return properties


def _alignment(column: Column, *, first: bool) -> dict[str, Any]:
    if column.role == "interval":
        return {"align": "center"}
    if column.on_the_right:
        return {"align": "right"}
    return {"align": "left", "indent": 0 if first else 1}


def _tones(page: Page, column: Column) -> dict[int, Tone]:
    """Return the coloured cells of a column; where there is no score, the empty cell is one."""
    is_empty = column.role in ("measure", "interval") or column.name == "Problem"
    tones: dict[int, Tone] = dict.fromkeys(page.problem_rows if is_empty else (), "middle")
    tones |= {row: tone for (row, name), tone in page.tones.items() if name == column.name}
    return {row: tone for row, tone in tones.items() if tone}


def _width(column: Column, values: Sequence[Any], front: bool) -> float:
    """Return the width of a column in characters."""
    if column.width:
        return column.width
    longest = max((_length(value) for value in values if isinstance(value, str)), default=0) + 3
    if column.role == "key":
        return min(max(16, longest), 40) if front else 22
    if column.role == "text":
        return 44
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
