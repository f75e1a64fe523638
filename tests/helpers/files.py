"""Input files as the world sends them, and files as a reader finds them."""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

import xlsxwriter
from python_calamine import CalamineWorkbook

from tests.helpers.runs import LOCK, MANIFEST

Rows = Iterable[Sequence[object]]
Table = list[dict[str, str]]


class Formula(NamedTuple):
    """A formula cell; a stored value of '' is written as an empty `<v>` without a type, that is, none."""

    text: str
    stored: str | float = ""


def table_text(rows: Rows, sep: str = ",") -> str:
    """The rows as CSV text."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sep, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_bytes(path: Path, content: bytes) -> Path:
    """A file with exactly this content, in a folder made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def write_csv(path: Path, rows: Rows, *, sep: str = ",", encoding: str = "utf-8") -> Path:
    """A CSV file."""
    return write_bytes(path, table_text(rows, sep).encode(encoding))


def write_book(
    path: Path,
    sheets: Mapping[str, Rows],
    options: Mapping[str, bool] | None = None,
    *,
    hidden: Collection[str] = (),
) -> Path:
    """A workbook whose cells have the type of the Python value; None leaves the cell out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with xlsxwriter.Workbook(str(path), dict(options or {})) as book:
        book.set_properties({"created": datetime(2024, 1, 31)})  # equal cells, equal bytes
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(i, j, value)
                    elif isinstance(value, Formula):
                        sheet.write_formula(i, j, value.text, None, value.stored)
                    elif isinstance(value, date):
                        sheet.write_datetime(i, j, value, day)
                    elif value is not None:
                        sheet.write(i, j, value)
    return path


def edit_zip(path: Path, member: str, old: bytes, new: bytes) -> None:
    """Replace bytes inside one part of a workbook."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    assert old in parts[member], f"{old!r} is not in {member}"
    parts[member] = parts[member].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)


def edit_sheet(path: Path, old: str, new: str, number: int = 1) -> None:
    """Replace text inside the XML of one worksheet, counted from 1."""
    edit_zip(path, f"xl/worksheets/sheet{number}.xml", old.encode(), new.encode())


def read_csv(path: Path) -> Table:
    """A written CSV as one mapping per record."""
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def header(path: Path) -> list[str]:
    """The first record of a written CSV."""
    text = path.read_bytes().decode("utf-8-sig")
    return next(csv.reader(io.StringIO(text, newline="")))


def sheet_names(path: Path) -> list[str]:
    """The sheets of a workbook in order."""
    with CalamineWorkbook.from_path(path) as book:
        return list(book.sheet_names)


def sheet_rows(path: Path, sheet: str) -> list[list[object]]:
    """The cell values of one sheet, row by row, as openpyxl would give them and in a tenth of its time."""
    state = path.stat()
    return [list(row) for row in _rows_as_they_are(path, sheet, state.st_ino, state.st_mtime_ns, state.st_size)]


@functools.lru_cache(maxsize=16)
def _rows_as_they_are(path: Path, sheet: str, *_state: int) -> list[list[object]]:
    """The cells of a sheet, read once for all tests that only look at it."""
    with CalamineWorkbook.from_path(path) as book:
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    return [[_value(cell) for cell in row] for row in rows]


def _value(cell: object) -> object:
    """A cell with None for nothing, and whole numbers whole."""
    if cell == "":
        return None
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def sheet_text(path: Path, sheet: str) -> str:
    """Everything one sheet says, cells joined by tabs and line breaks."""
    return "\n".join("\t".join(str(v) for v in row if v is not None) for row in sheet_rows(path, sheet))


def sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder but the lock and the manifest, which holds times."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(p.relative_to(folder)): sha256(p) for p in files if p.name not in (LOCK, MANIFEST)}


def snapshot(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder, dot files too: the bytes of files, where links lead, and what else there is."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        content: bytes | str = "a folder or a pipe"
        if path.is_symlink():
            content = f"a link to {path.readlink()}"
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = content
    return found
