"""The bytes and the names of files, packed by gzip or not."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import Final

from scoresheet.cli.input.guard import open_regular
from scoresheet.cli.input.limits import MIB, RATIO_FROM, Limits, refuse_over
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


def file_bytes(path: Path, limits: Limits) -> bytes:
    """Return what a file holds, unpacked if it is packed; refused if that is more than is read."""
    with open_regular(path) as stream:
        if path.suffix.lower() != GZIP:
            content = stream.read(limits.file_mb * MIB + 1)
            if len(content) > limits.file_mb * MIB:  # it grew since it was looked at
                refuse_over(limits, "file_mb", len(content) / MIB, "the file has")
            return content
        packed = os.fstat(stream.fileno()).st_size
        most = limits.expanded_mb * MIB
        try:
            with gzip.GzipFile(fileobj=stream) as unpacked:
                content = unpacked.read(most + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            reject("not-a-table", f"not a whole gzip file ({error}); pack it anew")
        if len(content) > most:
            stream.seek(-4, os.SEEK_END)
            stated = int.from_bytes(stream.read(4), "little")  # of its last part, and modulo 4 GiB: a hint at best
            refuse_over(
                limits, "expanded_mb", max(stated / MIB, 2 * limits.expanded_mb), "unpacked, the file has about"
            )
        check_ratio(limits, packed, len(content))
        return content


def check_ratio(limits: Limits, packed: int, unpacked: int) -> None:
    """Refuse what grows beyond all measure when it is unpacked: nothing that people write is so uniform."""
    if unpacked > RATIO_FROM and unpacked > packed * limits.ratio:
        refuse_over(limits, "ratio", unpacked / max(packed, 1), "unpacking makes the file larger by")


def first_bytes(path: Path) -> bytes:
    """Return how a file begins, unpacked; nothing if it cannot be read, or is none."""
    try:
        with open_regular(path) as stream:
            if not os.fstat(stream.fileno()).st_size:  # some files of the system never end, nor begin
                return b""
            if path.suffix.lower() != GZIP:
                return stream.read(_START)
            with gzip.GzipFile(fileobj=stream) as packed:
                return packed.read(_START)
    except (OSError, EOFError, ValueError, zlib.error):
        return b""
