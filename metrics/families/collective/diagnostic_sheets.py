"""What a system logs beside its predictions: its routing, its anchors and its fingerprints."""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.collective.diagnostics import (
    SUM_TOLERANCE,
    ExpertLoad,
    anchor_use,
    expert_load,
    fingerprint_diversity,
    fingerprint_similarity,
    principal_plane,
    routing_overlap,
    row_entropies,
)
from scoresheet.metrics.families.collective.names import epoch_order
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.schema import EPOCH, LAYER, STREAM
from scoresheet.metrics.keys import natural_order
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.means import mean, mean_of_array
from scoresheet.metrics.text_columns import coded_cells


class RoutingLine(NamedTuple):
    """The routing of one stream and layer at one epoch."""

    epoch: str
    stream: str
    layer: str
    rows: int
    entropy: float  # nats, the mean over rows
    weights: tuple[float, ...]  # the mean of each expert


@dataclass(frozen=True)
class Routing:
    """Where inputs are routed to."""

    experts: list[str]
    entropy: float  # nats, the mean over rows of the last epoch
    share: float  # of ln K
    lines: list[RoutingLine]
    overlaps: dict[str, float]  # by epoch
    entropies: dict[str, float]  # by epoch, the mean over its rows
    last: str  # epoch
    loads: list[ExpertLoad]  # of each layer, at the last epoch

    @property
    def dead(self) -> list[str]:
        """The experts that get next to nothing, with their layer where there are several."""
        return [
            f"{expert} (layer {load.layer})" if len(self.loads) > 1 else expert
            for load in self.loads
            for position, expert in enumerate(self.experts)
            if load.is_dead(position)
        ]

    @property
    def load_variation(self) -> float:
        """The coefficient of variation of the load, the mean over layers."""
        return mean(load.variation for load in self.loads)

    @property
    def load_balance(self) -> float:
        """The entropy of the load as a share of ln K, the mean over layers."""
        return mean(load.balance for load in self.loads)


@dataclass(frozen=True)
class Anchors:
    """How anchors are used."""

    names: list[str]
    streams: list[str]
    values: NDArray[np.float64]  # streams × anchors
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


def summarise_routing(table: NumericTable | None, options: CollectiveOptions) -> Noted[Routing | None]:
    """Return the routing of a sheet whose rows are shares, or that the options make such."""
    if table is None or table.is_empty:
        return Noted(None)
    weights = np.where(np.isnan(table.values), 0.0, table.values)
    sums = weights.sum(axis=1)
    usable = (weights >= 0).all(axis=1) & (sums > 0)
    problems = []
    if options.normalise:
        off = int((np.abs(sums[usable] - 1) > SUM_TOLERANCE).sum())
        if off:
            message = f"{off:,} rows of weights do not sum to 1 and were divided by their sum"
            problems.append(note("weights-normalised", message, sheet=table.role))
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = weights / sums[:, None]
    problems += [
        Problem(
            kind="bad-weights",
            message="the weights of the row are all 0, or one is below 0",
            effect="row not scored",
            sheet=table.role,
            row=table.rows[position],
        )
        for position in np.flatnonzero(~usable).tolist()
    ]
    if not usable.any():
        return Noted(None, tuple(problems))
    entropies = np.where(usable, row_entropies(np.where(usable[:, None], weights, 0.0)), math.nan)
    epochs, streams, layers = (coded_cells(table.cells(key)) for key in (EPOCH, STREAM, LAYER))
    lines = []
    for (epoch, stream, layer), rows in _grouped_rows(epochs, streams, layers).items():
        own = rows[usable[rows]]
        if len(own):
            means = tuple(weights[own].mean(axis=0).tolist())
            lines.append(RoutingLine(epoch, stream, layer, len(own), mean_of_array(entropies[own]), means))
    last = max((line.epoch for line in lines), key=epoch_order)  # of what is usable
    by_epoch = {
        epoch: mean_of_array(entropies[epochs.places(epoch)]) for epoch in dict.fromkeys(line.epoch for line in lines)
    }
    final = by_epoch[last]
    present = sorted({line.layer for line in lines if line.epoch == last}, key=natural_order)
    of_last = epochs.places(last)
    of_last = of_last[usable[of_last]]
    at_last = {layer: of_last[layers.take(of_last).places(layer)] for layer in present}
    routing = Routing(
        experts=table.names,
        entropy=final,
        share=final / math.log(len(table.names)) if len(table.names) > 1 else math.nan,
        lines=lines,
        overlaps=_overlaps(weights, usable, epochs, streams),
        entropies=by_epoch,
        last=last,
        loads=[expert_load(layer, weights[rows]) for layer, rows in at_last.items()],
    )
    if routing.dead:
        message = (
            f"experts with less than a tenth of an even share of the load, 1/{10 * len(table.names)}, are dead: "
            f"{join_names(routing.dead, most=8)}"
        )
        problems.append(note("dead-experts", message, sheet=table.role))
    return Noted(routing, tuple(problems))


def _grouped_rows(
    epochs: Coded[str], streams: Coded[str], layers: Coded[str]
) -> dict[tuple[str, str, str], NDArray[np.int64]]:
    """Return the rows of each epoch, stream and layer, in the order in which people read these."""
    codes = np.zeros(len(epochs), np.int64)
    for own in (epochs, streams, layers):
        codes = codes * len(own.values) + own.codes
    groups = Coded.of_codes(list(product(epochs.values, streams.values, layers.values)), codes)
    ordered = sorted(groups.values, key=lambda key: (epoch_order(key[0]), natural_order(key[1]), natural_order(key[2])))
    return {key: groups.places(key) for key in ordered}


def _overlaps(
    weights: NDArray[np.float64], usable: NDArray[np.bool_], epochs: Coded[str], streams: Coded[str]
) -> dict[str, float]:
    """Return by epoch how much the streams' mean weights overlap."""
    means: dict[str, list[NDArray[np.float64]]] = {}
    for (epoch, _, _), rows in _grouped_rows(epochs, streams, Coded.repeated("", len(epochs))).items():
        own = rows[usable[rows]]
        if len(own):
            means.setdefault(epoch, []).append(weights[own].mean(axis=0))
    return {epoch: routing_overlap(np.array(own)) for epoch, own in means.items()}


def summarise_anchors(table: NumericTable | None, options: CollectiveOptions) -> Noted[Anchors | None]:
    """Return how anchors are used, if the sheet says so."""
    if table is None or table.is_empty:
        return Noted(None)
    shares, entropy = anchor_use(table.values)
    problems = []
    if math.isnan(entropy):
        message = "every anchor has a use of 0, so that their shares and their entropy are undefined"
        problems.append(note("dead-anchors", message, sheet=table.role))
    dead = [name for name, share in zip(table.names, shares.tolist(), strict=True) if share < options.dead_anchor]
    if dead:
        message = f"anchors with less than {options.dead_anchor:g} of the use are dead: {', '.join(dead)}"
        problems.append(note("dead-anchors", message, sheet=table.role))
    anchors = Anchors(table.names, list(table.cells(STREAM)), table.values, shares, entropy, dead)
    return Noted(anchors, tuple(problems))


def summarise_fingerprints(table: NumericTable | None, options: CollectiveOptions) -> Noted[Fingerprints | None]:
    """Return how different fingerprints are; one without length has no direction and is left out."""
    if table is None or table.is_empty:
        return Noted(None)
    streams = table.cells(STREAM)
    usable = ~np.isnan(table.values).any(axis=1) & (np.abs(table.values).sum(axis=1) > 0)
    problems = tuple(
        note(
            "bad-number",
            f"the fingerprint of {streams[position]} is all 0 or incomplete, and was left out",
            sheet=table.role,
            row=table.rows[position],
        )
        for position in np.flatnonzero(~usable).tolist()
    )
    vectors = table.values[usable]
    if not len(vectors):
        return Noted(None, problems)
    points, variance = principal_plane(vectors)
    fingerprints = Fingerprints(
        streams=[name for name, kept in zip(streams, usable.tolist(), strict=True) if kept],
        similarity=fingerprint_similarity(vectors),
        diversity=fingerprint_diversity(vectors, options.signed),
        points=points,
        variance=variance,
    )
    return Noted(fingerprints, problems)
