"""What compresses the parts of a workbook: ISA-L's deflate where the package is installed, else zlib's quickest."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from scoresheet.metrics.compiled import compiled_part

_PART: Final = compiled_part("isal.isal_zlib")  # there are machines it is not made for
_ISAL_LEVEL: Final = 2  # less than a third of zlib's time at its level 1, and fewer bytes
_ZLIB_LEVEL: Final = 1  # a quarter of the time of its usual level for a sixth more bytes
_RAW: Final = -15  # the largest window, without a header


_TOGETHER: Final = 2**18  # bytes that are handed over at once


class _Deflate(Protocol):
    def compress(self, data: bytes | bytearray | memoryview, /) -> bytes: ...
    def flush(self) -> bytes: ...


def deflated_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what some bytes are compressed to, whatever pieces they come in: ISA-L looks at what it has at a time."""
    stream, waiting = _new_stream(), bytearray()
    for piece in pieces:
        rest = memoryview(piece)
        while len(waiting) + len(rest) >= _TOGETHER:
            missing = _TOGETHER - len(waiting)
            some: bytearray | memoryview = rest[:missing]
            if waiting:
                waiting += some
                some = waiting
            yield stream.compress(some)
            waiting, rest = bytearray(), rest[missing:]
        waiting += rest
    yield stream.compress(waiting) + stream.flush()


def _new_stream() -> _Deflate:
    if _PART.module is None:
        return zlib.compressobj(_ZLIB_LEVEL, zlib.DEFLATED, _RAW)
    made: _Deflate = _PART.module.compressobj(_ISAL_LEVEL, zlib.DEFLATED, _RAW)
    return made
