"""Exit codes, and the errors that become one: raised anywhere in cli/, translated in one place (cli/endings.py)."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """What the shell is told; the docs' table of exit codes is made from this."""

    OK = 0, "everything scored"
    BUG = 1, "internal error: a bug"
    USAGE = 2, "usage or configuration; nothing was read"
    PARTIAL = 3, "partial: reports written, some input was skipped (each listed)"
    NOTHING = 4, "nothing could be scored; existing reports untouched"
    UNWRITABLE = 5, "results could not be written; existing reports untouched"
    GATE = 10, "scored and written, but a gate did not hold (--fail-if, --fail-if-worse, --max-drop, --min-coverage, …)"
    UNPRINTED = 74, "all is done and written, but stdout, or the file of --junit, could not be"
    BUSY = 75, "another run holds this results folder (--wait SECONDS)"
    INTERRUPTED = 130, "interrupted; existing reports untouched"
    TERMINATED = 143, "terminated; existing reports untouched"

    about: str

    def __new__(cls, code: int, about: str) -> Exit:
        """Make a code that also carries what it means."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.about = about
        return member


# Where several are true, in a run or over several runs, the shell is told the first of these that is.
WORST_FIRST: Final = (
    Exit.BUG,
    Exit.INTERRUPTED,
    Exit.TERMINATED,
    Exit.UNWRITABLE,
    Exit.BUSY,
    Exit.USAGE,
    Exit.NOTHING,
    Exit.UNPRINTED,
    Exit.GATE,
    Exit.PARTIAL,
    Exit.OK,
)


def worst(codes: Iterable[int]) -> Exit:
    """Return the code that stands for all of these; of none, that everything is well.

    A signal that has no code of its own ends a run as SIGTERM does; any other code that is not ours is a bug.

    >>> worst([0, 3, 10]), worst([])
    (<Exit.GATE: 10>, <Exit.OK: 0>)
    """
    ours = {int(code): code for code in Exit}
    known = (ours.get(code, Exit.TERMINATED if code > 128 else Exit.BUG) for code in codes)
    return min(known, key=WORST_FIRST.index, default=Exit.OK)


class Stop(Exception):
    """The run ends here, with this exit code and this message for the user; several reasons have a line each."""

    def __init__(self, code: Exit, *reasons: str) -> None:
        super().__init__(code, *reasons)
        self.code = code
        self.reasons = reasons
        self.message = "\n".join(reasons)

    def __str__(self) -> str:
        return self.message


class Interrupted(BaseException):
    """A signal asked the run to stop; not an Exception, so that no handler on the way keeps it."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"stopped by {signal.Signals(signum).name}")
        self.code = 128 + signum
