"""The kinds of problems that only this family raises, and what is said of items and panels that lack a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from shlex import quote
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import MOST_COMPARED_JUDGES
from scoresheet.metrics.families.disagree.dispersion import Disagreements
from scoresheet.metrics.families.disagree.inputs import Ratings
from scoresheet.metrics.families.disagree.judge_agreement import DimensionAgreement
from scoresheet.metrics.families.disagree.odd_judges import OTHER_SCALE, OddJudge
from scoresheet.metrics.families.disagree.rating_columns import called_as_dimensions
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Problem, ProblemKind, note
from scoresheet.metrics.stats.confidence import Interval
from scoresheet.metrics.stats.rows import row_counts

KINDS: Final = {
    "bad-score": ProblemKind("The score is not a number, and counts as missing."),
    "bad-weight": ProblemKind("A confidence or relevance is not a number of 0 or more."),
    "blank-score": ProblemKind("The score is empty, and counts as missing."),
    "called-as-dimensions": ProblemKind(
        "Columns are called as dimensions are and were taken for judges: alpha may say how far dimensions agree.",
        always_shown=True,
        costly=True,
    ),
    "columns-are": ProblemKind(
        "What the columns of a wide table were taken for: judges, or dimensions.", always_shown=True
    ),
    "different-dimensions": ProblemKind(
        "Judges of an item scored different dimensions; they are compared over those that all of them scored."
    ),
    "dimensions-twice": ProblemKind(f"A column dimension says the dimensions, and {flag('dimensions')} names others."),
    "duplicate-rating": ProblemKind("A judge scored an item twice on one dimension."),
    "labels": ProblemKind("The labels that were found; one that differs only in case counts as another."),
    "many-judges": ProblemKind("There are too many judges to compare every two of them."),
    "no-alpha": ProblemKind("Alpha is undefined: no item has scores of two judges, or all scores are the same."),
    "no-interval": ProblemKind("Alpha has no interval: too few items to draw from, or too many different ratios."),
    "no-scores": ProblemKind("No column holds scores."),
    "numbers-not-used": ProblemKind(
        "A column holds numbers and was not used, since half of it or more is none, or by its name.", always_shown=True
    ),
    "other-scale": ProblemKind(
        "A judge's scores lie in a small part of the scale that is a scale of its own.", always_shown=True
    ),
    "out-of-scale": ProblemKind("A score lies outside the scale that was declared."),
    "sheets-are": ProblemKind(
        "Sheets are called as dimensions are, and each was taken for a round of judging.", always_shown=True
    ),
    "several-judges": ProblemKind(
        "An ensemble was to be made out of one judge's scores, and there are several judges."
    ),
    "summary-row": ProblemKind(
        "An item is called as a summary of the others would be, and counts as one of them.", always_shown=True
    ),
    "unknown-judge": ProblemKind("A judge who has a scale of his own is not here.", always_shown=True),
    "unknown-order": ProblemKind("A cell does not say which of the labels stood first."),
    "zero-mean": ProblemKind("The mean of the scores is 0, so that CV, consensus and reliability are undefined."),
    "zero-weights": ProblemKind("All weights of a judge are 0 for an item, so that its overall score is undefined."),
}

_SUMMARY_NAMES: Final = frozenset(
    ("average", "avg", "mean", "median", "sum", "total", "grand total", "overall", "sd", "std", "stdev", "平均", "合计")
)


def undefined_statistics(
    ratings: Ratings, cv: NDArray[np.float64], unweighted: NDArray[np.bool_], overall: Disagreements
) -> list[Problem]:
    """Return notes on what is undefined of items; `cv` is items × dimensions.

    `unweighted` says whose scores of an item have no weight.
    """
    problems = []
    for item in np.flatnonzero((overall.judges > 1) & np.isnan(overall.cv)).tolist():
        message = (
            f"item {ratings.items[item]}: all judges gave the lowest score, so the mean is 0 on the scale 0 to 1, and "
            "CV, consensus and reliability are undefined"
        )
        problems.append(note("zero-mean", message, row=ratings.first_rows[item]))
    for item in np.flatnonzero(unweighted.any(axis=1)).tolist():
        names = join_names(ratings.judges[judge] for judge in np.flatnonzero(unweighted[item]).tolist())
        message = f"item {ratings.items[item]}: all weights of {names} are 0, so there is no overall score of theirs"
        problems.append(note("zero-weights", message, row=ratings.first_rows[item]))
    if len(ratings.dimensions) > 1:
        problems += _undefined_on_dimensions(ratings, cv)
    return problems


def _undefined_on_dimensions(ratings: Ratings, cv: NDArray[np.float64]) -> list[Problem]:
    problems = []
    several = row_counts(np.moveaxis(~np.isnan(ratings.scores), 1, 2)) > 1  # items × dimensions with two scores or more
    for index, name in enumerate(ratings.dimensions):
        items = int((several[:, index] & np.isnan(cv[:, index])).sum())
        if items:
            message = f"the mean of {name} is 0 for {items} item{'s' if items > 1 else ''}, whose CV is undefined there"
            problems.append(note("zero-mean", message, column=name))
    return problems


def different_dimensions(ratings: Ratings, is_judge: NDArray[np.bool_], shared: NDArray[np.bool_]) -> list[Problem]:
    """Return notes on items whose judges scored different dimensions; `shared`: those that all of them scored."""
    scored = (~np.isnan(ratings.scores) & is_judge[:, :, None]).any(axis=1)
    narrowed = (scored & ~shared).any(axis=1)
    nothing = narrowed & ~(scored & shared).any(axis=1)
    problems = []
    number = int((narrowed & ~nothing).sum())
    if number:
        message = (
            f"the judges of {number:,} item{'s' if number > 1 else ''} left dimensions blank; overall scores are "
            "compared over the dimensions that all of an item's judges scored"
        )
        problems.append(note("different-dimensions", message))
    for item in np.flatnonzero(nothing).tolist():
        message = (
            f"item {ratings.items[item]}: no dimension was scored by all of its judges, so there is no overall "
            "disagreement"
        )
        problems.append(note("different-dimensions", message, row=ratings.first_rows[item]))
    return problems


def other_scales(odd: Sequence[OddJudge]) -> list[Problem]:
    """Return notes on judges who use a scale of their own: nothing else about the panel means much before that."""
    return [
        note(
            "other-scale",
            f"the scores of {each.name} seem to lie on another scale, {each.details}; if they do, declare it: "
            f"{flag(f'scale {quote(each.own_scale)}')}",
        )
        for each in odd
        if each.why == OTHER_SCALE
    ]


def summary_rows(ratings: Ratings) -> list[Problem]:
    """Return notes on items that are called as a line under a table is."""
    return [
        note("summary-row", f"the item {name!r} counts as one; if it sums up the others, delete its row", row=row)
        for name, row in zip(ratings.item_names, ratings.first_rows, strict=True)
        if name.strip(" .:").casefold() in _SUMMARY_NAMES
    ]


def missing_agreement(ratings: Ratings, overall: DimensionAgreement) -> list[Problem]:
    """Return notes on what cannot be told of the judges of a sheet."""
    judges = len(ratings.judges)
    if judges > MOST_COMPARED_JUDGES:
        message = f"there are {judges:,} judges: they are not compared in pairs, nor the panel without each"
        return [note("many-judges", message)]
    if not ratings.items or not math.isnan(overall.alpha):
        return []
    return [note("no-alpha", f"alpha is undefined: {_why_no_alpha(overall)}")]


def _why_no_alpha(overall: DimensionAgreement) -> str:
    shared = overall.shared_items
    if not shared:
        return "no item has scores of two judges"
    if shared == overall.items:
        return "all scores are the same"
    return f"two judges or more scored only {shared} of {overall.items} items, and all these scores are the same"


def sheets_as_dimensions(names: Sequence[str]) -> list[Problem]:
    """Return a note where several sheets are rounds by default and dimensions by their names."""
    found = called_as_dimensions([name.rpartition("/")[2] for name in names])
    if len(names) < 2 or not found:
        return []
    message = f"each sheet was taken for a round of judging, though {join_names(found)} sound like dimensions"
    return [note("sheets-are", f"{message}; {flag('sheets-are dimensions')} makes one panel of them")]


class SheetInterval(NamedTuple):
    """The alpha of a sheet and its interval."""

    sheet: str
    alpha: float
    interval: Interval


def missing_intervals(sheets: Sequence[SheetInterval], overall: Interval) -> list[Problem]:
    """Return notes on alphas without an interval, sheet by sheet, and on that of the mean over several."""
    problems = [
        note("no-interval", f"alpha has no interval: {each.interval.note}", sheet=each.sheet)
        for each in sheets
        if not math.isnan(each.alpha) and not each.interval.is_known
    ]
    if problems and len(sheets) > 1:
        problems.append(note("no-interval", overall.note))
    return problems
