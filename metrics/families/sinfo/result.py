"""What a model's sheets come to: sheet averages, their mean, its interval, and how the rows fall into bands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate
from scoresheet.metrics.columns import Coded
from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.families.sinfo.audit import AuditPair, AuditSample
from scoresheet.metrics.families.sinfo.components import COMPONENTS, component_counts
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.measures import (
    ANSWERED,
    BANDS,
    BREVITY,
    COMPARED_MEASURES,
    FEWEST_WITH_BAND,
    IDIOMS,
    P_ROUGE,
    S_INFO,
    TOO_FEW,
)
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.score import SinfoSheet
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.measures import interval_measures
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import band_of_interval
from scoresheet.metrics.stats.confidence import Interval
from scoresheet.metrics.stats.means import mean, mean_of_array
from scoresheet.metrics.stored_values import ValueStore
from scoresheet.metrics.text.rouge_l import Text, rouge_l_precision, spaced_text


@dataclass(frozen=True)
class Averages:
    """The averages of one sheet, or of the model."""

    idioms: int  # different ones among the scored rows
    s_info: float
    p_rouge: float
    bp: float
    interval: Interval
    rows: int
    scored: int
    computed: int
    components: Mapping[str, int]  # rows with a computed score that are balanced, too short, off the point, poor

    @property
    def coverage(self) -> float:
        """The share of rows with a computed score."""
        return self.computed / self.rows if self.rows else math.nan

    @property
    def band(self) -> str:
        """The band of the average; '' where there is no average."""
        return "" if math.isnan(self.s_info) else band_of_average(self.interval, self.idioms)


def band_of_average(interval: Interval, idioms: int) -> str:
    """Return the band that the whole interval of an average lies in, or both that its ends lie in.

    >>> band_of_average(Interval(0.82, 0.9), 30), band_of_average(Interval(0.7, 0.9), 30)
    ('high', 'moderate to high')
    >>> band_of_average(Interval(0.82, 0.9), 6)
    'too few idioms'
    """
    if idioms < FEWEST_WITH_BAND:
        return TOO_FEW
    return band_of_interval(interval.low, interval.high, BANDS, otherwise=TOO_FEW)


@dataclass(frozen=True, kw_only=True)
class SinfoResult(ModelResult[SinfoSheet]):
    """What a model came to."""

    by_sheet: Mapping[str, Averages]
    overall: Averages
    band_shares: Mapping[str, float]  # of the scored rows
    answered: float  # share of the references' keys that have a computed score
    sample: AuditSample

    def slim(self) -> SinfoResult:
        """Return the averages without the rows."""
        return replace(self, sheets=())

    def put_away(self, store: ValueStore) -> SinfoResult:
        """Return it with what takes room kept in a store; the texts for the audit take most."""
        sample = self.sample._replace(pairs=store.sequence(self.sample.pairs))
        return replace(super().put_away(store), by_sheet=store.mapping(self.by_sheet), sample=sample)


def combine_sheets(sheets: Sequence[SinfoSheet], context: SinfoContext, options: SinfoOptions) -> Noted[SinfoResult]:
    """Return a model's averages, and a note on references that it has no row for."""
    pooled = options.aggregate == "rows"
    scores, p_rouge, bp = (
        [sheet.units.array(measure.name) for sheet in sheets] for measure in (S_INFO, P_ROUGE, BREVITY)
    )
    values = [SheetValues(sheet.keys, own) for sheet, own in zip(sheets, scores, strict=True)]
    s_info = aggregate(values, noun=IDIOMS, pooled=pooled, confidence=options.ci, seed=options.seed)
    idioms = [_keys_with(sheet, own) for sheet, own in zip(sheets, scores, strict=True)]
    by_sheet = {
        sheet.name: Averages(
            len(idioms[position]),
            s_info.sheets[position],
            mean_of_array(p_rouge[position]),
            mean_of_array(bp[position]),
            s_info.sheet_intervals[position],
            sheet.rows,
            sheet.scored,
            sheet.computed,
            component_counts(sheet.components),
        )
        for position, sheet in enumerate(sheets)
    }
    overall = Averages(
        len(set().union(*idioms)),
        s_info.overall,
        mean_of_array(np.concatenate(p_rouge)) if pooled else mean(each.p_rouge for each in by_sheet.values()),
        mean_of_array(np.concatenate(bp)) if pooled else mean(each.bp for each in by_sheet.values()),
        s_info.interval,
        sum(each.rows for each in by_sheet.values()),
        sum(each.scored for each in by_sheet.values()),
        sum(each.computed for each in by_sheet.values()),
        {name: sum(each.components[name] for each in by_sheet.values()) for name in COMPONENTS},
    )
    answered = _answered(sheets, p_rouge, context)
    result = SinfoResult(
        sheets=tuple(sheets),
        measures={
            S_INFO.name: overall.s_info,
            **interval_measures(overall.interval),
            ANSWERED.name: answered,
        },
        rows=overall.rows,
        scored=overall.scored,
        computed=overall.computed,
        has_score=overall.scored > 0,
        by_sheet=by_sheet,
        overall=overall,
        band_shares=_band_shares(sheets),
        answered=answered,
        compared=_compared(sheets),
        sample=_sample(sheets, context, options),
    )
    return Noted(result, _unused_references(sheets, context))


def _keys_with(sheet: SinfoSheet, values: NDArray[np.float64]) -> set[str]:
    """Return the keys of the rows that have a value."""
    known = ~np.isnan(values)
    keys = sheet.keys
    return set(keys.distinct(known) if isinstance(keys, Coded) else compress(keys, known.tolist()))


def _band_shares(sheets: Sequence[SinfoSheet]) -> dict[str, float]:
    counted = [sheet.bands.counted() for sheet in sheets]
    bands = {name: sum(each.get(name, 0) for each in counted) for _, name in BANDS}
    total = sum(bands.values())
    return {name: count / total if total else math.nan for name, count in bands.items()}


def _answered(sheets: Sequence[SinfoSheet], p_rouge: Sequence[NDArray[np.float64]], context: SinfoContext) -> float:
    """Return the share of the references' keys for which any row of a model has a computed score."""
    answered = set().union(*map(_keys_with, sheets, p_rouge))
    return len(answered & context.keys) / len(context.keys) if context.keys else math.nan


def _compared(sheets: Sequence[SinfoSheet]) -> ComparedUnits | None:
    """Return the rows of a model by idiom; a row without an idiom cannot be paired."""
    keyed = {}
    for sheet in sheets:
        values = np.column_stack([sheet.units.array(measure.name) for measure in COMPARED_MEASURES])
        keys = sheet.keys if isinstance(sheet.keys, Coded) else Coded.of(sheet.keys)
        if "" in keys.values:
            named = np.flatnonzero(keys.codes != keys.values.index(""))
            keys, values = keys.take(named), values[named]
        keyed[sheet.name] = KeyedValues(keys, values)
    return ComparedUnits.of_sheets(keyed)


def _sample(sheets: Sequence[SinfoSheet], context: SinfoContext, options: SinfoOptions) -> AuditSample:
    """Return the pairs of texts of the model's rows with the lowest draws, no more than the audit can ask for."""
    draws = sorted(row.draw for sheet in sheets for row in sheet.offer.rows)
    last = draws[min(options.audit, len(draws)) - 1] if draws else math.nan
    pairs = sorted(pair for sheet in sheets for pair in _pairs(sheet, last, context, options))
    return AuditSample(tuple(pairs[: options.audit]), sum(sheet.offer.too_long for sheet in sheets))


def _pairs(sheet: SinfoSheet, last: float, context: SinfoContext, options: SinfoOptions) -> Iterator[AuditPair]:
    """Yield the pairs of the offered rows up to the last draw: that whose precision is shown, or those of a mean."""
    tokenizer, numbers = options.tokenizer, sheet.units.rows or ()
    p_rouge = sheet.units.array(P_ROUGE.name)
    for draw, place, winner in sheet.offer.rows:
        if draw > last:
            return
        where = f"{sheet.offer.source}[{sheet.name}] row {numbers[place]}"
        text = options.compared(sheet.predictions[place]).strip()
        prediction = spaced_text(text, tokenizer)
        if winner >= 0:
            yield AuditPair(
                draw, where, prediction, spaced_text(sheet.references[place], tokenizer), float(p_rouge[place])
            )
            continue
        made = Text(text, tokenizer)
        for each in context.selector.selected(made, sheet.keys[place]).texts:
            yield AuditPair(draw, where, prediction, spaced_text(each.text, tokenizer), rouge_l_precision(made, each))


def _unused_references(sheets: Sequence[SinfoSheet], context: SinfoContext) -> tuple[Problem, ...]:
    """Return a note on the references that no row of a model asked for."""
    used = set().union(*(sheet.keys.values if isinstance(sheet.keys, Coded) else sheet.keys for sheet in sheets))
    if used >= context.keys:
        return ()
    unused = [key for key in context.ordered_keys if key not in used]
    keys = len(context.ordered_keys)
    message = f"{len(unused)} of {keys} reference keys have no row in this model: {join_names(unused)}"
    return (note("unused-references", message),)
