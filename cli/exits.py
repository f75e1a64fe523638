"""Exit codes, and the errors that become one: raised anywhere in cli/, translated in one place (app.main)."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the shell is told; the docs' table of exit codes is made from this."""

    OK = 0, "everything scored"
    BUG = 1, "internal error: a bug"
    USAGE = 2, "usage or configuration; nothing was read"
    PARTIAL = 3, "partial: reports written, some input was skipped (each listed)"
    NOTHING = 4, "nothing could be scored; existing reports untouched"
    UNWRITABLE = 5, "results could not be written; existing reports untouched"
    GATE = 10, "scored and written, but a gate did not hold (--fail-on, which collective has)"
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
