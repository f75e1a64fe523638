"""What the cells of a column look like: used to refuse and to explain, never to choose."""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.text.tokens import has_unspaced

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_TRUTH = {"true": 1.0, "false": 0.0}
_SUMMARY = {"total", "sum", "mean", "average"}
_SAMPLE = 2000  # enough cells to see what a column holds


def filled(cells: pd.Series) -> pd.Series:
    """Return the cells that hold something."""
    texts = cells.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)
    return cells[texts.map(lambda cell: cell != "" and cell is not None and cell != [])]


def numbers(cells: pd.Series) -> tuple[pd.Series, str]:
    """Return cells as numbers (NaN where they are not) and how they were read, if specially.

    >>> numbers(pd.Series(["1,5", "2"]))[0].tolist()
    [1.5, 2.0]
    >>> numbers(pd.Series(["TRUE", "false"]))
    (0    1.0
    1    0.0
    dtype: float64, 'true and false as 1 and 0')
    """
    texts = cells.map(str).str.strip()
    values = pd.to_numeric(texts, errors="coerce").astype(float)
    values = values.where(np.isfinite(values))
    bad = texts[values.isna() & (texts != "")]
    if bad.empty:
        return values, ""
    if bad.str.casefold().isin(_TRUTH).all() and values.isna().all():
        return texts.str.casefold().map(_TRUTH), "true and false as 1 and 0"
    if not bad.str.fullmatch(_DECIMAL_COMMA).all():
        return values, ""
    points = texts.str.contains(".", regex=False).any()
    if points or bad.str.fullmatch(_THOUSANDS).all():
        return values, ""  # 1,234 can be a thousand or one and a bit
    dotted = pd.to_numeric(texts.str.replace(",", ".", regex=False), errors="coerce")
    return dotted.astype(float), "decimal commas"


def holds_text(cells: pd.Series) -> bool:
    """Return whether half of the cells have four words or more and most cells differ."""
    texts = [cell for cell in filled(cells).head(_SAMPLE) if isinstance(cell, str)]
    if not texts:
        return False
    long = sum(len(text.split()) >= 4 or (len(text) >= 8 and has_unspaced(text)) for text in texts)
    return long * 2 >= len(texts) and len(set(texts)) * 2 > len(texts)


def has_few_values(cells: pd.Series) -> bool:
    """Return whether a column divides its rows: 2 to 20 values of at least two rows each."""
    counts = cells.map(str).value_counts()
    counts = counts[counts.index != ""]
    return bool(2 <= len(counts) <= 20 and counts.min() >= 2)


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


def holds_lists(cells: pd.Series) -> bool:
    """Return whether most of the filled cells hold or spell a list."""
    filled_cells = (cell for cell in cells if cell not in ("", None, []) and str(cell).strip())
    some = list(islice(filled_cells, _SAMPLE))
    return len(some) > 0 and sum(parse_list(cell) is not None for cell in some) * 2 > len(some)


def describe(cells: pd.Series) -> str:
    """Return what a column holds, in a few words, as refusals show it.

    >>> describe(pd.Series(["0.2", "1", ""]))
    'number, 0.2 to 1 in 2 rows'
    """
    some = filled(cells)
    if some.empty:
        return "empty"
    if holds_lists(some):
        return f"list, {len(some)} of {len(cells)} rows"
    found = numbers(some)[0]
    if found.notna().all():
        return f"number, {found.min():g} to {found.max():g} in {len(some)} rows"
    texts = some.map(str)
    if holds_text(some):
        return f"text, {len(some)} of {len(cells)} rows, {_sample(texts.iloc[0])}"
    values_seen = texts.drop_duplicates()
    shown = ", ".join(_sample(value) for value in values_seen.head(2))
    more = ", …" if len(values_seen) > 2 else ""
    values = "1 value" if len(values_seen) == 1 else f"{len(values_seen)} values"
    return f"{values} in {len(some)} rows, {shown}{more}"


def kind(cells: pd.Series) -> str:
    """Return the kind of a column in one word: empty, list, number, text or label."""
    some = filled(cells)
    if some.empty:
        return "empty"
    if holds_lists(some):
        return "list"
    if numbers(some)[0].notna().all():
        return "number"
    return "text" if holds_text(some) else "label"


def is_summary(name: str) -> bool:
    """Return whether a row or a column is a total or a mean, by its name."""
    return name.strip().casefold() in _SUMMARY


@dataclass(frozen=True)
class Look:
    """What a column looks like: its kind, its range if it holds numbers, its labels if it does."""

    kind: str
    low: float = 0
    high: float = 0
    middle: float = 0
    whole: bool = True
    labels: frozenset[str] = frozenset()

    def is_like(self, other: "Look") -> bool:
        """Return whether two columns hold numbers on one scale, or labels of one small set."""
        if "empty" in (self.kind, other.kind):
            return True
        if self.kind != other.kind or self.kind not in ("number", "label"):
            return False
        if self.kind == "label":
            shared, all_ = self.labels & other.labels, self.labels | other.labels
            fewer = min(len(self.labels), len(other.labels))
            return len(all_) <= 20 and 2 * len(shared) >= fewer
        return (
            self.whole == other.whole
            and other.low <= self.middle <= other.high
            and self.low <= other.middle <= self.high
        )


def look(header: str, cells: pd.Series) -> Look:
    """Return what a column looks like; a summary or a running number is like nothing else."""
    some = filled(cells)
    found = kind(some)
    if is_summary(header):
        return Look("summary")
    if found == "label":
        return Look(found, labels=frozenset(some.map(str).str.strip()))
    if found != "number":
        return Look(found)
    values = numbers(some)[0]
    if len(values) > 2 and (values.diff().dropna() == 1).all():
        return Look("running number")
    whole = bool((values % 1 == 0).all())
    return Look(found, float(values.min()), float(values.max()), float(values.median()), whole)


def _sample(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat[:36]} …"' if len(flat) > 38 else f'"{flat}"'
