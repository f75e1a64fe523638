"""The reports of sinfo: a page per arrangement, the averages, and the models side by side."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report.intervals import ci_columns, describe_bootstrap, with_intervals
from scoresheet.cli.report.page import Chart, Column, Page, PageTable, StackedChart, band_edges
from scoresheet.cli.report.pictures import Panel, Shares
from scoresheet.cli.report.problems_page import problem_cells
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    ReadNumbers,
    Reporter,
    ResultColumns,
    column_of,
)
from scoresheet.metrics.columns import Chained
from scoresheet.metrics.families.sinfo.compare import MATCHED_KEY, SinfoComparison
from scoresheet.metrics.families.sinfo.components import COMPONENTS, describe_components
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.measures import (
    ANSWERED,
    BANDS,
    BREVITY,
    FEWEST_WITH_BAND,
    IDIOMS,
    P_ROUGE,
    S_INFO,
)
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.result import Averages, SinfoResult
from scoresheet.metrics.families.sinfo.schema import IDIOM, PREDICTION
from scoresheet.metrics.families.sinfo.score import SinfoSheet
from scoresheet.metrics.measures import interval_numbers
from scoresheet.metrics.stats.bands import describe_band_starts, describe_bands
from scoresheet.metrics.tables import HeldTable, with_column
from scoresheet.metrics.text.rouge_l import LIBRARY

if TYPE_CHECKING:
    import pandas as pd

OVERALL: Final = "Overall"
_MOST_SHEETS: Final = 25  # in the chart of components
_BY_COMPONENT, _BY_SHEET = "Components", "Sheets"  # in metrics.json
METHOD: Final = (
    ("S_Info", "BP × P_ROUGE for each row; outer white space is stripped first."),
    (
        "P_ROUGE",
        f"ROUGE-L precision. By default exactly that of PyPI rouge {LIBRARY}: distinct words in the union of the "
        "sentence LCSs / distinct words of the prediction.",
    ),
    ("BP", "c, r: lengths of prediction and reference. c >= r gives 1, else exp(1 - r/c). Low means too short."),
    (
        "Sheet average",
        "Mean of the scored rows. Rows without prediction or reference have no score and are listed.",
    ),
    ("Overall", "Mean of the sheet averages (of all rows under --aggregate rows)."),
)

_CI_LOW, _CI_HIGH, _CI_NOTE = ci_columns(IDIOMS)
_BAND: Final = Column("Band", f"{describe_bands(BANDS)}.", "label")
_AVERAGE_BAND: Final = Column(
    "Band",
    f"{describe_bands(BANDS)}; of an average, both that the ends of its interval lie in; too few: under "
    f"{FEWEST_WITH_BAND} idioms.",
    "label",
)
_COMPONENT: Final = Column(
    "Component",
    f"What P_ROUGE and BP say together, each high from --component-edge on: {describe_components()}.",
    "label",
)
_PROBLEM: Final = Column("Problem", "Why the row has no score, or what was noted about it.")
ROW_COLUMNS: Final = (
    Column("Row", "The row of the input, as a spreadsheet counts.", "count"),
    Column(IDIOM.name, IDIOM.about, "key"),
    Column("Reference", "The reference that gave the score (all of them under --references-by mean)."),
    Column(PREDICTION.name, PREDICTION.about),
    column_of(P_ROUGE),
    column_of(BREVITY),
    column_of(S_INFO),
    _BAND,
    _COMPONENT,
    Column("Language", "Language of the references used, where it is known.", "label"),
    Column("References", "How many references the prediction was held to.", "count"),
    _PROBLEM,
)
_AVERAGE: Final = Column("Average_S_Info", "Mean S_Info of the scored rows.", "score", better="higher")
SUMMARY_COLUMNS: Final = (
    Column("Sheet", "The arrangement; the last row, Overall, is the model's score.", "key"),
    _AVERAGE,
    Column("Average_P_ROUGE", "Mean ROUGE-L precision of the scored rows.", "score", better="higher"),
    Column("Average_BP", "Mean brevity penalty; low means the predictions are too short.", "score", better="higher"),
    _CI_LOW,
    _CI_HIGH,
    _CI_NOTE,
    Column("Rows", "Rows read.", "count"),
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
    _AVERAGE_BAND,
)
_RESULTS: Final = (column_of(S_INFO), _CI_LOW, _CI_HIGH, _CI_NOTE, column_of(ANSWERED))
_COMPONENT_COLUMNS: Final = tuple(
    Column(name.capitalize(), f"Scored rows that are {name}: {about}.", "count") for name, about in COMPONENTS.items()
)


class SinfoReporter(Reporter[SinfoOptions, SinfoContext, SinfoResult, SinfoComparison]):
    """Shows information density."""

    stem = "s_info"
    title = "Information density (S_Info)"
    documented = DocumentedColumns(results=_RESULTS, summary=SUMMARY_COLUMNS, sheet=ROW_COLUMNS)

    def method(self, context: SinfoContext, options: SinfoOptions) -> tuple[Line, ...]:
        """Return how the numbers were made."""
        return (
            *METHOD,
            ("Interval", f"{describe_bootstrap(IDIOMS, options.ci)}, seeded; an idiom is drawn with all its rows."),
            (
                "Bands",
                f"{describe_band_starts(BANDS)}. An average of {FEWEST_WITH_BAND} idioms or more has the band that its "
                "whole interval lies in, or both that its ends lie in.",
            ),
            ("Component", f"P_ROUGE and BP, each high from {options.component_edge:g} on: {describe_components()}."),
        )

    def result_columns(self, results: Collection[SinfoResult], options: SinfoOptions) -> ResultColumns:
        """Return S_Info with its interval, and how much of the references was answered."""
        headline, low, high, note, answered = _RESULTS
        incomplete = [answered] if any(result.answered < 1 for result in results) else []
        unsure = [note] if any(result.overall.interval.note for result in results) else []
        return ResultColumns(
            _RESULTS, headline, (headline, low, high, *unsure, *incomplete), (low, high), band_edges(BANDS)
        )

    def model_pages(self, model: str, result: SinfoResult, options: SinfoOptions) -> ModelPages:
        """Return the averages, and a page per sheet."""
        lines = [_summary_row(name, averages) for name, averages in result.by_sheet.items()]
        summary = Page(
            title="Summary",
            table=PageTable.of_rows(
                [column.name for column in SUMMARY_COLUMNS], [*lines, _summary_row(OVERALL, result.overall)]
            ),
            columns=SUMMARY_COLUMNS,
            chart=Chart(
                with_intervals("Average S_Info by sheet", options.ci),
                "Sheet",
                _AVERAGE.name,
                _CI_LOW.name,
                _CI_HIGH.name,
                edges=band_edges(BANDS),
            ),
            total_rows=1,
        )
        return ModelPages(summary, tuple(map(_rows_page, result.sheets)), more=(_components_page(result),))

    def unit_table(self, result: SinfoResult, options: SinfoOptions) -> HeldTable:
        """Return the rows; where they were matched loosely, with the key of the references that each found."""
        units = result.unit_table()
        if options.match == "loose":
            return with_column(units, MATCHED_KEY, Chained([sheet.keys for sheet in result.sheets]))
        return units

    def numbers(self, result: SinfoResult, options: SinfoOptions) -> Numbers:
        """Return the averages of the model and of each sheet."""
        return {
            S_INFO.name: result.overall.s_info,
            **interval_numbers(result.overall.interval),
            P_ROUGE.name: result.overall.p_rouge,
            BREVITY.name: result.overall.bp,
            ANSWERED.name: result.answered,
            "Bands": result.band_shares,
            _BY_COMPONENT: result.overall.components,
            _BY_SHEET: {name: _sheet_numbers(averages) for name, averages in result.by_sheet.items()},
        }

    def run_pages(
        self, comparison: SinfoComparison, results: Mapping[str, SinfoResult | None], options: SinfoOptions
    ) -> tuple[Page, ...]:
        """Return the models side by side: why each scored as it did, and its average on every sheet."""
        return (_models_page(results),)

    def run_panels(self, numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
        """Return why each model scored as it did."""
        return _components_panel("Rows by component", numbers)

    def model_panels(self, numbers: ReadNumbers, units: pd.DataFrame) -> tuple[Panel, ...]:
        """Return the same for each sheet of a model."""
        sheets = dict(list(numbers.get(_BY_SHEET, {}).items())[:_MOST_SHEETS])
        some = "" if len(sheets) == len(numbers.get(_BY_SHEET, {})) else f" (the first {_MOST_SHEETS} sheets)"
        return _components_panel(f"Rows by component and sheet{some}", sheets)


def _components_panel(title: str, numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
    rows = {name: each[_BY_COMPONENT] for name, each in numbers.items() if any(each.get(_BY_COMPONENT, {}).values())}
    return (Shares(title, rows),) if rows else ()


def _summary_row(name: str, averages: Averages) -> list[object]:
    return [
        name,
        averages.s_info,
        averages.p_rouge,
        averages.bp,
        *averages.interval,
        averages.rows,
        averages.scored,
        averages.coverage,
        averages.band,
    ]


def _sheet_numbers(averages: Averages) -> Numbers:
    return {
        S_INFO.name: averages.s_info,
        P_ROUGE.name: averages.p_rouge,
        BREVITY.name: averages.bp,
        **interval_numbers(averages.interval),
        _BY_COMPONENT: averages.components,
        "Rows": averages.rows,
        "Scored": averages.scored,
        "Coverage": averages.coverage,
    }


def _rows_page(sheet: SinfoSheet) -> Page:
    rows = sheet.units.rows or ()
    table = PageTable(
        {
            "Row": rows,
            IDIOM.name: sheet.units.keys[IDIOM.name],
            "Reference": sheet.references,
            PREDICTION.name: sheet.predictions,
            **sheet.units.measures,
            _BAND.name: sheet.bands,
            _COMPONENT.name: sheet.components,
            "Language": sheet.languages,
            "References": sheet.reference_counts,
            _PROBLEM.name: problem_cells(sheet.row_problems, rows),
        }
    )
    return Page(sheet.name, table, ROW_COLUMNS)


def _components_page(result: SinfoResult) -> Page:
    """Return what P_ROUGE and BP say together, sheet by sheet."""
    columns = (Column("Sheet", "The arrangement; the last row, Overall, has all rows.", "key"), *_COMPONENT_COLUMNS)
    averages = [*result.by_sheet.items(), (OVERALL, result.overall)]  # a sheet may be called so too
    lines = [[name, *each.components.values()] for name, each in averages]
    pieces = tuple(column.name for column in _COMPONENT_COLUMNS)
    return Page(
        "Components",
        PageTable.of_rows([column.name for column in columns], lines),
        columns,
        chart=StackedChart("Rows by component", "Sheet", pieces, ("",) * len(pieces), _MOST_SHEETS, "Rows"),
        total_rows=1,
    )


def _models_page(results: Mapping[str, SinfoResult | None]) -> Page:
    sheets = list(dict.fromkeys(name for result in results.values() if result for name in result.by_sheet))
    columns = (
        Column("Model", "The model.", "key"),
        Column(S_INFO.name, "Overall information density.", "score", better="higher"),
        Column(P_ROUGE.name, "Overall ROUGE-L precision; low means wordy or off the point.", "score", better="higher"),
        Column(BREVITY.name, "Overall brevity penalty; low means too short.", "score", better="higher"),
        *(Column(f"{name}_rows", f"Share of scored rows in the band {name}.", "share") for _, name in BANDS),
        *_COMPONENT_COLUMNS,
        *(Column(f"S_Info: {name}", "Average S_Info on this sheet.", "score", better="higher") for name in sheets),
    )
    lines = (_model_row(model, result, sheets) for model, result in results.items())
    return Page("Models", PageTable.of_rows([column.name for column in columns], lines), columns)


def _model_row(model: str, result: SinfoResult | None, sheets: Sequence[str]) -> list[object]:
    if result is None:
        return [model, *[math.nan] * (3 + len(BANDS) + len(COMPONENTS) + len(sheets))]
    overall, by_sheet = result.overall, result.by_sheet
    return [
        model,
        overall.s_info,
        overall.p_rouge,
        overall.bp,
        *(result.band_shares[name] for _, name in BANDS),
        *overall.components.values(),
        *(by_sheet[name].s_info if name in by_sheet else math.nan for name in sheets),
    ]


REPORTER: Final = SinfoReporter()
