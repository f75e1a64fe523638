"""Worker processes, in which a bad task costs only itself."""

import ctypes
import errno
import faulthandler
import gc
import multiprocessing
import os
import pickle
import re
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Literal, Self

from scoresheet.cli.run.signals import ENDING, check_signals, deferred_signals

LEAST_MEMORY = 512 * 2**20  # with less, a worker cannot even load its libraries
GRACE = 5.0  # seconds that a killed worker has to end
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OUT_OF_MEMORY = ("out of memory", "failed to map segment", "can't start new thread")


@dataclass(frozen=True)
class Limits:
    """How many tasks run at once (0: one per CPU), and what one may use (None: a fair share)."""

    jobs: int = 0
    timeout: float = 3600
    memory_mb: int | None = None


@dataclass(frozen=True)
class TaskFailure:
    """Why a task has no result; the message of an `error` is the traceback of its exception."""

    reason: Literal["time", "memory", "died", "disk", "error"]
    message: str


class Workers:
    """Worker processes that are started when needed and kept until the block ends.

    They share nothing, so that one that is killed or stopped never holds up another.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._idle: list[_Worker] = []
        self._running: dict[Any, _Worker] = {}  # by the pipe to the worker

    def __enter__(self) -> Self:
        # Python 3.12 warns that a fork copies the locks of other threads. Workers use none of them.
        warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
        gc.freeze()  # what was imported stays, there is no need to search it for garbage
        gc.enable()
        return self

    def __exit__(self, *_: object) -> None:
        gc.unfreeze()
        for worker in (*self._idle, *self._running.values()):
            worker.process.kill()
        for worker in (*self._idle, *self._running.values()):
            worker.end()

    def run(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        done: Callable[[], None] = lambda: None,
    ) -> list[Any]:
        """Return function(*task) of every task in order, or the TaskFailure in its place.

        All of them must be picklable. `done` is called whenever a task has ended.
        """
        count, memory = _shares(self._limits, len(tasks))
        results: dict[int, Any] = {}
        waiting = list(enumerate(tasks))[::-1]
        while waiting or self._running:
            before = len(results)
            while waiting and len(self._running) < count:
                index, task = waiting[-1]
                try:
                    self._start(index, pickle.dumps((function, task, memory)))
                except (OSError, RuntimeError) as error:  # too many processes or open files
                    if self._running:
                        break
                    reason = f"no worker process could be started: {error}"
                    results[index] = TaskFailure("died", reason)
                waiting.pop()
            # Windows needs a break for Ctrl-C
            for pipe in wait(self._running, 1.0) if self._running else ():
                worker = self._running.pop(pipe)
                results[worker.index] = result = worker.result(self._limits.timeout)
                # A worker that failed may leave a lock behind, or keep a large heap.
                if isinstance(result, TaskFailure) and result.reason != "error":
                    worker.end()
                else:
                    self._idle.append(worker)
            check_signals()
            for _ in range(before, len(results)):
                done()
        return [results[index] for index in range(len(tasks))]

    def _start(self, index: int, payload: bytes) -> None:
        """Give a task to a worker that is idle and was not killed, or to a new one."""
        while self._idle and not self._idle[-1].process.is_alive():
            self._idle.pop().end()
        with deferred_signals():  # a fork has the handlers of its parent until it is prepared
            worker = self._idle.pop() if self._idle else _Worker()
        self._running[worker.pipe] = worker
        worker.give(index, payload, self._limits.timeout)


class _Worker:
    """A process, the pipe to it, and a timer that kills it when its task takes too long.

    A kill ends the pipe too, so the parent never waits longer than the limit for an answer.
    """

    def __init__(self) -> None:
        # a fork has pandas loaded already
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=_work, args=(end, os.getpid()), daemon=True)
        self.process.start()
        end.close()  # the pipe ends with the process

    def give(self, index: int, payload: bytes, timeout: float) -> None:
        self.index, self.start = index, time.monotonic()
        self.timer = threading.Timer(timeout, self.process.kill)
        self.timer.daemon = True
        self.timer.start()
        with suppress(OSError):  # it died, as `result` will find
            self.pipe.send_bytes(payload)

    def result(self, timeout: float) -> Any:
        try:
            return pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):  # it died, perhaps in the middle of its answer
            self.process.join(GRACE)
        finally:
            self.timer.cancel()
        if time.monotonic() - self.start >= timeout:
            return TaskFailure("time", f"took longer than {timeout:g} seconds")
        code = self.process.exitcode or 0
        how = f"signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"exit code {code}"
        return TaskFailure("died", f"the worker ended with {how}")

    def end(self) -> None:
        self.process.kill()
        self.process.join(GRACE)
        self.pipe.close()


def _shares(limits: Limits, tasks: int) -> tuple[int, int | None]:
    """Return how many workers there are, and how many bytes each may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # the CPUs that a batch system gave us
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    if sys.platform != "linux":
        return max(1, min(limits.jobs or cpus, tasks)), None
    meminfo = Path("/proc/meminfo").read_text(encoding="ascii")
    available = 1024 * sum(map(int, re.findall(r"MemAvailable:\s+(\d+) kB", meminfo)))
    workers = max(1, min(limits.jobs or min(cpus, available // LEAST_MEMORY), tasks))
    fair = max(LEAST_MEMORY, available // workers)
    return workers, limits.memory_mb * 2**20 if limits.memory_mb else fair


def _work(pipe: Any, parent: int) -> None:
    """Do the tasks that come through the pipe, and end with the parent.

    A worker ignores the signals of the terminal and prints nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)
    else:
        process: Any = multiprocessing.parent_process()
        threading.Thread(target=lambda: (process.join(), os._exit(1)), daemon=True).start()
    for signum in ENDING:
        signal.signal(signum, signal.SIG_DFL if signum == signal.SIGTERM else signal.SIG_IGN)
    faulthandler.disable()
    silence = os.open(os.devnull, os.O_RDWR)
    for number, stream in enumerate((sys.__stdin__, sys.__stdout__, sys.__stderr__)):
        if stream is not None:  # closed at the start: the number may be that of a pipe we need
            os.dup2(silence, number)
    sys.stdout = sys.stderr = os.fdopen(silence, "w", encoding="utf-8")
    while True:
        pipe.send_bytes(_call(pipe.recv_bytes()))


def _call(payload: bytes) -> bytes:
    function, task, memory = pickle.loads(payload)
    try:
        with _memory_limit(memory):
            return pickle.dumps(function(*task))
    except BaseException as error:  # noqa: BLE001 a panic in Rust is not an Exception
        return pickle.dumps(failure_of(error))


def failure_of(error: BaseException) -> TaskFailure:
    """Return why the task failed that raised this error."""
    number, message = getattr(error, "errno", None), str(error)
    if number in DISK_FULL:
        return TaskFailure("disk", message)
    out_of_memory = any(sign in message for sign in OUT_OF_MEMORY)
    if out_of_memory or number == errno.ENOMEM or isinstance(error, MemoryError):
        return TaskFailure("memory", "needed more memory than one task may use")
    return TaskFailure("error", "".join(traceback.format_exception(error)))


@contextmanager
def _memory_limit(memory: int | None) -> Iterator[None]:
    """Limit what a task may add to the address space, of which libraries reserve much unused."""
    if sys.platform != "linux" or memory is None:
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + memory
    limit = limit if before == resource.RLIM_INFINITY else min(limit, before)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    try:
        yield
    finally:  # a worker can always report what happened
        resource.setrlimit(resource.RLIMIT_AS, (before, most))
