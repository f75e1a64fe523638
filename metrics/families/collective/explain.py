"""How the collective came to its answer on one sample: who voted what, what they were fused to, and who was right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.families.collective import measures as named
from scoresheet.metrics.families.collective.fusion import BLANK, VoteFusion
from scoresheet.metrics.families.collective.inputs import SystemSheet
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.parameters import read_parameters, stream_weights
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.probabilities import fuse_probabilities
from scoresheet.metrics.families.collective.result import CollectiveResult, combine_sheets, sheets_by_role
from scoresheet.metrics.families.collective.schema import PARAMETERS, PREDICTIONS
from scoresheet.metrics.families.collective.score import score_sheet
from scoresheet.metrics.families.collective.splits import split_predictions
from scoresheet.metrics.families.collective.stream_alignment import align_streams
from scoresheet.metrics.records import dataclass

COLUMN: Final = "its own column"  # how the collective came to its answer where the file says it


@dataclass(frozen=True)
class StreamVote:
    """What one stream said of the sample."""

    stream: str
    vote: str  # '' for none
    is_correct: bool
    weight: float  # 1 where all count alike
    values: tuple[float, ...]  # of each class, where these are fused


@dataclass(frozen=True)
class ClassSupport:
    """What stands behind a class: the votes or their weights, or the mean of its values."""

    name: str
    support: float
    is_label: bool
    won: bool  # of what the streams are fused to, also where the collective has a column of its own


@dataclass(frozen=True, kw_only=True)
class CollectiveExplanation(Explanation):
    """How the collective came to its answer on one sample, and what all samples came to."""

    sample: str
    condition: str
    epoch: str
    split: str
    label: str
    fusion: str
    ties: str  # who wins a tie
    votes: tuple[StreamVote, ...]
    classes: tuple[ClassSupport, ...]  # the best first
    is_tied: bool
    answer: str  # of the collective; '' for none
    is_correct: bool
    samples: int  # of the headline
    right: int  # on which the collective is right: their share is the accuracy


@dataclass(frozen=True)
class _Headline:
    """The rows that the headline is of, and what it takes to fuse them."""

    predictions: Predictions
    tables: dict[str, NumericTable]
    rows: NDArray[np.int64]
    split: str
    epoch: str
    weights: list[float] | None


class _Fused(NamedTuple):
    """What the streams are fused to on one sample; classes are named as the table has them that is fused."""

    values: list[tuple[float, ...]]  # of each stream
    support: dict[str, float]  # of each class
    answer: str  # '' for none
    label: str  # '' where the table has no such class
    is_tied: bool


def headline_samples(sheets: Sequence[SystemSheet], options: CollectiveOptions) -> list[UnitName]:
    """Return the samples that the headline is of."""
    head = _headline(sheets, options)
    return [UnitName(PREDICTIONS, {named.SAMPLE: head.predictions.samples[row]}) for row in head.rows.tolist()]


def explain_sample(
    sheets: Sequence[SystemSheet], _: None, options: CollectiveOptions, unit: UnitName
) -> CollectiveExplanation:
    """Return how the collective came to its answer on a sample; NoSuchUnit if the headline has it not."""
    head = _headline(sheets, options)
    predictions, sample = head.predictions, unit.keys[named.SAMPLE]
    line = next((at for at, row in enumerate(head.rows.tolist()) if predictions.samples[row] == sample), None)
    if line is None:
        raise NoSuchUnit(unit)
    result: CollectiveResult = combine_sheets([score_sheet(sheet).value for sheet in sheets], options).value
    row = int(head.rows[line])
    label = predictions.classes[predictions.labels[row]]
    votes = [_class(predictions, code) for code in predictions.votes[row].tolist()]
    fused = _fused(head, options, line)
    own = None if predictions.collective is None else _class(predictions, int(predictions.collective[row]))
    weights = head.weights or [1.0] * len(votes)
    return CollectiveExplanation(
        measures={name: result.measures[name] for name in (named.COLLECTIVE_ACCURACY.name, named.TIES.name)},
        sample=sample,
        condition=options.clean,
        epoch=head.epoch,
        split=head.split,
        label=label,
        fusion=options.fusion if own is None else COLUMN,
        ties=options.ties,
        votes=tuple(
            StreamVote(stream, vote, vote == label, weight, values)
            for stream, vote, weight, values in zip(predictions.streams, votes, weights, fused.values, strict=True)
        ),
        classes=tuple(
            sorted(
                (
                    ClassSupport(name, support, name == fused.label, name == fused.answer)
                    for name, support in fused.support.items()
                ),
                key=lambda each: (-each.support, not each.won),
            )
        ),
        is_tied=fused.is_tied,
        answer=fused.answer if own is None else own,
        is_correct=bool(result.hits.collective[line]),
        samples=len(result.hits.collective),
        right=int(result.hits.collective.sum()),
    )


def _headline(sheets: Sequence[SystemSheet], options: CollectiveOptions) -> _Headline:
    whole, given, _ = sheets_by_role([score_sheet(sheet).value for sheet in sheets])
    tables, _ = align_streams(whole, given)
    split, predictions, _ = split_predictions(whole, options)
    epoch = predictions.conditions_at_last(options.clean)[options.clean]
    parameters, _ = read_parameters(tables.get(PARAMETERS.role))
    return _Headline(
        predictions,
        tables,
        predictions.groups()[options.clean, epoch],
        split,
        epoch,
        stream_weights(predictions.streams, parameters, options),
    )


def _fused(head: _Headline, options: CollectiveOptions, line: int) -> _Fused:
    predictions, rows = head.predictions, head.rows
    everybody = range(len(predictions.streams))
    if options.by_votes:
        votes = predictions.votes[rows]
        voting = VoteFusion(votes, predictions.labels[rows], ties=options.ties, weights=head.weights, seed=options.seed)
        pattern = int(voting.pattern_of[line])
        winner = int(voting.winner(everybody)[pattern])
        support: dict[str, float] = {}
        for code, weight in zip(votes[line].tolist(), head.weights or [1.0] * votes.shape[1], strict=True):
            if code != BLANK:
                name = predictions.classes[code]
                support[name] = support.get(name, 0.0) + weight
        return _Fused(
            [()] * len(everybody),
            support,
            _class(predictions, int(votes[line, winner])) if winner < votes.shape[1] else "",
            predictions.classes[predictions.labels[rows[line]]],
            bool(voting.is_tied(everybody)[pattern]),
        )
    found = fuse_probabilities(predictions, head.tables, options, rows, head.weights).value
    means = found.fusion.mean_values(everybody)[line].tolist()
    code, label = int(found.fusion.predicted_classes(everybody)[line]), int(found.labels[line])
    return _Fused(
        [tuple(own) for own in found.fusion.values[line].tolist()],
        {name: value for name, value in zip(found.classes, means, strict=True) if not math.isnan(value)},
        "" if code == BLANK else found.classes[code],
        "" if label < 0 else found.classes[label],
        bool(found.fusion.is_tied(everybody)[line]),
    )


def _class(predictions: Predictions, code: int) -> str:
    return "" if code == BLANK else predictions.classes[code]
