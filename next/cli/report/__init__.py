"""From scores to screens, workbooks and files. Every report is made of the types below."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import pandas as pd

from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Format

Tone = Literal["good", "middle", "bad"]


@dataclass(frozen=True)
class Column:
    """How one column of a page is labelled and shown.

    `name` is the column of the frame and of CSV files; `label` is what people read. `role` says
    what it is: a `key` (bold, frozen), a `text` (wide, wrapped), a `measure`, an `interval`
    (text such as 0.725–0.782), or a `note` (grey). A `measure` of format `text` is a count such as
    59/60. Where one direction is `better`, tables for papers show the best value in bold.
    """

    name: str
    label: str
    format: Format = "text"
    role: Literal["key", "text", "measure", "interval", "verdict", "note"] = "note"
    headline: bool = False
    bounds: tuple[float, float] | None = None
    better: Literal["higher", "lower", ""] = ""
    signed: bool = False
    width: float = 0

    @property
    def on_the_right(self) -> bool:
        """Return whether cells line up on the right, as numbers and counts do."""
        return self.role == "measure" or self.format != "text"

    @property
    def is_prose(self) -> bool:
        """Return whether cells are names or texts, which may be long."""
        return self.role in ("key", "text", "note") and self.format == "text"


@dataclass(frozen=True)
class Page:
    """One table of a report. `tones` colours cells by (row position, column name).

    `dropped` names the columns that a narrow screen leaves out, first to last. The title of an
    `input_sheet` was chosen by the user: in a workbook it never takes the name of one of our own
    pages.
    """

    title: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    tones: dict[tuple[int, str], Tone] = field(default_factory=dict)
    input_sheet: bool = False
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chart:
    """Values with their intervals. `rows` are name, finite value, low and high, first on top."""

    title: str
    rows: tuple[tuple[str, float, float, float], ...]
    bounds: tuple[float, float] | None = None
    format: Format = "number"


@dataclass(frozen=True)
class Points:
    """Clouds of points with a name, x values and y values each."""

    title: str
    x_label: str
    y_label: str
    series: tuple[tuple[str, Sequence[float], Sequence[float]], ...]


@dataclass(frozen=True)
class Lines(Points):
    """The points of each name as a line; a NaN interrupts it.

    The `main` line is blue, the `rival` dashed orange and the others grey; without `main` each line
    has its own colour. Names are written at the ends of the lines.
    """

    main: str = ""
    rival: str = ""


@dataclass(frozen=True)
class Bars:
    """One bar per row, made of labelled shares that sum to 1, largest first; `even` is marked."""

    title: str
    rows: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    even: float | None = None


@dataclass(frozen=True)
class Heat:
    """A table of coloured values, symmetric about 0; a NaN leaves its cell empty."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    format: Format = "number"


@dataclass(frozen=True)
class Distribution:
    """How the values of each row are spread: every value is a dot, the median is marked."""

    title: str
    rows: tuple[tuple[str, Sequence[float]], ...]
    format: Format = "number"


AnyChart = Chart | Points | Bars | Heat | Distribution


@dataclass(frozen=True)
class Book:
    """A workbook: a front page with its table, a sheet per page, and the rows of About."""

    title: str
    counts: str
    answer: tuple[str, ...]
    table: Page
    pages: tuple[Page, ...]
    about: Sequence[tuple[str, str]]
    remarks: tuple[str, ...] = ()
    chart: Chart | None = None


def own(family: Family, function: str) -> Any:
    """Return a function of the module answer_FAMILY next to this one, None if there is none.

    It can have answer and model_sentence, which return sentences, worst_unit, which returns how
    bad, a sentence, the sheet (empty for all) and the unit to explain, headline_table and
    comparison_table, which return the changed page, sheets_table, `report(model, scores, ci)`,
    which returns a report on one model as Markdown, and `charts(results, measure, units, tables)`,
    which returns a list of AnyChart: the results as in their CSV, and by model the units and a
    dict of the further tables.
    """
    name = f"{__name__}.answer_{family.name.replace('-', '_')}"
    return getattr(import_module(name), function, None) if find_spec(name) else None
