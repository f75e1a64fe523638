"""Cheap checks before a parser sees a file."""

from __future__ import annotations

import stat
from pathlib import Path

from scoresheet.metrics.problems import reject


def guard(path: Path) -> None:
    """Refuse what would hang or confuse a parser: pipes and devices, files with no bytes."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        reject("not-a-file", "a pipe, socket or device, not a file")
    if not about.st_size:
        reject("empty-file", "the file is empty")
