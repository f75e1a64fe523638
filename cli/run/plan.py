"""What a run is to do, settled before any model is read; a worker gets it whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.join import References
from scoresheet.metrics.core import Family, Report
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import Problem


@dataclass(frozen=True)
class Plan:
    """A family, its options, the references made ready, and where the reports are staged."""

    family: Family[Any]
    options: Options
    signature: str
    rules: ReadRules
    renamed: Mapping[str, str]
    folder: str  # the outputs as the user named them
    references: References
    reference_files: Mapping[str, str]  # file → SHA-256, further tables included
    stage: Path | None  # None: a dry run writes nothing
    raw_csv: bool
    prepared: Any = None  # what scoring needs of all that was given

    @property
    def referenced(self) -> bool:
        """Whether there are references to score against."""
        return len(self.references.table) > 0


@dataclass(frozen=True)
class Outcome:
    """What came of one model."""

    report: Report
    problems: tuple[Problem, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)  # file → SHA-256
    files: tuple[str, ...] = ()  # reports staged
    samples: tuple[Any, ...] = ()  # rows offered to the audit
    sheets: tuple[tuple[str, int, int], ...] = ()  # name, rows, rows with a reference
    bug: str = ""  # the traceback, if scoresheet itself failed on the model
