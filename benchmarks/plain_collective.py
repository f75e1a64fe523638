"""Emergence and routing as plain Python and as plain numpy: the peers that `scoresheet collective` is measured against.

The recipe as it is printed: a loop over samples for the collective's and the streams' accuracies, the vote taken again
without each stream, and the epsilons of the ratio and of the entropy. The recipe has models; here are their votes, so a
`Counter` per sample takes the vote. numpy does the same for blocks of samples with `bincount`. Both are written to be
fair peers: numpy takes a stream out of the counts instead of counting anew, and has all pairs from one product.
(`max(row, key=row.count)` would take the vote in some 60 % of a `Counter`'s time.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EPSILON = 1e-8
BLOCK = 30_000  # samples that numpy looks at together: with all at once it takes half as long again

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


def numpy_votes(votes: Sequence[Sequence[int]] | NDArray[np.int64], labels: Sequence[int] | NDArray[np.int64]) -> Found:
    """Return the same with numpy, one block of samples after another."""
    table, truth = np.asarray(votes), np.asarray(labels)
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


def leading(counts: NDArray[np.int64], votes: NDArray[np.int64]) -> NDArray[np.int64]:
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


def numpy_entropy(weights: Sequence[Sequence[float]] | NDArray[np.float64]) -> Found:
    """Return the same with numpy, all rows at once, as the recipe has it."""
    table = np.asarray(weights)
    rows = -(table * np.log(table + EPSILON)).sum(axis=-1)
    return {"entropy": rows, "mean": float(rows.mean())}
