"""The answer inside a longer text: reasoning dropped, then what a pattern finds."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from scoresheet.metrics.families.mode_collapse.options import LAST, answer_pattern
from scoresheet.metrics.messages import flag

REASONING_TAGS: Final = ("think", "thinking")
_TAGS: Final = "|".join(REASONING_TAGS)
_CLOSED: Final = re.compile(rf"<({_TAGS})>.*?</\1>", re.IGNORECASE | re.DOTALL)
# the prompt may have opened it, so that the answer has the end alone
_END: Final = re.compile(rf"\A.*</(?:{_TAGS})>", re.IGNORECASE | re.DOTALL)
_OPEN: Final = re.compile(rf"<(?:{_TAGS})>", re.IGNORECASE)
UNCLOSED: Final = "unclosed-reasoning"
NOT_FOUND: Final = "not-extracted"


class Extracted(NamedTuple):
    """What a text answers, whether reasoning was dropped from it, and the kind of problem if there is no answer."""

    text: str
    has_reasoning: bool = False
    lost: str = ""


def extract_answer(text: str, how: str) -> Extracted:
    """Return what a text answers: without reasoning, and where `how` is a pattern, what its last match found.

    Of a pattern with a group the first group counts. `how` may also be '' or LAST, which leave the text whole: what
    it mentions last is found when options are looked for.

    >>> extract_answer("<think>Oman is hot.</think>Answer: Japan", "Answer: (.*)")
    Extracted(text='Japan', has_reasoning=True, lost='')
    >>> extract_answer("<think>Oman is hot, so", "").lost
    'unclosed-reasoning'
    """
    answer = _END.sub("", _CLOSED.sub("", text)) if ">" in text else text
    has_reasoning = answer != text
    if ">" in answer and _OPEN.search(answer):
        return Extracted("", has_reasoning=True, lost=UNCLOSED)
    if not how or how == LAST or not answer.strip():
        return Extracted(answer, has_reasoning)
    found = list(answer_pattern(how).finditer(answer))
    if not found:
        return Extracted(answer, has_reasoning, NOT_FOUND)
    match = found[-1]
    return Extracted((match[1] if match.re.groups else match[0]) or "", has_reasoning)


def lost_message(kind: str) -> str:
    """Return why a text has no answer."""
    if kind == UNCLOSED:
        return "the reasoning is never closed, so that the text was cut off before any answer"
    return f"what {flag('extract')} names is not in the text"
