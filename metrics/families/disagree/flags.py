"""Flags: which items cannot be trusted, how badly, and which judges can."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, coded_numbers
from scoresheet.metrics.families.disagree.dispersion import Disagreements
from scoresheet.metrics.families.disagree.labels import ItemVotes
from scoresheet.metrics.families.disagree.measures import HIGH, MEDIUM
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import TOLERANCE

_SEVERITIES: Final = (HIGH, MEDIUM)
DISAGREEMENT: Final = "high_ensemble_disagreement"
DIMENSION: Final = "dimension_disagreement"
OUTLIERS: Final = "strategy_outliers"
SINGLE: Final = "single_strategy_only"
FAILURE: Final = "ensemble_failure"
NO_MAJORITY: Final = "no_majority"


@dataclass(frozen=True)
class Flags:
    """What is wrong with items, in columns and in the order of the items: many flags say the same."""

    items: NDArray[np.int64]  # the index of each flag's item
    severities: Coded[str]
    names: Coded[str]
    dimensions: Coded[str]  # '' where it is not about one
    judges: Coded[str]
    values: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    what: Coded[str]

    def __len__(self) -> int:
        return len(self.items)

    def short(self) -> Coded[str]:
        """Return each flag as it stands beside its item."""
        columns = (self.names, self.dimensions, self.judges)
        sizes = [max(len(column.values), 1) for column in columns]
        numbers = np.ravel_multi_index([column.codes for column in columns], sizes)
        _, firsts, codes = np.unique(numbers, return_index=True, return_inverse=True)
        texts = []
        for place in firsts.tolist():
            name, about = self.names[place], self.dimensions[place] or self.judges[place]
            texts.append(f"{name}: {about}" if about else name)
        return Coded(texts, codes.astype(np.int32))


def _flags(
    items: NDArray[np.int64],
    name: str,
    what: str | Coded[str],
    *,
    severities: str | Coded[str] = MEDIUM,
    dimension: str = "",
    judges: str | Coded[str] = "",
    crossed: tuple[NDArray[np.float64] | float, NDArray[np.float64] | float] = (math.nan, math.nan),
) -> Flags:
    """Return flags of one name; what is given once is the same of all. `crossed` are values, and thresholds."""
    values, thresholds = crossed

    def texts(given: str | Coded[str]) -> Coded[str]:
        return Coded.repeated(given, len(items)) if isinstance(given, str) else given

    return Flags(
        items,
        texts(severities),
        texts(name),
        texts(dimension),
        texts(judges),
        np.full(len(items), values),
        np.full(len(items), thresholds),
        texts(what),
    )


def joined_flags(parts: Sequence[Flags]) -> Flags:
    """Return the flags of several parts, those of one item in the order of the parts."""
    items = np.concatenate([part.items for part in parts])
    order = np.argsort(items, kind="stable")
    return Flags(
        items[order],
        Coded.joined([part.severities for part in parts]).take(order),
        Coded.joined([part.names for part in parts]).take(order),
        Coded.joined([part.dimensions for part in parts]).take(order),
        Coded.joined([part.judges for part in parts]).take(order),
        np.concatenate([part.values for part in parts])[order],
        np.concatenate([part.thresholds for part in parts])[order],
        Coded.joined([part.what for part in parts]).take(order),
    )


def item_flags(
    overall: Disagreements,
    disagreement: NDArray[np.float64],
    dimensions: Sequence[str],
    judges: Sequence[str],
    options: DisagreeOptions,
    is_rare: NDArray[np.bool_],
    unweighted: NDArray[np.bool_] | None = None,
) -> Flags:
    """Return the flags of all items, in the order of items; `disagreement` is the CV, items × dimensions.

    `is_rare` says which items are farther apart than their panel hardly ever is: others have no high flag, however low
    their consensus. `unweighted` says of which items there are scores without any weight.
    """
    return joined_flags(
        [
            few_judges_flags(overall.judges, unweighted),
            _consensus_flags(overall, options, is_rare),
            *(
                _dimension_flags(name, disagreement[:, column], options.dimension_threshold)
                for column, name in enumerate(dimensions)
            ),
            _outlier_flags(overall, judges),
        ]
    )


def _consensus_flags(overall: Disagreements, options: DisagreeOptions, is_rare: NDArray[np.bool_]) -> Flags:
    """Return the flags of items whose judges are far apart."""
    apart = (overall.judges > 1) & (overall.consensus < options.consensus_threshold - TOLERANCE)
    items = np.flatnonzero(apart)
    values = overall.consensus[items]
    low = values < options.high_threshold - TOLERANCE
    highs = np.flatnonzero(low & is_rare[items])

    def below(value: float) -> str:
        is_low = value < options.high_threshold - TOLERANCE
        threshold = options.high_threshold if is_low else options.consensus_threshold
        return f"consensus {value:.2f} is below {format_float(threshold)}"

    what = coded_numbers(values).mapped(below)
    spreads = zip(what.take(highs), overall.std_dev[items[highs]].tolist(), strict=True)
    rare = [f"{text}, and a spread of {spread:.2f} is rare in this panel" for text, spread in spreads]
    codes = what.codes.copy()
    codes[highs] = len(what.values) + np.arange(len(highs))
    severities = np.zeros(len(items), np.int32)
    severities[highs] = 1
    return _flags(
        items,
        DISAGREEMENT,
        Coded([*what.values, *rare], codes),
        severities=Coded([MEDIUM, HIGH], severities),
        crossed=(values, np.where(low, options.high_threshold, options.consensus_threshold)),
    )


def _dimension_flags(name: str, disagreement: NDArray[np.float64], threshold: float) -> Flags:
    """Return the flags of items whose judges are far apart on a dimension."""
    items = np.flatnonzero(disagreement > threshold + TOLERANCE)
    values = disagreement[items]
    above = format_float(threshold)
    what = coded_numbers(values).mapped(lambda value: f"the judges' CV on {name} is {value:.2f}, above {above}")
    return _flags(items, DIMENSION, what, dimension=name, crossed=(values, threshold))


def _outlier_flags(overall: Disagreements, judges: Sequence[str]) -> Flags:
    """Return the flags of items with judges who stand alone."""
    far = overall.outliers | overall.robust_outliers
    items = np.flatnonzero(far.any(axis=1))
    names = joined_names(far[items], judges, ", ")
    rules = {
        f"from the {rule}": joined_names(fired[items], judges, ", ")
        for rule, fired in (("mean", overall.outliers), ("median", overall.robust_outliers))
    }
    said = zip(*rules.values(), strict=True)
    what = Coded.of(said).mapped(
        lambda by_rule: (
            "far " + "; ".join(f"{rule}: {fired}" for rule, fired in zip(rules, by_rule, strict=True) if fired)
        )
    )
    return _flags(items, OUTLIERS, what, judges=names)


def few_judges_flags(judges: NDArray[np.int64], unweighted: NDArray[np.bool_] | None = None) -> Flags:
    """Return the flags of items with too few judges."""
    nobody, one = np.flatnonzero(judges == 0), np.flatnonzero(judges == 1)
    weightless = np.zeros(len(nobody), np.int32) if unweighted is None else unweighted[nobody].astype(np.int32)
    what = Coded(["no judge has a score for the item", "all weights of the item's scores are 0"], weightless)
    return joined_flags(
        [
            _flags(nobody, FAILURE, what, severities=HIGH),
            _flags(one, SINGLE, "one judge only: nobody to agree or disagree with"),
        ]
    )


def no_majority_flags(votes: ItemVotes, labels: Sequence[str], dimension: str = "") -> Flags:
    """Return the flags of items on which two labels or more have the most votes."""
    words, items = votes.words(labels), votes.without_majority
    what = Coded.of(f"no label has the most votes: {words[item]}" for item in items.tolist())
    return _flags(items, NO_MAJORITY, what, dimension=dimension)


def flags_and_severities(flags: Flags, items: int) -> tuple[Coded[str], Coded[str]]:
    """Return, for each item, its flags in words and the worst severity."""
    short = flags.short()
    starts = np.searchsorted(flags.items, np.arange(items + 1)).tolist()
    every = short.codes.tolist()
    each = Coded.of(tuple(every[start:stop]) for start, stop in pairwise(starts))
    worst = np.zeros(items, np.int32)
    worst[flags.items] = 1
    is_high = np.array([severity == HIGH for severity in flags.severities.values], dtype=bool)
    worst[flags.items[is_high[flags.severities.codes]]] = 2
    words = each.mapped(lambda codes: "; ".join(short.values[code] for code in codes))
    return words, Coded(["", MEDIUM, HIGH], worst)


def worst_first(severities: Coded[str], spreads: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the places of flags, the worst first: high ones, and of these the items whose judges are farthest apart.

    Not the lowest consensus: it is relative to the mean, and would put 2, 1, 1 of five before 1, 3, 5.
    """
    ranks = np.array([_SEVERITIES.index(severity) for severity in severities.values], dtype=np.int64)
    rounded = coded_numbers(spreads).mapped(lambda spread: 0.0 if math.isnan(spread) else -round(spread, 12))
    far = np.array(rounded.values)[rounded.codes]
    return np.lexsort([far, np.isnan(spreads), ranks[severities.codes]])


def spread_ranks(std_devs: NDArray[np.float64]) -> list[float]:
    """Return each item's place by how far apart its judges are, 1 the farthest; equal ones share the better place.

    >>> spread_ranks(np.array([0.1, 0.5, np.nan, 0.5]))
    [3.0, 1.0, nan, 1.0]
    """
    known = np.sort(-np.round(std_devs[~np.isnan(std_devs)], 12))
    places = np.searchsorted(known, -np.round(std_devs, 12)) + 1.0
    ranks: list[float] = np.where(np.isnan(std_devs), np.nan, places).tolist()
    return ranks


def joined_names(chosen: NDArray[np.bool_], judges: Sequence[str], between: str = "; ") -> Coded[str]:
    """Return for each item the chosen judges, joined; equal choices are joined once."""
    if not len(judges):
        return Coded.repeated("", len(chosen))
    data, width = chosen.tobytes(), len(judges)
    patterns = Coded.of(data[start : start + width] for start in range(0, len(data), width))
    return patterns.mapped(lambda pattern: between.join(compress(judges, pattern)))


def is_recommended(scores: NDArray[np.float64], overall: Disagreements, options: DisagreeOptions) -> NDArray[np.bool_]:
    """Return who is no outlier and scores within the range, items × judges."""
    low, high = options.recommended_range
    within = (scores >= low - TOLERANCE) & (scores <= high + TOLERANCE)
    return within & ~(overall.outliers | overall.robust_outliers)
