"""`scoresheet.metrics` and `scoresheet disagree -j 1` against a plain Python script, in turns, on the same job.

    python benchmarks/bench_disagree.py                  # 100,000 items, 5 judges, 6 dimensions: some four minutes
    python benchmarks/bench_disagree.py --quick          # a few seconds, to see that it works
    python benchmarks/bench_disagree.py --core           # without the whole command
    python benchmarks/bench_disagree.py --write FOLDER   # only make the command's job, for a look or a profiler

The core starts from Python lists, items × judges × dimensions, as a notebook has them; making arrays of them counts.
A second line starts from arrays. The command and the plain script read the same CSV, with a row per item and judge.
The plain script comes twice: with the `statistics` module, as its recipe has it, and with the sums written out;
against the command only the quicker one.
No time is believed before all sides agree on every item; if they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import plain_disagree as plain
from measure import CommandFailedError, Measurement, cpu_ratio, interleave, middle
from turns import take_turns

from scoresheet.metrics import disagreements, overall_scores
from scoresheet.metrics.families.disagree.dispersion import dispersion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

PANEL = "panel_01"
MISSING = 0.02  # of the scores
SURE, RELEVANT = (0.3, 1.0), (0.2, 1.0)  # weights are even between these
HARSHNESS, NOISE = 0.05, 0.12  # standard deviations of a judge's bias and of a score
TOLERANCE = 1e-9
FEW = 1_000  # items of the unmeasured call that pays for what is made only once

OURS, ARRAYS, COMMAND = "scoresheet", "scoresheet, arrays", "scoresheet -j 1"
STATISTICS, SUMS = "plain, statistics", "plain, sums"
HEADINGS = ("job", "build", "CPU s", "wall s", "items/CPU s", "peak MB", "CPU ratio")
LAYOUT = "{:<13}  {:<18}  {:>8}  {:>8}  {:>11}  {:>7}  {:>9}"


class DisagreementError(RuntimeError):
    """Two sides scored the same job differently."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is to score."""

    items: int
    judges: int
    dimensions: int


@dataclass(frozen=True, kw_only=True)
class Job:
    """Ratings, items × judges × dimensions, as arrays with NaN and as lists with None for what is missing."""

    scores: Numbers
    confidence: Numbers
    relevance: Numbers
    lists: tuple[list[Any], list[Any], list[Any]] = field(repr=False)

    def part(self, items: int) -> Job:
        """Return the first items."""
        scores, confidence, relevance = (each[:items] for each in (self.scores, self.confidence, self.relevance))
        first, second, third = (each[:items] for each in self.lists)
        return Job(scores=scores, confidence=confidence, relevance=relevance, lists=(first, second, third))


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a side says of each item, in a form that all sides share."""

    numbers: Numbers  # items × the numbers of a report, the dimensions' after them
    outliers: NDArray[np.bool_]  # items × judges


def made_up_job(size: Size, *, seed: int = 0) -> Job:
    """Return seeded ratings from 0 to 1 with two decimals: good and bad items, strict and mild judges."""
    rng = np.random.default_rng(seed)
    shape = (size.items, size.judges, size.dimensions)
    quality = rng.beta(2, 1.5, size=(size.items, 1, size.dimensions))
    bias = rng.normal(0, HARSHNESS, size=(1, size.judges, 1))
    scores = (quality + bias + rng.normal(0, NOISE, size=shape)).clip(0, 1).round(2)
    scores[rng.random(shape) < MISSING] = np.nan
    confidence = np.round(rng.uniform(*SURE, size=shape), 2)
    relevance = np.round(rng.uniform(*RELEVANT, size=shape), 2)
    given = [[[None if score != score else score for score in judge] for judge in item] for item in scores.tolist()]  # noqa: PLR0124
    lists = (given, confidence.tolist(), relevance.tolist())
    return Job(scores=scores, confidence=confidence, relevance=relevance, lists=lists)


def write_job(folder: Path, job: Job) -> Path:
    """Write the table with a row per item and judge and return its folder.

    A row of such a table has one confidence and one relevance: here those of its first dimension.
    """
    outputs = folder / "outputs"
    outputs.mkdir(parents=True)
    with (outputs / f"{PANEL}.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        names = [f"dimension_{number}" for number in range(1, job.scores.shape[2] + 1)]
        table.writerow(["item", "strategy", "confidence", "cultural_relevance", *names])
        for item, by_judge in enumerate(zip(*job.lists, strict=True), start=1):
            for judge, (scores, sure, relevant) in enumerate(zip(*by_judge, strict=True), start=1):
                table.writerow([f"item-{item:06d}", f"judge_{judge}", sure[0], relevant[0], *scores])
    return outputs


def from_arrays(scores: Numbers, confidence: Numbers, relevance: Numbers) -> tuple[Any, list[Any]]:
    """Return what our core says: of all judges on each item, and of each dimension."""
    found = disagreements(overall_scores(scores, confidence, relevance))
    return found, [dispersion(scores[:, :, place]) for place in range(scores.shape[2])]


def from_lists(lists: Sequence[list[Any]]) -> tuple[Any, list[Any]]:
    """Return the same for lists, of which arrays are made first."""
    scores, confidence, relevance = (np.array(each, dtype=float) for each in lists)
    return from_arrays(scores, confidence, relevance)


def sides_of(job: Job) -> dict[str, Callable[[], Any]]:
    """Return a call for each side of the core."""
    return {
        OURS: partial(from_lists, job.lists),
        ARRAYS: partial(from_arrays, job.scores, job.confidence, job.relevance),
        STATISTICS: partial(plain.analyse_all, *job.lists, plain.STATISTICS),
        SUMS: partial(plain.analyse_all, *job.lists, plain.SUMS),
    }


def found_by(side: str, result: Any, judges: int) -> Found:
    """Return what a side of the core found."""
    if side in (OURS, ARRAYS):
        many, dimensions = result
        names = plain.Report._fields[:9]
        numbers = np.column_stack([*(getattr(many, name) for name in names), *(each.cv for each in dimensions)])
        return Found(numbers=numbers, outliers=many.outliers)
    outliers = np.zeros((len(result), judges), dtype=bool)
    for item, report in enumerate(result):
        outliers[item, report.outliers] = True
    return Found(numbers=np.array([[*report[:9], *report.dimensions] for report in result]), outliers=outliers)


def ties_of(scores: Numbers, confidence: Numbers, relevance: Numbers) -> NDArray[np.bool_]:
    """Return which judges are as far from the mean as an outlier begins: the last digit decides what they are."""
    overall = overall_scores(scores, confidence, relevance)
    among = dispersion(overall)
    mean, deviation = among.mean[:, None], np.sqrt(among.variance)[:, None]
    # multiplied, not divided: judges who agree have no deviation to divide by
    return np.asarray(np.abs(np.abs(overall - mean) - plain.THRESHOLD * deviation) <= TOLERANCE * deviation)


def row_weights(weights: Numbers) -> Numbers:
    """Return the weights of a table with one for all dimensions of a row: those of the first."""
    return np.repeat(weights[:, :, :1], weights.shape[2], axis=2)


def check_core(ties: NDArray[np.bool_], results: Mapping[str, Any]) -> None:
    """Raise unless all sides found the same."""
    judges = ties.shape[1]
    ours = found_by(OURS, results[OURS], judges)
    for side in results:
        if side != OURS:
            check_found(OURS, ours, side, found_by(side, results[side], judges), ties)


def check_found(name: str, ours: Found, side: str, theirs: Found, ties: NDArray[np.bool_]) -> None:
    """Raise unless both sides have the same numbers, undefined at the same places, and but for ties the same outliers.

    Reliability jumps at a consensus of 0.8, so there the last digit decides as well.
    """
    if ours.numbers.shape != theirs.numbers.shape:
        raise DisagreementError(f"{name} has {ours.numbers.shape} numbers, {side} {theirs.numbers.shape}")
    alike = np.isclose(ours.numbers, theirs.numbers, rtol=0, atol=TOLERANCE, equal_nan=True)
    consensus, reliability = map(plain.Report._fields.index, ("consensus", "reliability"))
    alike[:, reliability] |= np.abs(ours.numbers[:, consensus] - 0.8) <= TOLERANCE
    if not alike.all():
        item, place = np.argwhere(~alike)[0].tolist()
        raise DisagreementError(
            f"{int((~alike).sum()):,} numbers differ, the first is number {place} of item {item + 1}: "
            f"{name} {ours.numbers[item, place]!r}, {side} {theirs.numbers[item, place]!r}"
        )
    unlike = (ours.outliers != theirs.outliers) & ~ties
    if unlike.any():
        item, judge = np.argwhere(unlike)[0].tolist()
        raise DisagreementError(
            f"{name} and {side} differ on whether judge {judge + 1} is an outlier of item {item + 1}"
        )


def compare_core(job: Job, *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of the core, after unmeasured calls for a few of the items."""
    ties = ties_of(job.scores, job.confidence, job.relevance)
    check_core(ties[:FEW], {side: call() for side, call in sides_of(job.part(FEW)).items()})
    return take_turns(sides_of(job), repeat=repeat, check=partial(check_core, ties), long=True)


def our_command(outputs: Path, results: Path) -> list[str]:
    """Return the command line of one `scoresheet disagree` run with one worker."""
    places = [str(outputs), "-o", str(results)]
    return [sys.executable, "-m", "scoresheet.cli", "disagree", *places, "-j", "1", "--no-progress"]


def peer_command(outputs: Path, variant: str, results: Path) -> list[str]:
    """Return the command line of the plain script."""
    script = Path(__file__).resolve().with_name("plain_disagree.py")
    return [sys.executable, str(script), str(outputs), str(results), variant]


def run_command(job: Job, *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of the whole command and the plain script on the job's file, made and removed here."""
    with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
        folder = Path(name).resolve()
        outputs = write_job(folder / "job", job)
        commands = {
            COMMAND: partial(our_command, outputs),
            SUMS: partial(peer_command, outputs, "sums"),
        }
        turns = (COMMAND, SUMS, COMMAND)
        ties = ties_of(job.scores, row_weights(job.confidence), row_weights(job.relevance))
        check = partial(check_command, ties, job.scores.shape[2])
        return interleave(commands, turns=turns, folder=folder, repeat=repeat, check=check)


def check_command(ties: NDArray[np.bool_], dimensions: int, written: Mapping[str, Path]) -> None:
    """Raise unless the command and the plain scripts wrote the same of each item."""
    items, judges = ties.shape
    ours = read_found(written[COMMAND], items, judges, dimensions)
    check_found(COMMAND, ours, SUMS, read_found(written[SUMS], items, judges, dimensions), ties)


def read_found(results: Path, items: int, judges: int, dimensions: int) -> Found:
    """Return what a side wrote in its CSV of items, in the order of their names."""
    names = [f"judge_{number}" for number in range(1, judges + 1)]
    with (results / f"{PANEL}_disagreement.csv").open(encoding="utf-8-sig", newline="") as stream:
        header, *lines = csv.reader(stream)
    if len(lines) != items:
        raise DisagreementError(f"{results} was to have {items:,} items and has {len(lines):,}")
    lines.sort(key=lambda line: line[header.index("Item")])
    spreads = [f"Disagreement_dimension_{number}" for number in range(1, dimensions + 1)]
    places = [header.index(name) for name in (*plain.HEADER[1:], *spreads)]
    far = header.index("Outliers")
    return Found(
        numbers=np.array([[float(line[place] or "nan") for place in places] for line in lines]),
        outliers=np.array([[name in line[far].split("; ") for name in names] for line in lines]),
    )


def print_rounds(label: str, items: int, ours: str, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print one line per side; a ratio is that side's CPU over ours."""
    for side in rounds[0]:
        cost = middle(rounds, side)
        peak = f"{cost.peak / 1e6:.0f}" if cost.peak else "-"
        ratio = "1 x" if side == ours else f"{cpu_ratio(rounds, side, ours):.2f} x"
        figures = (f"{cost.cpu:.3f}", f"{cost.wall:.3f}", f"{items / cost.cpu:,.0f}", peak, ratio)
        print(LAYOUT.format(label, side, *figures), flush=True)


def print_notes(job: Job, *, command: bool) -> None:
    """Print what the figures rest on."""
    items, judges, dimensions = job.scores.shape
    lost = int(np.isnan(job.scores).sum())
    print(
        f"\nAll sides agree on every item: numbers to {TOLERANCE:g}, undefined at the same places, the same outliers\n"
        f"(but where a judge is within {TOLERANCE:g} of {plain.THRESHOLD:g} standard deviations: rounding decides).\n"
        f"The job: {items:,} items x {judges} judges x {dimensions} dimensions, {lost:,} scores missing.\n"
        f"CPU ratio is a line's CPU over that of our first line on the same job. `{OURS}` begins with lists and makes\n"
        f"arrays of them, `{ARRAYS}` has arrays; ours also have the robust rule, the plain scripts not."
    )
    if command:
        print(
            "The command also writes workbooks, alpha and ICC with intervals, judges and flags; the plain scripts\n"
            "write one CSV. Peak memory is that of the largest process."
        )


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=positive, help="items of the one panel (100,000)")
    parser.add_argument("--judges", type=positive, default=5, help="judges of each item")
    parser.add_argument("--dimensions", type=positive, default=6, help="dimensions of each judgement")
    parser.add_argument("--repeat", type=positive, help="rounds of the core; medians are shown (1)")
    parser.add_argument("--runs", type=positive, default=1, help="rounds of the command; medians are shown")
    parser.add_argument("--core", action="store_true", help="leave out the whole command")
    parser.add_argument("--quick", action="store_true", help="a small job: shows that it works, not how fast")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the command's job there and stop")
    asked = parser.parse_args(arguments)
    asked.repeat = asked.repeat or 1
    asked.size = Size(
        items=asked.items or (1_000 if asked.quick else 100_000), judges=asked.judges, dimensions=asked.dimensions
    )
    return asked


def positive(text: str) -> int:
    """Return a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def main() -> int:
    """Run every comparison and print the table; 1 if sides disagree or a command fails."""
    asked = parse_arguments()
    job = made_up_job(asked.size)
    items = asked.size.items
    try:
        if asked.write:
            print(f"{items:,} items: {write_job(asked.write, job)}")
            return 0
        core = compare_core(job, repeat=asked.repeat)
        print(LAYOUT.format(*HEADINGS), flush=True)
        print_rounds("core", items, OURS, core)
        if not asked.core:
            # once unmeasured, so that neither side pays for compiling its modules or for a cold disk
            run_command(job.part(20), repeat=1)
            print_rounds("whole command", items, COMMAND, run_command(job, repeat=asked.runs))
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    print_notes(job, command=not asked.core)
    return 0


if __name__ == "__main__":
    sys.exit(main())
