"""Pictures as SVG, drawn without a display or a library: lines, bars, heat maps and named points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

from scoresheet.cli.write.text import visible
from scoresheet.metrics.pictures import Bars, HeatMap, Lines, Picture, Points

_WIDTH, _HEIGHT = 420, 360  # of a panel
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 20, 52, 78  # around its field
_COLOURS: Final = ("#2E75B6", "#548235", "#7030A0", "#BF9000", "#00808A", "#8C564B", "#7F7F7F", "#C00000")
_MAIN: Final = "#C55A11"
_INK, _GRID = "#1B2A3A", "#DDDDDD"
_LONGEST: Final = 16  # letters of a name beside an axis
_LARGEST: Final = 1e300
_MOST_VALUES: Final = 14  # bars that have room for their values
_APART: Final = 11  # points between names that can still be read


def drawn(picture: Picture) -> str:
    """Return a picture as SVG; equal pictures are equal to the byte."""
    width = _WIDTH * len(picture.panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT + 30}" '
        f'viewBox="0 0 {width} {_HEIGHT + 30}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="12" fill="{_INK}">',
        f"<title>{_text(picture.title)}</title>",
        f'<rect width="{width}" height="{_HEIGHT + 30}" fill="#FFFFFF"/>',
        _words(width / 2, 22, picture.title, size=15, weight="bold"),
    ]
    for place, panel in enumerate(picture.panels):
        match panel:
            case Lines():
                inner = _lines(panel)
            case Bars():
                inner = _bars(panel)
            case HeatMap():
                inner = _heat_map(panel)
            case Points():
                inner = _points(panel)
        parts += [f'<g transform="translate({place * _WIDTH} 30)">', *inner, "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _lines(panel: Lines) -> list[str]:
    known = [value for line in panel.lines.values() for value in line if math.isfinite(value)]
    # a little below the level too, or it would lie on the axis and not be seen
    low, high, ticks = _scale([*known, *([panel.level, panel.level - 0.05] if panel.level is not None else [])])
    parts = _frame(panel.title, panel.across, panel.up, low, high, ticks)
    last = max(len(panel.points) - 1, 1)
    step = math.ceil(len(panel.points) / 8)
    parts += [
        _words(_x(place / last), _HEIGHT - _BOTTOM + 16, name)
        for place, name in enumerate(panel.points)
        if place % step == 0
    ]
    if panel.level is not None:
        y = _y(panel.level, low, high)
        parts.append(
            f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#7F7F7F" stroke-dasharray="5 4" fill="none"/>'
        )
    for place, (name, values) in enumerate(panel.lines.items()):
        main = name == panel.main
        colour = _MAIN if main else _COLOURS[place % len(_COLOURS)]
        marks = [(_x(at / last), _y(value, low, high)) for at, value in enumerate(values) if math.isfinite(value)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in marks)
        dashes = "" if main else ' stroke-dasharray="4 3"'
        if marks:
            parts.append(
                f'<path d="M{path}" stroke="{colour}" stroke-width="{2.5 if main else 1.4}" fill="none"{dashes}/>'
            )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 if main else 2}" fill="{colour}"/>' for x, y in marks]
    return parts + _legend(list(panel.lines), panel.main)


def _bars(panel: Bars) -> list[str]:
    low, high, ticks = _scale([0.0, *(value for value in panel.bars.values() if math.isfinite(value))])
    parts = _frame(panel.title, "", panel.up, low, high, ticks)
    room = (_WIDTH - _LEFT - _RIGHT) / max(len(panel.bars), 1)
    for place, (name, value) in enumerate(panel.bars.items()):
        x = _LEFT + place * room
        if math.isfinite(value):
            y = _y(value, low, high)
            colour = _MAIN if name == panel.main else _COLOURS[0]
            parts.append(
                f'<rect x="{x + room * 0.15:.1f}" y="{y:.1f}" width="{room * 0.7:.1f}" '
                f'height="{max(_y(0, low, high) - y, 0):.1f}" fill="{colour}"/>'
            )
            if len(panel.bars) <= _MOST_VALUES:
                parts.append(_words(x + room / 2, y - 4, f"{value:.2f}", size=11))
        if place % math.ceil(_APART / room) == 0:
            parts.append(_slanted(x + room / 2, _HEIGHT - _BOTTOM + 14, name))
    return parts


def _heat_map(panel: HeatMap) -> list[str]:
    rows, columns = len(panel.rows), len(panel.columns)
    left, top = 110, _TOP
    wide, tall = (_WIDTH - left - _RIGHT) / max(columns, 1), (_HEIGHT - top - _BOTTOM) / max(rows, 1)
    parts = [_words(_WIDTH / 2, 36, panel.title, size=13, weight="bold")]
    known = [value for line in panel.values for value in line if math.isfinite(value)]
    most = max(known, default=1.0) or 1.0  # the darkest, so that a share of many is seen too
    for row, name in enumerate(panel.rows):
        if row % math.ceil(_APART / tall) == 0:
            parts.append(_words(left - 6, top + (row + 0.5) * tall + 4, _short(name), anchor="end", size=11))
        for column in range(columns):
            value = panel.values[row][column]
            x, y = left + column * wide, top + row * tall
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="{_shade(value / most)}" '
                'stroke="#FFFFFF"/>'
            )
            if math.isfinite(value) and wide > 28 and tall > 12:
                ink = "#FFFFFF" if value / most > 0.5 else _INK
                parts.append(_words(x + wide / 2, y + tall / 2 + 4, f"{value:.2f}", size=10, fill=ink))
    parts += [
        _slanted(left + (column + 0.5) * wide, _HEIGHT - _BOTTOM + 14, name)
        for column, name in enumerate(panel.columns)
        if column % math.ceil(_APART / wide) == 0
    ]
    return parts


def _points(panel: Points) -> list[str]:
    xs, ys = [x for x, _ in panel.points.values()], [y for _, y in panel.points.values()]
    far = max([abs(value) for value in (*xs, *ys)], default=1.0) or 1.0
    low, high, ticks = _scale([-far * 1.15, far * 1.15])
    parts = _frame(panel.title, panel.across, panel.up, low, high, ticks)
    for tick in ticks:
        x = _x((tick - low) / (high - low))
        parts.append(f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="{_GRID}"/>')
        parts.append(_words(x, _HEIGHT - _BOTTOM + 16, _tick(tick, ticks)))
    marks = [(_x((across - low) / (high - low)), _y(up, low, high)) for across, up in panel.points.values()]
    taken = [(x - 8, y - 8, x + 8, y + 8) for x, y in marks]
    for place, (name, (x, y)) in enumerate(zip(panel.points, marks, strict=True)):
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{_COLOURS[place % len(_COLOURS)]}" opacity="0.85"/>'
        )
        shown = _short(name)
        left, base = _free_place(x, y, 7.0 * len(shown), taken)
        taken.append((left, base - 10, left + 7.0 * len(shown), base + 3))
        parts.append(_words(left, base, shown, anchor="start"))
    return parts


def _free_place(x: float, y: float, length: float, taken: Sequence[tuple[float, ...]]) -> tuple[float, float]:
    """Return where a name beside a point hides neither point nor name: right, left, below, above, or farther off."""
    places = [
        place
        for away in range(12, 72, 12)
        for place in (
            (x + away, y + 4),
            (x - away - length, y + 4),
            (x - length / 2, y + away + 8),
            (x - length / 2, y - away),
        )
    ]
    inside = [(left, base) for left, base in places if left > _LEFT and left + length < _WIDTH]
    for left, base in inside:
        box = (left, base - 10, left + length, base + 3)
        if not any(
            box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken
        ):
            return left, base
    return (inside or places)[0]


def _frame(title: str, across: str, up: str, low: float, high: float, ticks: Sequence[float]) -> list[str]:
    bottom = _HEIGHT - _BOTTOM
    parts = [_words((_LEFT + _WIDTH - _RIGHT) / 2, 36, title, size=13, weight="bold")]
    for tick in ticks:
        y = _y(tick, low, high)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="{_GRID}"/>')
        parts.append(_words(_LEFT - 6, y + 4, _tick(tick, ticks), anchor="end"))
    parts.append(f'<path d="M{_LEFT} {_TOP}V{bottom}H{_WIDTH - _RIGHT}" stroke="{_INK}" fill="none"/>')
    parts.append(_words((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 32, across))
    middle = (_TOP + bottom) / 2
    parts.append(f'<g transform="rotate(-90 16 {middle})">{_words(16, middle, up)}</g>')
    return parts


def _legend(names: Sequence[str], main: str) -> list[str]:
    """Return the names of the lines, in columns below the field."""
    if len(names) < 2:
        return []
    parts = []
    columns = 3
    for place, name in enumerate(names[:9]):
        x, y = _LEFT + (place % columns) * 116, _HEIGHT - 32 + (place // columns) * 14
        colour = _MAIN if name == main else _COLOURS[place % len(_COLOURS)]
        parts.append(f'<path d="M{x - 14} {y - 4}h12" stroke="{colour}" stroke-width="{3 if name == main else 2}"/>')
        parts.append(_words(x + 2, y, _short(name) if place < 8 or len(names) <= 9 else "…", anchor="start", size=11))
    return parts


def _scale(values: Sequence[float]) -> tuple[float, float, list[float]]:
    """Return the ends of an axis and where its lines are: round numbers, about five of them."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    low, high = max(low, -_LARGEST), min(high, _LARGEST)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):  # no more apart than the arithmetic's last digits
        middle = (low + high) / 2
        room = max(0.5, abs(middle) / 2)
        low, high = middle - room, middle + room
    rough = (high - low) / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [round(number * step, 12) for number in range(first, last + 1)]
    return ticks[0], ticks[-1], ticks


def _tick(value: float, ticks: Sequence[float]) -> str:
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{digits}f}"


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, low: float, high: float) -> float:
    return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)


def _shade(value: float) -> str:
    """Return a colour from white, 0, to dark blue, 1."""
    if not math.isfinite(value):
        return "#F0F0F0"
    share = min(max(value, 0.0), 1.0)
    light, dark = (247, 251, 255), (8, 64, 129)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in zip(light, dark, strict=True))


def _words(
    x: float, y: float, text: str, *, anchor: str = "middle", size: int = 12, weight: str = "normal", fill: str = _INK
) -> str:
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    shape = f'text-anchor="{anchor}" font-size="{size}" fill="{fill}"{bold}'
    return f'<text x="{x:.1f}" y="{y:.1f}" {shape}>{_text(text)}</text>'


def _slanted(x: float, y: float, text: str) -> str:
    turned = f'transform="rotate(-35 {x:.1f} {y:.1f})"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end" font-size="11" {turned}>{_text(_short(text))}</text>'


def _short(text: str) -> str:
    """Return a name without its middle: those of one family differ at their ends."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[: half - 1]}…{text[-half:]}"


def _text(text: str) -> str:
    return escape(visible(text))
