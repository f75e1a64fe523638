"""Runs that are killed at random moments, and pairs of runs into one folder.

Most runs are forked from a process that has all modules loaded: loading them is nine tenths of a small run, and a kill
then says nothing. One in twenty is a fresh process, as a shell starts it.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.helpers.runs import COMMAND, SAID, called_in, environment, forked
from tests.soak.cases import CORRUPT, HANG, TRACEBACK, Fault, Row, Trials, case_name, rng_of
from tests.soak.studies import COMMANDS, OUTS, RES, STATES, words_of, write_study
from tests.soak.wholeness import Reports, is_locked, not_exactly, not_whole, reports_in

PATIENCE = 120.0  # seconds in which a run of a moment must end, on a machine that is busy with others
MEASURED = 25  # before one kill in so many it is seen anew how long a run takes
FRESH = 20  # one run in so many is a fresh process, but none of those of every test run: each takes ten times as long
BUSY = 75


@dataclass
class Ground:
    """The study of a command in a folder of its own, what its two states lead to, and how long a run takes."""

    root: Path
    command: str
    reports: dict[str, Reports] = field(default_factory=dict)
    usual: float = 0.0
    state: str = STATES[0]  # that was scored last

    def __post_init__(self) -> None:
        self.root.mkdir()
        for state in reversed(STATES):  # so that the old one is scored last
            write_study(self.root, self.command, state, outs=state)
            shutil.rmtree(self.root / RES, ignore_errors=True)
            for _ in range(2):  # the second run finds nothing to do but what it always does
                ended = self.run(state)
                assert ended.code == 0, ended.said
            self.reports[state] = reports_in(self.root / RES)
        self.measure()

    @property
    def other(self) -> str:
        """The state that a run changes to."""
        return STATES[self.state == STATES[0]]

    def measure(self) -> None:
        """See how long a run takes that nobody kills: the machine may be busy now, and idle later."""
        with self.started(self.other) as run:
            run.wait(PATIENCE)
        assert run.code == 0, run.ended().said
        self.usual = max(self.usual * 0.8, run.seconds)
        self.state = self.other

    def run(self, state: str, *options: str) -> Ended:
        """Score a state to the end; in this process, which is the cheapest."""
        self.put(state)
        done = called_in(self.root)(*words_of(self.command, *options))
        return Ended(done.code, done.err)

    def put(self, state: str) -> None:
        """Let the models be those of a state."""
        shutil.rmtree(self.root / OUTS, ignore_errors=True)
        shutil.copytree(self.root / state, self.root / OUTS)

    @contextlib.contextmanager
    def started(self, state: str, *options: str, fresh: bool = False) -> Iterator[Running]:
        """A run of a state that has just begun."""
        self.put(state)
        with started(self.root, words_of(self.command, *options), fresh=fresh) as run:
            yield run


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code, negative for a signal, None for one that never did."""

    code: int | None
    said: str

    def fault(self, case: str, allowed: Sequence[int]) -> Fault | None:
        """What is wrong with such an end; None if it is one of those allowed."""
        if self.code is None:
            return Fault(HANG, case, self.said[-2000:])
        if self.code not in allowed or "Traceback" in self.said:
            return Fault(TRACEBACK, case, f"exit {self.code}: {self.said[-2000:]}")
        return None


@dataclass
class Running:
    """A run in a process group of its own."""

    root: Path
    group: int
    wait_for: Callable[[float], int | None]
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    code: int | None = None

    def wait(self, most: float) -> None:
        """Wait for its end."""
        self.code = self.wait_for(most)
        self.seconds = time.monotonic() - self.began

    def kill(self) -> None:
        """Kill it with all its workers."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)

    def ended(self) -> Ended:
        """How it ended."""
        return Ended(self.code, (self.root / SAID[1]).read_text("utf-8", "replace"))


@contextlib.contextmanager
def started(root: Path, words: Sequence[str], *, fresh: bool = False) -> Iterator[Running]:
    """A run that has just begun: forked, or as a fresh process; nothing of it is left afterwards."""
    if not fresh:
        with forked(root, *words) as child:

            def wait_for(most: float) -> int | None:
                child.join(most)
                return child.exitcode

            yield Running(root, child.ident or 0, wait_for)
        return
    with (root / SAID[1]).open("wb") as said, (root / SAID[0]).open("wb") as out:
        process = subprocess.Popen(
            [*COMMAND, *words], cwd=root, env=environment(), stdout=out, stderr=said, start_new_session=True
        )

        def wait_long(most: float) -> int | None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(most)
            return None

        run = Running(root, process.pid, wait_long)
        try:
            yield run
        finally:
            run.kill()
            process.wait()


def grounds(folder: Path) -> Callable[[str], Ground]:
    """A function that gives the ground of a command, made when it is first wanted."""
    made: dict[str, Ground] = {}

    def ground(command: str) -> Ground:
        if command not in made:
            made[command] = Ground(folder / command, command)
        return made[command]

    return ground


def _command(number: int, row: Row) -> str:
    """The command of a case; a shard has one, whose ground is made once."""
    return COMMANDS[number // row.shard % len(COMMANDS)]


def killed(folder: Path, numbers: Sequence[int]) -> Trials:
    """Kill a run at a random moment, look at every report, then let the next run come to its end."""
    ground_of = grounds(folder)
    for number in numbers:
        case, rng = case_name(KILLS.name, number), rng_of(KILLS.name, number)
        ground = ground_of(_command(number, KILLS))
        if number % MEASURED == MEASURED - 1:
            ground.measure()
        options = ("-j", rng.choice("12"), *(["--fresh"] if rng.random() < 0.3 else []))
        state, fresh = ground.other, number % FRESH == FRESH - 1 and number >= KILLS.short
        with ground.started(state, *options, fresh=fresh) as run:
            _sleep(run, ground, rng, fresh=fresh)
            run.kill()
            run.wait(PATIENCE)
        wrong = not_whole(ground.root / RES, ground.reports[ground.state], ground.reports[state])
        fault = run.ended().fault(case, (0, -signal.SIGKILL)) or (Fault(CORRUPT, case, wrong) if wrong else None)
        ended = ground.run(state, *options)
        fault = fault or ended.fault(case, (0,))
        left = not_exactly(ground.root / RES, ground.reports[state])
        if left:
            fault = fault or Fault(CORRUPT, case, f"after the next run: {left}")
            shutil.rmtree(ground.root / RES)  # so that the next case begins with what it expects
            ground.run(state)
        ground.state = state
        yield fault


def _sleep(run: Running, ground: Ground, rng: random.Random, *, fresh: bool) -> None:
    """Wait for a random moment of a run; of most fresh ones, after its modules are loaded."""
    if fresh and rng.random() < 0.8:
        limit = time.monotonic() + PATIENCE
        while not is_locked(ground.root / RES) and run.wait_for(0.001) is None and time.monotonic() < limit:
            pass
    time.sleep(ground.usual * rng.uniform(0, 1.05))


def paired(folder: Path, numbers: Sequence[int]) -> Trials:
    """Start two runs of the two states into one folder: one wins, the other waits its turn or is told that it must."""
    ground_of = grounds(folder)
    for number in numbers:
        case, rng = case_name(PAIRS.name, number), rng_of(PAIRS.name, number)
        ground = ground_of(_command(number, PAIRS))
        patient = rng.random() < 0.5
        roots = [_beside(ground, state) for state in STATES]
        words = [words_of(ground.command, "-j", rng.choice("12"), res=f"../{RES}") for _ in STATES]
        if patient:
            words = [[*each, "--wait", str(PATIENCE)] for each in words]
        later, pause = rng.choice((0, 1)), ground.usual * rng.choice((0.0, rng.uniform(0, 1.1)))
        with started(roots[1 - later], words[1 - later]) as first:
            time.sleep(pause)
            with started(roots[later], words[later]) as second:
                first.wait(PATIENCE)
                second.wait(PATIENCE)
        yield _rivalry(case, ground, (first, second) if later else (second, first), patient=patient)


def _beside(ground: Ground, state: str) -> Path:
    """A working folder for one of two rivals: its own inputs, and what it prints, beside the results of both."""
    root = ground.root / f"rival_{state}"
    if not root.exists():
        root.mkdir()
        shutil.copytree(ground.root / state, root / OUTS)
        if (ground.root / "refs").exists():
            shutil.copytree(ground.root / "refs", root / "refs")
    return root


def _rivalry(case: str, ground: Ground, runs: Sequence[Running], *, patient: bool) -> Fault | None:
    """What is wrong after two runs, of the old state and of the new one."""
    for run in runs:
        fault = run.ended().fault(case, (0,) if patient else (0, BUSY))
        if fault:
            return fault
    winners = [state for state, run in zip(STATES, runs, strict=True) if run.code == 0]
    if not winners:
        return Fault(CORRUPT, case, "neither run won")
    said = [not_exactly(ground.root / RES, ground.reports[state]) for state in winners]
    return None if "" in said else Fault(CORRUPT, case, " / ".join(said))


KILLS = Row(
    "kills",
    "SIGKILL at a random moment of a run that replaces reports",
    "every report is the old or the new one, whole; the next run succeeds and sweeps",
    "kills",
    60,
    3_000,
    60,
    killed,
)
PAIRS = Row(
    "pairs",
    "two runs at once into one folder",
    "one wins, the other waits or exits 75",
    "pairs",
    10,
    500,
    25,
    paired,
)
