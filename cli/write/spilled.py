"""What a workbook is made of as it is written: in memory while it is small, else in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import pairwise
from typing import IO, Final

from scoresheet.metrics.columns import ByteStore

HELD_BYTES: Final = 4 * 2**20  # of a part that stay in memory
_GATHERED: Final = 1_000  # small texts that are written at once
_PIECE: Final = 2**20
# an octet that no text of a workbook can hold, and after it which of the sheet's formats a cell has
_MARK: Final = "\x02"
_FIRST: Final = 0x41


class Part(StringIO):
    """One part of a workbook: the library writes text to it, a sheet the bytes of its rows."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._bytes = ByteStore(HELD_BYTES)

    def write(self, text: str) -> int:
        """Add a text."""
        self._texts.append(text)
        if len(self._texts) >= _GATHERED:
            self.put(b"")
        return len(text)

    def put(self, data: bytes) -> None:
        """Add what is encoded already."""
        self._bytes.add("".join(self._texts).encode() + data)
        self._texts.clear()

    def getvalue(self) -> Part:  # type: ignore[override]
        """Return itself: the archive copies it, a piece at a time."""
        return self

    def copy_to(self, archived: IO[bytes]) -> None:
        """Write all of it."""
        for start in range(0, len(self._bytes), _PIECE):
            archived.write(self._bytes.read(start, min(start + _PIECE, len(self._bytes))))

    def size(self) -> int:
        """Return how many bytes it has."""
        self.put(b"")
        return len(self._bytes)


class SpilledRows:
    """The rows of a sheet as XML; the numbers of their formats are not known before the workbook is put together."""

    def __init__(self) -> None:
        self._bytes = ByteStore(HELD_BYTES)
        self._starts: list[int] = []

    def add(self, xml: bytes) -> None:
        """Add some rows, with a mark where each cell's format goes."""
        self._starts.append(self._bytes.add(xml))

    def blocks(self, formats: Sequence[int]) -> Iterator[bytes]:
        """Yield the rows with the numbers of the formats, some at a time."""
        for start, stop in pairwise([*self._starts, len(self._bytes)]):
            xml = self._bytes.read(start, stop)
            for number, style in enumerate(formats):
                xml = xml.replace(format_mark(number).encode(), str(style).encode())
            yield xml


def format_mark(number: int) -> str:
    """Return what stands for the number of a format until it is known."""
    return f"{_MARK}{chr(_FIRST + number)}"
