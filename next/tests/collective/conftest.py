"""Ensembles as tables, and the naive twin of their scoring."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoresheet.metrics.collective import CollectiveOptions
from scoresheet.metrics.collective.score import score
from scoresheet.metrics.family import Scores

Tables = dict[str, pd.DataFrame]


def long(labels: Sequence[str], votes: Mapping[str, Sequence[str]], **columns: Any) -> pd.DataFrame:
    """Return a table of predictions, a row for each sample and member."""
    rows = [
        {"sample": f"s{at}", "label": label, "stream": name, "prediction": own[at]}
        for at, label in enumerate(labels)
        for name, own in votes.items()
    ]
    return placed(pd.DataFrame(rows, dtype=object).assign(model="m", **columns))


def placed(frame: pd.DataFrame, file: str = "m.csv") -> pd.DataFrame:
    """Return a table with the columns that say where its rows come from."""
    return frame.assign(row=range(2, len(frame) + 2), file=file, worksheet="")


def scored(outputs: pd.DataFrame, further: Tables | None = None, **options: Any) -> Scores:
    """Return the scores of one ensemble."""
    tables = {"outputs": outputs, **(further or {})}
    return score(tables, CollectiveOptions(**options))


def naive_majority(votes: Sequence[str]) -> tuple[str, bool]:
    """Return the class with the most votes, the first voted for on a tie, and whether it is one."""
    counts = Counter(vote for vote in votes if vote)
    if not counts:
        return "", False
    most = max(counts.values())
    tied = [vote for vote in votes if counts[vote] == most]
    return tied[0], len(set(tied)) > 1


def naive_accuracy(labels: Sequence[str], rows: Sequence[Sequence[str]], ties: str) -> float:
    """Return the accuracy of the votes of some members."""
    right = 0
    for label, votes in zip(labels, rows, strict=True):
        winner, tied = naive_majority(votes)
        right += bool(winner) and winner == label and not (tied and ties == "wrong")
    return right / len(labels)


def naive_shapley(labels: Sequence[str], rows: Sequence[Sequence[str]], ties: str) -> list[float]:
    """Return the mean gain of each member over all orders in which members can join."""
    k = len(rows[0])
    orders = list(permutations(range(k)))
    values = np.zeros(k)
    for order in orders:
        before = 0.0
        for count, member in enumerate(order, 1):
            chosen = sorted(order[:count])
            after = naive_accuracy(labels, [[row[j] for j in chosen] for row in rows], ties)
            values[member] += after - before
            before = after
    return [float(value) / len(orders) for value in values]


@pytest.fixture
def votes() -> tuple[list[str], dict[str, list[str]]]:
    """Labels of 60 samples, and the votes of four members, some of them empty."""
    rng = np.random.default_rng(7)
    labels = rng.choice(["a", "b", "c"], 60).tolist()
    given = {
        name: [
            "" if blank < 0.05 else label if right < accuracy else other
            for label, right, blank, other in zip(
                labels, rng.random(60), rng.random(60), rng.choice(["a", "b", "c"], 60), strict=True
            )
        ]
        for name, accuracy in {"ann": 0.6, "bob": 0.5, "eva": 0.55, "tim": 0.3}.items()
    }
    return labels, given
