"""The pages and pictures of one system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from scoresheet.metrics.core import Chart, Column, LineChart, Page
from scoresheet.metrics.families.collective.columns import (
    ALERTS,
    CONDITIONS,
    FAILURES,
    GRADIENT,
    PAIRS,
    ROUTING,
    STREAMS,
    SUMMARY,
    UNITS,
)
from scoresheet.metrics.families.collective.diagnostics import routing_band
from scoresheet.metrics.families.collective.names import COLUMNS, LOSSES, STREAM
from scoresheet.metrics.families.collective.sheets import PREDICTIONS
from scoresheet.metrics.families.collective.system import System
from scoresheet.metrics.families.collective.template import blocks
from scoresheet.cli.report.pictures import Bars, HeatMap, Lines, Picture, Points
from scoresheet.metrics.tables import frame_of_rows

_FROM_PREDICTIONS: Final = ("collective_acc", "emergence_ratio")
_FILLED: Final = ", or from the predictions"


def summary_page(system: System) -> Page:
    """Return the report's lines, block by block."""
    return _page("Summary", SUMMARY, [(title, *line) for title, lines in blocks(system) for line in lines])


def pages_of(system: System) -> tuple[Page, ...]:
    """Return the pages that there is something to say on."""
    found = [_streams(system), *([_pairs(system)] if system.pairs else [])]
    found += [_routing(system)] if system.routing else []
    found += [_anchors(system)] if system.anchors else []
    found += [_fingerprints(system)] if system.fingerprints else []
    found += [_conditions(system)] if len(system.conditions) > 1 else []
    found += [_failures(system)] if len(system.streams) > 1 else []
    found += [_history(system)] if system.log.epochs else []
    found += [_page("Alerts", ALERTS, system.alerts)] if system.alerts else []
    return tuple(found)


def units_of(system: System) -> Any:
    """Return a row per stream for the CSV."""
    found = system.contributions
    rows: list[tuple[Any, ...]] = [
        (PREDICTIONS, name, system.headline.streams[place], found.contribution[place], found.shapley[place])
        for place, name in enumerate(system.streams)
    ]
    if system.gradients:
        rows = [(*row, gradient) for row, gradient in zip(rows, system.gradients, strict=True)]
        return frame_of_rows([*UNITS, GRADIENT.name], rows)
    return frame_of_rows(UNITS, rows)


def pictures_of(system: System) -> tuple[Picture, ...]:
    """Return the pictures: emergence over training, routing, and the map of fingerprints."""
    found = [_emergence(system)]
    if system.routing:
        rows = [line for line in system.routing.lines if line[0] == system.routing.last]
        names = tuple(" ".join(part for part in (stream, layer) if part) or "all" for _, stream, layer, *_ in rows)
        epoch = f", epoch {system.routing.last}" if system.routing.last else ""
        panel = HeatMap(
            f"Mean routing weights{epoch}", names, tuple(system.routing.experts), [line[5] for line in rows]
        )
        found.append(Picture("routing", "Routing", (panel,)))
    if system.fingerprints and len(system.fingerprints.streams) > 1:
        first, second = system.fingerprints.variance
        places = [(point[0], point[1]) for point in system.fingerprints.points.tolist()]
        points = Points(
            "Fingerprints on two principal axes",
            f"PC1 ({first:.0%} of variance)",
            f"PC2 ({second:.0%})",
            dict(zip(system.fingerprints.streams, places, strict=True)),
        )
        found.append(Picture("fingerprints", "Fingerprint space", (points,)))
    return tuple(found)


def _emergence(system: System) -> Picture:
    """Return three panels: accuracies over training, the ratio over training, and how they ended."""
    epochs, columns = tuple(system.log.epochs), system.log.columns
    accuracies = {"Collective": columns["collective_acc"]} if "collective_acc" in columns else {}
    accuracies |= {name.removeprefix(STREAM): values for name, values in columns.items() if name.startswith(STREAM)}
    panels: list[Any] = []
    if accuracies:
        panels.append(
            Lines("Collective and individual accuracy", "Epoch", "Accuracy", epochs, accuracies, "Collective")
        )
    if "emergence_ratio" in columns:
        ratios = {"ρ": columns["emergence_ratio"]}
        panels.append(Lines("Emergence ratio over training", "Epoch", "ρ", epochs, ratios, "ρ", level=1.0))
    ends = {"Collective": system.headline.accuracy}
    ends |= dict(zip(system.streams, system.headline.streams, strict=True))
    panels.append(Bars("Final accuracy", "Accuracy", ends, "Collective"))
    return Picture("emergence", "Emergence", tuple(panels))


def _streams(system: System) -> Page:
    """Return a row per stream, and the matrix of faults that two share as a heat map."""
    found = system.contributions
    faults = {(one, other): errors.double_fault for one, other, errors in system.pairs}
    matrix = tuple(
        Column(f"Wrong with {name}", f"Share of the samples on which {name} is wrong too.", "share", better="lower")
        for name in system.streams
    )
    columns = (*STREAMS, *((GRADIENT,) if system.gradients else ()), *matrix)
    rows = [
        (
            name,
            system.headline.streams[place],
            found.contribution[place],
            found.shapley[place],
            found.without[place],
            *system.gradients[place : place + 1],
            *(faults.get((name, other), faults.get((other, name))) for other in system.streams),
        )
        for place, name in enumerate(system.streams)
    ]
    return _page("Streams", columns, rows, Chart("Accuracy by stream", "Stream", "Accuracy"))


def _pairs(system: System) -> Page:
    accuracy = dict(zip(system.streams, system.headline.streams, strict=True))
    rows = [(one, other, accuracy[one], accuracy[other], *found) for one, other, found in system.pairs]
    return _page("Pairs", PAIRS, rows)


def _routing(system: System) -> Page:
    routing = system.routing
    assert routing is not None  # noqa: S101 - the caller asked
    taken = {column.name for column in ROUTING}
    experts = tuple(
        Column(
            f"{name} " if name in taken else name, f"Mean weight of {name}.", "score", better="higher", relative=True
        )
        for name in routing.experts
    )
    largest = math.log(len(routing.experts)) if len(routing.experts) > 1 else math.nan
    rows = [
        (
            epoch,
            stream,
            layer,
            count,
            value,
            value / largest,
            routing_band(value),
            routing.overlaps.get(epoch),
            *weights,
        )
        for epoch, stream, layer, count, value, weights in routing.lines
    ]
    return _page("Routing", (*ROUTING, *experts), rows)


def _anchors(system: System) -> Page:
    anchors = system.anchors
    assert anchors is not None  # noqa: S101 - the caller asked
    columns = (
        Column("Anchor", "The anchor.", "key"),
        Column("Share", "Its share of the use, the mean over streams.", "share"),
        Column("Dead", "Whether that is next to nothing.", "label", bad=("dead",)),
        *(Column(f"In {name}", f"Its use in {name}, as given.", "score") for name in anchors.streams),
    )
    rows = [
        (name, float(anchors.shares[place]), "dead" if name in anchors.dead else "", *anchors.values[:, place].tolist())
        for place, name in enumerate(anchors.names)
    ]
    return _page("Anchors", columns, rows, Chart("Share of the use by anchor", "Anchor", "Share"))


def _fingerprints(system: System) -> Page:
    prints = system.fingerprints
    assert prints is not None  # noqa: S101 - the caller asked
    columns = (
        Column("Stream", "The stream.", "key"),
        *(Column(f"With {name}", f"Cosine with {name}.", "score") for name in prints.streams),
    )
    rows = [(name, *prints.similarity[place].tolist()) for place, name in enumerate(prints.streams)]
    return _page("Fingerprints", columns, rows)


def _conditions(system: System) -> Page:
    streams = tuple(Column(f"Accuracy of {name}", f"Accuracy of {name}.", "share") for name in system.streams)
    rows = [
        (
            condition.name,
            condition.epoch,
            condition.samples,
            condition.accuracy,
            condition.accuracy - system.headline.accuracy,
            max(condition.streams),
            condition.ratio,
            *condition.streams,
        )
        for condition in system.conditions
    ]
    chart = Chart("Accuracy by condition", "Condition", "Accuracy")
    return _page("Conditions", (*CONDITIONS, *streams), rows, chart)


def _failures(system: System) -> Page:
    found = system.contributions
    rows: list[tuple[Any, ...]] = [("nothing", found.accuracy, 0.0, None, None, None)]
    rows += [
        (name, without, without - found.accuracy, None, None, None)
        for name, without in zip(system.streams, found.without, strict=True)
    ]
    if system.failure:
        lost = len(system.streams) - system.failure.kept
        half = system.failure
        rows.append(
            (
                f"any {lost} of {len(system.streams)}",
                half.mean,
                half.mean - found.accuracy,
                half.least,
                half.most,
                half.subsets,
            )
        )
    return _page("Failure", FAILURES, rows)


def _history(system: System) -> Page:
    log = system.log
    names = [name for name in COLUMNS if name in log.columns]
    streams = [name for name in log.columns if name.startswith(STREAM)]
    others = [name for name in log.columns if name not in names and name not in streams]
    columns = (
        Column("Epoch", "The epoch.", "key"),
        *(
            Column(name, f"{name.replace('_', ' ')}, as logged{_FILLED if name in _FROM_PREDICTIONS else ''}.", "score")
            for name in names
        ),
        *(Column(name, f"Accuracy of {name.removeprefix(STREAM)}.", "score") for name in streams),
        *(Column(name, "As logged.", "score") for name in others),
    )
    rows = [
        (epoch, *(log.columns[name][place] for name in (*names, *streams, *others)))
        for place, epoch in enumerate(log.epochs)
    ]
    charts = [
        LineChart(title, "Epoch", tuple(lines))
        for title, lines in (
            ("Accuracy", [name for name in ("collective_acc", *streams) if name in log.columns]),
            ("Emergence ratio", [name for name in ("emergence_ratio",) if name in names]),
            ("Loss", [name for name in LOSSES if name in names]),
            ("Routing entropy and fingerprint diversity", [name for name in COLUMNS[4:6] if name in names]),
        )
        if lines
    ]
    page = _page("History by epoch", columns, rows)  # plain History is a name that Excel keeps for itself
    return Page(page.title, page.table, columns, chart=charts[0] if charts else None, more_charts=tuple(charts[1:]))


def _page(title: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], chart: Chart | None = None) -> Page:
    return Page(title, frame_of_rows([column.name for column in columns], rows), tuple(columns), chart=chart)
