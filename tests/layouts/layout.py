"""What people's tables look like: each layout with the files, the one command, and the number it must give."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.files import write_book, write_bytes, write_csv

Record = Mapping[str, object]
Writer = Callable[[Path], object]  # writes a layout into an empty folder


@dataclass(frozen=True)
class Layout:
    """One way to hold the same content."""

    name: str  # in the user's words
    picture: str  # the first lines, as a person would sketch them
    write: Writer
    words: str  # the command line after `scoresheet`, without the results folder
    expected: Mapping[str, float]  # the headline, or `measure`, of each model
    said: tuple[str, ...] = ()  # kinds of problems that must be said of it
    measure: str = ""  # what the numbers are, where it is not the headline


def write_records(path: Path, records: Sequence[Record]) -> Path:
    """Write records as the name of the file says: .csv, .tsv, .jsonl, .json, .xlsx, or any text of these as .gz."""
    name = path.name.removesuffix(".gz")
    suffix = Path(name).suffix
    if suffix == ".xlsx":
        return write_book(path, {"Sheet1": rows_of(records)})
    if suffix == ".jsonl":
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    elif suffix == ".json":
        text = json.dumps(list(records), ensure_ascii=False)
    else:
        separator = "\t" if suffix == ".tsv" else ","
        if path == path.with_name(name):
            return write_csv(path, rows_of(records), sep=separator)
        text = "\n".join(separator.join(map(str, row)) for row in rows_of(records)) + "\n"
    content = text.encode()
    return write_bytes(path, gzip.compress(content) if path.name.endswith(".gz") else content)


def rows_of(records: Sequence[Record]) -> list[list[object]]:
    """Return records as rows under a header."""
    names = list(dict.fromkeys(name for record in records for name in record))
    return [list(names), *([record.get(name) for name in names] for record in records)]
