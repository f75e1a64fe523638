"""What a workbook is made of as it is written: in memory while it is small, else in a temporary file."""

from __future__ import annotations

from io import StringIO
from typing import IO, Final

from scoresheet.metrics.columns import ByteStore

HELD_BYTES: Final = 4 * 2**20  # of a part that stay in memory


class Part(StringIO):
    """One part of a workbook: the library writes text to it, a sheet the bytes of its rows."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._stores = [ByteStore(HELD_BYTES)]
        self.write = self._texts.append  # type: ignore[assignment, method-assign] # the library writes word by word

    def store(self) -> None:
        """Put away what was written; who writes many texts does so now and then."""
        self._stores[-1].add("".join(self._texts).encode())
        self._texts.clear()

    def put(self, rows: ByteStore) -> None:
        """Add what is encoded already, where it lies."""
        self.store()
        self._stores += [rows, ByteStore(HELD_BYTES)]

    def getvalue(self) -> Part:  # type: ignore[override]
        """Return itself: the archive copies it, a piece at a time."""
        return self

    def copy_to(self, archived: IO[bytes]) -> None:
        """Write all of it."""
        for store in self._stores:
            for start in range(0, len(store), HELD_BYTES):
                archived.write(store.read(start, min(start + HELD_BYTES, len(store))))

    def size(self) -> int:
        """Return how many bytes it has."""
        self.store()
        return sum(map(len, self._stores))
