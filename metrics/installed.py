"""What installed packages say of themselves.

It is read from their folders where all packages are folders, as is usual: the standard library's finder, which is asked
elsewhere, takes a small run longer to import than its rows take to be scored.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Final

_APART: Final = re.compile(r"[-_.]+")
_INFO: Final = ("dist-info", "egg-info")
_TEXTS: Final = ("METADATA", "PKG-INFO")


def version(name: str) -> str:
    """Return the version of an installed package; PackageNotFoundError if it is not installed."""
    found = package_metadata(name).get("Version")
    if found:
        return found[0]
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)


@cache
def package_metadata(name: str) -> Mapping[str, list[str]]:
    """Return what an installed package says of itself, by field; nothing of one that is not installed.

    The description that follows the fields is not parsed, as the standard library does: it is most of the text.
    """
    found: dict[str, list[str]] = {}
    for line in _text(name).partition("\n\n")[0].splitlines():
        field, _, value = line.partition(": ")
        found.setdefault(field, []).append(value)
    return found


def _text(name: str) -> str:
    if not _all_are_folders():
        return _asked_text(name)
    folder = _folders().get(_plain(name))
    for text in _TEXTS if folder else ():
        with suppress(OSError), open(f"{folder}/{text}", encoding="utf-8") as file:  # noqa: PTH123 - the core knows no paths
            return file.read()
    return ""


def _asked_text(name: str) -> str:
    """Return the text as the standard library finds it."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
    except PackageNotFoundError:
        return ""
    return next(filter(None, map(found.read_text, _TEXTS)), "")


def _all_are_folders() -> bool:
    """Return whether no package can be in an archive, or wherever a finder of somebody else's looks."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return len(finders) == 1 and not any(map(os.path.isfile, sys.path))


@cache
def _folders() -> Mapping[str, str]:
    """Return the folder of each package's own words by its name; the first on the path is the one that is imported."""
    found: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for entry in sorted(os.listdir(place or ".")):  # noqa: PTH208 - the same
                stem, _, kind = entry.rpartition(".")
                if kind in _INFO:
                    found.setdefault(_plain(stem.partition("-")[0]), f"{place or '.'}/{entry}")
    return found


def _plain(name: str) -> str:
    """Return a package's name as it is compared with others."""
    return _APART.sub("-", name).lower()
