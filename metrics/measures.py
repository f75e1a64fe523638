"""Measures: each declared once, so that columns, glossary, CSV and the Python API are made from one list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import Interval

Direction = Literal["higher", "lower"]
Quantity = Literal["score", "share", "chance", "count", "label", "text"]
Average = Literal["mean", "share", "sum", "none"]
Shown = Literal["unit", "model", "terminal"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One number (or word) that a family computes: what it is called, what it means, and where it belongs."""

    name: str  # as reports head it
    field: str  # as the Python result has it
    about: str
    about_mean: str = ""  # what its average means, where that is not plain
    quantity: Quantity = "score"
    lowest: float = 0
    highest: float | None = 1  # None: no bound
    better: Direction | None = None
    average: Average = "mean"  # how units come to a sheet, and sheets to a model
    shown: tuple[Shown, ...] = ("unit",)


CI_NOTE: Final = "CI_Note"
INTERVAL_NAMES: Final = ("CI_Low", "CI_High", CI_NOTE)


def interval_measures(interval: Interval) -> dict[str, float | str]:
    """Return an interval by the names that reports have for its ends and what is said of it."""
    return dict(zip(INTERVAL_NAMES, interval, strict=True))


def interval_numbers(interval: Interval) -> dict[str, float]:
    """Return the ends of an interval by these names, for what holds numbers only."""
    low, high, _ = INTERVAL_NAMES
    return {low: interval.low, high: interval.high}


def shown_in(measures: Iterable[Measure], place: Shown) -> tuple[Measure, ...]:
    """Return the measures that are shown in a place, in the order they were declared."""
    return tuple(measure for measure in measures if place in measure.shown)
