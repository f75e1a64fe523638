"""Panels of judges, scored from Python."""

from typing import Any

import pandas as pd

from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.disagree.score import score
from scoresheet.metrics.family import Scores


def scored(rows: pd.DataFrame, **options: Any) -> Scores:
    """The scores of a table with a row per score."""
    placed = rows.assign(file="t.csv", worksheet="", row=range(2, len(rows) + 2))
    placed = placed if "sheet" in rows else placed.assign(sheet="t")
    return score({"outputs": placed}, DisagreeOptions(**options))


def panel(*items: list[Any], judges: str = "abcdefgh", **options: Any) -> Scores:
    """The scores of items, each with its judges' scores in order."""
    rows = [
        (f"i{n}", judge, value)
        for n, values in enumerate(items, 1)
        for judge, value in zip(judges, values, strict=False)
    ]
    return scored(pd.DataFrame(rows, columns=["item", "judge", "score"]), **options)


def one(values: list[Any], **options: Any) -> dict[str, Any]:
    """The unit of a single item."""
    return dict(panel(values, **options).units.iloc[0])
