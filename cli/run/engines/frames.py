"""How a Dask worker and the process beside it speak: frames of bytes, each with its kind and its length."""

from __future__ import annotations

import struct
from typing import IO, Final, NamedTuple

READY, MESSAGE, ANSWER = b"r", b"m", b"a"
_HEAD: Final = struct.Struct(">cQ")


def write_frame(stream: IO[bytes], kind: bytes, content: bytes) -> None:
    """Write one frame."""
    stream.write(_HEAD.pack(kind, len(content)))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[bytes, bytes]:
    """Return the kind and the content of the next frame; EOFError if there is none, or not the whole of it."""
    kind, size = _HEAD.unpack(_read(stream, _HEAD.size))
    return kind, _read(stream, size)


def _read(stream: IO[bytes], size: int) -> bytes:
    """Return so many bytes, however they arrive; a stream without a buffer gives what it has."""
    content = bytearray()
    while len(content) < size:
        piece = stream.read(size - len(content))
        if not piece:
            raise EOFError
        content += piece
    return bytes(content)


class Here(NamedTuple):
    """What the process beside a Dask worker must know of it, and what the run allows a job."""

    folder: str  # for files that nobody needs later
    memory: int  # bytes that the Dask worker may take; 0: it has no limit
    threads: int  # so many jobs may be in work at a time
    most_memory: int  # bytes that a job may take; 0: its share
    seconds: float
