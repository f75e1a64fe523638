"""The pictures of one system: emergence over training, routing, and the map of fingerprints."""

from __future__ import annotations

from scoresheet.cli.report.pictures import Bars, HeatMap, Lines, Picture, Points
from scoresheet.metrics.families.collective.diagnostic_sheets import Fingerprints, Routing, RoutingLine
from scoresheet.metrics.families.collective.names import ACCURACY_PREFIX, COLLECTIVE_ACCURACY, EMERGENCE_RATIO
from scoresheet.metrics.families.collective.result import CollectiveResult


def pictures_of(result: CollectiveResult) -> tuple[Picture, ...]:
    """Return the pictures that there is something to show on."""
    pictures = [_emergence(result)]
    if result.routing:
        pictures.append(_routing(result.routing))
    if result.fingerprints and len(result.fingerprints.streams) > 1:
        pictures.append(_fingerprints(result.fingerprints))
    return tuple(pictures)


def _emergence(result: CollectiveResult) -> Picture:
    """Return three panels: accuracies over training, the ratio over training, and how they ended."""
    epochs, columns = tuple(result.training.epochs), result.training.columns
    accuracies = {"Collective": columns[COLLECTIVE_ACCURACY]} if COLLECTIVE_ACCURACY in columns else {}
    accuracies |= {
        name.removeprefix(ACCURACY_PREFIX): values
        for name, values in columns.items()
        if name.startswith(ACCURACY_PREFIX)
    }
    panels: list[Lines | Bars] = []
    if accuracies:
        panels.append(
            Lines("Collective and individual accuracy", "Epoch", "Accuracy", epochs, accuracies, "Collective")
        )
    if EMERGENCE_RATIO in columns:
        ratios = {"ρ": columns[EMERGENCE_RATIO]}
        panels.append(Lines("Emergence ratio over training", "Epoch", "ρ", epochs, ratios, "ρ", level=1.0))
    ends = {"Collective": result.headline.accuracy}
    streams = zip(result.streams, result.headline.streams, strict=True)
    ends |= dict(sorted(streams, key=lambda stream: -stream[1]))
    panels.append(Bars("Final accuracy", "Accuracy", ends, "Collective"))
    return Picture("emergence", "Emergence", tuple(panels))


def _routing(routing: Routing) -> Picture:
    lines = [line for line in routing.lines if line.epoch == routing.last]
    epoch = f", epoch {routing.last}" if routing.last else ""
    panel = HeatMap(
        f"Mean routing weights{epoch}",
        tuple(map(_line_name, lines)),
        tuple(routing.experts),
        [line.weights for line in lines],
    )
    return Picture("routing", "Routing", (panel,))


def _line_name(line: RoutingLine) -> str:
    return " ".join(part for part in (line.stream, line.layer) if part) or "all"


def _fingerprints(fingerprints: Fingerprints) -> Picture:
    first, second = fingerprints.variance
    positions = [(across, up) for across, up in fingerprints.points.tolist()]
    panel = Points(
        "Fingerprints on two principal axes",
        f"PC1 ({first:.0%} of variance)",
        f"PC2 ({second:.0%})",
        dict(zip(fingerprints.streams, positions, strict=True)),
    )
    return Picture("fingerprints", "Fingerprint space", (panel,))
