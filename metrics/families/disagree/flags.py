"""Flags: which items cannot be trusted, how badly, and which judges can."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.options import DisagreeOptions, ends
from scoresheet.metrics.families.disagree.spread import Disagreements
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.stats.bands import TOLERANCE

CANNOT_FIRE: Final = "cannot fire"
HIGH, MEDIUM = "high", "medium"
_SEVERITIES: Final = (HIGH, MEDIUM)
DISAGREEMENT: Final = "high_ensemble_disagreement"
DIMENSION: Final = "dimension_disagreement"
OUTLIERS: Final = "strategy_outliers"
SINGLE: Final = "single_strategy_only"
FAILURE: Final = "ensemble_failure"


class Flag(NamedTuple):
    """One thing wrong with one item, by its place."""

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


def flags_of(
    found: Disagreements,
    disagreement: NDArray[np.float64],
    dimensions: Sequence[str],
    judges: Sequence[str],
    options: DisagreeOptions,
    unweighted: NDArray[np.bool_] | None = None,
) -> list[Flag]:
    """Return the flags of all items, in the order of items; `disagreement` is the CV, items × dimensions.

    `unweighted` says of which items there are scores without any weight.
    """
    flags = counted_flags(found.judges, unweighted)
    apart = np.asarray((found.judges > 1) & (found.consensus < options.consensus_threshold - TOLERANCE))
    for item in np.flatnonzero(apart).tolist():
        value = float(found.consensus[item])
        high = value < options.high_threshold - TOLERANCE
        threshold = options.high_threshold if high else options.consensus_threshold
        what = f"consensus {value:.2f} is below {format_float(threshold)}"
        flags.append(Flag(item, HIGH if high else MEDIUM, DISAGREEMENT, "", "", value, threshold, what))
    crossed = np.argwhere(np.asarray(disagreement > options.dimension_threshold + TOLERANCE))
    for item, column in crossed.tolist():
        value, name = float(disagreement[item, column]), dimensions[column]
        what = f"the judges' CV on {name} is {value:.2f}, above {format_float(options.dimension_threshold)}"
        flags.append(Flag(item, MEDIUM, DIMENSION, name, "", value, options.dimension_threshold, what))
    far = found.outliers | found.robust_outliers
    for item in np.flatnonzero(far.any(axis=1)).tolist():
        names = ", ".join(judges[place] for place in far[item].nonzero()[0].tolist())
        rules = [
            f"from the {rule}: {', '.join(judges[place] for place in fired.nonzero()[0].tolist())}"
            for rule, fired in (("mean", found.outliers[item]), ("median", found.robust_outliers[item]))
            if fired.any()
        ]
        what = f"far {'; '.join(rules)}"
        flags.append(Flag(item, MEDIUM, OUTLIERS, "", names, what=what))
    flags.sort(key=lambda flag: flag.item)  # stable: within an item in the order above
    return flags


def counted_flags(judges: NDArray[np.int64], unweighted: NDArray[np.bool_] | None = None) -> list[Flag]:
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


def flag_columns(flags: Sequence[Flag], items: int) -> tuple[list[str], list[str]]:
    """Return, for each item, its flags in words and the worst severity."""
    words: dict[int, list[str]] = {}
    worst: dict[int, str] = {}
    for flag in flags:
        words.setdefault(flag.item, []).append(flag.short())
        worst[flag.item] = HIGH if HIGH in (flag.severity, worst.get(flag.item)) else MEDIUM
    return ["; ".join(words.get(item, ())) for item in range(items)], [worst.get(item, "") for item in range(items)]


def by_severity(flags: Sequence[tuple[str, str, Flag]]) -> list[tuple[Any, ...]]:
    """Return rows for the page of flags, the worst first; each flag comes with its sheet and item."""
    ranked = sorted(
        flags, key=lambda each: (_SEVERITIES.index(each[2].severity), each[2].name == DIMENSION, _nearness(each[2]))
    )
    return [
        (flag.severity, flag.name, sheet, item, flag.dimension, flag.judges, flag.value, flag.threshold, flag.what)
        for sheet, item, flag in ranked
    ]


def _nearness(flag: Flag) -> float:
    """Return what puts the worst of a kind first: a low consensus, a high CV."""
    if math.isnan(flag.value):
        return 0.0
    return -flag.value if flag.name == DIMENSION else flag.value


def names_of(chosen: NDArray[np.bool_], judges: Sequence[str]) -> list[str]:
    """Return for each item the chosen judges, joined; equal choices are joined once."""
    known: dict[bytes, str] = {}
    found = []
    for row in chosen:
        pattern = row.tobytes()
        if pattern not in known:
            known[pattern] = "; ".join(judges[place] for place in row.nonzero()[0].tolist())
        found.append(known[pattern])
    return found


def recommended(overall: NDArray[np.float64], found: Disagreements, options: DisagreeOptions) -> NDArray[np.bool_]:
    """Return who is no outlier and scores within the range, items × judges."""
    low, high = ends(options.recommend, "recommend")
    return (overall >= low - TOLERANCE) & (overall <= high + TOLERANCE) & ~(found.outliers | found.robust_outliers)
