"""S_Info itself: brevity penalty × ROUGE-L precision of one prediction against its references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from scoresheet.metrics.families.sinfo.options import COMBINATIONS, LENGTHS, SinfoOptions
from scoresheet.metrics.options import check_choice
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.text.rouge_l import DEFINITIONS, Text, as_text, precision

_DEFAULTS: Final = SinfoOptions()


def brevity_penalty(
    prediction: str | Text,
    reference: str | Text,
    *,
    length: str = _DEFAULTS.length,
    tokenizer: str = _DEFAULTS.tokenizer,
) -> float:
    """Return 1 for a prediction at least as long as the reference, else exp(1 - r/c): only shortness is punished.

    >>> brevity_penalty("the cat sat", "the cat sat on the mat") == math.exp(1 - 22 / 11)
    True
    """
    check_choice("length", length, LENGTHS)
    return length_penalty(as_text(prediction, tokenizer), as_text(reference, tokenizer), length)


def length_penalty(predicted: Text, wanted: Text, length: str) -> float:
    """Return the brevity penalty of texts that are cut into words; `length` is one of LENGTHS."""
    if predicted.wordless or wanted.wordless:
        return math.nan  # nothing is neither short nor long
    if length == "chars":
        c, r = len(predicted.text), len(wanted.text)
    else:
        c, r = len(predicted.tokens()), len(wanted.tokens())
    return 1.0 if c >= r else math.exp(1 - r / c)


class Score(NamedTuple):
    """What a prediction gets; `winner` is the index of the reference that gave it, None for a mean of several."""

    p_rouge: float
    bp: float
    s_info: float
    winner: int | None


def score_against(predicted: Text, wanted: Sequence[Text], *, rouge: str, length: str, references_by: str) -> Score:
    """Return the score of a prediction against its references; wordless ones are left out, equal ones count once.

    Under `mean` all three numbers are means, so S_Info is the mean of the products.
    """
    scores: list[Score] = []
    seen: set[str] = set()
    for index, reference in enumerate(wanted):
        p_rouge = precision(predicted, reference, rouge)
        if reference.text not in seen and not math.isnan(p_rouge):
            bp = length_penalty(predicted, reference, length)
            scores.append(Score(p_rouge, bp, bp * p_rouge, index))
        seen.add(reference.text)
    if not scores:
        return Score(math.nan, math.nan, math.nan, None)
    if len(scores) == 1 or references_by == "first":
        return scores[0]
    if references_by == "max":
        return max(scores, key=lambda score: score.s_info)  # the first of equals
    return Score(
        mean(score.p_rouge for score in scores),
        mean(score.bp for score in scores),
        mean(score.s_info for score in scores),
        None,
    )


def s_info(
    prediction: str,
    reference: str | Sequence[str],
    *,
    rouge: str = _DEFAULTS.rouge,
    tokenizer: str = _DEFAULTS.tokenizer,
    length: str = _DEFAULTS.length,
    references_by: str = _DEFAULTS.references_by,
) -> float:
    """Return the information density of a prediction: brevity penalty × ROUGE-L precision.

    Several references are combined by `references_by`. No words on either side: no value.

    >>> s_info("the cat sat on the mat", "the cat sat")
    0.6
    >>> s_info("...", "the cat sat")
    nan
    """
    check_choice("rouge", rouge, DEFINITIONS)
    check_choice("length", length, LENGTHS)
    check_choice("references-by", references_by, COMBINATIONS)
    wanted = [reference] if isinstance(reference, str) else reference
    return score_against(
        Text(prediction, tokenizer),
        [Text(each, tokenizer) for each in wanted],
        rouge=rouge,
        length=length,
        references_by=references_by,
    ).s_info
