"""The tables of units on a page: whole where they fit, else their beginning and how much there is of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from scoresheet.cli.write.html.cells import NamedColumns, table_values
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class UnitTable:
    """The first units of a model, and how many it has."""

    total: int
    first: pd.DataFrame
    columns: NamedColumns

    @classmethod
    def of(cls, frame: pd.DataFrame, columns: NamedColumns, *, most: int) -> UnitTable:
        """Return no more of a table than could ever be shown; the rest need not be held."""
        return cls(len(frame), frame.head(most).copy(), columns)

    def values(self, limit: int) -> dict[str, Any]:
        """Return the table as the page has it, with at most so many units."""
        return {"total": self.total, "table": table_values(self.first.head(limit), self.columns)}


def fair_limit(sizes: Sequence[int], most: int) -> int:
    """Return how many units each model may show, so that all together show at most so many.

    What small tables do not need is left to the large ones.

    >>> fair_limit([10, 500, 900], 1000), fair_limit([10, 500, 900], 2000), fair_limit([], 5)
    (495, 900, 0)
    """
    left = most
    for done, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - done)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)
