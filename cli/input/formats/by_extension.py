"""Which reader reads which file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scoresheet.cli.input.formats.csv_files import read_delimited
from scoresheet.cli.input.formats.json_files import looks_like_table, read_json, read_jsonlines
from scoresheet.cli.input.formats.lists import looks_like_list, read_list
from scoresheet.cli.input.formats.parquet import read_parquet
from scoresheet.cli.input.formats.text_files import GZIP, extension_of
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
    ".json": read_json,
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


LIST_EXTENSION: Final = ".txt"
_PACKED: Final = (read_delimited, read_jsonlines, read_json, read_trec)  # may end in .gz


def is_table_file(path: Path, *, trec: bool, named: bool = False, lists: bool = False) -> bool:
    """Return whether a file is one that can be read: by its name, and by how it begins where a name says little.

    One that the user named need not look like anything: what is wrong with it is said when it is read.
    """
    extension = extension_of(path)
    reader = EXTENSIONS.get(extension)
    if reader is not None:
        packed = path.suffix.lower() == GZIP
        if packed and reader not in _PACKED:
            return False
        return named or reader is not read_json or looks_like_table(path)
    if lists and extension == LIST_EXTENSION:
        return named or looks_like_list(path)
    if not trec:
        return False
    return (extension in TREC_EXTENSIONS and extension != ".txt") or looks_like_trec(path)


def reader_of(path: Path) -> Reader:
    """Return what reads a file; one with no known extension can only be TREC's."""
    return (EXTENSIONS | TREC_EXTENSIONS).get(extension_of(path), read_trec)


def table_stem(path: Path) -> str:
    """Return a file's name without the extension of a table; any other ending is part of its name.

    >>> table_stem(Path("a.csv.gz")), table_stem(Path("input.base"))
    ('a', 'input.base')
    """
    bare = path.with_suffix("") if path.suffix.lower() == GZIP else path
    return bare.stem if bare.suffix.lower() in EXTENSIONS | TREC_EXTENSIONS else bare.name


def read_file(path: Path, rules: ReadRules) -> Content:
    """Return the tables of a file, or raise its refusal."""
    try:
        guard(path, rules.limits)
        is_list = rules.list_header and extension_of(path) == LIST_EXTENSION
        return (read_list if is_list else reader_of(path))(path, rules)
    except InputError:
        raise
    except OSError as error:
        reject("not-a-table", f"cannot be read: {error.strerror or error}")
    except BaseException as error:
        if not is_parser_failure(error):
            raise
        reject("not-a-table", f"damaged, or not what its extension says ({type(error).__name__}: {error})")
