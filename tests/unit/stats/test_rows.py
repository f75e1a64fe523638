"""What rows of few columns come to is, to the last digit, what numpy makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scoresheet.metrics.stats.rows import row_bounds, row_counts, row_sums

LAYOUTS = ("rows", "columns", "strided", "planes")


def table_of(columns: int, layout: str) -> NDArray[np.float64]:
    """Return numbers of many sizes with gaps, in memory as tables lie there."""
    rng = np.random.default_rng([columns, LAYOUTS.index(layout)])
    values = rng.normal(size=(40, columns, 3)) * 10.0 ** rng.integers(-9, 9, size=(40, columns, 3))
    values[rng.random(values.shape) < 0.2] = np.nan
    values[:3] = np.nan
    if layout == "planes":
        return np.moveaxis(values, 1, 2)
    if layout == "strided":
        return values[:, :, 1]
    return np.array(values[:, :, 1], order="C" if layout == "rows" else "F")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("columns", [0, 1, 2, 5, 7, 8, 9, 16, 17, 40])
def test_rows_come_to_what_numpy_makes_of_them(columns: int, layout: str) -> None:
    values = table_of(columns, layout)
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    assert row_sums(filled).tobytes() == filled.sum(axis=-1).tobytes()
    assert row_counts(known).tolist() == known.sum(axis=-1).tolist()
    low, high = row_bounds(values)
    assert low.tolist() == np.where(known, values, np.inf).min(axis=-1, initial=np.inf).tolist()
    assert high.tolist() == np.where(known, values, -np.inf).max(axis=-1, initial=-np.inf).tolist()
