"""What an explanation is shown as: sentences and small tables, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from scoresheet.cli.report.page import Column
from scoresheet.metrics.explanation import E, UnitName
from scoresheet.metrics.family import C, O, P
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Value


@dataclass(frozen=True)
class Block:
    """One step of an explanation: what is said, and the table that it is said of."""

    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    rows: tuple[Sequence[Value], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Explainer(Generic[O, P, C, E]):
    """How the units of one family are named, explained and shown."""

    unit: str  # what a unit is called: row, cell, query, …
    keys: tuple[str, ...]  # the columns of the CSV of units by which one is told from another
    has_rows: bool = False  # whether a unit is a row of the input
    explain: Callable[[Sequence[P], C, O, UnitName], E]
    blocks: Callable[[E], list[Block]]
    units: Callable[[Sequence[P], O], list[UnitName]] | None = None  # where the CSV of units has them not
    unit_of_row: Callable[[P, C, int], UnitName | None] | None = None  # that a row of a sheet is counted in


def shown_number(value: float) -> str:
    """Return a number as sentences of an explanation write it.

    >>> shown_number(0.8518518), shown_number(3.0), shown_number(float("nan"))
    ('0.8519', '3', 'undefined')
    """
    if value != value:  # noqa: PLR0124 - NaN
        return "undefined"
    return f"{value:.4f}" if value % 1 else f"{value:g}"


def bands_in_words(bands: Sequence[tuple[float, str]]) -> str:
    """Return from where on which word holds.

    >>> bands_in_words(((0.0, "low"), (0.3, "moderate")))
    'low from 0, moderate from 0.3'
    """
    return ", ".join(f"{name} from {edge:g}" for edge, name in bands)
