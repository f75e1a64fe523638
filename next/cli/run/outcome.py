"""What a command was asked to do, and what it did, however it ended."""

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.input.tidy import LoadRules
from scoresheet.cli.report import Page
from scoresheet.cli.run.results_folder import Busy, WriteFailed
from scoresheet.cli.run.workers import Limits
from scoresheet.metrics.problem import Problem, Refusal


@dataclass(frozen=True)
class Request:
    """Everything that a run needs to know; small, and the same in every worker.

    `inputs` are the arguments by table; `named` is whether the user named the outputs, as
    opposed to the default folders. `typed` is the command line, for hints.
    """

    family: str
    inputs: dict[str, str]
    options: Any
    out: Path
    named: bool = True
    load: LoadRules = field(default_factory=LoadRules)
    against: str = ""
    ci: float = 0.95
    seed: int = 0
    workbooks: bool = True
    strict: bool = False
    limits: Limits = field(default_factory=Limits)
    wait: float = 60
    typed: str = ""

    @property
    def aggregate(self) -> str:
        """Return whether Overall is the mean of sheets or of rows."""
        return str(getattr(self.options, "aggregate", "sheets"))


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


@dataclass
class RunOutcome:
    """What one scoring command did.

    `answer` are the sentences, in which the words of `emphasis` are shown in bold. `headline`,
    `comparison` and `breakdowns` are the tables of the screen; `dropped` names the columns that
    a narrow screen leaves out, first to last. `no_comparison` is the sentence shown where there
    is nothing to compare. A hint of a problem and `worst_unit` have commands to type on lines of
    their own, after the first. `results` and `comparisons` are the same at full
    precision, with the names that CSV files use.
    """

    command: str
    exit_code: Exit
    reason: str = ""
    folder: str = ""
    signature: str = ""
    mapping: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    emphasis: tuple[str, ...] = ()
    headline: Page | None = None
    comparison: Page | None = None
    no_comparison: str = ""
    breakdowns: list[Page] = field(default_factory=list)
    dropped: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    status: tuple[str, ...] = ()
    workbook: str = ""
    worst_unit: str = ""
    results: pd.DataFrame = field(default_factory=pd.DataFrame)
    comparisons: pd.DataFrame = field(default_factory=pd.DataFrame)
    mapping_record: dict[str, Any] = field(default_factory=dict)


def attempt(
    request_of: Callable[[], tuple[Request, dict[str, Any]]],
    command: str,
    run: Callable[[Request], RunOutcome],
) -> tuple[RunOutcome, dict[str, Any]]:
    """Return the outcome of a command, whichever way it ends, and how it is to be printed."""
    shown: dict[str, Any] = {}
    typed = ""
    try:
        request, shown = request_of()
        typed = request.typed
        return run(request), shown
    except Refusal as refusal:
        problems = [replace(problem, effect="refused") for problem in refusal.problems]
        reason = "nothing was scored, nothing was written"
        problems = with_commands(problems, typed)
        return RunOutcome(command, Exit.USAGE, reason, problems=problems), shown
    except WriteFailed as failed:
        code = Exit.BUSY if isinstance(failed, Busy) else Exit.NOT_WRITTEN
        return RunOutcome(command, code, str(failed)), shown


def with_commands(problems: Iterable[Problem], typed: str) -> list[Problem]:
    """Return problems in whose hints each line that is an option is the whole command to type."""
    whole = []
    for problem in problems:
        start = "add the option\n" if problem.hint.startswith("--") else ""
        lines = (start + problem.hint).split("\n")
        lines = [_command(line, typed) if line.startswith("--") else line for line in lines]
        whole.append(replace(problem, hint="\n".join(lines)))
    return whole


def _command(option: str, typed: str) -> str:
    """Return the command line with an option added, in place of an earlier one for its role.

    >>> _command("--column idiom=id", "scoresheet sinfo a.csv --column idiom=ID -q")
    'scoresheet sinfo a.csv -q --column idiom=id'
    """
    words = shlex.split(typed)
    start = shlex.split(option)[-1].partition("=")[0] + "="
    if option.startswith("--column ") and start != "ignore=":
        for place in range(len(words) - 1, 0, -1):
            if words[place - 1] == "--column" and words[place].startswith(start):
                del words[place - 1 : place + 1]
    return f"{shlex.join(words)} {option}"
