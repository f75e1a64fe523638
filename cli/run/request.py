"""One command line, understood, and what its run came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Generic

from scoresheet.cli.config.defaults import FileDefaults
from scoresheet.cli.exits import Exit, worst
from scoresheet.cli.input.remote import RemotePlaces
from scoresheet.cli.report.reporter import Reporter, ResultColumns
from scoresheet.cli.run.baseline import Baseline
from scoresheet.cli.run.clock import Clock
from scoresheet.cli.run.gates import (
    GateVerdict,
    failed_only,
)
from scoresheet.cli.run.outcomes import Outcomes
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.results_folder import EarlierReport, Publish
from scoresheet.cli.settings import Settings
from scoresheet.metrics.family import Audit, C, Family, K, O, P, R, S
from scoresheet.metrics.problems import SKIPPED, Problem
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class Request(Generic[O, P, C, S, R, K]):
    """One command line, understood."""

    family: Family[O, P, C, S, R, K]
    reporter: Reporter[O, C, R, K]
    options: O
    settings: Settings
    outputs: str
    references: str
    out: Path
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)  # SCORESHEET_* of the environment
    configuration: FileDefaults = field(default_factory=FileDefaults)  # what a file of settings gave
    clock: Clock = field(default_factory=Clock)
    places: RemotePlaces = field(default_factory=RemotePlaces)  # that URLs name
    publish: Publish | None = None  # what `out` stands for, if that is elsewhere


@dataclass(frozen=True)
class Run(Generic[O, P, C, S, R, K]):
    """What a run came to."""

    plan: Plan[O, P, C, S, R, K]
    outcomes: Sequence[Outcome[R]]  # the best model first
    comparison: K
    problems: tuple[Problem, ...]
    ignored: tuple[str, ...]
    bugs: tuple[str, ...] = ()  # tracebacks of our own failures
    files: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()  # reports of earlier runs
    left: tuple[EarlierReport, ...] = ()
    baseline: Baseline | None = None
    awaited: str = ""  # the baseline that there is none of yet: the folder that this run is the first to write to
    gates: tuple[GateVerdict, ...] = ()  # what was judged, held or not
    swapped: str = ""  # what to type instead, where outputs and references seem to have been exchanged
    rewritten: tuple[str, ...] = ()  # what the last run left and was not as it left it, in words

    @property
    def unchanged(self) -> list[str]:
        """The models that are as they were in the last run, and were not scored again."""
        return [outcome.model for outcome in self.outcomes if outcome.unchanged]

    @property
    def results(self) -> Mapping[str, R]:
        """The results of the models that have one."""
        return results_of(self.outcomes)

    @property
    def audit(self) -> Audit | None:
        """How a sample of the rows compares with a reference library."""
        return self.comparison.audit

    @property
    def failed_gates(self) -> list[GateVerdict]:
        """Why the run is to end as one whose gate did not hold."""
        return failed_only(self.gates)

    @cached_property  # a look at every model
    def shown(self) -> ResultColumns:
        """The columns of the results table."""
        return self.plan.reporter.result_columns(self.results.values(), self.plan.options)

    @cached_property
    def answer(self) -> str:
        """What the run says, in a sentence that can be quoted."""
        return self.plan.reporter.answer(self.comparison, self.results, self.plan.options)

    @property
    def since(self) -> str:
        """What has changed since the baseline, in a sentence or two; '' where none was asked for."""
        if self.awaited and self.is_scored:  # else nothing was written that a next run could be held against
            return f"Since {self.awaited}: no results were there yet; the next run is held against these."
        return self.baseline.sentence() if self.baseline else ""

    @property
    def is_scored(self) -> bool:
        """Whether any row of any model has a score."""
        return any(outcome.scored for outcome in self.outcomes)

    def exit_code(self, *, strict: bool) -> Exit:
        """Return what the shell is told."""
        costly = [problem for problem in self.problems if self.plan.is_costly(problem)]
        partial = any(problem.effect in SKIPPED for problem in costly) or (strict and bool(costly))
        return worst(
            code
            for code, is_so in (
                (Exit.BUG, bool(self.bugs)),
                (Exit.NOTHING, not self.is_scored),
                (Exit.GATE, bool(self.failed_gates)),
                (Exit.PARTIAL, partial),
            )
            if is_so
        )


def problems_of(outcomes: Sequence[Outcome[R]]) -> list[Problem]:
    """Return the problems of all models; what costs a sheet that holds rows of several is said once, not for each."""
    problems: list[Problem] = []
    lost: set[Problem] = set()
    for problem in (problem for outcome in outcomes for problem in outcome.problems):
        if problem not in lost:
            problems.append(problem)
        if problem.effect in SKIPPED:
            lost.add(problem)
    return problems


def results_of(outcomes: Sequence[Outcome[R]]) -> Mapping[str, R]:
    """Return the results of the models that have one."""
    if isinstance(outcomes, Outcomes):
        return outcomes.results
    return {outcome.model: outcome.result for outcome in outcomes if outcome.result is not None}
