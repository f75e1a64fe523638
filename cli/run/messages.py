"""What a worker says while it works."""

from __future__ import annotations

from collections.abc import Callable

from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class FileStarted:
    """A file is being read."""

    file: str


@dataclass(frozen=True)
class ShareRead:
    """So much of a model's files is read."""

    share: float


@dataclass(frozen=True)
class RowsRead:
    """The rows of a model are read, and will be scored."""

    rows: int


@dataclass(frozen=True)
class RowsScored:
    """Some rows of a sheet are scored."""

    sheet: str
    rows: int


@dataclass(frozen=True)
class RowsWritten:
    """Some rows of a model's reports are written, of so many."""

    rows: int
    of: int


Message = FileStarted | ShareRead | RowsRead | RowsScored | RowsWritten
Tell = Callable[[Message], None]
