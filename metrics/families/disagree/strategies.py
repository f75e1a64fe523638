"""Strategies: judges simulated out of one judge's dimension scores, by a few parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_between
from scoresheet.metrics.keys import loose_key
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import TOLERANCE

BIAS_WEIGHT: Final = 0.1  # what a bias of 1 adds to a score
EMPHASIS_WEIGHT: Final = 0.2  # what emphasis beyond the middle adds, times relevance
MIDDLE_EMPHASIS: Final = 0.5

ScoreLike = float | NDArray[np.float64]


@dataclass(frozen=True)
class Strategy:
    """A way of scoring: how much cultural relevance lifts a score, which confidence is enough, how strict it is.

    Parameters
    ----------
    name : str
        What the simulated judge is called.
    emphasis : float
        Above MIDDLE_EMPHASIS, relevance lifts a score by the difference, weighted by EMPHASIS_WEIGHT.
    threshold : float
        A confidence below it is halved.
    bias : float
        Added to a score, weighted by BIAS_WEIGHT: below 0 it is strict, above 0 lenient.
    weights : mapping of str to float, optional
        By dimension: what confidence is multiplied by.

    Raises
    ------
    ValueError
        If emphasis, threshold or a weight does not lie within 0 and 1, or the bias within -1 and 1.

    Examples
    --------
    >>> Strategy("strict", emphasis=0.5, threshold=0.6, bias=-0.5).bias
    -0.5
    """

    name: str
    emphasis: float
    threshold: float
    bias: float
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        parameters = {"emphasis": self.emphasis, "threshold": self.threshold, "bias": self.bias, **self.weights}
        for name, value in parameters.items():
            least = -1 if name == "bias" else 0
            if not least <= value <= 1:
                raise ValueError(f"{name} of the strategy {self.name!r} lies within {least} and 1, not {value}")


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
    score: ScoreLike, confidence: ScoreLike, relevance: ScoreLike, strategy: Strategy, weight: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return score and confidence as a strategy sees them.

    Parameters
    ----------
    score, confidence, relevance : float or ndarray of float
        On the scale 0 to 1, all of one shape.
    strategy : Strategy
        The way of scoring; DEFAULT_STRATEGIES has five.
    weight : float, optional
        What confidence is multiplied by; the strategy's own weights, which go by dimension, are not looked at.

    Returns
    -------
    score, confidence : ndarray of float
        Of the same shape, on the scale 0 to 1.

    Raises
    ------
    ValueError
        If a score or relevance lies outside 0 and 1, a confidence or the weight is negative, shapes differ, or the
        strategy is none.

    Examples
    --------
    >>> score, confidence = apply_strategy(0.8, 0.6, 0.5, DEFAULT_STRATEGIES[1])
    >>> round(float(score), 2), float(confidence)
    (0.78, 0.3)
    """
    if not isinstance(strategy, Strategy):
        raise ValueError(f"strategy must be a Strategy, not {strategy!r}")  # noqa: TRY004 - one kind of error
    if weight is not None:
        check_between("weight", weight, 0, np.inf)
    for name, values, highest in (
        ("score", score, 1.0),
        ("confidence", confidence, np.inf),
        ("relevance", relevance, 1.0),
    ):
        if np.shape(values) != np.shape(score):
            raise ValueError(f"{name} must have the score's shape {np.shape(score)}, not {np.shape(values)}")
        outside = np.ravel(np.asarray(values, dtype=float))
        outside = outside[(outside < -TOLERANCE) | (outside > highest + TOLERANCE)]
        if len(outside):
            raise ValueError(f"{name} cannot be {outside[0]}; it lies within 0 and {highest:g}")
    lift = max(strategy.emphasis - MIDDLE_EMPHASIS, 0.0) * EMPHASIS_WEIGHT
    moved = np.clip(score + strategy.bias * BIAS_WEIGHT + lift * relevance, 0.0, 1.0)
    sure = np.asarray(confidence * (1.0 if weight is None else weight))
    sure = np.where(sure < strategy.threshold, sure / 2, sure)
    return np.asarray(moved), np.clip(sure, 0.0, 1.0)


class SimulatedJudges(NamedTuple):
    """What the strategies make of one judge's scores; each array is items × strategies × dimensions."""

    scores: NDArray[np.float64]
    confidence: NDArray[np.float64]
    relevance: NDArray[np.float64]


def simulate_judges(
    scores: NDArray[np.float64],
    confidence: NDArray[np.float64],
    relevance: NDArray[np.float64],
    dimensions: Sequence[str],
    strategies: Sequence[Strategy],
) -> SimulatedJudges:
    """Return what strategies make of one judge's scores, confidence and relevance, each items × dimensions."""
    relevance = np.clip(relevance, 0.0, 1.0)
    shape = (len(scores), len(strategies), len(dimensions))
    all_scores, all_confidence = np.empty(shape), np.empty(shape)
    for index, strategy in enumerate(strategies):
        weights = {loose_key(name): weight for name, weight in strategy.weights.items()}
        for column, dimension in enumerate(dimensions):
            all_scores[:, index, column], all_confidence[:, index, column] = apply_strategy(
                scores[:, column],
                confidence[:, column],
                relevance[:, column],
                strategy,
                weights.get(loose_key(dimension)),
            )
    return SimulatedJudges(all_scores, all_confidence, np.repeat(relevance[:, None, :], len(strategies), axis=1))


def unused_weights(strategies: Sequence[Strategy], dimensions: Sequence[str]) -> list[str]:
    """Return the dimensions that strategies weigh and that are not there."""
    known = {loose_key(name) for name in dimensions}
    weighed = dict.fromkeys(name for strategy in strategies for name in strategy.weights)
    return [name for name in weighed if loose_key(name) not in known]
