"""Sources: the files that are read, the rules of reading, and the frame that readers make."""

import datetime as dt
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import normal

MAX_COLUMNS = 16_384  # as many as a worksheet has


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
    """The tables of one file by worksheet ("" if the format has none), and what was noted."""

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def refusal(source: Source, kind: str, message: str, hint: str = "", sheet: str = "") -> Refusal:
    """Return the refusal of a file, or of one of its worksheets."""
    return Refusal(Problem(kind, "skipped", message, source.name, sheet, hint=hint))


def note(source: Source, kind: str, message: str, hint: str = "", sheet: str = "") -> Problem:
    """Return a note about a file, or about one of its worksheets."""
    return Problem(kind, "note", message, source.name, sheet, hint=hint)


def expanded_limit(source: Source) -> int:
    """Return how many bytes a compressed file may expand to: 20 times its size, or 64 MB."""
    return max(64 * 2**20, 20 * source.path.stat().st_size)


def cell_text(value: object) -> str:
    """Return a value as a person would type it; dates are ISO, durations h:mm:ss.

    >>> [cell_text(value) for value in (12.0, 0.1, 1e300, True, None, dt.timedelta(hours=36))]
    ['12', '0.1', '1e+300', 'TRUE', '', '36:00:00']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return str(int(value)) if value == value // 1 and abs(value) < 1e16 else repr(float(value))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return str(value.date())
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return "" if value is None else str(value)


def is_blank(cells: Iterable[str]) -> bool:
    """Return whether all cells are empty or hold only white space."""
    return not any(cell and not cell.isspace() for cell in cells)


def header_notes(
    source: Source, rules: ReadRules, row: int, rows: Iterable[Sequence[str]], sheet: str = ""
) -> list[Problem]:
    """Return a note if the header, the first of the rows, has no declared word and one below has.

    The likelier header is the row with the most declared words; the note has the option as hint.
    """
    known = []
    for cells in islice(rows if rules.words and rules.header_row is None else (), 21):
        known.append(len(rules.words.intersection(normal(c) for c in cells if len(c) < 100)))
        if known[0]:
            return []
    if not any(known):
        return []
    likelier = row + known.index(max(known))
    message = f"row {row} has no column name that is known, but row {likelier} has"
    return [note(source, "header-row", message, f"--header-row {likelier}", sheet)]


def make_frame(
    source: Source, rows: Mapping[int, Sequence[str]], sheet: str = "", hint: str = ""
) -> tuple[pd.DataFrame, list[int]]:
    """Return the table of rows of one width, and the position in the file of each column.

    The first row is the header; the numbers of the others are the index. Columns with neither a
    header nor a value are dropped. One that has only values is called as in `(column D)`.
    """
    header, *body = rows.values()
    names = [unicodedata.normalize("NFC", name).strip() for name in header]
    refuse_names(source, names, sheet, hint)
    columns = list(zip(*body, strict=True)) or [()] * len(names)
    for place, name in enumerate(names):
        if not name and not is_blank(columns[place]):
            from openpyxl.utils import get_column_letter

            names[place] = f"(column {get_column_letter(place + 1)})"
    kept = [place for place, name in enumerate(names) if name]
    index = pd.Index(np.array(list(rows)[1:], dtype=np.int64))
    cells = {names[place]: columns[place] for place in kept}
    return pd.DataFrame(cells, index=index, dtype=object), kept


def refuse_names(source: Source, names: Sequence[str], sheet: str = "", hint: str = "") -> None:
    """Refuse a table with too many columns, or with a column name that occurs more than once."""
    if len(names) > MAX_COLUMNS:
        message = f"the table has more than {MAX_COLUMNS:,} columns ({len(names):,})"
        raise refusal(source, "too-large", message, hint, sheet)
    if len(set(names)) < len(names):
        twice = [name for name, count in Counter(filter(None, names)).items() if count > 1]
        message = f"more than one column has the name {', '.join(twice[:5])}"
        hint = hint or "rename the columns so that each name occurs once"
        if twice:
            raise refusal(source, "duplicate-headers", message, hint, sheet)
