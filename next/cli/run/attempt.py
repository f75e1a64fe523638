"""Run a request and turn every way it can end into an outcome with an exit code."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import Busy, WriteFailed
from scoresheet.cli.run.state import NothingScored
from scoresheet.metrics.problem import Problem, Refusal

# Problems that are about a file and not about what its columns mean.
UNREADABLE = ("time", "memory", "died", "unreadable", "encoding", "too-large", "empty")


def attempt(
    request_of: Callable[[], tuple[Request, dict[str, Any]]],
    command: str,
    run: Callable[[Request], RunOutcome],
) -> tuple[RunOutcome, dict[str, Any]]:
    """Return the outcome of a command, and how it is to be printed."""
    shown: dict[str, Any] = {}
    typed = ""
    try:
        request, shown = request_of()
        typed = request.typed
        return run(request), shown
    except Refusal as refusal:
        problems = [replace(problem, effect="refused") for problem in refusal.problems]
        reason = "nothing was scored, nothing was written"
        outcome = RunOutcome(command, Exit.USAGE, reason, problems=_full(problems, typed))
    except NothingScored as nothing:
        outcome = _nothing(command, nothing, typed)
    except Busy as busy:
        outcome = RunOutcome(command, Exit.BUSY, str(busy))
    except WriteFailed as failed:
        outcome = RunOutcome(command, Exit.NOT_WRITTEN, str(failed))
    return outcome, shown


def _nothing(command: str, nothing: NothingScored, typed: str) -> RunOutcome:
    """Return the outcome of a run without a score: 2 if columns were the reason, else 4."""
    kinds = {problem.kind for problem in nothing.problems if problem.effect == "skipped"}
    by_columns = bool(kinds - set(UNREADABLE))
    code = Exit.USAGE if by_columns else Exit.NOTHING
    what = "nothing was written" if by_columns else "existing reports are untouched"
    return RunOutcome(
        command,
        code,
        f"nothing could be scored, {what}",
        mapping=nothing.mapping,
        problems=_full(nothing.problems, typed),
    )


def _full(problems: list[Problem], typed: str) -> list[Problem]:
    """Return problems whose hints are whole commands where they are options."""
    return [replace(problem, hint=_commands(problem.hint, typed)) for problem in problems]


def _commands(hint: str, typed: str) -> str:
    """Return a hint in which a line that is an option is the whole command to type."""
    lines = hint.split("\n")
    if lines[0].startswith("--"):
        lines.insert(0, "add the option")
    return "\n".join(_command(line, typed) if line.startswith("--") else line for line in lines)


def _command(option: str, typed: str) -> str:
    """Return the command line with an option added, in place of an earlier one for its role.

    >>> _command("--column idiom=id", "scoresheet sinfo a.csv --column idiom=ID -q")
    'scoresheet sinfo a.csv -q --column idiom=id'
    """
    words = shlex.split(typed)
    role = option.removeprefix("--column ").strip("'").partition("=")[0]
    if option.startswith("--column "):
        replaced = [
            i
            for i, (a, b) in enumerate(pairwise(words))
            if a == "--column" and b.startswith(f"{role}=")
        ]
        words = [w for i, w in enumerate(words) if i not in replaced and i - 1 not in replaced]
    return f"{shlex.join(words)} {option}"
