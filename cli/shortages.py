"""What the system can run short of: memory, file handles, processes. It is no bug, and is said as what it is."""

from __future__ import annotations

import errno
from typing import Final

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
