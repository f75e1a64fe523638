"""Training seen from its log: what the losses do, how emergence moves, and what calls for attention."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from scoresheet.metrics.families.collective.names import STREAM
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.means import mean

DEAD: Final = "dead_stream"  # names of alerts
DIFFUSE: Final = "high_routing_entropy"
DROP: Final = 0.9  # of the epoch before
DEAD_STREAM: Final = 0.01
COLLAPSED: Final = 0.5
HIGH_ENTROPY: Final = 2.0
_FLAT: Final = 0.01


class Alert(NamedTuple):
    """Something that calls for attention."""

    name: str
    epoch: str  # '' for what the files say of the system as it is
    value: float
    threshold: float
    what: str


def alerts_of(
    epochs: Sequence[str], columns: Mapping[str, Sequence[float]], measured: Collection[str] = ()
) -> list[Alert]:
    """Return the alerts of a history, epoch by epoch; what is not logged raises none.

    A ratio that was logged and one that was measured, at the epochs named, are not held against each other: they may
    be of other data.
    """
    found = []
    ratios = columns.get("emergence_ratio", ())
    streams = {name.removeprefix(STREAM): values for name, values in columns.items() if name.startswith(STREAM)}
    before = {True: math.nan, False: math.nan}
    for place, epoch in enumerate(epochs):
        if ratios:
            own = epoch in measured
            found += _drop(epoch, ratios[place], before[own])
            before[own] = ratios[place] if not math.isnan(ratios[place]) else before[own]
        found += state_alerts(
            epoch,
            accuracies={name: values[place] for name, values in streams.items()},
            fingerprints=_at(columns, "fingerprint_diversity", place),
            routing=_at(columns, "routing_entropy", place),
        )
    return found


def state_alerts(
    epoch: str, *, accuracies: Mapping[str, float], fingerprints: float = math.nan, routing: float = math.nan
) -> list[Alert]:
    """Return the alerts that one state of a system gives."""
    found = [
        Alert(DEAD, epoch, value, DEAD_STREAM, f"the accuracy of {name} is {value:.4f}")
        for name, value in accuracies.items()
        if value < DEAD_STREAM - TOLERANCE
    ]
    if fingerprints < COLLAPSED - TOLERANCE:
        what = f"fingerprint diversity is {fingerprints:.3f}: the streams look alike"
        found.append(Alert("collapsed_fingerprints", epoch, fingerprints, COLLAPSED, what))
    if routing > HIGH_ENTROPY + TOLERANCE:
        what = f"routing entropy is {routing:.3f} nats: hardly anything is selected"
        found.append(Alert(DIFFUSE, epoch, routing, HIGH_ENTROPY, what))
    return found


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
    found = []
    if last > first:
        found.append(
            f"{name} is rising: the mean of its last third, {last:.4g}, exceeds that of the first, {first:.4g}"
        )
    ends = known[-max(third, 2) :]
    moved = max(ends) - min(ends)
    if moved < _FLAT * abs(ends[0]) or not moved:
        found.append(f"{name} is flat: over its last third it moves less than 1 %")
    steps = [after - before for before, after in pairwise(known)]
    turns = sum(1 for before, after in pairwise(steps) if before * after < 0)
    if len(steps) > 1 and turns > len(steps) / 2:
        found.append(f"{name} is oscillating: {turns} of its {len(steps)} steps change direction")
    return found


def _drop(epoch: str, ratio: float, before: float) -> list[Alert]:
    if not ratio < DROP * before - TOLERANCE:
        return []
    what = f"the emergence ratio fell from {before:.3f} to {ratio:.3f}"
    return [Alert("emergence_drop", epoch, ratio, DROP * before, what)]


def _at(columns: Mapping[str, Sequence[float]], name: str, place: int) -> float:
    return columns[name][place] if name in columns else math.nan
