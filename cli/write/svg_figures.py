"""Pictures as SVG, drawn without a display or a library: lines, bars, heat maps and named points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from scoresheet.cli.report.pictures import Bars, HeatMap, Lines, Picture, Points
from scoresheet.cli.write.svg_maps import Drawn, heat_map, points
from scoresheet.cli.write.svg_parts import (
    APART,
    BOTTOM,
    COLOURS,
    HEIGHT,
    INK,
    LEFT,
    MAIN,
    RIGHT,
    TOP,
    WIDTH,
    frame,
    plain,
    scale,
    short,
    slanted_text,
    words,
    x_of,
    y_of,
)

_MOST_VALUES: Final = 14  # bars that have room for their values
_ABOVE: Final = 30  # the panels: the title


def render_svg(picture: Picture) -> str:
    """Return a picture as SVG; equal pictures are equal to the byte."""
    panels = [_panel(panel) for panel in picture.panels]
    width = math.ceil(sum(wide for wide, _, _ in panels))
    height = math.ceil(max((tall for _, tall, _ in panels), default=HEIGHT)) + _ABOVE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="12" fill="{INK}">',
        f"<title>{plain(picture.title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>',
        words(width / 2, 22, picture.title, size=15, weight="bold"),
    ]
    left = 0.0
    for wide, _, inner in panels:
        parts += [f'<g transform="translate({left:g} {_ABOVE})">', *inner, "</g>"]
        left += wide
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Lines | Bars | HeatMap | Points) -> Drawn:
    match panel:
        case Lines():
            return WIDTH, HEIGHT, _lines(panel)
        case Bars():
            return WIDTH, HEIGHT, _bars(panel)
        case HeatMap():
            return heat_map(panel)
        case Points():
            return points(panel)


def _lines(panel: Lines) -> list[str]:
    known = [value for line in panel.lines.values() for value in line if math.isfinite(value)]
    # a little below the level too, or it would lie on the axis and not be seen
    low, high, ticks = scale([*known, *([panel.level, panel.level - 0.05] if panel.level is not None else [])])
    parts = frame(panel.title, panel.across, panel.up, low, high, ticks)
    last = max(len(panel.points) - 1, 1)
    step = math.ceil(len(panel.points) / 8)
    parts += [
        words(x_of(place / last), HEIGHT - BOTTOM + 16, name)
        for place, name in enumerate(panel.points)
        if place % step == 0
    ]
    if panel.level is not None:
        y = y_of(panel.level, low, high)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#7F7F7F" stroke-dasharray="5 4" fill="none"/>')
    for place, (name, values) in enumerate(panel.lines.items()):
        main = name == panel.main
        colour = MAIN if main else COLOURS[place % len(COLOURS)]
        marks = [(x_of(at / last), y_of(value, low, high)) for at, value in enumerate(values) if math.isfinite(value)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in marks)
        dashes = "" if main else ' stroke-dasharray="4 3"'
        if marks:
            parts.append(
                f'<path d="M{path}" stroke="{colour}" stroke-width="{2.5 if main else 1.4}" fill="none"{dashes}/>'
            )
        parts += _beyond(values, last, colour)
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 if main else 2}" fill="{colour}"/>' for x, y in marks]
    if any(value == math.inf for line in panel.lines.values() for value in line):
        parts.append(words(WIDTH - RIGHT, TOP - 4, "▲ infinite", anchor="end", size=10))
    return parts + _legend(list(panel.lines), panel.main)


def _beyond(values: Sequence[float], last: int, colour: str) -> list[str]:
    """Return a mark at the upper edge for each value that no axis reaches."""
    return [
        f'<path d="M{x_of(at / last):.1f} {TOP + 2}l5 9h-10z" fill="{colour}"/>'
        for at, value in enumerate(values)
        if value == math.inf
    ]


def _bars(panel: Bars) -> list[str]:
    low, high, ticks = scale([0.0, *(value for value in panel.bars.values() if math.isfinite(value))])
    parts = frame(panel.title, "", panel.up, low, high, ticks)
    room = (WIDTH - LEFT - RIGHT) / max(len(panel.bars), 1)
    each = math.ceil(APART / room)
    for place, (name, value) in enumerate(panel.bars.items()):
        x = LEFT + place * room
        if math.isfinite(value):
            y = y_of(value, low, high)
            colour = MAIN if name == panel.main else COLOURS[0]
            parts.append(
                f'<rect x="{x + room * 0.15:.1f}" y="{y:.1f}" width="{room * 0.7:.1f}" '
                f'height="{max(y_of(0, low, high) - y, 0):.1f}" fill="{colour}"/>'
            )
            if len(panel.bars) <= _MOST_VALUES:
                parts.append(words(x + room / 2, y - 4, f"{value:.2f}", size=11))
        if place % each == 0:
            parts.append(slanted_text(x + room / 2, HEIGHT - BOTTOM + 14, name, each * room))
    if each > 1:
        parts.append(words(WIDTH - RIGHT, TOP - 4, f"named: 1 of {each}", anchor="end", size=10))
    return parts


def _legend(names: Sequence[str], main: str) -> list[str]:
    """Return the names of the lines, in columns below the field."""
    if len(names) < 2:
        return []
    parts = []
    columns = 3
    for place, name in enumerate(names[:9]):
        x, y = LEFT + (place % columns) * 116, HEIGHT - 32 + (place // columns) * 14
        colour = MAIN if name == main else COLOURS[place % len(COLOURS)]
        parts.append(f'<path d="M{x - 14} {y - 4}h12" stroke="{colour}" stroke-width="{3 if name == main else 2}"/>')
        parts.append(words(x + 2, y, short(name) if place < 8 or len(names) <= 9 else "…", anchor="start", size=11))
    return parts
