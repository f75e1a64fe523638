"""Targets: the accuracies that a system is to reach on its data, and whether it does."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from scoresheet.metrics.families.collective.best_member import NO, NOT_SHOWN, YES
from scoresheet.metrics.families.collective.names import matching_names
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.schema import DATASET, TARGETS
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, note
from scoresheet.metrics.stats.binomial import binomial_tail
from scoresheet.metrics.stats.confidence import significance_level

TARGET: Final = "target"  # the column whose verdict stands in the results table


class Target(NamedTuple):
    """An accuracy to be reached, and whether it is."""

    name: str  # baseline, target, state of the art, or another column
    dataset: str
    value: float
    accuracy: float
    samples: int
    reached: str

    @property
    def difference(self) -> float:
        """The accuracy less the target."""
        return self.accuracy - self.value


def judge_targets(
    table: NumericTable | None, dataset: str, accuracy: float, samples: int, *, confidence: float
) -> Noted[tuple[Target, ...]]:
    """Return the targets of the system's data with their verdicts; a note where the sheet has none for it."""
    if table is None or table.is_empty or math.isnan(accuracy):
        return Noted(())
    names = table.cells(DATASET)
    matches = matching_names(dataset, names) if dataset else names
    if len(matches) != 1:
        known = join_names(names, most=8)
        what = f"has no row for the dataset {dataset!r}" if dataset else "has several rows, and no parameter dataset"
        return Noted(
            (), (note("no-target", f"the sheet {TARGETS.role} {what}; its rows are {known}", sheet=TARGETS.role),)
        )
    row = table.values[names.index(matches[0])].tolist()
    in_percent = [name for name, value in zip(table.names, row, strict=True) if value > 1]
    message = f"accuracies above 1 were read as percent: {join_names(in_percent)}"
    problems = (note("bad-number", message, sheet=TARGETS.role),) if in_percent else ()
    found = []
    for name, written in zip(table.names, row, strict=True):
        value = written / 100 if written > 1 else written
        if 0 <= value <= 1:
            verdict = is_reached(accuracy, samples, value, confidence=confidence)
            found.append(Target(name, matches[0], value, accuracy, samples, verdict))
    return Noted(tuple(found), problems)


def is_reached(accuracy: float, samples: int, target: float, *, confidence: float) -> str:
    """Return yes or no where the exact binomial interval of the accuracy lies on one side of the target.

    >>> is_reached(0.9, 1_000, 0.85, confidence=0.95), is_reached(0.9, 10, 0.85, confidence=0.95)
    ('yes', 'not shown')
    """
    hits, tail = round(accuracy * samples), significance_level(confidence) / 2
    if binomial_tail(hits, samples, target) < tail:
        return YES
    return NO if binomial_tail(samples - hits, samples, 1 - target) < tail else NOT_SHOWN
