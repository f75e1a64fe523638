"""Parameters: what a system says of itself in names and values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scoresheet.metrics.families.collective.names import DATASET, WEIGHT_PREFIX
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.schema import NAME, VALUE
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import reject


def read_parameters(table: NumericTable | None) -> tuple[dict[str, float], str]:
    """Return the numbers by name, and the name of the data."""
    if table is None:
        return {}, ""
    names = table.cells(NAME)
    values = dict(zip(names, table.values[:, 0].tolist(), strict=True))
    texts = dict(zip(names, table.keys[VALUE], strict=True))
    return {name: value for name, value in values.items() if not math.isnan(value)}, texts.get(DATASET, "")


def stream_weights(
    streams: Sequence[str], parameters: Mapping[str, float], options: CollectiveOptions
) -> list[float] | None:
    """Return a weight per stream, if they are to be weighted; a rejection if one has none."""
    if not options.weighted:
        return None
    names = [WEIGHT_PREFIX + stream for stream in streams]
    missing = [stream for stream, name in zip(streams, names, strict=True) if name not in parameters]
    if missing or min(parameters[name] for name in names) < 0 or not any(parameters[name] for name in names):
        what = f"no weight of {join_names(missing)}" if missing else "a weight below 0, or nothing but 0"
        reject(
            "missing-weights",
            f"{flag(f'fusion {options.fusion}')} needs a row weight:STREAM in the sheet parameters for every stream; "
            f"there is {what}",
        )
    return [parameters[name] for name in names]
