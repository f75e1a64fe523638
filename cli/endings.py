"""How a call ends: every error becomes an exit code and a line on stderr, in one place."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from scoresheet.cli.exits import Exit, Interrupted, Stop
from scoresheet.cli.shortages import shortage
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import MissingExtra

_REPORT = "\nThis is a bug in scoresheet; please report the lines above."


class Ending(NamedTuple):
    """How a call ended: its exit code, and what was said of the error if one ended it."""

    code: int
    error: str = ""


def ending_of_work(work: Callable[[], int]) -> Ending:
    """Do some work that returns an exit code, and return how it ended: errors are said, and become their codes."""
    try:
        return Ending(work())
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug is reported as one
        ending = ending_of(error)
        is_bug = ending.code == Exit.BUG and not isinstance(error, Stop)
        if is_bug:
            write_bug("".join(traceback.format_exception(error)))
        elif shortage(error):
            write_stderr(f"Error: {ending.error}")  # an import might be one thing too many
        else:
            _write_error(*(error.reasons if isinstance(error, Stop) else [ending.error]))
    except Interrupted as error:
        ending = ending_of(error)
        write_stderr("Stopped; no report is half written.")
    except KeyboardInterrupt as error:
        ending = ending_of(error)
    return ending


def ending_of(error: BaseException) -> Ending:
    """Return the exit code that an error becomes, and what is said of it."""
    match error:
        case Stop():
            return Ending(int(error.code), str(error))
        case MissingExtra():
            return Ending(int(Exit.USAGE), spelled_for_shell(str(error)))
        case Interrupted():
            return Ending(error.code, str(error))
        case KeyboardInterrupt():
            return Ending(int(Exit.INTERRUPTED), "interrupted")
        case Exception() if short := shortage(error):
            return Ending(int(Exit.UNWRITABLE), f"there is not enough {short}; existing reports are untouched")
        case _:
            return Ending(int(Exit.BUG), f"a bug: {type(error).__name__}: {error}")


def write_bug(lines: str) -> None:
    """Write a traceback to stderr, so that what is quoted in it cannot command a terminal."""
    from scoresheet.cli.terminal.tables import one_line

    write_stderr("\n".join(map(one_line, lines.split("\n"))) + _REPORT)


def _write_error(*reasons: str) -> None:
    from scoresheet.cli.terminal.tables import for_screen, one_line

    lines = "\n".join(map(one_line, reasons))
    write_stderr("\n".join(for_screen(line, sys.stderr) for line in f"Error: {lines}".split("\n")))


def write_stderr(message: str) -> None:
    """Write a line or more to stderr, if anybody listens."""
    with suppress(OSError, ValueError):  # nobody listens; the exit code says it too
        sys.stderr.write(message + "\n")
        sys.stderr.flush()
