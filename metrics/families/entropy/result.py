"""What a model's sheets come to: means over texts and sheets, and what holds for each sheet as a whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate, aggregate_share
from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.families.entropy.measures import (
    COMPARED_MEASURES,
    CORPUS_MEASURES,
    COUNT_MEASURES,
    ENTROPY_AT_LENGTH,
    MEAN_MEASURES,
    MODEL_MEASURES,
    REPETITION,
    REPETITION_BANDS,
    REPETITIVE,
    REPETITIVE_INTERVAL,
    REPETITIVE_SHARE,
)
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.score import EntropySheet
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.measures import Measure, interval_measures
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import band_of_interval
from scoresheet.metrics.stats.confidence import Interval
from scoresheet.metrics.stats.means import mean, mean_of_array
from scoresheet.metrics.stored_values import ValueStore
from scoresheet.metrics.text_columns import coded_texts, sorted_places

Integers = NDArray[np.int64]

PROMPTS: Final = "prompts"  # what ids are that stand for several texts
TEXTS: Final = "texts"


@dataclass(frozen=True)
class TextAverages:
    """What the texts of one sheet, or of the model, come to."""

    measures: Mapping[str, float]  # by the names of MODEL_MEASURES
    interval: Interval  # of Entropy_At_Length
    repetitive_interval: Interval  # of the share of repetitive texts
    clusters: str  # what is drawn in a resample: PROMPTS or TEXTS
    rows: int
    scored: int

    @property
    def coverage(self) -> float:
        """The share of rows with a score."""
        return self.scored / self.rows if self.rows else math.nan

    @property
    def repetition(self) -> str:
        """How often texts repeat themselves, held against human prose: the bands that the share's interval lies in."""
        if math.isnan(self.measures[REPETITIVE_SHARE.name]):
            return ""
        low, high, _ = self.repetitive_interval
        return band_of_interval(low, high, REPETITION_BANDS, otherwise=f"too few {self.clusters}")

    def named(self) -> dict[str, float | str]:
        """Return every number, and what is said of it, by the name that reports have for it."""
        ends = (self.repetitive_interval.low, self.repetitive_interval.high)
        return {
            **self.measures,
            **interval_measures(self.interval),
            **dict(zip(REPETITIVE_INTERVAL, ends, strict=True)),
            REPETITION: self.repetition,
        }


@dataclass(frozen=True, kw_only=True)
class EntropyResult(ModelResult[EntropySheet]):
    """What a model came to."""

    by_sheet: Mapping[str, TextAverages]
    overall: TextAverages

    def slim(self) -> EntropyResult:
        """Return the averages, and the texts' measures by id, without the texts."""
        return replace(self, sheets=(), compared=self.compared or _compared_units(self.sheets))

    def put_away(self, store: ValueStore) -> EntropyResult:
        """Return it with what takes room kept in a store."""
        return replace(super().put_away(store), by_sheet=store.mapping(self.by_sheet))


def combine_sheets(sheets: Sequence[EntropySheet], options: EntropyOptions) -> Noted[EntropyResult]:
    """Return the averages of a model."""
    drawn, nameless = _drawn(sheets)
    clusters = PROMPTS if _ids_repeat(sheets, drawn, nameless) else TEXTS
    of_length = f"of {options.window} words" if clusters == TEXTS else f"with a text of {options.window} words"
    entropy = aggregate(
        [SheetValues(own, _values_of(sheet, ENTROPY_AT_LENGTH)) for own, sheet in zip(drawn, sheets, strict=True)],
        noun=f"{clusters} {of_length}",
        confidence=options.ci,
        seed=options.seed,
    )
    repetitive = aggregate_share(
        [SheetValues(own, _values_of(sheet, REPETITIVE)) for own, sheet in zip(drawn, sheets, strict=True)],
        noun=clusters,
        confidence=options.ci,
    )
    by_sheet = {
        sheet.name: TextAverages(
            _sheet_measures(sheet, repetitive.sheets[position]),
            entropy.sheet_intervals[position],
            repetitive.sheet_intervals[position],
            clusters,
            len(sheet.scored),
            int(sheet.scored.sum()),
        )
        for position, sheet in enumerate(sheets)
    }
    overall = TextAverages(
        _model_measures(list(by_sheet.values())),
        entropy.interval,
        repetitive.interval,
        clusters,
        sum(each.rows for each in by_sheet.values()),
        sum(each.scored for each in by_sheet.values()),
    )
    return Noted(
        EntropyResult(
            sheets=tuple(sheets),
            measures=overall.named(),
            rows=overall.rows,
            scored=overall.scored,
            computed=overall.scored,
            has_score=overall.scored > 0,
            by_sheet=by_sheet,
            overall=overall,
        )
    )


def _drawn(sheets: Sequence[EntropySheet]) -> tuple[list[Integers], int]:
    """Return what each text of each sheet is drawn with in a resample, as a number, and how many stand for no id.

    These are all texts of its id, in any sheet; without an id it is alone. Answers to one prompt resemble each other:
    drawn one by one they would make a mean look surer than it is. Numbers are in the order of the ids, behind those of
    texts without one.
    """
    ids = sheets[0].ids if len(sheets) == 1 else coded_texts(chain.from_iterable(sheet.ids for sheet in sheets))
    places = sorted_places(ids.values)
    ranks = np.empty(len(places), dtype=np.int64)
    ranks[places] = np.arange(len(places))
    numbers = np.split(ranks[ids.codes], np.cumsum([len(sheet.ids) for sheet in sheets])[:-1])
    if not len(places) or ids.values[int(places[0])]:
        return numbers, 0
    alone = [own == 0 for own in numbers]  # '' is before all others
    nameless = max(int(each.sum()) for each in alone)
    return [
        np.where(none, np.cumsum(none) - 1, own - 1 + nameless) for own, none in zip(numbers, alone, strict=True)
    ], nameless


def _ids_repeat(sheets: Sequence[EntropySheet], drawn: Sequence[Integers], nameless: int) -> bool:
    """Return whether an id stands for several of a model's texts: it then is a prompt, and they are answers to it."""
    scored = np.concatenate([own[sheet.scored] for own, sheet in zip(drawn, sheets, strict=True)])
    named = scored[scored >= nameless]
    return len(np.unique(named)) < len(named)


def _values_of(sheet: EntropySheet, measure: Measure) -> NDArray[np.float64]:
    """Return a measure of each text, undefined for those without a score."""
    return np.where(sheet.scored, sheet.measures.array(measure.field), np.nan)


def _sheet_measures(sheet: EntropySheet, repetitive: float) -> dict[str, float]:
    values: dict[str, float] = {
        **{each.name: mean_of_array(_values_of(sheet, each)) for each in MEAN_MEASURES},
        **{
            each.name: repetitive if each is REPETITIVE_SHARE else getattr(sheet.diversity, each.field)
            for each in CORPUS_MEASURES
        },
        **{each.name: getattr(sheet.text_counts, each.field) for each in COUNT_MEASURES},
    }
    return {each.name: values[each.name] for each in MODEL_MEASURES}


def _model_measures(sheets: Sequence[TextAverages]) -> dict[str, float]:
    measures: dict[str, float] = {}
    for each in MODEL_MEASURES:
        values = [sheet.measures[each.name] for sheet in sheets]
        measures[each.name] = sum(values) if each.average == "sum" else mean(values)
    return measures


def _compared_units(sheets: Sequence[EntropySheet]) -> ComparedUnits | None:
    """Return the texts of a model that another model's may be paired with."""
    keyed = {}
    for sheet in sheets:
        names = np.fromiter(map(bool, sheet.ids.values), bool, len(sheet.ids.values))
        rows = np.flatnonzero(names[sheet.ids.codes] & sheet.scored) if len(names) else np.zeros(0, np.int64)
        values = np.empty((len(rows), len(COMPARED_MEASURES)))
        for place, measure in enumerate(COMPARED_MEASURES):  # one after the other: they are read for this
            values[:, place] = _values_of(sheet, measure)[rows]
        keyed[sheet.name] = KeyedValues(sheet.ids.take(rows), values)
    return ComparedUnits.of_sheets(keyed)
