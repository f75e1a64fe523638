"""Refusals: the phrases by which a text declines to choose, and what is left of it beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

# what is said before what somebody will not do, in small letters and with straight apostrophes
DECLINING: Final = (
    *("i can't", "i cannot", "i can not", "i won't", "i will not"),
    *("i'm unable to", "i am unable to", "i'm not able to", "i am not able to"),
    *("i refuse to", "i decline to", "i'd rather not", "i would rather not", "i prefer not to"),
)
DECLINED: Final = (
    *("choose", "pick", "select", "decide", "answer", "recommend"),
    *("help", "assist", "comply", "engage", "participate", "provide"),
    *("make a choice", "make this choice", "make that choice", "make a decision"),
)
# phrases that decline by themselves; who has no preference is indifferent, who has none of its own declines
REFUSALS: Final = (
    *("i must decline", "i have to decline", "i refuse", "i decline"),
    *("i don't have preferences", "i don't have personal preferences", "i do not have preferences"),
    *("i do not have personal preferences", "i don't have a preference", "i do not have a preference"),
    *("i don't have a personal preference", "i do not have a personal preference", "i have no personal preferences"),
    *(
        "我不能选择",
        "我无法选择",
        "我不能回答",
        "我无法回答",
        "我没有偏好",
        "我没有个人偏好",
        "選べません",
        "お答えできません",
    ),
)
# phrases that only introduce: a text that has one and names no option is a refusal, one that names an option is not
DISCLAIMERS: Final = (
    *("as an ai", "i'm an ai", "i am an ai", "i'm just an ai", "as a language model", "as a large language model"),
    *("作为一个ai", "作为人工智能", "作为一个人工智能", "aiとして"),
)
_BETWEEN: Final = ("really", "actually", "personally", "honestly", "just", "simply", "possibly")
# where what was declined ends, and something else may be chosen
_ENDS: Final = (
    r"[.!?;:\n。！？；：]|\b(?:but|however|though|although|if|instead|so|then|i'd|i would|i'll)\b|但|不过|ただ|でも"
)


class Remainder(NamedTuple):
    """A text without what it declines, and whether it declines or disclaims anything."""

    text: str
    cased: str  # the same in the case that it was written in
    declines: bool
    disclaims: bool


def without_refusals(text: str, cased: str, names: Iterable[str]) -> Remainder:
    """Return what is left of a text, given in small letters and as it was written, beside what it declines to do.

    What stands before the phrase stays: "No, I can't recommend it" says no. `names` are those of the options; a phrase
    that is part of one declines nothing.

    >>> without_refusals("i can't choose between japan and oman. maybe oman", "", ()).text
    '. maybe oman'
    """
    pattern, disclaimer = _patterns(tuple(sorted(names)))
    pieces, cased_pieces, place = [], [], 0
    is_aligned = len(cased) == len(text)
    while found := pattern.search(text, place):
        end = _end_pattern().search(text, found.end())
        pieces.append(text[place : found.start()])
        cased_pieces.append(cased[place : found.start()] if is_aligned else "")
        place = end.start() if end else len(text)
    pieces.append(text[place:])
    cased_pieces.append(cased[place:] if is_aligned else cased)
    return Remainder("".join(pieces), "".join(cased_pieces), len(pieces) > 1, bool(disclaimer.search(text)))


@lru_cache(maxsize=256)
def _patterns(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds refusals and what finds disclaimers, but for phrases that a name has in it."""
    every = "\n".join(names)
    phrases = [name for name in names if " " in name]  # "no preference" is an option where it was declared as one
    refusals = _alternatives(
        phrase for phrase in REFUSALS if phrase not in every and not any(name in phrase for name in phrases)
    )
    declined = "|".join(f"{way} {deed}" for way in DECLINING for deed in DECLINED if f"{way} {deed}" in every)
    verbs = rf"(?:{'|'.join(DECLINING)})(?: (?:{'|'.join(_BETWEEN)}))? (?:{'|'.join(DECLINED)})\b"
    spared = rf"(?!(?:{declined})\b)" if declined else ""
    disclaimers = _alternatives(phrase for phrase in DISCLAIMERS if phrase not in every)
    return re.compile("|".join([rf"\b{spared}{verbs}", *refusals])), re.compile("|".join(disclaimers) or r"(?!)")


def _alternatives(phrases: Iterable[str]) -> list[str]:
    """Return the patterns of phrases, the longest first; one in letters is whole words."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return [rf"\b{re.escape(phrase)}\b" if phrase.isascii() else re.escape(phrase) for phrase in longest_first]


@lru_cache(maxsize=1)
def _end_pattern() -> re.Pattern[str]:
    return re.compile(_ENDS)
