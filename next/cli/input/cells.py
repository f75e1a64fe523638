"""What cells hold: used to refuse and to explain, never to choose; and answers within texts."""

import ast
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.input.grammar import usage
from scoresheet.metrics.text.tokens import has_unspaced

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_TRUTH = {"true": 1.0, "false": 0.0}
_SAMPLE = 2000  # enough cells to see what a column holds

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


def filled(cells: Iterable[Any]) -> Iterator[Any]:
    """Yield the cells that hold something."""
    return (cell for cell in cells if cell not in ("", None, []) and str(cell).strip())


def numbers(cells: Iterable[Any]) -> tuple[np.ndarray, str]:
    """Return cells as numbers (NaN where they are not) and how they were read, if specially.

    >>> numbers(["1,5", "2"])[0].tolist()
    [1.5, 2.0]
    >>> numbers(["TRUE", "false"])
    (array([1., 0.]), 'true and false as 1 and 0')
    """
    texts = [str(cell).strip() for cell in cells]
    values = _to_numbers(texts)
    missing = np.isnan(values)
    bad = {texts[place] for place in np.flatnonzero(missing)} - {""}
    if missing.all() and bad and all(text.casefold() in _TRUTH for text in bad):
        found = np.array([_TRUTH.get(text.casefold(), np.nan) for text in texts])
        return found, "true and false as 1 and 0"
    commas = bad and all(_DECIMAL_COMMA.fullmatch(text) for text in bad)
    points = any("." in text for text in texts)
    if not commas or points or all(_THOUSANDS.fullmatch(text) for text in bad):
        return values, ""  # 1,234 can be a thousand or one and a bit
    return _to_numbers([text.replace(",", ".") for text in texts]), "decimal commas"


def _to_numbers(texts: list[str]) -> np.ndarray:
    found = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(float)
    return np.where(np.isfinite(found), found, np.nan)


def holds_text(cells: Iterable[Any]) -> bool:
    """Return whether half of the cells have four words or more and most cells differ."""
    texts = [cell for cell in islice(filled(cells), _SAMPLE) if isinstance(cell, str)]
    long = sum(len(t.split(None, 3)) == 4 or (len(t) >= 8 and has_unspaced(t)) for t in texts)
    return bool(texts) and long * 2 >= len(texts) and len(set(texts)) * 2 > len(texts)


def has_few_values(cells: Iterable[Any]) -> bool:
    """Return whether a column divides its rows: 2 to 20 values of at least two rows each."""
    counts = Counter(map(str, cells))
    counts.pop("", None)
    return 2 <= len(counts) <= 20 and min(counts.values()) >= 2


def parse_list(cell: Any) -> list[Any] | None:
    """Return the list that a cell holds or spells, else None.

    >>> parse_list("['a', 'b']"), parse_list("a, b")
    (['a', 'b'], None)
    """
    if isinstance(cell, (list, tuple)):
        return list(cell)
    text = cell.strip() if isinstance(cell, str) else ""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return value if isinstance(value, list) else None
    return None


def at_path(cell: Any, path: Sequence[str]) -> Any:
    """Return what a path such as 0.message.content leads to in a cell, empty if to nothing.

    >>> at_path([{"text": "yes"}], ["0", "text"])
    'yes'
    """
    for step in path:
        if isinstance(cell, dict):
            cell = cell.get(step, "")
        else:
            items = parse_list(cell)
            position = int(step) if step.isdecimal() else -1
            cell = items[position] if items and 0 <= position < len(items) else ""
    return "" if cell is None else cell


def holds_lists(cells: Iterable[Any]) -> bool:
    """Return whether most of the filled cells hold or spell a list."""
    some = list(islice(filled(cells), _SAMPLE))
    return sum(parse_list(cell) is not None for cell in some) * 2 > len(some)


def kind(cells: Iterable[Any]) -> str:
    """Return the kind of a column in one word: empty, list, number, text or label."""
    some = list(filled(cells))
    if not some:
        return "empty"
    if holds_lists(some):
        return "list"
    if not np.isnan(numbers(some)[0]).any():
        return "number"
    return "text" if holds_text(some) else "label"


def describe(cells: Collection[Any]) -> str:
    """Return what a column holds, in a few words, as refusals show it.

    >>> describe(["0.2", "1", ""])
    'number, 2 of 3 rows: 0.2, 1'
    """
    some = list(filled(cells))
    values = [" ".join(value.split()) for value in dict.fromkeys(map(str, some))]
    shown = [f"{value[:36]} …" if len(value) > 38 else value for value in values[:2]]
    more = ", …" if len(values) > 2 else ""
    return f"{kind(some)}, {len(some)} of {len(cells)} rows: {', '.join(shown)}{more}"


def is_summary(name: str) -> bool:
    """Return whether a row or a column is a total or a mean, by its name."""
    return name.strip().casefold() in ("total", "sum", "mean", "average")


def look(header: str, cells: Iterable[Any]) -> tuple[str, Any]:
    """Return the kind of a column, and its numbers or labels, to see if columns look alike."""
    some = list(filled(cells))
    found = kind(some)
    values: Any = {str(cell).strip() for cell in some}
    if found == "number":
        values = numbers(some)[0]
    if is_summary(header):
        found = "summary"
    elif found == "number" and len(some) > 2 and (np.diff(values) == 1).all():
        found = "running number"
    return found, values


def are_alike(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    """Return whether two columns hold numbers on one scale, or labels of one small set."""
    (kind_, a), (other_kind, b) = one, other
    if "empty" in (kind_, other_kind):
        return True
    if kind_ == other_kind == "label":
        return len(a | b) <= 20 and 2 * len(a & b) >= min(len(a), len(b))
    if not kind_ == other_kind == "number" or (a % 1 == 0).all() != (b % 1 == 0).all():
        return False
    return all(x.min() <= np.median(y) <= x.max() for x, y in ((a, b), (b, a)))


def loose(key: str) -> str:
    """Return a key without case, width, spacing and leading zeros.

    >>> loose(" Q 007"), loose("0")
    ('q7', '0')
    """
    folded = "".join(unicodedata.normalize("NFKC", key).casefold().split())
    return re.sub(r"(?<![\d.,])0+(?=\d)", "", folded)


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
    found = list(_NUMBER.finditer(text))
    if not found:
        return ""
    ratios = [r[1] for r in _OUT_OF.finditer(text) if r.end() == found[-1].end()]
    last = str([found[-1][0], *ratios][-1]).replace("−", "-")
    grouped = last.count(",") > 1 or ("," in last and "." in last)
    return last.replace(",", "") if grouped else last


def _by_pattern(expression: str) -> Callable[[str], str]:
    try:
        pattern = re.compile(expression, re.DOTALL)
    except re.error as error:
        raise usage(f"--extract {expression}: not a regular expression: {error}") from None

    def take(text: str) -> str:
        match = pattern.search(text)
        return (match[1 if pattern.groups else 0] or "") if match else ""

    return take
