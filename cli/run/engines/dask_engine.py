"""Models worked on by a Dask cluster: jobs go out, reports come back as bytes and are staged here.

The cluster needs nothing of this machine but its jobs: files that its workers see as we do are read where they are, and
others are sent. A Dask worker that dies costs time, not models: the scheduler gives its jobs to others, and a job on
which several died in turn is given up, as a file is that ends its parser.
"""

from __future__ import annotations

import logging
import math
import pickle
import queue
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.input.guard import read_regular
from scoresheet.cli.input.limits import MIB
from scoresheet.cli.input.manifests import FOLDERS
from scoresheet.cli.run.engines import dask_task
from scoresheet.cli.run.engines.dask_task import Shared, dismiss, run_job
from scoresheet.cli.run.engines.engine import NO_WORKERS, PER_THREAD, Answers, ModelWork
from scoresheet.cli.run.engines.foreman import Answer, Job, Seen
from scoresheet.cli.run.messages import FileStarted, Message
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.pool import R, WorkerCrashed
from scoresheet.cli.run.provenance import fingerprint
from scoresheet.cli.run.results_folder import unwritable
from scoresheet.cli.settings import Settings, processors
from scoresheet.cli.signals import stop_if_asked
from scoresheet.metrics import family

RETRIES: Final = (
    2  # times that a job is tried again whose foreman was lost; of lost Dask workers Dask itself keeps count
)
_TICK: Final = 0.2  # seconds between two calls of `tick` while nothing happens
_LOOK: Final = 5.0  # seconds between two looks at how many workers there are
_PATIENCE: Final = 30.0  # seconds to wait for a result whose worker may just have died, before looking elsewhere
_CONNECTING: Final = 30.0
_CLOSING: Final = 10.0
_LOOPBACK: Final = "127.0.0.1:0"
_LARGE: Final = "1TiB"  # Dask warns of large tasks from here on; ours are known to be as large as the files


class DaskEngine:
    """The workers of a scheduler, or of a cluster on this machine that lives as long as the run."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._until_closed = ExitStack()
        self._client: Any = None
        self._sends_files = False

    def answers(
        self,
        work: ModelWork[family.O, family.P, family.C, family.S, family.R, family.K, R],
        models: Sequence[ModelInput],
        on_message: Callable[[int, Message], None] = lambda _task, _message: None,
        tick: Callable[[], None] = lambda: None,
    ) -> Answers[R]:
        """Yield the answers as they come; reports of a model are in the stage before its answer is."""
        if not models:
            return
        jobs = _Jobs(self._connected(), work, models, self._settings, on_message, sends_files=self._sends_files)
        try:
            while jobs.are_left:
                stop_if_asked()
                jobs.submit()
                for number, answer in jobs.done():
                    if answer.reading:
                        on_message(number, FileStarted(answer.reading))  # also of a worker whose messages were lost
                    _stage(work.plan, answer)
                    yield number, answer.value  # type: ignore[misc] # what travels has no type
                tick()
        finally:
            self._sends_files = jobs.sends_files
            jobs.end()

    def close(self) -> None:
        """Leave the cluster, or end it if it is ours."""
        self._until_closed.close()
        self._client = None

    def _connected(self) -> Any:
        """Return a client of the cluster."""
        if self._client is None:
            log = logging.getLogger("distributed")
            self._until_closed.callback(log.setLevel, log.level)
            log.setLevel(logging.CRITICAL)  # what of it concerns a user is said by us
            self._client = self._of_scheduler() if self._settings.scheduler else self._of_own_cluster()
        return self._client

    def _of_scheduler(self) -> Any:
        from distributed import Client

        address = self._settings.scheduler
        named = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
        try:
            client = Client(**named, timeout=_CONNECTING, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise Stop(
                Exit.USAGE,
                f"--scheduler {address}: no Dask scheduler could be reached there ({why}); existing reports "
                "are untouched",
            ) from None
        self._until_closed.callback(client.close, _CLOSING)
        return client

    def _of_own_cluster(self) -> Any:
        from distributed import Client, LocalCluster, Security

        cluster = LocalCluster(
            n_workers=self._settings.jobs or processors(),
            threads_per_worker=1,
            host=_LOOPBACK.partition(":")[0],
            protocol="tls://",  # other users of the machine could connect else, and have their code run
            security=Security.temporary(),
            dashboard_address=_LOOPBACK,  # what Dask serves there besides is for this machine alone, on any free port
            worker_dashboard_address=_LOOPBACK,
            scheduler_kwargs={"dashboard": False},
            preload=[dask_task.__name__],
            silence_logs=logging.CRITICAL,
        )
        self._until_closed.callback(cluster.close, _CLOSING)
        client = Client(cluster, timeout=_CONNECTING, set_as_default=False)
        self._until_closed.callback(client.close, _CLOSING)
        return client


class _Jobs:
    """The jobs of one pass over models: those that wait, those that the cluster has, and what it says of them."""

    def __init__(
        self,
        client: Any,
        work: ModelWork[family.O, family.P, family.C, family.S, family.R, family.K, R],
        models: Sequence[ModelInput],
        settings: Settings,
        on_message: Callable[[int, Message], None],
        *,
        sends_files: bool,
    ) -> None:
        self.sends_files = sends_files
        self._client, self._models, self._settings, self._on_message = client, models, settings, on_message
        self._token = f"scoresheet-{uuid.uuid4().hex}"
        self._waiting = deque(range(len(models)))
        self._running: dict[int, Any] = {}
        self._ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._said: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
        self._threads, self._looked, self._alone_since = 0, -math.inf, time.monotonic()
        shared = Shared(
            self._token,
            pickle.dumps(fingerprint(), pickle.HIGHEST_PROTOCOL),
            pickle.dumps(work, pickle.HIGHEST_PROTOCOL),
        )
        # a task of its own, which the scheduler can repeat: what is but placed on workers is lost with them
        self._shared = self._submitted(_itself, shared)
        client.subscribe_topic(self._token, lambda event: self._said.put(event[1]))

    @property
    def are_left(self) -> bool:
        """Whether there are models without an answer."""
        return bool(self._waiting or self._running)

    def submit(self) -> None:
        """Give the cluster as many jobs as it can do with."""
        self._look()
        while self._waiting and len(self._running) < self._room():
            number = self._waiting.popleft()
            model = self._models[number]
            job = Job(model, tuple(Seen.of(source.path) for source in model.files))
            if self.sends_files:
                job = self._with_contents(job)
            most, limits = self._settings.max_memory * MIB, self._settings.timeout
            packed = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
            future = self._submitted(run_job, self._shared, packed, number, most, limits, retries=RETRIES)
            self._running[number] = future
            future.add_done_callback(lambda ended, number=number: self._ended.put((number, ended)))

    def done(self) -> list[tuple[int, Answer]]:
        """Return what has come since, having waited a moment for it; what workers say is passed on."""
        answers = []
        with suppress(queue.Empty):
            ended = self._ended.get(timeout=_TICK)
            while True:
                answers += self._answer(*ended)
                ended = self._ended.get_nowait()
        while not self._said.empty():
            number, message = self._said.get()
            if number in self._running:
                self._on_message(number, pickle.loads(message))  # noqa: S301 - from the cluster that we chose
        return answers

    def end(self) -> None:
        """Take back what is not done, and send everybody home who worked for us."""
        if self._client.status != "running":
            return
        self._client.unsubscribe_topic(self._token)
        if self._running:
            self._client.cancel(list(self._running.values()), force=True)
        with suppress(TimeoutError, OSError):  # who cannot be told leaves when there is nothing to do
            self._client.sync(self._client._run, dismiss, self._token, on_error="ignore", callback_timeout=_CLOSING)

    def _submitted(self, function: Callable[..., object], *arguments: object, retries: int = 0) -> Any:
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": _LARGE}):
            return self._client.submit(function, *arguments, retries=retries, pure=False)

    def _look(self) -> None:
        """See how many threads the cluster has; Stop if it had none for too long, or is gone."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        if self._client.status != "running":
            raise _gone(self._settings)
        self._threads = sum(self._client.nthreads().values())
        if self._threads:
            self._alone_since = now
        elif now - self._alone_since > NO_WORKERS:
            raise Stop(
                Exit.UNWRITABLE,
                f"--scheduler {self._settings.scheduler}: no worker has been connected to it for {NO_WORKERS:.0f} "
                "seconds; existing reports are untouched",
            )

    def _room(self) -> int:
        """Return how many jobs the cluster should have: with files in them no more than are worked on."""
        wanted = max(1, self._threads * (1 if self.sends_files else PER_THREAD))
        return min(wanted, self._settings.jobs or wanted)

    def _with_contents(self, job: Job) -> Job:
        """Return the job with what its files hold; one that cannot be read, or is too large, is refused over there."""
        limit = self._settings.max_file_mb * MIB
        with suppress(OSError):
            return replace(job, contents=tuple(read_regular(source.path, limit) for source in job.model.files))
        return job

    def _answer(self, number: int, future: Any) -> list[tuple[int, Answer]]:
        """Return the answer of a job that has ended; none if it must be asked again."""
        if number not in self._running or self._running[number] is not future:
            return []
        try:
            packed: bytes | Stop = future.result(timeout=_PATIENCE)
        except TimeoutError:  # its worker died with the result, and another works on it
            future.add_done_callback(lambda ended: self._ended.put((number, ended)))
            return []
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told by its kind
            answer = Answer(_lost_job(error, self._settings))
        else:
            answer = Answer(stop=packed) if isinstance(packed, Stop) else pickle.loads(packed)  # noqa: S301 - the same
        del self._running[number]
        if answer.stop is not None:
            raise answer.stop
        if answer.unshared:
            self.sends_files = True
            self._waiting.appendleft(number)
            return []
        return [(number, answer)]


def _itself(shared: Shared) -> Shared:
    return shared


def _lost_job(error: Exception, settings: Settings) -> WorkerCrashed:
    """Return how a job was lost; Stop if the whole cluster is."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return WorkerCrashed("lost with the Dask workers that were given it, one after the other")
    name = type(error).__name__
    if name == "ForemanLost":
        return WorkerCrashed(f"lost on a Dask worker: {error}")
    if isinstance(error, ImportError | AttributeError):
        raise Stop(
            Exit.USAGE,
            f"a Dask worker could not take part ({error}): install there what is installed here, scoresheet[dask] "
            "included; existing reports are untouched",
        ) from None
    raise _gone(settings, error) from None


def _gone(settings: Settings, error: Exception | None = None) -> Stop:
    where = f"--scheduler {settings.scheduler}" if settings.scheduler else "the Dask cluster on this machine"
    why = f" ({type(error).__name__}: {error})" if error else ""
    return Stop(Exit.UNWRITABLE, f"{where}: it was lost in the middle of the run{why}; existing reports are untouched")


def _stage(plan: Plan[Any, Any, Any, Any, Any, Any], answer: Answer) -> None:
    """Write the reports of a model into the stage, as a worker of this machine would have."""
    if plan.stage is None:
        return
    try:
        for name, content in answer.files.items():
            *folders, _ = PurePosixPath(name).parts
            if folders not in ([], *([folder] for folder in FOLDERS)):
                raise ValueError(f"no report of ours is called {name!r}")
            (plan.stage / name).parent.mkdir(exist_ok=True)
            (plan.stage / name).write_bytes(content)
    except OSError as error:
        raise unwritable(plan.stage.parent, error) from error
