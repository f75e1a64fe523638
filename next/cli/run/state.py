"""The state of a run, and the ways it can end without a result."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from scoresheet.cli.run.reading import FileRead
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import ResultsFolder
from scoresheet.cli.run.workers import Workers
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem

Progress = Callable[[int, str], AbstractContextManager[Callable[[], None]]]


def no_progress(_total: int, _label: str) -> AbstractContextManager[Callable[[], None]]:
    """Return a progress bar that shows nothing."""
    return nullcontext(lambda: None)


class BugError(Exception):
    """A worker met an error that no input should cause; carries its traceback."""


class NothingScored(Exception):  # noqa: N818
    """No model could be scored; carries the problems and the mapping lines."""

    def __init__(self, problems: list[Problem], mapping: Sequence[str]) -> None:
        super().__init__("nothing could be scored")
        self.problems = problems
        self.mapping = list(mapping)


@dataclass
class Run:
    """The state of one run, filled step by step."""

    request: Request
    family: Family
    parts: Path
    workers: Workers
    progress: Progress = no_progress
    given: dict[str, Path] = field(default_factory=dict)
    files: list[FileRead] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    folder: ResultsFolder | None = None
    started: float = 0.0

    @property
    def results(self) -> ResultsFolder:
        """Return the results folder of a run that writes one."""
        if self.folder is None:
            raise ValueError("this run writes no results")
        return self.folder
