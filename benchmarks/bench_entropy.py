"""`scoresheet.metrics.text_entropies` against plain Python, in turns, and the whole command by itself.

    python benchmarks/bench_entropy.py                  # 100,000 texts of 60 words
    python benchmarks/bench_entropy.py --quick          # a few seconds, to see that it works
    python benchmarks/bench_entropy.py --write FOLDER   # only make the job, for a look or a profiler

Both sides start from a Python list of texts and end with the measures of each as Python values. The first job leaves
out what is measured on sentences; the second has it, through scikit-learn's TfidfVectorizer on the peer's side, which
takes so long that only one text in fifty is measured. `scoresheet entropy -j 1` reads the job from a CSV file; no peer
does what it does. No time is believed before both sides agree; if they do not, the exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from measure import CommandFailedError, Measurement, cpu_ratio, interleave, middle
from plain_entropy import plain_entropy, plain_semantics
from turns import take_turns
from workload import Language

from scoresheet.metrics import text_entropies

MODEL = "model_01"
PART = 50  # one text in so many is measured with its sentences
TOLERANCE = 1e-9
OURS, PLAIN, COMMAND = "scoresheet", "plain Python", "scoresheet -j 1"
HEADINGS = ("job", "build", "CPU s", "wall s", "texts/CPU s", "peak MB", "CPU ratio")
LAYOUT = "{:<18}  {:<16}  {:>8}  {:>8}  {:>12}  {:>7}  {:>9}"


class DisagreementError(RuntimeError):
    """Two sides measured the same text differently."""


def made_up_texts(texts: int, words: int, *, seed: int = 0) -> list[str]:
    """Return texts of made-up words with Zipf's frequencies, in sentences."""
    language = Language(seed)
    return [language.text(language.draw(words)).capitalize() for _ in range(texts)]


def write_job(folder: Path, texts: Sequence[str]) -> Path:
    """Write the texts as one CSV and return its folder."""
    outputs = folder / "outputs"
    outputs.mkdir(parents=True)
    with (outputs / f"{MODEL}.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "text"])
        table.writerows((f"t{number:06d}", text) for number, text in enumerate(texts))
    return outputs


def ours(texts: Sequence[str], *, sentences: bool) -> list[dict[str, Any]]:
    """Return our measures."""
    return [found._asdict() for found in text_entropies(texts, vectors="tfidf" if sentences else "none")]


def plain(texts: Sequence[str], *, sentences: bool) -> list[dict[str, Any]]:
    """Return the peer's."""
    if sentences:
        return [plain_entropy(text) | plain_semantics(text) for text in texts]
    return [plain_entropy(text) for text in texts]


def check_measures(results: Mapping[str, list[dict[str, Any]]]) -> None:
    """Raise unless both sides have the same value of every measure of every text."""
    for number, (one, other) in enumerate(zip(results[OURS], results[PLAIN], strict=True)):
        for name, value in other.items():
            if not alike(one[name], value):
                raise DisagreementError(f"text {number}, {name}: {OURS} {one[name]!r}, {PLAIN} {value!r}")


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are the same: words exactly, numbers nearly, undefined with undefined."""
    if isinstance(other, str):
        return bool(one == other)
    return abs(one - other) <= TOLERANCE or (math.isnan(one) and math.isnan(other))


def check_command(texts: Sequence[str], written: Mapping[str, Path]) -> None:
    """Raise unless the command wrote for every text what the same core returns."""
    with (written[COMMAND] / f"{MODEL}_entropy.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = [float(line["Word_Entropy"] or math.nan) for line in csv.DictReader(stream)]
    core = [found.word_entropy for found in text_entropies(texts, vectors="none")]
    if len(lines) != len(core) or any(abs(one - other) > TOLERANCE for one, other in zip(lines, core, strict=True)):
        raise DisagreementError("the command's Word_Entropy is not the core's")


def compare(texts: Sequence[str], *, sentences: bool, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of both sides, after they have agreed."""
    sides = {
        OURS: partial(ours, texts, sentences=sentences),
        PLAIN: partial(plain, texts, sentences=sentences),
    }
    check_measures({side: call() for side, call in sides.items()})
    return take_turns(sides, repeat=repeat, check=check_measures, long=True)


def run_command(texts: Sequence[str], *, repeat: int) -> list[dict[str, Measurement]]:
    """Return the rounds of the whole command on the job's file, made and removed here."""
    with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
        folder = Path(name).resolve()
        outputs = write_job(folder / "job", texts)
        commands = {COMMAND: partial(our_command, outputs)}
        return interleave(commands, turns=(COMMAND,), folder=folder, repeat=repeat, check=partial(check_command, texts))


def our_command(outputs: Path, results: Path) -> list[str]:
    """Return the command line of one `scoresheet entropy` run with one worker."""
    places = [str(outputs), "-o", str(results)]
    return [sys.executable, "-m", "scoresheet.cli", "entropy", *places, "-j", "1", "--no-progress"]


def print_rounds(label: str, texts: int, rounds: Sequence[Mapping[str, Measurement]]) -> None:
    """Print one line per side; a ratio is that side's CPU over ours."""
    for side in rounds[0]:
        cost = middle(rounds, side)
        peak = f"{cost.peak / 1e6:.0f}" if cost.peak else "-"
        ratio = "1 x" if side == OURS else f"{cpu_ratio(rounds, side, OURS):.1f} x" if OURS in rounds[0] else "-"
        rate = f"{texts / cost.cpu:,.0f}"
        print(LAYOUT.format(label, side, f"{cost.cpu:.2f}", f"{cost.wall:.2f}", rate, peak, ratio), flush=True)


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=positive, help="texts of the one model (100,000)")
    parser.add_argument("--words", type=positive, default=60, help="words of each text")
    parser.add_argument("--repeat", type=positive, help="rounds; medians are shown (3)")
    parser.add_argument("--quick", action="store_true", help="a small job: shows that it works, not how fast")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the job there and stop")
    asked = parser.parse_args(arguments)
    texts, repeat = (1_000, 1) if asked.quick else (100_000, 3)
    asked.texts, asked.repeat = asked.texts or texts, asked.repeat or repeat
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
    texts = made_up_texts(asked.texts, asked.words)
    try:
        if asked.write:
            print(f"{len(texts):,} texts: {write_job(asked.write, texts)}")
            return 0
        # once unmeasured, so that the command does not pay for compiling its modules or for a cold disk
        run_command(texts[:10], repeat=1)
        print(LAYOUT.format(*HEADINGS), flush=True)
        print_rounds("without sentences", len(texts), compare(texts, sentences=False, repeat=asked.repeat))
        some = texts[::PART]
        print_rounds("with sentences", len(some), compare(some, sentences=True, repeat=asked.repeat))
        print_rounds("whole command", len(texts), run_command(texts, repeat=asked.repeat))
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    print(
        f"\nBoth sides agree to {TOLERANCE:g} on every measure of every text, and the command with the core.\n"
        f"{len(texts):,} texts of {asked.words} words; with sentences, one in {PART} of them. CPU ratio is a line's "
        f"CPU over that of `{OURS}`."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
