"""Signals: a run stops at once and leaves the old reports, except while it is replacing them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from scoresheet.cli.exits import Interrupted

_STOPPING: Final = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn the first stopping signal into Interrupted; later ones wait until the clean-up is done."""

    def stop(number: int, _: FrameType | None) -> None:
        for each in _STOPPING:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    before = {number: signal.signal(number, stop) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore stopping signals; what happens inside is short and must be whole."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_stopping_to_the_parent() -> None:
    """Make a worker deaf to Ctrl-C, which the terminal sends to the whole group, and mortal by SIGTERM."""
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
