"""The pages of one system; each column stands beside its values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from scoresheet.cli.report import collective_columns as columns
from scoresheet.cli.report.collective_markdown import report_blocks
from scoresheet.cli.report.page import Chart, Column, Edge, LineChart, Page, PageTable, free_column_name
from scoresheet.metrics.families.collective.diagnostics import routing_band
from scoresheet.metrics.families.collective.emergence import (
    EXTRAORDINARY,
    FAILURE_BELOW,
    MARGINAL_BELOW,
    STRONG,
    STRONG_UP_TO,
)
from scoresheet.metrics.families.collective.names import (
    ACCURACY_PREFIX,
    COLLECTIVE_ACCURACY,
    EMERGENCE_RATIO,
    FINGERPRINT_DIVERSITY,
    HISTORY_COLUMNS,
    LOSSES,
    ROUTING_ENTROPY,
)
from scoresheet.metrics.families.collective.result import CollectiveResult

RATIO_EDGES: Final = (
    Edge(FAILURE_BELOW, f"as good as the best stream: {FAILURE_BELOW:g}"),
    Edge(MARGINAL_BELOW, f"{STRONG} from {MARGINAL_BELOW:g}"),
    Edge(STRONG_UP_TO, f"{EXTRAORDINARY} above {STRONG_UP_TO:g}"),
)
_FROM_PREDICTIONS: Final = (COLLECTIVE_ACCURACY, EMERGENCE_RATIO)
_FILLED: Final = ", or from the predictions"

Cells = Mapping[Column, Sequence[object]]


def summary_page(result: CollectiveResult, confidence: float) -> Page:
    """Return the report's lines, block by block."""
    lines = [(title, line) for title, block in report_blocks(result, confidence) for line in block]
    return _page(
        "Summary",
        {
            columns.BLOCK: [title for title, _ in lines],
            columns.MEASURE: [line.measure for _, line in lines],
            columns.VALUE: [line.value for _, line in lines],
            columns.MEANING: [line.meaning for _, line in lines],
        },
    )


def further_pages(result: CollectiveResult) -> tuple[Page, ...]:
    """Return the pages that there is something to say on."""
    pages = (
        _streams_page(result),
        _pairs_page(result) if result.pairs else None,
        _routing_page(result),
        _experts_page(result),
        _anchors_page(result),
        _fingerprints_page(result),
        _conditions_page(result) if len(result.conditions) > 1 else None,
        _splits_page(result) if result.splits else None,
        _targets_page(result) if result.targets else None,
        _failures_page(result) if len(result.streams) > 1 else None,
        _history_page(result) if result.training.epochs else None,
        _patterns_page(result) if result.patterns else None,
        _alerts_page(result) if result.alert_list or result.past_alerts else None,
    )
    return tuple(page for page in pages if page is not None)


def stream_cells(result: CollectiveResult) -> dict[Column, Sequence[object]]:
    """Return the columns of the CSV with a row per stream."""
    found = result.contributions
    return {
        columns.STREAM: result.streams,
        columns.ACCURACY: result.headline.streams,
        columns.CONTRIBUTION: found.contribution,
        columns.SHAPLEY: found.shapley,
        columns.STREAM_P: [test.p_value for test in result.tests],
        columns.P_BETTER: [test.p_better for test in result.tests],
        columns.STREAM_FINDING: [test.finding for test in result.tests],
        **({columns.GRADIENT: result.gradients} if result.gradients else {}),
    }


def _streams_page(result: CollectiveResult) -> Page:
    """Return a row per stream, and the matrix of faults that two share as a heat map."""
    faults = {(pair.one, pair.other): pair.errors.double_fault for pair in result.pairs}
    cells = stream_cells(result)
    gradients = cells.pop(columns.GRADIENT, None)
    matrix = {
        columns.wrong_with(other): [faults.get((name, other), faults.get((other, name))) for name in result.streams]
        for other in result.streams
    }
    cells |= {columns.WITHOUT: result.contributions.without}
    cells |= {columns.GRADIENT: gradients} if gradients is not None else {}
    return _page("Streams", cells | matrix, Chart("Accuracy by stream", columns.STREAM.name, columns.ACCURACY.name))


def _pairs_page(result: CollectiveResult) -> Page:
    accuracy = dict(zip(result.streams, result.headline.streams, strict=True))
    return _page(
        "Pairs",
        {
            columns.ONE_STREAM: [pair.one for pair in result.pairs],
            columns.OTHER_STREAM: [pair.other for pair in result.pairs],
            columns.ONE_ACCURACY: [accuracy[pair.one] for pair in result.pairs],
            columns.OTHER_ACCURACY: [accuracy[pair.other] for pair in result.pairs],
            columns.Q: [pair.errors.q for pair in result.pairs],
            columns.DISAGREEMENT: [pair.errors.disagreement for pair in result.pairs],
            columns.DOUBLE_FAULT: [pair.errors.double_fault for pair in result.pairs],
        },
    )


def _routing_page(result: CollectiveResult) -> Page | None:
    routing = result.routing
    if routing is None:
        return None
    lines = routing.lines
    largest = math.log(len(routing.experts)) if len(routing.experts) > 1 else math.nan
    cells: dict[Column, Sequence[object]] = {
        columns.EPOCH: [line.epoch for line in lines],
        columns.STREAM: [line.stream for line in lines],
        columns.LAYER: [line.layer for line in lines],
        columns.ROWS: [line.rows for line in lines],
        columns.ENTROPY: [line.entropy for line in lines],
        columns.ENTROPY_SHARE: [line.entropy / largest for line in lines],
        columns.ROUTING_BAND: [routing_band(line.entropy) for line in lines],
        columns.OVERLAP: [routing.overlaps.get(line.epoch) for line in lines],
    }
    taken = [column.name for column in cells]
    for expert, weights in zip(routing.experts, zip(*(line.weights for line in lines), strict=True), strict=True):
        name = free_column_name(expert, taken)
        cells[Column(name, f"Mean weight of {expert}.", "score", better="higher", relative=True)] = weights
        taken.append(name)
    return _page("Routing", cells)


def _experts_page(result: CollectiveResult) -> Page | None:
    """Return the load of each expert, layer by layer."""
    routing = result.routing
    if routing is None:
        return None
    lines = [(load, place) for load in routing.loads for place in range(len(routing.experts))]
    cells: Cells = {
        columns.LAYER: [load.layer for load, _ in lines],
        columns.EXPERT: [routing.experts[place] for _, place in lines],
        columns.ROWS: [load.rows for load, _ in lines],
        columns.LOAD: [load.shares[place] for load, place in lines],
        columns.DEAD_EXPERT: ["dead" if load.is_dead(place) else "" for load, place in lines],
    }
    chart = Chart("Load by expert", columns.EXPERT.name, columns.LOAD.name, group=columns.LAYER.name)
    return _page("Experts", cells, chart if len(routing.loads) > 1 else replace(chart, group=""))


def _anchors_page(result: CollectiveResult) -> Page | None:
    anchors = result.anchors
    if anchors is None:
        return None
    cells: Cells = {
        columns.ANCHOR: anchors.names,
        columns.ANCHOR_SHARE: anchors.shares.tolist(),
        columns.DEAD: ["dead" if name in anchors.dead else "" for name in anchors.names],
        **{columns.use_in(stream): uses for stream, uses in zip(anchors.streams, anchors.values.tolist(), strict=True)},
    }
    chart = Chart("Share of the use by anchor", columns.ANCHOR.name, columns.ANCHOR_SHARE.name)
    return _page("Anchors", cells, chart)


def _fingerprints_page(result: CollectiveResult) -> Page | None:
    prints = result.fingerprints
    if prints is None:
        return None
    cosines = {
        columns.cosine_with(stream): values
        for stream, values in zip(prints.streams, prints.similarity.T.tolist(), strict=True)
    }
    return _page("Fingerprints", {columns.STREAM: prints.streams, **cosines})


def _conditions_page(result: CollectiveResult) -> Page:
    conditions, shifts = result.conditions, result.shifts
    clean = result.headline
    cells: Cells = {
        columns.CONDITION: [condition.name for condition in conditions],
        columns.LAST_EPOCH: [condition.epoch for condition in conditions],
        columns.SAMPLES: [condition.samples for condition in conditions],
        columns.CONDITION_ACCURACY: [condition.accuracy for condition in conditions],
        columns.SHARED: [clean.samples, *(shift.shared for shift in shifts)],
        columns.ON_SHARED: [clean.accuracy, *(shift.accuracy for shift in shifts)],
        columns.CLEAN_ON_SHARED: [clean.accuracy, *(shift.clean for shift in shifts)],
        columns.CONDITION_DELTA: [0.0, *(shift.delta for shift in shifts)],
        columns.CONDITION_P: [None, *(shift.p_holm for shift in shifts)],
        columns.CONDITION_FINDING: ["", *(shift.finding for shift in shifts)],
        columns.BEST_ACCURACY: [condition.best_accuracy for condition in conditions],
        columns.CONDITION_RATIO: [condition.ratio for condition in conditions],
        **{
            columns.accuracy_of(stream): accuracies
            for stream, accuracies in zip(
                result.streams, zip(*(condition.streams for condition in conditions), strict=True), strict=True
            )
        },
    }
    chart = Chart("Accuracy by condition", columns.CONDITION.name, columns.CONDITION_ACCURACY.name, ordered=True)
    return _page("Conditions", cells, chart)


def _splits_page(result: CollectiveResult) -> Page:
    """Return the clean condition on each split, the headline's first."""
    lines = result.splits.values()
    cells: Cells = {
        columns.SPLIT: list(result.splits),
        columns.LAST_EPOCH: [line.epoch for line in lines],
        columns.SAMPLES: [line.samples for line in lines],
        columns.CONDITION_ACCURACY: [line.accuracy for line in lines],
        columns.BEST_ACCURACY: [line.best_accuracy for line in lines],
        columns.CONDITION_RATIO: [line.ratio for line in lines],
    }
    return _page(
        "Splits", cells, Chart("Accuracy by split", columns.SPLIT.name, columns.CONDITION_ACCURACY.name, ordered=True)
    )


def _targets_page(result: CollectiveResult) -> Page:
    targets = result.targets
    return _page(
        "Targets",
        {
            columns.TARGET: [target.name for target in targets],
            columns.DATASET: [target.dataset for target in targets],
            columns.TARGET_VALUE: [target.value for target in targets],
            columns.REACHED_ACCURACY: [target.accuracy for target in targets],
            columns.TARGET_DIFFERENCE: [target.difference for target in targets],
            columns.REACHED: [target.reached for target in targets],
        },
    )


def _patterns_page(result: CollectiveResult) -> Page:
    patterns = result.patterns
    return _page(
        "Patterns",
        {
            columns.PATTERN: [pattern.what for pattern in patterns],
            columns.PATTERN_EPOCHS: [pattern.epochs for pattern in patterns],
            columns.FIRST: [pattern.first for pattern in patterns],
            columns.LAST: [pattern.last for pattern in patterns],
            columns.TAU: [pattern.tau for pattern in patterns],
            columns.TREND_P: [pattern.p_value for pattern in patterns],
            columns.PATTERN_FINDING: [pattern.finding for pattern in patterns],
            columns.BREAKS_AT: [pattern.breaks_at for pattern in patterns],
            columns.BACK_AT: [pattern.back_at for pattern in patterns],
        },
    )


def _failures_page(result: CollectiveResult) -> Page:
    found, half = result.contributions, result.half_failure
    failing, left = ["nothing", *result.streams], [found.accuracy, *found.without]
    deltas = [0.0, *(without - found.accuracy for without in found.without)]
    least: list[float | None] = [None] * len(failing)
    most, ways = list(least), list(least)
    if half:
        failing.append(f"any {len(result.streams) - half.kept} of {len(result.streams)}")
        left.append(half.mean)
        deltas.append(half.mean - found.accuracy)
        least.append(half.least)
        most.append(half.most)
        ways.append(half.subsets)
    return _page(
        "Failure",
        {
            columns.FAILING: failing,
            columns.LEFT_ACCURACY: left,
            columns.LEFT_DELTA: deltas,
            columns.LEAST: least,
            columns.MOST: most,
            columns.WAYS: ways,
        },
    )


def _history_page(result: CollectiveResult) -> Page:
    log = result.training
    ours = [name for name in HISTORY_COLUMNS if name in log.columns]
    streams = [name for name in log.columns if name.startswith(ACCURACY_PREFIX)]
    others = [name for name in log.columns if name not in ours and name not in streams]
    shown = (
        *(
            Column(name, f"{name.replace('_', ' ')}, as logged{_FILLED if name in _FROM_PREDICTIONS else ''}.", "score")
            for name in ours
        ),
        *(Column(name, f"Accuracy of {name.removeprefix(ACCURACY_PREFIX)}.", "score") for name in streams),
        *(Column(name, "As logged.", "score") for name in others),
    )
    epoch = Column("Epoch", "The epoch.", "key")
    # plain History is a name that Excel keeps for itself
    page = _page("History by epoch", {epoch: log.epochs, **{column: log.columns[column.name] for column in shown}})
    charts = [
        LineChart(title, epoch.name, tuple(lines), up, RATIO_EDGES[0] if names == (EMERGENCE_RATIO,) else None)
        for title, up, names in (
            ("Accuracy", "Accuracy", (COLLECTIVE_ACCURACY, *streams)),
            ("Emergence ratio", "ρ", (EMERGENCE_RATIO,)),
            ("Loss", "Loss", LOSSES),
            ("Routing entropy and fingerprint diversity", "", (ROUTING_ENTROPY, FINGERPRINT_DIVERSITY)),
        )
        if (lines := [name for name in names if name in log.columns])
    ]
    return replace(page, chart=charts[0] if charts else None, more_charts=tuple(charts[1:]))


def _alerts_page(result: CollectiveResult) -> Page:
    alerts = (*result.alert_list, *result.past_alerts)
    return _page(
        "Alerts",
        {
            columns.ALERT: [alert.name for alert in alerts],
            columns.ALERT_EPOCH: [alert.epoch for alert in alerts],
            columns.ALERT_VALUE: [alert.value for alert in alerts],
            columns.THRESHOLD: [alert.threshold for alert in alerts],
            columns.STATE: [f"over since {alert.over_since}" if alert.over_since else "now" for alert in alerts],
            columns.WHAT: [alert.message for alert in alerts],
        },
    )


def _page(title: str, cells: Cells, chart: Chart | None = None) -> Page:
    table = PageTable({column.name: list(values) for column, values in cells.items()})
    return Page(title, table, tuple(cells), chart=chart)
