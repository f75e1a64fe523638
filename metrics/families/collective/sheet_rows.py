"""The rows of a sheet as arrays: their numbers, and the places of those that can be used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.family import Sheet
from scoresheet.metrics.tables import shown_rows


def row_array(sheet: Sheet) -> NDArray[np.int64]:
    """Return the numbers of the rows as a spreadsheet shows them."""
    rows = shown_rows(sheet.table)
    # numpy goes through a range number by number
    return np.arange(rows.start, rows.stop, rows.step) if isinstance(rows, range) else np.array(rows, dtype=np.int64)


def usable_places(sheet: Sheet) -> NDArray[np.int64]:
    """Return the positions of the rows that a family could use."""
    if not sheet.unusable_rows:
        return np.arange(len(sheet.table))
    return np.flatnonzero(~np.isin(row_array(sheet), list(sheet.unusable_rows)))
