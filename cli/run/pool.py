"""Worker processes that can be replaced: one that dies, hangs or takes too much costs its task and nothing else.

Parsers run here, because some end the whole process on a bad file (an abort cannot be caught). The parent never waits
for a worker without a limit: not for its answer, nor for the rest of one, nor for its end.
"""

from __future__ import annotations

import gc
import itertools
import math
import multiprocessing
import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Final, Generic, NamedTuple, TypeVar

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.limits import MIB
from scoresheet.cli.run.allowance import (
    Allowance,
    asking_is_cheap,
    lift_own_memory_limit,
    limit_own_memory,
    usage_of,
)
from scoresheet.cli.run.messages import FileStarted, Message, Tell
from scoresheet.cli.shortages import shortage
from scoresheet.cli.signals import leave_stopping_to_the_parent, signals_blocked, stop_if_asked
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.records import dataclass

T = TypeVar("T")
R = TypeVar("R")

_STOP: Final = "stop work"  # what an idle worker is told at the end
_TICK: Final = 0.2  # seconds between two calls of `tick` while nothing happens
_LONG_TICK: Final = 5.0  # seconds between two looks at the workers where each look costs a process
_LEAP: Final = 1.0  # seconds that count at most between two looks: the machine may have slept, or we were stopped too
STOPPED: Final = 10.0  # seconds after which a worker that a signal stopped is given up
IDLE: Final = 300.0  # and one that neither says anything nor uses the processor
_LEAVING: Final = 5.0  # seconds that a worker has to end when it is told to
_PIECE: Final = 15_000  # bytes: what a pipe takes at once, so that a piece is there as a whole or not at all
_GOES_ON, _PART_ENDS, _ENDS = 0, 1, 2  # what the first byte of a piece says
_LARGE: Final = 2**20  # bytes of an array from which on it is not copied to be sent
_ROOMY_MB: Final = 1024  # mebibytes of memory that all but large models can do with
_ALLOWED: Final = Allowance()
START_METHOD: Final = "SCORESHEET_START_METHOD"  # the variable that says how workers are started
# A forked worker shares the loaded modules and prepared references for nothing; elsewhere a fresh one is safer.
_USUAL: Final = "fork" if sys.platform == "linux" else "spawn"


@dataclass(frozen=True)
class WorkerCrashed:
    """A worker ended without an answer; one that never began is not the file's fault."""

    how: str
    began: bool = field(default=True, kw_only=True)

    def problem(self) -> Problem:
        """Return it as the problem of the file that the worker held."""
        message = (
            f"the process that read it was {self.how}; the file is damaged or too large, open it and save it again"
            if self.began
            else f"the process that was to read it was {self.how} before it began: no fault of the file, run it again"
        )
        return Problem(kind="worker-died", message=message, effect="file skipped")


@dataclass(frozen=True)
class OverAllowance(WorkerCrashed):
    """A worker was ended, or gave up, because its task took more than it may; `how` says more than what."""

    kind: str = "out-of-memory"

    def problem(self) -> Problem:
        """Return it as the problem of the file that the worker held."""
        return Problem(kind=self.kind, message=self.how, effect="file skipped")


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
    done: int = 0  # tasks before this one
    said: list[bytearray] = field(default_factory=list)  # of what it is saying, the parts so far
    allowed: float = math.inf  # seconds for its task
    spent: float = 0.0  # of them
    idle: float = 0.0  # seconds since it last said or did anything
    processor_time: str = ""
    resident: int = 0  # bytes that it had when it was ready
    ready: bool = True  # whether it has begun to listen: what a new process loads before is not its task's


def run_tasks(  # noqa: C901 - the one loop that everything happens in
    work: Callable[[T, Tell], R],
    tasks: Sequence[T],
    *,
    workers: int,
    allowance: Allowance = _ALLOWED,
    size: Callable[[T], int] = lambda _task: 0,
    on_message: Callable[[int, Message], None] = lambda _task, _message: None,
    tick: Callable[[], None] = lambda: None,
) -> Generator[tuple[int, R | WorkerCrashed | Bug], None, None]:
    """Yield (number of the task, its result) as they come; `on_message` hears what a worker says on the way.

    `size` is how many bytes a task reads. Close it (`contextlib.closing`): then the workers are gone however the loop
    over it ends.
    """
    waiting = list(reversed(range(len(tasks))))
    again: set[int] = set()  # that failed for want of memory where others had been before
    pool: list[_Worker[T]] = []
    looked = time.monotonic()
    try:
        while waiting or any(worker.task is not None for worker in pool):
            stop_if_asked()
            _fill(pool, work, min(workers, len(pool) + len(waiting)), allowance)
            for place, worker in enumerate(pool):
                if worker.task is None and waiting:
                    task = waiting.pop()
                    if task in again:
                        pool[place] = _renewed(worker, work, allowance)
                    _assign(pool[place], task, tasks, allowance.seconds_for(size(tasks[task])))
            ready = wait([worker.pipe for worker in pool if worker.task is not None], timeout=_TICK)
            answers: list[tuple[int, Any]] = []
            for worker in [each for each in pool if each.pipe in ready]:
                answers += _receive(worker, pool, on_message)
            now = time.monotonic()
            if now - looked >= (_TICK if asking_is_cheap() else _LONG_TICK):
                answers += _ended_workers(pool, min(now - looked, _LEAP), allowance)
                looked = now
            for task, answer in answers:
                if not isinstance(answer, _OutOfMemory):
                    yield task, answer
                elif answer.may_try_again:
                    again.add(task)
                    waiting.append(task)
                else:
                    yield task, answer.ending(allowance)
            tick()
    finally:
        for worker in pool:
            _shut_down(worker)


class _OutOfMemory(NamedTuple):
    """A task that found no memory; a worker that did others before may still hold theirs."""

    may_try_again: bool

    def ending(self, allowance: Allowance) -> OverAllowance:
        """Return it as the end of the task."""
        most = math.ceil(allowance.memory / MIB)
        what = f"more than the {most:,} MiB of memory that one model may take" if most else "more memory than there is"
        hint = (
            f"; allow it more with --max-memory {max(2 * most, _ROOMY_MB)}, or work on fewer at a time with -j 1"
            if most
            else ""
        )
        return OverAllowance(f"reading or scoring it took {what}{hint}")


def _fill(pool: list[_Worker[T]], work: Callable[[T, Tell], R], wanted: int, allowance: Allowance) -> None:
    """Start workers until there are as many as wanted; if the system has no room for more, some will do."""
    while len(pool) < wanted:
        try:
            pool.append(_started(work, allowance))
        except (OSError, MemoryError) as error:
            if not pool:
                short = shortage(error) or str(error)
                message = f"no process could be started to read the files: there is not enough {short}"
                raise Stop(Exit.UNWRITABLE, f"{message}; existing reports are untouched") from error
            return


def _start_method(variables: Mapping[str, str]) -> str:
    """Return how workers are started: as the variable says, else as is usual on this system."""
    wanted = variables.get(START_METHOD, "") or _USUAL
    possible = [name for name in ("fork", "spawn") if name in multiprocessing.get_all_start_methods()]
    if wanted not in possible:
        raise Stop(Exit.USAGE, f"{START_METHOD} cannot be {wanted!r}: here it is {' or '.join(possible)}")
    return wanted


def _started(work: Callable[[T, Tell], R], allowance: Allowance) -> _Worker[T]:
    context: Any = multiprocessing.get_context(_start_method(os.environ))
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(work, theirs, allowance), daemon=True)
    try:
        with signals_blocked(), main_module_hidden():
            process.start()
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return _Worker(process, ours, ready=False)


@contextmanager
def main_module_hidden() -> Iterator[None]:
    """Keep a worker that is started anew from loading the program that called us: unguarded it would run once more."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def _renewed(worker: _Worker[T], work: Callable[[T, Tell], R], allowance: Allowance) -> _Worker[T]:
    """Return a worker that has done nothing yet."""
    if not worker.done:
        return worker
    _shut_down(worker)
    return _started(work, allowance)


def _assign(worker: _Worker[T], task: int, tasks: Sequence[T], allowed: float) -> None:
    worker.task, worker.allowed, worker.spent, worker.idle = task, allowed, 0.0, 0.0
    try:
        worker.pipe.send(tasks[task])
    except (BrokenPipeError, ConnectionResetError):
        return  # it died before it began; reading the pipe says so


def _receive(
    worker: _Worker[T], pool: list[_Worker[T]], on_message: Callable[[int, Message], None]
) -> Iterator[tuple[int, Any]]:
    assert worker.task is not None  # noqa: S101 - only busy workers are listened to
    worker.idle = 0.0
    try:
        received = receive_piece(worker.pipe, worker.said)
    except (EOFError, ConnectionResetError):
        task = worker.task
        pool.remove(worker)
        _end(worker)
        yield task, WorkerCrashed(_ending(worker.process.exitcode), began=worker.ready)
        return
    if received is None:
        return
    kind, value = received
    if kind == "ready":
        usage = usage_of(worker.process.pid) if worker.process.pid else None
        worker.ready, worker.resident = True, usage.resident if usage else 0
    elif kind == "messages":
        for message in value:
            on_message(worker.task, message)
    elif kind == "stop":
        raise value
    else:
        task, worker.task = worker.task, None
        if kind == "memory":
            pool.remove(worker)  # it leaves by itself
            _end(worker)
            yield task, _OutOfMemory(may_try_again=worker.done > 0)
            return
        worker.done += 1
        if kind == "done":
            messages, value = value
            for message in messages:
                on_message(task, message)
            yield task, value
        else:
            yield task, {"bug": Bug, "short": _short}[kind](value)


def _short(what: str) -> OverAllowance:
    return OverAllowance(f"reading or scoring it failed: there was not enough {what}; raise that limit", "system-limit")


def _ended_workers(pool: list[_Worker[T]], seconds: float, allowance: Allowance) -> Iterator[tuple[int, Any]]:
    """Yield the tasks of the workers that had to be ended: over their time or memory, stopped, or idle."""
    for worker in [each for each in pool if each.task is not None]:
        assert worker.task is not None  # noqa: S101 - for mypy
        end = _reason_to_end(worker, seconds, allowance)
        if end is not None:
            pool.remove(worker)
            worker.process.kill()
            _end(worker)
            yield worker.task, end


def _reason_to_end(
    worker: _Worker[T], seconds: float, allowance: Allowance
) -> OverAllowance | WorkerCrashed | _OutOfMemory | None:
    """Return why a worker is not waited for any longer; None while it is."""
    worker.spent += seconds if worker.ready else 0.0
    worker.idle += seconds
    if worker.spent > worker.allowed:
        most = math.ceil(worker.allowed)
        message = f"reading or scoring it took longer than {most:,} seconds; allow it more with --timeout {2 * most}"
        return OverAllowance(message, "timed-out")
    usage = usage_of(worker.process.pid) if worker.process.pid else None
    if usage is None:
        return None
    if usage.processor_time != worker.processor_time:
        worker.processor_time, worker.idle = usage.processor_time, 0.0
    if worker.idle > (STOPPED if usage.stopped else IDLE):
        return WorkerCrashed("stopped by a signal" if usage.stopped else f"doing nothing for {IDLE:.0f} seconds")
    if allowance.memory and worker.ready and usage.resident - worker.resident > allowance.memory:
        return _OutOfMemory(may_try_again=worker.done > 0)
    return None


def _shut_down(worker: _Worker[T]) -> None:
    # closing the pipe would not do: workers forked later hold copies of its end
    if worker.task is not None:
        worker.process.terminate()
    else:
        with suppress(OSError):  # it died while idle; there is nobody to tell
            worker.pipe.send(_STOP)
    _end(worker)


def _end(worker: _Worker[T]) -> None:
    """Wait for a worker's end, but not for ever: one that a signal stopped hears no other but the last."""
    worker.process.join(_LEAVING)
    if worker.process.exitcode is None and worker.process.pid:
        worker.process.kill()
        worker.process.join(_LEAVING)
    worker.pipe.close()


def send_in_pieces(pipe: Connection, value: object) -> None:
    """Send a value so that whoever reads it never waits for the rest of a piece; large arrays go as they are."""
    arrays: list[memoryview] = []

    def is_small(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes >= _LARGE:
            arrays.append(raw)
        return raw.nbytes < _LARGE

    data = memoryview(pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=is_small))
    for number, part in enumerate((data, *arrays)):
        end = _ENDS if number == len(arrays) else _PART_ENDS
        for start in range(0, len(part), _PIECE):
            mark = end if start + _PIECE >= len(part) else _GOES_ON
            pipe.send_bytes(bytes([mark]) + part[start : start + _PIECE])


def receive_piece(pipe: Connection, parts: list[bytearray]) -> tuple[str, Any] | None:
    """Return what was sent if this piece is the last of it, else keep the piece and return None."""
    piece = memoryview(pipe.recv_bytes())
    if not parts:
        parts.append(bytearray())
    parts[-1] += piece[1:]
    if piece[0] == _PART_ENDS:
        parts.append(bytearray())
    if piece[0] != _ENDS:
        return None
    data, *arrays = parts
    parts.clear()
    received: tuple[str, Any] = pickle.loads(data, buffers=arrays)  # noqa: S301 - from a process that we started
    return received


def _ending(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return f"killed by signal {-exitcode}"
    return f"ended by itself with code {exitcode}"


def _serve(work: Callable[[T, Tell], R], pipe: Connection, allowance: Allowance) -> None:
    """Do tasks until the pipe closes; never outlive the parent."""
    leave_stopping_to_the_parent()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a descriptor is wanted
        os.dup2(nowhere.fileno(), 2)  # a parser that aborts prints its last words; the parent says it better
    threading.Thread(target=_die_with_the_parent, daemon=True).start()
    # a model is many small objects, and looking for cycles among them took an eighth of the time: once a task will do
    gc.disable()
    gc.freeze()
    limit_own_memory(allowance.memory)
    send_in_pieces(pipe, ("ready", None))
    for number in itertools.count():
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        if task == _STOP:
            return
        if number:
            gc.collect()
        if number == 1:
            gc.freeze()  # what the first task loaded and left stays: it need not be gone through after each
        answer = answer_of_task(work, task, pipe)
        try:
            send_in_pieces(pipe, answer)
        except OSError:
            return  # the parent is gone
        except MemoryError:
            lift_own_memory_limit()
            answer = ("memory", "")
            send_in_pieces(pipe, answer)
        except Exception:  # noqa: BLE001 - an answer that cannot travel is a bug like any other
            send_in_pieces(pipe, ("bug", traceback.format_exc()))
        if answer[0] == "memory":
            return  # what it still holds would be missed by the next task


class _Teller:
    """Says which file is read at once, and all else a few times a second: whatever is said wakes the parent."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.unsaid: list[Message] = []  # what is left of it goes with the answer
        self._said = time.monotonic()

    def __call__(self, message: Message) -> None:
        self.unsaid.append(message)
        if isinstance(message, FileStarted) or time.monotonic() - self._said >= _TICK:
            self.say()

    def say(self) -> None:
        """Say what is not said yet."""
        send_in_pieces(self._pipe, ("messages", self.unsaid))
        self.unsaid, self._said = [], time.monotonic()


def answer_of_task(work: Callable[[T, Tell], R], task: T, pipe: Connection) -> tuple[str, Any]:
    """Return what came of a task, with the kind of answer that it is."""
    tell = _Teller(pipe)
    try:
        result = work(task, tell)
    except Stop as stop:
        return "stop", stop
    except MemoryError:
        lift_own_memory_limit()
        return "memory", ""
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent reports it
        what = shortage(error)
        return ("short", what) if what else ("bug", traceback.format_exc())
    return "done", (tell.unsaid, result)


def _die_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
