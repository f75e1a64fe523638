"""Cell values to text, as a person would type them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal


def as_text(value: object) -> str:
    """Return a cell's value as text: 12 and not 12.0, the shortest exact decimals, ISO dates, TRUE and FALSE.

    >>> [as_text(value) for value in (12.0, 0.1, True, date(2024, 1, 31), None, 1e-7)]
    ['12', '0.1', 'TRUE', '2024-01-31', '', '0.0000001']
    """
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return _number(value)
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return _duration(value)
        case _:
            return str(value)


def _number(value: float) -> str:
    if value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    text = repr(value)
    return format(Decimal(text), "f") if "e" in text and 1e-7 <= abs(value) < 1e22 else text


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
