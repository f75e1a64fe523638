"""The outcome of a run: everything that a screen, a report or a script needs to know about it."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import pandas as pd

from scoresheet.cli.report.pages import Page
from scoresheet.metrics.problem import Problem


class Exit(IntEnum):
    """Exit codes, as the documentation lists them."""

    OK = 0
    BUG = 1
    USAGE = 2
    PARTIAL = 3
    NOTHING = 4
    NOT_WRITTEN = 5
    GATE = 10
    BUSY = 75
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143


# Where several hold, the first in this order wins.
SEVERITY = (
    *(Exit.INTERRUPTED, Exit.TERMINATED, Exit.HANGUP, Exit.BUG, Exit.NOT_WRITTEN, Exit.BUSY),
    *(Exit.USAGE, Exit.NOTHING, Exit.GATE, Exit.PARTIAL, Exit.OK),
)


def worst(codes: list[Exit]) -> Exit:
    """Return the exit code of several outcomes together.

    >>> worst([Exit.PARTIAL, Exit.OK, Exit.GATE]).name
    'GATE'
    """
    return min(codes, key=SEVERITY.index, default=Exit.OK)


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
