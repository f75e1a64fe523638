"""Scores in words: what judges write when they are asked for a number."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from scoresheet.metrics.numbers import parse_float

_NUMBER: Final = r"[-+]?\d+(?:\.\d+)?(?!\d|[.,]\d)"
_BEFORE: Final = r"(?<![\w.,/])"  # not in the midst of a word, a date or a number
_TOP: Final = r"[*_`]*\s*(?:/|out\s+of)\s*[*_`]*(\d+(?:\.\d+)?)(?![\d/]|[.,]\d)"
_NAMED: Final = re.compile(
    rf"(?:\b(?:score|rating|grade)|得分|评分|評価|点数|スコア)[^\w+-]*(?:(?:is|of)\b[^\w+-]*)?({_NUMBER})(?:{_TOP})?",
    re.IGNORECASE,
)
_OF_TOP: Final = re.compile(rf"{_BEFORE}({_NUMBER}){_TOP}", re.IGNORECASE)
_BARE: Final = re.compile(rf"\W*?({_NUMBER})\s*(?:points?|pts|stars?|分|点|점)?\W*", re.IGNORECASE)
_PERCENT: Final = re.compile(rf"({_NUMBER})\s*[%％]")
_THOUGHT: Final = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_OF_PERCENT: Final = 100.0


class ScoreText(NamedTuple):
    """A score, and the end of its scale where that is said."""

    value: float
    top: float | None = None


def parse_score(text: str) -> ScoreText | None:
    """Return the one score that a text states; None where it states none, or two that differ.

    >>> [parse_score(text) for text in ("4/5", "Score: 4", "I like it: 8 out of 10.")]
    [ScoreText(value=4.0, top=5.0), ScoreText(value=4.0, top=None), ScoreText(value=8.0, top=10.0)]
    >>> [parse_score(text) for text in ("it has 3 errors", "Score: 4, or rather score: 3", "see 4/5/2024")]
    [None, None, None]
    """
    said = _THOUGHT.sub(" ", text).strip()
    plain = parse_float(said)
    if plain is not None:
        return ScoreText(plain)
    if percent := _PERCENT.fullmatch(said):
        return ScoreText(float(percent[1]), _OF_PERCENT)
    for pattern in (_NAMED, _OF_TOP):
        found = {ScoreText(float(hit[1]), float(hit[2]) if hit[2] else None) for hit in pattern.finditer(said)}
        if found:
            return _only(found)
    bare = _BARE.fullmatch(said)
    return ScoreText(float(bare[1])) if bare else None


def _only(found: set[ScoreText]) -> ScoreText | None:
    """Return the one score of several mentions; one of them may leave out the scale."""
    full = {each for each in found if each.top is not None}
    values = {each.value for each in found}
    if len(values) > 1 or len(full) > 1:
        return None
    return next(iter(full or found))
