"""`scoresheet.metrics` against plain Python and plain numpy, in turns, and the whole command by itself.

    python benchmarks/bench_collective.py                  # 1,000,000 samples, the command 200,000
    python benchmarks/bench_collective.py --full           # the command 1,000,000 samples as well
    python benchmarks/bench_collective.py --quick          # a few seconds, to see that it works
    python benchmarks/bench_collective.py --write FOLDER   # only make the command's job, for a look or a profiler

Votes: what ten streams say of each sample, ten classes, as Python lists; asked for are the vote with its ties, all
accuracies, the emergence ratio, the accuracy without each stream and the error diversity of all pairs. Our public
function for contributions always has Shapley values, the peers have none: one line of ours does what they do, another
what the public function does. Plain Python takes a tenth of the samples; its seconds are ten times what that took.
Routing: the entropy of each of as many rows of eight weights, from lists and from arrays.
Every call has a process of its own, which makes the job first, so that peak memory can be told.
`scoresheet collective -j 1` reads CSV files; no peer does what it does.
No time is believed before all sides agree; if they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import NormalDist, median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import plain_collective as plain
from measure import CommandFailedError, Measurement, cpu_ratio, interleave, measure, middle
from turns import take_turns, timed

from scoresheet.metrics import emergence_ratio, error_diversity, majority_vote, routing_entropy, vote_contributions
from scoresheet.metrics.families.collective.fusion import VoteFusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

SYSTEM = "system_01"
STREAMS, CLASSES, EXPERTS, UNUSED = 10, 10, 8, 2  # each row of routing has so many weights of 0
SKILL = (0.55, 0.70)  # accuracies of the worst and the best stream
SHARED = 0.4  # of what makes a sample hard for a stream makes it hard for all
LURE = 0.5  # of the errors on a sample are the same class
BLOCK = 10_000  # rows made at once, so that making them needs no memory worth the name
FEW = 1_000  # rows of the unmeasured call
PART = 10  # one sample in so many is for plain Python
TOLERANCE, EPSILON_TOLERANCE = 1e-9, 1e-6  # the second where the recipe adds its epsilon
DIGITS = 6  # of a weight in a file
WITH_EPSILON = ("ratio", "entropy", "mean")

VOTES, ROUTING = "votes", "routing"
OURS, SHAPLEY, COMMAND = "scoresheet", "scoresheet, Shapley", "scoresheet -j 1"
OUR_ARRAYS, NUMPY, NUMPY_ARRAYS, PYTHON = "scoresheet, arrays", "numpy", "numpy, arrays", "plain Python"
HEADINGS = ("job", "build", "CPU s", "wall s", "rows/CPU s", "peak MB", "own MB", "CPU ratio")
LAYOUT = "{:<13}  {:<19}  {:>8}  {:>8}  {:>12}  {:>7}  {:>6}  {:>9}"


class DisagreementError(RuntimeError):
    """Two sides found different things in the same job."""


@dataclass(frozen=True)
class Cost(Measurement):
    """What a call costs; `peak` is that of its process, the job included."""

    own: int  # bytes by which the call raised it


class Side(NamedTuple):
    """How one side does a job."""

    call: Callable[..., plain.Found]
    arrays: bool = False  # begins with arrays, not with lists


def our_votes(votes: Sequence[Sequence[int]], labels: Sequence[int], *, shapley: bool = False) -> plain.Found:
    """Return what our functions say of the votes; contributions with `shapley` by the public one, else by its parts."""
    table, truth = np.asarray(votes), np.asarray(labels)
    codes, tied = majority_vote(table)
    hits = [column == truth for column in table.T]
    streams = [float(each.mean()) for each in hits]
    found: plain.Found = {"codes": codes, "tied": tied, "streams": streams}
    if shapley:
        added = vote_contributions(table, truth)
        found |= {"accuracy": added.accuracy, "without": added.without, "shapley": added.shapley}
    else:
        fusion, everybody = VoteFusion(table, truth), range(len(streams))
        found["accuracy"] = fusion.accuracy(everybody)
        found["without"] = [fusion.accuracy([one for one in everybody if one != place]) for place in everybody]
    found["ratio"] = emergence_ratio(found["accuracy"], streams)
    return found | {"pairs": [error_diversity(one, other) for one, other in combinations(hits, 2)]}


def our_entropy(weights: Sequence[Sequence[float]]) -> plain.Found:
    """Return our entropies and their mean."""
    rows = routing_entropy(weights)
    return {"entropy": rows, "mean": float(rows.mean())}


SIDES = {
    VOTES: {
        OURS: Side(our_votes),
        SHAPLEY: Side(partial(our_votes, shapley=True)),
        NUMPY: Side(plain.numpy_votes),
        PYTHON: Side(plain.plain_votes),
    },
    ROUTING: {
        OURS: Side(our_entropy),
        OUR_ARRAYS: Side(our_entropy, arrays=True),
        NUMPY: Side(plain.numpy_entropy),
        NUMPY_ARRAYS: Side(plain.numpy_entropy, arrays=True),
        PYTHON: Side(plain.plain_entropy),
    },
}


def vote_blocks(samples: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield seeded votes and labels, block after block: the first samples are the same in a job of any size."""
    bars = np.array([NormalDist().inv_cdf(skill) for skill in np.linspace(*SKILL, STREAMS)])
    for start in range(0, samples, BLOCK):
        rng = np.random.default_rng([0, start])
        labels = rng.integers(CLASSES, size=BLOCK)
        shape = (BLOCK, STREAMS)
        hard = math.sqrt(SHARED) * rng.normal(size=(BLOCK, 1)) + math.sqrt(1 - SHARED) * rng.normal(size=shape)
        away = np.where(rng.random(shape) < LURE, rng.integers(1, CLASSES, (BLOCK, 1)), rng.integers(1, CLASSES, shape))
        votes = (labels[:, None] + np.where(hard < bars, 0, away)) % CLASSES
        yield votes[: samples - start], labels[: samples - start]


def weight_blocks(rows: int) -> Iterator[tuple[NDArray[np.float64]]]:
    """Yield seeded routing weights that sum to 1, the smallest of a row set to 0, as routers do."""
    for start in range(0, rows, BLOCK):
        weights = np.exp(np.random.default_rng([1, start]).normal(0, 1.5, size=(BLOCK, EXPERTS)))
        weights[weights <= np.partition(weights, UNUSED - 1, axis=1)[:, [UNUSED - 1]]] = 0.0
        yield ((weights / weights.sum(axis=1, keepdims=True))[: rows - start],)


BLOCKS: Mapping[str, Callable[[int], Iterator[tuple[NDArray[Any], ...]]]] = {VOTES: vote_blocks, ROUTING: weight_blocks}


def made_up_arrays(job: str, rows: int) -> list[NDArray[Any]]:
    """Return the tables of a job as arrays."""
    tables = [np.empty((rows, *part.shape[1:]), dtype=part.dtype) for part in next(BLOCKS[job](1))]
    for number, parts in enumerate(BLOCKS[job](rows)):
        for table, part in zip(tables, parts, strict=True):
            table[number * BLOCK : (number + 1) * BLOCK] = part
    return tables


def made_up_lists(job: str, rows: int) -> list[list[Any]]:
    """Return them as lists."""
    tables: list[list[Any]] = [[] for _ in next(BLOCKS[job](1))]
    for parts in BLOCKS[job](rows):
        for table, part in zip(tables, parts, strict=True):
            table.extend(part.tolist())
    return tables


def run_here(job: str, name: str, rows: int, where: Path) -> None:
    """Do one side of a job in this process and write what it found and what that cost."""
    side = SIDES[job][name]
    tables: Sequence[Any] = made_up_arrays(job, rows) if side.arrays else made_up_lists(job, rows)
    side.call(*(table[:FEW] for table in tables))  # pays for what is loaded only once
    held = peak_here()
    cost, found = timed(partial(side.call, *tables), 1)
    own = peak_here() - held
    where.mkdir(parents=True)
    (where / "cost.json").write_text(json.dumps({"cpu": cost.cpu, "wall": cost.wall, "own": own}), encoding="utf-8")
    np.savez(where / "found.npz", **found)  # type: ignore[arg-type]


def peak_here() -> int:
    """Return the largest resident size that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def run_apart(job: str, name: str, rows: int, folder: Path) -> tuple[Cost, plain.Found]:
    """Do one side of a job in a process of its own and return the cost of the call and what it found."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        where = Path(place) / "done"
        script = [sys.executable, str(Path(__file__).resolve()), "--one", job, name, str(rows), str(where)]
        process = measure(script, folder=folder)
        told = json.loads((where / "cost.json").read_text(encoding="utf-8"))
        with np.load(where / "found.npz") as found:
            return Cost(peak=process.peak, **told), dict(found)


def check_found(job: str, side: str, ours: plain.Found, theirs: plain.Found) -> None:
    """Raise unless a side found what ours did; Shapley values, which no peer has, sum to the accuracy."""
    for name in theirs.keys() & ours.keys():
        within = EPSILON_TOLERANCE if name in WITH_EPSILON else TOLERANCE
        one, other = np.asarray(ours[name], dtype=float), np.asarray(theirs[name], dtype=float)
        if one.shape != other.shape or not np.allclose(one, other, rtol=0, atol=within, equal_nan=True):
            raise DisagreementError(f"{job}: {OURS} and {side} differ on {name}")
    if "shapley" in theirs and not abs(theirs["shapley"].sum() - theirs["accuracy"]) <= TOLERANCE:
        raise DisagreementError(f"{job}: Shapley values do not sum to the accuracy")


def compare(job: str, rows: int, *, part: int, repeat: int, folder: Path) -> list[dict[str, Cost]]:
    """Return the rounds of a job of which plain Python takes one row in `part`."""
    taken = dict.fromkeys(SIDES[job], rows) | {PYTHON: max(rows // part, 1)}
    _, shared = run_apart(job, OURS, taken[PYTHON], folder)  # ours on what plain Python takes
    rounds: list[dict[str, Cost]] = []

    def check(results: Mapping[str, tuple[Cost, plain.Found]]) -> None:
        for side, (_, found) in results.items():
            check_found(job, side, shared if side == PYTHON else results[OURS][1], found)
        rounds.append({side: scaled(cost, rows / taken[side]) for side, (cost, _) in results.items()})

    sides = {side: partial(run_apart, job, side, taken[side], folder) for side in taken}
    take_turns(sides, repeat=repeat, check=check, long=True)  # what it measures is the wait: the sides tell their cost
    return rounds


def scaled(cost: Cost, times: float) -> Cost:
    """Return the cost of so many times the rows; memory stays as it was measured."""
    return Cost(cpu=cost.cpu * times, wall=cost.wall * times, peak=cost.peak, own=cost.own)


def write_job(folder: Path, samples: int, rows: int) -> Path:
    """Write the votes and the routing weights of one system and return its folder's folder."""
    outputs = folder / "outputs"
    (outputs / SYSTEM).mkdir(parents=True)
    votes, labels = made_up_arrays(VOTES, samples)
    (weights,) = made_up_arrays(ROUTING, rows)
    tables = {
        "predictions": (["label", *(f"stream_{place}" for place in range(STREAMS))], np.column_stack([labels, votes])),
        "routing": ([f"expert_{place}" for place in range(EXPERTS)], weights.round(DIGITS)),
    }
    for name, (columns, table) in tables.items():
        with (outputs / SYSTEM / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            lines = csv.writer(stream)
            lines.writerow(["sample", *columns])
            lines.writerows([f"s{number:07d}", *row] for number, row in enumerate(table.tolist()))
    return outputs


def our_command(outputs: Path, results: Path) -> list[str]:
    """Return the command line of one `scoresheet collective` run with one worker."""
    places = [str(outputs), "-o", str(results)]
    return [sys.executable, "-m", "scoresheet.cli", "collective", *places, "-j", "1", "--no-progress"]


def run_command(samples: int, rows: int, *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of the whole command on the job's files, made and removed here."""
    with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
        folder = Path(name).resolve()
        commands = {COMMAND: partial(our_command, write_job(folder / "job", samples, rows))}
        check = partial(check_command, samples, rows)
        return interleave(commands, turns=(COMMAND,), folder=folder, repeat=repeat, check=check)


def check_command(samples: int, rows: int, written: Mapping[str, Path]) -> None:
    """Raise unless the command wrote what numpy finds in the same job."""
    votes = plain.numpy_votes(*made_up_arrays(VOTES, samples))
    weights = made_up_arrays(ROUTING, rows)[0].round(DIGITS)
    with (written[COMMAND] / "collective_results.csv").open(encoding="utf-8-sig", newline="") as stream:
        (line,) = csv.DictReader(stream)
    with (written[COMMAND] / f"{SYSTEM}_collective.csv").open(encoding="utf-8-sig", newline="") as stream:
        streams = list(csv.DictReader(stream))
    contributions = [votes["accuracy"] - without for without in votes["without"]]
    pairs = [
        ("Emergence_Ratio", [line], [votes["ratio"]]),
        ("Ties", [line], [votes["tied"].sum()]),
        ("Routing_Entropy", [line], [plain.numpy_entropy(weights)["mean"]]),
        ("Accuracy", streams, votes["streams"]),
        ("Contribution", streams, contributions),
    ]
    for column, lines, expected in pairs:
        found = [float(each[column]) for each in lines]
        if len(found) != len(expected) or not np.allclose(found, expected, rtol=0, atol=EPSILON_TOLERANCE):
            raise DisagreementError(f"the command's {column} is not numpy's: {found}, {list(expected)}")
    if not abs(sum(float(each["Shapley"] or "nan") for each in streams) - votes["accuracy"]) <= EPSILON_TOLERANCE:
        raise DisagreementError("the command's Shapley values do not sum to the accuracy")


def print_rounds(label: str, rows: int, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print one line per side; a ratio is that side's CPU over ours."""
    for side, first in rounds[0].items():
        cost = middle(rounds, side)
        own = "-"
        if isinstance(first, Cost):
            own = f"{median(each[side].own for each in rounds) / 1e6:.0f}"  # type: ignore[attr-defined]
        ratio = "1 x" if side == OURS else f"{cpu_ratio(rounds, side, OURS):.2f} x" if OURS in rounds[0] else "-"
        figures = (f"{cost.cpu:.2f}", f"{cost.wall:.2f}", f"{rows / cost.cpu:,.0f}", f"{cost.peak / 1e6:.0f}", own)
        print(LAYOUT.format(label, side, *figures, ratio), flush=True)


def print_notes(asked: argparse.Namespace, votes: Sequence[Mapping[str, Measurement]]) -> None:
    """Print what the figures rest on."""
    command = f"; command: {asked.samples:,} samples, {asked.routing:,} rows"
    print(
        f"\nAll sides agree: votes, ties and accuracies to {TOLERANCE:g}, the ratio and routing entropy to "
        f"{EPSILON_TOLERANCE:g}, because the\nrecipe adds {plain.EPSILON:g} where we add nothing"
        f"{'' if asked.core else '; so does the command with numpy'}.\n"
        f"Votes: {asked.rows:,} samples x {STREAMS} streams; routing: {asked.rows:,} rows x {EXPERTS} weights"
        f"{'' if asked.core else command}.\nOwn MB is what a call added to a process that held the job, peak MB that "
        f"of the whole process."
    )
    if asked.part > 1:
        print(
            f"{PYTHON} took {asked.rows // asked.part:,} samples of the votes: its seconds are {asked.part} times what "
            f"they took, its memory is that of these."
        )
    over = ", ".join(f"{side} {cpu_ratio(votes, side, SHAPLEY):.2f} x" for side in (NUMPY, PYTHON))
    print(
        f"CPU ratio is a line's CPU over that of `{OURS}`, which does of the votes what the peers do. The public\n"
        f"`vote_contributions` always has Shapley values, as in `{SHAPLEY}`; over that line: {over}."
    )


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=positive, help="samples, and rows of routing, of the core (1,000,000)")
    parser.add_argument("--repeat", type=positive, default=1, help="rounds; medians are shown")
    parser.add_argument("--core", action="store_true", help="leave out the whole command")
    parser.add_argument("--full", action="store_true", help="1,000,000 samples for the command and plain Python too")
    parser.add_argument("--quick", action="store_true", help="a small job: shows that it works, not how fast")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the command's job there and stop")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)  # a process of this script's own
    asked = parser.parse_args(arguments)
    asked.rows = asked.rows or (2_000 if asked.quick else 1_000_000)
    asked.routing = min(asked.rows, 200_000)
    asked.samples = asked.rows if asked.full else asked.routing
    asked.part = 1 if asked.full else PART
    return asked


def positive(text: str) -> int:
    """Return a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def run_all(asked: argparse.Namespace, folder: Path) -> None:
    """Run every comparison and print the table."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    votes = compare(VOTES, asked.rows, part=asked.part, repeat=asked.repeat, folder=folder)
    print(LAYOUT.format(*HEADINGS), flush=True)
    print_rounds(VOTES, asked.rows, votes)
    routing = compare(ROUTING, asked.rows, part=1, repeat=asked.repeat, folder=folder)
    print_rounds(ROUTING, asked.rows, routing)
    if not asked.core:
        # once unmeasured, so that it does not pay for compiling its modules or for a cold disk
        run_command(20, 20, repeat=1)
        print_rounds("whole command", asked.samples, run_command(asked.samples, asked.routing, repeat=asked.repeat))
    print_notes(asked, votes)


def main() -> int:
    """Do what is asked for; 1 if sides disagree or a command fails."""
    asked = parse_arguments()
    try:
        if asked.one:
            job, side, rows, where = asked.one
            run_here(job, side, int(rows), Path(where))
        elif asked.write:
            print(f"{asked.samples:,} samples: {write_job(asked.write, asked.samples, asked.routing)}")
        else:
            with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
                run_all(asked, Path(name).resolve())
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
