"""Pictures to be: what they show, not how it is drawn; `cli/write` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class Lines:
    """A panel of a picture: a line per name over the same points."""

    title: str
    across: str  # what the points are
    up: str
    points: tuple[str, ...]
    lines: Mapping[str, Sequence[float]]
    main: str = ""  # the line that stands out
    level: float | None = None  # drawn across


@dataclass(frozen=True)
class Bars:
    """A panel of a picture: a bar per name."""

    title: str
    up: str
    bars: Mapping[str, float]
    main: str = ""  # the bar that stands out


@dataclass(frozen=True)
class HeatMap:
    """A panel of a picture: a coloured field per row and column, from 0 to 1."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Shares:
    """A panel of a page: a bar per row, all of one length, made of pieces as large as their counts."""

    title: str
    rows: Mapping[str, Mapping[str, float]]  # the counts of the pieces
    ranked: bool = False  # the largest piece first and named on the bar; else all rows have the pieces of the first


@dataclass(frozen=True)
class Points:
    """A panel of a picture: a named point per place on a plane."""

    title: str
    across: str
    up: str
    points: Mapping[str, tuple[float, float]]


Panel = Lines | Bars | HeatMap | Shares  # what a page in a browser draws


@dataclass(frozen=True)
class Picture:
    """A picture to be, of panels side by side."""

    name: str  # in the name of its file
    title: str
    panels: tuple[Lines | Bars | HeatMap | Points, ...]
