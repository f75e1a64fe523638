"""The tables and commands that a page of the docs shows: files in fences that name them, commands below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.files import write_book, write_bytes

_FENCE = re.compile(r"^```(?:csv|jsonl|text|xlsx) (\S[^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^    (scoresheet .+)$", re.MULTILINE)
_SHEET = re.compile(r"(.+)\[(.+)\]")


def shown_commands(page: Path) -> list[str]:
    """The commands that stand on lines of their own."""
    return _COMMAND.findall(page.read_text("utf-8"))


def write_shown_tables(page: Path, folder: Path) -> list[str]:
    """Write every table of a page under the name that its fence has; return the names."""
    books: dict[str, dict[str, list[list[str]]]] = {}
    names = []
    for name, text in _FENCE.findall(page.read_text("utf-8")):
        names.append(name)
        sheet = _SHEET.fullmatch(name)
        if sheet is None:
            write_bytes(folder / name, text.encode())
        else:
            books.setdefault(sheet[1], {})[sheet[2]] = list(_cells(text))
    for path, sheets in books.items():
        write_book(folder / path, sheets)
    return names


def _cells(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        yield [cell.strip() for cell in line.split("|")]
