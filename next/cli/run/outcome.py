"""What a command did, however it ended."""

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

import pandas as pd

from scoresheet.cli.report import Page
from scoresheet.cli.run.gates import Gate
from scoresheet.cli.run.results_folder import Busy, WriteFailed
from scoresheet.metrics.problem import Problem, Refusal


class Exit(IntEnum):
    """Exit codes, as the documentation lists them; where several hold, the first wins."""

    INTERRUPTED = 130
    TERMINATED = 143
    HANGUP = 129
    BUG = 1
    NOT_WRITTEN = 5
    BUSY = 75
    USAGE = 2
    NOTHING = 4
    GATE = 10
    PARTIAL = 3
    OK = 0

    @classmethod
    def worst(cls, codes: Iterable[int]) -> "Exit":
        """Return the code that stands for several."""
        found = {*codes}
        return next((code for code in cls if code in found), cls.OK)


INTERRUPTED = (Exit.INTERRUPTED, Exit.TERMINATED, Exit.HANGUP)
STATES = {Exit.OK: "ok", Exit.PARTIAL: "partial", Exit.GATE: "gate failed"}
STATES |= dict.fromkeys(INTERRUPTED, "interrupted")
NOT_REACHED = "not reached"  # the reason of a job after one that was interrupted


@dataclass
class RunOutcome:
    """What one scoring command did.

    `answer` are the sentences, in which the words of `emphasis` are shown in bold. `headline`,
    `comparison` and `breakdowns` are the tables of screen and workbook, `differences` is one of the
    workbook; `results` and `comparisons` are the same as in the CSV files. A hint of a problem and
    `worst_unit` have commands to type on lines of their own, after the first. `content` is what
    --format json prints in place of the results.
    """

    exit_code: Exit
    reason: str = ""
    folder: str = ""
    signature: str = ""
    mapping: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    emphasis: tuple[str, ...] = ()
    headline: Page | None = None
    comparison: Page | None = None
    differences: Page | None = None
    breakdowns: list[Page] = field(default_factory=list)
    failed: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    status: tuple[str, ...] = ()
    workbook: str = ""
    worst_unit: str = ""
    order: tuple[str, ...] = ()
    results: pd.DataFrame = field(default_factory=pd.DataFrame)
    comparisons: pd.DataFrame = field(default_factory=pd.DataFrame)
    mapping_record: dict[str, Any] = field(default_factory=dict)
    gates: tuple[Gate, ...] = ()
    content: dict[str, Any] | None = None

    @property
    def summary(self) -> str:
        """Return in one line how it ended, empty where all is well."""
        refused = [problem for problem in self.problems if problem.effect == "refused"]
        return self.reason or (str(Refusal(refused[0])) if refused else "")

    @property
    def state(self) -> str:
        """Return in a word or two how it ended."""
        return NOT_REACHED if self.reason == NOT_REACHED else STATES.get(self.exit_code, "failed")

    def gates_in(self, state: str) -> list[Gate]:
        """Return the gates that passed, failed or are undecided."""
        return [gate for gate in self.gates if gate.state == state]


def attempt(run: Callable[[], RunOutcome], typed: Sequence[str] = ()) -> RunOutcome:
    """Return the outcome of a command, whichever way it ends.

    In the hints of its problems, each line that is an option becomes the whole command to type:
    `typed`, or what was typed here, with the option.
    """
    try:
        outcome = run()
    except Refusal as refusal:
        problems = [replace(problem, effect="refused") for problem in refusal.problems]
        outcome = RunOutcome(Exit.USAGE, problems=problems)
    except WriteFailed as failed:
        return RunOutcome(Exit.BUSY if isinstance(failed, Busy) else Exit.NOT_WRITTEN, str(failed))
    words = ["scoresheet", *(typed or sys.argv[1:])]
    for place, problem in enumerate(outcome.problems):
        start = "add the option\n" if problem.hint.startswith("--") else ""
        lines = (start + problem.hint).split("\n")
        hint = "\n".join(_command(line, words) if line[:2] == "--" else line for line in lines)
        outcome.problems[place] = replace(problem, hint=hint) if "--" in hint else problem
    return outcome


def ended_by(error: BaseException) -> RunOutcome:
    """Return the outcome of a command that a signal or a bug ended."""
    code = Exit(getattr(error, "exit_code", Exit.BUG))
    return RunOutcome(code, f"{type(error).__name__}: {error}".splitlines()[0])


def _command(option: str, typed: list[str]) -> str:
    """Return the command line with an option added, in place of an earlier one for its role.

    >>> _command("--column idiom=id", "scoresheet sinfo a.csv --column idiom=ID -q".split())
    'scoresheet sinfo a.csv -q --column idiom=id'
    """
    role = shlex.split(option)[-1].partition("=")[0] + "="
    if option.startswith("--column ") and role != "ignore=":
        earlier = {n for n, word in enumerate(typed) if word.startswith(role)}
        earlier = {n for n in earlier if typed[n - 1] == "--column"}
        typed = [word for n, word in enumerate(typed) if not earlier & {n, n + 1}]
    return f"{shlex.join(typed)} {option}"
