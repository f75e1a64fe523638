"""Scoring the rows of one sheet: which reference, which score, and what is wrong with the rows that get none."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from scoresheet.metrics.core import Detail, Joined
from scoresheet.metrics.families.sinfo.audit import MAX_WORDS, AuditPair
from scoresheet.metrics.families.sinfo.density import Score, score_against
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import Choice, Chooser
from scoresheet.metrics.problems import InputError, Problem
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.tables import object_frame
from scoresheet.metrics.text.rouge_l import Text, rouge_l_precision

BANDS: Final = ((0.0, "low"), (0.5, "moderate"), (0.8, "high"))
_NO_SCORE: Final = Score(math.nan, math.nan, math.nan, None)


class Row(NamedTuple):
    """A row as scored; `choice` holds the references it was held to.

    The prediction's words are not kept: a sheet of them would push each other out of the processor's cache.
    """

    words: int  # of the longest text that was compared
    choice: Choice
    score: Score
    problem: Problem | None


@dataclass(frozen=True)
class Sample:
    """Scored pairs of one sheet offered to the audit, and how many rows were too long to offer."""

    pairs: tuple[AuditPair, ...]
    too_long: int


def scored_sheet(joined: Joined, chooser: Chooser, options: SinfoOptions) -> Detail:
    """Return the scores of a sheet's rows as a table, with the problems and the audit's sample."""
    frame = joined.sheet.frame
    rows = list(_rows(joined, chooser, options))
    problems = [row.problem for row in rows if row.problem]
    if problems and options.missing == "error":
        raise InputError(_as_refusal(problems[0], len(problems)))
    zero = 0.0 if options.missing == "zero" else math.nan
    values = [zero if row.problem else row.score.s_info for row in rows]
    scored = object_frame(
        {
            "Idiom": frame["Idiom"].tolist(),
            "Reference": [_shown(row) for row in rows],
            "Prediction": frame["Prediction"].tolist(),
            "P_ROUGE": [row.score.p_rouge for row in rows],
            "BP": [row.score.bp for row in rows],
            "S_Info": values,
            "Band": [band(value, BANDS) for value in values],
            "Language": [row.choice.languages for row in rows],
            "References": [len(row.choice.references) for row in rows],
        },
        index=frame.index,
    )
    problems += _language_notes(frame.index.tolist(), rows)
    return Detail(joined.sheet, scored, tuple(problems), (_sample(joined, rows, options),))


def _rows(joined: Joined, chooser: Chooser, options: SinfoOptions) -> Iterator[Row]:
    numbers, predictions = joined.sheet.frame.index.tolist(), joined.sheet.frame["Prediction"].tolist()
    for number, prediction, matches in zip(numbers, predictions, joined.matches, strict=True):
        text = Text(prediction, options.tokenizer)
        references = chooser.references(matches)
        if number in joined.unsound:
            yield Row(0, Choice.of(references[:1]), _NO_SCORE, None)
        elif text.wordless or not references:
            problem = _missing(number, text, joined, options, matched=bool(matches))
            yield Row(0, Choice.of(references[:1]), _NO_SCORE, problem)
        else:
            choice = chooser.choice(text, matches)
            score = score_against(
                text, choice.texts, rouge=options.rouge, length=options.length, references_by=options.references_by
            )
            yield Row(max(text.length(), choice.words), choice, score, None)


def _missing(row: int, text: Text, joined: Joined, options: SinfoOptions, *, matched: bool) -> Problem:
    counted = "; counted as 0" if options.missing == "zero" else ""
    if text.wordless:
        message = "the prediction is wordless, there is nothing to score" if text.text else "the prediction is empty"
        return Problem(
            kind="empty-prediction", message=message + counted, effect="row not scored", row=row, column="Prediction"
        )
    idiom = str(joined.sheet.frame.at[row, "Idiom"]).strip()
    message = f"the reference of {idiom!r} is empty or wordless" if matched else f"no reference for {idiom!r}"
    message += f"; did you mean {joined.hints[row]!r}?" if row in joined.hints else ""
    return Problem(kind="no-reference", message=message + counted, effect="row not scored", row=row, column="Idiom")


def _as_refusal(first: Problem, count: int) -> Problem:
    others = f" (and {count - 1} more such rows)" if count > 1 else ""
    return Problem(
        kind=first.kind,
        message=f"{first.message}{others}; --missing error refuses the model, --missing nan leaves such rows out",
        effect="file skipped",
        row=first.row,
        column=first.column,
    )


def _shown(row: Row) -> str:
    references, winner = row.choice.references, row.score.winner
    if winner is not None:
        return references[winner].text.text
    return " || ".join(each.text.text for each in references)


def _language_notes(numbers: Sequence[int], rows: Sequence[Row]) -> list[Problem]:
    """Return one note per kind of doubt, not one per row: a whole sheet usually shares it."""
    counted = Counter(row.choice.doubt for row in rows if row.choice.doubt)
    first = {row.choice.doubt: number for number, row in zip(reversed(numbers), reversed(rows), strict=True)}
    return [
        Problem(
            kind="language",
            message=f"{doubt}: all of these references were used in {count} rows, first in row {first[doubt]}",
            effect="note",
        )
        for doubt, count in counted.items()
    ]


def _sample(joined: Joined, rows: Sequence[Row], options: SinfoOptions) -> Sample:
    """Return the scored pairs with the lowest draws; any process may score a sheet, the draws stay the same."""
    if options.rouge != "rouge" or not options.audit:
        return Sample((), 0)
    place = f"{options.seed}|{joined.sheet.model}|{joined.sheet.name}"
    rng = random.Random(place.encode(errors="surrogatepass"))
    draws = [(rng.random(), position) for position in range(len(rows))]
    eligible = [draw for draw in draws if not math.isnan(rows[draw[1]].score.p_rouge)]
    short = [draw for draw in eligible if rows[draw[1]].words <= MAX_WORDS]
    predictions, numbers = joined.sheet.frame["Prediction"].tolist(), joined.sheet.frame.index
    pairs = [
        AuditPair(draw, f"{joined.sheet.source}[{joined.sheet.name}] row {numbers[position]}", *pair)
        for draw, position in heapq.nsmallest(options.audit, short)
        for pair in _pairs(Text(predictions[position], options.tokenizer), rows[position])
    ]
    return Sample(tuple(pairs), len(eligible) - len(short))


def _pairs(prediction: Text, row: Row) -> Iterator[tuple[str, str, float]]:
    """Yield the pair whose precision is reported, or each of them where the report shows their mean."""
    texts, winner = row.choice.texts, row.score.winner
    for text in texts if winner is None else texts[winner : winner + 1]:
        precision = row.score.p_rouge if winner is not None else rouge_l_precision(prediction, text)
        yield prediction.spaced(), text.spaced(), precision
