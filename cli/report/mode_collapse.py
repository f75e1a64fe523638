"""The reports of mode-collapse: levels and cells, how the choices are spread, and the models side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report.mode_collapse_pages import (
    CELL_COLUMNS,
    CELLS_PAGE,
    GINI_EDGES,
    SAMPLES,
    SUMMARY_COLUMNS,
    VERDICT_COLUMN,
    cells_page,
    counts_page,
    differences_page,
    distribution_page,
    mappings_page,
    models_page,
    power_page,
    samples_table,
    summary_page,
)
from scoresheet.cli.report.mode_collapse_panels import CHOICES, cell_panels, choice_numbers, root_panels
from scoresheet.cli.report.page import Column, Page
from scoresheet.cli.report.paired_comparison import leading_sentence
from scoresheet.cli.report.pictures import Panel
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
from scoresheet.metrics.families.mode_collapse.compare import COUNTS_TABLE, ModeCollapseComparison
from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext, describe_observed
from scoresheet.metrics.families.mode_collapse.debiased_gini import SAMPLES_PER_OPTION
from scoresheet.metrics.families.mode_collapse.measures import (
    CELLS,
    CI_HIGH,
    CI_LOW,
    COLLAPSED_CELLS,
    GINI,
    GINI_DEBIASED,
    GINI_EXPECTED,
    LEVEL_MEASURES,
    P_VALUE,
    REFUSAL_MEASURES,
    REFUSAL_RATE,
    REFUSED,
    SAMPLES_COUNTED,
    TOP_CHOICE,
    TOP_SHARE,
    VERDICT,
    WORST_CELL,
    model_measures,
)
from scoresheet.metrics.families.mode_collapse.null_distribution import DRAWS
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.power import power_table
from scoresheet.metrics.families.mode_collapse.result import LevelSummary, ModeCollapseResult
from scoresheet.metrics.families.mode_collapse.verdicts import (
    CHANCE,
    GINI_BANDS,
    TOO_FEW,
    describe_entropy_bands,
)
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import percent
from scoresheet.metrics.stats.bands import describe_bands
from scoresheet.metrics.stats.confidence import FEWEST_CLUSTERS, POWER, confidence_percent, significance_level
from scoresheet.metrics.tables import HeldTable
from scoresheet.metrics.units import Value

if TYPE_CHECKING:
    import pandas as pd

_ON_SCREEN: Final = (
    VERDICT,
    TOP_CHOICE,
    TOP_SHARE,
    SAMPLES_COUNTED,
    GINI,
    GINI_EXPECTED,
    P_VALUE,
    GINI_DEBIASED,
    CI_LOW,
    CI_HIGH,
    COLLAPSED_CELLS,
    CELLS,
)
_TOP_CHOICE_ABOUT: Final = (
    "What is chosen most often at level 0; of several root cells, in the one with the largest Gini_Debiased, which is "
    "named before it."
)
METHOD: Final = (
    ("Cell", "One (sheet, level, parent path). Counts run over its declared options, those never chosen included."),
    ("Gini", "2·Σ i·y_i / (n·Σ y) − (n+1)/n, y ascending; at most (n−1)/n."),
    ("Entropy", "−Σ p log2 p in bits; normalised by log2 n. Entropy_MM adds (used − 1)/(2·N·ln 2)."),
    (
        "Incomplete",
        "Blank, 'incomplete', or a text that means none or two of the options: left out first, counted and listed.",
    ),
    (
        "Refused",
        "A text that declines to choose (the phrases are in the documentation) and names no option: counted by itself, "
        "in neither N nor Incomplete. Its rate is the share of all samples, with the interval of Clopper and Pearson.",
    ),
    (
        "Text to option",
        "Reasoning in <think> dropped; then exact (case, accents, width, outer punctuation, list letters and articles "
        "ignored), alias, the only option mentioned, fuzzy if asked for. Whatever was not exact is on the page "
        "Mappings, and the CSV of samples has what each row was taken for.",
    ),
    (
        "P_Value",
        "Chance that the chooser tested against (below) has at least this Gini at this N: exact where all outcomes "
        f"can be listed, else from {DRAWS:,} seeded draws, (1 + reached)/(1 + draws). P_Holm: corrected by Holm over "
        "the model's root cells, and over all cells below them.",
    ),
    (
        "Gini_Debiased",
        "Gini of the chooser itself, without what a small sample adds. Parametric bootstrap, seeded: choosers between "
        "the even one and one that always chooses the same are sampled along the shares seen, freed of noise; the one "
        "whose samples have the Gini seen on average gives it. The cells of a level are debiased together.",
    ),
    (
        "Bands",
        f"Gini_Debiased: {describe_bands(GINI_BANDS)}. Entropy: {describe_entropy_bands()}. A band is named where the "
        "whole interval lies in it, else both that its ends lie in.",
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
    tables = (SAMPLES, COUNTS_TABLE)
    title = "Mode collapse of repeated choices"

    def __init__(self) -> None:
        # k stands for each level that a run has
        self.documented = DocumentedColumns(_result_columns(("k",)), SUMMARY_COLUMNS, CELL_COLUMNS)

    def method(self, context: ModeCollapseContext, options: ModeCollapseOptions) -> tuple[Line, ...]:
        """Return how the numbers were made, where the options came from, and whom the choices were tested against."""
        declared = "declared in the table whose hash is below"
        if options.options:
            declared = f"listed by --options: {options.options}"
        source = describe_observed(options) if context.option_sets.are_observed else declared
        tested = "the shares of the --target table" if options.target else "the uniform chooser"
        level = percent(significance_level(options.ci))
        return (
            *METHOD,
            (
                "Interval",
                f"{confidence_percent(options.ci)} interval of Gini_Debiased: from the least to the most uneven "
                f"chooser for which the Gini seen is no surprise; none for fewer than {FEWEST_CLUSTERS} samples, or "
                f"fewer than {SAMPLES_PER_OPTION:g} per option unless most fell on options that stand out.",
            ),
            (
                "Verdict",
                f"The worse of the two bands where the p-value is below {level}; else {CHANCE!r} if so many samples "
                f"would have shown a moderate collapse in {percent(POWER)} of cases, and {TOO_FEW!r} if not.",
            ),
            ("Options", source),
            ("Tested against", tested),
            *([("Walk", f"The columns {options.tree} are levels 0, 1, …")] if options.tree else []),
            *([("Answer", f"What --extract {options.extract} finds in a text.")] if options.extract else []),
        )

    def result_columns(self, results: Collection[ModeCollapseResult], options: ModeCollapseOptions) -> ResultColumns:
        """Return the measures of all levels that any model has; on a screen, the verdict before its numbers."""
        shown = [*_ON_SCREEN]
        if any(result.measures[CELLS.name] != 1 for result in results):
            shown.append(WORST_CELL)  # else there is no other
        if any(result.measures[REFUSED.name] for result in results):
            shown.append(REFUSAL_RATE)
        return ResultColumns(
            measures=_result_columns(_levels(results)),
            headline=column_of(GINI_DEBIASED),
            terminal=tuple(map(_model_column, shown)),
            interval=(column_of(CI_LOW), column_of(CI_HIGH)),
            edges=GINI_EDGES,
        )

    def further_tables(self, result: ModeCollapseResult, options: ModeCollapseOptions) -> Mapping[str, HeldTable]:
        """Return how often each option was chosen, cell by cell."""
        return {SAMPLES: samples_table(result.sheets), COUNTS_TABLE: result.counts_table()}

    def model_pages(self, model: str, result: ModeCollapseResult, options: ModeCollapseOptions) -> ModelPages:
        """Return the levels, the cells of each sheet, how their choices are spread, all counts, all mappings.

        Questions of one cell each stand together on one page.
        """
        single = [sheet for sheet in result.sheets if len(sheet.cells) == 1]
        together = single if len(single) > 1 else []
        own = [sheet for sheet in result.sheets if sheet not in together] if together else result.sheets
        spread = (distribution_page(result.sheets), counts_page(result.sheets), mappings_page(result.sheets))
        return ModelPages(
            summary=summary_page(result, options.ci),
            sheets=tuple(cells_page([sheet], sheet.name) for sheet in own),
            more=(*([cells_page(together, CELLS_PAGE)] if together else []), *spread),
        )

    def numbers(self, result: ModeCollapseResult, options: ModeCollapseOptions) -> Numbers:
        """Return the measures, each level, each level of each sheet, and how often each option was chosen."""
        sheets: dict[str, dict[str, Numbers]] = {}
        for summary in result.sheet_levels:
            sheets.setdefault(summary.sheet or "", {})[str(summary.level)] = _level_numbers(summary)
        return {
            **_without_words(result.measures),
            "Levels": {str(summary.level): _level_numbers(summary) for summary in result.model_levels},
            "Sheets": {sheet: {"Levels": levels} for sheet, levels in sheets.items()},
            CHOICES: choice_numbers(result),
        }

    def run_pages(
        self,
        comparison: ModeCollapseComparison,
        results: Mapping[str, ModeCollapseResult | None],
        options: ModeCollapseOptions,
    ) -> tuple[Page, ...]:
        """Return the models ranked, and their differences."""
        columns = _result_columns(_levels(filter(None, results.values())))
        standings = comparison.paired.standings
        ranks = {model: standing.rank for model, standing in standings.items() if standing.rank is not None}
        return models_page(ranks, results, columns), differences_page(comparison.differences)

    def answer(
        self,
        comparison: ModeCollapseComparison,
        results: Mapping[str, ModeCollapseResult],
        options: ModeCollapseOptions,
    ) -> str:
        """Return what a model keeps choosing; of several, who is least collapsed, and what the most collapsed takes."""
        if len(results) == 1:
            return "".join(describe_model(model, result, options.ci) for model, result in results.items())
        leading = leading_sentence(comparison.paired).replace("the 1 root cell ", "the one root cell ")
        ranks = {model: each.rank or 0 for model, each in comparison.paired.standings.items() if model in results}
        if not leading or len(set(ranks.values())) < 2:
            return leading
        last = max(ranks, key=ranks.__getitem__)
        return f"{leading} {describe_model(last, results[last], options.ci)}"

    def run_panels(self, numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
        """Return the choices at the root, model by model."""
        return root_panels(numbers)

    def model_panels(self, numbers: ReadNumbers, units: pd.DataFrame) -> tuple[Panel, ...]:
        """Return the choices of every cell."""
        return cell_panels(numbers)

    def standalone_page(self, options: ModeCollapseOptions) -> Callable[[], Page] | None:
        """Return what makes the table of --power."""
        return partial(_power_page, options) if options.power else None


def describe_model(model: str, result: ModeCollapseResult, confidence: float) -> str:
    """Return what a model keeps choosing at the root, and how sure that is."""
    root = next((level for level in result.model_levels if not level.level), None)
    if root is None or not root.top_choice:
        return ""
    samples = f"{root.n:,} sample{'s' if root.n != 1 else ''}"
    if root.cells > 1:
        samples += f" of {root.cells:,} root cells"
    level = confidence_percent(confidence)
    interval = "" if math.isnan(root.ci_low) else f", {level} interval {root.ci_low:.3f} to {root.ci_high:.3f}"
    chance = "" if math.isnan(root.gini_expected) else f", where chance alone gives {root.gini_expected:.3f}"
    keeps = f"{model} chose {root.top_choice} most often ({root.top_share:.0%})"
    said = (
        f"{keeps}: {root.verdict}, Gini {root.gini:.3f} in {samples}{chance} "
        f"(debiased {root.gini_debiased:.3f}{interval})."
    )
    if not root.refused:
        return said
    between = (
        "" if math.isnan(root.refusal_low) else f", {level} interval {root.refusal_low:.1%} to {root.refusal_high:.1%}"
    )
    return f"{said} It refused {root.refused:,} times ({root.refusal_rate:.1%}{between})."


def _power_page(options: ModeCollapseOptions) -> Page:
    level = significance_level(options.ci)
    return power_page(options.power_gini, power_table(options.power_gini, level=level, seed=options.seed), level)


def _levels(results: Iterable[ModeCollapseResult]) -> tuple[int, ...]:
    return tuple(sorted({level for result in results for level in result.levels}))


def _result_columns(levels: tuple[int | str, ...]) -> tuple[Column, ...]:
    return tuple(map(_model_column, model_measures(levels)))


def _model_column(measure: Measure) -> Column:
    """Return a measure as a column of the results, which is that of level 0."""
    if measure == TOP_CHOICE:
        return column_of(measure, about=_TOP_CHOICE_ABOUT)
    if measure == SAMPLES_COUNTED:
        return column_of(measure, about="Samples at level 0 that chose one of the options.")
    if measure in REFUSAL_MEASURES:
        return column_of(measure, about=f"At level 0: {measure.about}")
    if measure != VERDICT:
        return column_of(measure)
    about = VERDICT_COLUMN.about
    return replace(VERDICT_COLUMN, about=f"The verdict on level 0. {about}")


def _level_numbers(summary: LevelSummary) -> Numbers:
    return _without_words({measure.name: getattr(summary, measure.field) for measure in LEVEL_MEASURES})


def _without_words(values: Mapping[str, Value]) -> dict[str, float | int]:
    return {name: value for name, value in values.items() if not isinstance(value, str)}


REPORTER: Final = ModeCollapseReporter()
