"""What a model's sheets come to: means over texts and sheets, and what holds for each sheet as a whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoresheet.metrics.aggregate import Aggregate, SheetValues, aggregate
from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.families.entropy.measures import (
    COMPARED_MEASURES,
    CORPUS_MEASURES,
    COUNT_MEASURES,
    MEAN_MEASURES,
    MODEL_MEASURES,
    REPETITIVE_SHARE,
    WORD_ENTROPY,
)
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.score import EntropySheet
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.measures import interval_measures
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.stats.confidence import Interval
from scoresheet.metrics.stats.means import mean


@dataclass(frozen=True)
class TextAverages:
    """What the texts of one sheet, or of the model, come to."""

    measures: Mapping[str, float]  # by the names of MODEL_MEASURES
    interval: Interval  # of Word_Entropy
    rows: int
    scored: int

    @property
    def coverage(self) -> float:
        """The share of rows with a score."""
        return self.scored / self.rows if self.rows else math.nan


@dataclass(frozen=True, kw_only=True)
class EntropyResult(ModelResult[EntropySheet]):
    """What a model came to."""

    by_sheet: Mapping[str, TextAverages]
    overall: TextAverages
    compared: ComparedUnits | None  # None where no text has an id

    def slim(self) -> EntropyResult:
        """Return the averages, and the texts' measures by id, without the texts."""
        return replace(self, sheets=())


def combine_sheets(sheets: Sequence[EntropySheet], options: EntropyOptions) -> Noted[EntropyResult]:
    """Return the averages of a model."""
    entropies = [
        SheetValues(sheet.clusters, np.where(sheet.scored, sheet.measures.word_entropy, np.nan)) for sheet in sheets
    ]
    word_entropy = aggregate(entropies, noun="texts", confidence=options.ci, seed=options.seed)
    by_sheet = {
        sheet.name: _sheet_averages(sheet, interval)
        for sheet, interval in zip(sheets, word_entropy.sheet_intervals, strict=True)
    }
    overall = _model_averages(list(by_sheet.values()), word_entropy)
    return Noted(
        EntropyResult(
            sheets=tuple(sheets),
            measures={**overall.measures, **interval_measures(overall.interval)},
            rows=overall.rows,
            scored=overall.scored,
            computed=overall.scored,
            has_score=overall.scored > 0,
            by_sheet=by_sheet,
            overall=overall,
            compared=_compared_units(sheets),
        )
    )


def _sheet_averages(sheet: EntropySheet, interval: Interval) -> TextAverages:
    scored = sheet.scored
    count = int(scored.sum())
    repetitive = int(sheet.measures.repetitive.sum()) / count if count else math.nan
    values: dict[str, float] = {
        **{each.name: mean(sheet.measures.array(each.field)[scored].tolist()) for each in MEAN_MEASURES},
        **{
            each.name: repetitive if each is REPETITIVE_SHARE else getattr(sheet.diversity, each.field)
            for each in CORPUS_MEASURES
        },
        **{each.name: getattr(sheet.text_counts, each.field) for each in COUNT_MEASURES},
    }
    ordered = {each.name: values[each.name] for each in MODEL_MEASURES}
    return TextAverages(ordered, interval, len(scored), count)


def _model_averages(sheets: Sequence[TextAverages], word_entropy: Aggregate) -> TextAverages:
    measures: dict[str, float] = {}
    for each in MODEL_MEASURES:
        values = [sheet.measures[each.name] for sheet in sheets]
        measures[each.name] = sum(values) if each.average == "sum" else mean(values)
    measures[WORD_ENTROPY.name] = word_entropy.overall
    rows, scored = sum(sheet.rows for sheet in sheets), sum(sheet.scored for sheet in sheets)
    return TextAverages(measures, word_entropy.interval, rows, scored)


def _compared_units(sheets: Sequence[EntropySheet]) -> ComparedUnits | None:
    """Return the texts of a model that another model's may be paired with."""
    keyed = {}
    for sheet in sheets:
        keys = [join_key(cell) for cell in sheet.units.keys["Id"]] if sheet.has_ids else []
        scored = sheet.scored.tolist()
        rows = [row for row, key in enumerate(keys) if key and scored[row]]
        values = np.column_stack([sheet.measures.array(each.field)[rows] for each in COMPARED_MEASURES])
        keyed[sheet.name] = KeyedValues([keys[row] for row in rows], values.astype(np.float64))
    return ComparedUnits.of_sheets(keyed)
