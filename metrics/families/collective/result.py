"""One system put together: what its sheets say of the collective, its streams and their training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.families.collective import measures as named
from scoresheet.metrics.families.collective.alerts import DEAD_STREAM, HIGH_ROUTING_ENTROPY, Alert, state_alerts
from scoresheet.metrics.families.collective.conditions import Condition, Fuser, SampleGroup
from scoresheet.metrics.families.collective.contribution import (
    MOST_EXACT,
    Contributions,
    HalfFailure,
    can_be_exact,
    contributions,
    half_failure,
)
from scoresheet.metrics.families.collective.diagnostic_sheets import (
    Anchors,
    Fingerprints,
    Routing,
    summarise_anchors,
    summarise_fingerprints,
    summarise_routing,
)
from scoresheet.metrics.families.collective.emergence import efficiency, emergence_band, emergence_interval
from scoresheet.metrics.families.collective.names import PARAMS_M
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.pairwise_diversity import StreamPair, stream_pairs
from scoresheet.metrics.families.collective.parameters import read_parameters, stream_weights
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.schema import (
    ANCHORS,
    FINGERPRINTS,
    HISTORY,
    LOGITS,
    PARAMETERS,
    PREDICTIONS,
    PROBABILITIES,
    ROUTING,
)
from scoresheet.metrics.families.collective.score import ScoredSystemSheet
from scoresheet.metrics.families.collective.stream_alignment import align_streams
from scoresheet.metrics.families.collective.training import TrainingLog, training_log
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Noted, Problem, note, reject
from scoresheet.metrics.stats.mcnemar import mcnemar_p
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.units import Units, Value


@dataclass(frozen=True)
class SampleHits:
    """The samples of the headline, and who is right on each: the units by which systems can be compared."""

    samples: Sequence[str]
    streams: Sequence[str]
    collective: NDArray[np.bool_]
    by_stream: NDArray[np.bool_]  # samples × streams

    def units(self) -> Units:
        """Return them as units: 1 where right, 0 where wrong."""
        hits = self.by_stream.astype(np.int8)
        columns = {named.stream_correct(stream): hits[:, place].tolist() for place, stream in enumerate(self.streams)}
        collective = self.collective.astype(np.int8).tolist()
        return Units({named.SAMPLE: self.samples}, {named.COLLECTIVE_CORRECT: collective, **columns})


@dataclass(frozen=True, kw_only=True)
class CollectiveResult(ModelResult[ScoredSystemSheet]):
    """Everything that is known of one system."""

    streams: tuple[str, ...]
    hits: SampleHits
    interval: tuple[float, float]  # of the emergence ratio
    mcnemar: float  # p-value
    oracle: float  # accuracy
    ties: int
    has_column: bool  # the collective's own predictions are in the file
    contributions: Contributions
    gradients: tuple[float, ...]
    half_failure: HalfFailure | None
    pairs: tuple[StreamPair, ...]
    conditions: tuple[Condition, ...]  # the headline first
    parameters: Mapping[str, float]
    dataset: str
    routing: Routing | None
    anchors: Anchors | None
    fingerprints: Fingerprints | None
    training: TrainingLog
    alert_list: tuple[Alert, ...]

    @property
    def headline(self) -> Condition:
        """The clean condition at its last epoch."""
        return self.conditions[0]

    @property
    def best_stream(self) -> str:
        """The best stream, the leftmost of equals."""
        return self.streams[self.headline.best_stream]

    @property
    def robustness(self) -> float:
        """The mean accuracy under the other conditions over that under the clean one."""
        return _robustness(self.conditions)

    @property
    def efficiency(self) -> float:
        """Percent of accuracy per million parameters."""
        return efficiency(self.headline.accuracy, self.parameters.get(PARAMS_M, math.nan))

    def units(self) -> pd.DataFrame:
        """Return the samples of the headline, with who is right on each."""
        return self.hits.units().to_frame()

    def slim(self) -> CollectiveResult:
        """Return the result without what was read."""
        return replace(self, sheets=())


def combine_sheets(sheets: Sequence[ScoredSystemSheet], options: CollectiveOptions) -> Noted[CollectiveResult]:
    """Return what the sheets of a system come to; a rejection says why there is nothing to tell."""
    predictions, given, doubled = _by_role(sheets)
    tables, problems = align_streams(predictions, given)
    last = predictions.conditions_at_last(options.clean)
    if predictions.samples and options.clean not in last:
        reject(
            "no-clean",
            f"no condition is called {options.clean}; name the one that the others are held against with "
            f"{flag('clean')}: {join_names(last, most=8)}",
        )
    parameters, dataset = read_parameters(tables.get(PARAMETERS.role))
    fuser = Fuser(predictions, tables, stream_weights(predictions.streams, parameters, options), options)
    if not last:
        reject("no-rows", "no sample of the predictions has a label")
    rows = predictions.groups()
    groups = {name: fuser.group(rows[name, epoch]) for name, epoch in last.items()}
    head = groups[options.clean].value
    if not head.has_predictions:
        reject("missing-probabilities", f"no prediction ({options.clean}) has a row among the probabilities")
    conditions = tuple(group.value.condition(name, last[name]) for name, group in groups.items())
    routing = summarise_routing(tables.get(ROUTING.role), options)
    fingerprints = summarise_fingerprints(tables.get(FINGERPRINTS.role), options)
    anchors = summarise_anchors(tables.get(ANCHORS.role), options)
    training = training_log(tables.get(HISTORY.role), _by_epoch(fuser, rows), predictions.streams)
    alerts = _alerts(predictions.streams, conditions[0], training, routing.value, fingerprints.value)
    streams = len(predictions.streams)
    best = head.streams[:, conditions[0].best_stream]
    result = CollectiveResult(
        sheets=tuple(sheets),
        measures={},
        rows=predictions.rows,
        scored=len(predictions.samples),
        computed=len(predictions.samples),
        has_score=True,
        alerts=tuple(alert.sentence() for alert in alerts),
        streams=tuple(predictions.streams),
        hits=SampleHits(
            samples=[predictions.samples[row] for row in rows[options.clean, last[options.clean]].tolist()],
            streams=predictions.streams,
            collective=head.collective,
            by_stream=head.streams,
        ),
        interval=emergence_interval(head.collective, head.streams, seed=options.seed),
        mcnemar=mcnemar_p(int((head.collective & ~best).sum()), int((best & ~head.collective).sum())),
        oracle=float(head.streams.any(axis=1).mean()),
        ties=head.ties,
        has_column=predictions.collective is not None,
        contributions=contributions(head.fusion, streams),
        gradients=head.gradients,
        half_failure=half_failure(head.fusion, streams, options.seed),
        pairs=stream_pairs(predictions.streams, head.streams),
        conditions=conditions,
        parameters=parameters,
        dataset=dataset,
        routing=routing.value,
        anchors=anchors.value,
        fingerprints=fingerprints.value,
        training=training,
        alert_list=tuple(alerts),
    )
    found = (
        *problems,
        *(problem for group in groups.values() for problem in group.problems),
        *_unused_sheets(tables, options),
        *_differing_epochs(last, options),
        *_without_shapley(head, streams),
        *routing.problems,
        *fingerprints.problems,
        *anchors.problems,
    )
    return Noted(replace(result, measures=_measures(result)), (*doubled, *dict.fromkeys(found)))


def _by_role(
    sheets: Sequence[ScoredSystemSheet],
) -> tuple[Predictions, dict[str, NumericTable], list[Problem]]:
    """Return the predictions, the sheets of numbers by role, and which sheets were not used; one of each role is."""
    by_role: dict[str, Predictions | NumericTable] = {}
    doubled = []
    # one that is called predictions goes before one that only looks like them
    for sheet in sorted(sheets, key=lambda sheet: sheet.parsed.by_columns):
        role = sheet.parsed.role
        if role in by_role:
            message = f"there are two sheets of {role}; {sheet.name!r} was not used"
            doubled.append(Problem(kind="unknown-sheet", message=message, effect="sheet skipped", sheet=sheet.name))
        else:
            by_role[role] = sheet.parsed.content
    tables = {role: content for role, content in by_role.items() if isinstance(content, NumericTable)}
    predictions = by_role.get(PREDICTIONS)
    if not isinstance(predictions, Predictions):
        reject(
            "missing-sheet",
            f"there is no usable sheet {PREDICTIONS}; the sheets are {join_names(tables, most=8) or 'none'}",
        )
    return predictions, tables, doubled


def _by_epoch(fuser: Fuser, rows: Mapping[tuple[str, str], NDArray[np.int64]]) -> dict[str, Condition]:
    """Return how the system did under the clean condition at each epoch, if there are several."""
    clean = fuser.options.clean
    epochs = [epoch for condition, epoch in rows if condition == clean]
    if len(epochs) < 2:
        return {}
    # what is wrong with probabilities is said for the headline
    return {epoch: fuser.group(rows[clean, epoch]).value.condition(clean, epoch) for epoch in epochs}


def _alerts(
    streams: Sequence[str],
    headline: Condition,
    training: TrainingLog,
    routing: Routing | None,
    fingerprints: Fingerprints | None,
) -> list[Alert]:
    """Return the alerts of the system as it is, and of its training."""
    now = state_alerts(
        "",
        accuracies=dict(zip(streams, headline.streams, strict=True)),
        fingerprint_diversity=fingerprints.diversity if fingerprints else math.nan,
        routing_entropy=routing.entropy if routing else math.nan,
    )
    epochs = {DEAD_STREAM: headline.epoch, HIGH_ROUTING_ENTROPY: routing.last if routing else ""}
    return training.alerts_with(now, epochs)


def _robustness(conditions: Sequence[Condition]) -> float:
    headline, *others = conditions
    shifted = mean(condition.accuracy for condition in others)
    return shifted / headline.accuracy if headline.accuracy > 0 else math.nan


def _measures(result: CollectiveResult) -> dict[str, Value]:
    """Return the measures of the results table."""
    head, (low, high) = result.headline, result.interval
    routing, anchors, fingerprints = result.routing, result.anchors, result.fingerprints
    return {
        named.COLLECTIVE_ACCURACY.name: head.accuracy,
        named.BEST_STREAM.name: result.best_stream,
        named.BEST_ACCURACY.name: head.best_accuracy,
        named.RATIO.name: head.ratio,
        named.CI_LOW.name: low,
        named.CI_HIGH.name: high,
        named.BAND.name: emergence_band(head.ratio),
        named.ORACLE_ACCURACY.name: result.oracle,
        named.MCNEMAR_P.name: result.mcnemar,
        named.TIES.name: result.ties,
        named.PARAMS_M.name: result.parameters.get(PARAMS_M, math.nan),
        named.EFFICIENCY.name: result.efficiency,
        named.ROUTING_ENTROPY.name: routing.entropy if routing else math.nan,
        named.ROUTING_ENTROPY_SHARE.name: routing.share if routing else math.nan,
        named.ANCHOR_ENTROPY.name: anchors.entropy if anchors else math.nan,
        named.FINGERPRINT_DIVERSITY.name: fingerprints.diversity if fingerprints else math.nan,
        named.ROBUSTNESS.name: result.robustness,
        named.ALERTS.name: len(result.alerts),
        named.SAMPLES.name: head.samples,
        named.STREAMS.name: len(result.streams),
    }


def _unused_sheets(tables: Mapping[str, NumericTable], options: CollectiveOptions) -> list[Problem]:
    """Return notes on probabilities or logits that no number comes from."""
    there = [sheet.role for sheet in (PROBABILITIES, LOGITS) if sheet.role in tables]
    problems = []
    if options.by_votes:
        way = flag(f"fusion {options.fusion}")
        problems += [
            note("other-columns", f"the sheet {role} was not used: {way} counts votes", sheet=role) for role in there
        ]
    elif len(there) > 1:
        message = (
            f"the sheet {PROBABILITIES.role} was not used: there is a sheet {LOGITS.role} too, whose mean was taken"
        )
        problems.append(note("other-columns", message, sheet=PROBABILITIES.role))
    if options.logits and PROBABILITIES.role not in tables:
        message = f"the option {flag('logits')} is about a sheet {PROBABILITIES.role}, and there is none"
        problems.append(note("missing-sheet", message))
    return problems


def _differing_epochs(last: Mapping[str, str], options: CollectiveOptions) -> list[Problem]:
    """Return a note on conditions that end at another epoch."""
    own = last[options.clean]
    others = [f"{name} ({epoch})" for name, epoch in last.items() if epoch != own]
    if not others:
        return []
    message = f"conditions that end at another epoch than {options.clean} ({own}): {join_names(others)}"
    return [note("epochs-differ", message, sheet=PREDICTIONS)]


def _without_shapley(head: SampleGroup, streams: int) -> list[Problem]:
    """Return a note if there is too much for every coalition."""
    if can_be_exact(head.fusion, streams):
        return []
    why = (
        f"there are more than {MOST_EXACT} streams"
        if streams > MOST_EXACT
        else "there are too many samples for every coalition"
    )
    return [note("many-streams", f"Shapley values are left out: {why}")]
