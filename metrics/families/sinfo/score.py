"""Scoring the rows of one sheet: which reference, which score, and what is wrong with the rows that get none."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, NumberColumn
from scoresheet.metrics.families.sinfo.audit import MAX_WORDS, AuditPair, AuditSample
from scoresheet.metrics.families.sinfo.components import component
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.measures import BANDS, BREVITY, P_ROUGE, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import SelectedReferences
from scoresheet.metrics.families.sinfo.s_info import Score, score_against
from scoresheet.metrics.families.sinfo.schema import IDIOM, PREDICTION
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import loosest_key
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import InputError, Noted, Problem, note, row_messages, unscored_row
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.text.rouge_l import Text, rouge_l_precision
from scoresheet.metrics.units import Units

Floats = NDArray[np.float64]

_LANGUAGE: Final = "language"
_NO_SCORE: Final = Score(math.nan, math.nan, math.nan, None)


class _Row(NamedTuple):
    """A row as scored, with the references it was held to.

    The prediction's words are not kept: a sheet of them would push each other out of the processor's cache.
    """

    words: int  # of the longest text that was compared
    selected: SelectedReferences
    score: Score
    problem: Problem | None


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
    problems: list[Problem]


def score_sheet(
    sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions, spread: Spread = IN_TURN
) -> Noted[SinfoSheet]:
    """Return the scores of a sheet's rows, with the problems and the audit's sample."""
    sheet, matches = _loosely_matched(sheet, context) if options.match == "loose" else (sheet, [])
    blocks = list(spread(lambda block: _scored_block(block, context, options), sheet.blocks()))
    problems = [problem for block in blocks for problem in block.problems]
    missing = [problem for problem in problems if problem.kind != _LANGUAGE]
    if missing and options.missing == "error":
        raise InputError(_missing_refused(missing[0], len(missing)))
    notes = [*matches, *_language_notes(sheet.row_numbers, Coded.joined([block.ambiguities for block in blocks]))]
    p_rouge, words = (
        np.concatenate(columns) for columns in zip(*((each.p_rouge, each.words) for each in blocks), strict=True)
    )
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
        joined=sum(key in context.keys for key in sheet.keys),
        keys=sheet.keys,
        references=Coded.joined([block.references for block in blocks]),
        predictions=sheet.predictions,
        bands=Coded.joined([block.bands for block in blocks]),
        components=Coded.joined([block.components for block in blocks]),
        languages=Coded.joined([block.languages for block in blocks]),
        reference_counts=Coded.joined([block.reference_counts for block in blocks]),
        sample=_audit_sample(sheet, p_rouge, words, context, options),
    )
    return Noted(scored, (*problems, *notes))


def _scored_block(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> _Block:
    """Return what some rows of a sheet come to, each by itself."""
    rows = list(_rows(sheet, context, options))
    zero = 0.0 if options.missing == "zero" else math.nan
    values = [zero if row.problem and row.problem.kind != _LANGUAGE else row.score.s_info for row in rows]
    return _Block(
        p_rouge=np.array([row.score.p_rouge for row in rows], dtype=np.float64),
        brevity=np.array([row.score.bp for row in rows], dtype=np.float64),
        s_info=np.array(values, dtype=np.float64),
        references=Coded.of(map(_reference_text, rows)),
        bands=Coded.of(band(value, BANDS) for value in values),
        components=Coded.of(component(row.score.p_rouge, row.score.bp, options.component_edge) for row in rows),
        languages=Coded.of(row.selected.languages for row in rows),
        reference_counts=Coded.of(len(row.selected.references) for row in rows),
        ambiguities=Coded.of(row.selected.ambiguity for row in rows),
        words=np.array([row.words for row in rows], dtype=np.int64),
        problems=[row.problem for row in rows if row.problem],
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


def _rows(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> Iterator[_Row]:
    selector, unusable = context.selector, sheet.unusable_rows
    tokenizer, rouge, length, references_by = options.tokenizer, options.rouge, options.length, options.references_by
    changed = options.lowercase or options.strip_punctuation
    for number, key, idiom, prediction in zip(
        sheet.row_numbers, sheet.keys, sheet.idioms, sheet.predictions, strict=True
    ):
        text = Text(options.compared(prediction) if changed else prediction, tokenizer)
        references = selector.references(key)
        if number in unusable:
            yield _Row(0, SelectedReferences.of(references[:1]), _NO_SCORE, None)
        elif text.wordless:
            problem = _wordless_prediction(number, text, options)
            yield _Row(0, SelectedReferences.of(references[:1]), _NO_SCORE, problem)
        elif not references:
            problem = _no_reference(number, idiom.strip(), key, context, options)
            yield _Row(0, SelectedReferences.of(()), _NO_SCORE, problem)
        else:
            selected = selector.selected(text, key)
            if selected.mismatch and options.language_mismatch == "unscored":
                yield _Row(0, selected, _NO_SCORE, unscored_row(_LANGUAGE, selected.ambiguity, row=number))
                continue
            score = score_against(text, selected.texts, rouge=rouge, length=length, references_by=references_by)
            words = text.words.count
            yield _Row(words if words > selected.words else selected.words, selected, score, None)


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


def _reference_text(row: _Row) -> str:
    references, winner = row.selected.references, row.score.winner
    if winner is not None:
        return references[winner].text.text
    return " || ".join(each.text.text for each in references)


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
    sheet: PredictionSheet, p_rouge: Floats, words: NDArray[np.int64], context: SinfoContext, options: SinfoOptions
) -> AuditSample:
    """Return the scored pairs with the lowest draws; any process may score a sheet, the draws stay the same."""
    if not options.audits:
        return AuditSample((), 0)
    rng = random.Random(f"{options.seed}|{sheet.model}|{sheet.name}".encode(errors="surrogatepass"))
    eligible = ~np.isnan(p_rouge)
    short = eligible & (words <= MAX_WORDS)
    draws = (
        (rng.random(), place) for place in range(len(p_rouge))
    )  # one for each row, whether it may be chosen or not
    pairs = [
        AuditPair(draw, f"{sheet.source}[{sheet.name}] row {sheet.row_numbers[place]}", *pair)
        for draw, place in heapq.nsmallest(options.audit, compress(draws, short.tolist()))
        for pair in _pairs(sheet.part(slice(place, place + 1)), context, options)
    ]
    return AuditSample(tuple(pairs), int(eligible.sum()) - int(short.sum()))


def _pairs(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> Iterator[tuple[str, str, float]]:
    """Yield the pair whose precision a row's report shows, or each of them where it shows their mean."""
    prediction = Text(options.compared(sheet.predictions[0]), options.tokenizer)
    (row,) = _rows(sheet, context, options)
    texts, winner = row.selected.texts, row.score.winner
    for text in texts if winner is None else texts[winner : winner + 1]:
        precision = row.score.p_rouge if winner is not None else rouge_l_precision(prediction, text)
        yield prediction.spaced(), text.spaced(), precision
