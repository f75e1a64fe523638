"""Scoring the texts of one sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.entropy.blocks import WordEncoder
from scoresheet.metrics.families.entropy.constants import VENDI_TEXTS
from scoresheet.metrics.families.entropy.corpus import Corpus, CorpusDiversity, CountedWords
from scoresheet.metrics.families.entropy.inputs import TextSheet
from scoresheet.metrics.families.entropy.measures import (
    BIGRAM_ENTROPY,
    ENTROPY_AT_LENGTH,
    SEMANTIC_DIVERSITY,
    TEXT_MEASURES,
    TRIGRAM_ENTROPY,
    WORDS,
)
from scoresheet.metrics.families.entropy.ngrams import NgramCounter
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.phrases import repeated_phrases
from scoresheet.metrics.families.entropy.schema import TEXT
from scoresheet.metrics.families.entropy.sheet_measures import SheetMeasures
from scoresheet.metrics.families.entropy.text_measures import TextMeasures, TextRules, block_measures
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import Noted, Problem, note, row_messages, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.stored_columns import ByteStore, Texts, TextWriter
from scoresheet.metrics.text_columns import coded_texts
from scoresheet.metrics.units import Units


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
    measures: SheetMeasures
    scored: NDArray[np.bool_]  # texts that have a score: those with words
    diversity: CorpusDiversity
    phrases: Sequence[str]  # what each text repeats
    ids: Coded[str]  # as they are joined by; '' where a text has none
    text_counts: TextCounts


def score_sheet(sheet: TextSheet, options: EntropyOptions, spread: Spread = IN_TURN) -> Noted[EntropySheet]:
    """Return the measures of a sheet's texts, with the problems and what holds for the sheet as a whole."""
    ids = coded_texts(map(join_key, sheet.ids))
    measures, phrases, diversity, number = _measured(sheet, options, spread)
    scored = measures.scored
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
            measures={measure.name: measures.values(measure) for measure in TEXT_MEASURES},
            rows=sheet.row_numbers,
        ),
        row_problems=row_messages([*sheet.unusable_rows.values(), *problems]),
        texts=sheet.texts,
        measures=measures,
        scored=scored,
        diversity=diversity,
        phrases=phrases,
        ids=ids,
        text_counts=_text_counts(measures, diversity, number),
    )
    return Noted(result, (*problems, *_short_texts(measures, options)))


def _measured(
    sheet: TextSheet, options: EntropyOptions, spread: Spread
) -> tuple[SheetMeasures, Texts, CorpusDiversity, int]:
    """Return what each text is measured to be, what it repeats, and the diversity of how many texts."""
    rules = TextRules.of(options)
    encoder, corpus, measures = rules.encoder(), Corpus(), SheetMeasures()
    phrases = TextWriter(ByteStore())
    blocks = sheet.blocks()
    if spread.at_once(len(blocks)) > 1:
        # the code of a word is by the first text that has it, and the last digits of sums are by the order of codes: so
        # whoever takes a block must know the words of all blocks before
        uncounted = [block.unscored() for block in blocks]
        for words in spread(lambda block: encoder.new_words(list(block.usable())), uncounted):
            encoder.learn(words)
    for block, part in zip(blocks, spread(lambda block: _measured_block(block, encoder, rules), blocks), strict=True):
        measures.add(part.measures)
        phrases.add(part.phrases)
        corpus.add(list(block.usable()), part.words)
    diversity = corpus.diversity(options.seed)
    return measures, phrases.texts(), diversity, corpus.number


class _MeasuredBlock(NamedTuple):
    """What some texts came to: their measures, what each repeats, and their words."""

    measures: TextMeasures
    phrases: list[str]
    words: CountedWords


def _measured_block(sheet: TextSheet, encoder: WordEncoder, rules: TextRules) -> _MeasuredBlock:
    block = encoder.block(list(sheet.usable()))
    counter = NgramCounter(block.words)
    return _MeasuredBlock(
        block_measures(block, counter, rules), repeated_phrases(counter, encoder), CountedWords.of(block, counter)
    )


def _short_texts(measures: SheetMeasures, options: EntropyOptions) -> tuple[Problem, ...]:
    """Return a note on texts that fill no window."""
    scored = int(measures.scored.sum())
    short = scored - int((measures.array(WORDS.field) >= options.window).sum())
    if not short:
        return ()
    which = "the text has" if scored == 1 else f"all {scored:,} texts have" if short == scored else ""
    which = which or f"{short:,} of {scored:,} texts {'has' if short == 1 else 'have'}"
    message = (
        f"{which} fewer than {options.window} words and no {ENTROPY_AT_LENGTH.name}; {flag('window N')} sets another "
        "length"
    )
    return (note("short-text", message),)


def _text_counts(measures: SheetMeasures, diversity: CorpusDiversity, texts: int) -> TextCounts:
    scored = measures.scored
    at_length, semantic, bigram, trigram = (
        int((~np.isnan(measures.array(measure.field)[scored])).sum())
        for measure in (ENTROPY_AT_LENGTH, SEMANTIC_DIVERSITY, BIGRAM_ENTROPY, TRIGRAM_ENTROPY)
    )
    with_runs = int((measures.array(WORDS.field) >= 4).sum())
    return TextCounts(
        at_length=at_length,
        semantic=semantic,
        bigram=bigram,
        trigram=trigram,
        self_repetition=0 if math.isnan(diversity.self_repetition) else with_runs,
        vendi=min(texts, VENDI_TEXTS) if texts > 1 else 0,
    )


def _without_words(row: int, text: str) -> Problem:
    wordless = "the text has no words (single letters and signs are none), there is nothing to measure"
    return unscored_row("empty-text", wordless if text.strip() else "the text is empty", row=row, column=TEXT.name)
