"""Pages: tables with declared columns, ready for every kind of report."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from scoresheet.metrics.measure import Format, Measure

Tone = Literal["", "good", "middle", "bad"]


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
    signed: bool = False
    width: float = 0
    bounds: tuple[float, float] | None = None
    better: Literal["higher", "lower", ""] = ""

    @property
    def on_the_right(self) -> bool:
        """Return whether cells line up on the right, as numbers and counts do."""
        return self.role != "interval" and (self.role == "measure" or self.format != "text")

    @property
    def is_prose(self) -> bool:
        """Return whether cells are names or texts, which may be long."""
        return self.role in ("key", "text", "note") and not self.on_the_right


@dataclass(frozen=True)
class Chart:
    """Values with their intervals, one row per model, as on the front page of a workbook."""

    title: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    bounds: tuple[float, float] | None = None
    format: Format = "number"


@dataclass(frozen=True)
class Page:
    """One table of a report. `tones` colours cells by (row position, column name).

    `input_sheet` marks a page whose title is the name of a sheet that the user chose: in a
    workbook it never takes the name of one of our own pages.
    """

    title: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    tones: dict[tuple[int, str], Tone] = field(default_factory=dict)
    problem_rows: tuple[int, ...] = ()
    input_sheet: bool = False


@dataclass(frozen=True)
class FrontPage:
    """The first page of a workbook: title, counts, the answer, the table and a chart."""

    title: str
    counts: str
    answer: tuple[str, ...]
    page: Page
    chart: Chart | None = None
    remarks: tuple[str, ...] = ()
    alarm: Tone = ""


@dataclass(frozen=True)
class Book:
    """A workbook: an optional front page, then a sheet per page, in order."""

    file: str
    front: FrontPage | None
    pages: tuple[Page, ...]
    about: Sequence[tuple[str, str]] = ()


def measure_column(measure: Measure, *, headline: bool = False) -> Column:
    """Return the column that shows a measure."""
    return Column(
        *(measure.name, measure.label, measure.format, "measure", headline),
        bounds=measure.bounds,
        better=measure.better,
    )
