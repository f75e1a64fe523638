"""Pairwise comparison of models on the units that both have."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, islice

import numpy as np
import pandas as pd

from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats.means import Integers, Rows, leave_one_out
from scoresheet.metrics.stats.paired import (
    PairedDifference,
    holm,
    paired_difference,
    smallest_detectable_difference,
)

ALL_PAIRS = 30  # above this many models, each is compared with the best


@dataclass(frozen=True)
class Comparison:
    """Models ranked and compared in one measure: `order` has the best first.

    `pairs` has a row per pair, the better model first.
    """

    measure: Measure
    order: tuple[str, ...]
    pairs: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def best(self) -> str:
        """Return the model that ranks first, empty where there is no ranking."""
        return self.order[0] if self.order and self.measure.better else ""

    def pair(self, model: str, other: str) -> pd.Series | None:
        """Return the row that compares two models, if there is one."""
        if self.pairs.empty:
            return None
        found = (self.pairs["Model"] == model) & (self.pairs["Other_Model"] == other)
        return self.pairs[found].iloc[0] if found.any() else None

    def to_best(self, model: str) -> float:
        """Return the difference of a model to the best on their shared units."""
        pair = self.pair(self.best, model)
        return math.nan if pair is None else -float(pair["Difference"])


def compare_models(
    rows: Mapping[str, Rows],
    measure: Measure,
    *,
    ci: float = 0.95,
    aggregate: str = "sheets",
    against: str = "",
    difference: Callable[[str, str], PairedDifference] | None = None,
) -> Comparison:
    """Return the comparison of models whose rows share the codes of their units.

    All pairs up to 30 models, else each against the best; `against` names the other model.
    `difference` tests two models by name where it is not the paired test of their rows.
    """
    units = {name: np.unique(model.scored()[1]) for name, model in rows.items()}
    order = _rank(rows, units, measure, aggregate)
    names = [name for name in order if units[name].size]
    few = len(names) <= ALL_PAIRS
    pairs = list(islice(combinations(names, 2), None if few else len(names) - 1))
    possible = math.comb(len(names), 2)  # all pairs: the best was picked on these data
    if against:
        pairs = [(name, against) for name in names if name != against and against in names]
        possible = len(pairs)
    test = difference or (lambda a, b: paired_difference(rows[a], rows[b], aggregate=aggregate))
    results = [test(a, b) for a, b in pairs]
    adjusted, levels = holm([result.p for result in results], ci, comparisons=possible)
    levels = np.where(np.isnan(levels), ci, levels)
    records = []
    for (a, b), result, p, level in zip(pairs, results, adjusted, levels, strict=True):
        low, high = result.interval(level)
        records.append(
            {"Model": a, "Other_Model": b, "Shared": result.units, "Difference": result.difference}
            | {"CI_Low": low, "CI_High": high, "Level": level, "P_Value": result.p, "P_Holm": p}
            | {"Wins": result.wins, "Ties": result.ties, "Losses": result.losses}
            | {"Only_Model": units[a].size - result.units}
            | {"Only_Other": units[b].size - result.units}
            | {"Detectable": smallest_detectable_difference(result, ci=level), "Note": result.note}
        )
    return Comparison(measure, tuple(order), pd.DataFrame(records))


def _rank(
    rows: Mapping[str, Rows], units: Mapping[str, Integers], measure: Measure, aggregate: str
) -> list[str]:
    """Return the models best first, by their means on the units that all of them scored.

    Where they share no unit, each has the mean of its own.
    """
    if not measure.better:
        return list(rows)
    shared = reduce(np.intersect1d, [own for own in units.values() if own.size] or [np.array([])])
    basis = shared if shared.size else None
    sign = 1 if measure.better == "lower" else -1

    def place(name: str) -> float:
        value = leave_one_out(rows[name], basis, aggregate=aggregate).value
        return math.inf if math.isnan(value) else sign * value

    return sorted(sorted(rows), key=place)
