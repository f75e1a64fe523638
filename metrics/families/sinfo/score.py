"""Scoring the rows of one sheet: which reference, which score, and what is wrong with the rows that get none."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, NumberColumn
from scoresheet.metrics.families.sinfo.audit import MAX_WORDS, AuditPair, AuditSample
from scoresheet.metrics.families.sinfo.components import COMPONENTS, component_codes
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.measures import BANDS, BREVITY, P_ROUGE, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import SelectedReferences
from scoresheet.metrics.families.sinfo.s_info import Score, scores_against
from scoresheet.metrics.families.sinfo.schema import IDIOM, PREDICTION
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import loosest_key
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import InputError, Noted, Problem, note, row_messages, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.stats.bands import band_codes
from scoresheet.metrics.text.rouge_l import Text, rouge_l_precision
from scoresheet.metrics.units import Units

Floats = NDArray[np.float64]

_LANGUAGE: Final = "language"
_NO_SCORE: Final = Score(math.nan, math.nan, math.nan, None)
_BANDS: Final = (*(name for _, name in BANDS), "")  # by their codes; the last of a row without a score
_COMPONENTS: Final = (*COMPONENTS, "")


class _Rows(NamedTuple):
    """The rows of a block as scored, in lists of one length."""

    selected: list[SelectedReferences]  # the references that each was held to
    scores: list[Score]
    words: list[int]  # of the longest text that was compared
    problems: dict[int, Problem]  # by place


@dataclass(frozen=True, kw_only=True)
class SinfoSheet(ScoredSheet):
    """The scores of a sheet's rows, and what a page shows beside them."""

    keys: Sequence[str]
    references: Sequence[str]  # the text that gave the score, or all of them
    predictions: Sequence[str]
    bands: Sequence[str]
    components: Sequence[str]  # what precision and brevity say together
    languages: Sequence[str]
    reference_counts: Sequence[int]
    sample: AuditSample

    @property
    def row_labels(self) -> Mapping[str, Sequence[str]]:
        """The language of the references that each row was held to."""
        return {_LANGUAGE: self.languages}

    @property
    def computed(self) -> int:
        """How many rows have a computed score; one counted as zero has none."""
        return int(np.count_nonzero(~np.isnan(self.units.array(P_ROUGE.name))))

    @property
    def scored(self) -> int:
        """How many rows are in the mean."""
        return int(np.count_nonzero(~np.isnan(self.units.array(S_INFO.name))))


class _Block(NamedTuple):
    """What the rows of a block come to, in columns."""

    p_rouge: Floats
    brevity: Floats
    s_info: Floats
    references: Coded[str]
    bands: Coded[str]
    components: Coded[str]
    languages: Coded[str]
    reference_counts: Coded[int]
    ambiguities: Coded[str]
    words: NDArray[np.int64]  # of the longest text that was compared, row by row
    winners: NDArray[np.int64]  # which of the references gave the score; -1 where it is the mean of several, or none
    problems: list[Problem]


def score_sheet(
    sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions, spread: Spread = IN_TURN
) -> Noted[SinfoSheet]:
    """Return the scores of a sheet's rows, with the problems and the audit's sample."""
    sheet, matches = _loosely_matched(sheet, context) if options.match == "loose" else (sheet, [])
    found = spread(lambda block: _scored_block(block, context, options), sheet.blocks())
    texts: dict[
        str, str
    ] = {}  # of references: those that another process scored by came with its blocks, over and over
    blocks = [block._replace(references=block.references.sharing(texts)) for block in found]
    problems = [problem for block in blocks for problem in block.problems]
    missing = [problem for problem in problems if problem.kind != _LANGUAGE]
    if missing and options.missing == "error":
        raise InputError(_missing_refused(missing[0], len(missing)))
    notes = [*matches, *_language_notes(sheet.row_numbers, Coded.joined([block.ambiguities for block in blocks]))]
    p_rouge = np.concatenate([block.p_rouge for block in blocks])
    scored = SinfoSheet(
        name=sheet.name,
        rows=sheet.rows,
        units=Units(
            keys={IDIOM.name: sheet.idioms},
            measures={
                P_ROUGE.name: NumberColumn(p_rouge),
                BREVITY.name: NumberColumn(np.concatenate([block.brevity for block in blocks])),
                S_INFO.name: NumberColumn(np.concatenate([block.s_info for block in blocks])),
            },
            rows=sheet.row_numbers,
        ),
        row_problems=row_messages([*sheet.unusable_rows.values(), *problems, *notes]),
        joined=sum(map(context.keys.__contains__, sheet.keys)),
        keys=sheet.keys,
        references=Coded.joined([block.references for block in blocks]),
        predictions=sheet.predictions,
        bands=Coded.joined([block.bands for block in blocks]),
        components=Coded.joined([block.components for block in blocks]),
        languages=Coded.joined([block.languages for block in blocks]),
        reference_counts=Coded.joined([block.reference_counts for block in blocks]),
        sample=_audit_sample(sheet, blocks, context, options),
    )
    return Noted(scored, (*problems, *notes))


def _scored_block(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> _Block:
    """Return what some rows of a sheet come to, each by itself."""
    rows = _rows(sheet, context, options)
    p_rouge, brevity, s_info = (
        np.array([score[place] for score in rows.scores], dtype=np.float64) for place in range(3)
    )
    if options.missing == "zero":
        s_info[[place for place, problem in rows.problems.items() if problem.kind != _LANGUAGE]] = 0.0
    return _Block(
        p_rouge=p_rouge,
        brevity=brevity,
        s_info=s_info,
        references=Coded.of(map(_reference_text, rows.selected, rows.scores)),
        bands=Coded.of_codes(_BANDS, band_codes(s_info, BANDS)),
        components=Coded.of_codes(_COMPONENTS, component_codes(p_rouge, brevity, options.component_edge)),
        languages=Coded.of([each.languages for each in rows.selected]),
        reference_counts=Coded.of([len(each.references) for each in rows.selected]),
        ambiguities=Coded.of([each.ambiguity for each in rows.selected]),
        words=np.array(rows.words, dtype=np.int64),
        winners=np.array([-1 if score.winner is None else score.winner for score in rows.scores], dtype=np.int64),
        problems=list(rows.problems.values()),
    )


def _loosely_matched(sheet: PredictionSheet, context: SinfoContext) -> tuple[PredictionSheet, list[Problem]]:
    """Return the sheet with the keys of the references that its own differ from only loosely, each listed."""
    keys, notes = list(sheet.keys), []
    for place, (row, key) in enumerate(zip(sheet.row_numbers, sheet.keys, strict=True)):
        near = "" if key in context.keys else context.near_keys.get(loosest_key(key), "")
        if near:
            keys[place] = near
            notes.append(note("loose-match", f"{key!r} was taken for {near!r}", row=row, column=IDIOM.name))
    return replace(sheet, keys=keys), notes


def _rows(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> _Rows:
    """Return the rows as scored: first which references each is held to, then the scores of all at once."""
    selector, unusable = context.selector, sheet.unusable_rows
    tokenizer, changed = options.tokenizer, options.lowercase or options.strip_punctuation
    selected: list[SelectedReferences] = []
    problems: dict[int, Problem] = {}
    places: list[int] = []  # of the rows that get a score
    texts: list[Text] = []
    for place, (number, key, idiom, prediction) in enumerate(
        zip(sheet.row_numbers, sheet.keys, sheet.idioms, sheet.predictions, strict=True)
    ):
        text = Text(options.compared(prediction) if changed else prediction, tokenizer)
        references = selector.references(key)
        if number in unusable or text.wordless or not references:
            selected.append(SelectedReferences.of(references[:1]))
            if number not in unusable:
                problems[place] = (
                    _wordless_prediction(number, text, options)
                    if text.wordless
                    else _no_reference(number, idiom.strip(), key, context, options)
                )
            continue
        held_to = selector.selected(text, key)
        selected.append(held_to)
        if held_to.mismatch and options.language_mismatch == "unscored":
            problems[place] = unscored_row(_LANGUAGE, held_to.ambiguity, row=number)
        else:
            places.append(place)
            texts.append(text)
    found = scores_against(
        texts,
        [selected[place].texts for place in places],
        rouge=options.rouge,
        length=options.length,
        references_by=options.references_by,
    )
    scores, words = [_NO_SCORE] * len(selected), [0] * len(selected)
    for place, (score, own) in zip(places, found, strict=True):
        scores[place] = score
        words[place] = max(own, selected[place].words)
    return _Rows(selected, scores, words, problems)


def _counted_as_zero(options: SinfoOptions) -> str:
    return "; counted as 0" if options.missing == "zero" else ""


def _wordless_prediction(row: int, text: Text, options: SinfoOptions) -> Problem:
    message = "the prediction is wordless, there is nothing to score" if text.text else "the prediction is empty"
    return unscored_row("empty-prediction", message + _counted_as_zero(options), row=row, column=PREDICTION.name)


def _no_reference(row: int, idiom: str, key: str, context: SinfoContext, options: SinfoOptions) -> Problem:
    known = key in context.keys
    message = f"the reference of {idiom!r} is empty or wordless" if known else f"no reference for {idiom!r}"
    near = "" if known else context.near_keys.get(loosest_key(key), "")
    message += f"; did you mean {near!r}? {flag('match loose')} takes it so" if near else ""
    return unscored_row("no-reference", message + _counted_as_zero(options), row=row, column=IDIOM.name)


def _missing_refused(first: Problem, count: int) -> Problem:
    others = f" (and {count - 1} more such rows)" if count > 1 else ""
    return Problem(
        kind=first.kind,
        message=f"{first.message}{others}; {flag('missing error')} refuses the model, {flag('missing nan')} leaves "
        "such rows out",
        effect="file skipped",
        row=first.row,
        column=first.column,
    )


def _reference_text(selected: SelectedReferences, score: Score) -> str:
    if score.winner is not None:
        return selected.texts[score.winner].text
    return " || ".join(each.text for each in selected.texts)


def _language_notes(numbers: Sequence[int], ambiguities: Coded[str]) -> list[Problem]:
    """Return one note per kind of ambiguity, not one per row: a whole sheet usually shares it."""
    counted = np.bincount(ambiguities.codes, minlength=len(ambiguities.values)).tolist()
    first = [int(np.argmax(ambiguities.codes == code)) for code in range(len(counted))]
    return [
        note(_LANGUAGE, f"{why}: all of these references were used in {count} rows, first in row {numbers[place]}")
        for why, count, place in zip(ambiguities.values, counted, first, strict=True)
        if why
    ]


def _audit_sample(
    sheet: PredictionSheet, blocks: Sequence[_Block], context: SinfoContext, options: SinfoOptions
) -> AuditSample:
    """Return the scored pairs with the lowest draws; any process may score a sheet, the draws stay the same."""
    if not options.audits:
        return AuditSample((), 0)
    rng = random.Random(f"{options.seed}|{sheet.model}|{sheet.name}".encode(errors="surrogatepass"))
    p_rouge, words, winners = (
        np.concatenate(columns)
        for columns in zip(*((each.p_rouge, each.words, each.winners) for each in blocks), strict=True)
    )
    eligible = ~np.isnan(p_rouge)
    short = eligible & (words <= MAX_WORDS)
    draws = (
        (rng.random(), place) for place in range(len(p_rouge))
    )  # one for each row, whether it may be chosen or not
    pairs = [
        AuditPair(draw, f"{sheet.source}[{sheet.name}] row {sheet.row_numbers[place]}", *pair)
        for draw, place in heapq.nsmallest(options.audit, compress(draws, short.tolist()))
        for pair in _pairs(sheet, place, int(winners[place]), float(p_rouge[place]), context, options)
    ]
    return AuditSample(tuple(pairs), int(eligible.sum()) - int(short.sum()))


def _pairs(
    sheet: PredictionSheet, place: int, winner: int, p_rouge: float, context: SinfoContext, options: SinfoOptions
) -> Iterator[tuple[str, str, float]]:
    """Yield the pair whose precision a row's report shows, or each of them where it shows their mean."""
    prediction = Text(options.compared(sheet.predictions[place]), options.tokenizer)
    texts = context.selector.selected(prediction, sheet.keys[place]).texts
    if winner >= 0:
        yield prediction.spaced(), texts[winner].spaced(), p_rouge
        return
    for text in texts:
        yield prediction.spaced(), text.spaced(), rouge_l_precision(prediction, text)
