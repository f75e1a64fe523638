"""A process beside a Dask worker that has its models worked on by the pool: frames in, frames out.

A Dask worker has threads, and to fork from it is not safe; nor may it end because of a file. This process has none:
the pool starts a worker of its own for each model from here, with all the limits that it has on one machine. What a run
needs for all models (the plan, the context) is read once.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from scoresheet.cli.exits import Stop
from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.run.allowance import SHARE, Allowance, memory_share
from scoresheet.cli.run.engines.engine import ModelWork
from scoresheet.cli.run.engines.frames import ANSWER, MESSAGE, READY, Here, read_frame, write_frame
from scoresheet.cli.run.messages import FileStarted, Message
from scoresheet.cli.run.pool import Bug, WorkerCrashed, run_tasks
from scoresheet.cli.run.provenance import fingerprint
from scoresheet.metrics.records import dataclass

AnyWork = ModelWork[Any, Any, Any, Any, Any, Any, Any]
IDLE: Final = 600.0  # seconds without a job after which it leaves


class Seen(NamedTuple):
    """What a file looks like: from every machine that shares it, the same."""

    size: int
    modified: int  # in nanoseconds

    @classmethod
    def of(cls, path: Path) -> Seen | None:
        """Return what a file looks like from here; None if it cannot be looked at."""
        try:
            about = path.stat()
        except OSError:
            return None
        return cls(about.st_size, about.st_mtime_ns)


@dataclass(frozen=True)
class Job:
    """A model to work on, what its files look like where the run was started, and, if it is sent, what they hold."""

    model: ModelInput
    seen: tuple[Seen | None, ...]
    contents: tuple[bytes, ...] | None = None


@dataclass(frozen=True)
class Answer:
    """What came of a job: a value with the reports, or why there is none."""

    value: object = None
    files: Mapping[str, bytes] = field(default_factory=dict)  # the reports, by their names in the results folder
    reading: str = ""  # the file that was last heard to be read
    stop: Stop | None = None
    unshared: str = ""  # a file that is not here, or is another than where the run was started


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return what two installations differ in, in words; '' if in nothing.

    >>> differences({"numpy": "2.3"}, {"numpy": "2.4", "dask": "1"})
    'dask 1 there and none here, numpy 2.4 there and 2.3 here'
    """
    names = sorted(name for name in {*here, *there} if here.get(name) != there.get(name))
    shown = [(name, *(versions.get(name) or "none" for versions in (there, here))) for name in names]
    return ", ".join(f"{name} {theirs} there and {ours} here" for name, theirs, ours in shown)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Say whether this installation is that of the run, then do jobs until there are no more."""
    _, wanted = read_frame(requests)
    differs = differences(pickle.loads(wanted), fingerprint())  # noqa: S301 - from the run that we work for
    write_frame(answers, READY, differs.encode())
    if differs:
        return  # what another version has written is not even read
    _, content = read_frame(requests)
    work: AnyWork = pickle.loads(content)  # noqa: S301 - the same
    while _has_more(requests):
        _, content = read_frame(requests)
        packed, here = pickle.loads(content)  # noqa: S301 - the same
        job: Job = pickle.loads(packed)  # noqa: S301 - the same
        with tempfile.TemporaryDirectory(prefix="scoresheet-", dir=here.folder) as folder:
            answer = _answer(work, job, _allowance(here), Path(folder), answers)
        write_frame(answers, ANSWER, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))


def _has_more(requests: IO[bytes]) -> bool:
    """Wait for the next job, but not for ever: a run that was killed dismisses nobody."""
    if os.name != "posix":
        return True  # pipes cannot be waited for there
    return bool(select.select([requests], [], [], IDLE)[0])


def _allowance(here: Here) -> Allowance:
    """Return what a job may take: what the run says, or its share of what the Dask worker may."""
    share = int(here.memory * SHARE / here.threads) if here.memory else memory_share(here.threads)
    return Allowance(here.most_memory or share, here.seconds)


def _answer(work: AnyWork, job: Job, allowance: Allowance, folder: Path, answers: IO[bytes]) -> Answer:
    """Return what came of a job; whoever listens hears what its worker says."""
    unshared = _unshared(job) if job.contents is None else ""
    if unshared:
        return Answer(unshared=unshared)
    reading = ""

    def on_message(_: int, message: Message) -> None:
        nonlocal reading
        reading = message.file if isinstance(message, FileStarted) else reading
        write_frame(answers, MESSAGE, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    plan = work.plan
    if plan.stage is not None:
        plan = replace(plan, stage=folder / "stage")
        (folder / "stage").mkdir()
    try:
        results = run_tasks(
            partial(work.function, plan, *work.further),
            [_model_in(folder / "inputs", job)],
            workers=1,
            allowance=allowance,
            size=ModelInput.size,
            on_message=on_message,
            tick=_end_with_the_dask_worker(os.getppid()),
        )
        with closing(results):
            [(_, value)] = results
    except Stop as stop:
        return Answer(stop=Stop(stop.code, f"on a Dask worker: {stop}"), reading=reading)
    if isinstance(value, WorkerCrashed | Bug):
        return Answer(value, reading=reading)  # what it left is not whole
    staged = sorted(path for path in (folder / "stage").rglob("*") if path.is_file())
    files = {path.relative_to(folder / "stage").as_posix(): path.read_bytes() for path in staged}
    return Answer(value, files, reading)


def _unshared(job: Job) -> str:
    """Return a file of the job that is not the one that was found where the run was started; '' if all are."""
    pairs = zip(job.model.files, job.seen, strict=True)
    return next((str(source.path) for source, seen in pairs if Seen.of(source.path) != seen), "")


def _model_in(folder: Path, job: Job) -> ModelInput:
    """Return the model with its files where they can be read: where they are, or in a folder with what was sent."""
    if job.contents is None:
        return job.model
    sources = []
    for number, (source, content) in enumerate(zip(job.model.files, job.contents, strict=True)):
        path = folder / str(number) / source.path.name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        sources.append(replace(source, path=path))
    return replace(job.model, files=tuple(sources))


class _end_with_the_dask_worker:  # noqa: N801 - a function that remembers whose child it is
    """Ends this process, and with it the pool, when the Dask worker is gone."""

    def __init__(self, parent: int) -> None:
        self.parent = parent

    def __call__(self) -> None:
        if os.getppid() != self.parent:
            raise SystemExit(1)


def main() -> None:
    """Be the process beside a Dask worker."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a parser prints is no frame
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; who is to end is told so
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # leaves nothing behind
    try:
        serve(os.fdopen(0, "rb", buffering=0), answers)  # what stood in a buffer would not be waited for
    except (EOFError, BrokenPipeError):
        return  # the Dask worker is gone, or needs it no more
