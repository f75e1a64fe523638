"""`scoresheet mode-collapse -j 1` against the plain pandas and scipy script, interleaved, on the same jobs.

    python benchmarks/bench_mode_collapse.py                  # 1,000 cells of 1,000 samples and 100 options
    python benchmarks/bench_mode_collapse.py --quick          # a few seconds, to see that it works
    python benchmarks/bench_mode_collapse.py --write FOLDER   # only make the jobs, for a look or a profiler

The same samples are scored twice: from a table with a count column, and from one row per sample. The plain script
needs minutes, so it scores a part of the cells, and what these add to a run without any is scaled to all of them.
No time is believed before both sides agree on every cell of that part; if they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from measure import CommandFailedError, Measurement, cpu_ratio, interleave, middle
from python_calamine import CalamineWorkbook
from workload import LONGER_FROM, made_up_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MODEL = "model_01"
STEEPEST = 2.0  # the largest exponent of a cell's choices: 1/rank² gives the first option 61 % of them
EVEN_SHARE = 0.25  # of the cells choose evenly, so that there are p-values between 0 and 1 to compare
LOST = 0.1  # the largest share of its samples a cell of an uneven job has lost

# what both sides say of a cell, and how far they may be apart: formulas agree, random draws within their error
TOLERANCES = {
    "Gini": 1e-12,
    "Entropy": 1e-12,
    "Normalized_Entropy": 1e-12,
    "P_Value": 0.03,
    "CI_Low": 0.02,
    "CI_High": 0.02,
}

OURS, PEER, IDLE = "scoresheet", "plain script", "plain script, no cells"
HEADINGS = ("input", "rows", "cells", "build", "CPU s", "wall s", "cells/CPU s", "peak MB", "CPU ratio")
LAYOUT = "{:<7}  {:>9}  {:>6}  {:<13}  {:>8}  {:>8}  {:>11}  {:>7}  {:>9}"

Cells = dict[tuple[str, int, str], dict[str, float]]  # (sheet, level, parent) and the cell's measures
Cell = tuple[str, int, str, list[str]]  # sheet, level, parent and the choices, one per sample


class DisagreementError(RuntimeError):
    """The two sides scored the same job differently."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is to score."""

    sheets: int
    cells: int  # of each sheet: the root and one for each parent but those the root never chooses
    samples: int  # of each cell
    options: int  # of each cell
    uneven: bool = False  # cells have lost up to a tenth of their samples, each its own number of them

    @property
    def total(self) -> int:
        """Return the cells of all sheets."""
        return self.sheets * self.cells

    def flaw(self) -> str | None:
        """Return why this is not a job that both sides score without a remark, or None."""
        parents = self.cells - 1
        if self.options < 2:
            return "a choice needs two options"
        if parents > self.options:
            return f"{parents:,} parents need as many options at the root, there are {self.options:,}"
        if parents > self.samples * (1 - LOST * self.uneven):
            return f"{parents:,} parents cannot all be chosen by a root of {self.samples:,} samples"
        return None


@dataclass(frozen=True, kw_only=True)
class Job:
    """Where a job lies and how many rows and cells it has."""

    outputs: Path
    options: Path
    rows: int
    cells: int


def cells_of(size: Size, roots: list[str], leaves: list[str], rng: Random) -> Iterator[Cell]:
    """Yield each sheet's cell of level 0 and then, below its choices, its cells of level 1."""
    parents = roots[: size.cells - 1]
    for number in range(1, size.sheets + 1):
        sheet = f"question {number:02d}"
        # a parent that was never chosen, or one without a cell below it, would be a remark in the report
        chosen = [*parents, *choices(rng, parents or roots, samples_of(size, rng) - len(parents))]
        yield sheet, 0, "", rng.sample(chosen, len(chosen))
        for parent in parents:
            yield sheet, 1, parent, choices(rng, leaves, samples_of(size, rng))


def samples_of(size: Size, rng: Random) -> int:
    """Return the samples of the next cell."""
    return size.samples - (rng.randint(0, int(size.samples * LOST)) if size.uneven else 0)


def choices(rng: Random, options: list[str], count: int) -> list[str]:
    """Return the choices of one cell, from even to collapsed, with favourites of its own."""
    steepness = 0.0 if rng.random() < EVEN_SHARE else rng.uniform(0, STEEPEST)
    weights = [rank**-steepness for rank in range(1, len(options) + 1)]
    return rng.choices(rng.sample(options, len(options)), weights, k=count)


def write_job(folder: Path, size: Size, *, counted: bool, seed: int = 0) -> Job:
    """Write one model's choices and the options; the samples are the same, counted or one row for each."""
    rng = Random(seed)
    # words of one syllable are left out: some mean something to the rule that maps texts to options ("the")
    names = made_up_words(rng, LONGER_FROM[0] + 2 * size.options)[LONGER_FROM[0] :]
    roots, leaves = names[: size.options], names[size.options :]
    outputs, options = folder / "outputs", folder / "options"
    outputs.mkdir(parents=True)
    options.mkdir()
    levels = chain(((0, name) for name in roots), ((1, name) for name in leaves if size.cells > 1))
    write_table(options / "options.csv", ["level", "option"], levels)
    header = ["Sheet", "level", "parent", "choice"] + ["count"] * counted
    lines = lines_of(cells_of(size, roots, leaves, rng), counted=counted)
    rows = write_table(outputs / f"{MODEL}.csv", header, lines)
    return Job(outputs=outputs, options=options, rows=rows, cells=size.total)


def lines_of(cells: Iterator[Cell], *, counted: bool) -> Iterator[Sequence[object]]:
    """Yield the lines of the choices' table."""
    for sheet, level, parent, chosen in cells:
        if counted:
            yield from ((sheet, level, parent, *pair) for pair in Counter(chosen).items())
        else:
            yield from ((sheet, level, parent, choice) for choice in chosen)


def write_table(path: Path, header: list[str], lines: Iterator[Sequence[object]]) -> int:
    """Write a CSV and return how many lines it has below its header."""
    written = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(header)
        for written, line in enumerate(lines, start=1):  # noqa: B007 - the last one is the answer
            table.writerow(line)
    return written


def our_command(job: Job, results: Path) -> list[str]:
    """Return the command line of one `scoresheet mode-collapse` run with one worker."""
    places = [str(job.outputs), str(job.options), "-o", str(results)]
    return [sys.executable, "-m", "scoresheet.cli", "mode-collapse", *places, "-j", "1", "--no-progress"]


def peer_command(job: Job, cells: int, results: Path) -> list[str]:
    """Return the command line of the plain script for so many of the cells."""
    script = Path(__file__).resolve().with_name("plain_mode_collapse.py")
    return [sys.executable, str(script), str(job.outputs), str(job.options), str(results), str(cells)]


def our_cells(results: Path) -> Cells:
    """Return each cell's measures from the model's CSV, which holds full precision."""
    with (results / f"{MODEL}_mode_collapse.csv").open(encoding="utf-8-sig", newline="") as stream:
        return dict(map(as_cell, csv.DictReader(stream)))


def peer_cells(results: Path) -> Cells:
    """Return each cell's measures from the workbook of the plain script."""
    book = CalamineWorkbook.from_path(str(results / f"{MODEL}_mode_collapse.xlsx"))
    cells: Cells = {}
    for name in book.sheet_names:
        if name != "Summary":
            header, *rows = book.get_sheet_by_name(name).to_python()
            cells |= dict(as_cell(dict(zip(map(str, header), row, strict=True))) for row in rows)
    return cells


def as_cell(line: Mapping[str, object]) -> tuple[tuple[str, int, str], dict[str, float]]:
    """Return a cell's key and the measures that are compared."""
    key = (str(line["Sheet"]), int(as_number(line["Level"])), str(line["Parent"]))
    return key, {name: as_number(line[name]) for name in TOLERANCES}


def as_number(cell: object) -> float:
    """Return the cell as a number; an empty one is an undefined measure."""
    return math.nan if cell in ("", None) else float(str(cell))


def check_agreement(job: Job, part: int, written: Mapping[str, Path]) -> None:
    """Raise unless we scored every cell, the plain script its part, and both that part alike."""
    ours, peer = our_cells(written[OURS]), peer_cells(written[PEER])
    for name, cells, expected in ((OURS, ours, job.cells), (PEER, peer, part)):
        if len(cells) != expected:
            raise DisagreementError(f"{name} was to score {expected:,} cells and scored {len(cells):,}")
    strange = sorted(peer.keys() - ours.keys())
    if strange:
        raise DisagreementError(f"{OURS} lacks {len(strange):,} cells, the first is {strange[0]}")
    for key, measures in peer.items():
        for name, tolerance in TOLERANCES.items():
            # written so that an undefined measure counts as a difference: no cell of these jobs has one
            if not abs(ours[key][name] - measures[name]) <= tolerance:
                raise DisagreementError(
                    f"{name} of {key} differs by more than {tolerance:g}: "
                    f"{OURS} {ours[key][name]!r}, {PEER} {measures[name]!r}"
                )


def scaled(measured: Mapping[str, Measurement], factor: float) -> dict[str, Measurement]:
    """Return the round with the plain script's cost for all cells: its fixed cost once, the cells' cost scaled."""
    idle, part = measured[IDLE], measured[PEER]
    whole = Measurement(
        cpu=idle.cpu + (part.cpu - idle.cpu) * factor,
        wall=idle.wall + (part.wall - idle.wall) * factor,
        peak=part.peak,  # it holds one cell's draws at a time, so more cells would need hardly more
    )
    return {OURS: measured[OURS], PEER: whole}


def run_job(size: Size, *, counted: bool, part: int, repeat: int) -> tuple[Job, list[dict[str, Measurement]]]:
    """Return one job, made and removed here, and its rounds as they were measured."""
    with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
        folder = Path(name).resolve()
        job = write_job(folder / "job", size, counted=counted)
        commands = {
            OURS: partial(our_command, job),
            IDLE: partial(peer_command, job, 0),
            PEER: partial(peer_command, job, part),
        }
        check = partial(check_agreement, job, part)
        turns = (OURS, OURS, IDLE, PEER, OURS)
        return job, interleave(commands, turns=turns, folder=folder, repeat=repeat, check=check)


def print_job(label: str, job: Job, part: int, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print one line per side, and below them what the plain script's line was reckoned from."""
    whole = [scaled(measured, job.cells / part) for measured in rounds]
    for name, mark, ratio in ((OURS, "", f"{cpu_ratio(whole, PEER, OURS):.1f} x"), (PEER, "*", "1 x")):
        cost = middle(whole, name)
        figures = (f"{cost.cpu:.2f}", f"{cost.wall:.2f}", f"{job.cells / cost.cpu:,.1f}", f"{cost.peak / 1e6:.0f}")
        print(LAYOUT.format(label, f"{job.rows:,}", f"{job.cells:,}", name + mark, *figures, ratio))
    idle, measured = middle(rounds, IDLE), middle(rounds, PEER)
    print(f"         * measured: {measured.cpu:.2f} CPU s for {part:,} cells, {idle.cpu:.2f} for none", flush=True)


def print_notes(size: Size, part: int) -> None:
    """Print what the figures rest on."""
    close = ", ".join(f"{name} to {tolerance:g}" for name, tolerance in TOLERANCES.items())
    print(
        f"\n* The plain script scored {part:,} of the {size.total:,} cells, drawn at random. Its seconds are those of\n"
        f"  a run that reads everything and scores none, plus {size.total / part:g} x what the {part:,} cells added.\n"
        f"Both sides agree on each of these cells: {close}.\n"
        "Peak memory is that of the largest process."
    )
    if not size.uneven:
        print("All cells have equally many samples, so draws for that number can be shared; --uneven has others.")


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheets", type=positive, help="sheets of the one model (10)")
    parser.add_argument("--cells", type=positive, help="cells of each sheet: a root and one for each parent (100)")
    parser.add_argument("--samples", type=positive, default=1_000, help="samples of each cell")
    parser.add_argument("--options", type=positive, default=100, help="options of each cell")
    parser.add_argument("--uneven", action="store_true", help="cells that lost up to a tenth of their samples")
    parser.add_argument("--part", type=positive, help="cells the plain script scores (100)")
    parser.add_argument("--repeat", type=positive, default=1, help="rounds; medians are shown")
    parser.add_argument("--quick", action="store_true", help="small jobs: shows that it works, not how fast")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="make counts/ and samples/ there and stop")
    asked = parser.parse_args(arguments)
    sheets, cells, part = (2, 6, 5) if asked.quick else (10, 100, 100)
    asked.size = Size(
        sheets=asked.sheets or sheets,
        cells=asked.cells or cells,
        samples=asked.samples,
        options=asked.options,
        uneven=asked.uneven,
    )
    asked.part = min(asked.part or part, asked.size.total)
    flaw = asked.size.flaw()
    if flaw:
        parser.error(flaw)
    return asked


def positive(text: str) -> int:
    """Return a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def main() -> int:
    """Run both jobs and print the table; 1 if the sides disagree or one of them fails."""
    asked = parse_arguments()
    forms = {"counts": True, "samples": False}
    try:
        if asked.write:
            for label, counted in forms.items():
                job = write_job(asked.write / label, asked.size, counted=counted)
                print(f"{job.rows:,} rows, {job.cells:,} cells: {job.outputs} {job.options}")
            return 0
        # once unmeasured, so that neither side pays for compiling its modules or for a cold disk
        run_job(Size(sheets=1, cells=3, samples=100, options=10), counted=True, part=1, repeat=1)
        print(LAYOUT.format(*HEADINGS), flush=True)
        for label, counted in forms.items():
            job, rounds = run_job(asked.size, counted=counted, part=asked.part, repeat=asked.repeat)
            print_job(label, job, asked.part, rounds)
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    print_notes(asked.size, asked.part)
    return 0


if __name__ == "__main__":
    sys.exit(main())
