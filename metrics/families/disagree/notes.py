"""What is not told of items and panels, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.panel import COMPARED_JUDGES, Panel, View
from scoresheet.metrics.families.disagree.ratings import Ratings
from scoresheet.metrics.families.disagree.spread import Disagreements, spread
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem

_SUMMARIES: Final = frozenset(
    ("average", "avg", "mean", "median", "sum", "total", "grand total", "overall", "sd", "std", "stdev", "平均", "合计")
)


def undefined(
    ratings: Ratings, mapped: NDArray[np.float64], unweighted: NDArray[np.bool_], found: Disagreements
) -> list[Problem]:
    """Return notes on what is undefined of items; `unweighted`: whose scores of an item have no weight."""
    problems = []
    for item in np.flatnonzero((found.judges > 1) & np.isnan(found.cv)).tolist():
        message = (
            f"item {ratings.items[item]}: all judges gave the lowest score, so the mean is 0 on the scale 0 to 1, and "
            "CV, consensus and reliability are undefined"
        )
        problems.append(Problem(kind="zero-mean", message=message, effect="note", row=ratings.first_rows[item]))
    for item in np.flatnonzero(unweighted.any(axis=1)).tolist():
        names = join_names(ratings.judges[place] for place in np.flatnonzero(unweighted[item]).tolist())
        message = f"item {ratings.items[item]}: all weights of {names} are 0, so there is no overall score of theirs"
        problems.append(Problem(kind="zero-weights", message=message, effect="note", row=ratings.first_rows[item]))
    for place, name in enumerate(ratings.dimensions):
        each = spread(mapped[:, :, place])
        items = int(((each.counts > 1) & np.isnan(each.cv)).sum())
        if items and len(ratings.dimensions) > 1:
            message = f"the mean of {name} is 0 for {items} item{'s' if items > 1 else ''}, whose CV is undefined there"
            problems.append(Problem(kind="zero-mean", message=message, effect="note", column=name))
    return problems


def summaries(ratings: Ratings) -> list[Problem]:
    """Return notes on items that are called as a line under a table is."""
    return [
        Problem(
            kind="summary-row",
            message=f"the item {name!r} counts as one; if it sums up the others, delete its row",
            effect="note",
            row=row,
        )
        for name, row in zip(ratings.items, ratings.first_rows, strict=True)
        if name.strip(" .:").casefold() in _SUMMARIES
    ]


def untold(panel: Panel) -> list[Problem]:
    """Return notes on what is not told of the panel."""
    if len(panel.judges) > COMPARED_JUDGES:
        message = f"there are {len(panel.judges):,} judges: they are not compared in pairs, nor the panel without each"
        return [Problem(kind="many-judges", message=message, effect="note")]
    if not panel.items or not math.isnan(panel.overall.alpha):
        return []
    return [Problem(kind="no-alpha", message=f"alpha is undefined: {_why_no_alpha(panel.overall)}", effect="note")]


def _why_no_alpha(view: View) -> str:
    shared = view.shared_items
    if not shared:
        return "no item has scores of two judges"
    if shared == view.items:
        return "all scores are the same"
    return f"two judges or more scored only {shared} of {view.items} items, and all these scores are the same"


def no_intervals(
    panels: Sequence[tuple[str, Panel]], told: Sequence[bool], crowded: Sequence[bool], *, overall: bool
) -> list[Problem]:
    """Return notes on alphas without an interval, sheet by sheet; `overall`: whether their mean has one."""
    problems = []
    for (sheet, panel), has, too_many in zip(panels, told, crowded, strict=True):
        if has or math.isnan(panel.overall.alpha):
            continue
        why = "only one item has scores of two judges, and items are what is drawn"
        if too_many:
            why = "at the ratio level there are too many different scores on too many items"
        problems.append(
            Problem(kind="no-interval", message=f"alpha has no interval: {why}", effect="note", sheet=sheet)
        )
    if problems and not overall and len(panels) > 1:
        names = join_names(problem.sheet for problem in problems)
        message = f"the mean of the sheets' alphas has no interval, since there is none for {names}"
        problems.append(Problem(kind="no-interval", message=message, effect="note"))
    return problems
