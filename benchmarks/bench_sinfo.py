"""`scoresheet sinfo -j 1` against the plain pandas script, interleaved, on the same jobs.

    python benchmarks/bench_sinfo.py            # 10,000 rows of 20 and of 60 words, 1,000 of 200
    python benchmarks/bench_sinfo.py --quick    # a few seconds, to see that it works

No time is believed before both sides agree on every S_Info; if they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measure import CommandFailedError, Measurement, cpu_ratio, interleave, middle
from python_calamine import CalamineWorkbook
from workload import Job, Size, write_job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHEETS = 5
ROWS = {20: 10_000, 60: 10_000, 200: 1_000}
QUICK_ROWS = {20: 200, 60: 200, 200: 50}
OTHER_ROWS = 1_000  # for text lengths that are not in the tables above
TARGET_WORDS, TARGET_ROWS, TARGET = 60, 10_000, 15
TOLERANCE = 1e-12

OURS, SEED = "scoresheet", "plain script"
HEADINGS = ("words", "rows", "build", "CPU s", "wall s", "rows/CPU s", "peak MB", "CPU ratio")
LAYOUT = "{:>5}  {:>7}  {:<12}  {:>8}  {:>8}  {:>10}  {:>7}  {:>9}"

Scores = dict[tuple[str, ...], float]  # (model, sheet, idiom) or (model,) and its S_Info


class DisagreementError(RuntimeError):
    """The two sides scored the same job differently."""


def our_command(job: Job, results: Path) -> list[str]:
    """Return the command line of one `scoresheet sinfo` run with one worker."""
    places = [str(job.outputs), str(job.references), "-o", str(results)]
    return [sys.executable, "-m", "scoresheet.cli", "sinfo", *places, "-j", "1", "--no-progress"]


def seed_command(job: Job, results: Path) -> list[str]:
    """Return the command line of the plain script."""
    script = Path(__file__).resolve().with_name("seed_sinfo.py")
    return [sys.executable, str(script), str(job.outputs), str(job.references), str(results)]


def model_scores(results: Path) -> Scores:
    """Return each model's score from the results table, which both sides write."""
    with (results / "s_info_results.csv").open(encoding="utf-8-sig", newline="") as stream:
        return {(line["Model Name"],): as_number(line["S_Info"]) for line in csv.DictReader(stream)}


def our_rows(results: Path, model: str) -> Scores:
    """Return each row's score from the model's CSV, which holds full precision."""
    with (results / f"{model}_s_info.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = csv.DictReader(stream)
        return {(model, line["Sheet"], line["Idiom"]): as_number(line["S_Info"]) for line in lines}


def seed_rows(results: Path, model: str) -> Scores:
    """Return each row's score from the workbook of the plain script."""
    book = CalamineWorkbook.from_path(str(results / f"{model}_s_info.xlsx"))
    scores: Scores = {}
    for name in book.sheet_names:
        if name != "Summary":
            header, *rows = book.get_sheet_by_name(name).to_python()
            idiom, score = header.index("Idiom"), header.index("S_Info")
            scores |= {(model, name, str(row[idiom])): as_number(row[score]) for row in rows}
    return scores


def as_number(cell: object) -> float:
    """Return the cell as a number; an empty one is an undefined score."""
    return math.nan if cell in ("", None) else float(str(cell))


def check_agreement(job: Job, written: Mapping[str, Path]) -> None:
    """Raise unless both sides scored every row, and all rows and models alike."""
    ours, seed = model_scores(written[OURS]), model_scores(written[SEED])
    for (model,) in list(seed):
        ours |= our_rows(written[OURS], model)
        seed |= seed_rows(written[SEED], model)
    rows = sum(len(key) > 1 for key in seed)
    if rows != job.rows:
        raise DisagreementError(f"the job has {job.rows:,} rows, the plain script scored {rows:,}")
    if ours.keys() != seed.keys():
        odd = sorted(ours.keys() ^ seed.keys())
        raise DisagreementError(f"{len(odd):,} units are on one side only, the first is {odd[0]}")
    # written so that an undefined score counts as a difference: no row of these jobs is without one
    differing = [key for key in seed if not abs(ours[key] - seed[key]) <= TOLERANCE]
    if differing:
        first = differing[0]
        raise DisagreementError(
            f"{len(differing):,} of {len(seed):,} scores differ by more than {TOLERANCE:g}, the first is "
            f"{first}: {OURS} {ours[first]!r}, {SEED} {seed[first]!r}"
        )


def run_job(size: Size, *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of one job, made and removed here."""
    with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
        folder = Path(name).resolve()
        job = write_job(folder / "job", size)
        return interleave(
            {OURS: partial(our_command, job), SEED: partial(seed_command, job)},
            turns=(OURS, OURS, SEED, OURS),
            folder=folder,
            repeat=repeat,
            check=partial(check_agreement, job),
        )


def print_job(size: Size, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print one line per side."""
    ratios = {OURS: f"{cpu_ratio(rounds, SEED, OURS):.1f} x", SEED: "1 x"}
    for name, ratio in ratios.items():
        cost = middle(rounds, name)
        figures = (f"{cost.cpu:.2f}", f"{cost.wall:.2f}", f"{size.total / cost.cpu:,.0f}", f"{cost.peak / 1e6:.0f}")
        print(LAYOUT.format(size.words, f"{size.total:,}", name, *figures, ratio), flush=True)


def print_verdict(size: Size, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print the one figure that has a target."""
    target = f"target {TARGET}" + ("" if size.total == TARGET_ROWS else f" at {TARGET_ROWS:,} rows")
    print(f"ratio at {size.words} words, {size.total:,} rows: {cpu_ratio(rounds, SEED, OURS):.1f} x ({target})")


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=positive, nargs="+", default=list(ROWS), help="words per reference")
    parser.add_argument("--rows", type=positive, help="rows of each job, over all models and sheets")
    parser.add_argument("--models", type=positive, default=2, help=f"workbooks, each of {SHEETS} sheets")
    parser.add_argument("--repeat", type=positive, default=1, help="rounds; medians are shown")
    parser.add_argument("--quick", action="store_true", help="small jobs: shows that it works, not how fast")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    """Return a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def size_of(asked: argparse.Namespace, words: int) -> Size:
    """Return the job of this text length; every sheet gets the same number of rows, at least one."""
    wanted = asked.rows or (QUICK_ROWS if asked.quick else ROWS).get(words, OTHER_ROWS)
    rows = max(1, wanted // (asked.models * SHEETS))
    return Size(models=asked.models, sheets=SHEETS, rows=rows, words=words)


def main() -> int:
    """Run every job and print the table; 1 if the sides disagree or one of them fails."""
    asked = parse_arguments()
    verdict = None
    try:
        # once unmeasured, so that neither side pays for compiling its modules or for a cold disk
        run_job(Size(models=1, sheets=SHEETS, rows=10, words=20), repeat=1)
        print(LAYOUT.format(*HEADINGS), flush=True)
        for words in asked.words:
            size = size_of(asked, words)
            rounds = run_job(size, repeat=asked.repeat)
            print_job(size, rounds)
            if words == TARGET_WORDS:
                verdict = partial(print_verdict, size, rounds)
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    print(f"\nBoth sides agree on every S_Info to {TOLERANCE:g}. Peak memory is that of the largest process.")
    if verdict:
        verdict()
    return 0


if __name__ == "__main__":
    sys.exit(main())
