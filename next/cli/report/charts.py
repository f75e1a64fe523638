"""The charts of a run, for the page, the figures and the workbook, and what drawing them needs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.report import AnyChart, Bars, Chart, Distribution, Heat, Points, own
from scoresheet.cli.report.tables import in_order
from scoresheet.cli.report.text import MINUS, PERCENT, show, show_level
from scoresheet.cli.run.recorded import Recorded
from scoresheet.metrics.measure import Format, Measure

MOST_MODELS = 30  # in a chart
MOST_POINTS = 1000  # of one series
BINS = 40


@dataclass(frozen=True)
class Axis:
    """Both ends of an axis of numbers, the step of its ticks, and its ticks with their labels."""

    low: float
    high: float
    step: float
    decimals: int
    ticks: tuple[tuple[float, str], ...]


def axis(
    numbers: Iterable[float], bounds: tuple[float, float] | None = None, shown: Format = "number"
) -> Axis:
    """Return an axis over the bounds and the finite numbers, with round ticks.

    >>> axis([0.276, 0.755], (0, 1)).ticks[:2], axis([-3, 41]).step
    (((0.0, '0.0'), (0.2, '0.2')), 10.0)
    """
    finite = [number for number in [*numbers, *(bounds or ())] if math.isfinite(number)] or [0]
    low, high = min(finite), max(finite)
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span))
    step = next(s * power for s in (0.2, 0.5, 1, 2) if span / (s * power) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    style, hundred = ("%", 100) if shown in PERCENT else ("f", 1)
    decimals = max(0, -math.floor(math.log10(step * hundred) + 1e-9))
    ticks = [round(place * step, 12) for place in range(first, last + 1)]
    labels = [f"{tick:.{decimals}{style}}".replace("-", MINUS) for tick in ticks]
    return Axis(first * step, last * step, step, decimals, tuple(zip(ticks, labels, strict=True)))


def scale_of(chart: Chart) -> Axis:
    """Return the axis of a chart of intervals."""
    numbers = (number for _, *row in chart.rows for number in row)
    return axis(numbers, chart.bounds, chart.format)


def headline_chart(results: pd.DataFrame, measure: Measure, ci: float) -> Chart | None:
    """Return the values of a measure with their intervals; None without values or with too many."""
    stem = measure.name if f"{measure.name}_Low" in results else "CI"
    rows = results.set_index("Model Name")[[measure.name, f"{stem}_Low", f"{stem}_High"]]
    rows = rows.astype(float)[np.isfinite(rows[measure.name].astype(float))]
    if rows.empty or len(rows) > MOST_MODELS:
        return None
    direction = f" ({measure.better} is better)" if measure.better else ""
    title = f"{measure.label} with {show_level(ci)} intervals{direction}"
    return Chart(title, tuple(rows.itertuples(name=None)), measure.bounds, measure.format)


def charts_of(recorded: Recorded) -> list[AnyChart]:
    """Return the charts of a run: the headline with its intervals, then those of its family.

    Where the measures are columns of the input, each of them has one.
    """
    measures, results = recorded.measures, in_order(recorded.results, recorded.manifest["order"])
    shown = measures[: 1 if recorded.family.functions else None]
    found = [headline_chart(results, measure, recorded.request.ci) for measure in shown]
    charts: list[AnyChart] = [chart for chart in found if chart]
    if draw := own(recorded.family, "charts"):
        rows = results[results["Scored"] > 0].head(MOST_MODELS).reset_index(drop=True)
        units = {name: recorded.units(name) for name in rows["Model Name"]}
        tables = {name: recorded.tables(name) for name in rows["Model Name"]}
        charts += draw(rows, measures[0], units, tables)
    return charts


def drawing(chart: AnyChart) -> dict[str, Any]:
    """Return a chart ready to be drawn: its fields with axes, texts of numbers, and bins."""
    spec: dict[str, Any] = {**vars(chart), "kind": type(chart).__name__.lower()}
    numbers: list[Any] = []
    match chart:
        case Chart():
            spec["x"] = scale_of(chart)
            numbers = [value for _, value, *_ in chart.rows]
        case Distribution():
            spec["x"], spec["rows"] = _binned(chart)
            numbers = [median for *_, median in spec["rows"]]
        case Bars():
            spec["x"] = axis([0, 1], shown="share")
        case Heat():
            numbers = [number for row in chart.values for number in row]
        case Points():
            spec["series"] = [(name, _thinned(xs), _thinned(ys)) for name, xs, ys in chart.series]
            spec["x"] = axis([x for _, xs, _ in spec["series"] for x in xs])
            spec["y"] = axis([y for _, _, ys in spec["series"] for y in ys])
    spec["texts"] = [show(number, spec["format"], minus=MINUS) for number in numbers]
    return spec


def _thinned(numbers: Sequence[float]) -> list[float]:
    """Return the numbers, or evenly spaced ones of them where they are too many to draw."""
    return list(numbers[:: math.ceil(len(numbers) / MOST_POINTS) or 1])


def _binned(chart: Distribution) -> tuple[Axis, list[tuple[str, list[int], float]]]:
    """Return the axis of a distribution, and each row's name, counts of equal bins and median."""
    rows = [
        (name, np.array([v for v in values if math.isfinite(v)])) for name, values in chart.rows
    ]
    scale = axis(np.concatenate([values for _, values in rows]).tolist(), shown=chart.format)
    counts = [np.histogram(values, BINS, (scale.low, scale.high))[0].tolist() for _, values in rows]
    medians = [float(np.median(values)) if values.size else math.nan for _, values in rows]
    return scale, [(n, c, m) for (n, _), c, m in zip(rows, counts, medians, strict=True)]
