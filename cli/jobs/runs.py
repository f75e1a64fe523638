"""Jobs run one after another in this process: what ends one, even a bug, costs that one; a signal ends them all."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.calls import Call
from scoresheet.cli.endings import ending_of_work
from scoresheet.cli.exits import Exit, Interrupted, worst
from scoresheet.cli.jobs.plan import Job
from scoresheet.cli.run.clock import Clock
from scoresheet.cli.signals import interruptible, signal_asked
from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.run.gates import GateVerdict
    from scoresheet.cli.run.request import Run

NOT_RUN: Final = "not run"
_STATUS: Final = {
    Exit.OK: "ok",
    Exit.BUG: "failed: a bug",
    Exit.USAGE: "failed: usage",
    Exit.PARTIAL: "partial",
    Exit.NOTHING: "nothing scored",
    Exit.UNWRITABLE: "failed: not written",
    Exit.GATE: "a gate did not hold",
    Exit.BUSY: "failed: folder is busy",
    Exit.UNPRINTED: "not printed",
    Exit.INTERRUPTED: "stopped",
    Exit.TERMINATED: "stopped",
}


@dataclass(frozen=True)
class BestModel:
    """The model that ranks first by the headline measure of a command, or those that share that rank."""

    models: tuple[str, ...]
    measure: str
    value: float  # over the units that all models share; of a model that is alone, over its own


@dataclass
class JobOutcome:
    """What came of one job; of one that never began, nothing but its name."""

    job: Job
    code: int | None = None
    seconds: float = math.nan
    models: int = 0
    failed_models: list[str] = field(default_factory=list)
    best: BestModel | None = None
    answer: str = ""
    signature: str = ""
    gates: list[GateVerdict] = field(default_factory=list)  # what was judged, held or not
    unchanged: list[str] = field(default_factory=list)  # models that were not scored again
    problems: int = 0
    files: tuple[str, ...] = ()
    error: str = ""

    @property
    def status(self) -> str:
        """What became of the job, in a word or two."""
        return NOT_RUN if self.code is None else _STATUS[worst([self.code])]

    def hear(self, run: Run[Any, Any, Any, Any, Any, Any], _: Exit) -> None:
        """Take down what the command's run came to."""
        self.models = len(run.outcomes)
        self.failed_models = [outcome.model for outcome in run.outcomes if outcome.result is None]
        self.best = _best(run)
        self.answer = " ".join(filter(None, (run.answer, run.since)))
        self.signature = run.plan.signature
        self.gates = list(run.gates)
        self.unchanged = run.unchanged
        self.problems = len(run.problems)
        self.files = run.files


@dataclass
class JobsRun:
    """What came of all jobs, and what stopped them if anything did."""

    outcomes: list[JobOutcome]
    stopped: int | None = None  # the exit code of a signal
    clock: Clock = field(default_factory=Clock)

    @property
    def codes(self) -> list[int]:
        """The exit codes of all that was done."""
        stopped = [] if self.stopped is None else [self.stopped]
        return [outcome.code for outcome in self.outcomes if outcome.code is not None] + stopped


def _best(run: Run[Any, Any, Any, Any, Any, Any]) -> BestModel | None:
    """Return who ranks first; None where models cannot be ranked, as when they share nothing."""
    paired = run.comparison.paired
    first = {model: standing for model, standing in paired.standings.items() if standing.rank == 1}
    if len(paired.standings) > 1 and first:
        return BestModel(tuple(first), paired.headline, next(iter(first.values())).on_shared)
    if len(run.outcomes) != 1 or not run.results:
        return None
    ((model, result),) = run.results.items()
    headline = run.plan.reporter.result_columns([result], run.plan.options).headline.name
    value = result.measures.get(headline)
    known = isinstance(value, float) and not math.isnan(value)
    return BestModel((model,), headline, value) if known else None


def run_jobs(jobs: Sequence[Job], announce: Callable[[Job], None]) -> JobsRun:
    """Run jobs in order, each announced before it begins; a signal ends the row, and what is done stays."""
    done = JobsRun([JobOutcome(job) for job in jobs])
    try:
        with interruptible():
            for outcome in done.outcomes:
                announce(outcome.job)
                _run_job(outcome)
                if outcome.code is not None and outcome.code > 128:
                    done.stopped = outcome.code
                elif (number := signal_asked()) is not None:  # it came while reports were being replaced
                    done.stopped = Interrupted(number).code
                if done.stopped is not None:
                    break
    except Interrupted as interrupted:
        done.stopped = interrupted.code
    return done


def _run_job(outcome: JobOutcome) -> None:
    from scoresheet.cli.command_line import invoke  # it finds the tools, and each must be loadable without the other

    clock, job = Clock(), outcome.job
    call = Call(job.arguments, job.defaults, outcome.hear)
    try:
        with _without_variables(job.outranked):
            ending = ending_of_work(lambda: invoke(list(job.arguments), call))
        outcome.code, outcome.error = ending
    finally:
        outcome.seconds = clock.seconds()
        gc.collect()  # before the next job's freeze, which would keep what this one left


@contextmanager
def _without_variables(names: frozenset[str]) -> Iterator[None]:
    """Hide some variables of the environment."""
    hidden = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)
