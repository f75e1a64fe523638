"""Sheets that are the dimensions of one panel: their ratings side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.inputs import Ratings
from scoresheet.metrics.families.disagree.rating_columns import ONLY_DIMENSION
from scoresheet.metrics.keys import natural_order

PANEL: Final = "Panel"  # what the sheets together are called


def joined_ratings(sheets: Sequence[Ratings]) -> Ratings:
    """Return the ratings of all sheets as one panel's: a sheet is a dimension, or has the first part of its names."""
    items = list(dict.fromkeys(item for sheet in sheets for item in sheet.items))
    judges = sorted({judge for sheet in sheets for judge in sheet.judges}, key=natural_order)
    labels = list(dict.fromkeys(label for sheet in sheets for label in sheet.labels))
    dimensions = [name for sheet in sheets for name in _dimensions(sheet)]
    shape = (len(items), len(judges), len(dimensions))
    about = {item: place for sheet in reversed(sheets) for item, place in zip(sheet.items, _about(sheet), strict=True)}
    scores = [_recoded(sheet.scores, sheet.labels, labels) for sheet in sheets]
    first = [None if sheet.first is None else _recoded(sheet.first, sheet.labels, labels) for sheet in sheets]
    places = _places(sheets, items, judges)
    grouped = any(sheet.models for sheet in sheets)
    return Ratings(
        name=PANEL,
        rows=sum(sheet.rows for sheet in sheets),
        items=items,
        judges=judges,
        dimensions=dimensions,
        scores=_side_by_side(scores, places, shape, np.nan),
        confidence=_weights([sheet.confidence for sheet in sheets], places, shape),
        relevance=_weights([sheet.relevance for sheet in sheets], places, shape),
        first_rows=[about[item][0] for item in items],
        rated_rows=sum(sheet.rated_rows for sheet in sheets),
        labels=labels,
        first=_weights(first, places, shape, otherwise=np.nan),
        models=[about[item][1] for item in items] if grouped else (),
        plain_items=[about[item][2] for item in items] if grouped else (),
    )


def _dimensions(sheet: Ratings) -> list[str]:
    if list(sheet.dimensions) == [ONLY_DIMENSION]:
        return [sheet.name]
    return [f"{sheet.name}/{name}" for name in sheet.dimensions]


def _about(sheet: Ratings) -> list[tuple[int, str, str]]:
    """Return the row, the model and the plain name of each item."""
    models = sheet.models or [""] * len(sheet.items)
    return list(zip(sheet.first_rows, models, sheet.item_names, strict=True))


class _Place(NamedTuple):
    """Where the ratings of a sheet stand among all."""

    items: list[int]
    judges: list[int]
    dimensions: list[int]


def _places(sheets: Sequence[Ratings], items: Sequence[str], judges: Sequence[str]) -> list[_Place]:
    of_items, of_judges = ({name: place for place, name in enumerate(names)} for names in (items, judges))
    places: list[_Place] = []
    end = 0
    for sheet in sheets:
        start, end = end, end + len(sheet.dimensions)
        own = [of_items[item] for item in sheet.items], [of_judges[judge] for judge in sheet.judges]
        places.append(_Place(*own, list(range(start, end))))
    return places


def _weights(
    parts: Sequence[NDArray[np.float64] | None],
    places: Sequence[_Place],
    shape: tuple[int, int, int],
    otherwise: float = 1.0,
) -> NDArray[np.float64] | None:
    """Return what some sheets say of their scores, `otherwise` where they do not; None if no sheet says it."""
    if all(part is None for part in parts):
        return None
    return _side_by_side(parts, places, shape, otherwise)


def _side_by_side(
    parts: Sequence[NDArray[np.float64] | None],
    places: Sequence[_Place],
    shape: tuple[int, int, int],
    otherwise: float,
) -> NDArray[np.float64]:
    array = np.full(shape, otherwise)
    for part, place in zip(parts, places, strict=True):
        if part is not None:
            array[np.ix_(place.items, place.judges, place.dimensions)] = part
    return array


def _recoded(values: NDArray[np.float64], own: Sequence[str], labels: Sequence[str]) -> NDArray[np.float64]:
    """Return labels by the numbers that they have over all sheets; scores as they are."""
    if not own:
        return values
    codes = np.array([labels.index(label) for label in own], dtype=float)
    known = ~np.isnan(values)
    result = np.full(values.shape, np.nan)
    result[known] = codes[values[known].astype(np.int64)]
    return result
