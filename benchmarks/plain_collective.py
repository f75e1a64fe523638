"""Emergence and routing as plain Python and as plain numpy: the peers that `scoresheet collective` is measured against.

    python benchmarks/plain_collective.py plain|numpy|everything OUTPUTS RESULTS [EVERY]

The recipe as it is printed: the collective's and the streams' accuracies, the vote taken again without each stream, the
error diversity of all pairs, the entropy of the routing weights. `plain` loops over samples with a `Counter` for each
vote; `numpy` does the same for blocks of samples with `bincount`. Both are written to be fair peers: numpy takes a
stream out of the counts instead of counting anew, and has all pairs from one product. `everything` adds to it what a
paper reports besides: Shapley values, which need the accuracy of every coalition, a bootstrap interval of the ratio,
and McNemar's test by scipy. pandas reads, and writes a workbook of the results and a CSV of the samples for each
system. With EVERY every so many-th coalition and resample is looked at.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from parts import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

ENGINE: Final = "openpyxl"
EPSILON: Final = 1e-8
BLOCK: Final = 30_000  # samples that numpy looks at together: with all at once it takes half as long again
RESAMPLES: Final = 2_000
WAYS: Final = ("plain", "numpy", "everything")

Found = dict[str, Any]


def plain_votes(votes: Sequence[Sequence[int]], labels: Sequence[int]) -> Found:
    """Return the votes and all that is asked of them, one sample after another."""
    codes, tied = [], []
    for row in votes:
        counts = Counter(row)
        most = max(counts.values())
        codes.append(max(counts, key=counts.__getitem__))  # a Counter keeps the order: the leftmost of the tied
        tied.append(list(counts.values()).count(most) > 1)
    places = range(len(votes[0]))
    hits = [[row[place] == label for row, label in zip(votes, labels, strict=True)] for place in places]
    accuracy = sum(code == label for code, label in zip(codes, labels, strict=True)) / len(labels)
    streams = [sum(each) / len(labels) for each in hits]
    return {
        "codes": codes,
        "tied": tied,
        "accuracy": accuracy,
        "streams": streams,
        "ratio": accuracy / (max(streams) + EPSILON),
        "without": [plain_accuracy(([*row[:place], *row[place + 1 :]] for row in votes), labels) for place in places],
        "pairs": [plain_pair(one, other) for one, other in combinations(hits, 2)],
    }


def plain_accuracy(votes: Iterable[Sequence[int]], labels: Sequence[int]) -> float:
    """Return the accuracy of the vote."""
    right = 0
    for row, label in zip(votes, labels, strict=True):
        counts = Counter(row)
        right += max(counts, key=counts.__getitem__) == label
    return right / len(labels)


def plain_pair(one: Sequence[bool], other: Sequence[bool]) -> tuple[float, float, float]:
    """Return Q, disagreement and double fault of two streams' hits."""
    counts = Counter(zip(one, other, strict=True))
    both, neither = counts[True, True], counts[False, False]
    return diversity(both, neither, counts[True, False], counts[False, True])


def diversity(both: int, neither: int, only_one: int, only_other: int) -> tuple[float, float, float]:
    """Return Q, disagreement and double fault from the four counts."""
    agreeing, apart = both * neither, only_one * only_other
    samples = both + neither + only_one + only_other
    q = (agreeing - apart) / (agreeing + apart) if agreeing + apart else math.nan
    return q, (only_one + only_other) / samples, neither / samples


def numpy_votes(table: Integers, truth: Integers) -> Found:
    """Return the same with numpy, one block of samples after another."""
    samples, streams = table.shape
    classes = int(max(table.max(), truth.max())) + 1
    codes, tied = np.empty(samples, dtype=table.dtype), np.empty(samples, dtype=bool)
    right = np.zeros(streams)
    together = np.zeros((streams, streams))
    for start in range(0, samples, BLOCK):
        block, answer = table[start : start + BLOCK], truth[start : start + BLOCK]
        rows = np.arange(len(block))
        cells = (rows[:, None] * classes + block).ravel()
        counts = np.bincount(cells, minlength=len(block) * classes).reshape(len(block), classes)
        codes[start : start + BLOCK] = leading(counts, block)
        tied[start : start + BLOCK] = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) > 1
        for place in range(streams):
            counts[rows, block[:, place]] -= 1
            right[place] += (leading(counts, np.delete(block, place, axis=1)) == answer).sum()
            counts[rows, block[:, place]] += 1
        hits = (block == answer[:, None]).astype(float)
        together += hits.T @ hits
    accuracy, alone = float((codes == truth).mean()), together.diagonal() / samples
    return {
        "codes": codes,
        "tied": tied,
        "accuracy": accuracy,
        "streams": alone,
        "ratio": accuracy / (alone.max() + EPSILON),
        "without": right / samples,
        "pairs": numpy_pairs(together, samples),
    }


def leading(counts: Integers, votes: Integers) -> Integers:
    """Return the class with most votes, of tied ones that whose first voter stands leftmost."""
    first = np.take_along_axis(counts, votes, axis=1).argmax(axis=1)
    return np.asarray(votes[np.arange(len(votes)), first])


def numpy_pairs(together: NDArray[np.float64], samples: int) -> list[tuple[float, float, float]]:
    """Return Q, disagreement and double fault of every two streams from how often both are right."""
    found = []
    for one, other in combinations(range(len(together)), 2):
        both, first, second = (int(together[place]) for place in ((one, other), (one, one), (other, other)))
        found.append(diversity(both, samples - first - second + both, first - both, second - both))
    return found


def plain_entropy(weights: Sequence[Sequence[float]]) -> Found:
    """Return the routing entropy of each row and their mean, one row after another."""
    log = math.log
    rows = [-sum(weight * log(weight + EPSILON) for weight in row) for row in weights]
    return {"entropy": rows, "mean": sum(rows) / len(rows)}


def numpy_entropy(table: NDArray[np.float64]) -> Found:
    """Return the same with numpy, all rows at once, as the recipe has it."""
    rows = -(table * np.log(table + EPSILON)).sum(axis=-1)
    return {"entropy": rows, "mean": float(rows.mean())}


def coalition_accuracy(table: Integers, truth: Integers) -> float:
    """Return the accuracy of the vote of some streams; of tied classes the one whose first voter stands leftmost."""
    classes, right = int(max(table.max(), truth.max())) + 1, 0
    for start in range(0, len(table), BLOCK):
        block = table[start : start + BLOCK]
        cells = (np.arange(len(block))[:, None] * classes + block).ravel()
        counts = np.bincount(cells, minlength=len(block) * classes).reshape(len(block), classes)
        right += int((leading(counts, block) == truth[start : start + BLOCK]).sum())
    return right / len(table)


def shapley_values(table: Integers, truth: Integers, part: Part) -> list[float]:
    """Return what each stream adds to a coalition, over all orders in which they may join."""
    streams = table.shape[1]
    coalitions = [members for size in range(1, streams + 1) for members in combinations(range(streams), size)]
    with part.scoring():
        accuracy = {
            members: coalition_accuracy(table[:, list(members)], truth) if part.has(number) else math.nan
            for number, members in enumerate(coalitions)
        }
    accuracy[()] = 0.0
    values = []
    for place in range(streams):
        joined = [members for members in accuracy if place not in members]
        weights = [1 / (streams * math.comb(streams - 1, len(members))) for members in joined]
        added = [accuracy[tuple(sorted((*members, place)))] - accuracy[members] for members in joined]
        values.append(math.fsum(weight * more for weight, more in zip(weights, added, strict=True)))
    return values


def ratio_interval(fused: NDArray[np.bool_], streams: NDArray[np.bool_], part: Part) -> tuple[float, float]:
    """Return the percentile interval of the emergence ratio over resampled samples."""
    rng, hits = np.random.default_rng(0), np.column_stack([fused, streams])
    drawn = []
    with part.scoring():
        for number in range(RESAMPLES):
            if part.has(number):
                means = hits[rng.integers(len(hits), size=len(hits))].mean(axis=0)
                drawn.append(means[0] / means[1:].max())
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def mcnemar(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Return the exact p-value of two streams' hits."""
    from scipy.stats import binomtest  # type: ignore[import-not-found,import-untyped,unused-ignore]

    only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
    return float(binomtest(only_one, only_one + only_other).pvalue) if only_one + only_other else 1.0


def score_system(folder: Path, results: Path, part: Part, way: str) -> dict[str, Any]:
    """Write the system's workbook and CSV and return its line of the results."""
    predictions = pd.read_csv(folder / "predictions.csv")
    weights = pd.read_csv(folder / "routing.csv").drop(columns="sample")
    streams = predictions.columns[2:]
    table, truth = predictions[streams].to_numpy(), predictions["label"].to_numpy()
    if way == "plain":
        found = plain_votes(table.tolist(), truth.tolist())
        entropy = plain_entropy(weights.to_numpy().tolist())
    else:
        found, entropy = numpy_votes(table, truth), numpy_entropy(weights.to_numpy())
    fused = np.asarray(found["codes"]) == truth
    lines = pd.DataFrame({"Stream": streams, "Accuracy": found["streams"]})
    lines["Contribution"] = [found["accuracy"] - without for without in found["without"]]
    line = {"Model Name": folder.name, "Collective_Accuracy": found["accuracy"], "Emergence_Ratio": found["ratio"]}
    line |= {"Ties": int(np.sum(found["tied"])), "Routing_Entropy": entropy["mean"]}
    if way == "everything":
        hits = table == truth[:, None]
        lines["Shapley"] = shapley_values(table, truth, part)
        lines["McNemar_P"] = [mcnemar(fused, each) for each in hits.T]
        line["CI_Low"], line["CI_High"] = ratio_interval(fused, hits, part)
    pairs = pd.DataFrame(found["pairs"], columns=["Q", "Disagreement", "Double_Fault"])
    pairs.insert(0, "Pair", [" and ".join(pair) for pair in combinations(streams, 2)])
    with pd.ExcelWriter(results / f"{folder.name}_collective.xlsx", engine=ENGINE) as book:
        pd.DataFrame([line]).to_excel(book, sheet_name="Summary", index=False)
        lines.to_excel(book, sheet_name="Streams", index=False)
        pairs.to_excel(book, sheet_name="Pairs", index=False)
    lines.to_csv(results / f"{folder.name}_collective.csv", index=False)
    voted = predictions.assign(Collective=found["codes"], Correct=fused.astype(int))
    voted.to_csv(results / f"{folder.name}_collective_samples.csv", index=False)
    return line


def main(way: str, outputs: Path, results: Path, *, every: int = 1) -> None:
    """Score every system of a folder and write the results beside each other."""
    results.mkdir(parents=True, exist_ok=True)
    part = Part(every)
    folders = sorted(path for path in outputs.iterdir() if path.is_dir())
    table = pd.DataFrame([score_system(folder, results, part, way) for folder in folders])
    table.to_csv(results / "collective_results.csv", index=False)
    part.note(results)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in WAYS:
        sys.exit(f"usage: python plain_collective.py {'|'.join(WAYS)} OUTPUTS RESULTS [EVERY]")
    main(sys.argv[1], *map(Path, sys.argv[2:4]), every=int(sys.argv[4]) if sys.argv[4:] else 1)
