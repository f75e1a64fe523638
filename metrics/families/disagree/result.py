"""What the sheets of a panel come to: agreement of each sheet, their mean, and the intervals of these alphas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import VERDICTS
from scoresheet.metrics.families.disagree.judge_agreement import OVERALL
from scoresheet.metrics.families.disagree.measures import (
    CONSENSUS,
    HIGH,
    JUDGES,
    RELIABILITY,
    RESULT_MEASURES,
    SEVERITY,
)
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.problems import SheetInterval, missing_intervals
from scoresheet.metrics.families.disagree.score import SheetAgreement
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.problems import Noted, Problem
from scoresheet.metrics.stats.alpha_interval import ResampledAlpha, alphas_of_draws
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.stats.confidence import Interval, expanded_interval
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.units import Value

_NO_INTERVAL: Final = Interval(math.nan, math.nan)


@dataclass(frozen=True, kw_only=True)
class AgreementSummary:
    """The agreement of one sheet, or of the whole panel, by the fields of its measures."""

    name: str  # the sheet
    items: int
    judges: int
    dimensions: int
    alpha: float
    interval: Interval
    alpha_items: int
    alpha_sheets: int
    single_icc: float
    average_icc: float
    icc_items: int
    consensus: float
    reliability: float
    consensus_items: int
    flagged: int
    severe: int
    most_discordant_judge: str
    alpha_gain: float

    @property
    def ci_low(self) -> float:
        """The lower end of the interval of alpha."""
        return self.interval[0]

    @property
    def ci_high(self) -> float:
        """The upper end of the interval of alpha."""
        return self.interval[1]

    @property
    def verdict(self) -> str:
        """What alpha is called."""
        return band(self.alpha, VERDICTS)

    def value(self, measure: Measure) -> Value:
        """Return what a measure comes to."""
        value: Value = getattr(self, measure.field)
        return value


@dataclass(frozen=True, kw_only=True)
class Panel(ModelResult[SheetAgreement]):
    """What the judges of one file come to: a sheet is a round."""

    by_sheet: tuple[AgreementSummary, ...]
    overall: AgreementSummary
    intervals: tuple[tuple[Interval, ...], ...]  # of alpha, by sheet and dimension, then overall

    def slim(self) -> Panel:
        """Return the summaries without the items."""
        return replace(self, sheets=(), intervals=())


def combine_sheets(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> Noted[Panel]:
    """Return a panel's agreement: of each sheet, and the mean over sheets."""
    intervals = _alpha_intervals(sheets, options)
    by_sheet = [
        _sheet_summary(sheet, by_dimension[-1]) for sheet, by_dimension in zip(sheets, intervals.by_sheet, strict=True)
    ]
    overall = _overall_summary(sheets, by_sheet, intervals.overall)
    rated = sum(sheet.rated_rows for sheet in sheets)
    panel = Panel(
        sheets=tuple(sheets),
        measures={measure.name: overall.value(measure) for measure in RESULT_MEASURES},
        rows=sum(sheet.rows for sheet in sheets),
        scored=rated,
        computed=rated,
        has_score=rated > 0,
        by_sheet=tuple(by_sheet),
        overall=overall,
        intervals=intervals.by_sheet,
    )
    return Noted(panel, intervals.problems)


@dataclass(frozen=True)
class _AlphaIntervals:
    """The intervals of alpha: of every sheet and dimension, of the mean over sheets, and why there is none."""

    by_sheet: tuple[tuple[Interval, ...], ...]
    overall: Interval
    problems: tuple[Problem, ...]


def _alpha_intervals(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> _AlphaIntervals:
    """Return all intervals from the same draws: an item comes with its ratings of every sheet and dimension at once."""
    drawn = _drawn_alphas(sheets, options)
    items = len({item for sheet in sheets for item in sheet.items})
    overall = [by_dimension[-1] for by_dimension in drawn]
    states = [
        SheetInterval(sheet.name, not math.isnan(sheet.overall.alpha), alphas.can_draw, alphas.crowded)
        for sheet, alphas in zip(sheets, overall, strict=True)
    ]
    drawable = [alphas.values for alphas in overall if alphas.can_draw]
    # every sheet that has an alpha is in the mean, and must be in what is drawn
    has_interval = bool(drawable) and all(state.has_interval or not state.has_alpha for state in states)
    return _AlphaIntervals(
        by_sheet=tuple(tuple(alphas.interval() for alphas in by_dimension) for by_dimension in drawn),
        overall=expanded_interval(_defined_means(np.column_stack(drawable)), items, noun="items", confidence=options.ci)
        if has_interval
        else _NO_INTERVAL,
        problems=tuple(missing_intervals(states, overall=has_interval)),
    )


@dataclass(frozen=True)
class _DrawnAlphas:
    """Alpha of one dimension, or overall, in every resample."""

    values: NDArray[np.float64]
    can_draw: bool
    crowded: bool
    items: int
    confidence: float

    def interval(self) -> Interval:
        """Return the interval; there is none of what cannot be drawn from."""
        if not self.can_draw:
            return _NO_INTERVAL
        return expanded_interval(self.values, self.items, noun="items", confidence=self.confidence)


def _drawn_alphas(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> list[list[_DrawnAlphas]]:
    """Return, for each sheet, alpha on each dimension and overall in every resample."""
    items = sorted({item for sheet in sheets for item in sheet.items})
    if len(items) < 2:
        nothing = _DrawnAlphas(np.empty(0), can_draw=False, crowded=False, items=len(items), confidence=options.ci)
        return [[nothing] * len(sheet.agreements) for sheet in sheets]
    position_of = {item: position for position, item in enumerate(items)}
    tables: list[tuple[ResampledAlpha, NDArray[np.int64]]] = []
    by_sheet = []
    for sheet in sheets:
        positions = np.array([position_of[item] for item in sorted(sheet.items)], dtype=np.int64)
        resampled = [[ResampledAlpha(table, options.level) for table in each.tables] for each in sheet.agreements]
        tables += [(table, positions) for tables_of_one in resampled for table in tables_of_one]
        by_sheet.append(resampled)
    drawn = alphas_of_draws(tables, len(items), options.seed)
    # their columns stand side by side; where overall is the mean of the dimensions, it has one for each
    widths = [len(tables_of_one) for resampled in by_sheet for tables_of_one in resampled]
    columns = iter(np.split(drawn, np.cumsum(widths)[:-1], axis=1))
    return [
        [
            _DrawnAlphas(
                _defined_means(next(columns)),
                can_draw=all(table.can_draw for table in tables_of_one),
                crowded=any(table.crowded for table in tables_of_one),
                items=len(sheet.items),
                confidence=options.ci,
            )
            for tables_of_one in resampled
        ]
        for sheet, resampled in zip(sheets, by_sheet, strict=True)
    ]


def _defined_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what is defined in each row."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _sheet_summary(sheet: SheetAgreement, interval: Interval) -> AgreementSummary:
    overall = sheet.overall
    discordant = overall.most_discordant_judge
    severities = sheet.units.measures[SEVERITY.name]
    consensus, reliability = (_of_several_judges(sheet, measure) for measure in (CONSENSUS, RELIABILITY))
    return AgreementSummary(
        name=sheet.name,
        items=len(sheet.items),
        judges=len(sheet.judges),
        dimensions=len(sheet.dimensions),
        alpha=overall.alpha,
        interval=interval,
        alpha_items=overall.alpha_items,
        alpha_sheets=int(not math.isnan(overall.alpha)),
        single_icc=overall.icc.single,
        average_icc=overall.icc.average,
        icc_items=overall.icc_items,
        consensus=mean(consensus),
        reliability=mean(reliability),
        consensus_items=sum(not math.isnan(value) for value in reliability),
        flagged=sum(map(bool, severities)),
        severe=list(severities).count(HIGH),
        most_discordant_judge=discordant.name if discordant else "",
        alpha_gain=discordant.alpha_gain_if_dropped if discordant else math.nan,
    )


def _of_several_judges(sheet: SheetAgreement, measure: Measure) -> list[float]:
    """Return a measure of the items with two judges or more; what one judge has by decree would flatter the panel."""
    if measure.name not in sheet.units.measures:
        return []  # labels have none
    judges = sheet.units.array(JUDGES.name)
    values: list[float] = sheet.units.array(measure.name)[judges > 1].tolist()
    return values


def _overall_summary(
    sheets: Sequence[SheetAgreement], by_sheet: Sequence[AgreementSummary], interval: Interval
) -> AgreementSummary:
    """Return the mean of the sheets, and the counts of all their items."""
    discordant = {summary.most_discordant_judge for summary in by_sheet}
    return AgreementSummary(
        name=OVERALL,
        items=sum(summary.items for summary in by_sheet),
        judges=len({judge for sheet in sheets for judge in sheet.judges}),
        dimensions=len({dimension for sheet in sheets for dimension in sheet.dimensions}),
        alpha=mean(summary.alpha for summary in by_sheet),
        interval=interval,
        alpha_items=sum(summary.alpha_items for summary in by_sheet),
        alpha_sheets=sum(summary.alpha_sheets for summary in by_sheet),
        single_icc=mean(summary.single_icc for summary in by_sheet),
        average_icc=mean(summary.average_icc for summary in by_sheet),
        icc_items=sum(summary.icc_items for summary in by_sheet),
        consensus=mean(summary.consensus for summary in by_sheet),
        reliability=mean(summary.reliability for summary in by_sheet),
        consensus_items=sum(summary.consensus_items for summary in by_sheet),
        flagged=sum(summary.flagged for summary in by_sheet),
        severe=sum(summary.severe for summary in by_sheet),
        most_discordant_judge=discordant.pop() if len(discordant) == 1 else "",
        alpha_gain=by_sheet[0].alpha_gain if len(by_sheet) == 1 else math.nan,
    )
