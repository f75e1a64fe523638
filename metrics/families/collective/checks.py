"""Which sheets of numbers cannot be what they say they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from scoresheet.metrics.families.collective.names import STREAM
from scoresheet.metrics.families.collective.readings import Numbers
from scoresheet.metrics.families.collective.sheets import ANCHORS, FINGERPRINTS, HISTORY, PARAMETERS, ROUTING
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem, reject

SUM_TOLERANCE: Final = 1e-4  # by which weights may miss a sum of 1
_ONCE: Final = {ANCHORS: "stream", FINGERPRINTS: "stream", HISTORY: "epoch", PARAMETERS: "name"}


def check_numbers(sheet: Numbers, *, normalise: bool) -> None:
    """Refuse a sheet whose numbers cannot be what it says they are, or that names a stream or an epoch twice."""
    if sheet.role in _ONCE:
        key = _ONCE[sheet.role]
        twice = _twice(sheet.keys[key])
        if twice:
            message = f"{key} {join_names(twice)} is there twice in the sheet {sheet.role}; keep one row of each"
            reject("duplicate-sample", message, effect="sheet skipped")
    if sheet.role == HISTORY:
        _check_history(sheet)
    if sheet.role in (ROUTING, ANCHORS) and sheet.names:
        _check_weights(sheet, normalise=normalise)


def _twice(names: Sequence[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _check_history(sheet: Numbers) -> None:
    twice = _twice(sheet.names)
    if twice:
        message = f"two columns of the sheet {sheet.role} are {join_names(twice)} to us; keep or rename one of them"
        reject("ambiguous-column", message, effect="sheet skipped")
    shares = [name for name in sheet.names if name.startswith((STREAM, "collective_acc"))]
    above = [name for name in shares if np.nanmax(sheet.values[:, sheet.names.index(name)], initial=0) > 1]
    if above:
        message = f"accuracies above 1, which look like percent: {join_names(above)}"
        sheet.problems.append(Problem(kind="bad-number", message=message, effect="note"))


def _check_weights(sheet: Numbers, *, normalise: bool) -> None:
    below = np.flatnonzero((sheet.values < 0).any(axis=1))
    off = below
    if sheet.role == ROUTING and not normalise:
        sums = np.where(np.isnan(sheet.values), 0.0, sheet.values).sum(axis=1)
        off = np.flatnonzero((np.abs(sums - 1) > SUM_TOLERANCE) | (sheet.values < 0).any(axis=1))
    elif sheet.role == ROUTING:
        return  # what cannot be divided is left out, row by row
    if len(off):
        rows = join_names(str(row) for row in sorted(sheet.rows[place] for place in off.tolist()))
        what = "have a weight below 0"
        hint = ""
        if sheet.role == ROUTING and len(off) > len(below):
            totals = np.nansum(sheet.values[off], axis=1)
            what = f"do not sum to 1 but to {totals.min():.4g} to {totals.max():.4g}"
            hint = "; --normalise divides weights by their sum"
        bad = next((str(problem) for problem in sheet.problems if problem.kind == "bad-number"), "")
        hint += f"; {bad}" if bad else ""
        message = f"{len(off):,} of {len(sheet.rows):,} rows of the sheet {sheet.role} {what}: row {rows}{hint}"
        reject("bad-weights", message, effect="sheet skipped")
