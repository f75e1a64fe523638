"""Flags: which items cannot be trusted, how badly, and which judges can."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.dispersion import Disagreements
from scoresheet.metrics.families.disagree.labels import ItemVotes
from scoresheet.metrics.families.disagree.measures import HIGH, MEDIUM
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.stats.bands import TOLERANCE

_SEVERITIES: Final = (HIGH, MEDIUM)
DISAGREEMENT: Final = "high_ensemble_disagreement"
DIMENSION: Final = "dimension_disagreement"
OUTLIERS: Final = "strategy_outliers"
SINGLE: Final = "single_strategy_only"
FAILURE: Final = "ensemble_failure"
NO_MAJORITY: Final = "no_majority"


class Flag(NamedTuple):
    """One thing wrong with one item, by its index."""

    item: int
    severity: str
    name: str
    dimension: str = ""
    judges: str = ""
    value: float = math.nan
    threshold: float = math.nan
    what: str = ""

    def short(self) -> str:
        """Return the flag as it stands beside its item."""
        about = self.dimension or self.judges
        return f"{self.name}: {about}" if about else self.name


class FlaggedItem(NamedTuple):
    """A flag with the names of its sheet and item, how far apart the item's judges are, and what each gave."""

    sheet: str
    item: str
    flag: Flag
    spread: float
    scores: str


def item_flags(
    overall: Disagreements,
    disagreement: NDArray[np.float64],
    dimensions: Sequence[str],
    judges: Sequence[str],
    options: DisagreeOptions,
    is_rare: NDArray[np.bool_],
    unweighted: NDArray[np.bool_] | None = None,
) -> list[Flag]:
    """Return the flags of all items, in the order of items; `disagreement` is the CV, items × dimensions.

    `is_rare` says which items are farther apart than their panel hardly ever is: others have no high flag, however low
    their consensus. `unweighted` says of which items there are scores without any weight.
    """
    flags = few_judges_flags(overall.judges, unweighted)
    apart = np.asarray((overall.judges > 1) & (overall.consensus < options.consensus_threshold - TOLERANCE))
    for item in np.flatnonzero(apart).tolist():
        value = float(overall.consensus[item])
        low = value < options.high_threshold - TOLERANCE
        high = low and bool(is_rare[item])
        threshold = options.high_threshold if low else options.consensus_threshold
        what = f"consensus {value:.2f} is below {format_float(threshold)}"
        if high:
            what += f", and a spread of {overall.std_dev[item]:.2f} is rare in this panel"
        flags.append(Flag(item, HIGH if high else MEDIUM, DISAGREEMENT, "", "", value, threshold, what))
    crossed = np.argwhere(np.asarray(disagreement > options.dimension_threshold + TOLERANCE))
    for item, column in crossed.tolist():
        value, name = float(disagreement[item, column]), dimensions[column]
        what = f"the judges' CV on {name} is {value:.2f}, above {format_float(options.dimension_threshold)}"
        flags.append(Flag(item, MEDIUM, DIMENSION, name, "", value, options.dimension_threshold, what))
    far = overall.outliers | overall.robust_outliers
    for item in np.flatnonzero(far.any(axis=1)).tolist():
        names = ", ".join(_chosen(far[item], judges))
        rules = [
            f"from the {rule}: {', '.join(_chosen(fired, judges))}"
            for rule, fired in (("mean", overall.outliers[item]), ("median", overall.robust_outliers[item]))
            if fired.any()
        ]
        what = f"far {'; '.join(rules)}"
        flags.append(Flag(item, MEDIUM, OUTLIERS, "", names, what=what))
    flags.sort(key=lambda flag: flag.item)  # stable: within an item in the order above
    return flags


def few_judges_flags(judges: NDArray[np.int64], unweighted: NDArray[np.bool_] | None = None) -> list[Flag]:
    """Return the flags of items with too few judges."""
    flags = []
    for item in (judges == 0).nonzero()[0].tolist():
        weightless = unweighted is not None and bool(unweighted[item])
        what = "all weights of the item's scores are 0" if weightless else "no judge has a score for the item"
        flags.append(Flag(item, HIGH, FAILURE, what=what))
    flags += [
        Flag(item, MEDIUM, SINGLE, what="one judge only: nobody to agree or disagree with")
        for item in (judges == 1).nonzero()[0].tolist()
    ]
    return sorted(flags, key=lambda flag: flag.item)


def no_majority_flags(votes: ItemVotes, labels: Sequence[str], dimension: str = "") -> list[Flag]:
    """Return the flags of items on which two labels or more have the most votes."""
    words = votes.words(labels)
    return [
        Flag(item, MEDIUM, NO_MAJORITY, dimension, what=f"no label has the most votes: {words[item]}")
        for item in votes.without_majority.tolist()
    ]


def flags_and_severities(flags: Sequence[Flag], items: int) -> tuple[list[str], list[str]]:
    """Return, for each item, its flags in words and the worst severity."""
    words: dict[int, list[str]] = {}
    worst: dict[int, str] = {}
    for flag in flags:
        words.setdefault(flag.item, []).append(flag.short())
        worst[flag.item] = HIGH if HIGH in (flag.severity, worst.get(flag.item)) else MEDIUM
    return ["; ".join(words.get(item, ())) for item in range(items)], [worst.get(item, "") for item in range(items)]


def sorted_by_severity(flags: Sequence[FlaggedItem]) -> list[FlaggedItem]:
    """Return flags, the worst first: high ones, and of these the items whose judges are farthest apart.

    Not the lowest consensus: it is relative to the mean, and would put 2, 1, 1 of five before 1, 3, 5.
    """
    return sorted(
        flags,
        key=lambda each: (
            _SEVERITIES.index(each.flag.severity),
            math.isnan(each.spread),
            0.0 if math.isnan(each.spread) else -round(each.spread, 12),
        ),
    )


def spread_ranks(std_devs: NDArray[np.float64]) -> list[float]:
    """Return each item's place by how far apart its judges are, 1 the farthest; equal ones share the better place.

    >>> spread_ranks(np.array([0.1, 0.5, np.nan, 0.5]))
    [3.0, 1.0, nan, 1.0]
    """
    known = np.sort(-np.round(std_devs[~np.isnan(std_devs)], 12))
    places = np.searchsorted(known, -np.round(std_devs, 12)) + 1.0
    ranks: list[float] = np.where(np.isnan(std_devs), np.nan, places).tolist()
    return ranks


def joined_names(chosen: NDArray[np.bool_], judges: Sequence[str]) -> list[str]:
    """Return for each item the chosen judges, joined; equal choices are joined once."""
    known: dict[bytes, str] = {}
    joined = []
    for row in chosen:
        pattern = row.tobytes()
        if pattern not in known:
            known[pattern] = "; ".join(_chosen(row, judges))
        joined.append(known[pattern])
    return joined


def _chosen(chosen: NDArray[np.bool_], judges: Sequence[str]) -> list[str]:
    return [judges[index] for index in chosen.nonzero()[0].tolist()]


def is_recommended(scores: NDArray[np.float64], overall: Disagreements, options: DisagreeOptions) -> NDArray[np.bool_]:
    """Return who is no outlier and scores within the range, items × judges."""
    low, high = options.recommended_range
    within = (scores >= low - TOLERANCE) & (scores <= high + TOLERANCE)
    return within & ~(overall.outliers | overall.robust_outliers)
