"""CSV files at full precision, safe to open in a spreadsheet."""

import csv
import re
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pandas.api.types import is_numeric_dtype

# A spreadsheet may run a cell that starts with one of these as a formula.
_RISKY = frozenset("=+-@\t\r\n")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guard(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are.

    >>> guard("=1+1"), guard("-0.5"), guard("- 5"), guard("plain")
    ("'=1+1", '-0.5', "'- 5", 'plain')
    """
    if isinstance(value, str) and value[:1] in _RISKY and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as UTF-8 with plain line feeds; undefined numbers are empty."""
    columns: dict[int, pd.Series[Any]] = {}
    header = [str(guard(name)) for name in frame.columns]
    quoting: Literal[0, 2] = csv.QUOTE_MINIMAL
    for position, name in enumerate(header):
        columns[position] = frame.iloc[:, position]
        if not is_numeric_dtype(columns[position].dtype):
            cells = [guard(value) for value in columns[position]]
            # Texts may hold half a character, which only objects can.
            columns[position] = pd.Series(cells, index=frame.index, dtype=object)
            if any(isinstance(cell, str) and "\r" in cell for cell in (name, *cells)):
                # The csv module puts quotes around a carriage return only if it quotes all texts.
                quoting = csv.QUOTE_NONNUMERIC
    options = {"index": False, "lineterminator": "\n", "errors": "backslashreplace"}
    guarded = pd.DataFrame(columns, index=frame.index)
    guarded.to_csv(path, header=header, quoting=quoting, **options)  # type: ignore[call-overload]
