"""A system as it is and as it came to be: what calls for attention, and whether training went as expected."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scoresheet.metrics.families.collective.alerts import (
    DEAD_STREAM,
    HIGH_ROUTING_ENTROPY,
    WORSE_THAN_BEST,
    Alert,
    state_alerts,
)
from scoresheet.metrics.families.collective.best_member import BETTER, StreamTest
from scoresheet.metrics.families.collective.conditions import Condition
from scoresheet.metrics.families.collective.diagnostic_sheets import Fingerprints, Routing
from scoresheet.metrics.families.collective.emergence import FAILURE_BELOW
from scoresheet.metrics.families.collective.names import EMERGENCE_RATIO, ROUTING_ENTROPY
from scoresheet.metrics.families.collective.patterns import Pattern, emergence_pattern, routing_pattern
from scoresheet.metrics.families.collective.training import TrainingLog


def worse_than_best(streams: Sequence[str], headline: Condition, tests: Sequence[StreamTest]) -> list[Alert]:
    """Return an alert if a stream is shown to be better than the collective."""
    better = [position for position, test in enumerate(tests) if test.finding == BETTER]
    if not better:
        return []
    best = max(better, key=lambda position: headline.streams[position])
    message = (
        f"the collective is right on {headline.accuracy:.1%}, {streams[best]} alone on {headline.streams[best]:.1%} "
        f"(p = {tests[best].p_better:.2g} after Holm's correction)"
    )
    return [Alert(WORSE_THAN_BEST, "", headline.ratio, FAILURE_BELOW, message)]


def system_alerts(
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


def training_patterns(training: TrainingLog, routing: Routing | None, confidence: float) -> tuple[Pattern, ...]:
    """Return the patterns that training is expected to show; an entropy that is not logged is that of the routing."""
    ratios = training.columns.get(EMERGENCE_RATIO, [math.nan] * len(training.epochs))
    epochs, entropies = training.epochs, training.columns.get(ROUTING_ENTROPY)
    if entropies is None or all(map(math.isnan, entropies)):
        logged = routing.entropies if routing else {}
        epochs, entropies = list(logged), list(logged.values())
    found = (
        routing_pattern(epochs, entropies, confidence=confidence),
        emergence_pattern(training.epochs, ratios, confidence=confidence),
    )
    return tuple(pattern for pattern in found if pattern is not None)
