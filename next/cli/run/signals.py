"""Signals that end a run: when they interrupt it, and when they wait."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = [s for s in signal.Signals if s.name in ("SIGINT", "SIGTERM", "SIGHUP")]


class Interrupted(BaseException):
    """A signal ended the run. It is not an Exception, so that nothing treats it as a failure."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.signal = signal.Signals(signum)
        self.exit_code = 128 + signum


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise Interrupted in the main thread when a signal asks the run to end.

    A signal that was ignored at the start (nohup) stays ignored. Other threads: no effect.
    """
    with _handled_by(_raise_interrupted):
        yield


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Let signals wait until the block has ended, then act on the first. Other threads: no effect.

    Handlers are exchanged, because a signal that is only blocked arrives through another thread.
    """
    pending: list[int] = []
    try:
        with _handled_by(lambda signum, _: pending.append(signum)):
            yield
    finally:
        if pending:
            signal.raise_signal(pending[0])


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    previous = {}
    try:
        if threading.current_thread() is threading.main_thread():  # only there Python allows it
            for signum in ENDING:
                if signal.getsignal(signum) not in (signal.SIG_IGN, None):
                    previous[signum] = signal.signal(signum, handler)
        yield
    finally:
        for signum, before in previous.items():
            signal.signal(signum, before)


def _raise_interrupted(signum: int, _: FrameType | None) -> None:
    raise Interrupted(signum)
