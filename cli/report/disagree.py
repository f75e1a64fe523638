"""The reports of disagree: the panel's health, its items, and who stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report.disagree_pages import (
    ANY_DIMENSION_COLUMN,
    ITEM_COLUMNS,
    SHEET,
    SUMMARY_COLUMNS,
    dimension_columns,
    dimension_rows,
    dimensions_page,
    flags_page,
    item_pages,
    judges_page,
    pairs_page,
    panel_column,
    summary_page,
)
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    Reporter,
    ResultColumns,
)
from scoresheet.metrics.families.disagree.constants import MAD_OF_NORMAL, NO_JUDGE, ONE_JUDGE, OutlierRules
from scoresheet.metrics.families.disagree.context import Strategies
from scoresheet.metrics.families.disagree.measures import (
    ALPHA,
    ALPHA_ITEMS,
    CI_HIGH,
    CI_LOW,
    CONSENSUS_FORMULA,
    LABEL_AGREEMENT,
    MEAN,
    RELIABILITY_FORMULA,
    RESULT_MEASURES,
    SHEET_MEASURES,
)
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.outliers import most_judges_without_outlier
from scoresheet.metrics.families.disagree.result import AgreementSummary, Panel
from scoresheet.metrics.families.disagree.strategies import Strategy
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.measures import Measure, shown_in
from scoresheet.metrics.messages import number_word
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, confidence_percent
from scoresheet.metrics.stats.ratio_distances import MOST_KINDS

if TYPE_CHECKING:
    import pandas as pd

METHOD: Final = (
    (
        "Overall score",
        "A judge's Σ w·s / Σ w over dimensions, w = confidence × cultural relevance, each 1 if absent.",
    ),
    ("Spread", "Sample variance and standard deviation (n − 1) of the judges' overall scores; CV = sd / mean."),
    (
        "Consensus",
        f"{CONSENSUS_FORMULA}; undefined where the mean is 0. One judge: {ONE_JUDGE.consensus:g}. "
        f"None: {NO_JUDGE.consensus:g}.",
    ),
    (
        "Reliability",
        f"{RELIABILITY_FORMULA}. One judge: {ONE_JUDGE.reliability:g}. None: {NO_JUDGE.reliability:g}.",
    ),
    (
        "Outliers",
        f"|s − mean|/sd above the threshold; with {number_word(most_judges_without_outlier(OutlierRules()))} judges or "
        f"fewer {OutlierRules.outlier:g} cannot be reached.",
    ),
    (
        "Robust outliers",
        f"{MAD_OF_NORMAL:g}·|s − median| / max(MAD, floor) above the threshold, on the scale 0 to 1.",
    ),
    ("Alpha", "Krippendorff's alpha on the scores as given; items with fewer than two scores say nothing."),
    (
        "Interval",
        f"{confidence_percent(CONFIDENCE_LEVEL)} percentile bootstrap over items, {RESAMPLES:,} resamples, seeded.",
    ),
    ("ICC", "Two-way random effects, absolute agreement (Shrout and Fleiss 1979), over items every judge scored."),
    ("Influence", "Alpha of the panel without a judge, less alpha of all."),
    (
        "Equal scores",
        "Overall scores that only the arithmetic's last digits keep apart are equal; nothing is rounded.",
    ),
    (
        "Alpha_Ratio",
        f"Left out where there are more than {MOST_KINDS:,} different scores, unless --level ratio asks for it.",
    ),
)
_RESULTS: Final = tuple(map(panel_column, RESULT_MEASURES))


class DisagreeReporter(Reporter[DisagreeOptions, Strategies, Panel, Comparison]):
    """Shows whether the judges of a panel agree."""

    stem = "disagreement"
    title = "Disagreement of judges"
    documented = DocumentedColumns(
        results=_RESULTS, summary=SUMMARY_COLUMNS, sheet=(*ITEM_COLUMNS, ANY_DIMENSION_COLUMN)
    )

    def method(self, context: Strategies, options: DisagreeOptions) -> tuple[Line, ...]:
        """Return how the numbers were made, how scores were mapped, and the strategies."""
        if options.nominal:
            about = "alpha at the nominal level and pairwise agreement only; no scale, no weights"
            return (*METHOD, ("Labels", about))
        return (*METHOD, ("Scale", _scale_in_words(options)), *map(_strategy_line, context))

    def result_columns(self, results: Sequence[Panel], options: DisagreeOptions) -> ResultColumns:
        """Return alpha with its interval, and what else the panels come to."""
        return ResultColumns(
            measures=_RESULTS,
            headline=panel_column(ALPHA),
            terminal=tuple(map(panel_column, shown_in(RESULT_MEASURES, "terminal"))),
            interval=(panel_column(CI_LOW), panel_column(CI_HIGH)),
        )

    def model_pages(self, model: str, result: Panel, options: DisagreeOptions) -> ModelPages:
        """Return the panel's health, a page of items per sheet, and the judges."""
        return ModelPages(
            summary=summary_page(result),
            sheets=item_pages(result.sheets, nominal=options.nominal),
            more=(
                dimensions_page(result),
                judges_page(result, nominal=options.nominal),
                pairs_page(result),
                flags_page(result),
            ),
        )

    def numbers(self, result: Panel, options: DisagreeOptions) -> Numbers:
        """Return the panel's numbers, and those of each sheet and dimension."""
        by_dimension: dict[str, dict[str, Numbers]] = {sheet.name: {} for sheet in result.sheets}
        for row in dimension_rows(result):
            low, high, _ = row.interval
            by_dimension[row.sheet][row.agreement.dimension] = {
                ALPHA.name: row.agreement.alpha,
                CI_LOW.name: low,
                CI_HIGH.name: high,
                ALPHA_ITEMS.name: row.agreement.alpha_items,
                MEAN.name: row.agreement.mean,
            }
        by_sheet: dict[str, Numbers] = {
            summary.name: {**_numbers_of(summary, SHEET_MEASURES), "By_Dimension": by_dimension[summary.name]}
            for summary in result.by_sheet
        }
        return {**_numbers_of(result.overall, RESULT_MEASURES), "Sheets": by_sheet}

    def unit_table(self, result: Panel, options: DisagreeOptions) -> pd.DataFrame:
        """Return the items of all sheets; the first columns are always the same ones."""
        names = [column.name for column in (SHEET, *ITEM_COLUMNS)]
        if options.nominal:
            names.append(LABEL_AGREEMENT.name)
        else:
            names += [column.name for column in dimension_columns(result.sheets)]
        return result.units().reindex(columns=names)


def _numbers_of(summary: AgreementSummary, measures: Sequence[Measure]) -> dict[str, float]:
    values = {measure.name: summary.value(measure) for measure in measures}
    return {name: value for name, value in values.items() if not isinstance(value, str)}


def _scale_in_words(options: DisagreeOptions) -> str:
    low, high = options.scale_ends
    if (low, high) == (0, 1):
        return "0 to 1, as given"
    first, last, width = map(format_float, (low, high, high - low))
    return f"{first} to {last}, mapped by (s − {first})/{width}; alpha takes the scores as given"


def _strategy_line(strategy: Strategy) -> Line:
    weights = "".join(f", {name} × {format_float(value)}" for name, value in strategy.weights.items())
    way = "strict" if strategy.bias < 0 else "lenient" if strategy.bias > 0 else "neutral"
    emphasis, threshold, bias = map(format_float, (strategy.emphasis, strategy.threshold, strategy.bias))
    parameters = f"emphasis {emphasis}, threshold {threshold}, bias {bias} ({way})"
    return (f"Strategy {strategy.name}", parameters + weights)


REPORTER: Final = DisagreeReporter()
