"""Frames: texts from the rows of a file, and what is refused or noted while they are made."""

import datetime as dt
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.grammar import Condition, Said
from scoresheet.metrics.problem import Problem, refusal
from scoresheet.metrics.role import normal

# How pandas reads a table: every cell as it is, without a header.
_NO_GUESS = {"keep_default_na": False, "na_filter": False}
AS_IT_IS: dict[str, Any] = {"header": None, "dtype": object, **_NO_GUESS}
MAX_COLUMNS = 16_384  # as many as a worksheet has
MAX_EMPTY_CELLS = 20_000_000
OPENING = 21  # rows among which a header is looked for

Behind = dict[tuple[int, str], str]  # what is behind empty cells, by row and header


@dataclass(frozen=True)
class Rules:
    """The options that say how files, columns, cells and rows are read.

    `words` are declared column names, as `normal` returns them; they only serve to suggest
    `--header-row`. `given` are the names of the further tables of the run.
    """

    encoding: str = "utf-8"
    header_row: int | None = None
    sheets: tuple[str, ...] = ()
    skip_sheets: tuple[str, ...] = ()
    records: str = ""
    max_file_mb: int = 200
    words: frozenset[str] = frozenset()
    said: tuple[Said, ...] = ()
    where: tuple[Condition, ...] = ()
    missing_values: tuple[str, ...] = ()
    match: str = "exact"
    extract: str = ""
    by: tuple[str, ...] = ()
    accept: frozenset[str] = frozenset()
    repeats: str = "error"
    given: tuple[str, ...] = ()


@dataclass
class FileTables:
    """The tables of one file by worksheet ("" if the format has none), and what was noted.

    `behind` has by worksheet what is behind cells that read as empty: "formula", if it has no
    stored value, or an error such as "#DIV/0!".
    """

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    behind: dict[str, Behind] = field(default_factory=dict)


def cell_text(value: object) -> str:
    """Return a value as a person would type it; dates are ISO, durations h:mm:ss.

    >>> [cell_text(value) for value in (12.0, 0.1, 1e300, True, None, dt.timedelta(hours=36))]
    ['12', '0.1', '1e+300', 'TRUE', '', '36:00:00']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, int | float):
        return str(int(value)) if value == value // 1 and abs(value) < 1e16 else repr(float(value))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return str(value.date())
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value)


def is_blank(cells: Iterable[str]) -> bool:
    """Return whether all cells are empty or hold only white space."""
    return not any(map(str.strip, cells))


def header_notes(rules: Rules, opening: Mapping[int, Iterable[str]]) -> list[Problem]:
    """Return a note if the header, the first of some rows, has no declared word and one below has.

    The likelier header is the row with the most declared words; the note has the option as hint.
    """
    known = {
        row: len(rules.words.intersection(normal(cell) for cell in cells if len(cell) < 100))
        for row, cells in opening.items()
    }
    first, likelier = next(iter(known)), max(known, key=lambda row: known[row])
    if rules.header_row is not None or known[first] or not known[likelier]:
        return []
    message = f"row {first} has no column name that is known, but row {likelier} has"
    return [Problem("header-row", "note", message, hint=f"--header-row {likelier}")]


def make_frame(rows: pd.DataFrame, notes: Sequence[Problem] = ()) -> pd.DataFrame:
    """Return the table of the rows that are not blank, the first of which is the header.

    Columns with neither a header nor a value are dropped. A column that has only values is called
    by its letter, as in `(column D)`. The notes may have a better hint for a refused header.
    """
    names, body = list(map(header_name, rows.iloc[0])), rows.iloc[1:]
    refuse_names(names, notes[0].hint if notes else "")
    for place, name in enumerate(names):
        if not name and not is_blank(body[place]):
            from xlsxwriter.utility import xl_col_to_name  # much quicker to import than openpyxl

            names[place] = f"(column {xl_col_to_name(place)})"
    return body.set_axis(names, axis=1).loc[:, [name != "" for name in names]]


def header_name(cell: str) -> str:
    """Return a header as columns are called: composed, without blanks and marks around it."""
    return unicodedata.normalize("NFC", cell).replace("\ufeff", "").strip()


def refuse_names(names: Sequence[str], hint: str = "") -> None:
    """Refuse a table in which a column name occurs more than once."""
    repeated = len(set(names)) < len(names)
    if repeated and (twice := [n for n, count in Counter(names).items() if n and count > 1]):
        message = f"more than one column has the name {', '.join(twice[:5])}"
        hint = hint or "rename the columns so that each name occurs once"
        raise refusal("duplicate-headers", message, hint)


def refuse_size(rows: int, columns: int, filled: int, hint: str = "") -> None:
    """Refuse a table with too many columns, and a huge one in which most cells are empty."""
    if columns > MAX_COLUMNS:
        message = f"the table has {columns:,} columns; at most {MAX_COLUMNS:,} are read"
        raise refusal("too-large", message, hint)
    if rows * columns > max(MAX_EMPTY_CELLS, 20 * filled):
        message = f"{rows:,} rows of {columns:,} columns are too many, as most cells are empty"
        raise refusal("too-large", message, hint)


def refuse_expanded(source: Source, size: int) -> None:
    """Refuse a compressed file by the number of bytes that it expands to."""
    if size > max(64 * 2**20, 20 * source.path.stat().st_size):
        raise refusal("too-large", "the file expands to more than 64 MB and 20 times its size")
