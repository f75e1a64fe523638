"""Scoring the rows of one sheet: which reference, which score, and what is wrong with the rows that get none."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

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
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.text.rouge_l import Text, rouge_l_precision
from scoresheet.metrics.units import Units

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


def score_sheet(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> Noted[SinfoSheet]:
    """Return the scores of a sheet's rows, with the problems and the audit's sample."""
    sheet, matches = _loosely_matched(sheet, context) if options.match == "loose" else (sheet, [])
    rows = list(_rows(sheet, context, options))
    problems = [row.problem for row in rows if row.problem]
    missing = [problem for problem in problems if problem.kind != _LANGUAGE]
    if missing and options.missing == "error":
        raise InputError(_missing_refused(missing[0], len(missing)))
    zero = 0.0 if options.missing == "zero" else math.nan
    values = [zero if row.problem and row.problem.kind != _LANGUAGE else row.score.s_info for row in rows]
    notes = [*matches, *_language_notes(sheet.row_numbers, rows)]
    scored = SinfoSheet(
        name=sheet.name,
        rows=sheet.rows,
        units=Units(
            keys={IDIOM.name: sheet.idioms},
            measures={
                P_ROUGE.name: [row.score.p_rouge for row in rows],
                BREVITY.name: [row.score.bp for row in rows],
                S_INFO.name: values,
            },
            rows=sheet.row_numbers,
        ),
        row_problems=row_messages([*sheet.unusable_rows.values(), *problems, *notes]),
        joined=sum(key in context.keys for key in sheet.keys),
        keys=sheet.keys,
        references=[_reference_text(row) for row in rows],
        predictions=sheet.predictions,
        bands=[band(value, BANDS) for value in values],
        components=[component(row.score.p_rouge, row.score.bp, options.component_edge) for row in rows],
        languages=[row.selected.languages for row in rows],
        reference_counts=[len(row.selected.references) for row in rows],
        sample=_audit_sample(sheet, rows, options),
    )
    return Noted(scored, (*problems, *notes))


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


def _language_notes(numbers: Sequence[int], rows: Sequence[_Row]) -> list[Problem]:
    """Return one note per kind of ambiguity, not one per row: a whole sheet usually shares it."""
    counted = Counter(row.selected.ambiguity for row in rows if row.selected.ambiguity)
    first = {row.selected.ambiguity: number for number, row in zip(reversed(numbers), reversed(rows), strict=True)}
    return [
        note(_LANGUAGE, f"{why}: all of these references were used in {count} rows, first in row {first[why]}")
        for why, count in counted.items()
    ]


def _audit_sample(sheet: PredictionSheet, rows: Sequence[_Row], options: SinfoOptions) -> AuditSample:
    """Return the scored pairs with the lowest draws; any process may score a sheet, the draws stay the same."""
    if not options.audits:
        return AuditSample((), 0)
    rng = random.Random(f"{options.seed}|{sheet.model}|{sheet.name}".encode(errors="surrogatepass"))
    draws = [(rng.random(), position) for position in range(len(rows))]
    eligible = [draw for draw in draws if not math.isnan(rows[draw[1]].score.p_rouge)]
    short = [draw for draw in eligible if rows[draw[1]].words <= MAX_WORDS]
    pairs = [
        AuditPair(draw, f"{sheet.source}[{sheet.name}] row {sheet.row_numbers[position]}", *pair)
        for draw, position in heapq.nsmallest(options.audit, short)
        for pair in _pairs(Text(options.compared(sheet.predictions[position]), options.tokenizer), rows[position])
    ]
    return AuditSample(tuple(pairs), len(eligible) - len(short))


def _pairs(prediction: Text, row: _Row) -> Iterator[tuple[str, str, float]]:
    """Yield the pair whose precision is reported, or each of them where the report shows their mean."""
    texts, winner = row.selected.texts, row.score.winner
    for text in texts if winner is None else texts[winner : winner + 1]:
        precision = row.score.p_rouge if winner is not None else rouge_l_precision(prediction, text)
        yield prediction.spaced(), text.spaced(), precision
