"""Exit codes, and the errors that become one: raised anywhere in cli/, translated in one place (app.main)."""

from __future__ import annotations

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
    UNPRINTED = 74, "scored and written, but stdout, or the file of --junit, could not be"
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


# where several are true, the first of them is said
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
    """Return the code that goes before the others; of none, that all is well. A code that is none of ours is a bug.

    >>> worst([3, 10, 0]), worst([74, 10]), worst([])
    (<Exit.GATE: 10>, <Exit.UNPRINTED: 74>, <Exit.OK: 0>)
    """
    seen = set(codes)
    if seen - set(WORST_FIRST):
        return Exit.BUG
    return next((code for code in WORST_FIRST if code in seen), Exit.OK)


class Stop(Exception):
    """The run ends here, with this exit code and this message for the user."""

    def __init__(self, code: Exit, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message


class Interrupted(BaseException):
    """A signal asked the run to stop; not an Exception, so that no handler on the way keeps it."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"stopped by signal {signum}")
        self.code = 128 + signum
