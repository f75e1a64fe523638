"""What is said on stderr, and the log file: a line per event with time and process, whatever becomes of the run."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from scoresheet.cli.terminal.tables import for_screen, one_line


class Log:
    """Says things on stderr, and writes them to the log file if there is one.

    A log that cannot be written is said once; a run is not the worse for it.
    """

    def __init__(self, *, quiet: bool = False, log_file: str = "") -> None:
        self.quiet = quiet
        self.log_file = log_file
        self._path = Path(log_file).absolute()  # jobs may work in another folder

    def info(self, message: str) -> None:
        """Say something that quiet users do not want to hear; the log has it all the same."""
        if self.quiet:
            self.debug(message)
        else:
            self.error(message)

    def error(self, message: str) -> None:
        """Say something that everybody must hear."""
        self.debug(message)
        with suppress(OSError):  # nobody listens; the run is not the worse for it
            sys.stderr.write(for_screen(one_line(message), sys.stderr) + "\n")
            sys.stderr.flush()

    def debug(self, message: str) -> None:
        """Write to the log file alone: one line, whatever a name or a cell in it holds."""
        if not self.log_file:
            return
        time = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(f"{time} [{os.getpid()}] {one_line(message)}\n")
        except (OSError, ValueError) as error:
            file, self.log_file = self.log_file, ""
            reason = getattr(error, "strerror", None) or error
            self.error(f"--log-file {file}: cannot be written ({reason}); the run goes on without it")

    def bug(self, error: BaseException) -> None:
        """Write a traceback to the log file, line by line."""
        for line in "".join(traceback.format_exception(error)).splitlines():
            self.debug(f"bug: {line}")
