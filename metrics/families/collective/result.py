"""One system put together: what its sheets say of the collective, its streams and their training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, NumberColumn
from scoresheet.metrics.families.collective import measures as named
from scoresheet.metrics.families.collective.alerts import Alert
from scoresheet.metrics.families.collective.best_member import StreamTest, more_than_best, stream_tests
from scoresheet.metrics.families.collective.compare import compared_samples
from scoresheet.metrics.families.collective.conditions import Condition, Fuser, SampleGroup
from scoresheet.metrics.families.collective.contribution import (
    Contributions,
    HalfFailure,
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
from scoresheet.metrics.families.collective.dynamics import system_alerts, training_patterns, worse_than_best
from scoresheet.metrics.families.collective.emergence import (
    EmergenceIntervals,
    band_of_emergence,
    efficiency,
    emergence_intervals,
)
from scoresheet.metrics.families.collective.names import PARAMS_M
from scoresheet.metrics.families.collective.notes import differing_epochs, unused_sheets, without_shapley
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import TEST, CollectiveOptions
from scoresheet.metrics.families.collective.pairwise_diversity import StreamPair, stream_pairs
from scoresheet.metrics.families.collective.parameters import read_parameters, stream_weights
from scoresheet.metrics.families.collective.patterns import Pattern
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.schema import (
    ANCHORS,
    FINGERPRINTS,
    HISTORY,
    PARAMETERS,
    PREDICTIONS,
    ROUTING,
    TARGETS,
)
from scoresheet.metrics.families.collective.score import ScoredSystemSheet
from scoresheet.metrics.families.collective.shifts import (
    Shift,
    attacks,
    note_on_epochs,
    notes_on_samples,
    robustness,
    shifts_from,
)
from scoresheet.metrics.families.collective.splits import split_predictions
from scoresheet.metrics.families.collective.stream_alignment import align_streams
from scoresheet.metrics.families.collective.targets import TARGET, Target, judge_targets
from scoresheet.metrics.families.collective.training import TrainingLog, training_log
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.measures import interval_measures
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Noted, Problem, reject
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.tables import HeldTable
from scoresheet.metrics.units import Units, Value


@dataclass(frozen=True)
class SampleHits:
    """The samples of the headline, and who is right on each: the units by which systems can be compared."""

    samples: Sequence[str]
    streams: Sequence[str]
    collective: NDArray[np.bool_]
    by_stream: NDArray[np.bool_]  # samples × streams
    labels: Sequence[str] = ()  # what would be right; not in a slim result
    votes: Sequence[str] = ()  # what the collective says, '' for nothing
    stream_votes: Sequence[Sequence[str]] = ()  # what each stream says, a list each

    def slim(self) -> SampleHits:
        """Return who is right on each, without what was said."""
        return replace(self, labels=(), votes=(), stream_votes=())

    def table(self) -> HeldTable:
        """Return the samples with what each said on it, and who was right."""
        hits = self.by_stream.astype(np.int8)
        said = zip(self.streams, self.stream_votes, hits.T, strict=True)
        columns: dict[str, Sequence[object]] = {
            "Sheet": Coded([PREDICTIONS], np.zeros(len(self.samples), np.int32)),
            named.SAMPLE: self.samples,
            named.SAMPLE_LABEL: self.labels,
            named.COLLECTIVE_VOTE: self.votes,
            named.COLLECTIVE_CORRECT: NumberColumn(self.collective.astype(np.int8)),
            named.ANY_CORRECT: NumberColumn(hits.max(axis=1, initial=0)),
        }
        for stream, votes, right in said:
            columns |= {named.stream_vote(stream): votes, named.stream_correct(stream): NumberColumn(right)}
        return HeldTable(columns)

    def units(self) -> Units:
        """Return them as units: 1 where right, 0 where wrong."""
        hits = self.by_stream.astype(np.int8)
        columns = {named.stream_correct(own): NumberColumn(hits[:, column]) for column, own in enumerate(self.streams)}
        collective = NumberColumn(self.collective.astype(np.int8))
        return Units({named.SAMPLE: self.samples}, {named.COLLECTIVE_CORRECT: collective, **columns})


@dataclass(frozen=True, kw_only=True)
class CollectiveResult(ModelResult[ScoredSystemSheet]):
    """Everything that is known of one system."""

    streams: tuple[str, ...]
    hits: SampleHits
    intervals: EmergenceIntervals
    tests: tuple[StreamTest, ...]  # of the collective against each stream
    oracle: float  # accuracy
    ties: int
    has_column: bool  # the collective's own predictions are in the file
    contributions: Contributions
    gradients: tuple[float, ...]
    half_failure: HalfFailure | None
    pairs: tuple[StreamPair, ...]
    conditions: tuple[Condition, ...]  # the headline first
    shifts: tuple[Shift, ...]  # of the conditions after it
    attacked: tuple[Shift, ...]  # of those that are attacks
    splits: Mapping[str, Condition]  # the clean condition on each split; none where there is one split alone
    targets: tuple[Target, ...]
    patterns: tuple[Pattern, ...]  # that training is expected to show
    parameters: Mapping[str, float]
    dataset: str
    routing: Routing | None
    anchors: Anchors | None
    fingerprints: Fingerprints | None
    training: TrainingLog
    alert_list: tuple[Alert, ...]
    past_alerts: tuple[Alert, ...]  # whose cause is over

    @property
    def headline(self) -> Condition:
        """The clean condition at its last epoch."""
        return self.conditions[0]

    @property
    def best_stream(self) -> str:
        """The best stream, the leftmost of equals."""
        return self.streams[self.headline.best_stream]

    @property
    def mcnemar(self) -> float:
        """The p-value of the collective against the best stream."""
        return self.tests[self.headline.best_stream].p_value

    @property
    def more_than_best(self) -> str:
        """Whether the collective is more than its best member: yes, no, or not shown."""
        return more_than_best(self.tests)

    @property
    def band(self) -> str:
        """The band of the emergence ratio, by its interval; '' where the ratio is undefined."""
        return "" if math.isnan(self.headline.ratio) else band_of_emergence(self.intervals.ratio)

    @property
    def robustness(self) -> float:
        """The mean accuracy under the other conditions over that under the clean one, on the samples in common."""
        return robustness(self.shifts)

    @property
    def adversarial_robustness(self) -> float:
        """The same of the conditions that are attacks."""
        return robustness(self.attacked)

    @property
    def test_accuracy(self) -> float:
        """The accuracy on the split test, where the headline is of another one."""
        test = self.splits.get(TEST)
        return math.nan if test is None or test is self.headline else test.accuracy

    @property
    def efficiency(self) -> float:
        """Percent of accuracy per million parameters."""
        params = self.parameters.get(PARAMS_M)
        return math.nan if params is None else efficiency(self.headline.accuracy, params)

    def unit_table(self) -> HeldTable:
        """Return the samples of the headline, with who is right on each."""
        return HeldTable(self.hits.units().columns())

    def comparable_units(self) -> Mapping[str, Units]:
        """Return the samples of the headline with what systems are compared by: streams are each system's own."""
        compared = self.compared_units()
        if compared is None:
            return {}
        keys = Coded(list(compared.keys), compared.key_of)
        values = compared.values.T.tolist()
        measures = {measure.name: own for measure, own in zip(named.COMPARED_MEASURES, values, strict=True)}
        return {PREDICTIONS: Units({named.SAMPLE: list(keys)}, measures)}

    def slim(self) -> CollectiveResult:
        """Return the result without what was read."""
        return replace(self, sheets=(), hits=self.hits.slim())


def combine_sheets(
    sheets: Sequence[ScoredSystemSheet], options: CollectiveOptions, spread: Spread = IN_TURN
) -> Noted[CollectiveResult]:
    """Return what the sheets of a system come to; a rejection says why there is nothing to tell."""
    whole, given, doubled = sheets_by_role(sheets)
    tables, problems = align_streams(whole, given)
    split, predictions, others = split_predictions(whole, options)
    last = _last_epochs(predictions, options)
    parameters, dataset = read_parameters(tables.get(PARAMETERS.role))
    fuser = Fuser(predictions, tables, stream_weights(predictions.streams, parameters, options), options)
    rows = predictions.groups()
    groups = {name: fuser.group(rows[name, epoch]) for name, epoch in last.items()}
    head = groups[options.clean].value
    if not head.has_predictions:
        reject("missing-probabilities", f"no prediction ({options.clean}) has a row among the probabilities")
    conditions = tuple(group.value.condition(name, last[name]) for name, group in groups.items())
    shifted = {name: group.value for name, group in groups.items() if name != options.clean}
    shifts = shifts_from(head, shifted, confidence=options.ci)
    splits = {split: conditions[0], **_other_splits(fuser, others)} if others else {}
    reached = splits.get(TEST, conditions[0])
    targets = judge_targets(tables.get(TARGETS.role), dataset, reached.accuracy, reached.samples, confidence=options.ci)
    routing = summarise_routing(tables.get(ROUTING.role), options)
    fingerprints = summarise_fingerprints(tables.get(FINGERPRINTS.role), options)
    anchors = summarise_anchors(tables.get(ANCHORS.role), options)
    epochs = _by_epoch(fuser, rows)
    measured = {epoch: group.condition(options.clean, epoch) for epoch, group in epochs.items()}
    training = training_log(tables.get(HISTORY.role), measured, predictions.streams)
    tests = stream_tests(head.collective, head.streams, confidence=options.ci)
    alerts = worse_than_best(predictions.streams, conditions[0], tests)
    alerts += system_alerts(predictions.streams, conditions[0], training, routing.value, fingerprints.value)
    current = tuple(alert for alert in alerts if not alert.over_since)
    streams = len(predictions.streams)
    head_rows = rows[options.clean, last[options.clean]]
    labels = predictions.class_names(predictions.labels[head_rows])
    result = CollectiveResult(
        sheets=tuple(sheets),
        measures={},
        rows=whole.rows,
        scored=len(whole.samples),
        computed=len(whole.samples),
        has_score=True,
        alerts=tuple(alert.sentence() for alert in current),
        streams=tuple(predictions.streams),
        hits=SampleHits(
            samples=head.samples,
            streams=predictions.streams,
            collective=head.collective,
            by_stream=head.streams,
            labels=labels,
            votes=fuser.collective_votes(head_rows, head),
            stream_votes=[predictions.class_names(votes) for votes in predictions.votes[head_rows].T],
        ),
        compared=compared_samples(head.samples, labels, head.collective, head.streams),
        intervals=emergence_intervals(head.collective, head.streams, confidence=options.ci, seed=options.seed),
        tests=tests,
        oracle=float(head.streams.any(axis=1).mean()),
        ties=head.ties,
        has_column=predictions.collective is not None,
        contributions=contributions(head.fusion, streams, spread),
        gradients=head.gradients,
        half_failure=half_failure(head.fusion, streams, options.seed),
        pairs=stream_pairs(predictions.streams, head.streams),
        conditions=conditions,
        shifts=shifts,
        attacked=attacks(shifts, options.adversarial),
        splits=splits,
        targets=targets.value,
        patterns=training_patterns(training, routing.value, options.ci),
        parameters=parameters,
        dataset=dataset,
        routing=routing.value,
        anchors=anchors.value,
        fingerprints=fingerprints.value,
        training=training,
        alert_list=current,
        past_alerts=tuple(alert for alert in alerts if alert.over_since),
    )
    found = (
        *problems,
        *(problem for group in groups.values() for problem in group.problems),
        *unused_sheets(tables, options),
        *differing_epochs(last, options),
        *notes_on_samples(options.clean, head, shifted, sheet=PREDICTIONS),
        *note_on_epochs(epochs, sheet=PREDICTIONS),
        *without_shapley(head, streams),
        *routing.problems,
        *fingerprints.problems,
        *anchors.problems,
        *targets.problems,
    )
    return Noted(replace(result, measures=_measures(result)), (*doubled, *dict.fromkeys(found)))


def _last_epochs(predictions: Predictions, options: CollectiveOptions) -> dict[str, str]:
    """Return the conditions with their last epochs; a rejection if there is no clean one, or none at all."""
    last = predictions.conditions_at_last(options.clean)
    if predictions.samples and options.clean not in last:
        reject(
            "no-clean",
            f"no condition is called {options.clean}; name the one that the others are held against with "
            f"{flag('clean')}: {join_names(last, most=8)}",
        )
    if not last:
        reject("no-rows", "no sample of the predictions has a label")
    return last


def _other_splits(fuser: Fuser, others: Mapping[str, Predictions]) -> dict[str, Condition]:
    """Return how the system does on the other splits, where it has clean samples there."""
    clean = fuser.options.clean
    found = {}
    for name, predictions in others.items():
        epoch = predictions.conditions_at_last(clean).get(clean)
        if epoch is not None:
            group = replace(fuser, predictions=predictions).group(predictions.groups()[clean, epoch]).value
            found[name] = group.condition(clean, epoch)
    return found


def sheets_by_role(
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


def _by_epoch(fuser: Fuser, rows: Mapping[tuple[str, str], NDArray[np.int64]]) -> dict[str, SampleGroup]:
    """Return who is right under the clean condition at each epoch, if there are several."""
    clean = fuser.options.clean
    epochs = [epoch for condition, epoch in rows if condition == clean]
    if len(epochs) < 2:
        return {}
    # what is wrong with probabilities is said for the headline
    return {epoch: fuser.group(rows[clean, epoch]).value for epoch in epochs}


def _measures(result: CollectiveResult) -> dict[str, Value]:
    """Return the measures of the results table."""
    head = result.headline
    target = next((target.reached for target in result.targets if target.name == TARGET), "")
    routing, anchors, fingerprints = result.routing, result.anchors, result.fingerprints
    return {
        named.COLLECTIVE_ACCURACY.name: head.accuracy,
        named.BEST_STREAM.name: result.best_stream,
        named.BEST_ACCURACY.name: head.best_accuracy,
        named.RATIO.name: head.ratio,
        **interval_measures(result.intervals.ratio),
        named.BAND.name: result.band,
        named.MORE_THAN_BEST.name: result.more_than_best,
        named.ORACLE_ACCURACY.name: result.oracle,
        named.MCNEMAR_P.name: result.mcnemar,
        named.TIES.name: result.ties,
        named.PARAMS_M.name: result.parameters.get(PARAMS_M, math.nan),
        named.EFFICIENCY.name: result.efficiency,
        named.ROUTING_ENTROPY.name: routing.entropy if routing else math.nan,
        named.ROUTING_ENTROPY_SHARE.name: routing.share if routing else math.nan,
        named.ANCHOR_ENTROPY.name: anchors.entropy if anchors else math.nan,
        named.LOAD_VARIATION.name: routing.load_variation if routing else math.nan,
        named.LOAD_BALANCE.name: routing.load_balance if routing else math.nan,
        named.DEAD_EXPERTS.name: len(routing.dead) if routing else math.nan,
        named.FINGERPRINT_DIVERSITY.name: fingerprints.diversity if fingerprints else math.nan,
        named.ROBUSTNESS.name: result.robustness,
        named.ADVERSARIAL_ROBUSTNESS.name: result.adversarial_robustness,
        named.TEST_ACCURACY.name: result.test_accuracy,
        named.TARGET_REACHED.name: target,
        named.ALERTS.name: len(result.alerts),
        named.SAMPLES.name: head.samples,
        named.STREAMS.name: len(result.streams),
    }
