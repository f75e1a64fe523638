"""Patterns such as 'runs/**/*.csv': what they match, each folder read once however many links lead to it."""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_ANY_DEPTH: Final = "**"


def matching_paths(pattern: str) -> tuple[list[str], list[str]]:
    """Return what a pattern matches, sorted, and the links to folders that were read already and not read again.

    The standard library follows links at any depth: two links to their own folder make more paths than can be listed.
    """
    if _ANY_DEPTH not in Path(pattern).parts:
        return sorted(glob.glob(pattern)), []  # noqa: PTH207 - a user's pattern
    repeated: set[str] = set()
    matches = _matches(Path(pattern).parts, repeated)
    if pattern.endswith("/"):
        matches = {match for match in matches if os.path.isdir(match)}  # noqa: PTH112 - False for a circle too
    return sorted(_by_own_folder(matches)), sorted(repeated)


def _matches(parts: tuple[str, ...], repeated: set[str]) -> set[str]:
    """Return what the parts of a pattern match; `repeated` gets the links that led nowhere new."""
    if _ANY_DEPTH not in parts:
        return set(glob.glob(os.path.join(*parts)))  # noqa: PTH118, PTH207 - a user's pattern, kept as it is written
    place = parts.index(_ANY_DEPTH)
    head, tail = parts[:place], parts[place + 1 :]
    while tail[:1] == (_ANY_DEPTH,):
        tail = tail[1:]
    bases = glob.glob(os.path.join(*head)) if head else [""]  # noqa: PTH118, PTH207 - the same
    matches: set[str] = set()
    for folder in _folders(bases, repeated):
        if tail:
            # the working folder has no name that could stand before the rest
            matches |= _matches((*((glob.escape(folder),) if folder else ()), *tail), repeated)
        else:
            matches |= {folder or ".", *(os.path.join(folder, name) for name in _names(folder))}  # noqa: PTH118
    return matches - repeated


def _folders(bases: Iterable[str], repeated: set[str]) -> list[str]:
    """Return these folders and all below them but dot folders, each once: links come after what they may lead to."""
    plain = deque(base for base in bases if not os.path.islink(base))  # noqa: PTH114 - a name, maybe of no folder
    links = deque(base for base in bases if os.path.islink(base))  # noqa: PTH114
    found: dict[str, str] = {}  # real path → the path it was reached by
    while plain or links:
        folder = plain.popleft() if plain else links.popleft()
        real = os.path.realpath(folder)
        if real in found:
            repeated.add(folder)
            continue
        if folder and not os.path.isdir(folder):  # noqa: PTH112 - False for a circle too
            continue
        found[real] = folder
        for name in _names(folder):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isdir(path):  # noqa: PTH112
                (links if os.path.islink(path) else plain).append(path)  # noqa: PTH114
    return list(found.values())


def _names(folder: str) -> list[str]:
    """Return the names in a folder that patterns see, sorted; none if it cannot be read."""
    try:
        return sorted(name for name in os.listdir(folder or ".") if not name.startswith("."))  # noqa: PTH208
    except OSError:
        return []


def _by_own_folder(matches: Iterable[str]) -> list[str]:
    """Return the matches without those that only a link to a folder tells apart; the one without links stays."""
    places = {match: os.path.split(match.rstrip("/")) for match in matches}
    real = {folder: os.path.realpath(folder) for folder, _ in places.values()}
    linked = {folder: path != os.path.abspath(folder) for folder, path in real.items()}  # noqa: PTH100 - as it is written
    own: dict[tuple[str, str], str] = {}
    for match, (folder, name) in sorted(places.items(), key=lambda place: (linked[place[1][0]], place[0])):
        own.setdefault((real[folder], name), match)
    return list(own.values())
