"""The command line as a process: what is done before its words are understood, and when all is said."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from scoresheet.cli.endings import ending_of_work
from scoresheet.cli.host import ONE_THREAD, host_unchanged, own_process, with_room
from scoresheet.cli.scratch import copies_removed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing a user can do ends in a traceback."""
    with host_unchanged(), copies_removed():
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    _prepare_streams()
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    gc.disable()  # until all modules are loaded: nothing of that can be freed
    return with_room(lambda: ending_of_work(lambda: _obeyed(arguments)).code)


def _obeyed(arguments: list[str]) -> int:
    from scoresheet.cli.command_line import invoke  # which is most of what is loaded

    return invoke(arguments)


def console() -> None:
    """Run as the installed command."""
    own_process()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody listens any more, or never did
            stream.flush()
    os._exit(code)  # everything is written; taking the loaded modules apart would only cost time


def _prepare_streams() -> None:
    """Make sure that printing cannot end a run that is done: not a closed stream, not an ASCII terminal."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            _occupy(descriptor)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _occupy(descriptor: int) -> None:
    """Let no file or pipe have the descriptor of a closed stream: a worker would take it for that stream."""
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, descriptor)
        if nowhere != descriptor:
            os.close(nowhere)
        os.set_inheritable(descriptor, True)
