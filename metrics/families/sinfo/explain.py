"""How the score of one row came about: the words in common, the lengths, and the reference that won."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.families.sinfo.components import component
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.measures import BANDS, BREVITY, P_ROUGE, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.s_info import length_penalty, score_against, text_length
from scoresheet.metrics.families.sinfo.score import score_sheet
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.text.lcs import Positions, lcs_pairs, words_of_union
from scoresheet.metrics.text.rouge_l import Text, precision


@dataclass(frozen=True)
class MarkedWord:
    """A word, and whether it is in the common subsequence."""

    word: str
    common: bool


@dataclass(frozen=True)
class ReferencePart:
    """What the prediction gets against one reference."""

    language: str
    prediction: tuple[MarkedWord, ...]
    reference: tuple[MarkedWord, ...]
    matched: int  # what precision counts, over `of`: distinct words, words, or distinct characters
    of: int
    p_rouge: float
    c: int  # length of the prediction
    r: int  # and of the reference
    is_short: bool  # c < r: the penalty is exp(1 - r/c), else 1
    bp: float
    s_info: float
    won: bool


@dataclass(frozen=True, kw_only=True)
class SinfoExplanation(Explanation):
    """How one row came to its score."""

    idiom: str
    rouge: str  # the definition of precision
    tokenizer: str
    length: str  # what lengths are counted in
    references_by: str
    references: tuple[ReferencePart, ...]  # those that the prediction was held to
    left_out: int  # references of the idiom in other languages
    band: str
    component: str
    problem: str = ""  # what was said of the row, or why it has no score


def explain_row(
    sheets: Sequence[PredictionSheet], context: SinfoContext, options: SinfoOptions, unit: UnitName
) -> SinfoExplanation:
    """Return how the score of a row came about; NoSuchUnit if no sheet has it."""
    sheet = _only_row(sheets, unit)
    scored = score_sheet(sheet, context, options).value
    values = {name: column[0] for name, column in scored.units.measures.items()}
    key, prediction = scored.keys[0], Text(options.compared(sheet.predictions[0]), options.tokenizer)
    known = context.selector.references(key)
    parts: tuple[ReferencePart, ...] = ()
    if known and not prediction.wordless and not math.isnan(scored.units.array(P_ROUGE.name)[0]):
        selected = context.selector.selected(prediction, key)
        winner = score_against(
            prediction,
            selected.texts,
            rouge=options.rouge,
            length=options.length,
            references_by=options.references_by,
        ).winner
        parts = tuple(
            _part(prediction, each.text, each.language, options, won=place == winner)
            for place, each in enumerate(selected.references)
        )
    p_rouge, bp, s_info = (float(scored.units.array(each.name)[0]) for each in (P_ROUGE, BREVITY, S_INFO))
    return SinfoExplanation(
        measures=values,
        idiom=sheet.idioms[0],
        rouge=options.rouge,
        tokenizer=options.tokenizer,
        length=options.length,
        references_by=options.references_by,
        references=parts,
        left_out=len({each.text.text for each in known}) - len(parts) if parts else 0,
        band=band(s_info, BANDS),
        component=component(p_rouge, bp, options.component_edge),
        problem=scored.row_problems.get(sheet.row_numbers[0], ""),
    )


def _only_row(sheets: Sequence[PredictionSheet], unit: UnitName) -> PredictionSheet:
    """Return the sheet of a unit with its row alone."""
    for sheet in sheets:
        if sheet.name == unit.sheet and unit.row is not None and unit.row in sheet.row_numbers:
            place = list(sheet.row_numbers).index(unit.row)
            return sheet.part(slice(place, place + 1))
    raise NoSuchUnit(unit)


def _part(prediction: Text, reference: Text, language: str, options: SinfoOptions, *, won: bool) -> ReferencePart:
    p_rouge, bp = precision(prediction, reference, options.rouge), length_penalty(prediction, reference, options.length)
    c, r = (text_length(text, options.length) for text in (prediction, reference))
    left, right, of = _marked(prediction, reference, options.rouge)
    matched = sum(word.common for word in left) if options.rouge == "lin" else _types(left)
    return ReferencePart(
        language, left, right, matched, of, p_rouge, c, r, is_short=c < r, bp=bp, s_info=bp * p_rouge, won=won
    )


def _types(words: Sequence[MarkedWord]) -> int:
    return len({word.word for word in words if word.common})


def _marked(
    prediction: Text, reference: Text, rouge: str
) -> tuple[tuple[MarkedWord, ...], tuple[MarkedWord, ...], int]:
    """Return the words of both texts, marked, and how many of the prediction's precision is a share of."""
    if rouge == "lin":
        left, right = prediction.tokens(), reference.tokens()
        pairs = lcs_pairs(left, right)
        ours, theirs = ({pair[side] for pair in pairs} for side in (0, 1))
        return _by_place(left, ours), _by_place(right, theirs), len(left)
    if rouge == "charset":
        common = frozenset(prediction.text) & frozenset(reference.text)
        return (
            _by_word(list(prediction.text), common),
            _by_word(list(reference.text), common),
            len(set(prediction.text)),
        )
    common = words_of_union(prediction.sentences, Positions.of(reference.sentences))
    left, right = ([word for sentence in text.sentences for word in sentence] for text in (prediction, reference))
    return _by_word(left, common), _by_word(right, common), prediction.words.types


def _by_place(words: Sequence[str], common: set[int]) -> tuple[MarkedWord, ...]:
    return tuple(MarkedWord(word, place in common) for place, word in enumerate(words))


def _by_word(words: Sequence[str], common: frozenset[str]) -> tuple[MarkedWord, ...]:
    return tuple(MarkedWord(word, word in common) for word in words)
