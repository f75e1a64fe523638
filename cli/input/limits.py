"""How much of one input is read at most, declared once: the options, the refusals and the docs are made from this."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NoReturn

from scoresheet.metrics.problems import Effect, reject
from scoresheet.metrics.records import dataclass

MIB: Final = 2**20
# Below this an archive or a packed text is never held against its ratio: much of nothing is still little.
RATIO_FROM: Final = 64 * MIB


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What may be in one file; each has an option `--max-…` of its name."""

    file_mb: int = 200
    expanded_mb: int = 512
    ratio: int = 200
    parts: int = 12_000
    cells: int = 20_000_000
    columns: int = 16_384  # as many as a spreadsheet has
    sheets: int = 1_000
    models: int = 5_000
    cell_chars: int = 1_000_000
    line_chars: int = 50_000_000
    json_depth: int = 50
    problems: int = 200_000


# What a number of each is a number of.
UNITS: Final[Mapping[str, str]] = {
    "file_mb": "MiB",
    "expanded_mb": "MiB",
    "ratio": "times",
    "parts": "parts",
    "cells": "cells",
    "columns": "columns",
    "sheets": "sheets",
    "models": "models",
    "cell_chars": "characters",
    "line_chars": "characters",
    "json_depth": "levels",
    "problems": "rows",
}
USUAL_LIMITS: Final = Limits()
MOST_JSON_DEPTH: Final = 200  # that can be allowed: Python's own parser is not made for much more
NO_LIMITS: Final = Limits(**dict.fromkeys(UNITS, 2**62))  # for tables that were never a file


def refuse_over(
    limits: Limits, name: str, met: float, what: str, *, sheet: str = "", effect: Effect = "file skipped"
) -> NoReturn:
    """Refuse what is over a limit: `what` it is, what was met, what is allowed, and the option that would allow it."""
    limit: int = getattr(limits, name)
    amount = max(math.ceil(met), limit + 1)
    raised = f"if it is what you mean, raise the limit: --max-{name.replace('_', '-')} {amount}"
    if name == "json_depth" and amount > MOST_JSON_DEPTH:
        raised = f"--max-json-depth allows up to {MOST_JSON_DEPTH}, and no more can be read"
    done = "listed" if name == "problems" else "read"
    reject(
        "over-limit",
        f"{what} {amount:,} {UNITS[name]}, and at most {limit:,} are {done}; {raised}",
        sheet=sheet,
        effect=effect,
    )
