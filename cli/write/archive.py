"""A workbook's file: a zip of its parts, compressed quickly and written from its beginning to its end."""

from __future__ import annotations

import errno
import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from scoresheet.cli.write.deflate import deflated_pieces
from scoresheet.cli.write.spilled import new_store, pieces_of

_LARGEST: Final = 2**31 - 1  # bytes of a part, and of all: more would need another kind of zip, which few programs read
_KEPT: Final = 64  # parts that come again in other workbooks
_SMALL: Final = 2**15  # bytes of these
# what a zip says of a part, before it and in the list at the end; some of it is always the same
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_LISTED: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_ALWAYS: Final = (20, 0, 8, 0, 33)  # the version of zip, no flags, deflated, at midnight of 1980-01-01
_MADE_BY: Final = 3 << 8 | 20  # Unix, by that version
_RIGHTS: Final = 0o600 << 16


class Archive:
    """A zip that is written to a path, and its SHA-256: the digest hears of all bytes on their way."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")
        self._digest = hashlib.sha256()
        self._size = 0
        self._list: list[bytes] = []

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._stream.close()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file, once it is written."""
        return self._digest.hexdigest()

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        """Add a part; its sizes stand before it, so that it is compressed first."""
        squeezed, weighed = new_store(), _Weighed(pieces)
        for piece in deflated_pieces(weighed):
            squeezed.add(piece)
        self._write(name, weighed.checksum, len(squeezed), weighed.size, pieces_of(squeezed))

    def add_again(self, name: str, content: bytes) -> None:
        """Add a part that other workbooks may have too: it is compressed once."""
        if len(content) > _SMALL:
            self.add(name, [content])
        else:
            checksum, squeezed = _packed(content)
            self._write(name, checksum, len(squeezed), len(content), [squeezed])

    def _write(self, name: str, checksum: int, squeezed: int, size: int, pieces: Iterable[bytes]) -> None:
        if max(squeezed, size, self._size) > _LARGEST:
            raise OSError(errno.EFBIG, "a workbook holds 2 GB at most; --no-workbooks writes files for machines alone")
        path = name.encode()
        shape = (*_ALWAYS, checksum, squeezed, size, len(path))
        self._list.append(_LISTED.pack(b"PK\1\2", _MADE_BY, *shape, 0, 0, 0, 0, _RIGHTS, self._size) + path)
        self._put(_LOCAL.pack(b"PK\3\4", *shape, 0) + path)
        for piece in pieces:
            self._put(piece)

    def _finish(self) -> None:
        start, listed = self._size, b"".join(self._list)
        self._put(listed)
        self._put(_END.pack(b"PK\5\6", 0, 0, len(self._list), len(self._list), len(listed), start, 0))

    def _put(self, data: bytes) -> None:
        self._digest.update(data)
        self._stream.write(data)
        self._size += len(data)


class _Weighed:
    """Pieces of a part; once they are all out, their size and their checksum."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.size = self.checksum = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.size += len(piece)
            self.checksum = zlib.crc32(piece, self.checksum)
            yield piece


@lru_cache(_KEPT)
def _packed(content: bytes) -> tuple[int, bytes]:
    """Return the checksum of a part, and what it is compressed to."""
    return zlib.crc32(content), b"".join(deflated_pieces([content]))
