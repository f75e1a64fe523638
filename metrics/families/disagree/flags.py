"""Flags: which items cannot be trusted, how badly, and which judges can."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.dispersion import Disagreements
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
    """A flag with the names of its sheet and item."""

    sheet: str
    item: str
    flag: Flag


def item_flags(
    overall: Disagreements,
    disagreement: NDArray[np.float64],
    dimensions: Sequence[str],
    judges: Sequence[str],
    options: DisagreeOptions,
    unweighted: NDArray[np.bool_] | None = None,
) -> list[Flag]:
    """Return the flags of all items, in the order of items; `disagreement` is the CV, items × dimensions.

    `unweighted` says of which items there are scores without any weight.
    """
    flags = few_judges_flags(overall.judges, unweighted)
    apart = np.asarray((overall.judges > 1) & (overall.consensus < options.consensus_threshold - TOLERANCE))
    for item in np.flatnonzero(apart).tolist():
        value = float(overall.consensus[item])
        high = value < options.high_threshold - TOLERANCE
        threshold = options.high_threshold if high else options.consensus_threshold
        what = f"consensus {value:.2f} is below {format_float(threshold)}"
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


def flags_and_severities(flags: Sequence[Flag], items: int) -> tuple[list[str], list[str]]:
    """Return, for each item, its flags in words and the worst severity."""
    words: dict[int, list[str]] = {}
    worst: dict[int, str] = {}
    for flag in flags:
        words.setdefault(flag.item, []).append(flag.short())
        worst[flag.item] = HIGH if HIGH in (flag.severity, worst.get(flag.item)) else MEDIUM
    return ["; ".join(words.get(item, ())) for item in range(items)], [worst.get(item, "") for item in range(items)]


def sorted_by_severity(flags: Sequence[FlaggedItem]) -> list[FlaggedItem]:
    """Return flags, the worst first."""
    return sorted(
        flags,
        key=lambda each: (
            _SEVERITIES.index(each.flag.severity),
            each.flag.name == DIMENSION,
            _badness_rank(each.flag),
        ),
    )


def _badness_rank(flag: Flag) -> float:
    """Return what puts the worst of a kind first: a low consensus, a high CV."""
    if math.isnan(flag.value):
        return 0.0
    return -flag.value if flag.name == DIMENSION else flag.value


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
