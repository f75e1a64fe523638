"""Strategies: an ensemble made out of one judge's dimension scores, by turning a few screws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.core import ROW, SOURCE
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.numbers import format_float, parse_float
from scoresheet.metrics.problems import UsageError

_BIAS: Final = 0.1  # what a bias of 1 adds to a score
_EMPHASIS: Final = 0.2  # what emphasis beyond the middle adds, times relevance
_MIDDLE: Final = 0.5
SCREWS: Final = ("emphasis", "threshold", "bias")
_LEAST: Final = {"bias": -1.0}  # all else begins at 0; nothing is above 1


@dataclass(frozen=True)
class Strategy:
    """A way of scoring: how much cultural relevance lifts a score, which confidence is enough, how strict it is."""

    name: str
    emphasis: float
    threshold: float
    bias: float  # below 0 it is strict, above 0 lenient
    weights: Mapping[str, float] = field(default_factory=dict)  # by dimension: what confidence is multiplied by


DEFAULT_STRATEGIES: Final = (
    Strategy("standard", 0.5, 0.5, 0.0),
    Strategy("conservative", 0.3, 0.7, -0.2),
    Strategy("aggressive", 0.7, 0.3, 0.2),
    Strategy("cultural_focused", 0.9, 0.6, 0.1),
    Strategy(
        "dimension_weighted",
        0.6,
        0.5,
        0.0,
        {
            "cultural_authenticity": 0.3,
            "traditional_accuracy": 0.3,
            "contextual_appropriateness": 0.2,
            "linguistic_competence": 0.2,
        },
    ),
)


def apply_strategy(
    score: Any, confidence: Any, relevance: Any, strategy: Strategy, weight: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return score and confidence, numbers or arrays on the scale 0 to 1, as the strategy sees them.

    >>> score, confidence = apply_strategy(0.8, 0.6, 0.5, DEFAULT_STRATEGIES[1])
    >>> round(float(score), 2), float(confidence)
    (0.78, 0.3)
    """
    lift = max(strategy.emphasis - _MIDDLE, 0.0) * _EMPHASIS
    moved = np.clip(score + strategy.bias * _BIAS + lift * relevance, 0.0, 1.0)
    sure = np.asarray(confidence * (1.0 if weight is None else weight))
    sure = np.where(sure < strategy.threshold, sure / 2, sure)
    return np.asarray(moved), np.clip(sure, 0.0, 1.0)


def ensemble(
    scores: NDArray[np.float64],
    confidence: NDArray[np.float64],
    relevance: NDArray[np.float64],
    dimensions: Sequence[str],
    strategies: Sequence[Strategy],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return scores, confidence and relevance of the strategies, items × strategies × dimensions, from one judge's."""
    relevance = np.clip(relevance, 0.0, 1.0)
    shape = (len(scores), len(strategies), len(dimensions))
    all_scores, all_confidence = np.empty(shape), np.empty(shape)
    for place, strategy in enumerate(strategies):
        weights = {loose_key(name): weight for name, weight in strategy.weights.items()}
        for column, dimension in enumerate(dimensions):
            all_scores[:, place, column], all_confidence[:, place, column] = apply_strategy(
                scores[:, column],
                confidence[:, column],
                relevance[:, column],
                strategy,
                weights.get(loose_key(dimension)),
            )
    return all_scores, all_confidence, np.repeat(relevance[:, None, :], len(strategies), axis=1)


def strategies_of(table: pd.DataFrame) -> tuple[Strategy, ...]:
    """Return the strategies of a user's table; Misuse says which cell cannot be one of a strategy."""
    own = {"strategy", *SCREWS}
    others = [name for name in table.columns if name not in own and not str(name).startswith("@")]
    weights = [name for name in others if any(parse_float(cell) is not None for cell in table[name])]
    found: dict[str, Strategy] = {}
    for place in range(len(table)):
        row = table.iloc[place]
        name = join_key(row["strategy"])
        if name in found:
            raise UsageError(
                f"{row[SOURCE]} row {row[ROW]}: the strategy {name!r} is there twice; give each its own name"
            )
        emphasis, threshold, bias = (_number(row, column, required=True) or 0.0 for column in SCREWS)
        own_weights = {column: _number(row, column) for column in weights}
        known = {column: value for column, value in own_weights.items() if value is not None}
        found[name] = Strategy(name, emphasis, threshold, bias, known)
    if not found:
        raise UsageError(
            "--strategies: the table has no rows; a strategy is a row of strategy, emphasis, threshold, bias"
        )
    return tuple(found.values())


def _number(row: Any, column: str, *, required: bool = False) -> float | None:
    cell = row[column].strip()
    if not cell and not required:
        return None
    value = parse_float(cell)
    if value is None:
        shown = f"{cell!r} is not a number" if cell else "the cell is empty"
        raise UsageError(f"{row[SOURCE]} row {row[ROW]}, column {column}: {shown}; a strategy needs a number there")
    least = _LEAST.get(column, 0.0)
    if not least <= value <= 1:
        raise UsageError(
            f"{row[SOURCE]} row {row[ROW]}, column {column}: {cell} is not within {format_float(least)} and 1, as the "
            f"{column if column in SCREWS else 'weight'} of a strategy must be"
        )
    return value


def unused_weights(strategies: Sequence[Strategy], dimensions: Sequence[str]) -> list[str]:
    """Return the dimensions that strategies weigh and that are not there."""
    known = {loose_key(name) for name in dimensions}
    named = dict.fromkeys(name for strategy in strategies for name in strategy.weights)
    return [name for name in named if loose_key(name) not in known]
