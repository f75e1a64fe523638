"""Whose a results folder is, and which files in it are ours: what its manifest says, if it is one of ours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.manifests import FOLDERS, MANIFEST, MARK, read_record
from scoresheet.metrics.records import dataclass

_COMMAND: Final = re.compile("[a-z][a-z-]{0,39}")
_LONGEST_NAME: Final = 255  # bytes that file systems allow


@dataclass(frozen=True)
class Listing:
    """What a command wrote into a folder: each file with the SHA-256 that it had."""

    command: str
    hashes: Mapping[str, frozenset[str]]  # none for a file that an earlier version listed without


def read_listing(path: Path) -> Listing | None:
    """Return what a manifest of ours lists; None if there is none, or it is damaged or another's."""
    record = read_record(path) or {}
    command, outputs, left = str(record.get("command", "")), record.get("outputs"), record.get("left", [])
    # the command is shown, and what is shown must be harmless
    if not _COMMAND.fullmatch(command) or not isinstance(outputs, list) or not isinstance(left, list):
        return None
    try:
        return Listing(command, _hashes([*outputs, *left]))
    except (KeyError, TypeError):
        return None


def owner_of(folder: Path) -> str:
    """Return the command whose reports a folder holds; '' if it holds none of ours."""
    listings = [read_listing(folder / name) for name in (MANIFEST, MARK)]
    return next((listing.command for listing in listings if listing), "")


def owned_listing(folder: Path, command: str) -> Listing:
    """Return what earlier runs of a command wrote into a folder; Stop if the folder is not the command's to write."""
    listings: list[Listing] = []
    for path in (folder / MANIFEST, folder / MARK):
        if not os.path.lexists(path):
            continue
        try:
            listing = read_listing(path)
        except OSError as error:
            why = error.strerror or str(error)
            raise Stop(Exit.UNWRITABLE, f"{path}: cannot be read ({why}); existing reports are untouched") from error
        if listing is None:
            raise Stop(
                Exit.USAGE,
                f"{path}: this is another program's file, or a damaged one of ours, and writing here would replace it; "
                "nothing was touched. Name another folder with -o, or move the file away",
            )
        if listing.command != command:
            raise Stop(
                Exit.USAGE,
                f"{folder}: this folder holds the reports of scoresheet {listing.command}, and a results folder "
                f"belongs to one command; nothing was touched. Name another folder for those of {command} with -o",
            )
        listings.append(listing)
    return listings[0] if listings else Listing(command, {})  # a manifest vouches for a whole set, the mark for none


def refuse_unlisted(folder: Path, files: Iterable[str], listing: Listing) -> None:
    """Stop if a file stands where a report is to be written, and no earlier run of the command wrote it."""
    # a folder in a report's place is never replaced: that the report cannot be written is said when it is tried
    wanted = list(files)
    inside = dict.fromkeys(name.rpartition("/")[0] for name in wanted if "/" in name)
    own = [name for name in (*inside, *wanted) if name not in listing.hashes and _is_in_the_way(folder / name)]
    if own:
        more = f" (and {len(own) - 1:,} more such files)" if len(own) > 1 else ""
        raise Stop(
            Exit.USAGE,
            f"{folder / own[0]}: this file would be replaced by a report, and no run of scoresheet {listing.command} "
            f"is known to have written it{more}; nothing was touched. Name another folder with -o, or move it away",
        )


def _is_in_the_way(path: Path) -> bool:
    return os.path.lexists(path) and (path.is_symlink() or not path.is_dir())


def _hashes(entries: Iterable[object]) -> dict[str, frozenset[str]]:
    """Return the files that entries list, with their hashes; TypeError or KeyError if an entry is none of ours."""
    hashes: dict[str, frozenset[str]] = {}
    for entry in entries:
        name, digest = (entry, "") if isinstance(entry, str) else _named(entry)
        if _is_plain(name):
            hashes[name] = hashes.get(name, frozenset()) | ({digest} if digest else set())
    return hashes


def _named(entry: object) -> tuple[str, str]:
    if not isinstance(entry, dict) or not isinstance(entry["file"], str):
        raise TypeError(entry)
    return entry["file"], str(entry["sha256"] or "")


def _is_plain(name: str) -> bool:
    """Return whether a name can be that of a report: of a file in the folder itself or one of ours, no dot file."""
    inside, _, name = name.rpartition("/")
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        return False
    if inside not in ("", *FOLDERS):
        return False
    return Path(name).name == name and not name.startswith(".") and "\0" not in name and 0 < size <= _LONGEST_NAME
