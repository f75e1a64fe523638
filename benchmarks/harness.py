"""Lines of the benchmark: sides that take turns on one job, what each cost, and the file that keeps finished lines.

A line is measured as a whole or not at all, and kept under its name, so that a long run can be stopped and gone on
with.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

from measure import Measurement, measure
from parts import missing_cpu

HERE = Path(__file__).resolve().parent
OURS, PURE = "scoresheet", "scoresheet, pure"
PURE_KERNEL = {"SCORESHEET_PURE": "1"}


class DisagreementError(RuntimeError):
    """Two sides scored the same job differently, so that their times say nothing."""


class Side(NamedTuple):
    """A command to be measured, as a function of the folder that it shall write to."""

    command: Callable[[Path], Sequence[str]]
    environment: Mapping[str, str] = {}


@dataclass(frozen=True)
class Cost:
    """What a side cost, as the medians of its turns."""

    cpu: float  # seconds of the process tree, with what a script that did a part would have taken for the rest
    wall: float
    peak: float  # bytes, of the largest process
    estimated: float = 0.0  # of `cpu`: for the units that a script left out


@dataclass(frozen=True)
class Line:
    """One line of a table: its group, its name there, and how it is measured in a folder of its own."""

    group: str
    name: str
    measured: Callable[[Path], Figures]
    size: int = 0  # rows, models, bytes: what the growth is in

    @property
    def key(self) -> str:
        """The name under which it is kept."""
        return f"{self.group}: {self.name}"


@dataclass(frozen=True)
class Figures:
    """What was found for a line."""

    costs: Mapping[str, Cost]
    size: int = 0
    when: str = field(default_factory=lambda: date.today().isoformat())
    version: str = field(default_factory=lambda: version("scoresheet"))

    def ratio(self, slow: str, fast: str) -> float:
        """Return the CPU of one side over that of another; NaN where one is missing."""
        if slow not in self.costs or fast not in self.costs:
            return math.nan
        return self.costs[slow].cpu / self.costs[fast].cpu


class Kept:
    """The lines that are done, in a file of JSON."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[str, Figures] = {}
        if path.exists():
            for key, found in json.loads(path.read_text(encoding="utf-8")).items():
                costs = {side: Cost(**cost) for side, cost in found.pop("costs").items()}
                self._found[key] = Figures(costs=costs, **found)

    def __contains__(self, line: Line) -> bool:
        return line.key in self._found

    def __getitem__(self, line: Line) -> Figures:
        return self._found[line.key]

    def forget(self, lines: Sequence[Line]) -> None:
        """Leave out these lines, so that they are measured anew."""
        for line in lines:
            self._found.pop(line.key, None)

    def keep(self, line: Line, figures: Figures) -> None:
        """Write the file anew with one more line."""
        self._found[line.key] = figures
        told = {
            key: {**vars(each), "costs": {side: vars(cost) for side, cost in each.costs.items()}}
            for key, each in self._found.items()
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        beside.replace(self.path)


def run_lines(lines: Sequence[Line], kept: Kept) -> Iterator[tuple[Line, Figures]]:
    """Yield each line with its figures, and measure those that are not kept yet."""
    for line in lines:
        if line not in kept:
            with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
                kept.keep(line, line.measured(Path(name).resolve()))
        yield line, kept[line]


def take_turns(
    sides: Mapping[str, Side],
    folder: Path,
    *,
    repeat: int,
    check: Callable[[Mapping[str, Path]], None] | None = None,
    twice: bool = True,
) -> dict[str, Cost]:
    """Return what each side cost; in a round every side has a turn, ours also a second one after the others.

    `twice` says whether it has. `check` sees what all wrote in a round and raises if that differs.
    """
    turns = [*sides, *(name for name in (OURS, PURE) if twice and name in sides and len(sides) > 1)]
    costs: dict[str, list[tuple[Measurement, float]]] = {name: [] for name in sides}
    for number in range(repeat):
        written = {}
        for turn, name in enumerate(turns):
            side = sides[name]
            written[name] = folder / "results" / f"{number}-{turn}"
            cost = measure(side.command(written[name]), folder=folder, environment=side.environment)
            costs[name].append((cost, missing_cpu(written[name])))
        if check:
            check(written)
        shutil.rmtree(folder / "results", ignore_errors=True)
    return {name: _medians(runs) for name, runs in costs.items()}


def _medians(runs: Sequence[tuple[Measurement, float]]) -> Cost:
    return Cost(
        cpu=median(cost.cpu + missing for cost, missing in runs),
        wall=median(cost.wall for cost, _ in runs),
        peak=median(cost.peak for cost, _ in runs),
        estimated=median(missing for _, missing in runs),
    )


def growth(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the exponent of the growth between the two largest sizes, where start-up counts least.

    >>> growth([10, 100, 1000], [2, 3, 30])
    1.0
    """
    (small, less), (large, more) = sorted(zip(sizes, costs, strict=True))[-2:]
    return math.log(more / less) / math.log(large / small)


def our_command(command: str, arguments: Sequence[str], *, jobs: int | None = 1) -> Callable[[Path], list[str]]:
    """Return the command line of one run of ours, as a function of its results folder."""
    workers = [] if jobs is None else ["-j", str(jobs)]

    def line(results: Path) -> list[str]:
        words = [command, *arguments, "-o", str(results), *workers, "--no-progress"]
        return [sys.executable, "-m", "scoresheet.cli", *words]

    return line


def plain_command(script: str, arguments: Sequence[str], every: int, *before: str) -> Callable[[Path], list[str]]:
    """Return the command line of a plain script, as a function of its results folder."""

    def line(results: Path) -> list[str]:
        some = [str(every)] if every > 1 else []
        return [sys.executable, str(HERE / script), *before, *arguments, str(results), *some]

    return line


class Agreement(NamedTuple):
    """Which columns of the two sides' CSVs must agree, row by row, and how nearly."""

    table: str  # the name of a model's CSV, after the model's
    key: tuple[str, ...]
    columns: Mapping[str, float]

    def check(self, written: Mapping[str, Path], models: Sequence[str]) -> None:
        """Raise unless all sides agree wherever both have a number, and on some number at all."""
        for model in models:
            ours = self._read(written[OURS] / f"{model}_{self.table}.csv")
            for side, results in written.items():
                theirs = {} if side == OURS else self._read(results / f"{model}_{self.table}.csv")
                shared = [(key, name) for key, values in theirs.items() for name in values if name in ours[key]]
                if side != OURS and not shared:
                    raise DisagreementError(f"{model}: {OURS} and {side} have no number in common")
                for key, name in shared:
                    if not abs(ours[key][name] - theirs[key][name]) <= self.columns[name]:
                        raise DisagreementError(
                            f"{model}, {name} of {key}: {OURS} {ours[key][name]!r}, {side} {theirs[key][name]!r}"
                        )

    def _read(self, path: Path) -> dict[tuple[str, ...], dict[str, float]]:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = list(csv.DictReader(stream))
        return {
            tuple(line[name] for name in self.key): {
                name: float(line[name]) for name in self.columns if line.get(name, "") != ""
            }
            for line in lines
        }
