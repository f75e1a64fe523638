"""Large jobs for measuring memory: one long CSV, a million rankings, a thousand files; seeded, written row by row.

python benchmarks/large_jobs.py sinfo FOLDER --mb 500       # outputs/large.csv and references/references.csv
python benchmarks/large_jobs.py entropy FOLDER --mb 500
python benchmarks/large_jobs.py diversity FOLDER --rows 1000000
python benchmarks/large_jobs.py disagree FOLDER --rows 100000
python benchmarks/large_jobs.py collective FOLDER --rows 1000000
python benchmarks/large_jobs.py mode-collapse FOLDER --rows 1000000
python benchmarks/large_jobs.py files FOLDER --rows 1000    # so many small CSV files of predictions
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from workload import VOCABULARY_SIZE, made_up_words

WORDS: Final = 60  # of a text
SENTENCE: Final = 12  # words between two full stops
IDIOMS: Final = 1_000
BLOCK: Final = 2_000  # rows made at once
MIB: Final = 2**20
JUDGES, DIMENSIONS, STREAMS, DOCUMENTS, SUBTOPICS, SAMPLES = 5, 6, 10, 100, 10, 1_000


class Size(NamedTuple):
    """How large a job is to be."""

    rows: int
    mb: float = 0  # of a file of texts; 0: by rows


class Texts:
    """Texts of a made-up language, many at once."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.words = np.array(made_up_words(Random(seed), VOCABULARY_SIZE), dtype=object)
        ranks = np.arange(VOCABULARY_SIZE)
        weights = 1 / (ranks + 2.7) ** 1.05
        self.edges = np.cumsum(weights / weights.sum())

    def codes(self, rows: int) -> NDArray[np.int64]:
        """Return the words of so many texts."""
        drawn = np.searchsorted(self.edges, self.rng.random((rows, WORDS)))
        return np.minimum(drawn, VOCABULARY_SIZE - 1)

    def written(self, codes: NDArray[np.int64]) -> list[str]:
        """Return texts as sentences."""
        return [
            " ".join(" ".join(row[start : start + SENTENCE]) + "." for start in range(0, WORDS, SENTENCE))
            for row in self.words[codes].tolist()
        ]


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, mb: float = 0) -> int:
    """Write rows, until the file has so many MiB if that is said; return how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(header)
        lines = iter(rows)
        while block := list(islice(lines, BLOCK)):
            table.writerows(block)
            written += len(block)
            if mb and stream.tell() >= mb * MIB:
                break
    return written


def predictions(texts: Texts, references: NDArray[np.int64], start: int = 0) -> Iterator[tuple[str, str]]:
    """Yield idioms and what a model wrote of them, half of its words from the reference; without end."""
    while True:
        which = np.arange(start, start + BLOCK) % len(references)
        start += BLOCK
        own = texts.codes(BLOCK)
        codes = np.where(texts.rng.random(own.shape) < 0.5, references[which], own)
        yield from ((f"idiom {place}", text) for place, text in zip(which.tolist(), texts.written(codes), strict=True))


def write_sinfo(folder: Path, size: Size) -> int:
    """Write one long table of predictions, and references."""
    texts = Texts()
    references = texts.codes(IDIOMS)
    lines = ((f"idiom {place}", text) for place, text in enumerate(texts.written(references)))
    write_table(folder / "references" / "references.csv", ["idiom", "explanation"], lines)
    every = predictions(texts, references)
    wanted = every if size.mb else islice(every, size.rows)
    return write_table(folder / "outputs" / "large.csv", ["idiom", "prediction"], wanted, mb=size.mb)


def write_entropy(folder: Path, size: Size) -> int:
    """Write one long table of texts."""
    texts = Texts()
    every = predictions(texts, texts.codes(IDIOMS))
    numbered = ((f"t{number:07d}", text) for number, (_, text) in enumerate(every))
    wanted = numbered if size.mb else islice(numbered, size.rows)
    return write_table(folder / "outputs" / "large.csv", ["id", "text"], wanted, mb=size.mb)


def write_files(folder: Path, size: Size) -> int:
    """Write so many small tables of predictions, a model each."""
    texts = Texts()
    references = texts.codes(10)
    lines = ((f"idiom {place}", text) for place, text in enumerate(texts.written(references)))
    write_table(folder / "references" / "references.csv", ["idiom", "explanation"], lines)
    every = predictions(texts, references)
    for number in range(size.rows):
        path = folder / "outputs" / f"model_{number:04d}.csv"
        write_table(path, ["idiom", "prediction"], islice(every, len(references)))
    return size.rows * len(references)


def write_diversity(folder: Path, size: Size) -> int:
    """Write a long table of rankings, and judgments of one in ten documents."""
    rng = Random(0)
    judgments: list[tuple[str, str, str, int]] = []

    def ranked() -> Iterator[tuple[str, str, int]]:
        for query in range(size.rows // DOCUMENTS):
            items = rng.sample(range(10_000_000), DOCUMENTS)
            judged = items[:: DOCUMENTS // 10]
            judgments.extend((f"q{query:05d}", f"s{rng.randrange(SUBTOPICS)}", f"doc-{item:07d}", 1) for item in judged)
            yield from ((f"q{query:05d}", f"doc-{item:07d}", rank) for rank, item in enumerate(items, start=1))

    written = write_table(folder / "outputs" / "large.csv", ["query", "item", "rank"], ranked())
    write_table(folder / "references" / "judgments.csv", ["query", "subtopic", "item", "relevance"], judgments)
    return written


def write_disagree(folder: Path, size: Size) -> int:
    """Write ratings of so many items by all judges."""
    rng = np.random.default_rng(0)
    names = [f"dimension_{number}" for number in range(1, DIMENSIONS + 1)]

    def ratings() -> Iterator[tuple[object, ...]]:
        for item in range(size.rows):
            scores = rng.random((JUDGES, DIMENSIONS)).round(2).tolist()
            yield from (
                (f"item-{item:06d}", f"judge_{judge}", 0.9, 0.8, *own) for judge, own in enumerate(scores, start=1)
            )

    header = ["item", "strategy", "confidence", "cultural_relevance", *names]
    return write_table(folder / "outputs" / "large.csv", header, ratings())


def write_collective(folder: Path, size: Size) -> int:
    """Write the votes of all streams on so many samples."""
    rng = np.random.default_rng(0)

    def votes() -> Iterator[tuple[object, ...]]:
        for start in range(0, size.rows, BLOCK):
            block = rng.integers(0, 4, (min(BLOCK, size.rows - start), STREAMS + 1)).tolist()
            yield from ((f"s{start + number:07d}", *own) for number, own in enumerate(block))

    header = ["sample", "label", *(f"stream_{place}" for place in range(STREAMS))]
    return write_table(folder / "outputs" / "large" / "predictions.csv", header, votes())


def write_mode_collapse(folder: Path, size: Size) -> int:
    """Write one choice a row, and the options."""
    rng = Random(0)
    names = made_up_words(rng, 1_000)[-100:]
    write_table(folder / "references" / "options.csv", ["level", "option"], ((0, name) for name in names))

    def choices() -> Iterator[tuple[object, ...]]:
        for cell in range(size.rows // SAMPLES):
            yield from ((f"cell {cell}", 0, "", choice) for choice in rng.choices(names, k=SAMPLES))

    return write_table(folder / "outputs" / "large.csv", ["Sheet", "level", "parent", "choice"], choices())


JOBS: Final[dict[str, Callable[[Path, Size], int]]] = {
    "sinfo": write_sinfo,
    "entropy": write_entropy,
    "diversity": write_diversity,
    "disagree": write_disagree,
    "collective": write_collective,
    "mode-collapse": write_mode_collapse,
    "files": write_files,
}


def main() -> None:
    """Write one job into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--mb", type=float, default=0, help="of sinfo and entropy: how large the file is to be")
    asked = parser.parse_args()
    print(f"{JOBS[asked.job](asked.folder, Size(asked.rows, asked.mb)):,} rows in {asked.folder}")


if __name__ == "__main__":
    main()
