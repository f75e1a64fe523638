"""The contract of a reporter: what a family found, as columns, pages, words and nested numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Generic

from scoresheet.cli.report.page import Column, Edge, Page
from scoresheet.cli.report.paired_comparison import leading_sentence, nothing_shared_sentence, own_units_sentence
from scoresheet.cli.report.pictures import Panel, Picture
from scoresheet.metrics.family import C, K, ModelResult, O, R, ScoredSheet
from scoresheet.metrics.measures import CI_NOTE, Measure
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import confidence_percent

if TYPE_CHECKING:
    import pandas as pd

    from scoresheet.metrics.tables import Table

Line = tuple[str, str]  # a name and a sentence, on the page About
Numbers = Mapping[str, "float | int | str | Numbers | None"]  # nested numbers for machines
ReadNumbers = Mapping[str, Any]  # the same, read back from metrics.json


@dataclass(frozen=True)
class ResultColumns:
    """The columns of a run's results table."""

    measures: tuple[Column, ...]
    headline: Column  # ranks and is charted
    terminal: tuple[Column, ...]  # those that a screen shows
    interval: tuple[Column, Column] | None = None  # of the headline
    edges: tuple[Edge, ...] = ()  # what the headline is held against in charts


@dataclass(frozen=True)
class ModelPages:
    """One model's reports to be."""

    summary: Page
    sheets: tuple[Page, ...] = ()  # one per input sheet, with its name as the title
    more: tuple[Page, ...] = ()  # after the sheets
    markdown: str = ""
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class DocumentedColumns:
    """What the reference pages of the docs list; k and <name> stand for what a run has several of."""

    results: tuple[Column, ...]
    summary: tuple[Column, ...]
    sheet: tuple[Column, ...]


class Reporter(ABC, Generic[O, C, R, K]):
    """Shows what one family found; it computes no number that is not already in a result."""

    stem: str  # in the names of output files
    title: str
    documented: DocumentedColumns
    keeps_columns: bool = True  # whether a unit has rows whose other columns can come along
    tables: tuple[str, ...] = ()  # names of the further tables of a model, each a CSV of its own

    @abstractmethod
    def method(self, context: C, options: O) -> tuple[Line, ...]:
        """Return how the numbers of this run were made."""

    @abstractmethod
    def result_columns(self, results: Collection[R], options: O) -> ResultColumns:
        """Return the columns of the results table of this run."""

    @abstractmethod
    def model_pages(self, model: str, result: R, options: O) -> ModelPages:
        """Return the reports of one model."""

    @abstractmethod
    def numbers(self, result: R, options: O) -> Numbers:
        """Return nested numbers only, for machines."""

    def unit_table(self, result: R, options: O) -> Table:
        """Return the table that becomes the CSV beside a model's workbook."""
        return result.units()

    def further_tables(self, result: R, options: O) -> Mapping[str, Table]:
        """Return the further tables of a model by their names, which are those of `tables`."""
        return {}

    def run_pages(self, comparison: K, results: Mapping[str, R | None], options: O) -> tuple[Page, ...]:
        """Return pages that hold the models of a run against each other; one that failed has no result."""
        return ()

    def answer(self, comparison: K, results: Mapping[str, R], options: O) -> str:
        """Return what the run says, in a sentence that a person can quote; '' where there is nothing to say."""
        paired = comparison.paired
        if len(results) > 1:
            scores = {model: result.measures.get(paired.headline) for model, result in results.items()}
            known = {model: score for model, score in scores.items() if isinstance(score, float)}
            said = (leading_sentence(paired), own_units_sentence(paired, known), nothing_shared_sentence(paired))
            return " ".join(filter(None, said))
        for model, result in results.items():
            return _alone(model, result, self.result_columns([result], options), options.ci)
        return ""

    def fails_on_alerts(self, options: O) -> bool:
        """Return whether the options want a run with an alert to end as one whose gate did not hold."""
        return False

    def run_panels(self, numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
        """Return what a page in a browser draws of all models, from their numbers read back; old ones lack some."""
        return ()

    def model_panels(self, numbers: ReadNumbers, units: pd.DataFrame) -> tuple[Panel, ...]:
        """Return what it draws of one model, from its numbers and its table of units, whose cells are texts."""
        return ()

    def standalone_page(self, options: O) -> Callable[[], Page] | None:
        """Return what makes the page that the options ask for instead of a run, if nothing need be read for it."""
        return None


def _alone(model: str, result: ModelResult[ScoredSheet], columns: ResultColumns, confidence: float) -> str:
    """Return the headline of a single model, with its interval or why there is none."""
    value = result.measures.get(columns.headline.name)
    if not isinstance(value, float) or math.isnan(value):
        return ""
    ends = [result.measures.get(column.name, math.nan) for column in columns.interval or ()]
    low, high = (end if isinstance(end, float) else math.nan for end in ends or (math.nan, math.nan))
    level = confidence_percent(confidence)
    why = f" ({note})" if (note := result.measures.get(CI_NOTE)) else ""
    interval = why if math.isnan(low) else f" ({level} interval {low:.3f} to {high:.3f})"
    return f"{model}: {columns.headline.name} {value:.3f}{interval}."


def column_of(measure: Measure, *, about: str = "", relative: bool = False, good: tuple[str, ...] = (),
              middling: tuple[str, ...] = (), bad: tuple[str, ...] = ()) -> Column:  # fmt: skip
    """Return a measure as a column; `about` says what it means in this table, where that is not the measure itself."""
    return Column(
        measure.name,
        spelled_for_shell(about or measure.about),
        measure.quantity,
        better=measure.better,
        lowest=measure.lowest,
        relative=relative,
        good=good,
        middling=middling,
        bad=bad,
    )
