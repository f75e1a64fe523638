"""Scoring the rows of one sheet: which reference, which score, and what is wrong with the rows that get none."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from scoresheet.metrics.bands import band
from scoresheet.metrics.core import Detail, Joined
from scoresheet.metrics.problems import Problem, Refusal
from scoresheet.metrics.rouge_l import Text
from scoresheet.metrics.sinfo.audit import MAX_WORDS, AuditPair
from scoresheet.metrics.sinfo.density import Score, score_against
from scoresheet.metrics.sinfo.options import SinfoOptions
from scoresheet.metrics.sinfo.references import Choice, Reference, chosen, distinct
from scoresheet.metrics.tables import table

BANDS: Final = ((0.0, "low"), (0.5, "moderate"), (0.8, "high"))
_NO_SCORE: Final = Score(math.nan, math.nan, math.nan, None)


class Row(NamedTuple):
    """A row as scored; `choice` holds the references it was held to."""

    prediction: Text
    choice: Choice
    score: Score
    problem: Problem | None


@dataclass(frozen=True)
class Sample:
    """Scored pairs of one sheet offered to the audit, and how many rows were too long to offer."""

    pairs: tuple[AuditPair, ...]
    too_long: int


def scored_sheet(joined: Joined, prepared: Sequence[tuple[Reference, ...]], options: SinfoOptions) -> Detail:
    """Return the scores of a sheet's rows as a table, with the problems and the audit's sample."""
    frame = joined.sheet.frame
    rows = list(_rows(joined, prepared, options))
    problems = [row.problem for row in rows if row.problem]
    if problems and options.missing == "error":
        raise Refusal(_as_refusal(problems[0], len(problems)))
    zero = 0.0 if options.missing == "zero" else math.nan
    values = [zero if row.problem else row.score.s_info for row in rows]
    scored = table(
        {
            "Idiom": frame["Idiom"].tolist(),
            "Reference": [_shown(row) for row in rows],
            "Prediction": frame["Prediction"].tolist(),
            "P_ROUGE": [row.score.p_rouge for row in rows],
            "BP": [row.score.bp for row in rows],
            "S_Info": values,
            "Band": [band(value, BANDS) for value in values],
            "Language": [row.choice.languages() for row in rows],
            "References": [len(row.choice.references) for row in rows],
        },
        index=frame.index,
    )
    problems += _language_notes(frame.index.tolist(), rows)
    return Detail(joined.sheet, scored, tuple(problems), (_sample(joined, rows, options),))


def _rows(joined: Joined, prepared: Sequence[tuple[Reference, ...]], options: SinfoOptions) -> Iterator[Row]:
    frame = joined.sheet.frame
    known: dict[tuple[int, ...], tuple[Reference, ...]] = {}
    for number, prediction, matches in zip(frame.index, frame["Prediction"], joined.matches, strict=True):
        text = Text(prediction, options.tokenizer)
        if matches not in known:
            known[matches] = distinct(each for position in matches for each in prepared[position])
        references = known[matches]
        problem = None
        if number in joined.unsound:
            yield Row(text, Choice(references[:1]), _NO_SCORE, None)
        elif text.wordless or not references:
            problem = _missing(number, text, joined, options, matched=bool(matches))
            yield Row(text, Choice(references[:1]), _NO_SCORE, problem)
        else:
            choice = chosen(text, references, options.language)
            score = score_against(
                text,
                [each.text for each in choice.references],
                rouge=options.rouge,
                length=options.length,
                references_by=options.references_by,
            )
            yield Row(text, choice, score, None)


def _missing(row: int, text: Text, joined: Joined, options: SinfoOptions, *, matched: bool) -> Problem:
    counted = "; counted as 0" if options.missing == "zero" else ""
    if text.wordless:
        message = "the prediction is wordless, there is nothing to score" if text.text else "the prediction is empty"
        return Problem(
            kind="empty-prediction", message=message + counted, effect="row not scored", row=row, column="Prediction"
        )
    message = "the reference is empty or wordless" if matched else "no reference for this idiom"
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
    short = [draw for draw in eligible if _words(rows[draw[1]]) <= MAX_WORDS]
    pairs = [
        pair
        for draw, position in heapq.nsmallest(options.audit, short)
        for pair in _pairs(draw, joined.sheet.frame.index[position], joined, rows[position])
    ]
    return Sample(tuple(pairs), len(eligible) - len(short))


def _words(row: Row) -> int:
    return max(
        sum(map(len, text.sentences)) for text in (row.prediction, *(each.text for each in row.choice.references))
    )


def _pairs(draw: float, number: int, joined: Joined, row: Row) -> Iterator[AuditPair]:
    """Yield the pair whose precision is reported, or each of them where the report shows their mean."""
    from scoresheet.metrics.rouge_l import rouge_l_precision

    references, winner = row.choice.references, row.score.winner
    for each in references if winner is None else references[winner : winner + 1]:
        precision = row.score.p_rouge if winner is not None else rouge_l_precision(row.prediction, each.text)
        place = f"{joined.sheet.source}[{joined.sheet.name}] row {number}"
        yield AuditPair(draw, place, row.prediction.spaced(), each.text.spaced(), precision)
