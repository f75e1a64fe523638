"""Which reader reads which file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scoresheet.cli.input.formats.csv_files import read_delimited
from scoresheet.cli.input.formats.json_lines import read_jsonlines
from scoresheet.cli.input.formats.parquet import read_parquet
from scoresheet.cli.input.formats.trec import looks_like_trec, read_trec
from scoresheet.cli.input.formats.types import Content, Reader, ReadRules, is_parser_failure
from scoresheet.cli.input.formats.workbook import read_workbook
from scoresheet.cli.input.guard import guard
from scoresheet.metrics.problems import InputError, reject

EXTENSIONS: Final[dict[str, Reader]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".jsonl": read_jsonlines,
    ".ndjson": read_jsonlines,
    ".xlsx": read_workbook,
    ".xlsm": read_workbook,
    ".xls": read_workbook,
    ".xlsb": read_workbook,
    ".ods": read_workbook,
    ".parquet": read_parquet,
}
# Read only for a family that knows them: elsewhere such a file is no table.
TREC_EXTENSIONS: Final[dict[str, Reader]] = {
    ".run": read_trec,
    ".trec": read_trec,
    ".qrels": read_trec,
    ".txt": read_trec,
}


def is_table_file(path: Path, *, trec: bool) -> bool:
    """Return whether a file is one that can be read, by its name; a .txt also by its first line."""
    extension = path.suffix.lower()
    if extension == ".txt":
        return trec and looks_like_trec(path)
    return extension in EXTENSIONS or (trec and extension in TREC_EXTENSIONS)


def reader_of(path: Path) -> Reader:
    """Return what reads a file."""
    return (EXTENSIONS | TREC_EXTENSIONS)[path.suffix.lower()]


def read_file(path: Path, rules: ReadRules) -> Content:
    """Return the tables of a file, or raise its refusal."""
    try:
        guard(path)
        return reader_of(path)(path, rules)
    except InputError:
        raise
    except OSError as error:
        reject("not-a-table", f"cannot be read: {error.strerror or error}")
    except BaseException as error:
        if not is_parser_failure(error):
            raise
        reject("not-a-table", f"damaged, or not what its extension says ({type(error).__name__}: {error})")
