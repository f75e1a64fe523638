"""The bytes and the names of files, packed by gzip or not."""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scoresheet.cli.input.guard import open_regular
from scoresheet.cli.input.limits import MIB, RATIO_FROM, Limits, refuse_over
from scoresheet.metrics.problems import reject

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OnShare = Callable[[float], None]  # hears which share of a file is read
GZIP: Final = ".gz"
_PIECE: Final = 2**18  # bytes read at once
_MARK: Final = "\ufeff"
_ENDS: Final = "\r\n"
CHANGED: Final = "the file changed while it was read; run again when it is complete"
_START: Final = 4096  # bytes looked at to tell what a file holds


def extension_of(path: Path) -> str:
    """Return what a file's name ends in, without the mark of gzip.

    >>> extension_of(Path("runs/a.JSONL.gz")), extension_of(Path("input.base"))
    ('.jsonl', '.base')
    """
    path = path.with_suffix("") if path.suffix.lower() == GZIP else path
    return path.suffix.lower()


def file_bytes(path: Path, limits: Limits) -> bytes:
    """Return what a file holds, unpacked if it is packed; refused if that is more than is read."""
    with open_text_bytes(path, limits) as stream:
        return stream.read()


def open_text_bytes(path: Path, limits: Limits, on_share: OnShare | None = None) -> BufferedReader:
    """Return the bytes of a file to be read, unpacked if it is packed; refused as they come if they are too many."""
    stream = open_regular(path)
    try:
        packed = path.suffix.lower() == GZIP
        raw = _PackedBytes(stream, limits) if packed else _PlainBytes(stream, limits)
        return BufferedReader(raw if on_share is None else _HeardBytes(raw, stream, on_share), _PIECE)
    except BaseException:
        stream.close()
        raise


class _HeardBytes(RawIOBase):
    """Bytes of a file, and somebody who hears which share of the file they took."""

    def __init__(self, raw: RawIOBase, stream: BufferedReader, on_share: OnShare) -> None:
        self._raw, self._stream, self._on_share = raw, stream, on_share
        self._size = max(os.fstat(stream.fileno()).st_size, 1)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        count = self._raw.readinto(buffer)
        self._on_share(min(self._stream.tell() / self._size, 1.0))
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _PlainBytes(RawIOBase):
    """The bytes of a file; it may have grown since it was looked at."""

    def __init__(self, stream: BufferedReader, limits: Limits) -> None:
        self._stream = stream
        self._limits = limits
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._stream.readinto(buffer)
        self._read += count
        if self._read > self._limits.file_mb * MIB:
            refuse_over(self._limits, "file_mb", self._read / MIB, "the file has")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


class _PackedBytes(RawIOBase):
    """The bytes that gzip packed into a file."""

    def __init__(self, stream: BufferedReader, limits: Limits) -> None:
        self._stream = stream
        self._unpacked = gzip.GzipFile(fileobj=stream)
        self._limits = limits
        self._packed = os.fstat(stream.fileno()).st_size
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            count = self._unpacked.readinto(buffer)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            reject("not-a-table", f"not a whole gzip file ({error}); pack it anew")
        self._read += count
        if self._read > self._limits.expanded_mb * MIB:
            self._stream.seek(-4, os.SEEK_END)
            stated = int.from_bytes(
                self._stream.read(4), "little"
            )  # of its last part, and modulo 4 GiB: a hint at best
            refuse_over(
                self._limits,
                "expanded_mb",
                max(stated / MIB, 2 * self._limits.expanded_mb),
                "unpacked, the file has about",
            )
        if not count:
            check_ratio(self._limits, self._packed, self._read)
        return count

    def close(self) -> None:
        self._unpacked.close()
        self._stream.close()
        super().close()


class TextFile:
    """The text of a file whose encoding is known, read as often as wanted, some lines at a time."""

    def __init__(self, path: Path, limits: Limits, encoding: str, on_share: OnShare | None = None) -> None:
        self._path = path
        self._limits = limits
        self._encoding = encoding
        self._on_share = on_share  # of its pieces

    def head(self, most: int) -> str:
        """Return how the text begins; empty lines before its first do not count."""
        with TextIOWrapper(open_text_bytes(self._path, self._limits), encoding=self._encoding, newline="") as text:
            found = text.read(most).removeprefix(_MARK)
            while found and not found.lstrip(_ENDS) and (more := text.read(most)):
                found += more
        return found

    def pieces(self) -> Iterator[str]:
        """Yield the text, some whole lines at a time, with their ends as they are."""
        unfinished: list[str] = []  # a line of which there is more
        try:
            for text in _decoded_pieces(self._path, self._limits, self._encoding, self._on_share):
                end = text.rfind("\n") + 1
                if end:
                    yield "".join([*unfinished, text[:end]])
                    unfinished = [text[end:]]
                else:
                    unfinished.append(text)
        except UnicodeDecodeError:
            reject("encoding", CHANGED)
        if any(unfinished):
            yield "".join(unfinished)


def _decoded_pieces(path: Path, limits: Limits, encoding: str, on_share: OnShare | None = None) -> Iterator[str]:
    """Yield the text of a file as it comes, without the mark of its byte order; UnicodeDecodeError if it is no such."""
    with open_text_bytes(path, limits, on_share) as stream:
        decoder = codecs.getincrementaldecoder(encoding)()
        first = True
        while data := stream.read(_PIECE):
            text = decoder.decode(data)
            yield text.removeprefix(_MARK) if first else text
            first = first and not text
        yield decoder.decode(b"", final=True)


class LineCounts:
    """How many lines a text has, how long they are, and whether it holds NUL characters; told a piece at a time."""

    def __init__(self, longest: int) -> None:
        self._longest = longest  # that a line may be
        self._lines = 0  # complete ones
        self._open = 0  # characters of the line that goes on
        self._too_long: tuple[int, int] | None = None  # the first line of that kind, and its length
        self.nul = False

    @classmethod
    def of_file(cls, path: Path, limits: Limits, encoding: str) -> LineCounts | None:
        """Return those of a file; None if it is not in this encoding."""
        counts = cls(limits.line_chars)
        try:
            for text in _decoded_pieces(path, limits, encoding):
                counts.add(text)
        except UnicodeDecodeError:
            return None
        return counts

    def add(self, text: str) -> None:
        """Take in a piece of text."""
        self.nul = self.nul or "\0" in text
        ends = text.count("\n")
        if not ends:
            self._open += len(text)
            return
        if self._open + len(text) > self._longest and self._too_long is None:  # else none of them can be too long
            self._look(text)
        self._lines += ends
        self._open = len(text) - text.rfind("\n") - 1

    def _look(self, text: str) -> None:
        """Note the first of the lines that end in a text if it is too long."""
        for number, line in enumerate(text.split("\n")[:-1], start=self._lines + 1):
            length = len(line) + (self._open if number == self._lines + 1 else 0)
            if length > self._longest:
                self._too_long = (number, length)
                return

    def check(self, limits: Limits) -> None:
        """Refuse a text with a line longer than is read, or with more lines than there may be cells."""
        lines = self._lines + 1
        if lines > limits.cells:
            what = f"the file has {lines:,} lines, and with each of them at least one cell:"
            refuse_over(limits, "cells", lines, what)
        number, length = self._too_long or (lines, self._open)
        if length > limits.line_chars:
            refuse_over(limits, "line_chars", length, f"line {number:,} has")


def check_ratio(limits: Limits, packed: int, unpacked: int) -> None:
    """Refuse what grows beyond all measure when it is unpacked: nothing that people write is so uniform."""
    if unpacked > RATIO_FROM and unpacked > packed * limits.ratio:
        refuse_over(limits, "ratio", unpacked / max(packed, 1), "unpacking makes the file larger by")


def first_bytes(path: Path) -> bytes:
    """Return how a file begins, unpacked; nothing if it cannot be read, or is none."""
    try:
        with open_regular(path) as stream:
            if not os.fstat(stream.fileno()).st_size:  # some files of the system never end, nor begin
                return b""
            if path.suffix.lower() != GZIP:
                return stream.read(_START)
            with gzip.GzipFile(fileobj=stream) as packed:
                return packed.read(_START)
    except (OSError, EOFError, ValueError, zlib.error):
        return b""
