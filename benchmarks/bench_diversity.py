"""`scoresheet.metrics` against the tools people score rankings with, in turns, and the whole command by itself.

    python benchmarks/bench_diversity.py                  # 1,000 queries of 100 documents and 10 subtopics
    python benchmarks/bench_diversity.py --quick          # a few seconds, to see that it works
    python benchmarks/bench_diversity.py --write FOLDER   # only make the job, for a look or a profiler

α-nDCG@20 and ERR-IA@20 start from Python lists, as a notebook has them: a list of (query, subtopic, item, grade) and
a ranking per query. What a tool needs to make its own objects of them counts. ILD starts from an array of one list's
vectors. `scoresheet diversity -j 1` reads the same job from CSV files; no peer does what it does.
No time is believed before all sides agree; if they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

import ir_measures  # type: ignore[import-not-found,import-untyped,unused-ignore] # only `bench` installs the peers
import numpy as np
import pyndeval  # type: ignore[import-not-found,import-untyped,unused-ignore]
from measure import CommandFailedError, Measurement, cpu_ratio, interleave, middle
from scipy.spatial.distance import pdist  # type: ignore[import-not-found,import-untyped,unused-ignore]
from sklearn.metrics.pairwise import cosine_distances  # type: ignore[import-not-found,import-untyped,unused-ignore]
from threadpoolctl import threadpool_limits  # type: ignore[import-not-found,import-untyped,unused-ignore]
from turns import take_turns

from scoresheet.metrics import diversity_of_run, intra_list_diversity

MODEL = "system_01"
CUTOFF = 20  # the largest that pyndeval knows
JUDGED = (1, 4)  # subtopics a document is judged on
SHARE_RELEVANT = (0.2, 0.9)  # of a query's judgments: some queries are harder than others
GRADES, GRADE_WEIGHTS = (1, 2), (0.7, 0.3)  # of a relevant judgment
LOST = 0.5  # the largest share of its documents a query of an uneven job has lost

LENGTHS = (10, 100, 1_000)  # of the lists whose ILD is taken
DIMENSIONS = 64
TOLERANCE = 1e-9

# our name of a measure, and those of pyndeval and ir_measures; these are defined alike under `ndeval`
TIMED = {
    f"alpha_nDCG@{CUTOFF}": (f"alpha-nDCG@{CUTOFF}", ir_measures.alpha_nDCG @ CUTOFF),
    f"ERR_IA@{CUTOFF}": (f"ERR-IA@{CUTOFF}", ir_measures.ERR_IA @ CUTOFF),
}
ALIKE = TIMED | {
    f"alpha_DCG@{CUTOFF}": (f"alpha-DCG@{CUTOFF}", ir_measures.alpha_DCG @ CUTOFF),
    f"S_Recall@{CUTOFF}": (f"strec@{CUTOFF}", ir_measures.StRecall @ CUTOFF),
}

OURS, SEED, COMMAND = "scoresheet", "scoresheet, default", "scoresheet -j 1"
PYNDEVAL, IR_MEASURES, SCIPY, SKLEARN = "pyndeval", "ir_measures", "scipy pdist", "scikit-learn"
HEADINGS = ("job", "build", "CPU s", "wall s", "per CPU s", "peak MB", "CPU ratio")
LAYOUT = "{:<21}  {:<19}  {:>9}  {:>9}  {:>15}  {:>7}  {:>9}"

Names = Mapping[str, tuple[str, Any]]  # our name of a measure and the peers'
Scores = dict[tuple[str, str], float]  # (query, our name of the measure) and its value


class DisagreementError(RuntimeError):
    """Two sides scored the same job differently."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is to score."""

    queries: int
    documents: int  # of each query, all of them judged and ranked
    subtopics: int  # of each query
    uneven: bool = False  # queries have lost up to half of their documents, each its own number of them


@dataclass(frozen=True, kw_only=True)
class Job:
    """Rankings and judgments as a notebook holds them."""

    run: dict[str, list[str]]
    judgments: list[tuple[str, str, str, int]]

    @property
    def rows(self) -> int:
        """Return the rows of the rankings' table."""
        return sum(map(len, self.run.values()))


def made_up_job(size: Size, *, seed: int = 0) -> Job:
    """Return shuffled rankings of judged documents; no document lacks a judgment, which would be a remark."""
    rng = Random(seed)
    subtopics = [str(number) for number in range(1, size.subtopics + 1)]
    most = min(JUDGED[1], size.subtopics)
    job = Job(run={}, judgments=[])
    for number in range(1, size.queries + 1):
        query, share = f"q{number:05d}", rng.uniform(*SHARE_RELEVANT)
        documents = size.documents - (rng.randint(0, int(size.documents * LOST)) if size.uneven else 0)
        items = [f"doc-{name:07d}" for name in rng.sample(range(10_000_000), documents)]
        for item in items:
            for subtopic in rng.sample(subtopics, rng.randint(JUDGED[0], most)):
                # one item is always relevant: a query without any has no scores to compare
                relevant = item == items[0] or rng.random() < share
                grade = rng.choices(GRADES, GRADE_WEIGHTS)[0] if relevant else 0
                job.judgments.append((query, subtopic, item, grade))
        job.run[query] = rng.sample(items, documents)
    return job


def write_job(folder: Path, job: Job) -> tuple[Path, Path]:
    """Write the job as CSV files and return the folders of rankings and judgments."""
    outputs, references = folder / "outputs", folder / "references"
    ranked = [(query, item, rank) for query, items in job.run.items() for rank, item in enumerate(items, start=1)]
    write_table(outputs / f"{MODEL}.csv", ["query", "item", "rank"], ranked)
    write_table(references / "judgments.csv", ["query", "subtopic", "item", "relevance"], job.judgments)
    return outputs, references


def write_table(path: Path, header: list[str], lines: Sequence[Sequence[object]]) -> None:
    """Write a CSV and the folder it is in."""
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(header)
        table.writerows(lines)


def by_pyndeval(job: Job, names: Names) -> dict[str, dict[str, float]]:
    """Return each query's measures by pyndeval; it takes the judgments as they are and the run with scores."""
    scored = ((query, item, -rank) for query, items in job.run.items() for rank, item in enumerate(items))
    results: dict[str, dict[str, float]] = pyndeval.ndeval(job.judgments, scored, [name for name, _ in names.values()])
    return results


def by_ir_measures(job: Job, names: Names) -> list[Any]:
    """Return each query's measures by the provider ir_measures picks itself; its qrels are named tuples."""
    qrels = (ir_measures.Qrel(query, item, grade, subtopic) for query, subtopic, item, grade in job.judgments)
    scored = (
        ir_measures.ScoredDoc(query, item, -rank) for query, items in job.run.items() for rank, item in enumerate(items)
    )
    return list(ir_measures.iter_calc([measure for _, measure in names.values()], qrels, scored))


def scores_of(side: str, result: Any, names: Names) -> Scores:
    """Return what a side found in a form that all sides share."""
    if side == IR_MEASURES:
        ours = {measure: name for name, (_, measure) in names.items()}
        return {(found.query_id, ours[found.measure]): found.value for found in result}
    theirs = {name: name if side in (OURS, SEED) else names[name][0] for name in names}
    return {(query, name): values[theirs[name]] for query, values in result.items() for name in names}


def check_rankings(job: Job, names: Names, results: Mapping[str, Any]) -> None:
    """Raise unless we and both peers have the same value of every measure of every query."""
    wanted = {(query, name) for query in job.run for name in names}
    ours = scores_of(OURS, results[OURS], names)
    for side in (PYNDEVAL, IR_MEASURES):
        check_scores(ours, side, scores_of(side, results[side], names), wanted)


def check_scores(ours: Scores, side: str, scores: Scores, wanted: set[tuple[str, str]]) -> None:
    """Raise unless both have all wanted scores, and alike."""
    for name, found in ((OURS, ours), (side, scores)):
        if wanted - found.keys():
            raise DisagreementError(f"{name} lacks {len(wanted - found.keys()):,} of {len(wanted):,} scores")
    # written so that an undefined score counts as a difference: no query of these jobs has one
    differing = sorted(key for key in wanted if not abs(ours[key] - scores[key]) <= TOLERANCE)
    if differing:
        first = differing[0]
        raise DisagreementError(
            f"{len(differing):,} of {len(wanted):,} scores differ by more than {TOLERANCE:g}, the first is "
            f"{first}: {OURS} {ours[first]!r}, {side} {scores[first]!r}"
        )


def check_lists(length: int, results: Mapping[str, Any]) -> None:
    """Raise unless all sides have the same ILD."""
    ours = results[OURS][length]
    for side in (SCIPY, SKLEARN):
        if not abs(ours - results[side]) <= TOLERANCE:
            raise DisagreementError(f"ILD@{length} differs: {OURS} {ours!r}, {side} {results[side]!r}")


def check_command(job: Job, written: Mapping[str, Path]) -> None:
    """Raise unless the command wrote for every query what the same core returns for lists."""
    with (written[COMMAND] / f"{MODEL}_diversity.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = list(csv.DictReader(stream))
    scores = {(line["Query"], name): float(line[name] or math.nan) for line in lines for name in ALIKE}
    core = scores_of(SEED, diversity_of_run(job.run, job.judgments, cutoffs=(CUTOFF,)), ALIKE)
    check_scores(core, COMMAND, scores, {(query, name) for query in job.run for name in ALIKE})


def compare_rankings(job: Job, *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of α-nDCG and ERR-IA; the check before them has more measures than are timed."""
    scored = partial(diversity_of_run, job.run, job.judgments, cutoffs=(CUTOFF,))
    like = {
        OURS: scored(definition="ndeval"),
        PYNDEVAL: by_pyndeval(job, ALIKE),
        IR_MEASURES: by_ir_measures(job, ALIKE),
    }
    check_rankings(job, ALIKE, like)
    sides: dict[str, Callable[[], object]] = {
        OURS: partial(scored, definition="ndeval"),
        SEED: scored,
        PYNDEVAL: partial(by_pyndeval, job, TIMED),
        IR_MEASURES: partial(by_ir_measures, job, TIMED),
    }
    return take_turns(sides, repeat=repeat, check=partial(check_rankings, job, TIMED))


def compare_lists(length: int, *, repeat: int, seed: int = 0) -> list[dict[str, Measurement]]:
    """Return the rounds of the ILD of one list."""
    vectors = np.random.default_rng(seed).normal(size=(length, DIMENSIONS))
    sides: dict[str, Callable[[], object]] = {
        OURS: lambda: intra_list_diversity(vectors, (length,)),
        SCIPY: lambda: pdist(vectors, "cosine").mean(),
        # the diagonal is 0, so this is the mean over pairs without the cost of cutting out a triangle
        SKLEARN: lambda: cosine_distances(vectors).sum() / (length * (length - 1)),
    }
    return take_turns(sides, repeat=repeat, check=partial(check_lists, length))


def run_command(job: Job, *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of the whole command on the job's files, made and removed here."""
    with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
        folder = Path(name).resolve()
        outputs, references = write_job(folder / "job", job)
        commands = {COMMAND: partial(our_command, outputs, references)}
        return interleave(commands, turns=(COMMAND,), folder=folder, repeat=repeat, check=partial(check_command, job))


def our_command(outputs: Path, references: Path, results: Path) -> list[str]:
    """Return the command line of one `scoresheet diversity` run with one worker."""
    places = [str(outputs), str(references), "-o", str(results)]
    return [sys.executable, "-m", "scoresheet.cli", "diversity", *places, "-j", "1", "--no-progress"]


def print_rounds(label: str, units: int, unit: str, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print one line per side; a ratio is that side's CPU over ours, where ours is one of several."""
    for side in rounds[0]:
        cost = middle(rounds, side)
        peak = f"{cost.peak / 1e6:.0f}" if cost.peak else "-"
        ratio = "1 x" if side == OURS else f"{cpu_ratio(rounds, side, OURS):.1f} x" if OURS in rounds[0] else "-"
        rate = f"{units / cost.cpu:,.0f} {unit}"
        print(LAYOUT.format(label, side, seconds(cost.cpu), seconds(cost.wall), rate, peak, ratio), flush=True)


def seconds(value: float) -> str:
    """Return seconds with the digits that mean something for calls and for commands."""
    return f"{value:.2f}" if value >= 1 else f"{value:.6f}"


def print_notes(job: Job) -> None:
    """Print what the figures rest on."""
    peers = ", ".join(f"{name} {version(name)}" for name in ("pyndeval", "ir_measures", "scipy", "scikit-learn"))
    print(
        f"\nAll sides agree to {TOLERANCE:g}: under --definition ndeval on each query's {', '.join(ALIKE)};\n"
        f"on ILD; and the command with the core. CPU ratio is a line's CPU over that of `{OURS}` on the same job.\n"
        f"The job: {len(job.run):,} queries, {job.rows:,} ranked items, {len(job.judgments):,} judgments.\n"
        f"`{OURS}` uses the peers' definition, `{SEED}` our own; both return all measures, the peers two.\n"
        f"ILD: cosine, one list of vectors of {DIMENSIONS} dimensions. Making a tool's objects counts, importing it\n"
        "does not; one BLAS thread. Peak memory is that of the command's largest process.\n"
        f"Peers: {peers}."
    )


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=positive, help="queries of the one ranking system (1,000)")
    parser.add_argument("--documents", type=positive, default=100, help="documents of each query")
    parser.add_argument("--subtopics", type=positive, default=10, help="subtopics of each query")
    parser.add_argument("--uneven", action="store_true", help="queries that lost up to half of their documents")
    parser.add_argument("--repeat", type=positive, help="rounds; medians are shown (5)")
    parser.add_argument("--quick", action="store_true", help="a small job: shows that it works, not how fast")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the job there and stop")
    asked = parser.parse_args(arguments)
    queries, repeat = (50, 1) if asked.quick else (1_000, 5)
    asked.repeat = asked.repeat or repeat
    asked.size = Size(
        queries=asked.queries or queries, documents=asked.documents, subtopics=asked.subtopics, uneven=asked.uneven
    )
    return asked


def positive(text: str) -> int:
    """Return a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def main() -> int:
    """Run every comparison and print the table; 1 if sides disagree or the command fails."""
    asked = parse_arguments()
    job = made_up_job(asked.size)
    try:
        if asked.write:
            outputs, references = write_job(asked.write, job)
            print(f"{job.rows:,} rows, {len(job.judgments):,} judgments: {outputs} {references}")
            return 0
        # once unmeasured, so that the command does not pay for compiling its modules or for a cold disk
        run_command(made_up_job(Size(queries=5, documents=20, subtopics=3)), repeat=1)
        print(LAYOUT.format(*HEADINGS), flush=True)
        # CPU of a library's threads that wait for work would count as its work
        with threadpool_limits(limits=1):
            rankings = compare_rankings(job, repeat=asked.repeat)
            print_rounds(f"alpha-nDCG, ERR-IA@{CUTOFF}", len(job.run), "queries", rankings)
            for length in LENGTHS:
                print_rounds(f"ILD@{length:,}", 1, "lists", compare_lists(length, repeat=asked.repeat))
        print_rounds("whole command", job.rows, "rows", run_command(job, repeat=asked.repeat))
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    print_notes(job)
    return 0


if __name__ == "__main__":
    sys.exit(main())
