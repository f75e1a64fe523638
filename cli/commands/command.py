"""What a command is, besides its family: default folders, help and a worked example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scoresheet.metrics.core import Family


@dataclass(frozen=True)
class Command:
    """A family as the shell sees it."""

    family: Family[Any]
    summary: str  # one line, for the list of commands
    about: str  # what it reads and what comes out
    example: str  # a command line that works, with what it does
    outputs: str  # default folders, relative to the working directory
    results: str
    references: str = ""  # '' where the family needs none
    references_name: str = "REFERENCES"
    references_about: str = "The same for references"
