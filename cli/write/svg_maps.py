"""Heat maps and maps of points, which grow with what they show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from scoresheet.cli.report.pictures import HeatMap, Points
from scoresheet.cli.write.svg_parts import (
    APART,
    BOTTOM,
    COLOURS,
    GRID,
    HEIGHT,
    INK,
    LEFT,
    TOP,
    WIDTH,
    frame,
    scale,
    shade,
    short,
    slanted_text,
    tick_text,
    words,
    x_of,
    y_of,
)

_NAMES: Final = 110  # left of a heat map, for the names of its rows
_BELOW: Final = 100  # for those of its columns
_SCALE: Final = 64  # right of it, for the scale of its colours
_STEPS: Final = 24  # of that scale
_FIELD: Final = 290, 230  # at least
_LARGEST: Final = 780  # at most, either way
_LEGEND: Final = 230  # a column of names beside a map
_LONG: Final = 32  # letters of a name there
_LINES: Final = 40  # names in such a column
_NEAR: Final = 10  # points that are one to the eye

Drawn = tuple[float, float, list[str]]  # width, height and pieces
_Box = tuple[float, float, float, float]


def heat_map(panel: HeatMap) -> Drawn:
    """Return a field per row and column, the scale of their colours, and as many names as can be read."""
    rows, columns = len(panel.rows), len(panel.columns)
    wide, tall = _cell(columns, _FIELD[0]), _cell(rows, _FIELD[1])
    right, bottom = _NAMES + columns * wide, TOP + rows * tall
    known = [value for line in panel.values for value in line if math.isfinite(value)]
    most = max(known, default=1.0) or 1.0  # the darkest, so that a share of many is seen too
    parts = [words((_NAMES + right) / 2, 36, panel.title, size=13, weight="bold")]
    for row, line in enumerate(panel.values):
        for column, value in enumerate(line):
            x, y = _NAMES + column * wide, TOP + row * tall
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="{shade(value / most)}" '
                'stroke="#FFFFFF"/>'
            )
            if math.isfinite(value) and wide > 28 and tall > 12:
                ink = "#FFFFFF" if value / most > 0.5 else INK
                parts.append(words(x + wide / 2, y + tall / 2 + 4, f"{value:.2f}", size=10, fill=ink))
    each_row, each_column = math.ceil(APART / tall), math.ceil(APART / wide)
    parts += [
        words(_NAMES - 6, TOP + (row + 0.5) * tall + 4, short(name), anchor="end", size=11)
        for row, name in enumerate(panel.rows)
        if row % each_row == 0
    ]
    parts += [
        slanted_text(_NAMES + (column + 0.5) * wide, bottom + 14, name, each_column * wide)
        for column, name in enumerate(panel.columns)
        if column % each_column == 0
    ]
    thinned = [f"1 of {each} {what}" for each, what in ((each_row, "rows"), (each_column, "columns")) if each > 1]
    if thinned:
        parts.append(words(right, 48, f"named: {', '.join(thinned)}", anchor="end", size=10))
    parts += _colours(right + 14, bottom, most)
    return right + _SCALE, max(HEIGHT, bottom + _BELOW), parts


def _cell(count: int, field: int) -> float:
    """Return the room of a row or column: enough for its name, unless there are very many."""
    return min(max(field / max(count, 1), APART + 1), _LARGEST / max(count, 1))


def _colours(left: float, bottom: float, most: float) -> list[str]:
    """Return the scale of the colours, from 0 to the largest value."""
    tall = min(bottom - TOP, 200) / _STEPS
    parts = [
        f'<rect x="{left:.1f}" y="{TOP + step * tall:.1f}" width="12" height="{tall + 0.3:.1f}" '
        f'fill="{shade(1 - step / (_STEPS - 1))}"/>'
        for step in range(_STEPS)
    ]
    parts.append(
        f'<rect x="{left:.1f}" y="{TOP}" width="12" height="{_STEPS * tall:.1f}" fill="none" stroke="{GRID}"/>'
    )
    parts.append(words(left + 15, TOP + 9, f"{most:.3g}", anchor="start", size=10))
    parts.append(words(left + 15, TOP + _STEPS * tall, "0", anchor="start", size=10))
    return parts


def points(panel: Points) -> Drawn:
    """Return points with their names beside them or, where these would hide each other, numbers and a legend."""
    xs, ys = [x for x, _ in panel.points.values()], [y for _, y in panel.points.values()]
    far = max([abs(value) for value in (*xs, *ys)], default=1.0) or 1.0
    low, high, ticks = scale([-far * 1.15, far * 1.15])
    parts = frame(panel.title, panel.across, panel.up, low, high, ticks)
    for tick in ticks:
        x = x_of((tick - low) / (high - low))
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{GRID}"/>')
        parts.append(words(x, HEIGHT - BOTTOM + 16, tick_text(tick, ticks)))
    marks = [(x_of((across - low) / (high - low)), y_of(up, low, high)) for across, up in panel.points.values()]
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{COLOURS[place % len(COLOURS)]}" opacity="0.85"/>'
        for place, (x, y) in enumerate(marks)
    ]
    names = list(panel.points)
    beside = _placed(marks, [short(name) for name in names], marks)
    if beside is not None:
        return WIDTH, HEIGHT, parts + beside
    groups = _together(marks)
    numbers = [_numbered(group) for group in groups]
    parts += _placed([marks[group[0]] for group in groups], numbers, marks, forced=True) or []
    for place, name in enumerate(names):
        x, y = WIDTH + place // _LINES * _LEGEND, TOP + 8 + place % _LINES * 14
        parts.append(f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{COLOURS[place % len(COLOURS)]}"/>')
        parts.append(words(x + 14, y, f"{place + 1}  {short(name, _LONG)}", anchor="start", size=11))
    width = WIDTH + math.ceil(len(names) / _LINES) * _LEGEND
    return width, max(HEIGHT, TOP + 20 + min(len(names), _LINES) * 14), parts


def _together(marks: Sequence[tuple[float, float]]) -> list[list[int]]:
    """Return the points in groups that lie on one another, each by the first of it."""
    groups: list[list[int]] = []
    for place, mark in enumerate(marks):
        group = next((group for group in groups if math.dist(marks[group[0]], mark) < _NEAR), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return groups


def _numbered(group: Sequence[int]) -> str:
    """Return the numbers of points, runs of them as such."""
    starts = [group[0], *(after for before, after in pairwise(group) if after != before + 1)]
    ends = [*(before for before, after in pairwise(group) if after != before + 1), group[-1]]
    return ", ".join(
        f"{first + 1}" if first == last else f"{first + 1}–{last + 1}" for first, last in zip(starts, ends, strict=True)
    )


def _placed(
    at: Sequence[tuple[float, float]],
    texts: Sequence[str],
    marks: Sequence[tuple[float, float]],
    *,
    forced: bool = False,
) -> list[str] | None:
    """Return texts beside places so that they hide neither points nor each other, with a line to those farther off.

    None if there is no room for one of them and none was to be forced.
    """
    taken: list[_Box] = [(x - 8, y - 8, x + 8, y + 8) for x, y in marks]
    parts = []
    for (x, y), text in zip(at, texts, strict=True):
        length = 7.0 * len(text)
        found = _free_place(x, y, length, taken)
        if found is None and not forced:
            return None
        left, base, away = found or (x + 12, y + 4, 12)
        taken.append((left, base - 10, left + length, base + 3))
        if away > 12:
            near = min(max(x, left), left + length), min(max(y, base - 10), base + 3)
            parts.append(f'<path d="M{x:.1f} {y:.1f}L{near[0]:.1f} {near[1]:.1f}" stroke="{INK}" stroke-width="0.6"/>')
        parts.append(words(left, base, text, anchor="start"))
    return parts


def _free_place(x: float, y: float, length: float, taken: Sequence[_Box]) -> tuple[float, float, int] | None:
    """Return a free place beside a point and how far it is: right, left, below, above, or farther off."""
    for away in range(12, 72, 12):
        for left, base in (
            (x + away, y + 4),
            (x - away - length, y + 4),
            (x - length / 2, y + away + 8),
            (x - length / 2, y - away),
        ):
            inside = left > LEFT and left + length < WIDTH and base - 10 > TOP - 2 and base < HEIGHT - BOTTOM
            box = (left, base - 10, left + length, base + 3)
            if inside and not any(
                box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken
            ):
                return left, base, away
    return None
