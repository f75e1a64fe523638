"""Scoring the rows of one sheet: which reference, which score, and what is wrong with the rows that get none."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress, repeat, starmap
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, NumberColumn
from scoresheet.metrics.families.sinfo.audit import MAX_WORDS, AuditOffer, OfferedRow
from scoresheet.metrics.families.sinfo.components import COMPONENTS, component_codes
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.measures import BANDS, BREVITY, P_ROUGE, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import Asked, SelectedReferences
from scoresheet.metrics.families.sinfo.row_scores import Floats, Integers, RowScores, row_scores
from scoresheet.metrics.families.sinfo.schema import IDIOM, PREDICTION
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.keys import loosest_key
from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import InputError, Noted, Problem, note, row_messages, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.stats.bands import band_codes
from scoresheet.metrics.text.rouge_tokenizer import is_wordless
from scoresheet.metrics.units import Units

_LANGUAGE: Final = "language"
_BANDS: Final = (*(name for _, name in BANDS), "")  # by their codes; the last of a row without a score
_COMPONENTS: Final = (*COMPONENTS, "")


class _HeldTo(NamedTuple):
    """What the rows of a block are held to."""

    selected: Coded[SelectedReferences]
    is_scored: NDArray[np.bool_]
    problems: list[Problem]  # of the rows that are not


@dataclass(frozen=True, kw_only=True)
class SinfoSheet(ScoredSheet):
    """The scores of a sheet's rows, and what a page shows beside them."""

    keys: Sequence[str]
    references: Sequence[str]  # the text that gave the score, or all of them
    predictions: Sequence[str]
    bands: Coded[str]
    components: Coded[str]  # what precision and brevity say together
    languages: Sequence[str]
    reference_counts: Sequence[int]
    offer: AuditOffer

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

    scores: RowScores
    s_info: Floats  # with what stands for a missing score
    references: Coded[str]
    languages: Coded[str]
    reference_counts: Coded[int]
    ambiguities: Coded[str]
    longest: Integers  # words of the longest text that was compared, row by row
    problems: list[Problem]


def score_sheet(
    sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions, spread: Spread = IN_TURN
) -> Noted[SinfoSheet]:
    """Return the scores of a sheet's rows, with the problems and what is offered to the audit."""
    sheet, matches = _loosely_matched(sheet, context) if options.match == "loose" else (sheet, [])
    blocks = spread(lambda block: _scored_block(block, context, options), sheet.blocks())
    texts: dict[str, str] = {}  # of references: another process's come with each of its blocks, over and over
    block = _joined([own._replace(references=own.references.sharing(texts)) for own in blocks])
    missing = [problem for problem in block.problems if problem.kind != _LANGUAGE]
    if missing and options.missing == "error":
        raise InputError(_missing_refused(missing[0], len(missing)))
    notes = [*matches, *_language_notes(sheet.row_numbers, block.ambiguities)]
    scores = block.scores
    components = component_codes(scores.p_rouge, scores.bp, options.component_edge)
    scored = SinfoSheet(
        name=sheet.name,
        rows=sheet.rows,
        units=Units(
            keys={IDIOM.name: sheet.idioms},
            measures={
                P_ROUGE.name: NumberColumn(scores.p_rouge),
                BREVITY.name: NumberColumn(scores.bp),
                S_INFO.name: NumberColumn(block.s_info),
            },
            rows=sheet.row_numbers,
        ),
        row_problems=row_messages([*sheet.unusable_rows.values(), *block.problems, *notes]),
        joined=_joined_rows(sheet.keys, context.keys),
        keys=sheet.keys,
        references=block.references,
        predictions=sheet.predictions,
        bands=Coded.of_codes(_BANDS, band_codes(block.s_info, BANDS)),
        components=Coded.of_codes(_COMPONENTS, components),
        languages=block.languages,
        reference_counts=block.reference_counts,
        offer=_audit_offer(sheet, block, options),
    )
    return Noted(scored, (*block.problems, *notes))


def _joined(blocks: Sequence[_Block]) -> _Block:
    """Return the blocks of a sheet as one."""
    if len(blocks) == 1:
        return blocks[0]
    return _Block(
        scores=RowScores(*map(np.concatenate, zip(*(block.scores for block in blocks), strict=True))),
        s_info=np.concatenate([block.s_info for block in blocks]),
        references=Coded.joined([block.references for block in blocks]),
        languages=Coded.joined([block.languages for block in blocks]),
        reference_counts=Coded.joined([block.reference_counts for block in blocks]),
        ambiguities=Coded.joined([block.ambiguities for block in blocks]),
        longest=np.concatenate([block.longest for block in blocks]),
        problems=[problem for block in blocks for problem in block.problems],
    )


def _joined_rows(keys: Sequence[str], known: frozenset[str]) -> int:
    """Return how many rows have a key that is known."""
    if not isinstance(keys, Coded):
        return sum(map(known.__contains__, keys))
    return int(np.array([key in known for key in keys.values], dtype=np.int64)[keys.codes].sum()) if len(keys) else 0


def _scored_block(sheet: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> _Block:
    """Return what some rows of a sheet come to, each by itself."""
    is_changed = options.lowercase or options.strip_punctuation
    texts = list(map(str.strip, map(options.compared, sheet.predictions) if is_changed else sheet.predictions))
    selected, is_scored, problems = _held_to(sheet, texts, context, options)
    wanted = Coded([each.texts for each in selected.values], selected.codes)
    if is_scored.all():
        scores = row_scores(texts, wanted, options)
    else:
        places = np.flatnonzero(is_scored)
        own = wanted.take(places).present()
        scores = RowScores.none(len(texts))
        scores.put(places, row_scores([texts[place] for place in places.tolist()], own, options))
    s_info = scores.s_info
    if options.missing == "zero":
        missing = {each.row for each in problems if each.kind != _LANGUAGE}
        s_info = np.where([number in missing for number in sheet.row_numbers], 0.0, s_info)
    longest = np.array([each.words for each in selected.values], dtype=np.int64)[selected.codes]
    return _Block(
        scores=scores,
        s_info=s_info,
        references=_reference_texts(selected, scores.winners),
        languages=selected.mapped(attrgetter("languages")),
        reference_counts=wanted.mapped(len),
        ambiguities=selected.mapped(attrgetter("ambiguity")),
        longest=np.maximum(longest, scores.words),
        problems=problems,
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


def _held_to(sheet: PredictionSheet, texts: Sequence[str], context: SinfoContext, options: SinfoOptions) -> _HeldTo:
    """Return which references each row is held to, and what is wrong with the rows that get no score."""
    selector, unusable = context.selector, sheet.unusable_rows
    clues: list[str | None] = [*selector.clues(texts)]
    wordless = set(compress(range(len(texts)), map(is_wordless, texts)))
    lost = set(compress(range(len(texts)), map(unusable.__contains__, sheet.row_numbers))) if unusable else set()
    for place in wordless | lost:
        clues[place] = None
    asked = _asked(sheet.keys, clues)
    selected = selector.selections(asked.values)
    good = [each.usable for each in selected]
    if options.language_mismatch == "unscored":
        good = [each.usable and not each.mismatch for each in selected]
    held_to = Coded(selected, asked.codes)
    is_scored = np.array(good, dtype=np.bool_)[asked.codes]
    problems = []
    for place in np.flatnonzero(~is_scored).tolist():
        number, key, each = sheet.row_numbers[place], sheet.keys[place], held_to[place]
        if place in lost:
            continue
        if place in wordless:
            problems.append(_wordless_prediction(number, texts[place], options))
        elif each.mismatch:
            problems.append(unscored_row(_LANGUAGE, each.ambiguity, row=number))
        else:
            problems.append(_no_reference(number, sheet.idioms[place].strip(), key, context, options))
    return _HeldTo(held_to, is_scored, problems)


def _asked(keys: Sequence[str], clues: Sequence[str | None]) -> Coded[Asked]:
    """Return the key of each row with what its references are selected by."""
    if isinstance(keys, Coded) and len(set(clues)) == 1:  # a sheet is mostly in one script
        own = keys.present()
        return Coded([*zip(own.values, repeat(clues[0]))], own.codes)
    return Coded.of(zip(keys, clues, strict=True))


def _counted_as_zero(options: SinfoOptions) -> str:
    return "; counted as 0" if options.missing == "zero" else ""


def _wordless_prediction(row: int, text: str, options: SinfoOptions) -> Problem:
    message = "the prediction is wordless, there is nothing to score" if text else "the prediction is empty"
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


def _reference_texts(selected: Coded[SelectedReferences], winners: Integers) -> Coded[str]:
    """Return the text that gave each row its score, or all of them."""
    if all(len(each.texts) <= 1 for each in selected.values):
        return selected.mapped(attrgetter("shown"))
    return Coded.of(
        each.shown if winner < 0 else each.texts[winner].text
        for each, winner in zip(selected, winners.tolist(), strict=True)
    )


def _language_notes(numbers: Sequence[int], ambiguities: Coded[str]) -> list[Problem]:
    """Return one note per kind of ambiguity, not one per row: a whole sheet usually shares it."""
    if not any(ambiguities.values):
        return []
    counted = np.bincount(ambiguities.codes, minlength=len(ambiguities.values)).tolist()
    first = [int(np.argmax(ambiguities.codes == code)) for code in range(len(counted))]
    return [
        note(_LANGUAGE, f"{why}: all of these references were used in {count} rows, first in row {numbers[place]}")
        for why, count, place in zip(ambiguities.values, counted, first, strict=True)
        if why
    ]


def _audit_offer(sheet: PredictionSheet, block: _Block, options: SinfoOptions) -> AuditOffer:
    """Return the scored rows with the lowest draws; any process may score a sheet, the draws stay the same."""
    if not options.audits:
        return AuditOffer(sheet.source, (), 0)
    rng = random.Random(f"{options.seed}|{sheet.model}|{sheet.name}".encode(errors="surrogatepass"))
    # one for each row, whether it may be chosen or not
    draws = np.array([rng.random() for _ in sheet.row_numbers], dtype=np.float64)
    eligible = ~np.isnan(block.scores.p_rouge)
    short = np.flatnonzero(eligible & (block.longest <= MAX_WORDS))
    lowest = short[np.argsort(draws[short], kind="stable")[: options.audit]]
    rows = zip(draws[lowest].tolist(), lowest.tolist(), block.scores.winners[lowest].tolist(), strict=True)
    return AuditOffer(sheet.source, tuple(starmap(OfferedRow, rows)), int(eligible.sum()) - len(short))
