"""What a workbook is made of as it is written: in memory while it is small, else in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from scoresheet.metrics.stored_columns import ByteStore

HELD_BYTES: Final = 2**18  # of a part that stay in memory
_PIECE: Final = 2**16  # bytes that are read at once


def new_store() -> ByteStore:
    """Return what keeps bytes of a part, or of what it is compressed to."""
    return ByteStore(HELD_BYTES)


def pieces_of(store: ByteStore) -> Iterator[bytes]:
    """Yield what a store holds, a piece at a time."""
    for start in range(0, len(store), _PIECE):
        yield store.read(start, min(start + _PIECE, len(store)))
