"""Progress on stderr, for people only: nothing is shown without a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from scoresheet.cli.run.messages import FileStarted, Message, RowsRead, RowsScored, RowsWritten, ShareRead
from scoresheet.cli.terminal.tables import one_line

# of the work on a model: its rows are read, scored, written
_READ, _SCORED, _WRITTEN = 0.1, 0.55, 0.35
_LONGEST: Final = 40  # characters of what is being worked on


class Bar:
    """Follows the models of a run; this one shows nothing."""

    def __init__(self) -> None:
        self._reading: dict[int, str] = {}

    def on_message(self, task: int, message: Message) -> None:
        """Hear what a worker says."""
        if isinstance(message, FileStarted):
            self._reading[task] = message.file

    def reading(self, task: int) -> str:
        """Return the file that the worker of a task was last heard to read."""
        return self._reading.get(task, "")

    def finished(self, task: int) -> None:
        """Hear that a model is done."""

    def refresh(self) -> None:
        """Draw again."""


class Progress:
    """Shows progress if there is a terminal to show it on and nobody asked for quiet."""

    def __init__(self, *, wanted: bool) -> None:
        self.wanted = wanted and sys.stderr.isatty()

    @contextmanager
    def models(self, names: Sequence[str], *, read_alone: bool = False) -> Iterator[Bar]:
        """Yield a bar for these models, and clear it at the end; they are scored too, or read alone."""
        with self._bar(names, "models · {task.fields[rows]:,} rows", 1.0 if read_alone else _READ) as bar:
            yield bar

    @contextmanager
    def files(self, names: Sequence[str]) -> Iterator[Bar]:
        """Yield a bar for files that are read for all models, and clear it at the end."""
        with self._bar(names, "files" if len(names) > 1 else "file", 1.0) as bar:
            yield bar

    @contextmanager
    def _bar(self, names: Sequence[str], what: str, reading: float) -> Iterator[Bar]:
        if not self.wanted:
            yield Bar()
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display

        display = Display(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn(what, markup=False),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,  # a drawing thread and forked workers do not go together
        )
        with display:
            yield _TerminalBar(display, names, reading)

    @contextmanager
    def comparing(self, models: int) -> Iterator[Callable[[int, int], None]]:
        """Say that models are being compared, yield what is told how many pairs are, and clear it at the end."""
        if not self.wanted or models < 2:
            yield lambda _done, _of: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display

        display = Display(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("pairs"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        with display:
            task = display.add_task(f"comparing {models:,} models …", total=None)
            display.refresh()

            def tell(done: int, of: int) -> None:
                display.update(task, completed=done, total=of)
                display.refresh()

            yield tell


class _TerminalBar(Bar):
    def __init__(self, display: Any, names: Sequence[str], reading: float) -> None:
        super().__init__()
        self.weight = reading  # of the work on a model
        self.read: dict[int, float] = {}  # shares
        self.display = display
        self.names = names
        self.rows = 0
        self.expected: dict[int, int] = {}
        self.scored: dict[int, int] = {}
        self.written: dict[int, float] = {}  # shares
        self.done: set[int] = set()
        self.task = display.add_task("reading", total=len(names), rows=0)

    def on_message(self, task: int, message: Message) -> None:
        super().on_message(task, message)
        match message:
            case ShareRead(share):
                self.read[task] = share
                self._draw(f"{self.names[task]} · reading")
            case RowsRead(rows):
                self.read[task] = 1.0
                self.expected[task] = rows
                self._draw(f"{self.names[task]}")
            case RowsScored(sheet, rows) if rows:  # none: it is being worked on
                self.scored[task] = self.scored.get(task, 0) + rows
                self.rows += rows
                self._draw(f"{self.names[task]} · {sheet}")
            case RowsWritten(rows, of):
                self.written[task] = self.written.get(task, 0.0) + rows / of
                self._draw(f"{self.names[task]} · writing")

    def finished(self, task: int) -> None:
        self.done.add(task)
        self._draw(self.names[task])

    def refresh(self) -> None:
        self.display.refresh()

    def _draw(self, description: str) -> None:
        # a model that is being scored counts by its share of rows, so that few large models move too
        parts = sum(self.weight * share for task, share in self.read.items() if task not in self.done)
        parts += sum(
            _SCORED * self.scored.get(task, 0) / count + _WRITTEN * self.written.get(task, 0.0)
            for task, count in self.expected.items()
            if count and task not in self.done
        )
        name = one_line(description)
        shown = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        self.display.update(self.task, description=shown, completed=len(self.done) + parts, rows=self.rows)
        self.display.refresh()
