"""What the sheets of a panel come to: agreement of each sheet, their mean, and the intervals of these alphas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.families.disagree.constants import VERDICTS
from scoresheet.metrics.families.disagree.judge_agreement import OVERALL
from scoresheet.metrics.families.disagree.labels import LabelStanding, OrderBias, order_biases
from scoresheet.metrics.families.disagree.measures import (
    COMPARED_LABEL_MEASURES,
    COMPARED_MEASURES,
    CONSENSUS,
    HIGH,
    JUDGES,
    LABEL_MEASURES,
    RELIABILITY,
    RESULT_MEASURES,
    SEVERITY,
    TOO_FEW,
)
from scoresheet.metrics.families.disagree.odd_judges import OTHER_SCALE, OddJudge
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.problems import SheetInterval, missing_intervals, sheets_as_dimensions
from scoresheet.metrics.families.disagree.score import SheetAgreement, odd_on_sheets
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.alpha_interval import ResampledAlpha, alphas_of_draws, interval_of_alpha
from scoresheet.metrics.stats.bands import band_of_interval
from scoresheet.metrics.stats.confidence import FEWEST_CLUSTERS, Interval
from scoresheet.metrics.stats.means import mean, mean_of_array
from scoresheet.metrics.units import Value


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
    odd: tuple[OddJudge, ...]
    alpha_gain: float  # without all of these
    kappa: float
    kappa_items: int

    @property
    def ci_low(self) -> float:
        """The lower end of the interval of alpha."""
        return self.interval[0]

    @property
    def ci_high(self) -> float:
        """The upper end of the interval of alpha."""
        return self.interval[1]

    @property
    def ci_note(self) -> str:
        """What is said of the interval, or why there is none."""
        return self.interval.note

    @property
    def verdict(self) -> str:
        """What alpha is called, as far as its interval allows: both words where it reaches from one into the other."""
        if math.isnan(self.alpha):
            return ""
        return band_of_interval(self.interval.low, self.interval.high, VERDICTS, otherwise=TOO_FEW)

    @property
    def odd_names(self) -> str:
        """The judges who do not fit the others."""
        return "; ".join(each.name for each in self.odd)

    @property
    def odd_phrases(self) -> str:
        """The same, each with the reason."""
        return "; ".join(each.phrase() for each in self.odd)

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
    order: tuple[OrderBias, ...] = ()  # of labels, over all sheets
    winner: LabelStanding | None = None  # the label with the most wins, of one sheet with one dimension

    def slim(self) -> Panel:
        """Return the summaries without the items."""
        return replace(self, sheets=(), intervals=())


def combine_sheets(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> Noted[Panel]:
    """Return a panel's agreement: of each sheet, and the mean over sheets."""
    intervals = _alpha_intervals(sheets, options)
    by_sheet = [
        _sheet_summary(sheet, by_dimension[-1]) for sheet, by_dimension in zip(sheets, intervals.by_sheet, strict=True)
    ]
    overall = _overall_summary(sheets, by_sheet, intervals.overall, options)
    measures = (*RESULT_MEASURES, *(LABEL_MEASURES if options.nominal else ()))
    rated = sum(sheet.rated_rows for sheet in sheets)
    panel = Panel(
        sheets=tuple(sheets),
        measures={measure.name: overall.value(measure) for measure in measures},
        rows=sum(sheet.rows for sheet in sheets),
        scored=rated,
        computed=rated,
        has_score=rated > 0,
        by_sheet=tuple(by_sheet),
        overall=overall,
        intervals=intervals.by_sheet,
        compared=_compared(sheets, COMPARED_LABEL_MEASURES if options.nominal else COMPARED_MEASURES),
        order=_order(sheets, options),
        winner=_winner(sheets),
    )
    states = [SheetInterval(summary.name, summary.alpha, summary.interval) for summary in by_sheet]
    return Noted(
        panel, (*missing_intervals(states, intervals.overall), *sheets_as_dimensions([sheet.name for sheet in sheets]))
    )


def _compared(sheets: Sequence[SheetAgreement], measures: Sequence[Measure]) -> ComparedUnits | None:
    """Return the items of a panel with what it is compared in."""
    return ComparedUnits.of_sheets(
        {
            sheet.name: KeyedValues(
                list(sheet.items), np.column_stack([sheet.units.array(measure.name) for measure in measures])
            )
            for sheet in sheets
        }
    )


def _order(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> tuple[OrderBias, ...]:
    """Return the order bias over all sheets of labels, a dimension being a round; none where no order is said.

    Sheets may have labels of other numbers, so that all are told by their names.
    """
    labels = list(dict.fromkeys(label for sheet in sheets for label in sheet.labels))
    rounds: dict[str, tuple[Sequence[str], Sequence[str], NDArray[np.float64], NDArray[np.float64]]] = {}
    for sheet in sheets:
        if sheet.choices is None or sheet.first is None:
            continue
        codes = np.array([labels.index(label) for label in sheet.labels], dtype=float)
        for index, dimension in enumerate(sheet.dimensions):
            choices, first = (_recoded(each[:, :, index], codes) for each in (sheet.choices, sheet.first))
            rounds[f"{sheet.name}\0{dimension}"] = (sheet.items, sheet.judges, choices, first)
    return order_biases(rounds, labels, confidence=options.ci)


def _recoded(values: NDArray[np.float64], codes: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    result = np.full(values.shape, np.nan)
    result[known] = codes[values[known].astype(np.int64)]
    return result


def _winner(sheets: Sequence[SheetAgreement]) -> LabelStanding | None:
    if len(sheets) != 1 or len(sheets[0].standings) != 1:
        return None
    (standings,) = sheets[0].standings.values()
    return max(standings, key=lambda standing: standing.win_rate, default=None)


@dataclass(frozen=True)
class _AlphaIntervals:
    """The intervals of alpha: of every sheet and dimension, and of the mean over sheets."""

    by_sheet: tuple[tuple[Interval, ...], ...]
    overall: Interval


def _alpha_intervals(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> _AlphaIntervals:
    """Return all intervals from the same draws: an item comes with its ratings of every sheet and dimension at once."""
    drawn = _drawn_alphas(sheets, options)
    in_mean = [by_dimension[-1] for by_dimension in drawn if not math.isnan(by_dimension[-1].alpha)]
    overall = in_mean[0] if len(in_mean) == 1 else _mean_of_sheets(in_mean)
    by_sheet = tuple(tuple(each.interval(options.ci) for each in by_dimension) for by_dimension in drawn)
    # every sheet that has an alpha is in the mean, and the mean is no surer than the least sure of them
    missing = [
        sheet.name
        for sheet, intervals in zip(sheets, by_sheet, strict=True)
        if not math.isnan(sheet.overall.alpha) and not intervals[-1].is_known
    ]
    interval = overall.interval(options.ci)
    if missing and len(in_mean) > 1:
        note = f"the mean of the sheets' alphas has no interval, since there is none for {join_names(missing)}"
        interval = Interval(math.nan, math.nan, note)
    return _AlphaIntervals(by_sheet=by_sheet, overall=interval)


@dataclass(frozen=True)
class _DrawnAlphas:
    """Alpha of one dimension, or overall, and what it comes to in every resample."""

    alpha: float
    values: NDArray[np.float64]
    raters: float  # judges of an item
    items: frozenset[int]  # that alpha rests on
    disagreeing: frozenset[int]  # of these, where not all judges gave the same
    crowded: bool = False  # too many different scores on too many items, at the ratio level

    def interval(self, confidence: float) -> Interval:
        """Return the interval; there is none of what cannot be drawn from."""
        if self.crowded:
            note = "at the ratio level there are too many different scores on too many items"
            return Interval(math.nan, math.nan, note)
        return interval_of_alpha(
            self.alpha,
            self.values,
            raters=self.raters,
            items=len(self.items),
            disagreeing=len(self.disagreeing),
            confidence=confidence,
        )


def _mean_of_sheets(sheets: Sequence[_DrawnAlphas]) -> _DrawnAlphas:
    """Return the mean of the sheets' alphas, likewise drawn; an item of several sheets is one."""
    if not sheets:
        return _DrawnAlphas(math.nan, np.empty(0), 2.0, frozenset(), frozenset())
    return _DrawnAlphas(
        alpha=mean(each.alpha for each in sheets),
        values=_defined_means(np.column_stack([each.values for each in sheets])),
        raters=mean(each.raters for each in sheets),
        items=frozenset().union(*(each.items for each in sheets)),
        disagreeing=frozenset().union(*(each.disagreeing for each in sheets)),
        crowded=any(each.crowded for each in sheets),
    )


def _drawn_alphas(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> list[list[_DrawnAlphas]]:
    """Return, for each sheet, alpha on each dimension and overall in every resample."""
    items = sorted({item for sheet in sheets for item in sheet.items})
    position_of = {item: position for position, item in enumerate(items)}
    tables: list[tuple[ResampledAlpha, NDArray[np.int64]]] = []
    for sheet in sheets:
        positions = np.array([position_of[item] for item in sorted(sheet.items)], dtype=np.int64)
        for agreement in sheet.agreements:
            tables += [(ResampledAlpha(table, options.level), positions) for table in agreement.tables]
    drawn = np.empty((0, len(tables)))
    if len(items) >= FEWEST_CLUSTERS:
        drawn = alphas_of_draws(tables, len(items), options.seed)
    # their columns stand side by side; where overall is the mean of the dimensions, it has one for each
    start = 0
    by_sheet = []
    for sheet in sheets:
        by_dimension = []
        for agreement in sheet.agreements:
            end = start + len(agreement.tables)
            by_dimension.append(_drawn_alpha(agreement.alpha, tables[start:end], drawn[:, start:end]))
            start = end
        by_sheet.append(by_dimension)
    return by_sheet


def _drawn_alpha(
    alpha: float, tables: Sequence[tuple[ResampledAlpha, NDArray[np.int64]]], drawn: NDArray[np.float64]
) -> _DrawnAlphas:
    return _DrawnAlphas(
        alpha=alpha,
        values=_defined_means(drawn),
        raters=mean(table.raters for table, _ in tables),
        items=frozenset(place for table, places in tables for place in places[table.usable].tolist()),
        disagreeing=frozenset(place for table, places in tables for place in places[table.disagreeing].tolist()),
        crowded=any(table.crowded for table, _ in tables),
    )


def _defined_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what is defined in each row."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _sheet_summary(sheet: SheetAgreement, interval: Interval) -> AgreementSummary:
    overall = sheet.overall
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
        consensus=mean_of_array(consensus),
        reliability=mean_of_array(reliability),
        consensus_items=int(np.count_nonzero(~np.isnan(reliability))),
        flagged=len(severities) - severities.count(""),
        severe=severities.count(HIGH),
        odd=sheet.odd,
        alpha_gain=sheet.alpha_gain,
        kappa=overall.kappa,
        kappa_items=overall.kappa_items,
    )


def _of_several_judges(sheet: SheetAgreement, measure: Measure) -> NDArray[np.float64]:
    """Return a measure of the items with two judges or more; what one judge has by decree would flatter the panel."""
    if measure.name not in sheet.units.measures:
        return np.zeros(0)  # labels have none
    return sheet.units.array(measure.name)[sheet.units.array(JUDGES.name) > 1]


def _overall_summary(
    sheets: Sequence[SheetAgreement],
    by_sheet: Sequence[AgreementSummary],
    interval: Interval,
    options: DisagreeOptions,
) -> AgreementSummary:
    """Return the mean of the sheets, and the counts of all their items."""
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
        odd=_odd_of_panel(sheets, options),
        alpha_gain=by_sheet[0].alpha_gain if len(by_sheet) == 1 else math.nan,
        kappa=mean(summary.kappa for summary in by_sheet),
        kappa_items=sum(summary.kappa_items for summary in by_sheet),
    )


def _odd_of_panel(sheets: Sequence[SheetAgreement], options: DisagreeOptions) -> tuple[OddJudge, ...]:
    """Return who is odd over all sheets together: what is too little on each may be enough on all of them."""
    if len(sheets) == 1:
        return sheets[0].odd
    apart = {each.name: each for sheet in sheets for each in sheet.odd if each.why == OTHER_SCALE}
    return odd_on_sheets([sheet.judged for sheet in sheets], options, tuple(apart.values()))
