"""The scores of many predictions at once, in arrays: to the bit what `s_info` has for each of them by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.s_info import score_against, shortness_penalty, text_length
from scoresheet.metrics.text.kernel import Words, kernel
from scoresheet.metrics.text.rouge_l import Text, sources

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class RowScores(NamedTuple):
    """What each of many predictions gets."""

    p_rouge: Floats
    bp: Floats
    s_info: Floats
    winners: Integers  # which of its references gave the score; -1 where it is the mean of several, or none
    words: Integers  # of the prediction

    @classmethod
    def none(cls, rows: int) -> RowScores:
        """Return so many rows without a score."""
        p_rouge, bp, s_info = np.full((3, rows), np.nan)
        return cls(p_rouge, bp, s_info, np.full(rows, -1), np.zeros(rows, np.int64))

    def put(self, places: Integers, some: RowScores) -> None:
        """Take in the scores of some rows."""
        for every, own in zip(self, some, strict=True):
            every[places] = own


def row_scores(texts: Sequence[str], wanted: Coded[tuple[Text, ...]], options: SinfoOptions) -> RowScores:
    """Return the scores of predictions against their references; none of the texts is wordless, or has blank ends."""
    is_alone = [len(references) == 1 for references in wanted.values]
    if options.rouge == "rouge" and all(is_alone):  # as they mostly are
        return _against_one(texts, _first(wanted), options)
    scores = RowScores.none(len(texts))
    alone = np.array(is_alone, dtype=bool)[wanted.codes] & (options.rouge == "rouge")
    some = np.flatnonzero(alone)
    one_each = _first(wanted.take(some).present())
    scores.put(some, _against_one([texts[place] for place in some.tolist()], one_each, options))
    for place in np.flatnonzero(~alone).tolist():
        text = Text(texts[place], options.tokenizer)
        score = score_against(
            text,
            wanted[place],
            rouge=options.rouge,
            length=options.length,
            references_by=options.references_by,
        )
        scores.p_rouge[place], scores.bp[place], scores.s_info[place] = score[:3]
        scores.winners[place] = -1 if score.winner is None else score.winner
        scores.words[place] = text.words.count
    return scores


def _first(wanted: Coded[tuple[Text, ...]]) -> Coded[Text]:
    return Coded([references[0] for references in wanted.values], wanted.codes)


def _against_one(texts: Sequence[str], wanted: Coded[Text], options: SinfoOptions) -> RowScores:
    """Return the scores by the library's definition of predictions with a reference each."""
    p_rouge, words = rouge_precisions(texts, wanted, options.tokenizer)
    bp = _length_penalties(texts, wanted, options)
    return RowScores(p_rouge, bp, bp * p_rouge, np.zeros(len(texts), np.int64), words)


def rouge_precisions(texts: Sequence[str], wanted: Coded[Text], tokenizer: str) -> tuple[Floats, Integers]:
    """Return for each prediction its precision as `rouge` has it, and its words.

    The words of a prediction are gone when it is compared: many of them would push each other out of the cache.
    """
    references: Coded[Words] = Coded([text.words for text in wanted.values], wanted.codes)
    found = kernel().words.comparisons(sources(texts, tokenizer), references.batch(0, len(references)))
    common, types, words = np.fromiter(chain.from_iterable(found), np.int64, 3 * len(found)).reshape(-1, 3).T
    return common / types, words


def _length_penalties(texts: Sequence[str], wanted: Coded[Text], options: SinfoOptions) -> Floats:
    """Return the brevity penalty of each prediction."""
    unit = options.length
    if unit == "chars":  # at once, as they are by default
        own, theirs = list(map(len, texts)), [len(text.text) for text in wanted.values]
    else:
        own = [text_length(Text(text, options.tokenizer), unit) for text in texts]
        theirs = [text_length(text, unit) for text in wanted.values]
    c, r = np.array(own, dtype=np.int64), np.array(theirs, dtype=np.int64)[wanted.codes]
    penalties = np.ones(len(texts))
    short = np.flatnonzero(c < r)
    # one by one: the exponential of arrays may differ in the last digit
    penalties[short] = list(map(shortness_penalty, c[short].tolist(), r[short].tolist()))
    return penalties
