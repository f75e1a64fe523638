"""Sources: the files that are read, the rules of reading, and the frame that readers make."""

import datetime as dt
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path

import pandas as pd

from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import normal

MAX_COLUMNS = 16_384  # as many as a worksheet has
MAX_EMPTY_CELLS = 20_000_000

Rows = dict[int, tuple[str, ...]]  # the rows of a file that are not blank, by their number


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is read as one or more tables.

    `name` is shown to the user: the path below the argument. `entry` is the name directly in the
    argument (@path), `folder` the name of the folder that holds the file (@folder), `stem` the
    whole file name without its table extension (@file). `format` is csv, excel, json, jsonl,
    parquet, trec_run, trec_qrels or list. A `nested` file is in a folder below the argument.
    """

    path: Path
    name: str
    entry: str
    folder: str
    stem: str
    format: str
    nested: bool


@dataclass(frozen=True)
class ReadRules:
    """The options that say how files are read.

    `words` are declared column names, as `normal` returns them; they only serve to suggest
    `--header-row`.
    """

    encoding: str = "utf-8"
    header_row: int | None = None
    sheets: tuple[str, ...] = ()
    skip_sheets: tuple[str, ...] = ()
    records: str = ""
    max_file_mb: int = 200
    words: frozenset[str] = frozenset()


@dataclass
class FileTables:
    """The tables of one file by worksheet ("" if the format has none), and what was noted.

    `columns` are the positions in a worksheet of the columns of its table, from 0.
    """

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    columns: dict[str, list[int]] = field(default_factory=dict)


def refusal(kind: str, message: str, *hint: str, column: str = "", row: int = 0) -> Refusal:
    """Return the refusal of a file or a table, with the lines of its hint; its name comes later."""
    lines = "\n".join(hint)
    return Refusal(Problem(kind, "skipped", message, row=row, column=column, hint=lines))


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


def header_notes(rules: ReadRules, rows: Rows) -> list[Problem]:
    """Return a note if the header, the first of the rows, has no declared word and one below has.

    The likelier header is the row with the most declared words; the note has the option as hint.
    """
    known = {
        row: len(rules.words.intersection(normal(cell) for cell in cells if len(cell) < 100))
        for row, cells in islice(rows.items(), 21)
    }
    first, likelier = next(iter(known)), max(known, key=lambda row: known[row])
    if rules.header_row is not None or known[first] or not known[likelier]:
        return []
    message = f"row {first} has no column name that is known, but row {likelier} has"
    return [Problem("header-row", "note", message, hint=f"--header-row {likelier}")]


def make_frame(rows: Rows, hint: str = "") -> tuple[pd.DataFrame, list[int]]:
    """Return the table of the rows that are not blank, and the position of each of its columns.

    The first row is the header. Columns with neither a header nor a value are dropped. A column
    that has only values is called by its letter, as in `(column D)`.
    """
    header, *_ = rows.values()
    names = [unicodedata.normalize("NFC", name).strip() for name in header]
    columns = [column[1:] for column in zip_longest(*rows.values(), fillvalue="")]
    for place, name in enumerate(names):
        if not name and not is_blank(columns[place]):
            from xlsxwriter.utility import xl_col_to_name

            names[place] = f"(column {xl_col_to_name(place)})"
    refuse_names(names, hint)
    kept = {name: place for place, name in enumerate(names) if name}
    index = pd.Index(list(rows)[1:], dtype="int64")
    cells = {name: list(columns[place]) for name, place in kept.items()}
    return pd.DataFrame(cells, index, dtype=object), list(kept.values())


def refuse_names(names: Sequence[str], hint: str = "") -> None:
    """Refuse a table in which a column name occurs more than once."""
    if len(set(names)) == len(names):
        return
    if twice := [name for name, count in Counter(names).items() if name and count > 1]:
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
