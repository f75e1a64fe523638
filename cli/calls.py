"""One call of a command: its words, what a file of settings adds to them, and who is to hear what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from scoresheet.cli.config.defaults import FileDefaults
from scoresheet.cli.exits import Exit
from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.run.request import Run


@dataclass(frozen=True)
class Call:
    """A command line that is being obeyed; the command finds it in its context."""

    arguments: tuple[str, ...] = ()
    defaults: FileDefaults = field(default_factory=FileDefaults)
    # of a job among others: told what the run came to, instead of an answer on stdout
    listener: Callable[[Run[Any, Any, Any, Any, Any, Any], Exit], None] | None = None
