"""Tables of texts as columns of plain values: numbers with as many digits as are looked at, long texts cut."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pandas as pd

from scoresheet.cli.report.page import Column

DIGITS: Final = 5  # of a number on the page, which shows three decimals; the files hold all
LONGEST: Final = 320  # characters of a text
_NUMERIC: Final = ("score", "share", "chance", "count")
_ANY_NUMBER: Final = re.compile(r"(?<![A-Za-z])k(?![A-Za-z])|\d+")
_ANY_NAME: Final = re.compile(r"<\w+>")


class NamedColumns:
    """What columns mean, by their names; of those of which a run has several, by what their names have in common."""

    def __init__(self, *known: Sequence[Column]) -> None:
        columns = [column for some in known for column in some]
        self._exact = {column.name: column for column in reversed(columns)}
        self._patterns = [(_pattern(column.name), column) for column in columns]

    def described(self, name: str) -> Column:
        """Return the column of this name; one that nobody declared, such as one kept from the input, is a text.

        >>> NamedColumns([Column("ILD@k", "…", "score"), Column("Score_<judge>", "…", "score")]).described("ILD@7").kind
        'score'
        """
        if found := self._exact.get(name):
            return found
        alike = next((column for pattern, column in self._patterns if pattern.fullmatch(name)), None)
        return Column(name, alike.about, alike.kind, better=alike.better) if alike else Column(name, "")


def _pattern(name: str) -> re.Pattern[str]:
    escaped = _ANY_NUMBER.sub("\0", _ANY_NAME.sub("\1", name))
    return re.compile(re.escape(escaped).replace("\0", r"\d+").replace("\1", r".+"), re.DOTALL)


def table_values(table: pd.DataFrame, columns: NamedColumns) -> list[dict[str, Any]]:
    """Return the columns of a table: what each is, and its cells."""
    return [column_values(columns.described(str(name)), table[name]) for name in table.columns]


def column_values(column: Column, cells: Iterable[str]) -> dict[str, Any]:
    """Return a column of texts with its cells: numbers where it is declared to have them, and has nothing else."""
    texts = list(cells)
    numbers = numbers_of(texts) if column.kind in _NUMERIC else None
    values: dict[str, Any] = {"name": column.name}
    values |= {"about": column.about} if column.about else {}
    values |= {"better": column.better} if column.better else {}
    values |= {"key": True} if column.kind == "key" else {}
    if numbers is not None:
        return values | {"kind": column.kind, "cells": list(map(short_number, numbers))}
    shown = list(map(short_text, texts))
    distinct = list(dict.fromkeys(shown))
    if 2 * len(distinct) > len(shown):
        return values | {"kind": "text", "cells": shown}
    places = {text: place for place, text in enumerate(distinct)}
    return values | {"kind": "text", "texts": distinct, "cells": [places[text] for text in shown]}


def numbers_of(cells: Iterable[str]) -> list[float] | None:
    """Return the cells as numbers, empty ones as undefined; None if any of them is another text.

    >>> numbers_of(["0.5", ""]), numbers_of(["0.5", "half"])
    ([0.5, nan], None)
    """
    try:
        return [float(cell) if cell else math.nan for cell in cells]
    except ValueError:
        return None


def short_number(value: float) -> float | int | str | None:
    """Return a number with the digits that a reader looks at; nothing for one that is undefined.

    >>> short_number(1 / 3), short_number(2.0), short_number(math.nan), short_number(-math.inf)
    (0.33333, 2, None, '−∞')
    """
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if float(value).is_integer() and abs(value) < 1e15:
        return int(value)
    return float(f"{value:.{DIGITS}g}")


def short_text(text: str) -> str:
    """Return a text whole, or its beginning and how much there is of it."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… [{len(text):,} characters in all]"
