"""Alerts: what in a system, or in the log of its training, calls for attention."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from scoresheet.metrics.families.collective.names import (
    ACCURACY_PREFIX,
    EMERGENCE_RATIO,
    FINGERPRINT_DIVERSITY,
    ROUTING_ENTROPY,
)
from scoresheet.metrics.messages import percent
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.means import mean

EMERGENCE_DROP: Final = "emergence_drop"  # names of alerts
DEAD_STREAM: Final = "dead_stream"
COLLAPSED_FINGERPRINTS: Final = "collapsed_fingerprints"
HIGH_ROUTING_ENTROPY: Final = "high_routing_entropy"
WORSE_THAN_BEST: Final = "worse_than_best"

DROP: Final = 0.9  # of the epoch before
DEAD_ACCURACY: Final = 0.01
LEAST_DIVERSITY: Final = 0.5
MOST_ENTROPY: Final = 2.0  # nats
FLAT_BELOW: Final = 0.01  # of a loss: by how much it must move

_ORDER: Final = (WORSE_THAN_BEST, EMERGENCE_DROP, DEAD_STREAM, COLLAPSED_FINGERPRINTS, HIGH_ROUTING_ENTROPY)


class Alert(NamedTuple):
    """Something that calls for attention."""

    name: str
    epoch: str  # '' for what the files say of the system as it is
    value: float
    threshold: float
    message: str
    over_since: str = ""  # the epoch from which on its cause is over; '' for what calls for attention now

    def sentence(self) -> str:
        """Return the alert in words."""
        return f"{self.name}{f' at epoch {self.epoch}' if self.epoch else ''}: {self.message}"


def history_alerts(
    epochs: Sequence[str], columns: Mapping[str, Sequence[float]], measured: Collection[str] = ()
) -> list[Alert]:
    """Return the alerts of a history, epoch by epoch; what is not logged raises none.

    One whose cause is over at a later epoch says since when. A ratio that was logged and one that was measured, at the
    epochs named, are not held against each other: they may be of other data.
    """
    alerts = []
    ratios = columns.get(EMERGENCE_RATIO, ())
    for own in (False, True) if ratios else ():
        known = [
            (epoch, ratio)
            for epoch, ratio in zip(epochs, ratios, strict=True)
            if (epoch in measured) == own and not math.isnan(ratio)
        ]
        alerts += _emergence_drops(known)
    for name, values in columns.items():
        known = [(epoch, value) for epoch, value in zip(epochs, values, strict=True) if not math.isnan(value)]
        by_epoch = [(epoch, _alerts_of_value(epoch, name, value)) for epoch, value in known]
        for position, (_, found) in enumerate(by_epoch):
            over = next((epoch for epoch, later in by_epoch[position + 1 :] if not later), "")
            alerts += [alert._replace(over_since=over) for alert in found]
    places = {epoch: place for place, epoch in enumerate(epochs)}
    return sorted(alerts, key=lambda alert: (places[alert.epoch], _ORDER.index(alert.name)))


def _alerts_of_value(epoch: str, column: str, value: float) -> list[Alert]:
    """Return the alerts that one value of a history gives."""
    if column.startswith(ACCURACY_PREFIX):
        return state_alerts(epoch, accuracies={column.removeprefix(ACCURACY_PREFIX): value})
    if column == FINGERPRINT_DIVERSITY:
        return state_alerts(epoch, accuracies={}, fingerprint_diversity=value)
    if column == ROUTING_ENTROPY:
        return state_alerts(epoch, accuracies={}, routing_entropy=value)
    return []


def _emergence_drops(ratios: Sequence[tuple[str, float]]) -> list[Alert]:
    """Return the drops of a ratio; one is over where the ratio is back above its threshold, and stays there."""
    alerts = []
    for position in range(1, len(ratios)):
        (_, before), (epoch, ratio) = ratios[position - 1], ratios[position]
        threshold = DROP * before
        if ratio < threshold - TOLERANCE:
            message = f"the emergence ratio fell from {before:.3f} to {ratio:.3f}"
            over = _over_since(ratios[position + 1 :], threshold)
            alerts.append(Alert(EMERGENCE_DROP, epoch, ratio, threshold, message, over))
    return alerts


def _over_since(later: Sequence[tuple[str, float]], threshold: float) -> str:
    """Return the first epoch from which on all are at the threshold or above; '' if the last is not."""
    since = ""
    for epoch, ratio in reversed(later):
        if ratio < threshold - TOLERANCE:
            break
        since = epoch
    return since


def state_alerts(
    epoch: str,
    *,
    accuracies: Mapping[str, float],
    fingerprint_diversity: float = math.nan,
    routing_entropy: float = math.nan,
) -> list[Alert]:
    """Return the alerts that one state of a system gives."""
    alerts = [
        Alert(DEAD_STREAM, epoch, value, DEAD_ACCURACY, f"the accuracy of {name} is {value:.4f}")
        for name, value in accuracies.items()
        if value < DEAD_ACCURACY - TOLERANCE
    ]
    if fingerprint_diversity < LEAST_DIVERSITY - TOLERANCE:
        message = f"fingerprint diversity is {fingerprint_diversity:.3f}: the streams look alike"
        alerts.append(Alert(COLLAPSED_FINGERPRINTS, epoch, fingerprint_diversity, LEAST_DIVERSITY, message))
    if routing_entropy > MOST_ENTROPY + TOLERANCE:
        message = f"routing entropy is {routing_entropy:.3f} nats: hardly anything is selected"
        alerts.append(Alert(HIGH_ROUTING_ENTROPY, epoch, routing_entropy, MOST_ENTROPY, message))
    return alerts


def loss_warnings(name: str, losses: Sequence[float]) -> list[str]:
    """Return what a loss does that it should not: rise, stand still, or swing.

    >>> loss_warnings("val_loss", [1.0, 0.8, 0.9, 1.2, 1.3, 1.4])
    ['val_loss is rising: the mean of its last third, 1.35, exceeds that of the first, 0.9']
    """
    known = [value for value in losses if not math.isnan(value)]
    if len(known) < 3:
        return []
    third = len(known) // 3
    first, last = mean(known[:third]), mean(known[-third:])
    warnings = []
    if last > first:
        warnings.append(
            f"{name} is rising: the mean of its last third, {last:.4g}, exceeds that of the first, {first:.4g}"
        )
    ends = known[-max(third, 2) :]
    moved = max(ends) - min(ends)
    if moved < FLAT_BELOW * abs(ends[0]) or not moved:
        warnings.append(f"{name} is flat: over its last third it moves less than {percent(FLAT_BELOW)}")
    steps = [after - before for before, after in pairwise(known)]
    turns = sum(1 for before, after in pairwise(steps) if before * after < 0)
    if len(steps) > 1 and turns > len(steps) / 2:
        warnings.append(f"{name} is oscillating: {turns} of its {len(steps)} steps change direction")
    return warnings
