"""The reports of disagree: the panel's health, its items, and who stands alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report.disagree_pages import (
    ALPHA_EDGES,
    ANY_DIMENSION_COLUMN,
    ANY_JUDGE_COLUMN,
    ITEM_COLUMNS,
    SHEET,
    SUMMARY_COLUMNS,
    dimension_columns,
    dimension_rows,
    dimensions_page,
    flags_page,
    item_pages,
    judges_page,
    labels_page,
    order_page,
    pairs_page,
    panel_column,
    score_columns,
    summary_page,
    vote_columns,
    with_model,
)
from scoresheet.cli.report.disagree_panels import ALPHA_WITHOUT, JUDGES, LENIENCY, judge_panels, score_panels
from scoresheet.cli.report.paired_comparison import leading_sentence
from scoresheet.cli.report.pictures import Panel as PicturePanel
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    ReadNumbers,
    Reporter,
    ResultColumns,
)
from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.disagree.constants import (
    DISCORDANT_FROM,
    MAD_OF_NORMAL,
    NO_JUDGE,
    ONE_JUDGE,
    RARE_SPREAD,
    OutlierRules,
)
from scoresheet.metrics.families.disagree.context import Strategies
from scoresheet.metrics.families.disagree.labels import OrderBias
from scoresheet.metrics.families.disagree.measures import (
    ALPHA,
    ALPHA_ITEMS,
    CI_HIGH,
    CI_LOW,
    CI_NOTE,
    CONSENSUS_FORMULA,
    HIGH,
    ITEMS_NOUN,
    LABEL_AGREEMENT,
    LABEL_MEASURES,
    MEAN,
    ODD_JUDGES,
    ODD_WHY,
    RELIABILITY_FORMULA,
    RESULT_MEASURES,
    SHEET_MEASURES,
    VERDICT,
)
from scoresheet.metrics.families.disagree.odd_judges import FEWEST_JUDGES, REASONS
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.outliers import most_judges_without_outlier
from scoresheet.metrics.families.disagree.result import AgreementSummary, Panel
from scoresheet.metrics.families.disagree.score import SheetAgreement
from scoresheet.metrics.families.disagree.strategies import Strategy
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.measures import Measure, interval_measures, shown_in
from scoresheet.metrics.messages import join_names, number_word
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import FEWEST_CLUSTERS, confidence_percent
from scoresheet.metrics.stats.ratio_distances import MOST_KINDS
from scoresheet.metrics.tables import HeldTable
from scoresheet.metrics.units import concatenate_units

if TYPE_CHECKING:
    import pandas as pd

METHOD: Final = (
    (
        "Overall score",
        "A judge's Σ w·s / Σ w over dimensions, w = confidence × cultural relevance, each 1 if absent.",
    ),
    (
        "Blank dimensions",
        "Overall scores of an item are over the dimensions that all of its judges scored; without one there is no "
        "overall disagreement.",
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
        "Severity",
        f"{HIGH} needs a consensus below the threshold, and judges who are more than a step of the scale apart and "
        "farther than a panel of this alpha is on one item in "
        f"{round(1 / RARE_SPREAD):,}: variance of the item over that of all other items, F distribution. Items are "
        "ranked by their standard deviation.",
    ),
    ("ICC", "Two-way random effects, absolute agreement (Shrout and Fleiss 1979), over items every judge scored."),
    ("Influence", "Alpha of the panel without a judge, less alpha of all."),
    (
        "Odd judges",
        f"One after another, the oddest first, as long as {number_word(FEWEST_JUDGES)} judges are left and the others "
        "agree beyond chance: "
        + "; ".join(f"{why}, {about}" for why, about in REASONS.items())
        + f". The last four also need alpha to rise by {DISCORDANT_FROM:g} without the judge, shown after correction "
        "for the number of judges.",
    ),
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
_SAID: Final = (CI_NOTE.name, VERDICT.name, ODD_JUDGES.name, ODD_WHY.name)  # words that machines are told too


class DisagreeReporter(Reporter[DisagreeOptions, Strategies, Panel, Comparison]):
    """Shows whether the judges of a panel agree."""

    stem = "disagreement"
    title = "Disagreement of judges"
    documented = DocumentedColumns(
        results=_RESULTS, summary=SUMMARY_COLUMNS, sheet=(*ITEM_COLUMNS, ANY_DIMENSION_COLUMN, ANY_JUDGE_COLUMN)
    )

    def method(self, context: Strategies, options: DisagreeOptions) -> tuple[Line, ...]:
        """Return how the numbers were made, how scores were mapped, and the strategies."""
        interval = (
            "Interval",
            f"{confidence_percent(options.ci)}: bootstrap standard error over {ITEMS_NOUN} ({RESAMPLES:,} resamples, "
            "seeded) of ln((1 + (k − 1)·alpha)/(1 − alpha)), k judges, times Student's quantile, expanded by "
            "√(n/(n − 1)); where some items show no disagreement, at least as wide as the exact interval of their "
            f"share makes it. None for fewer than {FEWEST_CLUSTERS} {ITEMS_NOUN}.",
        )
        if options.nominal:
            about = (
                "alpha at the nominal level with kappas beside it, majority and votes, win rates with exact intervals; "
                "no scale, no weights"
            )
            return (*METHOD, interval, ("Labels", about))
        return (*METHOD, interval, ("Scale", _scale_in_words(options)), *map(_strategy_line, context))

    def result_columns(self, results: Collection[Panel], options: DisagreeOptions) -> ResultColumns:
        """Return alpha with its interval, and what else the panels come to."""
        terminal = shown_in(RESULT_MEASURES, "terminal")
        if any(result.overall.interval.note for result in results):
            terminal = (*terminal, CI_NOTE)
        return ResultColumns(
            measures=(*_RESULTS, *(map(panel_column, LABEL_MEASURES) if options.nominal else ())),
            headline=panel_column(ALPHA),
            terminal=tuple(map(panel_column, terminal)),
            interval=(panel_column(CI_LOW), panel_column(CI_HIGH)),
            edges=ALPHA_EDGES,
        )

    def model_pages(self, model: str, result: Panel, options: DisagreeOptions) -> ModelPages:
        """Return the panel's health, a page of items per sheet, and the judges."""
        labels = (labels_page(result),) if options.nominal else ()
        order = (order_page(result),) if result.order else ()
        return ModelPages(
            summary=summary_page(result, options, panel_sentence(model, result, options.ci)),
            sheets=item_pages(result.sheets, nominal=options.nominal),
            more=(
                dimensions_page(result, options),
                judges_page(result, nominal=options.nominal),
                pairs_page(result, nominal=options.nominal),
                *labels,
                *order,
                flags_page(result),
            ),
        )

    def answer(self, comparison: Comparison, results: Mapping[str, Panel], options: DisagreeOptions) -> str:
        """Return whether the judges agree and who is odd; of several panels also whose judges are closest."""
        if len(results) == 1:
            return "".join(panel_sentence(model, result, options.ci) for model, result in results.items())
        odd = [f"{model}: {result.overall.odd_phrases}" for model, result in results.items() if result.overall.odd]
        said = f"Odd judges: {join_names(odd)}." if odd else "No judge is shown to be odd."
        return " ".join(filter(None, (leading_sentence(comparison.paired), said if results else "")))

    def numbers(self, result: Panel, options: DisagreeOptions) -> Numbers:
        """Return the panel's numbers, and those of each sheet and dimension."""
        by_dimension: dict[str, dict[str, Numbers]] = {sheet.name: {} for sheet in result.sheets}
        for row in dimension_rows(result):
            low, high, note = row.interval
            by_dimension[row.sheet][row.agreement.dimension] = {
                ALPHA.name: row.agreement.alpha,
                CI_LOW.name: low,
                CI_HIGH.name: high,
                CI_NOTE.name: note,
                ALPHA_ITEMS.name: row.agreement.alpha_items,
                MEAN.name: row.agreement.mean,
            }
        more = LABEL_MEASURES if options.nominal else ()
        by_sheet: dict[str, Numbers] = {
            sheet.name: {
                **_numbers_of(summary, (*SHEET_MEASURES, *more)),
                "By_Dimension": by_dimension[sheet.name],
                JUDGES: _judge_numbers(sheet),
                **({"Labels": _label_numbers(sheet)} if options.nominal else {}),
            }
            for sheet, summary in zip(result.sheets, result.by_sheet, strict=True)
        }
        order = {each.judge: _order_numbers(each) for each in result.order}
        return {
            **_numbers_of(result.overall, (*RESULT_MEASURES, *more)),
            **({"Order": order} if order else {}),
            "Sheets": by_sheet,
        }

    def unit_table(self, result: Panel, options: DisagreeOptions) -> HeldTable:
        """Return the items of all sheets; the first columns are always the same ones."""
        names = [column.name for column in with_model((SHEET, *ITEM_COLUMNS), result.sheets)]
        if options.nominal:
            names += [LABEL_AGREEMENT.name, *(column.name for column in vote_columns(result.sheets))]
        else:
            columns = (*dimension_columns(result.sheets), *score_columns(result.sheets))
            names += [column.name for column in columns]
        units = concatenate_units({sheet.name: sheet.units for sheet in result.sheets})
        there, nothing = set(units.columns), Coded.repeated(math.nan, len(units))  # labels have no mean
        return HeldTable({name: units.values(name) if name in there else nothing for name in names})

    def model_panels(self, numbers: ReadNumbers, units: pd.DataFrame) -> tuple[PicturePanel, ...]:
        """Return who gave what to the most disputed items, and what each judge does to the agreement."""
        return (*score_panels(units), *judge_panels(numbers))


def panel_sentence(model: str, panel: Panel, confidence: float) -> str:
    """Return whether the judges of a panel agree, who is odd and why, and how many items to look at."""
    overall = panel.overall
    if math.isnan(overall.alpha):
        return ""
    low, high, _ = overall.interval
    level = f", {confidence_percent(confidence)} interval {low:.3f} to {high:.3f}" if overall.interval.is_known else ""
    verdict = f"the agreement of {model} is {overall.verdict}"
    if not overall.interval.is_known:
        verdict = f"{overall.verdict} to judge the agreement of {model}"
    odd = f"odd: {overall.odd_phrases}" if overall.odd else "no judge is shown to be odd"
    parts = [f"{verdict[0].upper()}{verdict[1:]} (alpha {overall.alpha:.3f}{level})", odd]
    if overall.severe:
        parts.append(f"{overall.severe:,} of {overall.items:,} items to look at first")
    if panel.winner is not None and panel.winner.interval.is_known:
        low, high, _ = panel.winner.interval
        ends = f"{confidence_percent(confidence)} interval {100 * low:.1f} to {100 * high:.1f} %"
        rate = f"{100 * panel.winner.win_rate:.1f} %"
        parts.append(f"{panel.winner.label} wins {rate} of {panel.winner.items:,} items ({ends})")
    everybody = next(iter(panel.order), None)
    if everybody is not None and everybody.interval.is_known:
        parts.append(f"order: {everybody.judge}, {everybody.finding}")
    return "; ".join(parts) + "."


def _judge_numbers(sheet: SheetAgreement) -> Numbers:
    odd = {each.name: each.why for each in sheet.odd}
    return {
        judge.name: {
            "Mean": judge.mean,
            LENIENCY: judge.leniency,
            ALPHA_WITHOUT: judge.alpha_if_dropped,
            "Influence": judge.alpha_gain_if_dropped,
            "Odd": odd.get(judge.name, ""),
        }
        for judge in sheet.overall.judges
    }


def _label_numbers(sheet: SheetAgreement) -> Numbers:
    return {
        dimension: {
            each.label: {
                "Votes": each.votes,
                "Items_Won": each.items_won,
                "Win_Rate": each.win_rate,
                **interval_measures(each.interval),
            }
            for each in standings
        }
        for dimension, standings in sheet.standings.items()
    }


def _order_numbers(order: OrderBias) -> Numbers:
    return {"Votes": order.votes, "Order_Bias": order.bias, **interval_measures(order.interval)}


def _numbers_of(summary: AgreementSummary, measures: Sequence[Measure]) -> dict[str, float | str]:
    values = {measure.name: summary.value(measure) for measure in measures}
    return {name: value for name, value in values.items() if not isinstance(value, str) or name in _SAID}


def _scale_in_words(options: DisagreeOptions) -> str:
    low, high = options.scale_ends
    if options.scales.differ:
        own = [f"{judge} {_ends(ends)}" for judge, ends in options.scales.by_judge.items()]
        return f"{', '.join(own)}, others {_ends(options.scales.general)}; all mapped to 0 to 1, alpha's scores too"
    if (low, high) == (0, 1):
        return "0 to 1, as given"
    first, last, width = map(format_float, (low, high, high - low))
    return f"{first} to {last}, mapped by (s − {first})/{width}; alpha takes the scores as given"


def _ends(ends: tuple[float, float]) -> str:
    return " to ".join(map(format_float, ends))


def _strategy_line(strategy: Strategy) -> Line:
    weights = "".join(f", {name} × {format_float(value)}" for name, value in strategy.weights.items())
    way = "strict" if strategy.bias < 0 else "lenient" if strategy.bias > 0 else "neutral"
    emphasis, threshold, bias = map(format_float, (strategy.emphasis, strategy.threshold, strategy.bias))
    parameters = f"emphasis {emphasis}, threshold {threshold}, bias {bias} ({way})"
    return (f"Strategy {strategy.name}", parameters + weights)


REPORTER: Final = DisagreeReporter()
