"""Workers in this process: a test that is not about processes needs none of its own.

Starting a process for each file and model is most of what a small run costs. Here a thread takes the place of the
process; tasks, messages and answers still travel through a pipe, pickled. Tests of what a process can do that a thread
cannot (die, be killed, inherit) have the mark `processes`, and then nothing is replaced.
"""

from __future__ import annotations

import gc
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import pytest

from scoresheet.cli.run import pool as workers
from scoresheet.cli.run import results_folder

ONE_AT_A_TIME = threading.Lock()  # as far apart as processes are


class Thread:
    """What the parent asks of a worker process, answered by a thread."""

    exitcode = None
    pid = None

    def __init__(self, work: Callable[[Any, Any], Any]) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self.thread = threading.Thread(target=serve, args=(work, theirs), daemon=True)
        self.thread.start()

    def terminate(self) -> None:
        """Ask it to leave when its task is done: a thread cannot be killed."""
        self.pipe.send(None)

    kill = terminate

    def join(self, _timeout: float | None = None) -> None:
        """Wait for its end, and take what it still says: nobody else will."""
        while self.thread.is_alive():
            if self.pipe.poll(0.001):
                try:
                    self.pipe.recv_bytes()
                except EOFError:
                    break
        self.thread.join()


def serve(work: Callable[[Any, Any], Any], pipe: Connection) -> None:
    """Do tasks until told to leave, as a worker does."""
    with pipe:
        while (task := pipe.recv()) is not None and not isinstance(task, str):
            with ONE_AT_A_TIME, uncollected():
                answer = workers.answer_of_task(work, task, pipe)
            workers.send_in_pieces(pipe, answer)


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles, as in a worker process."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def started(work: Callable[[Any, Any], Any], _allowance: object) -> object:
    """A worker that is a thread."""
    thread: Any = Thread(work)
    return workers._Worker(thread, thread.pipe)


@contextmanager
def threads_for_processes() -> Iterator[None]:
    """Let runs within have threads for workers."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(workers, "_started", started)
        patched.setattr(results_folder, "_sync", lambda _path: None)  # no power fails in these tests
        yield
