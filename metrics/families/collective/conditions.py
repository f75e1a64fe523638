"""The samples of one condition and epoch: who is right on which, and what that comes to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Column
from scoresheet.metrics.families.collective.contribution import gradient_norms
from scoresheet.metrics.families.collective.emergence import ratio_to_best
from scoresheet.metrics.families.collective.fusion import BLANK, Fusion, MeanFusion, VoteFusion
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.probabilities import fuse_probabilities
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class Condition:
    """How the system does under one condition."""

    name: str
    epoch: str
    samples: int
    accuracy: float
    streams: tuple[float, ...]  # accuracies
    ratio: float

    @property
    def best_stream(self) -> int:
        """The index of the best stream, the leftmost of equals."""
        return self.streams.index(max(self.streams))

    @property
    def best_accuracy(self) -> float:
        """Its accuracy."""
        return max(self.streams)


@dataclass(frozen=True)
class SampleGroup:
    """The samples of one condition and epoch."""

    samples: Column[str]
    streams: NDArray[np.bool_]  # samples × streams: who is right
    collective: NDArray[np.bool_]
    fusion: Fusion
    ties: int
    has_predictions: bool = True  # whether there is anything that the collective says
    fused_classes: Sequence[str] = ()  # those that probabilities were fused for, by the fusion's numbers
    gradients: tuple[float, ...] = ()

    def condition(self, name: str, epoch: str) -> Condition:
        """Return what the group comes to."""
        streams = tuple(self.streams.mean(axis=0).tolist())
        accuracy = float(self.collective.mean()) if self.has_predictions else math.nan
        return Condition(name, epoch, len(self.collective), accuracy, streams, ratio_to_best(accuracy, streams))


@dataclass(frozen=True)
class Fuser:
    """What it takes to fuse the streams on some rows of the predictions."""

    predictions: Predictions
    tables: Mapping[str, NumericTable]
    weights: Sequence[float] | None
    options: CollectiveOptions

    def collective_votes(self, rows: NDArray[np.int64], group: SampleGroup) -> Sequence[str]:
        """Return the class that the collective says on each of a group's rows; '' where it says none."""
        predictions, fusion = self.predictions, group.fusion
        everybody = range(len(predictions.streams))
        if predictions.collective is not None:
            return predictions.class_names(predictions.collective[rows])
        if isinstance(fusion, VoteFusion):
            winner = fusion.winner(everybody)[fusion.pattern_of]
            votes = np.column_stack([predictions.votes[rows], np.full(len(rows), BLANK)])
            return predictions.class_names(votes[np.arange(len(rows)), winner])
        if isinstance(fusion, MeanFusion):
            names = [*group.fused_classes, ""]  # BLANK is the last
            return [names[code] for code in fusion.predicted_classes(everybody).tolist()]
        raise TypeError(type(fusion).__name__)

    def group(self, rows: NDArray[np.int64]) -> Noted[SampleGroup]:
        """Return who is right on these rows; the collective's own column goes before what the streams are fused to."""
        predictions, options = self.predictions, self.options
        votes, labels, samples = predictions.votes, predictions.labels, predictions.samples
        if len(rows) < len(labels):
            votes, labels, samples = votes[rows], labels[rows], samples.take(rows)
        everybody = range(len(predictions.streams))
        own = None if predictions.collective is None else predictions.collective[rows] == labels
        streams = votes == labels[:, None]
        if options.by_votes:
            voting = VoteFusion(votes, labels, ties=options.ties, weights=self.weights, seed=options.seed)
            fused = voting.is_correct(everybody)[voting.pattern_of]
            ties = int(voting.is_tied(everybody)[voting.pattern_of].sum())
            return Noted(SampleGroup(samples, streams, fused if own is None else own, voting, ties))
        found, problems = fuse_probabilities(predictions, self.tables, options, rows, self.weights)
        plain = found.logits and not options.weighted and len(rows)
        group = SampleGroup(
            samples=samples,
            streams=streams,
            collective=found.fusion.is_correct(everybody) if own is None else own,
            fusion=found.fusion,
            ties=int(found.fusion.is_tied(everybody).sum()),
            has_predictions=found.has_values or own is not None,
            gradients=gradient_norms(found.fusion, found.labels) if plain else (),
            fused_classes=found.classes,
        )
        return Noted(group, problems)
