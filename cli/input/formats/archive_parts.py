"""The parts of an archive, each unpacked at once: sooner than a piece at a time, and as whole as the archive says."""

from __future__ import annotations

import struct
import zipfile
import zlib
from itertools import pairwise
from typing import IO, Any, Final

from scoresheet.metrics.compiled import compiled_part

_INFLATE: Final[Any] = compiled_part("isal.isal_zlib").module or zlib  # there are machines that ISA-L is not made for
_LOCAL: Final = struct.Struct("<4s22xHH")  # before a part: its mark, and the lengths of its name and of what follows
_MARK: Final = b"PK\3\4"
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_STRANGE: Final = 0x61  # flags of parts that are protected, or patches of others
_AT_ONCE: Final = 2**26  # bytes of a part that is unpacked at once where pieces would do


class OddPart(Exception):
    """A part that is not as programs write it; what is wrong with it, zipfile will say."""


class Parts:
    """The parts of an archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        infos = archive.infolist()
        self._infos = {info.filename: info for info in infos}  # of two the last, as zipfile has it
        self._lower = {name.lower() for name in self._infos}
        self._next = dict(pairwise(sorted(info.header_offset for info in infos)))
        self.first_at = min((info.header_offset for info in infos), default=0)  # where the first of them begins
        self.names = list(self._infos)
        self.are_alike = len(self._lower) < len(infos)  # whether two differ by case at most

    def has(self, name: str) -> bool:
        """Return whether there is a part of this name, be it in other letters."""
        return name.lower() in self._lower

    def size(self, name: str) -> int:
        """Return how many bytes a part has, by the directory; KeyError if it is not there."""
        return self._archive.getinfo(name).file_size

    def open(self, name: str) -> IO[bytes]:
        """Open a part to be read in pieces; KeyError if it is not there."""
        return self._archive.open(name)

    def read(self, name: str) -> bytes:
        """Return the bytes of a part; KeyError if it is not there, BadZipFile or another error if it is not whole."""
        try:
            return self.unpacked(name)
        except OddPart:
            return self._archive.read(name)

    def unpacked(self, name: str) -> bytes:
        """Return the bytes of a part, its size and checksum those of the directory; OddPart if anything is odd."""
        info = self._infos.get(name)
        stream = self._archive.fp
        if info is None or stream is None or info.header_offset < 0:
            raise OddPart
        if info.flag_bits & _STRANGE or info.compress_type not in _METHODS:
            raise OddPart
        stream.seek(info.header_offset)
        local = stream.read(_LOCAL.size)
        if len(local) < _LOCAL.size:
            raise OddPart
        mark, named, further = _LOCAL.unpack(local)
        packed = stream.read(named + further + info.compress_size)
        end = info.header_offset + _LOCAL.size + len(packed)
        if mark != _MARK or packed[:named] != name.encode() or end > self._next.get(info.header_offset, end):
            raise OddPart
        data = packed[named + further :]
        if info.compress_type == zipfile.ZIP_DEFLATED:
            data = _inflated(data, info.file_size)
        if len(data) != info.file_size or _INFLATE.crc32(data) != info.CRC:
            raise OddPart
        return data

    def unpacked_if_small(self, name: str) -> bytes | None:
        """Return the bytes of a part; None if anything is odd, or it is better read in pieces."""
        try:
            return self.unpacked(name) if self.size(name) <= _AT_ONCE else None
        except OddPart:
            return None


def _inflated(data: bytes, size: int) -> bytes:
    """Return what some bytes unpack to, and no more of it than was said."""
    stream = _INFLATE.decompressobj(-zlib.MAX_WBITS)
    try:
        found: bytes = stream.decompress(data, size + 1)
    except (zlib.error, _INFLATE.error):
        raise OddPart from None
    if not stream.eof:
        raise OddPart
    return found
