"""Numbers and lines as people read them: the only place where a number is rounded."""

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pandas as pd
from rich.cells import cell_len, chop_cells

from scoresheet.cli.report import Column
from scoresheet.metrics.measure import Format

MINUS = "−"  # in files; a screen shows a hyphen
UNDEFINED = "–"
DECIMALS = {"accuracy": 1, "share": 0, "points": 1, "options": 1, "short": 2, "count": 0}
PERCENT = ("accuracy", "share")
NO_BREAK = "\u00a0"

# Intervals, p-values and options with their values stay on one line.
_UNBROKEN = re.compile(
    r"[\d.]+% CI [-−]?[\d.]+%?(?:–| to )[-−]?[\d.]+%?|\bp [<=] [\d.]+|(?<!\S)--[\w-]+ \S+"
)

_SIGNS = re.compile(" |(?<= )-(?=[0-9])")  # in them: blanks, and the minus of a number


def show(value: Any, format: Format, *, signed: bool = False, minus: str = "-") -> str:  # noqa: A002
    """Return a value as text, rounded half away from zero.

    A text is returned as it is, whatever the format: a column of differences may say "best".

    >>> show(0.0625, "number"), show(-0.4745, "number", minus="−"), show(0.1, "points")
    ('0.063', '−0.475', '+0.1')
    >>> show(0.0004, "p"), show(0.8755, "accuracy"), show(float("nan"), "number")
    ('< 0.001', '87.6%', '–')
    """
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return "" if format == "text" else UNDEFINED
    if format == "text":
        return str(value)
    if format == "p" and value < 0.001:
        return "< 0.001"
    # The shortest text that gives the number back is what people would round by hand.
    number = Decimal(repr(float(value))) * (100 if format in PERCENT else 1)
    digits = "∞"
    if number.is_finite():
        number = number.quantize(Decimal(1).scaleb(-DECIMALS.get(format, 3)), ROUND_HALF_UP)
        digits = str(abs(number))
    plus = "+" if signed or format == "points" else ""
    sign = minus if number < 0 else plus if number > 0 else ""
    return f"{sign}{digits}{'%' if format in PERCENT else ''}"


def show_level(level: float) -> str:
    """Return a confidence level as text, with the digits that tell it from 100%.

    >>> show_level(0.95), show_level(1 - 0.05 / 3), show_level(1 - 0.05 / 4950)
    ('95%', '98.3%', '99.999%')
    """
    left = round(100 * (1 - level), 12)
    digits = max(1, math.ceil(-math.log10(left)))
    return f"{100 * level:.{digits}f}%".replace(".0%", "%")


def show_interval(low: float, high: float, format: Format) -> str:  # noqa: A002
    """Return an interval as text, empty where it is undefined.

    >>> show_interval(0.725, 0.782, "number"), show_interval(-44.8, 10.8, "points")
    ('0.725–0.782', '-44.8 to 10.8')
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    plain: Format = "options" if format == "points" else format  # an end is not a difference
    ends = [show(end, plain) for end in (low, high)]
    return (" to " if any(end.startswith("-") for end in ends) else "–").join(ends)


def cell_text(value: Any, column: Column, *, minus: str = "-") -> str:
    """Return a cell of a page as text, for every report but the workbook."""
    text = show(value, column.format, signed=column.signed, minus=minus)
    return (text or UNDEFINED).replace("-", minus) if column.role == "interval" else text


def excel_format(column: Column) -> str:
    """Return the number format of a column in a workbook."""
    if column.format == "p":
        return '[<0.001]"< 0.001";0.000'
    digits = show(0, column.format)
    plus = "+" if column.signed or column.format == "points" else ""
    return f"{plus}{digits};{MINUS}{digits};{digits}"


def unbroken(text: str, minus: str = "-") -> str:
    """Return a sentence with no-break spaces inside its intervals, p-values and options."""
    signs = {" ": NO_BREAK, "-": minus}
    return _UNBROKEN.sub(lambda found: _SIGNS.sub(lambda s: signs[s[0]], found[0]), text)


def wrap(text: str, width: int, *, separator: str = " ", indent: int = 0) -> list[str]:
    """Return lines of at most `width` cells, broken at separators only, which are then dropped.

    A part that is longer than a line is folded. Lines after the first are indented.

    >>> wrap("a.csv: model ← file name · idiom", 26, separator=" · ", indent=2)
    ['a.csv: model ← file name', '  idiom']
    """
    lines = [""]
    for part in text.split(separator):
        longer = lines[-1] + separator + part if lines[-1] else part
        if lines[-1] and cell_len(longer) > width - (indent if lines[1:] else 0):
            lines.append(part)
        else:
            lines[-1] = longer
        if cell_len(lines[-1]) > width - (indent if lines[1:] else 0):
            lines[-1:] = chop_cells(lines[-1], max(width - indent, 2))
    return [(" " * indent if n else "") + line for n, line in enumerate(lines)]


def cut_middle(text: str, width: int, mark: str = "…") -> str:
    """Return a name of at most `width` cells, cut in the middle: both ends tell names apart.

    >>> cut_middle("Meta-Llama-3.1-70B-Instruct", 16)
    'Meta-Lla…nstruct'
    """
    if cell_len(text) <= width:
        return text
    room = width - cell_len(mark)
    start = chop_cells(text, room - room // 2)[0]
    end = chop_cells(text[::-1], room // 2)[0][::-1]
    return f"{start}{mark}{end}"
