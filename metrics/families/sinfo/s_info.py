"""S_Info itself: brevity penalty × ROUGE-L precision of one prediction against its references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from scoresheet.metrics.checks import checked_texts
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

    Parameters
    ----------
    prediction, reference : str
        The two texts, of lengths c and r.
    length : {'chars', 'tokens'}, optional
        What lengths are counted in.
    tokenizer : {'auto', 'whitespace', 'chars', 'words'}, optional
        How texts are cut into words.

    Returns
    -------
    float
        The penalty, above 0 and at most 1; NaN if either text is wordless.

    Raises
    ------
    ValueError
        If `length` or `tokenizer` is none of these, or a text is none.
    MissingExtra
        If the tokenizer is 'words' and its package is not installed.

    References
    ----------
    K. Papineni, S. Roukos, T. Ward, W.-J. Zhu (2002), BLEU: a Method for Automatic Evaluation of Machine Translation,
    ACL.

    Examples
    --------
    >>> brevity_penalty("the cat sat", "the cat sat on the mat") == math.exp(1 - 22 / 11)
    True
    >>> brevity_penalty("the cat sat on the mat", "the cat sat")
    1.0
    """
    check_choice("length", length, LENGTHS)
    return length_penalty(as_text(prediction, tokenizer), as_text(reference, tokenizer), length)


def length_penalty(predicted: Text, wanted: Text, length: str) -> float:
    """Return the brevity penalty of texts that are cut into words; `length` is one of LENGTHS."""
    if predicted.wordless or wanted.wordless:
        return math.nan  # nothing is neither short nor long
    c, r = text_length(predicted, length), text_length(wanted, length)
    return 1.0 if c >= r else shortness_penalty(c, r)


def shortness_penalty(c: int, r: int) -> float:
    """Return the penalty of a prediction of length c that is shorter than its reference, of length r."""
    return math.exp(1 - r / c)


def text_length(text: Text, length: str) -> int:
    """Return the length of a text, in what `length` says."""
    return len(text.text) if length == "chars" else len(text.tokens())


class Score(NamedTuple):
    """What a prediction gets; `winner` is the index of the reference that gave it, None for a mean of several."""

    p_rouge: float
    bp: float
    s_info: float
    winner: int | None


_NO_SCORE: Final = Score(math.nan, math.nan, math.nan, None)


def score_against(predicted: Text, wanted: Sequence[Text], *, rouge: str, length: str, references_by: str) -> Score:
    """Return the score of a prediction against its references; wordless ones are left out, equal ones count once.

    Under `mean` all three numbers are means, so S_Info is the mean of the products.
    """
    if len(wanted) == 1:  # as it mostly is
        return _score(predicted, wanted[0], 0, rouge, length)
    scores: list[Score] = []
    seen: set[str] = set()
    for index, reference in enumerate(wanted):
        score = _score(predicted, reference, index, rouge, length)
        if reference.text not in seen and score.winner is not None:
            scores.append(score)
        seen.add(reference.text)
    if not scores:
        return _NO_SCORE
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


def _score(predicted: Text, reference: Text, index: int, rouge: str, length: str) -> Score:
    """Return the score of a prediction against one reference; none where either is wordless."""
    p_rouge = precision(predicted, reference, rouge)
    if p_rouge != p_rouge:  # noqa: PLR0124 - NaN
        return _NO_SCORE
    bp = length_penalty(predicted, reference, length)
    return Score(p_rouge, bp, bp * p_rouge, index)


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

    Parameters
    ----------
    prediction : str
        The text that is scored.
    reference : str or sequence of str
        What it is held to; wordless references are left out, equal ones count once.
    rouge : {'rouge', 'lin', 'charset'}, optional
        The definition of ROUGE-L precision, as in `rouge_l_precision`.
    tokenizer : {'auto', 'whitespace', 'chars', 'words'}, optional
        How texts are cut into words.
    length : {'chars', 'tokens'}, optional
        What the brevity penalty counts lengths in.
    references_by : {'max', 'mean', 'first'}, optional
        How several references make one score.

    Returns
    -------
    float
        The score from 0 to 1; NaN for no words on either side, or no reference.

    Raises
    ------
    ValueError
        If an option has a value that it cannot have, or a text is none.
    MissingExtra
        If the tokenizer is 'words' and its package is not installed.

    References
    ----------
    C.-Y. Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, ACL Workshop Text Summarization Branches
    Out.

    Examples
    --------
    >>> s_info("the cat sat on the mat", "the cat sat")
    0.6
    >>> s_info("...", "the cat sat")
    nan
    """
    check_choice("rouge", rouge, DEFINITIONS)
    check_choice("length", length, LENGTHS)
    check_choice("references-by", references_by, COMBINATIONS)
    wanted = [reference] if isinstance(reference, str) else checked_texts("reference", reference)
    return score_against(
        Text(prediction, tokenizer),
        [Text(each, tokenizer) for each in wanted],
        rouge=rouge,
        length=length,
        references_by=references_by,
    ).s_info
