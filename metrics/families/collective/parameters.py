"""Parameters: what a system says of itself in names and values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scoresheet.metrics.families.collective.names import DATASET, WEIGHT
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.readings import Numbers
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import reject


def parameters_of(sheet: Numbers | None) -> tuple[dict[str, float], str]:
    """Return the numbers by name, and the name of the data."""
    if sheet is None:
        return {}, ""
    values = dict(zip(sheet.keys["name"], sheet.values[:, 0].tolist(), strict=True))
    texts = dict(zip(sheet.keys["name"], sheet.keys["value"], strict=True))
    return {name: value for name, value in values.items() if not math.isnan(value)}, texts.get(DATASET, "")


def weights_of(
    streams: Sequence[str], parameters: Mapping[str, float], options: CollectiveOptions
) -> list[float] | None:
    """Return a weight per stream, if they are to be weighted; a Refusal if one has none."""
    if not options.weighted:
        return None
    named = [WEIGHT + stream for stream in streams]
    missing = [stream for stream, name in zip(streams, named, strict=True) if name not in parameters]
    if missing or min(parameters[name] for name in named) < 0 or not any(parameters[name] for name in named):
        what = f"no weight of {join_names(missing)}" if missing else "a weight below 0, or nothing but 0"
        reject(
            "missing-weights",
            f"--fusion {options.fusion} needs a row weight:STREAM in the sheet parameters for every stream; there is "
            f"{what}",
        )
    return [parameters[name] for name in named]
