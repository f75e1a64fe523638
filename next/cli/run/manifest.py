"""The manifest of a results folder, and JSON files that are never half written."""

import errno
import hashlib
import json
import os
import re
import secrets
import stat
from pathlib import Path, PurePath
from typing import Any

OURS = {"schema": 1, "tool": "scoresheet"}
MAX_BYTES = 50_000_000


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest, or None if it is missing, damaged or not one of ours.

    Only a regular file of a limited size is read: a pipe or a device may never end.
    """
    names = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # as far as the system has them
    try:
        descriptor = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in names))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
                return None
            data = json.loads(file.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return data if _is_manifest(data) else None


def write_json_atomic(path: Path, data: Any) -> None:
    """Write data as JSON so that the path holds all of the old content or all of the new."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False) + "\n"
    temporary = path.with_name(f".scoresheet-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            # Bytes of a file name that are not UTF-8 become JSON escapes.
            file.write(text.encode("utf-8", errors="backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    flush(path.parent)


def flush(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive a loss of power."""
    on_windows, is_folder = os.name == "nt", path.is_dir()
    if on_windows and is_folder:
        return  # Windows cannot open folders, and flushes only files opened for writing
    descriptor = os.open(path, os.O_RDWR if on_windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not is_folder or error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise  # some network file systems cannot flush folders
    finally:
        os.close(descriptor)


def _is_manifest(data: Any) -> bool:
    is_ours = isinstance(data, dict) and OURS.items() <= data.items()
    outputs = data.get("outputs") if is_ours else None
    return isinstance(outputs, dict) and all(map(_is_output, outputs, outputs.values()))


def _is_output(name: str, digest: Any) -> bool:
    path = PurePath(name)
    below = path.parts and ".." not in path.parts and not path.is_absolute() and not path.drive
    return bool(below and path.as_posix() == name and re.fullmatch("[0-9a-f]{64}", str(digest)))
