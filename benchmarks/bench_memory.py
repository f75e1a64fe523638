"""The memory of large jobs, with a worker for each core: one large CSV, a million rankings, a thousand files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import bench_diversity
import bench_entropy
import bench_sinfo
from commands import Job, Size
from harness import OURS, Figures, Line, Side, our_command, take_turns
from workload import Language, write_table

GROUP = "memory"
SENTENCES, WORDS = 20_000, 12  # from which the texts of a large file are put together
SENTENCES_OF_TEXT = (5, 12)  # so that the rows of 500 MB still fit into a worksheet
IDIOMS = 5_000
ROWS_OF_FILE = 50  # where there are many
ROOM = ("--max-file-mb", "1000")  # a larger file than is read unasked


def lines(*, quick: bool) -> list[Line]:
    """Return a line for each large job; `size` is what the name says there are so many of."""
    megabytes, rankings, files = (20, 100_000, (10, 50)) if quick else (500, 1_000_000, (10, 1_000))
    found = [
        _line("sinfo", f"sinfo, a CSV of {megabytes} MB", partial(_large_sinfo, megabytes), megabytes),
        _line("entropy", f"entropy, a CSV of {megabytes} MB", partial(_large_entropy, megabytes), megabytes),
        _line("diversity", f"diversity, {rankings:,} ranked rows", partial(_rankings, rankings), rankings),
    ]
    for number in files:
        size = Size(number, ROWS_OF_FILE)
        found.append(_line("sinfo", f"sinfo, {number:,} files", partial(_written, bench_sinfo.write, size), number))
        found.append(
            _line("entropy", f"entropy, {number:,} files", partial(_written, bench_entropy.write, size), number)
        )
    return found


def _line(command: str, name: str, write: Callable[[Path], Job], size: int) -> Line:
    def measured(folder: Path) -> Figures:
        job = write(folder / "job")
        sides = {OURS: Side(our_command(command, job.arguments, jobs=None))}
        return Figures(take_turns(sides, folder, repeat=1), size)

    return Line(GROUP, name, measured, size)


def _written(write: Callable[[Path, Size], Job], size: Size, folder: Path) -> Job:
    return write(folder, size)


def _rankings(rows: int, folder: Path) -> Job:
    return bench_diversity.write(folder, Size(1, rows))


def _large_sinfo(megabytes: int, folder: Path) -> Job:
    """Write one CSV of predictions, each idiom many times, and its references."""
    texts = _texts(megabytes)
    idioms = [f"idiom {number}" for number in range(IDIOMS)]
    write_table(
        folder / "references" / "references.csv", ["idiom", "explanation"], ((each, next(texts)) for each in idioms)
    )
    rows = ((number, idioms[number % IDIOMS], text) for number, text in enumerate(texts))
    write_table(folder / "outputs" / "model.csv", ["sample", "Idiom", "Prediction"], rows)
    return Job([str(folder / "outputs"), str(folder / "references"), *ROOM], ["model"])


def _large_entropy(megabytes: int, folder: Path) -> Job:
    write_table(folder / "outputs" / "model.csv", ["id", "text"], enumerate(_texts(megabytes)))
    return Job([str(folder / "outputs"), *ROOM], ["model"])


def _texts(megabytes: int) -> Iterator[str]:
    """Yield texts of some sentences each until they are so large together: no two alike, and quickly made."""
    language, rng = Language(0), Random(0)
    sentences = [" ".join(language.draw(WORDS)).capitalize() + "." for _ in range(SENTENCES)]
    left = megabytes * 1_000_000
    while left > 0:
        text = " ".join(rng.choices(sentences, k=rng.randint(*SENTENCES_OF_TEXT)))
        left -= len(text) + len("1000000,idiom 1000,\r\n")
        yield text
