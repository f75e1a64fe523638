"""`scoresheet collective` against plain Python and numpy: votes of ten streams and routing weights in CSV files."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist

import numpy as np
from commands import Bench, Job, Peer, Size, names
from harness import Agreement
from workload import write_table

STREAMS, CLASSES, EXPERTS = 10, 10, 8
SKILL = (0.55, 0.70)  # accuracies of the worst and the best stream
SHARED = 0.4  # of what makes a sample hard for a stream makes it hard for all
LURE = 0.5  # of the errors on a sample are the same class
NEARLY = 1e-9


def write(folder: Path, size: Size) -> Job:
    """Write the votes and the routing weights of each system."""
    rng = np.random.default_rng(0)
    for system in names(size.models, "system"):
        votes, labels = made_up_votes(rng, size.units)
        weights = np.exp(rng.normal(0, 1.5, size=(size.units, EXPERTS)))
        shares = (weights / weights.sum(axis=1, keepdims=True)).round(6)
        place = folder / "outputs" / system
        numbered = ((f"s{row:07d}", *line) for row, line in enumerate(np.column_stack([labels, votes]).tolist()))
        write_table(place / "predictions.csv", ["sample", "label", *(f"stream_{n}" for n in range(STREAMS))], numbered)
        routed = ((f"s{row:07d}", *line) for row, line in enumerate(shares.tolist()))
        write_table(place / "routing.csv", ["sample", *(f"expert_{n}" for n in range(EXPERTS))], routed)
    return Job([str(folder / "outputs")], names(size.models, "system"))


def made_up_votes(
    rng: np.random.Generator, samples: int
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return votes and labels: some samples are hard for all streams, and many errors are the same."""
    bars = np.array([NormalDist().inv_cdf(skill) for skill in np.linspace(*SKILL, STREAMS)])
    labels, shape = rng.integers(CLASSES, size=samples), (samples, STREAMS)
    hard = SHARED**0.5 * rng.normal(size=(samples, 1)) + (1 - SHARED) ** 0.5 * rng.normal(size=shape)
    away = np.where(rng.random(shape) < LURE, rng.integers(1, CLASSES, (samples, 1)), rng.integers(1, CLASSES, shape))
    return (labels[:, None] + np.where(hard < bars, 0, away)) % CLASSES, labels


BENCH = Bench(
    name="collective",
    command="collective",
    units="samples",
    about=(
        f"Votes of {STREAMS} streams and {EXPERTS} routing weights for each sample. Plain Python and numpy have the"
        " recipe's numbers; everything adds Shapley values, an interval and McNemar's test."
    ),
    write=write,
    sizes=(Size(2, 5_000), Size(2, 25_000), Size(2, 125_000)),
    quick=(Size(2, 2_500), Size(2, 5_000), Size(2, 15_000)),
    peers=(
        Peer("plain Python", "plain_collective.py", ("plain",)),
        Peer("numpy", "plain_collective.py", ("numpy",)),
        Peer("numpy, everything", "plain_collective.py", ("everything",), every=lambda _: 50),
    ),
    agreement=Agreement("collective", ("Stream",), {"Accuracy": NEARLY, "Contribution": NEARLY}),
    each_of_many=200,
)
