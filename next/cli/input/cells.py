"""What cells hold: used to refuse and to explain, never to choose."""

import ast
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from statistics import median
from typing import Any

from scoresheet.metrics.text import has_unspaced

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_TRUTH = {"true": 1.0, "false": 0.0}
_SAMPLE = 2000  # enough cells to see what a column holds


Look = tuple[str, Any]  # empty, list, number, text, label or summary; its numbers or labels


def look(header: str, cells: Iterable[Any]) -> Look:
    """Return what a column holds."""
    some = list(filled(cells))
    labels = {str(cell).strip() for cell in some}
    if is_summary(header):
        return "summary", labels
    if holds_lists(some):
        return "list", labels
    values, _ = numbers(some)
    if not any(map(math.isnan, values)):
        return ("number" if some else "empty"), values
    return ("text" if holds_text(some) else "label"), labels


def are_alike(one: Look, other: Look) -> bool:
    """Return whether two columns hold numbers on one scale, or labels of one small set."""
    (kind, a), (other_kind, b) = one, other
    if "empty" in (kind, other_kind):
        return True
    if kind == other_kind == "label":
        return len(a | b) <= 20 and 2 * len(a & b) >= min(len(a), len(b))
    if not kind == other_kind == "number":
        return False
    if any(len(v) > 2 and all(y - x == 1 for x, y in pairwise(v)) for v in (a, b)):
        return False  # a running number
    one_scale = all(min(x) <= median(y) <= max(x) for x, y in ((a, b), (b, a)))
    return one_scale and all(map(float.is_integer, a)) == all(map(float.is_integer, b))


def describe(header: str, cells: Sequence[Any]) -> str:
    """Return what a column holds, in a few words, as refusals show it."""
    some = list(filled(cells))
    values = [" ".join(value.split()) for value in dict.fromkeys(map(str, some))]
    shown = [f"{value[:36]} …" if len(value) > 38 else value for value in values[:2]]
    more = ", …" if len(values) > 2 else ""
    return f"{look(header, cells)[0]}, {len(some)} of {len(cells)} rows: {', '.join(shown)}{more}"


def filled(cells: Iterable[Any]) -> Iterator[Any]:
    """Yield the cells that hold something."""
    return (cell for cell in cells if cell not in ("", None, []) and str(cell).strip())


def number(text: str) -> float:
    """Return the number that a text spells, NaN if it spells none."""
    try:
        value = math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def numbers(cells: Iterable[Any]) -> tuple[list[float], str]:
    """Return cells as numbers (NaN where they are not) and how they were read, if specially.

    >>> numbers(["1,5", "2"]), numbers(["TRUE", "false"])
    (([1.5, 2.0], 'decimal commas'), ([1.0, 0.0], 'true and false as 1 and 0'))
    """
    texts = [str(cell).strip() for cell in cells]
    known = {text: number(text) for text in set(texts)}
    bad = {text for text, value in known.items() if text and math.isnan(value)}
    all_bad = all(map(math.isnan, known.values()))
    if bad and all_bad and {text.casefold() for text in bad} <= _TRUTH.keys():
        found = [_TRUTH.get(text.casefold(), math.nan) for text in texts]
        return found, "true and false as 1 and 0"
    commas = bad and all(map(_DECIMAL_COMMA.fullmatch, bad)) and not any("." in t for t in texts)
    if not commas or all(map(_THOUSANDS.fullmatch, bad)):
        return [known[text] for text in texts], ""  # 1,234 can be a thousand or one and a bit
    return [number(text.replace(",", ".")) for text in texts], "decimal commas"


def holds_text(cells: Iterable[Any]) -> bool:
    """Return whether half of the cells have four words or more and most cells differ."""
    texts = [cell for cell in islice(filled(cells), _SAMPLE) if isinstance(cell, str)]
    long = sum(len(t.split(None, 3)) == 4 or (len(t) >= 8 and has_unspaced(t)) for t in texts)
    return bool(texts) and long * 2 >= len(texts) and len(set(texts)) * 2 > len(texts)


def holds_lists(cells: Iterable[Any]) -> bool:
    """Return whether most of the filled cells hold or spell a list."""
    some = list(islice(filled(cells), _SAMPLE))
    return sum(parse_list(cell) is not None for cell in some) * 2 > len(some)


def is_summary(name: str) -> bool:
    """Return whether a row or a column is a total or a mean, by its name."""
    return name.strip().casefold() in ("total", "sum", "mean", "average")


def parse_list(cell: Any) -> list[Any] | None:
    """Return the list that a cell holds or spells, else None."""
    if isinstance(cell, list):
        return cell
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


def loose(key: str) -> str:
    """Return a key without case, width, spacing and leading zeros.

    >>> loose(" Q 007"), loose("0")
    ('q7', '0')
    """
    folded = "".join(unicodedata.normalize("NFKC", key).casefold().split())
    return re.sub(r"(?<![\d.,])0+(?=\d)", "", folded)
