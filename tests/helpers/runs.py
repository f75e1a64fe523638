"""The command line: called in this process or in one of its own, and how a call ended."""

from __future__ import annotations

import contextlib
import functools
import io
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, Protocol

from scoresheet.cli.app import console, main
from tests.helpers.workers import cheap_workers

LOCK = ".scoresheet.lock"
MANIFEST = "manifest.json"


class Run(Protocol):
    """The command line, called with its words."""

    def __call__(self, *words: str | Path) -> Result: ...


class Result(NamedTuple):
    """How a run ended and what it printed."""

    code: int
    out: str
    err: str


COMMAND = (sys.executable, "-m", "scoresheet.cli")


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment with some variables set, or removed where None."""
    env = {name: value for name, value in os.environ.items() if name not in changes}
    return env | {name: value for name, value in changes.items() if value is not None}


def spawn(root: Path, *options: str, **changes: str | None) -> Result:
    """Score `outs` against `refs` in a process of its own, which starts anew where its environment asks for that."""
    if changes.keys() <= READ_WHEN_USED:
        with forked(root, "sinfo", "outs", "refs", *options, prepare=functools.partial(surround, changes)) as child:
            child.join(60)
            assert not child.is_alive(), "it hangs"
        return Result(child.exitcode or 0, *((root / name).read_text("utf-8") for name in SAID))
    words = [*COMMAND, "sinfo", "outs", "refs", *options]
    env, pipe = environment(**changes), subprocess.PIPE
    with subprocess.Popen(words, cwd=root, env=env, stdout=pipe, stderr=pipe, start_new_session=True) as run:
        try:
            streams = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            raise
    out, err = (stream.decode("utf-8", "backslashreplace") for stream in streams)
    return Result(run.returncode, out, err)


READ_WHEN_USED = {"COLUMNS", "HOME", "SCORESHEET_OUT", "TERM", "TZ"}  # others are read when Python or a module starts


def surround(changes: dict[str, str | None]) -> None:
    """Let this process have another environment."""
    for name, value in changes.items():
        os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    time.tzset()


SAID = (".stdout", ".stderr")  # where a forked run leaves what it printed


@contextlib.contextmanager
def forked(root: Path, *words: str, prepare: Callable[[], None] | None = None) -> Iterator[BaseProcess]:
    """The command in a process group of its own, without the time that loading its modules takes."""
    run = multiprocessing.get_context("fork").Process(target=_alone, args=(root, words, prepare))
    run.start()
    try:
        while run.is_alive() and os.getpgid(run.ident or 0) != run.ident:
            time.sleep(0.0005)
        yield run
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.ident or 0, signal.SIGKILL)
        run.join()


def _alone(root: Path, words: tuple[str, ...], prepare: Callable[[], None] | None) -> None:
    """Be a process that a shell might have started, and call the command."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        signal.signal(number, handler)
    os.chdir(root)
    sys.argv = ["scoresheet", *words]
    try:
        for descriptor, name in enumerate(SAID, start=1):
            os.dup2(os.open(root / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115 - descriptors
        os.setsid()
        if prepare is not None:
            prepare()
        console()
    except KeyboardInterrupt:
        os._exit(130)


HOLD = """
import sys, filelock
with filelock.FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held_lock(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the results folder until its stdin is closed."""
    folder.mkdir(exist_ok=True)
    words = [sys.executable, "-c", HOLD, str(folder / LOCK)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder


def called_in(root: Path, *, processes: bool = False) -> Run:
    """The command, called in this process and in a folder, with cheap workers unless `processes` are wanted."""

    def call(*words: str | Path) -> Result:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in "ab")
        workers = contextlib.nullcontext() if processes else cheap_workers()
        with contextlib.chdir(root), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), workers:
            code = main([str(word) for word in words])
        return Result(code, *(stream.buffer.getvalue().decode("utf-8") for stream in (out, err)))

    return call
