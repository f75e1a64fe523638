"""What a script draws, as plain values: axes, how units are spread, and the panels that reporters make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from scoresheet.cli.report.pictures import Bars, HeatMap, Lines, Panel, Shares
from scoresheet.cli.write.html.cells import short_number
from scoresheet.cli.write.svg_parts import scale, tick_text

BINS: Final = 24  # of a histogram
MOST_STROKES: Final = 40  # units that are shown one by one


def axis_of(values: Sequence[float]) -> dict[str, Any] | None:
    """Return the ends and the lines of an axis for these values; None if no value is defined."""
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return None
    low, high, ticks = scale(known)
    return {"low": low, "high": high, "ticks": [[tick, tick_text(tick, ticks)] for tick in ticks]}


def spread_of(values: Sequence[float], axis: dict[str, Any]) -> dict[str, Any]:
    """Return a model's units along an axis: one by one if they are few, else how many fall into each part of it."""
    known = sorted(value for value in values if math.isfinite(value))
    counts = {"units": len(values), "undefined": len(values) - len(known)}
    if len(known) <= MOST_STROKES:
        return counts | {"values": [short_number(value) for value in known]}
    width = (axis["high"] - axis["low"]) / BINS
    bins = [0] * BINS
    for value in known:
        bins[min(int((value - axis["low"]) / width), BINS - 1)] += 1
    return counts | {"bins": bins}


def panel_values(panel: Panel) -> dict[str, Any]:
    """Return a panel as the script draws it."""
    match panel:
        case Bars():
            bars = [[name, short_number(value)] for name, value in panel.bars.items()]
            return {"kind": "bars", "title": panel.title, "measure": panel.up, "bars": bars, "main": panel.main}
        case Shares():
            rows = [
                [name, [[piece, short_number(size)] for piece, size in pieces.items()]]
                for name, pieces in panel.rows.items()
            ]
            return {"kind": "shares", "title": panel.title, "rows": rows, "ranked": panel.ranked}
        case HeatMap():
            cells = [[short_number(value) for value in row] for row in panel.values]
            return {
                "kind": "heat",
                "title": panel.title,
                "rows": list(panel.rows),
                "columns": list(panel.columns),
                "cells": cells,
            }
        case Lines():
            lines = [[name, [short_number(value) for value in values]] for name, values in panel.lines.items()]
            axis = axis_of([value for values in panel.lines.values() for value in values])
            return {
                "kind": "lines",
                "title": panel.title,
                "across": panel.across,
                "measure": panel.up,
                "points": list(panel.points),
                "lines": lines,
                "axis": axis,
            }
