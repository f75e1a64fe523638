"""Checks of values: what makes a table look wrong, so that it is refused."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Columns = Mapping[str, Sequence[Any]]  # a long table
Unused = Mapping[str, Mapping[int, Any]]  # the columns without a use: their cells by row
Further = Mapping[str, Columns]  # the further tables of the run by name


class Doubt(NamedTuple):
    """What looks wrong, what to do, and columns (or `@cells`) that could fill roles instead."""

    kind: str
    message: str
    advice: str = ""
    options: tuple[tuple[str, str], ...] = ()


Check = Callable[[Columns, Unused, Further], Doubt | None]


def grouped(columns: Columns, *names: str) -> dict[tuple[Any, ...], list[int]]:
    """Return the positions of the rows by their values in some columns, "" where one is missing."""
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    cells = [columns.get(name) or [""] * len(columns["row"]) for name in names]
    for at, values in enumerate(zip(*cells, strict=True)):
        groups[values].append(at)
    return groups


def by_model(columns: Columns) -> Iterator[tuple[str, list[int]]]:
    """Yield for each model the words that begin a message about it, and its rows."""
    for (model,), rows in grouped(columns, "model").items():
        yield f"{model}: " if model else "", rows


def divides(cells: Iterable[Any]) -> bool:
    """Return whether a column divides its rows: 2 to 20 values of at least two rows each."""
    counts = Counter(map(str, cells))
    counts.pop("", None)
    return 2 <= len(counts) <= 20 and min(counts.values()) >= 2


def pooled(columns: Columns, unused: Unused, _: Further) -> Doubt | None:
    """Return the column without a use that divides the samples."""
    for name, cells in unused.items():
        if divides(cells.values()) and f"by:{name}" not in columns:
            options = tuple((role, name) for role in ("model", "sheet", "where", "ignore"))
            message = f"column {name} divides the rows and is not used"
            return Doubt("pooled", message, f"say what {name} is", options)
    return None


def one_value(columns: Columns, _: Unused, __: Further, *, role: str) -> Doubt | None:
    """Return the model of which all rows have one value of a role."""
    for model, rows in by_model(columns) if role in columns else ():
        if len(values := {columns[role][at] for at in rows}) == 1:
            message = f"{model}there is only one {role}: {values.pop()}"
            return Doubt(f"one-{role}", message)
    return None
