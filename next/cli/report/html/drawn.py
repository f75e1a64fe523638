"""Charts as the page draws them: numbers, with every text and tick already made."""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from scoresheet.cli.report import AnyChart, Bars, Chart, Distribution, Heat, Lines, Points
from scoresheet.cli.report.charts import Axis, axis, binned, thinned
from scoresheet.cli.report.text import MINUS, show
from scoresheet.metrics.measure import Format


def drawn(chart: AnyChart) -> dict[str, Any]:
    """Return what page.js needs to draw a chart."""
    kind = type(chart).__name__.lower()
    return {"kind": kind, "title": chart.title, **_PARTS[type(chart)](chart)}


def _text(value: float, format: Format) -> str:  # noqa: A002
    return show(value, format, minus=MINUS)


def _numbers(values: Iterable[float]) -> list[float | None]:
    return [round(value, 6) if math.isfinite(value) else None for value in map(float, values)]


def _axis(scale: Axis) -> dict[str, Any]:
    return {"low": scale.low, "high": scale.high, "ticks": scale.ticks}


def _chart(chart: Chart) -> dict[str, Any]:
    scale = axis([n for _, *row in chart.rows for n in row], chart.bounds, chart.format)
    rows = [[name, *_numbers(row), _text(row[0], chart.format)] for name, *row in chart.rows]
    return {"x": _axis(scale), "rows": rows}


def _series(chart: Lines | Points) -> dict[str, Any]:
    series = [(name, thinned(xs), thinned(ys)) for name, xs, ys in chart.series]
    across = [x for _, xs, _ in series for x in xs]
    up = [y for _, _, ys in series for y in ys]
    return {
        **asdict(chart),
        "x": _axis(axis(across)),
        "y": _axis(axis(up)),
        "series": [[name, _numbers(xs), _numbers(ys)] for name, xs, ys in series],
    }


def _bars(chart: Bars) -> dict[str, Any]:
    rows = [
        [name, [[label, round(share, 6), show(share, "share")] for label, share in parts]]
        for name, parts in chart.rows
    ]
    return {"rows": rows, "even": chart.even, "x": _axis(axis([0, 1], format="share"))}


def _heat(chart: Heat) -> dict[str, Any]:
    most = max((abs(n) for row in chart.values for n in row if math.isfinite(n)), default=0) or 1

    def cell(value: float) -> list[Any] | None:
        finite = math.isfinite(value)
        return [round(value / most, 3), _text(value, chart.format)] if finite else None

    cells = [[cell(float(value)) for value in row] for row in chart.values]
    return {"rows": chart.rows, "columns": chart.columns, "cells": cells}


def _distribution(chart: Distribution) -> dict[str, Any]:
    scale, rows = binned(chart)
    shown = [[n, counts, *_numbers([m]), _text(m, chart.format)] for n, counts, m in rows]
    return {"x": _axis(scale), "rows": shown}


_PARTS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Chart: _chart,
    Lines: _series,
    Points: _series,
    Bars: _bars,
    Heat: _heat,
    Distribution: _distribution,
}
