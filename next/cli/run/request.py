"""A request: what one scoring command was asked to do."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoresheet.cli.input.grammar import Condition, Said
from scoresheet.cli.input.source import ReadRules
from scoresheet.cli.input.tidy import TidyRules
from scoresheet.cli.run.workers import Limits


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
    said: tuple[Said, ...] = ()
    where: tuple[Condition, ...] = ()
    read: ReadRules = field(default_factory=ReadRules)
    tidy: TidyRules = field(default_factory=TidyRules)
    accept: frozenset[str] = frozenset()
    repeats: str = "error"
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
