"""Cheap checks before a parser sees a file."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

from scoresheet.metrics.problems import reject

CIRCLE: Final = "a symbolic link that leads back to itself, or through too many others"


def is_circular(path: Path) -> bool:
    """Return whether a path leads in a circle of links, or over more of them than the system follows."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        return getattr(error, "errno", None) == errno.ELOOP
    return False


def real_path(path: Path) -> Path:
    """Return a path without links, as far as they lead anywhere; unlike Path.resolve it bears a circle."""
    return Path(os.path.realpath(path))


def guard(path: Path) -> None:
    """Refuse what would hang or confuse a parser: circles of links, pipes and devices, files with no bytes."""
    if is_circular(path):
        reject("not-a-file", f"{CIRCLE}; remove it, or link it to the file that was meant")
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        reject("not-a-file", "a pipe, socket or device, not a file")
    if not about.st_size:
        reject("empty-file", "the file is empty")
