"""The reports of mode-collapse: levels and cells, how the choices are spread, and the models side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from scoresheet.cli.report.mode_collapse_pages import (
    CELL_COLUMNS,
    SUMMARY_COLUMNS,
    VERDICT_COLUMN,
    cells_page,
    counts_page,
    differences_page,
    distribution_page,
    mappings_page,
    models_page,
    power_page,
    summary_page,
)
from scoresheet.cli.report.page import Column, Page
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    Reporter,
    ResultColumns,
    column_of,
)
from scoresheet.metrics.families.mode_collapse.compare import ModeCollapseComparison
from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext, describe_observed
from scoresheet.metrics.families.mode_collapse.measures import (
    CELLS,
    CI_HIGH,
    CI_LOW,
    COLLAPSED_CELLS,
    GINI,
    LEVEL_MEASURES,
    NORMALIZED_ENTROPY,
    VERDICT,
    model_measures,
)
from scoresheet.metrics.families.mode_collapse.null_distribution import DRAWS
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.power import power_table
from scoresheet.metrics.families.mode_collapse.result import LevelSummary, ModeCollapseResult
from scoresheet.metrics.families.mode_collapse.verdicts import GINI_BANDS, TOO_FEW, describe_entropy_bands
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import percent
from scoresheet.metrics.stats.bands import describe_bands
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, SIGNIFICANCE_LEVEL, confidence_percent
from scoresheet.metrics.units import Value

METHOD: Final = (
    ("Cell", "One (sheet, level, parent path). Counts run over its declared options, those never chosen included."),
    ("Gini", "2·Σ i·y_i / (n·Σ y) − (n+1)/n, y ascending; at most (n−1)/n."),
    ("Entropy", "−Σ p log2 p in bits; normalised by log2 n. Entropy_MM adds (used − 1)/(2·N·ln 2)."),
    (
        "Incomplete",
        "Blank, 'incomplete', or a text that means none or two of the options: left out first, counted and listed.",
    ),
    (
        "Text to option",
        "Exact (case, accents, outer punctuation, list letters and articles ignored), alias, the only option "
        "mentioned, fuzzy if asked for. Whatever was not exact is on the page Mappings.",
    ),
    ("Bands", f"Gini: {describe_bands(GINI_BANDS)}. Entropy: {describe_entropy_bands()}."),
    (
        "P_Value",
        "Chance that the chooser tested against (below) has at least this Gini at this N: exact where all outcomes "
        f"can be listed, else from {DRAWS:,} seeded draws, (1 + reached)/(1 + draws).",
    ),
    (
        "Verdict",
        f"The worse of the two bands; {TOO_FEW!r} where that is not low and the p-value is "
        f"{percent(SIGNIFICANCE_LEVEL)} or more.",
    ),
    (
        "Interval",
        f"Of the Gini that samples of this size have on average (an endless one has less): {confidence_percent(CONFIDENCE_LEVEL)} percentile "
        f"bootstrap, {RESAMPLES:,} resamples, seeded, less what resampling adds to a Gini. Options never chosen may be "
        "drawn too: beside the samples they share one card more than there are options chosen just once.",
    ),
    (
        "Levels",
        "Level 0 is the model's score. A level is the mean over its cells; weighted, each cell counts by the share "
        "of its parent path, then the mean over sheets. All levels: the mean of the level values.",
    ),
)


class ModeCollapseReporter(
    Reporter[ModeCollapseOptions, ModeCollapseContext, ModeCollapseResult, ModeCollapseComparison]
):
    """Shows how collapsed a model's choices are."""

    stem = "mode_collapse"
    title = "Mode collapse of repeated choices"

    def __init__(self) -> None:
        # k stands for each level that a run has
        self.documented = DocumentedColumns(_result_columns(("k",)), SUMMARY_COLUMNS, CELL_COLUMNS)

    def method(self, context: ModeCollapseContext, options: ModeCollapseOptions) -> tuple[Line, ...]:
        """Return how the numbers were made, where the options came from, and whom the choices were tested against."""
        declared = "declared in the table whose hash is below"
        source = describe_observed(options) if context.option_sets.are_observed else declared
        tested = "the shares of the --target table" if options.target else "the uniform chooser"
        return (*METHOD, ("Options", source), ("Tested against", tested))

    def result_columns(self, results: Sequence[ModeCollapseResult], options: ModeCollapseOptions) -> ResultColumns:
        """Return the measures of all levels that any model has; on a screen, the verdict before its numbers."""
        return ResultColumns(
            measures=_result_columns(_levels(results)),
            headline=column_of(GINI),
            terminal=tuple(
                map(_model_column, (VERDICT, GINI, CI_LOW, CI_HIGH, NORMALIZED_ENTROPY, COLLAPSED_CELLS, CELLS))
            ),
            interval=(column_of(CI_LOW), column_of(CI_HIGH)),
        )

    def model_pages(self, model: str, result: ModeCollapseResult, options: ModeCollapseOptions) -> ModelPages:
        """Return the levels, the cells of each sheet, how their choices are spread, all counts, all mappings."""
        return ModelPages(
            summary=summary_page(result),
            sheets=tuple(map(cells_page, result.sheets)),
            more=(distribution_page(result.sheets), counts_page(result.sheets), mappings_page(result.sheets)),
        )

    def numbers(self, result: ModeCollapseResult, options: ModeCollapseOptions) -> Numbers:
        """Return the measures, each level, each level of each sheet."""
        sheets: dict[str, dict[str, Numbers]] = {}
        for summary in result.sheet_levels:
            sheets.setdefault(summary.sheet or "", {})[str(summary.level)] = _level_numbers(summary)
        return {
            **_without_words(result.measures),
            "Levels": {str(summary.level): _level_numbers(summary) for summary in result.model_levels},
            "Sheets": {sheet: {"Levels": levels} for sheet, levels in sheets.items()},
        }

    def run_pages(
        self,
        comparison: ModeCollapseComparison,
        results: Mapping[str, ModeCollapseResult | None],
        options: ModeCollapseOptions,
    ) -> tuple[Page, ...]:
        """Return the models ranked, and their differences."""
        columns = _result_columns(_levels(filter(None, results.values())))
        return models_page(comparison.ranks, results, columns), differences_page(comparison.differences(results))

    def standalone_page(self, options: ModeCollapseOptions) -> Callable[[], Page] | None:
        """Return what makes the table of --power."""
        return partial(_power_page, options) if options.power else None


def _power_page(options: ModeCollapseOptions) -> Page:
    return power_page(options.power_gini, power_table(options.power_gini, seed=options.seed))


def _levels(results: Iterable[ModeCollapseResult]) -> tuple[int, ...]:
    return tuple(sorted({level for result in results for level in result.levels}))


def _result_columns(levels: tuple[int | str, ...]) -> tuple[Column, ...]:
    return tuple(map(_model_column, model_measures(levels)))


def _model_column(measure: Measure) -> Column:
    """Return a measure as a column of the results, where the verdict is that of level 0."""
    if measure != VERDICT:
        return column_of(measure)
    about = VERDICT_COLUMN.about
    return replace(VERDICT_COLUMN, about=f"The verdict on level 0: {about[0].lower()}{about[1:]}")


def _level_numbers(summary: LevelSummary) -> Numbers:
    return _without_words({measure.name: getattr(summary, measure.field) for measure in LEVEL_MEASURES})


def _without_words(values: Mapping[str, Value]) -> dict[str, float | int]:
    return {name: value for name, value in values.items() if not isinstance(value, str)}


REPORTER: Final = ModeCollapseReporter()
