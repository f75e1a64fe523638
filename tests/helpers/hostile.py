"""Files that are made to hang, flood or mislead a reader: each a few bytes on disk, and a limit that names it."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.files import edit_sheet, edit_zip, write_book, write_bytes
from tests.helpers.studies import answers

HEADER = "Idiom,Prediction\n"
ROW = "break the ice,to talk\n"
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


@dataclass(frozen=True)
class Hostile:
    """A kind of bad file: its name, how it is made, and what the refusal says."""

    file: str
    make: Callable[[Path], object]
    said: str  # part of the message
    effect: str = "file skipped"


def text(content: str) -> Callable[[Path], object]:
    """A file with this text."""
    return lambda path: write_bytes(path, content.encode())


def sheet(old: str, new: str) -> Callable[[Path], object]:
    """A workbook with a change to the XML of its sheet."""

    def make(path: Path) -> None:
        write_book(path, {"perm1": answers()})
        edit_sheet(path, old, new)

    return make


def part(member: str, old: bytes, new: bytes, sheets: tuple[str, ...] = ("perm1",)) -> Callable[[Path], object]:
    """A workbook with a change to one of its parts."""

    def make(path: Path) -> None:
        write_book(path, dict.fromkeys(sheets, answers()))
        edit_zip(path, member, old, new)

    return make


def sparse(size: int) -> Callable[[Path], object]:
    """A file that has this size and hardly a byte on disk."""

    def make(path: Path) -> None:
        with path.open("wb") as stream:
            stream.truncate(size)

    return make


def ods(rows: str) -> Callable[[Path], object]:
    """An ODS file with these rows in its one table."""
    spaces = "".join(f' xmlns:{name}="{OFFICE}:{name}:1.0"' for name in ("office", "table", "text"))
    table = f'<table:table table:name="p">{rows}</table:table>'

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", MIMETYPE)
            body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
            archive.writestr("content.xml", f"<office:document-content{spaces}>{body}</office:document-content>")
            archive.writestr("META-INF/manifest.xml", "<manifest/>")

    return make


def ods_row(*cells: str, repeated: int = 1) -> str:
    """A row of an ODS table."""
    filled = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>' for cell in cells
    )
    return f'<table:table-row table:number-rows-repeated="{repeated}">{filled}</table:table-row>'


def gzipped(path: Path) -> None:
    """A packed CSV of which nearly all is blanks."""
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(HEADER.encode())
        for _ in range(80):
            stream.write(b" " * 2**20)


def keys(path: Path) -> None:
    """A JSON Lines file in which every line has a key of its own."""
    write_bytes(path, "\n".join(json.dumps({"Idiom": "a", f"k{number}": 1}) for number in range(17_000)).encode())


def many_parts(path: Path) -> None:
    """An archive of very many empty parts."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(12_001):
            archive.writestr(zipfile.ZipInfo(f"{number:050}"), b"")
    write_bytes(path, content.getvalue())


def lying(path: Path) -> None:
    """A workbook whose directory says that its strings unpack to less than they do."""
    write_book(path, {"perm1": answers()})
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("xl/sharedStrings.xml")
    content = path.read_bytes()
    stated, false = info.file_size.to_bytes(4, "little"), (10).to_bytes(4, "little")
    crc = info.CRC.to_bytes(4, "little")
    at = content.rindex(crc + info.compress_size.to_bytes(4, "little") + stated)
    write_bytes(path, content[: at + 8] + false + content[at + 12 :])


def protected(path: Path) -> None:
    """What a spreadsheet program writes when it is given a password."""
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le")
    write_bytes(path, content + b"\0" * 4096)


FAR = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
OUT_OF_ORDER = '<row><c r="A9"><v>1</v></c></row><row r="9"><c\nr=\'XFD1048576\'><v>1</v></c></row></sheetData>'
MERGED = '</sheetData><mergeCells><mergeCell ref="{}"/></mergeCells>'

KINDS = [
    Hostile("pipe.csv", os.mkfifo, "pipe, socket or device"),
    Hostile("device.csv", lambda path: path.symlink_to("/dev/zero"), "pipe, socket or device"),
    Hostile("endless.csv", lambda path: path.symlink_to("/proc/kmsg"), "empty"),
    Hostile("circle.csv", lambda path: path.symlink_to(path.name), "leads back to itself"),
    Hostile("empty.xlsx", text(""), "empty"),
    Hostile("sparse.csv", sparse(30 << 30), "--max-file-mb 30720"),
    Hostile("sparse_book.xlsx", sparse(30 << 30), "--max-file-mb 30720"),
    Hostile("packed.csv.gz", gzipped, "--max-ratio"),
    Hostile("truncated.csv.gz", lambda path: write_bytes(path, gzip.compress(b"x" * 999)[:-9]), "gzip"),
    Hostile("bomb.xlsx", sheet("</sheetData>", "</sheetData>" + " " * (80 << 20)), "--max-ratio"),
    Hostile("parts.xlsx", many_parts, "--max-parts"),
    Hostile("lying.xlsx", lying, "not a readable Excel workbook"),
    Hostile("protected.xlsx", protected, "password-protected"),
    Hostile("doctype.xlsx", part("xl/sharedStrings.xml", b"<sst", b"<!DOCTYPE sst [<!ENTITY a 'b'>]><sst"), "DOCTYPE"),
    Hostile("doctype_in_sheet.xlsx", sheet("<worksheet", "<!DOCTYPE worksheet []><worksheet"), "DOCTYPE"),
    Hostile("far.xlsx", sheet("</sheetData>", FAR), "--max-cells 17179869184"),
    Hostile("far_undeclared.xlsx", sheet("</sheetData>", OUT_OF_ORDER), "--max-cells 17179869184"),
    Hostile("address.xlsx", sheet('r="A2"', f'r="{"A" * 3_000_000}2"'), "address that no worksheet has"),
    Hostile("merged.xlsx", sheet("</sheetData>", MERGED.format("A2:XFD1048576")), "--max-cells"),
    Hostile("merged_beyond.xlsx", sheet("</sheetData>", MERGED.format("A2:A4294967295")), "which no worksheet has"),
    Hostile("twins.xlsx", part("xl/workbook.xml", b'name="q"', b'name="p"', ("p", "q")), "same name", "sheet skipped"),
    Hostile(
        "repeated.ods", ods(ods_row("Idiom", "Prediction") + ods_row("a", "b", repeated=50_000_000)), "--max-cells"
    ),
    Hostile("columns.csv", text(HEADER.strip() + "," * 17_000 + "\n" + ROW), "--max-columns 17002"),
    Hostile("keys.jsonl", keys, "--max-columns 17001"),
    Hostile("cell.csv", text(HEADER + f"a,{'x' * 1_000_001}\n"), "--max-cell-chars 1000001"),
    Hostile(
        "cell_of_json.jsonl",
        text(json.dumps({"Idiom": "a", "Prediction": "x" * 1_000_001})),
        "--max-cell-chars 1000001",
    ),
    Hostile("deep.json", text('[{"Idiom": ' + "[" * 99 + "]" * 99 + "}]"), "--max-json-depth 101"),
    Hostile("deeper.json", text('[{"Idiom": ' + "[" * 99_999 + "]" * 99_999 + "}]"), "no more can be read"),
    Hostile(
        "sheets.csv", text("Sheet," + HEADER + "".join(f"s{n},a,b\n" for n in range(1_001))), "1001", "sheet skipped"
    ),
    Hostile("unclosed.csv", text(HEADER + 'a,"' + "x\n" * 700_000), "never closed"),
    Hostile("nul.csv", sparse(1 << 20), "NUL"),
    Hostile("garbage.xls", lambda path: write_bytes(path, bytes(range(256)) * 40), "not a readable workbook"),
]
