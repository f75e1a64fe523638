"""The signals that end a run."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = [s for s in signal.Signals if s.name in ("SIGINT", "SIGTERM", "SIGHUP")]


class Interrupted(BaseException):
    """A signal ended the run. It is not an Exception, so that nothing treats it as a failure."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


# Python drops an exception that is raised inside a finalizer; the wait for workers looks here.
_received: list[int] = []
_deferring: list[bool] = []  # not empty while signals wait


def check_signals() -> None:
    """Raise Interrupted if a signal arrived in this run."""
    if _received:
        raise Interrupted(_received[0])


def _interrupt(signum: int, _: FrameType | None) -> None:
    _received.append(signum)
    if not _deferring:
        raise Interrupted(signum)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise Interrupted in the main thread when a signal asks the run to end.

    A signal that was ignored at the start (nohup) stays ignored. Other threads: no effect.
    """
    _received.clear()
    main = threading.current_thread() is threading.main_thread()  # only there Python allows it
    free = [s for s in ENDING if main and signal.getsignal(s) not in (signal.SIG_IGN, None)]
    previous = {signum: signal.signal(signum, _interrupt) for signum in free}
    try:
        yield
    finally:
        for signum, before in previous.items():
            signal.signal(signum, before)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Let the signals that `interruptible` handles wait until the block has ended.

    They are not blocked, because a signal that is blocked arrives through another thread.
    """
    _deferring.append(True)
    try:
        yield
    finally:
        _deferring.pop()
        check_signals()
