"""Cheap checks before a parser sees a file: what it is once links are followed, and how large it is."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

from scoresheet.cli.input.limits import MIB, Limits, refuse_over
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


def guard(path: Path, limits: Limits) -> None:
    """Refuse what would hang a reader: circles of links, pipes and devices, files without bytes or with too many."""
    if is_circular(path):
        reject("not-a-file", f"{CIRCLE}; remove it, or link it to the file that was meant")
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        reject("not-a-file", "a pipe, socket or device, not a file")
    if not about.st_size:  # also of what the system makes up as it is read, which may have no end
        reject("empty-file", "the file is empty")
    if about.st_size > limits.file_mb * MIB:
        refuse_over(limits, "file_mb", about.st_size / MIB, "the file has")


def open_regular(path: Path) -> BufferedReader:
    """Return a regular file opened for reading; OSError, without waiting, if it is a pipe, a device or a folder.

    Looking first and opening later would leave a moment in which a pipe can take the file's place.
    """
    # a device may do something when it is opened, so the look comes first all the same
    _refuse_irregular(path.stat(), path)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _refuse_irregular(os.fstat(descriptor), path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, most: int) -> bytes:
    """Return what a regular file holds; OSError if it is none, or has more bytes than `most`."""
    with open_regular(path) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes", str(path))
    return content


def _refuse_irregular(about: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
