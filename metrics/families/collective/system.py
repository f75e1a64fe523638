"""One system put together: what its sheets say of the collective, its streams and their training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.collective.contribution import (
    EXACT,
    Contributions,
    Failure,
    can_be_exact,
    contributions,
    failure,
    gradient_norms,
)
from scoresheet.metrics.families.collective.emergence import (
    ErrorDiversity,
    efficiency,
    emergence_interval,
    emergence_ratio,
    error_diversity,
    mcnemar_p,
)
from scoresheet.metrics.families.collective.fusion import Fusion, Votes
from scoresheet.metrics.families.collective.history import DEAD, DIFFUSE, Alert, state_alerts
from scoresheet.metrics.families.collective.logs import (
    Anchors,
    Fingerprints,
    Log,
    Routing,
    anchors_of,
    fingerprints_of,
    log_of,
    routing_of,
)
from scoresheet.metrics.families.collective.members import of_members
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.parameters import parameters_of, weights_of
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.probabilities import means_of
from scoresheet.metrics.families.collective.sheets import (
    ANCHORS,
    FINGERPRINTS,
    HISTORY,
    LOGITS,
    PARAMETERS,
    PREDICTIONS,
    PROBABILITIES,
    ROUTING,
)
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem, reject
from scoresheet.metrics.stats.means import mean


@dataclass(frozen=True)
class Condition:
    """How the system does under one condition."""

    name: str
    epoch: str
    samples: int
    accuracy: float
    streams: tuple[float, ...]
    ratio: float


@dataclass(frozen=True)
class System:
    """Everything that is told of one system."""

    streams: list[str]
    samples: int
    rows: int  # of the predictions
    labelled: int  # those that could be scored
    headline: Condition
    interval: tuple[float, float]
    mcnemar: float
    oracle: float
    ties: int
    has_column: bool  # the collective's own predictions are in the file
    contributions: Contributions
    gradients: tuple[float, ...]
    failure: Failure | None
    pairs: list[tuple[str, str, ErrorDiversity]]
    conditions: list[Condition]
    parameters: dict[str, float]
    dataset: str
    routing: Routing | None
    anchors: Anchors | None
    fingerprints: Fingerprints | None
    log: Log
    alerts: list[Alert]
    problems: list[Problem] = field(default_factory=list)

    @property
    def best(self) -> int:
        """The place of the best stream, the leftmost of equals."""
        accuracies = self.headline.streams
        return accuracies.index(max(accuracies))

    @property
    def robustness(self) -> float:
        """The mean accuracy under the other conditions over that under the clean one."""
        shifted = mean(condition.accuracy for condition in self.conditions[1:])
        return shifted / self.headline.accuracy if self.headline.accuracy > 0 else math.nan

    @property
    def efficiency(self) -> float:
        """Percent of accuracy per million parameters."""
        return efficiency(self.headline.accuracy, self.parameters.get("params_m", math.nan))


@dataclass(frozen=True)
class _Group:
    """The samples of one condition and epoch."""

    streams: NDArray[np.bool_]  # samples × streams: who is right
    collective: NDArray[np.bool_]
    fusion: Fusion
    ties: int
    told: bool = True  # whether there is anything to fuse
    gradients: tuple[float, ...] = ()


def system_of(sheets: Mapping[str, Any], options: CollectiveOptions) -> System:
    """Return what the sheets of a system come to, by role; a Refusal says why there is nothing to tell."""
    if PREDICTIONS not in sheets:
        reject(
            "missing-sheet",
            f"there is no usable sheet {PREDICTIONS}; the sheets are {join_names(sheets, most=8) or 'none'}",
        )
    predictions: Predictions = sheets[PREDICTIONS]
    sheets, problems = of_members(sheets)
    last = predictions.conditions_at_last(options.clean)
    if predictions.samples and options.clean not in last:
        reject(
            "no-clean",
            f"no condition is called {options.clean}; name the one that the others are held against with --clean: "
            f"{join_names(last, most=8)}",
        )
    parameters, dataset = parameters_of(sheets.get(PARAMETERS))
    weights = weights_of(predictions.streams, parameters, options)
    if not last:
        reject("no-rows", "no sample of the predictions has a label")
    rows = predictions.groups()
    groups = {
        name: _group(predictions, sheets, options, rows[name, epoch], weights, problems) for name, epoch in last.items()
    }
    problems += _remarks(sheets, last, options)
    if not groups[options.clean].told:
        reject("missing-probabilities", f"no prediction ({options.clean}) has a row among the probabilities")
    conditions = [_condition(name, last[name], group) for name, group in groups.items()]
    head = groups[options.clean]
    headline = conditions[0]
    streams = len(predictions.streams)
    best = headline.streams.index(max(headline.streams))
    own = head.streams[:, best]
    if not can_be_exact(head.fusion, streams):
        why = (
            f"there are more than {EXACT} streams"
            if streams > EXACT
            else "there are too many samples for every coalition"
        )
        problems.append(Problem(kind="many-streams", message=f"Shapley values are left out: {why}", effect="note"))
    routing = routing_of(sheets.get(ROUTING), options, problems)
    fingerprints = fingerprints_of(sheets.get(FINGERPRINTS), options, problems)
    log = log_of(sheets.get(HISTORY), _by_epoch(predictions, sheets, options, rows, weights), predictions.streams)
    return System(
        streams=predictions.streams,
        samples=headline.samples,
        rows=predictions.rows,
        labelled=len(predictions.samples),
        headline=headline,
        interval=emergence_interval(head.collective, head.streams, seed=options.seed),
        mcnemar=mcnemar_p(int((head.collective & ~own).sum()), int((own & ~head.collective).sum())),
        oracle=float(head.streams.any(axis=1).mean()),
        ties=head.ties,
        has_column=predictions.collective is not None,
        contributions=contributions(head.fusion, streams),
        gradients=head.gradients,
        failure=failure(head.fusion, streams, options.seed),
        pairs=[
            (one, other, error_diversity(head.streams[:, first], head.streams[:, first + 1 + place]))
            for first, one in enumerate(predictions.streams)
            for place, other in enumerate(predictions.streams[first + 1 :])
        ],
        conditions=conditions,
        parameters=parameters,
        dataset=dataset,
        routing=routing,
        anchors=anchors_of(sheets.get(ANCHORS), options, problems),
        fingerprints=fingerprints,
        log=log,
        alerts=log.alerts_with(
            state_alerts(
                "",
                accuracies=dict(zip(predictions.streams, headline.streams, strict=True)),
                fingerprints=fingerprints.diversity if fingerprints else math.nan,
                routing=routing.entropy if routing else math.nan,
            ),
            {DEAD: headline.epoch, DIFFUSE: routing.last if routing else ""},
        ),
        problems=list(dict.fromkeys(problems)),
    )


def _group(
    predictions: Predictions,
    sheets: Mapping[str, Any],
    options: CollectiveOptions,
    rows: NDArray[np.int64],
    weights: Sequence[float] | None,
    problems: list[Problem],
) -> _Group:
    votes, labels = predictions.votes[rows], predictions.labels[rows]
    streams = votes == labels[:, None]
    everybody = range(len(predictions.streams))
    gradients: tuple[float, ...] = ()
    told = True
    fusion: Fusion
    if options.by_votes:
        fusion = Votes(votes, labels, ties=options.ties, weights=weights, seed=options.seed)
        fused, tied = fusion.right(everybody)[fusion.pattern_of], fusion.tied(everybody)[fusion.pattern_of]
    else:
        found = means_of(predictions, sheets, options, rows, weights, problems)
        fusion, fused, tied = found.fusion, found.fusion.right(everybody), found.fusion.tied(everybody)
        told = found.told or predictions.collective is not None
        plain = found.logits and not options.weighted and len(rows)
        gradients = gradient_norms(found.fusion, found.labels) if plain else ()
    collective = fused if predictions.collective is None else predictions.collective[rows] == labels
    return _Group(streams, collective, fusion, int(tied.sum()), told, gradients)


def _remarks(sheets: Mapping[str, Any], last: Mapping[str, str], options: CollectiveOptions) -> list[Problem]:
    """Return notes on sheets that were not used, and on conditions that end at another epoch."""
    problems = _unused(sheets, options)
    other = [f"{name} ({epoch})" for name, epoch in last.items() if epoch != last[options.clean]]
    if other:
        message = (
            f"conditions that end at another epoch than {options.clean} ({last[options.clean]}): {join_names(other)}"
        )
        problems.append(Problem(kind="epochs-differ", message=message, effect="note", sheet=PREDICTIONS))
    return problems


def _unused(sheets: Mapping[str, Any], options: CollectiveOptions) -> list[Problem]:
    """Return notes on probabilities or logits that no number comes from."""
    there = [role for role in (PROBABILITIES, LOGITS) if role in sheets]
    problems = []
    if options.by_votes:
        problems += [
            Problem(
                kind="other-columns",
                message=f"the sheet {role} was not used: --fusion {options.fusion} counts votes",
                effect="note",
                sheet=role,
            )
            for role in there
        ]
    elif len(there) > 1:
        message = f"the sheet {PROBABILITIES} was not used: there is a sheet {LOGITS} too, whose mean was taken"
        problems.append(Problem(kind="other-columns", message=message, effect="note", sheet=PROBABILITIES))
    if options.logits and PROBABILITIES not in sheets:
        message = f"the option --logits is about a sheet {PROBABILITIES}, and there is none"
        problems.append(Problem(kind="missing-sheet", message=message, effect="note"))
    return problems


def _condition(name: str, epoch: str, group: _Group) -> Condition:
    streams = tuple(group.streams.mean(axis=0).tolist())
    accuracy = float(group.collective.mean()) if group.told else math.nan
    return Condition(name, epoch, len(group.collective), accuracy, streams, emergence_ratio(accuracy, streams))


def _by_epoch(
    predictions: Predictions,
    sheets: Mapping[str, Any],
    options: CollectiveOptions,
    rows: Mapping[tuple[str, str], NDArray[np.int64]],
    weights: Sequence[float] | None,
) -> dict[str, Condition]:
    """Return how the system did under the clean condition at each epoch, if there are several."""
    epochs = [epoch for condition, epoch in rows if condition == options.clean]
    if len(epochs) < 2:
        return {}
    unsaid: list[Problem] = []  # what is wrong with probabilities is said for the headline
    found = {}
    for epoch in epochs:
        group = _group(predictions, sheets, options, rows[options.clean, epoch], weights, unsaid)
        found[epoch] = _condition(options.clean, epoch, group)
    return found
