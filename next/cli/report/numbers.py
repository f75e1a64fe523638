"""Numbers as people read them: the only place where a number is rounded."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pandas as pd

from scoresheet.cli.report.pages import Column
from scoresheet.metrics.measure import Format

MINUS = "−"  # in files; a screen shows a hyphen
UNDEFINED = "–"
DECIMALS: dict[Format, int] = {"accuracy": 1, "share": 0, "points": 1, "options": 1, "count": 0}
PERCENT = ("accuracy", "share")


def is_missing(value: Any) -> bool:
    """Return whether a cell has nothing to show."""
    return bool(pd.isna(value))


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
    if is_missing(value):
        return "" if format == "text" else UNDEFINED
    if format == "text":
        return str(value)
    if format == "p" and value < 0.001:
        return "< 0.001"
    signed = signed or format == "points"
    # The shortest text that gives the number back is what people would round by hand.
    number = Decimal(repr(float(value))) * (100 if format in PERCENT else 1)
    if number.is_finite():
        number = number.quantize(Decimal(1).scaleb(-DECIMALS.get(format, 3)), ROUND_HALF_UP)
    digits = f"{abs(number)}" if number.is_finite() else "∞"
    sign = minus if number < 0 else "+" if signed and number > 0 else ""
    return f"{sign}{digits}{'%' if format in PERCENT else ''}"


def show_interval(
    low: float,
    high: float,
    format: Format,  # noqa: A002
    *,
    minus: str = "-",
    level: float | None = None,
) -> str:
    """Return an interval as text, empty where it is undefined; `level` is added if given.

    >>> show_interval(0.725, 0.782, "number"), show_interval(-44.8, 10.8, "points")
    ('0.725–0.782', '-44.8 to 10.8')
    >>> show_interval(0.261, 0.772, "number", level=0.98333)
    '0.261–0.772 (98.3%)'
    """
    if is_missing(low) or is_missing(high):
        return ""
    plain: Format = "options" if format == "points" else format  # an end is not a difference
    ends = [show(end, plain, minus=minus) for end in (low, high)]
    text = (" to " if any(end.startswith(minus) for end in ends) else "–").join(ends)
    if level is None:
        return text
    return f"{text} ({show(level, 'accuracy').replace('.0%', '%')})"


def cell_text(value: Any, column: Column, *, minus: str = "-") -> str:
    """Return a cell of a page as text, for every report but the workbook."""
    if column.role == "interval" and (is_missing(value) or value == ""):
        return UNDEFINED
    return show(value, column.format, signed=column.signed, minus=minus)


def excel_format(format: Format, signed: bool = False) -> str:  # noqa: A002
    """Return the number format of a cell in a workbook.

    >>> excel_format("number", signed=True), excel_format("accuracy")
    ('+0.000;−0.000;0.000', '0.0%;−0.0%;0.0%')
    """
    if format == "text":
        return "General"
    if format == "p":
        return '[<0.001]"< 0.001";0.000'
    digits = f"{0:.{DECIMALS.get(format, 3)}f}" + ("%" if format in PERCENT else "")
    plus = "+" if signed or format == "points" else ""
    return f"{plus}{digits};{MINUS}{digits};{digits}"
