"""Parameters: what a system says of itself in names and values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from scoresheet.metrics.collective.names import matched, squeezed
from scoresheet.metrics.collective.options import CollectiveOptions
from scoresheet.metrics.collective.readings import Numbers
from scoresheet.metrics.collective.sheets import PARAMETERS
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.problems import refuse
from scoresheet.metrics.wording import listed

_WEIGHT: Final = "weight:"  # before a stream's name


def parameters_of(sheet: Numbers | None) -> tuple[dict[str, float], str]:
    """Return the numbers by name, and the name of the data."""
    if sheet is None:
        return {}, ""
    names = [_parameter(name) for name in sheet.keys["name"]]
    values = dict(zip(names, sheet.values[:, 0].tolist(), strict=True))
    texts = dict(zip(names, sheet.keys["value"], strict=True))
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        refuse("duplicate-sample", f"{listed(twice)} is there twice in the sheet {PARAMETERS}; keep one row of each")
    return {name: value for name, value in values.items() if not math.isnan(value)}, texts.get("dataset", "")


def _parameter(name: str) -> str:
    """Return a parameter's name as we write it; a stream's name in it stays as it is."""
    if name.casefold().startswith(_WEIGHT):
        return _WEIGHT + join_key(name[len(_WEIGHT) :])
    return {"paramsm": "params_m", "dataset": "dataset"}.get(squeezed(name), name)


def weights_of(
    streams: Sequence[str], parameters: Mapping[str, float], options: CollectiveOptions
) -> list[float] | None:
    """Return a weight per stream, if they are to be weighted; a Refusal if one has none."""
    if not options.weighted:
        return None
    known = {name[len(_WEIGHT) :]: name for name in parameters if name.startswith(_WEIGHT)}
    named = [_WEIGHT + stream if stream in known else known.get(matched(stream, list(known)), "") for stream in streams]
    missing = [stream for stream, name in zip(streams, named, strict=True) if name not in parameters]
    if missing or min(parameters[name] for name in named) < 0 or not any(parameters[name] for name in named):
        what = f"no weight of {listed(missing)}" if missing else "a weight below 0, or nothing but 0"
        refuse(
            "missing-weights",
            f"--fusion {options.fusion} needs a row weight:STREAM in the sheet parameters for every stream; there is "
            f"{what}",
        )
    return [parameters[name] for name in named]
