"""Runs all simulations at length, prints the table and writes docs/calibration.md.

python -m tests.calibration.record [--trials N] [--write] [FAMILY …]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from scoresheet.cli.version import VERSION
from tests.calibration.cells import SURE, Cell

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "calibration.md"
TRIALS = 1_000
HEADER = ("claim", "setting", "found", f"{SURE:.0%} interval of it", "wanted", "holds")


def families() -> list[str]:
    """Return the modules that hold simulations: every file beside this one that offers some."""
    own = {"__init__", "cells", "record", "test_calibration"}
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in own)


def cells(family: str, trials: int) -> Iterator[Cell]:
    """Yield what the simulations of a family find."""
    for simulation in import_module(f"tests.calibration.{family}").SIMULATIONS:
        yield from simulation(trials)


def page(found: dict[str, list[Cell]], about: dict[str, str], trials: int, seconds: float) -> str:
    """Return the page of the docs."""
    lines = [
        "# Calibration",
        "",
        "Do the intervals cover, are the tests of their size, are the words true? Each line is a seeded simulation in",
        "which the truth is known. A line fails only where the binomial interval of what was found excludes what is",
        "wanted. Coverage above what is asked for is shown as it is. `make soak` runs this and writes the page anew;",
        "`make test` runs a small version of it.",
        "",
        f"Version {VERSION}, {datetime.now(UTC):%Y-%m-%d}, {trials:,} trials a line, {seconds / 60:.0f} minutes.",
    ]
    for family, own in found.items():
        lines += [
            "",
            f"## {family.replace('_', '-')}",
            "",
            about[family],
            "",
            _row(HEADER),
            _row(["---"] * len(HEADER)),
        ]
        lines += [_row(cell.line()) for cell in own]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _about(family: str) -> str:
    """Return how a family is simulated, as its module says: the docstring after its first line."""
    text = import_module(f"tests.calibration.{family}").__doc__ or ""
    return text.partition("\n\n")[2].strip()


def _run(task: tuple[str, int]) -> list[Cell]:
    return list(cells(*task))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulations and return 1 if a line does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", default=families())
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--write", action="store_true", help="write docs/calibration.md")
    given = parser.parse_args(arguments)
    start = time.monotonic()
    with ProcessPoolExecutor(2) as pool:
        results = pool.map(_run, [(family, given.trials) for family in given.families])
        found = dict(zip(given.families, results, strict=True))
    for family, own in found.items():
        for cell in own:
            sys.stdout.write("  ".join((family, *cell.line())) + "\n")
    if given.write:
        about = {family: _about(family) for family in found}
        PAGE.write_text(page(found, about, given.trials, time.monotonic() - start), encoding="utf-8")
    wrong = [cell for own in found.values() for cell in own if not cell.holds]
    sys.stdout.write(f"{sum(map(len, found.values()))} lines, {len(wrong)} do not hold\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
