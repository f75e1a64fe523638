"""Whose a results folder is, and which files in it are ours: read from its manifest, whatever stands in its place."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MANIFEST: Final = "manifest.json"
TOOL: Final = "scoresheet"
LARGEST_MANIFEST: Final = 64 * 2**20  # bytes; one of 100,000 models has fewer
_LONGEST_NAME: Final = 255  # bytes that file systems allow


@dataclass(frozen=True)
class Listing:
    """What a command wrote into a folder: each file with the SHA-256 that it had."""

    command: str
    hashes: Mapping[str, frozenset[str]]  # none for a file that an earlier version listed without


def read_listing(path: Path) -> Listing | None:
    """Return what a manifest of ours lists; None if there is none, or it is damaged or another's."""
    record = _record(path)
    if record is None:
        return None
    try:
        return Listing(str(record["command"]), _hashes([*record["outputs"], *record.get("left", [])]))
    except (KeyError, TypeError):
        return None


def is_results(folder: Path) -> bool:
    """Return whether a folder holds reports of ours: its manifest says so."""
    return _record(folder / MANIFEST) is not None


def _record(path: Path) -> dict[str, Any] | None:
    """Return a file's JSON object if it names us as its writer; a file of any other kind is not even opened."""
    try:
        about = path.stat()
        # some files of the system are regular, have no size and never end
        if not stat.S_ISREG(about.st_mode) or not 0 < about.st_size <= LARGEST_MANIFEST:
            return None
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError, MemoryError):
        return None
    return record if isinstance(record, dict) and record.get("tool") == TOOL else None


def _hashes(entries: Iterable[Any]) -> dict[str, frozenset[str]]:
    hashes: dict[str, frozenset[str]] = {}
    for entry in entries:
        name, digests = (entry, []) if isinstance(entry, str) else (entry["file"], [entry["sha256"]])
        if not isinstance(name, str):
            raise TypeError(name)
        if _is_plain(name):
            hashes[name] = hashes.get(name, frozenset()).union(str(digest) for digest in digests if digest)
    return hashes


def _is_plain(name: str) -> bool:
    """Return whether a name can be that of a report: of a file in the folder itself, no dot file."""
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        return False
    return Path(name).name == name and not name.startswith(".") and "\0" not in name and 0 < size <= _LONGEST_NAME
