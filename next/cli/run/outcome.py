"""The outcome of a run: what screens, reports and scripts need to know, however the run ended."""

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import pairwise
from typing import Any

import pandas as pd

from scoresheet.cli.report import Page
from scoresheet.cli.run.request import Request
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
        reason = "nothing was scored, nothing was written"
        problems = [replace(problem, effect="refused") for problem in refusal.problems]
        outcome = RunOutcome(command, Exit.USAGE, reason, problems=with_commands(problems, typed))
    except Busy as busy:
        outcome = RunOutcome(command, Exit.BUSY, str(busy))
    except WriteFailed as failed:
        outcome = RunOutcome(command, Exit.NOT_WRITTEN, str(failed))
    return outcome, shown


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
    if option.startswith("--column ") and "ignore=" not in option:
        role = option.removeprefix("--column ").strip("'").partition("=")[0]
        earlier = [
            i
            for i, (a, b) in enumerate(pairwise(words))
            if a == "--column" and b.startswith(f"{role}=")
        ]
        words = [w for i, w in enumerate(words) if i not in earlier and i - 1 not in earlier]
    return f"{shlex.join(words)} {option}"
