"""Pairwise comparison of models on the units that both have."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats.means import Rows, sheet_means_jackknife
from scoresheet.metrics.stats.paired import (
    PairedDifference,
    holm,
    paired_difference,
    smallest_detectable_difference,
)

ALL_PAIRS = 30  # above this many models, each is compared with the best


@dataclass(frozen=True)
class Comparison:
    """Models ranked and compared in one measure.

    `pairs` has a row per pair, the better model first; `order` are the models, best first;
    `shared` is the number of units that all models have; `basis` says how the order was made.
    """

    measure: Measure
    order: tuple[str, ...]
    pairs: pd.DataFrame = field(default_factory=pd.DataFrame)
    shared: int = 0
    basis: str = ""

    @property
    def best(self) -> str:
        """Return the model that ranks first, empty where there is no ranking."""
        return self.order[0] if self.order and self.measure.better else ""

    def pair(self, model: str, other: str) -> pd.Series | None:
        """Return the row that compares two models, if there is one."""
        if self.pairs.empty:
            return None
        names = list(zip(self.pairs["Model"], self.pairs["Other_Model"], strict=True))
        return self.pairs.iloc[names.index((model, other))] if (model, other) in names else None

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
) -> Comparison:
    """Return the comparison of models whose rows share the codes of their units.

    All pairs up to 30 models, else each against the best; `against` names the other model.
    """
    order, shared, basis = _rank(rows, measure, aggregate)
    names = [name for name in order if np.isfinite(np.asarray(rows[name].values, float)).any()]
    if against:
        pairs = [(name, against) for name in names if name != against and against in names]
        possible = len(pairs)
    elif len(names) <= ALL_PAIRS:
        pairs = list(combinations(names, 2))
        possible = len(pairs)
    else:
        pairs = [(names[0], name) for name in names[1:]]
        # the best was picked on these data, so every pair was in the race
        possible = len(names) * (len(names) - 1) // 2
    results = [paired_difference(rows[a], rows[b], aggregate=aggregate) for a, b in pairs]
    adjusted, levels = holm([r.p for r in results], ci, comparisons=possible)
    records = [
        _record(pair, result, rows, (float(p), float(level), ci))
        for pair, result, p, level in zip(pairs, results, adjusted, levels, strict=True)
    ]
    return Comparison(measure, tuple(order), pd.DataFrame(records), shared, basis)


def _rank(rows: Mapping[str, Rows], measure: Measure, aggregate: str) -> tuple[list[str], int, str]:
    """Return the models best first, by their means on the units that all of them scored."""
    scored = {name: _scored_units(model) for name, model in rows.items()}
    known = [units for units in scored.values() if units.size]
    shared = known[0] if known else np.array([], dtype=np.int64)
    for units in known[1:]:
        shared = np.intersect1d(shared, units)
    basis = "shared units" if shared.size else "own units"
    means = {}
    for name, model in rows.items():
        values = np.asarray(model.values, float)
        if shared.size:
            values = np.where(np.isin(np.asarray(model.units), shared), values, np.nan)
        means[name] = sheet_means_jackknife(
            values, model.units, model.sheets, aggregate=aggregate
        ).value
    sign = 1 if measure.better == "lower" else -1
    if not measure.better:
        return list(rows), int(shared.size), ""
    order = sorted(rows, key=lambda n: (math.isnan(means[n]), sign * means[n] + 0.0, n))
    return order, int(shared.size), basis


def _scored_units(model: Rows) -> np.ndarray:
    values = np.asarray(model.values, float)
    return np.unique(np.asarray(model.units)[~np.isnan(values)])


def _record(
    pair: tuple[str, str],
    result: PairedDifference,
    rows: Mapping[str, Rows],
    tested: tuple[float, float, float],
) -> dict[str, Any]:
    adjusted, level, ci = tested
    level = ci if math.isnan(level) else level
    low, high = result.interval(level)
    shared = result.wins + result.ties + result.losses
    return {
        "Model": pair[0],
        "Other_Model": pair[1],
        "Shared": shared,
        "Difference": result.difference,
        "CI_Low": low,
        "CI_High": high,
        "Level": level,
        "P_Value": result.p,
        "P_Holm": adjusted,
        "Wins": result.wins,
        "Ties": result.ties,
        "Losses": result.losses,
        "Only_Model": _scored_units(rows[pair[0]]).size - shared,
        "Only_Other": _scored_units(rows[pair[1]]).size - shared,
        "Detectable": smallest_detectable_difference(result, ci=level),
        "Note": result.note,
    }
