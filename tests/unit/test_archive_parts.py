"""Parts of archives unpacked at once: the bytes that zipfile gives, or none."""

from __future__ import annotations

import io
import random
import zipfile
import zlib

import pytest

from scoresheet.cli.input.formats.archive_parts import OddPart, Parts

CONTENT = {"a.xml": b"<a/>" * 500, "b.xml": b"", "c.xml": b"<c>stored</c>"}


def archive(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for name, data in parts.items():
            method = zipfile.ZIP_STORED if name == "c.xml" else zipfile.ZIP_DEFLATED
            written.writestr(name, data, compress_type=method)
    return file.getvalue()


def unpacked(parts: Parts, name: str) -> bytes | None:
    try:
        return parts.unpacked(name)
    except OddPart:
        return None


def test_parts_are_those_that_zipfile_gives() -> None:
    with zipfile.ZipFile(io.BytesIO(archive(CONTENT))) as opened:
        parts = Parts(opened)
        assert {name: parts.unpacked(name) for name in parts.names} == CONTENT
        assert (parts.has("A.XML"), parts.has("d.xml"), parts.are_alike) == (True, False, False)
        with pytest.raises(KeyError):
            parts.read("d.xml")


def test_of_an_archive_with_a_byte_changed_nothing_is_unpacked_that_zipfile_refuses() -> None:
    data = archive(CONTENT)
    rng = random.Random("parts")
    refused = 0
    for _ in range(400):
        place = rng.randrange(len(data))
        changed = data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
        try:
            opened = zipfile.ZipFile(io.BytesIO(changed))
        except (zipfile.BadZipFile, NotImplementedError):
            continue
        parts = Parts(opened)
        for name in parts.names:
            found = unpacked(parts, name)
            try:
                expected = opened.read(name)
            except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError):
                refused += 1
                assert found is None
            else:
                assert found in (None, expected)
    assert refused > 50


def test_a_part_that_unpacks_to_more_than_is_said_is_left_alone() -> None:
    data = archive({"a.xml": b"x" * 2**20})
    said = (2**20).to_bytes(4, "little")
    with zipfile.ZipFile(io.BytesIO(data.replace(said, (9).to_bytes(4, "little")))) as opened:
        assert unpacked(Parts(opened), "a.xml") is None


@pytest.mark.filterwarnings("ignore::UserWarning")  # zipfile's, of a name that is there twice
def test_parts_that_share_bytes_or_names_are_left_alone() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for data in (b"one", b"two"):
            written.writestr("a.xml", data)
        written.writestr("b.xml", b"three")
    with zipfile.ZipFile(file) as opened:
        assert Parts(opened).are_alike
        assert Parts(opened).read("a.xml") == opened.read("a.xml") == b"two"
        opened.getinfo("b.xml").header_offset = opened.getinfo("a.xml").header_offset
        assert unpacked(Parts(opened), "a.xml") is None
