"""The process that calls us, left as it was: a program may well run a command and go on with its own work."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Final, TypeVar

# workers are processes already; threads inside them would only compete, and add up in another order
ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

# parameters of the C library's `mallopt`, by their numbers in its <malloc.h>, and what they are set to, in bytes
_KEPT_WHEN_FREED: Final = {-1: 32 * 2**20, -3: 4 * 2**20}  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
T = TypeVar("T")
_ROOM: Final = 2**17  # words: far more than calls nested as deeply as they may be need, and none of them is touched
_is_ours = False


@contextmanager
def host_unchanged() -> Iterator[None]:
    """Give back garbage collection, environment and streams as they were found."""
    collecting = gc.isenabled()
    environment = dict(os.environ)
    streams = sys.stdout, sys.stderr
    handling = [(stream, stream.errors) for stream in streams if isinstance(stream, TextIOWrapper)]
    try:
        yield
    finally:
        (gc.enable if collecting else gc.disable)()
        for name in set(os.environ) - set(environment):
            del os.environ[name]
        os.environ.update(environment)
        sys.stdout, sys.stderr = streams
        for stream, errors in handling:
            if not stream.closed:
                with suppress(OSError):  # it is flushed first, and what could not be written before cannot be now
                    stream.reconfigure(errors=errors)


def own_process() -> None:
    """Say that nothing but this command runs in the process."""
    global _is_ours  # noqa: PLW0603 - a process is one thing
    _is_ours = True


def process_is_ours() -> bool:
    """Return whether nothing but this command runs in the process."""
    return _is_ours


def keep_freed_memory() -> None:
    """Have the C library keep some of the memory that was freed, for what is asked for next.

    By default it gives back what is free at the end, and each page that comes again costs the system the time to clear
    it: models of one size after the other, and arrays that are made in a loop, take and free the same pages each time.
    Other C libraries than Linux's usual one have no such setting.
    """
    if sys.platform == "linux":
        import ctypes

        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):
            for parameter, size in _KEPT_WHEN_FREED.items():
                library.mallopt(parameter, size)


def give_back_freed_memory() -> None:
    """Have the C library give the system what it kept, where the next work needs memory of another kind."""
    if sys.platform == "linux":
        import ctypes

        library = ctypes.CDLL(None)
        if hasattr(library, "malloc_trim"):
            library.malloc_trim(0)


def with_room(work: Callable[[], T]) -> T:
    """Return what the work returns, done with room for the frames of all that it calls.

    Python keeps frames in pieces of 16 KiB, gives a piece back to the system as soon as the first frame in it ends, and
    asks for it again at the next call: where the calls of a loop just cross the end of a piece, each costs two system
    calls. The piece that holds this frame has as much room again behind it.
    """
    return work()


with_room.__code__ = with_room.__code__.replace(co_stacksize=_ROOM)
