"""What a worker says while it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from scoresheet.metrics.records import dataclass

_OFTEN: Final = 0.01  # of some files between two words on how much of them is read


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


def telling_share(tell: Tell) -> Callable[[float], None]:
    """Return what hears which share of some files is read, and tells of it now and then."""
    told = 0.0

    def read(share: float) -> None:
        nonlocal told
        if share - told >= _OFTEN:
            told = share
            tell(ShareRead(share))

    return read
