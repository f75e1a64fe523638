"""Worker processes, in which a bad task costs only itself, and the signals that end a run."""

import ctypes
import errno
import faulthandler
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
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Self

LEAST_MEMORY = 512 * 2**20  # with less, a worker cannot even load its libraries
GRACE = 10.0  # seconds after its deadline until a task is given up, whatever its worker does
START = 60.0  # seconds after which a worker that has not taken its task is given up
OUT_OF_MEMORY = ("out of memory", "failed to map segment", "can't start new thread")
ENDING = [s for s in signal.Signals if s.name in ("SIGINT", "SIGTERM", "SIGHUP")]


@dataclass(frozen=True)
class Limits:
    """How many tasks run at once (0: one per CPU), and what one may use (None: a fair share)."""

    jobs: int = 0
    timeout: float = 3600
    memory_mb: int | None = None


@dataclass(frozen=True)
class TaskFailure:
    """Why a task has no result; the message of an `error` is the traceback of its exception."""

    reason: Literal["time", "memory", "died", "error"]
    message: str


_LOST = TaskFailure("died", "the worker died twice")  # before it took the task, so try again


class Workers:
    """Worker processes that are started when needed and kept until the block ends.

    Each worker is a pool of its own: one killed while it holds the lock of a pool would stop the
    others. On Linux a worker is a fork, which has pandas loaded already.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pools: list[Any] = []
        self._idle: list[Any] = []
        self._running: dict[Future[bytes], tuple[int, Any, float]] = {}  # index, pool, start

    def __enter__(self) -> Self:
        # Python 3.12 warns that a fork copies the locks of other threads. Workers use none of them.
        warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        endings = [self._retire(pool) for pool in list(self._pools)]
        for ending in endings if error else ():  # idle workers end in 0.1 s, no need to wait
            ending.join(GRACE / len(endings))

    def run(
        self,
        function: Callable[[Any], Any],
        tasks: Sequence[tuple[Any, ...]],
        done: Callable[[], None] = lambda: None,
    ) -> list[Any]:
        """Return function(*task) of every task in order, or the TaskFailure in its place.

        All of them must be picklable. `done` is called whenever a task has ended.
        """
        count, memory = _shares(self._limits, len(tasks))
        waiting = list(range(len(tasks)))
        lost: set[int] = set()
        results: dict[int, Any] = {}
        while len(results) < len(tasks):
            ended: dict[int, Any] = {}
            while waiting and len(self._running) < count:
                index = waiting.pop(0)
                try:
                    self._start(index, pickle.dumps((index, function, tasks[index], memory)))
                except (OSError, RuntimeError) as error:
                    if self._running:
                        waiting.insert(0, index)
                        break
                    reason = f"no worker process could be started: {error.__cause__ or error}"
                    ended[index] = TaskFailure("died", reason)
            for index, result in (ended | self._wait()).items():
                if result is _LOST and index not in lost:
                    lost.add(index)
                    waiting.insert(0, index)
                else:
                    results[index] = result
                    done()
        return [results[index] for index in range(len(tasks))]

    def _start(self, index: int, payload: bytes) -> None:
        while not (pool := self._idle.pop() if self._idle else self._new_pool()).active:
            self._retire(pool)  # its worker was killed while it had nothing to do
        future = pool.schedule(_call, args=(payload,), timeout=self._limits.timeout)
        self._running[future] = index, pool, time.monotonic()

    def _new_pool(self) -> Any:
        from pebble import ProcessPool  # here, because --help needs the signals of this module

        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        pool = ProcessPool(1, initializer=_prepare_worker, initargs=(os.getpid(),), context=context)
        self._pools.append(pool)
        try:
            with deferred_signals():  # a fork has the handlers of its parent until it is prepared
                pool.active  # noqa: B018 this starts the worker
        except (OSError, RuntimeError):  # too many processes or open files
            self._retire(pool)
            raise
        return pool

    def _wait(self) -> dict[int, Any]:
        wait(self._running, 1.0, FIRST_COMPLETED)  # Windows delivers Ctrl-C only between waits
        if _received:
            raise Interrupted(_received[0])
        ended = {}
        for future, (index, pool, start) in list(self._running.items()):
            patience = self._limits.timeout + GRACE if future.running() else START
            if future.done() or not pool.active or time.monotonic() - start > patience:
                del self._running[future]
                ended[index] = result = _result(future, index, self._limits.timeout)
                # A worker that failed may leave a lock behind, or keep a large heap.
                if isinstance(result, TaskFailure) and result.reason != "error":
                    self._retire(pool)
                else:
                    self._idle.append(pool)
        return ended

    def _retire(self, pool: Any) -> threading.Thread:
        self._pools.remove(pool)
        pool.stop()
        ending = threading.Thread(target=pool.join, daemon=True)  # the wait may never end
        ending.start()
        return ending


def _shares(limits: Limits, tasks: int) -> tuple[int, int | None]:
    """Return how many workers there are, and how many bytes each may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # the CPUs that a batch system gave us
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    available = _available_memory()
    fitting = cpus if available is None else available // LEAST_MEMORY
    workers = max(1, min(limits.jobs or min(cpus, fitting), tasks))
    if limits.memory_mb:
        return workers, limits.memory_mb * 2**20
    return workers, None if available is None else max(LEAST_MEMORY, available // workers)


def _available_memory() -> int | None:
    """Return how many bytes this system or container has available, None if unknown."""
    if sys.platform != "linux":
        return None
    meminfo, groups = Path("/proc/meminfo").read_text(), Path("/proc/self/cgroup").read_text()
    amounts = [int(kb) * 1024 for kb in re.findall(r"MemAvailable:\s+(\d+) kB", meminfo)]
    for name in re.findall("^0::/(.*)$", groups, re.MULTILINE):
        group = Path("/sys/fs/cgroup", name)
        for folder in (group, *group.parents):
            with suppress(OSError, ValueError):  # no such file, or "max": no limit
                limit = int((folder / "memory.max").read_text())
                fixed = int((folder / "memory.stat").read_text().split()[1])  # not a file's cache
                amounts.append(max(0, limit - fixed))
    return min(amounts, default=None)


def _result(future: Future[bytes], index: int, timeout: float) -> Any:
    from pebble import ProcessExpired

    error = future.exception() if future.done() else None
    if future.done() and error is None:
        # a worker that is killed while it writes can leave half a message before the next one
        answered, result = pickle.loads(future.result())
        return result if answered == index else _LOST
    if future.running() or isinstance(error, TimeoutError):
        return TaskFailure("time", f"took longer than {timeout:g} seconds")
    if not isinstance(error, ProcessExpired):
        return _LOST
    if (code := error.exitcode) < 0:
        return TaskFailure("died", f"signal {-code} ended the worker ({signal.strsignal(-code)})")
    return TaskFailure("died", f"the worker ended with exit code {code}")


def _prepare_worker(parent: int) -> None:
    """Make the worker end with its parent, ignore the terminal's signals and print nothing."""
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


def _call(payload: bytes) -> bytes:
    index, function, task, memory = pickle.loads(payload)
    try:
        with _memory_limit(memory):
            return pickle.dumps((index, function(*task)))
    except BaseException as error:  # noqa: BLE001 a panic in Rust is not an Exception
        short = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
        if short or any(sign in str(error) for sign in OUT_OF_MEMORY):
            failure = TaskFailure("memory", "needed more memory than one task may use")
        else:
            failure = TaskFailure("error", traceback.format_exc())
        return pickle.dumps((index, failure))


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


class Interrupted(BaseException):
    """A signal ended the run. It is not an Exception, so that nothing treats it as a failure."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


def interruptible() -> AbstractContextManager[None]:
    """Raise Interrupted in the main thread when a signal asks the run to end.

    A signal that was ignored at the start (nohup) stays ignored. Other threads: no effect.
    """
    _received.clear()

    def interrupt(signum: int, _: FrameType | None) -> None:
        _received.append(signum)
        raise Interrupted(signum)

    return _handled_by(interrupt)


# Python drops an exception that is raised inside a finalizer; the wait for workers looks here.
_received: list[int] = []


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
