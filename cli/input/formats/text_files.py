"""The bytes and the names of files, packed by gzip or not."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Final

from scoresheet.metrics.problems import reject

GZIP: Final = ".gz"
_START: Final = 4096  # bytes looked at to tell what a file holds


def extension_of(path: Path) -> str:
    """Return what a file's name ends in, without the mark of gzip.

    >>> extension_of(Path("runs/a.JSONL.gz")), extension_of(Path("input.base"))
    ('.jsonl', '.base')
    """
    path = path.with_suffix("") if path.suffix.lower() == GZIP else path
    return path.suffix.lower()


def file_bytes(path: Path) -> bytes:
    """Return what a file holds, unpacked if it is packed."""
    if path.suffix.lower() != GZIP:
        return path.read_bytes()
    try:
        with gzip.open(path) as stream:
            return stream.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        reject("not-a-table", f"not a whole gzip file ({error}); pack it anew")


def first_bytes(path: Path) -> bytes:
    """Return how a file begins, unpacked; nothing if it cannot be read."""
    try:
        if not path.is_file():  # a pipe would wait for somebody to write into it
            return b""
        if path.suffix.lower() != GZIP:
            with path.open("rb") as stream:
                return stream.read(_START)
        with gzip.open(path) as packed:
            return packed.read(_START)
    except (OSError, EOFError, zlib.error):
        return b""
