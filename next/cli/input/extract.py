"""Take the answer from a longer text."""

import re
from collections.abc import Callable

from scoresheet.cli.input.grammar import usage

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
# A text may be cut off within its thinking, or begin within it.
_BEGUN = re.compile(r"<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_ENDED = re.compile(r".*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[A-Za-z+#.-]*[ \t]*$\n?|```|~~~", re.MULTILINE)
_ANSWER = re.compile(
    r"\b(?:final\s+answer(?:\s+is)?\b\W{0,3}?[:=]?|answer(?:\s+is)?\W{0,3}?[:=])[\s*]*",
    re.IGNORECASE,
)
# A sign belongs to a number that does not follow a word or a number: 3-4, 2024-05-01, GPT-4.
_DIGITS = r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d+(?:[.,]\d+)?|\.\d+"
_NUMBER = re.compile(rf"(?:(?<![\w.])[+−-])?(?:{_DIGITS})(?:[eE][+-]?\d+)?", re.ASCII)
_OUT_OF = re.compile(rf"({_NUMBER.pattern})\s*(?:/|out of)\s*{_NUMBER.pattern}", re.IGNORECASE)


def extractor(how: str) -> Callable[[str], str]:
    """Return the function that takes an answer out of a text.

    `how` is `last` (the text after the last "answer:"), `number` (the last number) or a regular
    expression, of which the first group or else the whole match is taken. Blocks of thinking and
    the marks of code fences are dropped first; where nothing is found the text is empty.

    >>> extractor("number")("I give it 8 out of 10.")
    '8'
    >>> extractor("last")("<think>answer: 3?</think> Final answer: 4")
    '4'
    """
    take = {"last": _after_answer, "number": _last_number}.get(how) or _by_pattern(how)
    return lambda text: take(without_thinking(text)).strip()


def without_thinking(text: str) -> str:
    """Return a text without blocks of thinking and without the marks of code fences."""
    spoken = _ENDED.sub("", _THINKING.sub("", text))
    return _FENCE.sub("", _BEGUN.sub("", spoken))


def _after_answer(text: str) -> str:
    parts = _ANSWER.split(text)
    return parts[-1] if len(parts) > 1 else ""


def _last_number(text: str) -> str:
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return ""
    ratios = [r for r in _OUT_OF.finditer(text) if r.end() == numbers[-1].end()]
    found = str(ratios[-1][1] if ratios else numbers[-1][0]).replace("−", "-")
    grouped = found.count(",") > 1 or ("," in found and "." in found)
    return found.replace(",", "") if grouped else found


def _by_pattern(expression: str) -> Callable[[str], str]:
    try:
        pattern = re.compile(expression, re.DOTALL)
    except re.error as error:
        raise usage(f"--extract {expression}: not a regular expression: {error}") from None

    def take(text: str) -> str:
        match = pattern.search(text)
        if not match:
            return ""
        return str((match[1] if pattern.groups else match[0]) or "")

    return take
