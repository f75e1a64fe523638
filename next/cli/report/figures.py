"""Figures for papers: the charts of a run as PNG and SVG, one and two columns wide."""

import re
import textwrap
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from scoresheet.cli.report import AnyChart, Heat
from scoresheet.cli.report.charts import drawing
from scoresheet.cli.report.text import MINUS, cut_middle, show

Spec = dict[str, Any]  # a chart ready to be drawn
WIDTHS = (8, 17)  # cm: one and two columns
ROW, CM = 0.62, 1 / 2.54
MOST_NAMES, GAP = 12, 0.09  # of lines, and between their names
INK, SOFT, GRID, ACCENT, RIVAL = "#1F2933", "#5B6773", "#E2DFD8", "#1F5F8B", "#D1762B"
SHARES = ("#08456F", "#3D7FAE", "#7FB0D0", "#B9D5E6", "#E1ECF3")
EVEN, OTHER, LIGHT, NEGATIVE = "#E69F00", "#C3C8CD", "#F7F6F3", "#B4562A"
# Distinct for all kinds of colour vision, and in grey.
COLOURS = (ACCENT, RIVAL, "#009E73", "#A86A97", "#B38F00", "#4AA3D6", "#7B8590")
FONTS = ("Liberation Sans", "Arial", "DejaVu Sans", "Noto Sans CJK JP")
STYLE: dict[Any, Any] = {
    "font.size": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 8,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": "#9AA3AC",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "text.parse_math": False,  # a name may have dollar signs
    "xtick.color": SOFT,
    "ytick.color": INK,
    "ytick.major.size": 0,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "lines.solid_capstyle": "round",
    "svg.fonttype": "none",
    "svg.hashsalt": "scoresheet",
}


def write_figures(charts: Iterable[AnyChart], folder: Path) -> None:
    """Write each chart in both widths; the same charts give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for chart in charts:
        title = chart.title.partition(" (")[0].lower().replace("α", "alpha")
        name = re.sub(r"[^a-z0-9]+", "_", title).strip("_")[:60]
        while name in taken:
            name += "_"
        taken.add(name)
        for width in WIDTHS:
            with mpl.rc_context({**STYLE, "font.family": _fonts()}), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph", UserWarning)  # scripts without a font
                figure = _figure(chart, width)
                path = folder / f"{name or 'figure'}_{width}cm"
                figure.savefig(f"{path}.svg", metadata={"Date": None})
                figure.savefig(f"{path}.png", dpi=200, metadata={"Software": None})


@cache
def _fonts() -> list[str]:
    known = {font.name for font in font_manager.fontManager.ttflist}
    return [name for name in FONTS if name in known]


def _figure(chart: AnyChart, width: float) -> Figure:
    if isinstance(chart, Heat) and width == WIDTHS[0] and len(chart.columns) > len(chart.rows):
        turned = tuple(zip(*chart.values, strict=True))
        chart = Heat(chart.title, chart.columns, chart.rows, turned, chart.format)
    spec = drawing(chart)
    names = [row if isinstance(row, str) else row[0] for row in spec.get("rows", ())]
    height = min(len(names) * ROW + 1.6, 40) if names else 0.25 * width + 3.5
    figure = Figure(figsize=(width * CM, height * CM), layout="constrained")
    axes = figure.add_subplot()
    for side in (side for side in "xy" if side in spec):
        (ticks, labels), ends = (
            zip(*spec[side].ticks, strict=True),
            (spec[side].low, spec[side].high),
        )
        axes.set(**{f"{side}lim": ends, f"{side}ticks": ticks, f"{side}ticklabels": labels})
        axes.grid(axis=side)  # type: ignore[arg-type]
    if names:  # the first on top
        shown = [cut_middle(_clean(name), round(width * 2)) for name in names]
        axes.set(yticks=range(len(names)), yticklabels=shown, ylim=(len(names) - 0.5, -0.5))
    for place, text in enumerate(spec["texts"] if "x" in spec else ()):
        axes.text(1.025, place, text, transform=axes.get_yaxis_transform(), va="center")
    if label := _DRAW[spec["kind"]](axes, spec, width):
        figure.supxlabel(textwrap.fill(_clean(label), round(width * 6)), size=8, color=SOFT)
    return figure


def _clean(text: str) -> str:
    """Return a text without characters that cannot be printed or are not allowed in SVG."""
    return "".join(character if character.isprintable() else " " for character in text)


def _intervals(axes: Axes, spec: Spec, _width: float) -> str:
    values, low, high = np.array([row for _, *row in spec["rows"]], float).T
    left, right = (np.where(np.isfinite(end), end, values) for end in (low, high))
    places = range(len(values))
    axes.hlines(places, left, right, color=ACCENT, linewidth=1.6, capstyle="round")
    axes.plot(values, places, "o", color=ACCENT, markersize=5.5, clip_on=False)
    return str(spec["title"])


def _distribution(axes: Axes, spec: Spec, _width: float) -> str:
    for place, (_, counts, median) in enumerate(spec["rows"]):
        heights = 0.8 * np.array(counts) / max(*counts, 1)
        edges = np.linspace(spec["x"].low, spec["x"].high, len(counts) + 1)
        bottoms, widths = place - heights / 2, np.diff(edges)
        axes.bar(edges[:-1], heights, widths, bottoms, align="edge", color=ACCENT, alpha=0.6)
        axes.plot([median, median], [place - 0.42, place + 0.42], color=RIVAL, linewidth=1.6)
    return f"{spec['title']}; line and number: median"


def _bars(axes: Axes, spec: Spec, width: float) -> str:
    for place, (_, shares) in enumerate(spec["rows"]):
        start = 0.0
        for number, (label, share) in enumerate(shares):
            colour = SHARES[min(number, len(SHARES) - 1)]
            axes.barh(place, share, 0.7, start, color=colour, edgecolor="white", linewidth=0.8)
            if share > 0.6:
                text = f"{cut_middle(_clean(label), round(width * 2.4))} {show(share, 'share')}"
                left = max(start, spec["even"] or 0) + 0.02
                axes.text(left, place, text, color="white", va="center", weight="bold", size=7.5)
            start += share
    axes.grid(visible=False)
    label = f"{spec['title']}, most frequent first"
    if spec["even"] is None:
        return label
    axes.axvline(spec["even"], color=EVEN, linewidth=1.4)
    return f"{label}; orange line: even share"


def _heat(axes: Axes, spec: Spec, width: float) -> str:
    values = np.array(spec["values"], float)
    most = np.nanmax(np.abs(values), initial=0) or 1.0
    ends = [-most, most] if np.nanmin(values, initial=0) < 0 else [0, most]
    ramp = LinearSegmentedColormap.from_list("", [NEGATIVE, LIGHT, ACCENT][-2 - (ends[0] < 0) :])
    cells: dict[str, Any] = {"edgecolor": "white", "linewidth": 1, "shading": "nearest"}
    image = axes.pcolormesh(values, cmap=ramp, vmin=ends[0], vmax=ends[1], **cells)
    places = range(len(spec["columns"]))
    room = round(width * 5 / len(places))
    axes.set_xticks(places, [cut_middle(_clean(name), room) for name in spec["columns"]])
    axes.spines["bottom"].set_visible(False)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value) and len(places) <= width:
            text = show(value, spec["format"], signed=ends[0] < 0, minus=MINUS)
            colour = "white" if abs(value) > 0.7 * most else INK
            axes.text(column, row, text, ha="center", va="center", color=colour, size=7)
    axes.figure.colorbar(image, ax=axes, location="bottom", label=spec["title"], aspect=30)
    return ""


def _plane(axes: Axes, spec: Spec, width: float) -> str:
    """Draw lines or points; their names are at the right, at the height of their last values."""
    axes.set_title(_clean(spec["y_label"]), loc="left", color=SOFT, size=8)
    ends = []
    for place, (name, xs, ys) in enumerate(spec["series"]):
        look: dict[str, Any] = {
            "color": COLOURS[place % len(COLOURS)],
            "linewidth": 1.2,
            "zorder": 2.0,
        }
        if "main" not in spec:
            look |= {"linestyle": "", "marker": "o", "markersize": 3, "alpha": 0.6, "mew": 0}
        elif spec["main"]:
            look |= _ROLES.get((name == spec["main"]) - (name == spec["rival"]), {})
        axes.plot(xs, ys, clip_on=False, **look)
        last = [y for y in ys if np.isfinite(y)][-1:]
        low, high = axes.get_ylim()
        ends += [((y - low) / (high - low), name, look["color"]) for y in last]
    ends = sorted(ends, reverse=True)[:MOST_NAMES]
    height = 2.0
    for below, (end, name, colour) in zip(range(len(ends))[::-1], ends, strict=True):
        height = min(max(end, below * GAP), height - GAP)  # with room for the names below
        text = cut_middle(_clean(name), round(width * 1.6))
        axes.text(1.02, height, text, transform=axes.transAxes, color=colour, va="center")
    return str(spec["x_label"])


_ROLES: dict[int, dict[str, Any]] = {
    1: {"color": ACCENT, "linewidth": 2.2, "marker": "o", "markersize": 4, "zorder": 4.0},
    0: {"color": OTHER},
    -1: {"color": RIVAL, "linewidth": 1.8, "linestyle": "--", "zorder": 3.0},
}
_DRAW = {"chart": _intervals, "distribution": _distribution, "bars": _bars, "heat": _heat}
_DRAW |= {"lines": _plane, "points": _plane}
