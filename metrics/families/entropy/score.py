"""Scoring the texts of one sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import ByteStore, Coded, NumberColumn, Texts, TextWriter
from scoresheet.metrics.families.entropy.blocks import batches
from scoresheet.metrics.families.entropy.constants import VENDI_TEXTS
from scoresheet.metrics.families.entropy.corpus import Corpus, CorpusDiversity
from scoresheet.metrics.families.entropy.inputs import TextSheet
from scoresheet.metrics.families.entropy.local_entropy import TRENDS
from scoresheet.metrics.families.entropy.measures import ENTROPY_AT_LENGTH, ENTROPY_TREND, REPETITIVE, TEXT_MEASURES
from scoresheet.metrics.families.entropy.ngrams import NgramCounter
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.phrases import repeated_phrases
from scoresheet.metrics.families.entropy.schema import TEXT
from scoresheet.metrics.families.entropy.text_measures import TextMeasures, TextRules, block_measures
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import Noted, Problem, note, row_messages, unscored_row
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.units import Units, Value


@dataclass(frozen=True)
class TextCounts:
    """Over how many texts those measures are that not every text has."""

    at_length: int
    semantic: int
    bigram: int
    trigram: int
    self_repetition: int
    vendi: int


@dataclass(frozen=True, kw_only=True)
class EntropySheet(ScoredSheet):
    """The measures of a sheet's texts, of the texts together, and what a page shows beside them."""

    texts: Sequence[str]
    measures: TextMeasures
    diversity: CorpusDiversity
    phrases: Sequence[str]  # what each text repeats
    ids: Coded[str]  # as they are joined by; '' where a text has none
    text_counts: TextCounts

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which texts have a score: those with words."""
        return self.measures.words > 0

    @property
    def chunks(self) -> int:
        """The most chunks that a text has."""
        return int((~np.isnan(self.measures.local_entropy)).sum(axis=1).max(initial=0))


def score_sheet(sheet: TextSheet, options: EntropyOptions, spread: Spread = IN_TURN) -> Noted[EntropySheet]:
    """Return the measures of a sheet's texts, with the problems and what holds for the sheet as a whole."""
    ids = Coded.of(map(join_key, sheet.ids))
    measures, phrases, diversity, number = _measured(sheet, options, spread)
    scored = measures.words > 0
    without = np.flatnonzero(~scored).tolist()
    problems = [
        _without_words(sheet.row_numbers[place], sheet.texts[place])
        for place in without
        if sheet.row_numbers[place] not in sheet.unusable_rows
    ]
    result = EntropySheet(
        name=sheet.name,
        rows=sheet.rows,
        units=Units(
            keys={"Id": sheet.ids},
            measures={measure.name: _values(measures, measure, scored) for measure in TEXT_MEASURES},
            rows=sheet.row_numbers,
        ),
        row_problems=row_messages([*sheet.unusable_rows.values(), *problems]),
        texts=sheet.texts,
        measures=measures,
        diversity=diversity,
        phrases=phrases,
        ids=ids,
        text_counts=_text_counts(measures, diversity, number),
    )
    return Noted(result, (*problems, *_short_texts(measures, options)))


def _measured(
    sheet: TextSheet, options: EntropyOptions, spread: Spread
) -> tuple[TextMeasures, Texts, CorpusDiversity, int]:
    """Return what each text is measured to be, what it repeats, and the diversity of how many texts."""
    rules = TextRules.of(options)
    encoder, corpus, stores = rules.encoder(), Corpus(), TextMeasures.stores()
    phrases = TextWriter(ByteStore())
    for block in map(encoder.block, batches(sheet.usable())):
        counter = NgramCounter(block.words)
        block_measures(block, counter, rules).add_to(stores)
        phrases.add(repeated_phrases(counter, encoder))
        corpus.add(block, counter)
        spread.done(len(block.texts))
    diversity = corpus.diversity(options.seed)
    return TextMeasures.of_stores(stores), phrases.texts(), diversity, corpus.number


def _short_texts(measures: TextMeasures, options: EntropyOptions) -> tuple[Problem, ...]:
    """Return a note on texts that fill no window."""
    scored = int((measures.words > 0).sum())
    short = scored - int((measures.words >= options.window).sum())
    if not short:
        return ()
    which = "the text has" if scored == 1 else f"all {scored:,} texts have" if short == scored else ""
    which = which or f"{short:,} of {scored:,} texts {'has' if short == 1 else 'have'}"
    message = (
        f"{which} fewer than {options.window} words and no {ENTROPY_AT_LENGTH.name}; {flag('window N')} sets another "
        "length"
    )
    return (note("short-text", message),)


def _text_counts(measures: TextMeasures, diversity: CorpusDiversity, texts: int) -> TextCounts:
    scored = measures.words > 0
    at_length, semantic, bigram, trigram = (
        int((~np.isnan(values[scored])).sum())
        for values in (
            measures.entropy_at_length,
            measures.semantic_diversity,
            measures.bigram_entropy,
            measures.trigram_entropy,
        )
    )
    with_runs = int((measures.words >= 4).sum())
    return TextCounts(
        at_length=at_length,
        semantic=semantic,
        bigram=bigram,
        trigram=trigram,
        self_repetition=0 if math.isnan(diversity.self_repetition) else with_runs,
        vendi=min(texts, VENDI_TEXTS) if texts > 1 else 0,
    )


def _values(measures: TextMeasures, measure: Measure, scored: NDArray[np.bool_]) -> Sequence[Value]:
    """Return a measure of each text: labels in words, whole numbers as such, undefined without a score."""
    values = measures.array(measure.field)
    if measure is ENTROPY_TREND:
        return Coded(TRENDS, values.astype(np.int32))
    if measure is REPETITIVE:
        return Coded(["", "no", "yes"], np.where(scored, 1 + values.astype(np.int32), 0).astype(np.int32))
    if measure.quantity == "count":
        return NumberColumn(np.where(scored, values, np.nan), whole=True)
    return NumberColumn(values)


def _without_words(row: int, text: str) -> Problem:
    wordless = "the text has no words (single letters and signs are none), there is nothing to measure"
    return unscored_row("empty-text", wordless if text.strip() else "the text is empty", row=row, column=TEXT.name)
