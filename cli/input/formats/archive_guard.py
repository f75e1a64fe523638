"""Workbooks are archives: how many parts one has and what they unpack to is known before anything is unpacked."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Final, NoReturn
from xml.parsers import expat

from scoresheet.cli.input.formats.archive_parts import Parts
from scoresheet.cli.input.formats.text_files import check_ratio
from scoresheet.cli.input.guard import open_regular
from scoresheet.cli.input.limits import MIB, Limits, refuse_over
from scoresheet.metrics.problems import reject

_COMPOUND: Final = b"\xd0\xcf\x11\xe0"  # how files of the old formats begin, and protected ones of the new
_ENCRYPTED: Final = ("EncryptedPackage", "EncryptionInfo")
_ENTRY: Final = 46  # bytes that an archive's directory has at least for each part
_END: Final = b"PK\x05\x06"
_END_64: Final = b"PK\x06\x06"
_TAIL: Final = 66_000  # the end record, and the longest comment after it
_DIGITS: Final = 20  # of a number that no file holds so many of
_CHUNK: Final = 2**16
_LARGE_CHUNK: Final = 2**20


@contextmanager
def checked_archive(path: Path, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """Open an archive; one with too many parts, that unpacks to too much, or that a password protects is refused."""
    with open_regular(path) as stream:
        start = stream.read(4)
        if start == _COMPOUND:
            _refuse_compound(stream.read())
        parts = _most_parts(stream)
        if parts > limits.parts:
            refuse_over(limits, "parts", parts, "the archive's directory has room for")
        with zipfile.ZipFile(stream) as archive:
            infos = archive.infolist()
            if any(info.flag_bits & 1 for info in infos):
                _refuse_protected()
            unpacked = sum(info.file_size for info in infos)
            if unpacked > limits.expanded_mb * MIB:
                refuse_over(limits, "expanded_mb", unpacked / MIB, "unpacked, the file has")
            check_ratio(limits, os.fstat(stream.fileno()).st_size, unpacked)
            yield archive


def check_part(parts: Parts, name: str) -> None:
    """Refuse a part that declares entities, or more than it can hold, or is no XML; BadZipFile if it is not whole."""
    xml = parts.unpacked_if_small(name)
    if xml is None:
        with parts.open(name) as stream:  # at the end its length and checksum are the directory's
            _check(name, stream, parts.size(name))
    else:
        check_xml(name, xml, len(xml))


def check_xml(name: str, xml: bytes, size: int) -> None:
    """Refuse the same of a part's bytes, or of what stands around its texts; `size` is that of the part."""
    _check(name, BytesIO(xml), size)


def _check(name: str, stream: IO[bytes], size: int) -> None:
    first = stream.read(_CHUNK)
    stated = check_prolog(first)
    texts = stated.get("uniqueCount", "").removeprefix("+")
    if texts.isdecimal() and (len(texts) > _DIGITS or int(texts) > size):
        # a reader makes room for so many before it reads the first
        message = f"the part {name} says that it has more texts than bytes; open the file and save it again"
        reject("not-a-table", message)
    # where a tag is missing a reader reads on, and the texts after it have other numbers
    parser = expat.ParserCreate()
    try:
        parser.Parse(first, False)
        while piece := stream.read(_LARGE_CHUNK):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        reject("not-a-table", f"the part {name} is not well-formed XML ({error}); open the file and save it again")


def check_prolog(xml: bytes) -> dict[str, str]:
    """Return what the first element says of itself, and refuse XML with a document type.

    No program writes one into a workbook, and its entities can expand endlessly.

    >>> check_prolog(b'<?xml version="1.0"?><a count="2"/>')
    {'count': '2'}
    """
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = _stop
    try:
        parser.Parse(xml[:_CHUNK], False)
    except _RootFound as found:
        return found.attributes
    except expat.ExpatError:
        pass  # what is no XML is the reader's to refuse
    return {}


class _RootFound(Exception):
    """The first element was met: no document type can follow."""

    def __init__(self, attributes: dict[str, str]) -> None:
        super().__init__()
        self.attributes = attributes


def _stop(_name: str, attributes: dict[str, str]) -> NoReturn:
    raise _RootFound(attributes)


def _refuse_doctype(*_: object) -> NoReturn:
    reject(
        "not-a-table", "the workbook declares a document type (DOCTYPE), which none needs; open it and save it again"
    )


def _most_parts(stream: IO[bytes]) -> int:
    """Return how many parts the directory can have by its size; the counts beside it are not what readers go by."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL))
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(_END)
    length = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    at = tail.rfind(_END_64)
    if at >= 0:
        length = max(length if length < 2**32 - 1 else 0, int.from_bytes(tail[at + 40 : at + 48], "little"))
    return min(length, size) // _ENTRY


def _refuse_compound(content: bytes) -> NoReturn:
    if any(name.encode("utf-16-le") in content for name in _ENCRYPTED):
        _refuse_protected()
    reject("not-a-table", "password-protected, or an old .xls under a new name; open it and save it as .xlsx")


def _refuse_protected() -> NoReturn:
    reject("not-a-table", "the file is password-protected; open it, remove the password, and save it again")
