"""By what panels are compared: how far the judges of each are apart on the items that both judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoresheet.metrics.compare import ComparedBy
from scoresheet.metrics.families.disagree.measures import (
    COMPARED_LABEL_MEASURES,
    COMPARED_MEASURES,
    ITEM_KEY,
    ITEMS_NOUN,
    MODEL_KEY,
)
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.measures import Direction

if TYPE_CHECKING:
    import pandas as pd


def compared_by(options: DisagreeOptions) -> ComparedBy:
    """Return that panels are compared by item: by the spread of scores, or by the agreement of labels.

    Alpha belongs to a whole panel and has no value for an item; the spread of an item has, and can be paired.
    """
    measures = COMPARED_LABEL_MEASURES if options.nominal else COMPARED_MEASURES
    better: Direction = "higher" if options.nominal else "lower"
    names = tuple(measure.name for measure in measures)
    return ComparedBy(names, headline=names[0], units=ITEMS_NOUN, first=better, better=better, key=(ITEM_KEY,))


def item_of_model(item: str, model: str) -> str:
    """Return what tells an item from the same one of another model; '' where either is missing.

    >>> item_of_model("q1", "gpt"), item_of_model("", "gpt")
    ('q1 (gpt)', '')
    """
    return item and model and f"{item} ({model})"


def with_models(table: pd.DataFrame) -> pd.DataFrame:
    """Return a written table whose items are told apart by the model, where a column has that."""
    if MODEL_KEY not in table:
        return table
    pairs = zip(table[ITEM_KEY], table[MODEL_KEY], strict=True)
    return table.assign(**{ITEM_KEY: [item_of_model(item, model) if model else item for item, model in pairs]})
