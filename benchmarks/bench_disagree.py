"""`scoresheet disagree` against pandas and the package krippendorff: a row per item and judge in CSV files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from commands import Bench, Job, Peer, Size, names
from harness import Agreement
from workload import write_table

JUDGES, DIMENSIONS = 5, 6
STEPS = 4  # a score is 0, a quarter, a half, three quarters or 1
MISSING = 0.02  # of the rows: a judge who did not see an item
HARSHNESS, NOISE = 0.05, 0.12  # standard deviations of a judge's bias and of a score
NEARLY = 1e-9


def write(folder: Path, size: Size) -> Job:
    """Write a table for each panel: good and bad items, strict and mild judges."""
    rng = np.random.default_rng(0)
    header = [
        "item",
        "strategy",
        "confidence",
        "cultural_relevance",
        *(f"dimension_{n + 1}" for n in range(DIMENSIONS)),
    ]
    for panel in names(size.models, "panel"):
        write_table(folder / "outputs" / f"{panel}.csv", header, judgements(rng, size.units))
    return Job([str(folder / "outputs")], names(size.models, "panel"))


def judgements(rng: np.random.Generator, items: int) -> Iterator[list[object]]:
    """Yield the rows of a panel."""
    quality = rng.beta(2, 1.5, size=(items, 1, DIMENSIONS)) + rng.normal(0, HARSHNESS, size=(1, JUDGES, 1))
    scores = (quality + rng.normal(0, NOISE, size=(items, JUDGES, DIMENSIONS))).clip(0, 1)
    steps = np.round(scores * STEPS) / STEPS
    weights = rng.uniform(0.3, 1, size=(items, JUDGES, 2)).round(2)
    there = rng.random((items, JUDGES)) >= MISSING
    for item, judge in np.argwhere(there).tolist():
        yield [f"item-{item:06d}", f"judge_{judge}", *weights[item, judge].tolist(), *steps[item, judge].tolist()]


# what jumps where the last digit decides (outliers, reliability) is not compared
COLUMNS = (
    "Judges",
    "Mean",
    "Variance",
    "CV",
    "Min",
    "Max",
    "Consensus",
    *(f"Mean_dimension_{n + 1}" for n in range(DIMENSIONS)),
)

BENCH = Bench(
    name="disagree",
    command="disagree",
    units="items",
    about=(
        f"{JUDGES} judges, {DIMENSIONS} dimensions, a row per item and judge. pandas has the recipe's formulas over"
        " whole columns, krippendorff alpha of each dimension;"
        " everything adds intervals of alpha and kappa of every two judges."
    ),
    write=write,
    sizes=(Size(2, 500), Size(2, 2_500), Size(2, 12_500)),
    quick=(Size(2, 250), Size(2, 500), Size(2, 1_500)),
    peers=(
        Peer("pandas, krippendorff", "plain_disagree.py", ("scores",)),
        Peer("pandas, krippendorff, everything", "plain_disagree.py", ("everything",), every=lambda _: 200),
    ),
    agreement=Agreement("disagreement", ("Item",), dict.fromkeys(COLUMNS, NEARLY)),
    each_of_many=200,
)
