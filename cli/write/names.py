"""Names that every spreadsheet program and file system accepts, made from names that people and models chose."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from scoresheet.cli.write.cell_text import escape_control_characters

SHEET_LIMIT: Final = 31  # UTF-16 units, Excel's rule
_FILE_LIMIT: Final = 180  # bytes; leaves room for the suffix within the 255 that file systems allow
_NOT_IN_SHEETS: Final = re.compile(r"[\[\]:*?/\\\t\n]")
_EDGES: Final = "' \u3000\xa0"  # what a name may not begin or end with
_NOT_IN_FILES: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|con(?:in|out)\$|(?:com|lpt)[\d¹²³]) *(?:\..*)?\Z", re.IGNORECASE)


class SheetNames:
    """Gives each page of one workbook a name that Excel accepts and no other page has, ignoring case."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._taken = {"history", *map(file_key, reserved)}

    def take(self, wanted: str) -> str:
        """Return the wanted name if it will do, else the nearest that does."""
        base = _NOT_IN_SHEETS.sub("_", escape_control_characters(wanted)).strip(_EDGES) or "Sheet"
        name, number = _cut(base, SHEET_LIMIT).rstrip(_EDGES), 2
        while file_key(name) in self._taken:
            suffix = f" ({number})"
            name, number = _cut(base, SHEET_LIMIT - len(suffix)) + suffix, number + 1
        self._taken.add(file_key(name))
        return name


def file_stem(model: str) -> str:
    """Return the model's name as a file name; a changed one carries a hash, so that two models never share it.

    >>> file_stem("gpt-4.1"), file_stem("org/model")
    ('gpt-4.1', 'org_model-c87c0c64')
    """
    stem = _NOT_IN_FILES.sub("_", escape_control_characters(model)).rstrip(". ")
    if _DEVICES.match(stem) or not stem:
        stem = "_" + stem
    if stem == model and len(stem.encode()) <= _FILE_LIMIT:
        return stem
    digest = hashlib.sha256(model.encode(errors="surrogatepass")).hexdigest()[:8]
    return stem.encode()[:_FILE_LIMIT].decode(errors="ignore") + "-" + digest


def file_key(name: str) -> str:
    """Return what two names share if some file system takes one for the other: case and accents aside.

    >>> file_key("Caf\u00e9") == file_key("CAFE\u0301"), file_key("a") == file_key("b")
    (True, False)
    """
    return normalize("NFC", normalize("NFC", name).casefold())


def _cut(text: str, units: int) -> str:
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore")
