"""What pictures are drawn with: fields, axes, colours and words, as pieces of SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from scoresheet.cli.write.cell_text import escape_control_characters, escape_markup

WIDTH, HEIGHT = 420, 360  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 52, 78  # around its field
COLOURS: Final = ("#2E75B6", "#548235", "#7030A0", "#BF9000", "#00808A", "#8C564B", "#7F7F7F", "#C00000")
MAIN: Final = "#C55A11"
INK, GRID = "#1B2A3A", "#DDDDDD"
LONGEST: Final = 16  # letters of a name beside an axis
APART: Final = 13  # between names that can still be read
_LARGEST: Final = 1e300
_STEEP: Final = 19  # between slanted names from which on they need not stand steeply


def frame(title: str, across: str, up: str, low: float, high: float, ticks: Sequence[float]) -> list[str]:
    """Return the field of a panel: its title, axes and grid."""
    bottom = HEIGHT - BOTTOM
    parts = [words((LEFT + WIDTH - RIGHT) / 2, 36, title, size=13, weight="bold")]
    for tick in ticks:
        y = y_of(tick, low, high)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>')
        parts.append(words(LEFT - 6, y + 4, tick_text(tick, ticks), anchor="end"))
    parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" stroke="{INK}" fill="none"/>')
    parts.append(words((LEFT + WIDTH - RIGHT) / 2, bottom + 32, across))
    middle = (TOP + bottom) / 2
    parts.append(f'<g transform="rotate(-90 16 {middle})">{words(16, middle, up)}</g>')
    return parts


def scale(values: Sequence[float]) -> tuple[float, float, list[float]]:
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


def tick_text(value: float, ticks: Sequence[float]) -> str:
    """Return what stands beside a line of the grid."""
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{digits}f}"


def x_of(share: float) -> float:
    """Return where a share of the width lies."""
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def y_of(value: float, low: float, high: float) -> float:
    """Return where a value lies between the ends of the axis."""
    return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def shade(value: float) -> str:
    """Return a colour from white, 0, to dark blue, 1."""
    if not math.isfinite(value):
        return "#F0F0F0"
    share = min(max(value, 0.0), 1.0)
    light, dark = (247, 251, 255), (8, 64, 129)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in zip(light, dark, strict=True))


def words(
    x: float, y: float, text: str, *, anchor: str = "middle", size: int = 12, weight: str = "normal", fill: str = INK
) -> str:
    """Return a text in one line."""
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    shape = f'text-anchor="{anchor}" font-size="{size}" fill="{fill}"{bold}'
    return f'<text x="{x:.1f}" y="{y:.1f}" {shape}>{plain(text)}</text>'


def short(text: str, longest: int = LONGEST) -> str:
    """Return a name without its middle: those of one family differ at their ends."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[: half - 1]}…{text[-half:]}"


def plain(text: str) -> str:
    """Return a text that XML shows as it is."""
    return escape_markup(escape_control_characters(text))


def slanted_text(x: float, y: float, text: str, room: float) -> str:
    """Return a name below its place, the steeper the less room there is to its neighbours."""
    turned = f'transform="rotate({-35 if room >= _STEEP else -60} {x:.1f} {y:.1f})"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end" font-size="11" {turned}>{plain(short(text))}</text>'
