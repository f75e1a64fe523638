"""Worker processes that can be replaced: one that dies costs the task it held and nothing else.

Parsers run here, because some end the whole process on a bad file (an abort cannot be caught).
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, TypeVar

from scoresheet.cli.exits import Stop
from scoresheet.cli.run.messages import Message, Tell
from scoresheet.cli.signals import leave_stopping_to_the_parent, signals_blocked, stop_if_asked
from scoresheet.metrics.problems import Problem

T = TypeVar("T")
R = TypeVar("R")

_STOP: Final = "stop work"  # what an idle worker is told at the end
_TICK: Final = 0.2  # seconds between two calls of `tick` while nothing happens
# A forked worker shares the loaded modules and prepared references for nothing; elsewhere a fresh one is safer.
_START: Final = "fork" if sys.platform == "linux" else "spawn"


@dataclass(frozen=True)
class WorkerCrashed:
    """A worker ended without an answer."""

    how: str

    def problem(self) -> Problem:
        """Return it as the problem of the file that the worker held."""
        message = (
            f"the process that read it was {self.how}; the file is damaged or too large, open it and save it again"
        )
        return Problem(kind="worker-died", message=message, effect="file skipped")


@dataclass(frozen=True)
class Bug:
    """The work itself raised: a bug of ours, with the worker's traceback."""

    traceback: str

    def problem(self) -> Problem:
        """Return it as the problem of the file that the worker held."""
        last = self.traceback.strip().rpartition("\n")[2]
        message = f"scoresheet failed on this file ({last}); this is a bug, please report it"
        return Problem(kind="internal-error", message=message, effect="file skipped")


@dataclass
class _Worker(Generic[T]):
    process: BaseProcess
    pipe: Connection
    task: int | None = None


def run_tasks(
    work: Callable[[T, Tell], R],
    tasks: Sequence[T],
    *,
    workers: int,
    on_message: Callable[[int, Message], None] = lambda _task, _message: None,
    tick: Callable[[], None] = lambda: None,
) -> Generator[tuple[int, R | WorkerCrashed | Bug], None, None]:
    """Yield (number of the task, its result) as they come; `on_message` hears what a worker says on the way.

    Close it (`contextlib.closing`): then the workers are gone however the loop over it ends.
    """
    waiting = list(reversed(range(len(tasks))))
    pool: list[_Worker[T]] = []
    try:
        while waiting or any(worker.task is not None for worker in pool):
            stop_if_asked()
            while waiting and len(pool) < workers:
                pool.append(_started(work))
            for worker in pool:
                if worker.task is None and waiting:
                    _assign(worker, waiting.pop(), tasks)
            ready = wait([worker.pipe for worker in pool if worker.task is not None], timeout=_TICK)
            for worker in [each for each in pool if each.pipe in ready]:
                yield from _receive(worker, pool, on_message)
            tick()
    finally:
        for worker in pool:
            _shut_down(worker)


def _started(work: Callable[[T, Tell], R]) -> _Worker[T]:
    context: Any = multiprocessing.get_context(_START)
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(work, theirs), daemon=True)
    with signals_blocked():
        process.start()
    theirs.close()
    return _Worker(process, ours)


def _assign(worker: _Worker[T], task: int, tasks: Sequence[T]) -> None:
    worker.task = task
    try:
        worker.pipe.send(tasks[task])
    except (BrokenPipeError, ConnectionResetError):
        return  # it died before it began; reading the pipe says so


def _receive(
    worker: _Worker[T], pool: list[_Worker[T]], on_message: Callable[[int, Message], None]
) -> Iterator[tuple[int, Any]]:
    assert worker.task is not None  # noqa: S101 - only busy workers are listened to
    try:
        kind, value = worker.pipe.recv()
    except (EOFError, ConnectionResetError):
        pool.remove(worker)
        worker.process.join()
        worker.pipe.close()
        yield worker.task, WorkerCrashed(_ending(worker.process.exitcode))
        return
    if kind == "message":
        on_message(worker.task, value)
    elif kind == "stop":
        raise value
    else:
        task, worker.task = worker.task, None
        yield task, Bug(value) if kind == "bug" else value


def _shut_down(worker: _Worker[T]) -> None:
    # closing the pipe would not do: workers forked later hold copies of its end
    if worker.task is not None:
        worker.process.terminate()
    else:
        with suppress(OSError):  # it died while idle; there is nobody to tell
            worker.pipe.send(_STOP)
    worker.process.join()
    worker.pipe.close()


def _ending(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"killed by signal {-exitcode}"
    return f"ended by itself with code {exitcode}"


def _serve(work: Callable[[T, Tell], R], pipe: Connection) -> None:
    """Do tasks until the pipe closes; never outlive the parent."""
    leave_stopping_to_the_parent()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a descriptor is wanted
        os.dup2(nowhere.fileno(), 2)  # a parser that aborts prints its last words; the parent says it better
    threading.Thread(target=_die_with_the_parent, daemon=True).start()
    # a model is many small objects, and looking for cycles among them took an eighth of the time: once a task will do
    gc.disable()
    gc.freeze()
    for number in itertools.count():
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        if task == _STOP:
            return
        if number:
            gc.collect()
        try:
            answer: tuple[str, Any] = ("done", work(task, lambda message: pipe.send(("message", message))))
        except Stop as stop:
            answer = ("stop", stop)
        except Exception:  # noqa: BLE001 - whatever it is, the parent reports it
            answer = ("bug", traceback.format_exc())
        try:
            pipe.send(answer)
        except OSError:
            return  # the parent is gone
        except Exception:  # noqa: BLE001 - an answer that cannot travel is a bug like any other
            pipe.send(("bug", traceback.format_exc()))


def _die_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
