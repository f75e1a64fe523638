"""The answer on stdout, and whether it could be printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def print_answer(text: str) -> bool:
    """Print on stdout, and return whether that could be done; no name in it commands the terminal."""
    from scoresheet.cli.terminal.tables import printable

    return is_printed(lambda: sys.stdout.write(printable(text) + "\n"))


def is_printed(write: Callable[[], object]) -> bool:
    """Let something be written on stdout, and return whether it could be; a reader that left had what it wanted."""
    try:
        write()
        sys.stdout.flush()
    except OSError as error:
        # what is still buffered would fail once more when Python closes the stream
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
        if isinstance(error, BrokenPipeError):
            return True
        with suppress(OSError):
            sys.stderr.write(f"Error: stdout: the answer could not be printed ({error.strerror})\n")
        return False
    return True
