"""Training, epoch by epoch: what the sheet history logs, filled up with what the predictions of each epoch give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from scoresheet.metrics.families.collective.alerts import Alert, history_alerts, loss_warnings
from scoresheet.metrics.families.collective.conditions import Condition
from scoresheet.metrics.families.collective.emergence import ratio_to_best
from scoresheet.metrics.families.collective.names import (
    ACCURACY_PREFIX,
    COLLECTIVE_ACCURACY,
    EMERGENCE_RATIO,
    LOSSES,
    epoch_order,
)
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.schema import EPOCH
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class TrainingLog:
    """Training, epoch by epoch."""

    epochs: list[str] = field(default_factory=list)
    columns: dict[str, list[float]] = field(default_factory=dict)  # a value per epoch, NaN where there is none
    measured: frozenset[str] = frozenset()  # epochs whose ratio comes from predictions

    def warnings(self) -> list[str]:
        """Return what the losses do that they should not."""
        return [text for name in LOSSES if name in self.columns for text in loss_warnings(name, self.columns[name])]

    def alerts_with(self, now: Sequence[Alert], epochs: Mapping[str, str]) -> list[Alert]:
        """Return the alerts of the system as it is and of its training, the newest first.

        `epochs` says, by the name of an alert, of which epoch the present state is; else it is of the last.
        """
        logged = history_alerts(self.epochs, self.columns, self.measured)
        known = {(alert.name, alert.epoch, alert.message) for alert in logged}
        last = self.epochs[-1] if self.epochs else ""
        new = [alert for alert in now if (alert.name, epochs.get(alert.name) or last, alert.message) not in known]
        return [*new, *sorted(logged, key=lambda alert: epoch_order(alert.epoch), reverse=True)]


def training_log(table: NumericTable | None, measured: Mapping[str, Condition], streams: Sequence[str]) -> TrainingLog:
    """Return the training: what the history says, filled up with what the predictions of each epoch give."""
    logged_epochs = table.cells(EPOCH) if table else []
    epochs = sorted({*logged_epochs, *measured}, key=epoch_order)
    if not epochs:
        return TrainingLog()
    columns: dict[str, list[float]] = {}
    if table:
        rows = {epoch: row for row, epoch in enumerate(logged_epochs)}
        for name, values in zip(table.names, table.values.T.tolist(), strict=True):
            columns[name] = [values[rows[epoch]] if epoch in rows else math.nan for epoch in epochs]
    filled = []
    for epoch, condition in measured.items():
        index = epochs.index(epoch)
        if not math.isnan(_value_at(columns, COLLECTIVE_ACCURACY, index)):
            continue  # what is logged for an epoch is not mixed with what its predictions give
        if math.isnan(_value_at(columns, EMERGENCE_RATIO, index)):
            filled.append(epoch)
        given = {COLLECTIVE_ACCURACY: condition.accuracy, EMERGENCE_RATIO: condition.ratio}
        given |= {f"{ACCURACY_PREFIX}{name}": value for name, value in zip(streams, condition.streams, strict=True)}
        for name, value in given.items():
            logged = columns.setdefault(name, [math.nan] * len(epochs))
            logged[index] = value if math.isnan(logged[index]) else logged[index]
    _fill_ratios(columns, len(epochs), streams)
    return TrainingLog(epochs, columns, frozenset(filled))


def _value_at(columns: Mapping[str, Sequence[float]], name: str, index: int) -> float:
    return columns[name][index] if name in columns else math.nan


def _fill_ratios(columns: dict[str, list[float]], epochs: int, streams: Sequence[str]) -> None:
    """Work out emergence ratios that are not logged from the accuracies that are."""
    collective = columns.get(COLLECTIVE_ACCURACY)
    names = [f"{ACCURACY_PREFIX}{stream}" for stream in streams]
    if not collective or not all(name in columns for name in names):
        return  # the best of some streams is not the best
    ratios = columns.setdefault(EMERGENCE_RATIO, [math.nan] * epochs)
    for index in range(epochs):
        accuracies = [columns[name][index] for name in names]
        if math.isnan(ratios[index]) and not any(map(math.isnan, (collective[index], *accuracies))):
            ratios[index] = ratio_to_best(collective[index], accuracies)
