"""How the measures of one text came about: which words and phrases repeat, and what each word adds to the entropy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.families.entropy.constants import REPEATED_SHARE, RUN_CHARACTERS, RUN_WORDS
from scoresheet.metrics.families.entropy.inputs import TextSheet
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.score import score_sheet
from scoresheet.metrics.families.entropy.text_measures import TextRules
from scoresheet.metrics.records import dataclass

_PHRASES: Final = (2, 3)  # words of the phrases that have an entropy of their own


@dataclass(frozen=True)
class WordCount:
    """A word: how often it stands in the text, its share, and what it adds to the entropy."""

    word: str
    count: int
    share: float
    bits: float  # -p·log2(p)


@dataclass(frozen=True)
class PhraseCount:
    """A phrase that stands in the text more than once."""

    phrase: str
    words: int
    count: int


@dataclass(frozen=True)
class WindowEntropy:
    """A window of the text, and its word entropy."""

    first: int  # word, from 1
    entropy: float


@dataclass(frozen=True, kw_only=True)
class EntropyExplanation(Explanation):
    """How one text came to its measures."""

    id: str
    tokenizer: str
    words: tuple[WordCount, ...]  # the commonest first
    phrases: tuple[PhraseCount, ...]  # repeated ones of two and three words, the commonest first
    longest_phrase: str  # the longest that is said twice, and how often
    window: int
    windows: tuple[WindowEntropy, ...]
    run: int  # words of a run that counts as repeated where it stood before
    repetitive_from: float  # the share of words in such runs from which on a text is repetitive
    repetition: str  # the rule of Repetitive
    problem: str = ""


def explain_text(sheets: Sequence[TextSheet], _: None, options: EntropyOptions, unit: UnitName) -> EntropyExplanation:
    """Return how the measures of a text came about; NoSuchUnit if no sheet has its row."""
    sheet = _only_row(sheets, unit)
    scored = score_sheet(sheet, options).value
    usable = sheet.texts[0] if sheet.row_numbers[0] not in sheet.unusable_rows else ""
    encoder = TextRules.of(options).encoder()
    block = encoder.block([usable])
    codes = block.words.codes.tolist()
    long = RUN_CHARACTERS if bool(block.by_character[0]) else RUN_WORDS
    return EntropyExplanation(
        measures={name: column[0] for name, column in scored.units.measures.items()},
        id=sheet.ids[0],
        tokenizer=options.tokenizer,
        words=tuple(
            WordCount(encoder.decode([code]), count, count / len(codes), _bits(count / len(codes)))
            for code, count in Counter(codes).most_common()
        ),
        phrases=tuple(
            PhraseCount(encoder.decode(phrase), n, count)
            for n in _PHRASES
            for phrase, count in Counter(zip(*(codes[start:] for start in range(n)), strict=False)).most_common()
            if count > 1
        ),
        longest_phrase=scored.phrases[0],
        window=options.window,
        windows=tuple(
            WindowEntropy(first + 1, _entropy(codes[first : first + options.window]))
            for first in range(0, len(codes) - options.window + 1, options.window)
        ),
        run=max(min(long, len(codes) // 2), 1),
        repetitive_from=REPEATED_SHARE,
        repetition=options.repetition,
        problem=scored.row_problems.get(sheet.row_numbers[0], ""),
    )


def _entropy(codes: Sequence[int]) -> float:
    return math.fsum(_bits(count / len(codes)) for count in Counter(codes).values())


def _bits(share: float) -> float:
    return -share * math.log2(share)


def _only_row(sheets: Sequence[TextSheet], unit: UnitName) -> TextSheet:
    """Return the sheet of a unit with its row alone."""
    for sheet in sheets:
        if sheet.name == unit.sheet and unit.row is not None and unit.row in sheet.row_numbers:
            place = list(sheet.row_numbers).index(unit.row)
            one = slice(place, place + 1)
            return replace(
                sheet, rows=1, row_numbers=sheet.row_numbers[one], ids=sheet.ids[one], texts=sheet.texts[one]
            )
    raise NoSuchUnit(unit)
