"""What runs in a Dask worker: it hands a job to a process beside it and passes on what that says.

A Dask worker imports this, and little else of ours: what reads files is in the process beside it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from distributed import get_worker

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.host import ONE_THREAD
from scoresheet.cli.run.engines.frames import ANSWER, MESSAGE, READY, Here, read_frame, write_frame
from scoresheet.metrics.records import dataclass

_FOREMAN: Final = "scoresheet.cli.run.engines.foreman"
_LEAVING: Final = 5.0  # seconds that a foreman has to end when it is told to


@dataclass(frozen=True)
class Shared:
    """What all jobs of a run share; to the Dask worker the work is but bytes."""

    token: str
    fingerprint: bytes
    work: bytes


class ForemanLost(Exception):
    """The process beside the Dask worker ended without an answer."""


class Foreman:
    """The process beside a Dask worker, of one run."""

    def __init__(self, shared: Shared) -> None:
        environment = dict.fromkeys(ONE_THREAD, "1") | os.environ
        words = [sys.executable, "-c", f"from {_FOREMAN} import main; main()"]  # -m would name its classes otherwise
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        assert self._process.stdin is not None  # noqa: S101 - for mypy
        assert self._process.stdout is not None  # noqa: S101 - the same
        self._requests, self._answers = self._process.stdin, self._process.stdout
        self.differs = self._greeted(shared)

    def _greeted(self, shared: Shared) -> str:
        """Return what its installation has different from the run's; '' if nothing, and then it is ready."""
        try:
            write_frame(self._requests, READY, shared.fingerprint)
            _, differs = read_frame(self._answers)
            if not differs:
                write_frame(self._requests, READY, shared.work)
        except (EOFError, OSError) as error:
            raise ForemanLost(f"{_FOREMAN} could not be started ({error or 'it ended at once'})") from error
        return differs.decode()

    def answer(self, job: bytes, on_message: Callable[[bytes], None]) -> bytes:
        """Return what came of a job; `on_message` hears what is said on the way."""
        try:
            write_frame(self._requests, READY, job)
            while True:
                kind, content = read_frame(self._answers)
                if kind == ANSWER:
                    return content
                if kind == MESSAGE:
                    on_message(content)
        except (EOFError, OSError) as error:
            raise ForemanLost(f"it was ended (code {self._process.poll()})") from error

    @property
    def is_there(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def end(self) -> None:
        """End it, and with it the worker that it may have."""
        self._process.terminate()
        try:
            self._process.wait(_LEAVING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._requests, self._answers):
            with suppress(OSError):  # what was not sent yet is not wanted any more
                stream.close()


_idle: defaultdict[str, list[Foreman]] = defaultdict(list)  # by the run that they are of
_all: defaultdict[str, set[Foreman]] = defaultdict(set)
_over: set[str] = set()  # runs that have ended
_lock = threading.Lock()


def dask_setup(_worker: object) -> None:
    """Make a worker of our own cluster deaf to Ctrl-C, which a terminal sends to all: Dask calls this as it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_job(shared: Shared, job: bytes, number: int, memory: int, seconds: float) -> bytes | Stop:
    """Return what came of a job, pickled; or why the run stops: this installation is not its own."""
    worker = get_worker()
    foreman = _taken(shared)
    try:
        if foreman.differs:
            what = f"the Dask worker {worker.address} has not what is installed here: {foreman.differs}"
            _forget(shared.token, foreman)
            return Stop(Exit.USAGE, f"{what}; install the same on both sides")
        limit = worker.memory_manager.memory_limit or 0
        here = Here(worker.local_directory, limit, worker.state.nthreads, memory, seconds)
        answer = foreman.answer(
            pickle.dumps((job, here)), lambda message: worker.log_event(shared.token, (number, message))
        )
    except BaseException:
        _forget(shared.token, foreman)
        raise
    with _lock:
        if shared.token in _over:
            foreman.end()
        else:
            _idle[shared.token].append(foreman)
    return answer


def _taken(shared: Shared) -> Foreman:
    """Return a foreman of the run that has nothing to do, or a new one."""
    with _lock:
        while _idle[shared.token]:
            foreman = _idle[shared.token].pop()
            if foreman.is_there:
                return foreman
    foreman = Foreman(shared)
    with _lock:
        _all[shared.token].add(foreman)
    return foreman


def _forget(token: str, foreman: Foreman) -> None:
    with _lock:
        _all[token].discard(foreman)
    foreman.end()


def dismiss(token: str) -> None:
    """End the foremen of a run, busy or not."""
    with _lock:
        _over.add(token)
        foremen = _all.pop(token, set())
        _idle.pop(token, None)
    for foreman in foremen:
        foreman.end()
