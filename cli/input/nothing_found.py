"""What there is instead, where a place has no tables: folders further down, or texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Final

from scoresheet.cli.input.formats.by_extension import reader_of
from scoresheet.metrics.messages import join_names

_MOST: Final = 1000  # entries of a folder that are looked at
_TEXTS: Final = ".txt"


def what_else(place: str) -> str:
    """Return what to name or to do instead, for a message; '' if nothing is near."""
    path = Path(place)
    if path.suffix.lower() == _TEXTS:
        return "; a .txt is not read as a table: if it is one, save it as .csv or .tsv"
    above = [folder for folder in _folders(path) if any(map(_has_tables, _folders(folder)))]
    if above:
        inner = [folder.name for folder in _folders(above[0]) if _has_tables(folder)]
        return f"; {join_names(inner)} in {quote(str(above[0]))} have some: name that folder"
    if any(each.suffix.lower() == _TEXTS for folder in (path, *_folders(path)) for each in _entries(folder)):
        return "; texts in .txt files are not read: put them into a table, a row each in a column text"
    return ""


def _has_tables(folder: Path) -> bool:
    return any(each.is_file() and reader_of(each) is not None for each in _entries(folder))


def _folders(folder: Path) -> list[Path]:
    return [each for each in _entries(folder) if each.is_dir() and not each.name.startswith(".")]


def _entries(folder: Path) -> Iterator[Path]:
    """Yield what a folder holds, in order; nothing if it is none or may not be read."""
    try:
        yield from sorted(islice(folder.iterdir(), _MOST))
    except OSError:  # why it cannot be read is said of the place itself
        return
