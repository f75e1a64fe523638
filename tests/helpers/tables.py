"""One table in every format that can be read, by the name of its file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.files import table_text, write_book, write_bytes

Line = Sequence[Any]

SUFFIXES = (".csv", ".tsv", ".xlsx", ".jsonl", ".json", ".parquet", ".csv.gz", ".jsonl.gz")


def writable(suffix: str) -> bool:
    """Whether a format can be written here."""
    return suffix != ".parquet" or find_spec("pyarrow") is not None


def objects(rows: Sequence[Line]) -> list[dict[str, Any]]:
    """The rows below the header as objects."""
    head, *body = rows
    return [dict(zip(map(str, head), row, strict=True)) for row in body]


def json_lines(rows: Sequence[Line]) -> str:
    """The rows as JSON Lines."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects(rows))


def write_table(path: Path, rows: Sequence[Line]) -> Path:
    """The rows in the format that the file's name says, gzipped if it says so."""
    name = path.name.removesuffix(".gz")
    if name.endswith(".xlsx"):
        return write_book(path, {"Sheet1": rows})
    if name.endswith(".parquet"):
        return _write_parquet(path, rows)
    if name.endswith(".jsonl"):
        text = json_lines(rows)
    elif name.endswith(".json"):
        text = json.dumps(objects(rows), ensure_ascii=False)
    else:
        text = table_text(rows, "\t" if name.endswith(".tsv") else ",")
    data = text.encode()
    return write_bytes(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _write_parquet(path: Path, rows: Sequence[Line]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    head, *body = rows
    parquet.write_table(pyarrow.table(dict(zip(head, zip(*body, strict=True), strict=True))), path)
    return path
