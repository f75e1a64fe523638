"""What the system can run short of: memory, file handles, processes. It is no bug, and is said as what it is."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Final

from scoresheet.cli.exits import Exit, Stop

_LEAST_MB: Final = 256  # of address space: with less, libraries that we load end the process themselves

_BY_NUMBER: Final = {
    errno.ENOMEM: "memory (a limit of the shell, see `ulimit -v`, or of the machine)",
    errno.EMFILE: "file handles (a limit of the shell, see `ulimit -n`)",
    errno.ENFILE: "file handles (of the whole system)",
    errno.EAGAIN: "processes or threads (a limit of the shell, see `ulimit -u`)",
}
_BY_WORDS: Final = {
    "cannot allocate memory": errno.ENOMEM,
    "failed to map segment": errno.ENOMEM,
    "out of memory": errno.ENOMEM,
    "too many open files": errno.EMFILE,
    "can't start new thread": errno.EAGAIN,
}


def shortage(error: BaseException | None) -> str:
    """Return what the system was short of if that is why an error was raised, also in the course of another; else ''.

    >>> shortage(MemoryError())
    'memory (a limit of the shell, see `ulimit -v`, or of the machine)'
    >>> shortage(ValueError("too many open files")), shortage(ImportError("numpy: Too many open files"))
    ('', 'file handles (a limit of the shell, see `ulimit -n`)')
    """
    while error is not None:
        number = errno.ENOMEM if isinstance(error, MemoryError) else getattr(error, "errno", None)
        if number is None and isinstance(error, ImportError | RuntimeError | SystemError):
            number = next((each for words, each in _BY_WORDS.items() if words in str(error).casefold()), None)
        if number in _BY_NUMBER and isinstance(error, OSError | MemoryError | ImportError | RuntimeError | SystemError):
            return _BY_NUMBER[number]
        error = error.__cause__ or error.__context__
    return ""


def check_surroundings() -> None:
    """Stop if a run cannot even begin: its working folder is gone, or there is less memory than libraries take.

    One of these would end the process itself.
    """
    try:
        Path.cwd()
    except OSError as error:
        why = error.strerror or str(error)
        raise Stop(Exit.USAGE, f"the working folder is gone, or cannot be read ({why}); go to another folder") from None
    if sys.platform == "win32":
        return
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= most < _LEAST_MB * 2**20:
        raise Stop(
            Exit.UNWRITABLE,
            f"the shell allows {most // 1024:,} kB of memory (ulimit -v), and it takes at least {_LEAST_MB * 1024:,}; "
            "existing reports are untouched",
        )
