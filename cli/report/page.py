"""Pages: worksheets to be, with their columns, charts and links; writers know these and nothing of a family."""

from __future__ import annotations

from collections.abc import Iterable

from scoresheet.metrics.core import Chart, Column, Histogram, Kind, LineChart, Page, StackedChart

__all__ = ["Chart", "Column", "Histogram", "Kind", "LineChart", "Page", "StackedChart", "free_column_name"]


def free_column_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that no other column of the page has: blanks after it tell it apart and do not show.

    >>> free_column_name("anna", ["Judge", "Items"]), free_column_name("Items", ["Judge", "Items"])
    ('anna', 'Items ')
    """
    others = set(taken)
    while name in others:
        name += " "
    return name
