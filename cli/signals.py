"""Signals: a run stops at once and leaves the old reports, except while it is replacing them."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from scoresheet.cli.exits import Interrupted

_STOPPING: Final = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)
_asked: list[int] = []  # signals that came; Python drops an exception raised inside some of its own callbacks
_CLEANING: Final = 3.0  # seconds that a first signal has for the clean-up before another one counts


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn a stopping signal into Interrupted; one that comes while the first is being obeyed changes nothing.

    A signal that was ignored before (nohup) stays ignored.
    """
    obeyed_at = -_CLEANING

    def stop(number: int, _: FrameType | None) -> None:
        nonlocal obeyed_at
        _asked.append(number)
        if time.monotonic() - obeyed_at >= _CLEANING:
            obeyed_at = time.monotonic()
            raise Interrupted(number)

    _asked.clear()
    usual = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if isinstance(lost.exc_value, Interrupted) else usual(lost)
    try:
        with _handled(stop, sparing_ignored=True):
            yield
    finally:
        sys.unraisablehook = usual


def stop_if_asked() -> None:
    """Raise Interrupted if a signal came whose exception was lost."""
    if _asked:
        raise Interrupted(_asked[0])


def signal_asked() -> int | None:
    """Return the first stopping signal that came since the last `interruptible` began, obeyed or not; None if none."""
    return _asked[0] if _asked else None


@contextmanager
def signals_ignored() -> Iterator[None]:
    """Do not obey stopping signals, but note them; what happens inside is short and must be whole."""
    with _handled(lambda number, _: _asked.append(number), sparing_ignored=True):
        yield


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Let stopping signals wait: raised inside a fork they would be lost, or end the child."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_stopping_to_the_parent() -> None:
    """Make a worker deaf to Ctrl-C, which the terminal sends to the whole group, and mortal by SIGTERM."""
    for number in _STOPPING:
        # never SIG_IGN for SIGTERM, not even for a moment: the parent's may be waiting already, and would be lost
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)


@contextmanager
def _handled(handler: Any, *, sparing_ignored: bool = False) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # signals are none of its business
        yield
        return
    before = {number: signal.getsignal(number) for number in _STOPPING}
    for number, old in before.items():
        if not (sparing_ignored and old == signal.SIG_IGN):
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
