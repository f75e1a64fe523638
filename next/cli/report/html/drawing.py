"""Charts as page.js draws them: numbers, with every text and tick already made."""

import math
from dataclasses import asdict
from typing import Any

from scoresheet.cli.report import AnyChart, Bars, Chart, Distribution, Heat, Lines, Points
from scoresheet.cli.report.charts import axis, binned, scale_of, thinned
from scoresheet.cli.report.text import MINUS, show


def drawn(chart: AnyChart) -> dict[str, Any]:
    """Return a chart with its axes and texts; an undefined number is null."""
    content: dict[str, Any] = {**asdict(chart), "kind": type(chart).__name__.lower()}
    texts: list[Any] = []
    match chart:
        case Chart():
            content["x"] = asdict(scale_of(chart))
            texts = [value for _, value, *_ in chart.rows]
        case Distribution():
            scale, content["rows"] = binned(chart)
            content["x"] = asdict(scale)
            texts = [median for *_, median in content["rows"]]
        case Bars():
            content["x"] = asdict(axis([0, 1], format="share"))
        case Heat():
            texts = [number for row in chart.values for number in row]
        case Lines() | Points():
            series = [(name, thinned(xs), thinned(ys)) for name, xs, ys in chart.series]
            content["series"] = series
            content["x"] = asdict(axis([x for _, xs, _ in series for x in xs]))
            content["y"] = asdict(axis([y for _, _, ys in series for y in ys]))
    content["texts"] = [show(number, content["format"], minus=MINUS) for number in texts]
    return {name: _finite(part) for name, part in content.items()}


def _finite(part: Any) -> Any:
    if isinstance(part, list | tuple):
        return [_finite(each) for each in part]
    if isinstance(part, dict):
        return {name: _finite(each) for name, each in part.items()}
    if isinstance(part, float):
        return round(part, 6) if math.isfinite(part) else None
    return part
