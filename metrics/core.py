"""The few types that travel from directory to workbook: Sheet, Family, Detail, Page, Report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeVar

import pandas as pd

from scoresheet.metrics.options import Options
from scoresheet.metrics.pictures import Picture
from scoresheet.metrics.problems import Problem

# Where a row of the references stood; a user's own column can hardly have such a name.
SOURCE: Final = "@source"
SHEET: Final = "@sheet"
ROW: Final = "@row"

Kind = Literal["key", "text", "label", "score", "share", "chance", "count", "spark"]
Status = Literal["ok", "partial", "unscored", "failed"]


@dataclass(frozen=True)
class Column:
    """A column we read or write: its name, what it means, and how it is found or shown."""

    name: str
    about: str
    kind: Kind = "text"
    aliases: tuple[str, ...] = ()
    required: bool = True
    better: Literal["higher", "lower"] | None = None  # colours the cells; None leaves them plain
    lowest: float = 0  # where its colours begin; they end at 1
    relative: bool = False  # its colours run from the column's least to its largest value, not from 0 to 1
    both_sides: bool = False  # outputs and references have it, each perhaps by a name of its own
    good: tuple[str, ...] = ()  # texts that are coloured as good, middling and bad
    middling: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    drawn_from: tuple[str, ...] = ()  # of a spark column, whose cells hold nothing: the columns its bars are drawn from


@dataclass(frozen=True)
class Table:
    """What a table must have, and whether its other columns matter too."""

    columns: tuple[Column, ...]
    keeps_others: bool = False
    built_in: str = ""  # the word that asks for the family's own table instead of a file's


@dataclass(frozen=True)
class Sheet:
    """One table of one model: every cell text, the index the row numbers a spreadsheet shows."""

    model: str
    name: str
    frame: pd.DataFrame
    source: str
    # cells that hold no usable value though they look filled, by (row, header): the error they show
    error_cells: Mapping[tuple[int, str], str] = field(default_factory=dict)
    merged: tuple[tuple[int, int, str], ...] = ()  # (first row, last row, header) of merged cells in one column


@dataclass(frozen=True)
class Joined:
    """A sheet with its columns found and each row matched to rows of the references."""

    sheet: Sheet  # the frame holds the family's own column names only
    matches: Sequence[tuple[int, ...]]  # per row: positions in the reference table
    hints: Mapping[int, str]  # per row without a match: a key that would match but for case or width
    unsound: Mapping[int, Problem]  # per row: why it cannot be scored whatever the family says
    absent: frozenset[str] = frozenset()  # optional columns that the sheet does not have
    reading: Any = None  # what the family's check made of it


@dataclass(frozen=True)
class Detail:
    """The scored units of one sheet."""

    sheet: Sheet
    table: pd.DataFrame
    problems: tuple[Problem, ...]
    samples: tuple[Any, ...] = ()  # rows offered to the audit
    extra: Any = None  # what the family's own summary needs besides


@dataclass(frozen=True)
class Given:
    """What a family may look at before scoring: everything but the models' own sheets."""

    references: pd.DataFrame  # the family's reference columns, and where they stood: SOURCE, SHEET, ROW
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)  # by the option that names the file
    surveys: Sequence[Any] = ()  # what `survey` returned for each sheet of each model


@dataclass(frozen=True)
class Chart:
    """A native chart over a page's own cells: one bar per row, with the interval where two columns hold its ends."""

    title: str
    labels: str  # the column that names a bar, after `group` if there is one
    values: str
    low: str = ""
    high: str = ""
    group: str = ""


@dataclass(frozen=True)
class StackedChart:
    """A native chart over a page's own cells: a bar per row made of pieces, a column each."""

    title: str
    labels: str
    pieces: tuple[str, ...]
    names: tuple[str, ...]  # for each column of pieces the column with what is written on them; '' for none
    most: int  # rows shown


@dataclass(frozen=True)
class LineChart:
    """A native chart over a page's own cells: a line per column, over the page's rows."""

    title: str
    labels: str  # the column that names the points
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Histogram:
    """A native chart of how often values fall between edges; its numbers stand in hidden cells."""

    title: str
    bins: tuple[str, ...]  # what each bin is called
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Page:
    """One worksheet to be: a title, a table, and what its columns mean."""

    title: str
    table: pd.DataFrame
    columns: tuple[Column, ...]
    chart: Chart | StackedChart | Histogram | LineChart | None = None
    more_charts: tuple[LineChart, ...] = ()
    total_rows: int = 0  # the last rows sum up the others
    links: Mapping[str, str] = field(default_factory=dict)  # text in the first column → page title or file


@dataclass(frozen=True)
class Report:
    """What one model came to."""

    model: str
    status: Status
    measures: Mapping[str, float | str]
    rows: int
    scored: int
    computed: int
    summary: Page | None = None
    pages: tuple[Page, ...] = ()  # more about the model, after its sheets
    numbers: Mapping[str, Any] = field(default_factory=dict)  # nested numbers for machines
    extra: Any = None  # what the family's own comparison of models needs besides
    units: pd.DataFrame | None = None  # the scored units, where they are not the rows of the sheets' pages
    problems: tuple[Problem, ...] = ()  # what is wrong with the sheets taken together
    text: str = ""  # the report in Markdown
    pictures: tuple[Picture, ...] = ()
    alerts: tuple[str, ...] = ()  # what calls for attention, in words

    @classmethod
    def empty(cls, model: str, status: Status = "failed") -> Report:
        """Return the report of a model that no number could be had for."""
        return cls(model=model, status=status, measures={}, rows=0, scored=0, computed=0)

    @property
    def coverage(self) -> float:
        """Return the share of rows with a computed score."""
        return self.computed / self.rows if self.rows else float("nan")


@dataclass(frozen=True)
class Audit:
    """How a sample of the run's rows compares with the reference library."""

    library: str
    checked: int
    too_long: int
    mismatches: tuple[str, ...]

    def sentence(self) -> str:
        """Return the outcome as one sentence for people."""
        if not self.checked:
            return "no row could be sampled"
        text = f"{self.checked - len(self.mismatches)} of {self.checked} sampled rows equal {self.library} bit for bit"
        return text + (f"; {self.too_long} rows over 400 words were not sampled" if self.too_long else "")


O = TypeVar("O", bound=Options)  # noqa: E741 - the conventional single letter for a type variable


class Family(ABC, Generic[O]):
    """One metric family: what it needs, what it tells, and the mathematics between; it knows nothing about files."""

    name: str  # the command
    stem: str  # in the names of output files
    title: str
    method: tuple[tuple[str, str], ...]  # how the numbers are made, as lines of name and sentence
    options: type[O]
    inputs: tuple[Column, ...]
    references: tuple[Column, ...] = ()
    needs_references: bool = True  # False: they may be left out
    tables: Mapping[str, Table] = {}  # options that name a further table, and what it must have
    keeps_others: bool = False  # whether columns of the outputs beyond `inputs` matter
    reads_trec: bool = False  # whether TREC run and qrels files are inputs
    key: str = ""  # the column, on both sides, by which rows find their references; '' if they are not joined
    summary: tuple[Column, ...]  # a line per sheet, and the overall line
    detail: tuple[Column, ...]  # a page per sheet
    units: tuple[str, ...]  # the columns of the CSV twin, after Sheet and Row
    unit_is_row: bool = True  # a unit that is no row of the input has no Row
    page_per_sheet: bool = True  # whether the workbook shows the sheets; else the report's own pages alone
    headline: Column  # the measure of the results table that ranks and is charted, unless the options say another
    results: tuple[Column, ...]  # the measures of the results table

    def table_of(self, sheet: str) -> Table:
        """Return what a sheet of this name must have; most families read all sheets alike."""
        return Table(self.inputs, self.keeps_others)

    def require(self, options: O) -> None:
        """Raise MissingExtra if the options ask for a package that is not installed; called before anything is read."""
        return

    def answer(self, options: O) -> Callable[[], Page] | None:
        """Return what makes the page that the options ask for instead of a run, if nothing need be read for it."""
        return None

    def check(self, joined: Joined, options: O, *, referenced: bool) -> Any:
        """Raise Refusal if a sheet has its columns and yet cannot be used; what it says it costs is what is lost.

        What is returned stands in `joined.reading` when the sheet is scored.
        """
        return None

    @abstractmethod
    def unused_columns(self, joined: Joined) -> Collection[str]:
        """Return which of the columns beyond `inputs` the family did not use."""

    def wants_survey(self, references: pd.DataFrame, options: O) -> bool:
        """Return whether `prepare` must know what the models' sheets hold; they are then read twice."""
        return False

    def survey(self, joined: Joined, options: O) -> Any:
        """Return the little that `prepare` must know of a sheet."""
        return None

    @abstractmethod
    def prepare(self, given: Given, options: O) -> tuple[Any, list[Problem]]:
        """Return whatever scoring needs of what was given, made once a run, and what is wrong with it."""

    def facts(self, prepared: Any, options: O) -> tuple[tuple[str, str], ...]:
        """Return more lines on how the numbers of this run were made."""
        return ()

    @abstractmethod
    def score(self, joined: Joined, prepared: Any, options: O) -> Detail:
        """Return the measures of each unit of one sheet."""

    @abstractmethod
    def summarise(self, model: str, details: Sequence[Detail], options: O) -> Report:
        """Return what the sheets of one model come to."""

    def headlined(self, options: O) -> Column:
        """Return the measure that ranks and is charted in this run."""
        return self.headline

    def measured(self, reports: Sequence[Report], options: O) -> tuple[Column, ...]:
        """Return the measures of the results table of this run."""
        return self.results

    def brief(self, reports: Sequence[Report], options: O) -> tuple[Column, ...]:
        """Return those of them that the terminal shows."""
        return self.measured(reports, options)

    def detailed(self, details: Sequence[Detail], options: O) -> tuple[Column, ...]:
        """Return the columns of the pages of a model's sheets."""
        return self.detail

    def united(self, details: Sequence[Detail], options: O) -> tuple[str, ...]:
        """Return the columns of a model's CSV twin, after Sheet and Row."""
        return self.units

    def gate(self, reports: Sequence[Report], options: O) -> list[str]:
        """Return why the options want a run to end as one whose gate did not hold."""
        return []

    def compare(self, reports: Sequence[Report], options: O) -> tuple[Page, ...]:
        """Return pages that hold the models of a run against each other."""
        return ()

    def audit(self, samples: Sequence[Any], options: O) -> Audit | None:
        """Return how a sample of scored rows compares with a reference library, where there is one."""
        return None

    def signature(self, options: O, version: str, *, referenced: bool = True) -> str:
        """Return the one-line statement of how the numbers were made."""
        return "|".join([self.name, *options.signature(), f"v:{version}"])
