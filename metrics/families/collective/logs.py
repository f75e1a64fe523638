"""What a system logs beside its predictions: routing, anchors, fingerprints and its training, made ready to tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.collective.checks import SUM_TOLERANCE
from scoresheet.metrics.families.collective.diagnostics import (
    anchor_use,
    fingerprint_diversity,
    fingerprint_similarity,
    principal_plane,
    routing_entropy,
    routing_overlap,
)
from scoresheet.metrics.families.collective.emergence import emergence_ratio
from scoresheet.metrics.families.collective.history import Alert, alerts_of, loss_warnings
from scoresheet.metrics.families.collective.names import LOSSES, STREAM, epoch_order
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.readings import Numbers
from scoresheet.metrics.keys import natural_order
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.stats.means import mean_of_array


class Measured(Protocol):
    """How a system did at one epoch."""

    @property
    def accuracy(self) -> float:
        """Of the collective."""

    @property
    def streams(self) -> tuple[float, ...]:
        """Accuracies of the streams."""

    @property
    def ratio(self) -> float:
        """The emergence ratio."""


@dataclass(frozen=True)
class Routing:
    """Where inputs are routed to."""

    experts: list[str]
    entropy: float  # nats, the mean over rows of the last epoch
    share: float  # of ln K
    lines: list[
        tuple[str, str, str, int, float, tuple[float, ...]]
    ]  # epoch, stream, layer, rows, entropy, mean weights
    overlaps: dict[str, float]  # by epoch
    last: str


@dataclass(frozen=True)
class Anchors:
    """How anchors are used."""

    names: list[str]
    streams: list[str]
    values: NDArray[np.float64]
    shares: NDArray[np.float64]
    entropy: float
    dead: list[str]


@dataclass(frozen=True)
class Fingerprints:
    """How different the streams' fingerprints are."""

    streams: list[str]
    similarity: NDArray[np.float64]
    diversity: float
    points: NDArray[np.float64]  # on the two axes of most variance
    variance: tuple[float, float]


@dataclass(frozen=True)
class Log:
    """Training, epoch by epoch."""

    epochs: list[str] = field(default_factory=list)
    columns: dict[str, list[float]] = field(default_factory=dict)
    measured: frozenset[str] = frozenset()  # epochs whose ratio comes from predictions

    def warnings(self) -> list[str]:
        """Return what the losses do that they should not."""
        return [text for name in LOSSES if name in self.columns for text in loss_warnings(name, self.columns[name])]

    def alerts_with(self, now: Sequence[Alert], epochs: Mapping[str, str]) -> list[Alert]:
        """Return the alerts of the system as it is and of its training, the newest first.

        `epochs` says, by the name of an alert, of which epoch the present state is; else it is of the last.
        """
        logged = alerts_of(self.epochs, self.columns, self.measured)
        known = {(alert.name, alert.epoch, alert.what) for alert in logged}
        last = self.epochs[-1] if self.epochs else ""
        new = [alert for alert in now if (alert.name, epochs.get(alert.name) or last, alert.what) not in known]
        return [*new, *sorted(logged, key=lambda alert: epoch_order(alert.epoch), reverse=True)]


def routing_of(sheet: Numbers | None, options: CollectiveOptions, problems: list[Problem]) -> Routing | None:
    """Return the routing of a sheet whose rows are shares, or that --normalise makes such."""
    if sheet is None or not sheet.names or not len(sheet.values):
        return None
    weights = np.where(np.isnan(sheet.values), 0.0, sheet.values)
    sums = weights.sum(axis=1)
    usable = (weights >= 0).all(axis=1) & (sums > 0)
    if options.normalise:
        off = int((np.abs(sums[usable] - 1) > SUM_TOLERANCE).sum())
        if off:
            message = f"{off:,} rows of weights do not sum to 1 and were divided by their sum"
            problems.append(Problem(kind="weights-normalised", message=message, effect="note", sheet=sheet.role))
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = weights / sums[:, None]
    for place in np.flatnonzero(~usable).tolist():
        message = "the weights of the row are all 0, or one is below 0"
        problems.append(
            Problem(
                kind="bad-weights", message=message, effect="row not scored", sheet=sheet.role, row=sheet.rows[place]
            )
        )
    if not usable.any():
        return None
    entropies = np.where(usable, routing_entropy(np.where(usable[:, None], weights, 0.0)), math.nan)
    epochs = sheet.keys.get("epoch", [""] * len(weights))
    streams = sheet.keys.get("stream", [""] * len(weights))
    layers = sheet.keys.get("layer", [""] * len(weights))
    lines = []
    for key, rows in _groups(epochs, streams, layers).items():
        own = rows[usable[rows]]
        if len(own):
            means = weights[own].mean(axis=0)
            lines.append((*key, len(own), mean_of_array(entropies[own]), tuple(means.tolist())))
    last = max((line[0] for line in lines), key=epoch_order)  # of what is usable
    final = mean_of_array(entropies[np.array([epoch == last for epoch in epochs])])
    return Routing(
        experts=sheet.names,
        entropy=final,
        share=final / math.log(len(sheet.names)) if len(sheet.names) > 1 else math.nan,
        lines=lines,
        overlaps=_overlaps(weights, usable, epochs, streams),
        last=last,
    )


def _groups(*keys: Sequence[str]) -> dict[tuple[str, str, str], NDArray[np.int64]]:
    rows: dict[tuple[str, ...], list[int]] = {}
    for place, key in enumerate(zip(*keys, strict=True)):
        rows.setdefault(key, []).append(place)
    ordered = sorted(rows, key=lambda key: (epoch_order(key[0]), natural_order(key[1]), natural_order(key[2])))
    return {(key[0], key[1], key[2]): np.array(rows[key]) for key in ordered}


def _overlaps(
    weights: NDArray[np.float64], usable: NDArray[np.bool_], epochs: Sequence[str], streams: Sequence[str]
) -> dict[str, float]:
    """Return by epoch how much the streams' mean weights overlap."""
    means: dict[str, list[NDArray[np.float64]]] = {}
    for (epoch, _, _), rows in _groups(epochs, streams, [""] * len(epochs)).items():
        own = rows[usable[rows]]
        if len(own):
            means.setdefault(epoch, []).append(weights[own].mean(axis=0))
    return {epoch: routing_overlap(np.array(own)) for epoch, own in means.items()}


def anchors_of(sheet: Numbers | None, options: CollectiveOptions, problems: list[Problem]) -> Anchors | None:
    """Return how anchors are used, if the sheet says so."""
    if sheet is None or not sheet.names or not len(sheet.values):
        return None
    shares, entropy = anchor_use(sheet.values)
    if math.isnan(entropy):
        message = "every anchor has a use of 0, so that their shares and their entropy are undefined"
        problems.append(Problem(kind="dead-anchors", message=message, effect="note", sheet=sheet.role))
    dead = [name for name, share in zip(sheet.names, shares.tolist(), strict=True) if share < options.dead_anchor]
    if dead:
        message = f"anchors with less than {options.dead_anchor:g} of the use are dead: {', '.join(dead)}"
        problems.append(Problem(kind="dead-anchors", message=message, effect="note", sheet=sheet.role))
    return Anchors(sheet.names, sheet.keys["stream"], sheet.values, shares, entropy, dead)


def fingerprints_of(sheet: Numbers | None, options: CollectiveOptions, problems: list[Problem]) -> Fingerprints | None:
    """Return how different fingerprints are; one without length has no direction and is left out."""
    if sheet is None or not sheet.names or not len(sheet.values):
        return None
    usable = ~np.isnan(sheet.values).any(axis=1) & (np.abs(sheet.values).sum(axis=1) > 0)
    for place in np.flatnonzero(~usable).tolist():
        message = f"the fingerprint of {sheet.keys['stream'][place]} is all 0 or incomplete, and was left out"
        problems.append(
            Problem(kind="bad-number", message=message, effect="note", sheet=sheet.role, row=sheet.rows[place])
        )
    vectors = sheet.values[usable]
    if not len(vectors):
        return None
    names = [name for name, sound in zip(sheet.keys["stream"], usable.tolist(), strict=True) if sound]
    points, variance = principal_plane(vectors)
    return Fingerprints(
        streams=names,
        similarity=fingerprint_similarity(vectors),
        diversity=fingerprint_diversity(vectors, options.signed),
        points=points,
        variance=variance,
    )


def log_of(sheet: Numbers | None, measured: Mapping[str, Measured], streams: Sequence[str]) -> Log:
    """Return the training: what the history says, filled up with what the predictions of each epoch give."""
    epochs = sorted({*(sheet.keys["epoch"] if sheet else ()), *measured}, key=epoch_order)
    if not epochs:
        return Log()
    columns: dict[str, list[float]] = {}
    places = {epoch: place for place, epoch in enumerate(sheet.keys["epoch"])} if sheet else {}
    for column, name in enumerate(sheet.names if sheet else ()):
        assert sheet is not None  # noqa: S101 - tells the type checker what the line above says
        columns[name] = [
            float(sheet.values[places[epoch], column]) if epoch in places else math.nan for epoch in epochs
        ]
    filled = []
    for epoch, own in measured.items():
        given = {"collective_acc": own.accuracy, "emergence_ratio": own.ratio}
        given |= {f"{STREAM}{stream}": value for stream, value in zip(streams, own.streams, strict=True)}
        place = epochs.index(epoch)
        if not math.isnan(columns.get("collective_acc", [math.nan] * len(epochs))[place]):
            continue  # what is logged for an epoch is not mixed with what its predictions give
        if math.isnan(columns.get("emergence_ratio", [math.nan] * len(epochs))[place]):
            filled.append(epoch)
        for name, value in given.items():
            logged = columns.setdefault(name, [math.nan] * len(epochs))
            logged[place] = value if math.isnan(logged[place]) else logged[place]
    _fill_ratio(columns, len(epochs), streams)
    return Log(epochs, columns, frozenset(filled))


def _fill_ratio(columns: dict[str, list[float]], epochs: int, names: Sequence[str]) -> None:
    """Work out emergence ratios that are not logged from the accuracies that are."""
    collective = columns.get("collective_acc")
    if not collective or not all(f"{STREAM}{name}" in columns for name in names):
        return  # the best of some streams is not the best
    streams = [columns[f"{STREAM}{name}"] for name in names]
    ratios = columns.setdefault("emergence_ratio", [math.nan] * epochs)
    for place in range(epochs):
        said = [collective[place], *(values[place] for values in streams)]
        if math.isnan(ratios[place]) and not any(map(math.isnan, said)):
            ratios[place] = emergence_ratio(said[0], said[1:])
