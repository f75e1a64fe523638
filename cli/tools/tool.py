"""What a tool is: a command beside those that score, a function whose parameters are its arguments and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A command that scores nothing itself. Its module imports what help needs; the function, what the work needs."""

    name: str
    summary: str  # one line, for the list of commands
    example: str  # a command line that works
    run: Callable[..., None]  # annotated for typer; its docstring is the help; the exit code travels as typer.Exit
    position: int = 200  # in the list of commands
    usage: str = "[OPTIONS]"  # what follows its name in the first line of its help, before its own arguments
    context_settings: Mapping[str, object] = field(default_factory=dict)
