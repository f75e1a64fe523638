"""Which reader reads which file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scoresheet.cli.guard import guard
from scoresheet.cli.read.delimited import read_delimited
from scoresheet.cli.read.jsonlines import read_jsonlines
from scoresheet.cli.read.parquet import read_parquet
from scoresheet.cli.read.rules import Content, Reader, ReadRules, is_parser_failure
from scoresheet.cli.read.workbook import read_workbook
from scoresheet.metrics.problems import Refusal, refuse

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


def read_file(path: Path, rules: ReadRules) -> Content:
    """Return the tables of a file, or raise its refusal."""
    try:
        guard(path)
        return EXTENSIONS[path.suffix.lower()](path, rules)
    except Refusal:
        raise
    except OSError as error:
        refuse("not-a-table", f"cannot be read: {error.strerror or error}")
    except BaseException as error:
        if not is_parser_failure(error):
            raise
        refuse("not-a-table", f"damaged, or not what its extension says ({type(error).__name__}: {error})")
