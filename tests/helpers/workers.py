"""Workers in this process: a test that is not about processes needs none of its own.

Starting a process for each file and model is most of what a small run costs. Here a thread takes the place of the
process; tasks, messages and answers still travel through a pipe, pickled. Tests of what a process can do that a thread
cannot (die, be killed, inherit) have the mark `processes`, and then nothing is replaced.

Under SCORESHEET_START_METHOD=spawn (`make spawn`) workers are processes that share nothing with the one that started
them, as on Windows and macOS: what they get is pickled, and a module that a test changed is as it was. Those of tests
with the mark `processes` load everything anew; for the others that was done once, and each is a fork of it. For tests
that change a part of the program for the workers too there is the mark `patched`: to them nothing of this applies.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.run import pool as workers
from scoresheet.cli.run import results_folder
from scoresheet.cli.run.allowance import Allowance

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


ROOT = Path(__file__).resolve().parents[2]
LOADED = [__name__, "scoresheet.cli.run.model_worker", "scoresheet.cli.earlier.verifying", "python_calamine"]


@cache
def forking() -> Any:
    """What starts processes from one that has loaded the program and nothing else: it is started here."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("PYTHONPATH", str(ROOT))  # it looks for them on no other path
        forkserver.ensure_running()
    return context


def started_elsewhere(work: Callable[[Any, Any], Any], allowance: Allowance) -> object:
    """A worker that is a process with nothing of this one but what was pickled for it, and its environment."""
    ours, theirs = forking().Pipe()
    process = forking().Process(target=surrounded, args=(dict(os.environ), work, theirs, allowance), daemon=True)
    with workers.main_module_hidden():
        process.start()
    theirs.close()
    return workers._Worker(process, ours, ready=False)


def surrounded(variables: dict[str, str], work: Callable[[Any, Any], Any], pipe: Any, allowance: Allowance) -> None:
    """Be a worker in an environment such as a new process would have got."""
    os.environ.clear()
    os.environ.update(variables)
    workers._serve(work, pipe, allowance)


def by_spawn() -> bool:
    """Whether workers are to share nothing with the process that starts them."""
    return os.environ.get(workers.START_METHOD) == "spawn"


@contextmanager
def cheap_workers() -> Iterator[None]:
    """Let runs within have threads for workers, or, where they are to share nothing, processes that start fast."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(workers, "_started", started_elsewhere if by_spawn() else started)
        patched.setattr(results_folder, "_sync", lambda _path: None)  # no power fails in these tests
        yield
