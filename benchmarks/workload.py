"""Synthetic jobs for the benchmarks: seeded, so every machine scores the same texts.

Run it to look at a job, or to have one for a profiler:

    python benchmarks/workload.py FOLDER --models 2 --sheets 5 --rows 100 --words 60
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, product
from pathlib import Path
from random import Random

import xlsxwriter

VOCABULARY_SIZE = 5_000
LONGER_FROM = (150, 2_000)  # the ranks from which words have two and three syllables
SHARED = (0.4, 0.7)  # the share of a prediction's words that come from its reference
SENTENCE = (8, 18)  # words between two full stops
LENGTH = (0.8, 1.25)  # words of a prediction, relative to its reference


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is to score."""

    models: int
    sheets: int  # of each model
    rows: int  # of each sheet
    words: int  # of each reference

    @property
    def total(self) -> int:
        """Return the rows of all sheets of all models."""
        return self.models * self.sheets * self.rows


@dataclass(frozen=True, kw_only=True)
class Job:
    """Where a job lies and how many rows it has over all models and sheets."""

    outputs: Path
    references: Path
    rows: int


class Language:
    """A made-up language: Zipf's vocabulary, the commonest words the shortest."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.words = made_up_words(self.rng, VOCABULARY_SIZE)
        # Mandelbrot's form of Zipf's law: the flat head keeps the first word near 6 %, as "the" in English
        self.weights = list(accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(VOCABULARY_SIZE)))

    def draw(self, count: int) -> list[str]:
        """Return words as they would follow each other in a text."""
        return self.rng.choices(self.words, cum_weights=self.weights, k=count)

    def paraphrase(self, reference: list[str]) -> list[str]:
        """Return a noisy retelling that shares 40 to 70 % of its words with the reference."""
        size = max(1, round(len(reference) * self.rng.uniform(*LENGTH)))
        kept = min(len(reference), round(size * self.rng.uniform(*SHARED)))
        places = sorted(self.rng.sample(range(len(reference)), kept))
        # neighbours now and then change places: a retelling that kept all order would flatter every LCS
        places.sort(key=lambda place: place + self.rng.uniform(0, 4))
        retold = [reference[place] for place in places]
        for word in self._words_outside(set(reference), size - kept):
            retold.insert(self.rng.randrange(len(retold) + 1), word)
        return retold

    def text(self, words: list[str]) -> str:
        """Return the words as sentences, each ended by a full stop."""
        sentences, start = [], 0
        while start < len(words):
            stop = start + self.rng.randint(*SENTENCE)
            if len(words) - stop < SENTENCE[0] // 2:  # no stump of a sentence at the end
                stop = len(words)
            sentences.append(" ".join(words[start:stop]) + ".")
            start = stop
        return " ".join(sentences)

    def _words_outside(self, known: set[str], count: int) -> list[str]:
        """Return drawn words that are not known, so that the shared part is what was asked for."""
        found: list[str] = []
        while len(found) < count:
            found += [word for word in self.draw(2 * (count - len(found))) if word not in known]
        return found[:count]


def write_table(path: Path, header: Sequence[str], lines: Iterable[Sequence[object]]) -> None:
    """Write a CSV and the folder it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(header)
        table.writerows(lines)


def made_up_words(rng: Random, count: int) -> list[str]:
    """Return distinct words of one to three syllables, short ones first."""
    onsets = [*"bcdfghjklmnprstvw", "br", "ch", "cl", "dr", "fl", "gr", "pl", "sh", "st", "th", "tr"]
    nuclei = [*"aeiou", "ai", "ea", "ee", "ou"]
    codas = ["", "", "l", "n", "r", "s", "t", "nd"]
    syllables = sorted({"".join(parts) for parts in product(onsets, nuclei, codas)})
    words: dict[str, None] = {}
    while len(words) < count:
        length = 1 + sum(len(words) >= rank for rank in LONGER_FROM)
        words["".join(rng.choices(syllables, k=length))] = None
    return list(words)


def write_job(folder: Path, size: Size, *, seed: int = 0) -> Job:
    """Write a workbook for each model, and the references they are scored against.

    Every sheet holds the same idioms in another order with other predictions, as arrangements of a prompt do.
    """
    language = Language(seed)
    references = {
        f"{' '.join(language.draw(2))} {number}": language.draw(size.words) for number in range(1, size.rows + 1)
    }
    job = Job(outputs=folder / "outputs", references=folder / "references", rows=size.total)
    job.outputs.mkdir(parents=True)
    explained = ([idiom, language.text(reference)] for idiom, reference in references.items())
    write_table(job.references / "references.csv", ["idiom", "explanation"], explained)
    for number in range(1, size.models + 1):
        _write_model(job.outputs / f"model_{number:04d}.xlsx", language, references, size.sheets)
    return job


def _write_model(path: Path, language: Language, references: dict[str, list[str]], sheets: int) -> None:
    with xlsxwriter.Workbook(path) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})  # the same bytes on every run
        for number in range(1, sheets + 1):
            sheet = book.add_worksheet(f"permutation{number}")
            sheet.write_row(0, 0, ["Idiom", "Prediction"])
            for row, idiom in enumerate(language.rng.sample(list(references), len(references)), start=1):
                sheet.write_string(row, 0, idiom)
                sheet.write_string(row, 1, language.text(language.paraphrase(references[idiom])))


def main() -> None:
    """Write one job into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where outputs/ and references/ are made; must not have them yet")
    parser.add_argument("--models", type=int, default=2)
    parser.add_argument("--sheets", type=int, default=5, help="sheets of each model")
    parser.add_argument("--rows", type=int, default=100, help="rows of each sheet")
    parser.add_argument("--words", type=int, default=60, help="words of each reference")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    size = Size(models=asked.models, sheets=asked.sheets, rows=asked.rows, words=asked.words)
    job = write_job(asked.folder, size, seed=asked.seed)
    print(f"{job.rows:,} rows: {job.outputs} {job.references}")


if __name__ == "__main__":
    main()
