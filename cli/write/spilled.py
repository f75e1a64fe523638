"""What a workbook is made of as it is written: in memory while it is small, else in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Final

from scoresheet.metrics.stored_columns import ByteStore

HELD_BYTES: Final = 2**20  # of a part that stay in memory
_PIECE: Final = 4 * 2**20  # bytes that are read at once


def new_store() -> ByteStore:
    """Return what keeps bytes of a part, or of what it is compressed to."""
    return ByteStore(HELD_BYTES)


class Part(StringIO):
    """One part of a workbook: the library writes text to it, a sheet the bytes of its rows."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._stores = [new_store()]
        self.write = self._texts.append  # type: ignore[assignment, method-assign] # the library writes word by word

    def store(self) -> None:
        """Put away what was written; who writes many texts does so now and then."""
        self._stores[-1].add("".join(self._texts).encode())
        self._texts.clear()

    def put(self, rows: ByteStore) -> None:
        """Add what is encoded already, where it lies."""
        self.store()
        self._stores += [rows, new_store()]

    def getvalue(self) -> Part:  # type: ignore[override]
        """Return itself: the archive takes it a piece at a time."""
        return self

    def pieces(self) -> Iterator[bytes]:
        """Yield all of it."""
        self.store()
        return (piece for store in self._stores for piece in pieces_of(store))


def pieces_of(store: ByteStore) -> Iterator[bytes]:
    """Yield what a store holds, a piece at a time."""
    for start in range(0, len(store), _PIECE):
        yield store.read(start, min(start + _PIECE, len(store)))
