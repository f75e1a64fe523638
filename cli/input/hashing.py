"""The SHA-256 of a file, by which manifests know inputs and outputs."""

from __future__ import annotations

import hashlib
from pathlib import Path

from scoresheet.cli.input.guard import open_regular


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
