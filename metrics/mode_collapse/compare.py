"""Models side by side: ranked by how collapsed they are, and which differences are not noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from scoresheet.metrics.core import Column, Page, Report
from scoresheet.metrics.counts import gini, gini_of_rank_sums, rank_sums
from scoresheet.metrics.holm import holm
from scoresheet.metrics.means import mean
from scoresheet.metrics.mode_collapse.measures import GINI, NORMALIZED
from scoresheet.metrics.mode_collapse.resample import SHUFFLES, shuffled_counts
from scoresheet.metrics.mode_collapse.summary import ALL_LEVEL_COLUMNS, level_columns
from scoresheet.metrics.mode_collapse.verdicts import CHANCE_LIMIT
from scoresheet.metrics.tables import table_of_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HOLM: Final = "the same after Holm's correction for all pairs"
DIFFERENCES: Final = (
    Column("Model", "One model.", "key"),
    Column("Other_Model", "The other.", "key"),
    Column("Cells", "Root cells that both models have: same sheet (or only one each), same options.", "count"),
    Column("TVD", "Total variation distance between the two root distributions: 0 alike, 1 disjoint.", "score"),
    Column("P_TVD", "Permutation test: chance of such a distance if both chose alike.", "chance"),
    Column("P_TVD_Holm", _HOLM[0].upper() + _HOLM[1:] + ".", "chance"),
    Column("Gini", "Mean Gini of the model's root cells.", "score"),
    Column("Other_Gini", "That of the other.", "score"),
    Column("Gini_Difference", "The model's less the other's.", "score"),
    Column("P_Gini", "Permutation test: chance of such a difference if both chose alike.", "chance"),
    Column("P_Gini_Holm", _HOLM[0].upper() + _HOLM[1:] + ".", "chance"),
    Column("Finding", "What is not noise at 5 %, after Holm's correction.", "label"),
)


def measured_columns(reports: Sequence[Report]) -> tuple[Column, ...]:
    """Return the measures of the results table: those of every level that any model has."""
    levels = sorted({int(level) for report in reports for level in report.numbers.get("Levels", {})} - {0})
    below = [column for level in levels for column in level_columns(level)]
    return (GINI, NORMALIZED, *below, *ALL_LEVEL_COLUMNS)


def models_page(reports: Sequence[Report]) -> Page:
    """Return the models from the least to the most collapsed at the root."""
    columns = (
        Column("Rank", "1 is the least collapsed at level 0.", "count"),
        Column("Model", "The model.", "key"),
        *measured_columns(reports),
    )
    ranked = sorted((report for report in reports if _defined(report)), key=lambda report: report.measures["Gini"])
    unranked = [report for report in reports if not _defined(report)]
    rows: list[list[Any]] = []
    for place, report in enumerate((*ranked, *unranked)):
        before = rows[-1][2] if rows else None
        value = report.measures.get("Gini", math.nan)
        rank = None if report in unranked else rows[-1][0] if value == before else place + 1
        nothing = {column.name: "" if column.kind == "label" else math.nan for column in columns[2:]}
        rows.append([rank, report.model, *({**nothing, **report.measures}[name] for name in nothing)])
    return Page("Models", table_of_rows([column.name for column in columns], rows), columns)


def differences_page(reports: Sequence[Report], seed: int) -> Page:
    """Return every two models: how far their root choices and Ginis are apart, and whether that is noise."""
    roots = {report.model: report.extra or {} for report in reports}
    lines = [_difference(one, other, roots, seed) for one, other in combinations(sorted(roots), 2)]
    for p_value in ("P_TVD", "P_Gini"):
        corrected = holm([line[p_value] for line in lines])
        for line, value in zip(lines, corrected, strict=True):
            line[f"{p_value}_Holm"] = value
    for line in lines:
        line["Finding"] = _finding(line)
    rows = [[line[column.name] for column in DIFFERENCES] for line in lines]
    return Page("Differences", table_of_rows([column.name for column in DIFFERENCES], rows), DIFFERENCES)


def _difference(
    one: str, other: str, roots: Mapping[str, Mapping[Any, Mapping[str, int]]], seed: int
) -> dict[str, Any]:
    pairs = []
    single = len(roots[one]) == len(roots[other]) == 1  # one question each, whatever their sheets are called
    for key, ours in roots[one].items():
        theirs: Mapping[str, int] = next(iter(roots[other].values())) if single else roots[other].get(key, {})
        if ours.keys() == theirs.keys() and any(ours.values()) and any(theirs.values()) and len(ours) > 1:
            pairs.append((list(ours.values()), [theirs[option] for option in ours]))
    ginis = [(gini(ours), gini(theirs)) for ours, theirs in pairs]
    line: dict[str, Any] = {
        "Model": one,
        "Other_Model": other,
        "Cells": len(pairs),
        "Gini": mean(ours for ours, _ in ginis),
        "Other_Gini": mean(theirs for _, theirs in ginis),
        "Gini_Difference": mean(ours - theirs for ours, theirs in ginis),
        "TVD": mean(_distance(ours, theirs) for ours, theirs in pairs),
        "P_Gini": math.nan,
        "P_TVD": math.nan,
    }
    return line | _p_values(pairs, line, seed) if pairs else line


def _p_values(pairs: Sequence[tuple[list[int], list[int]]], line: Mapping[str, Any], seed: int) -> dict[str, float]:
    """Return the chance of differences as large as those seen when the samples of each cell are dealt anew."""
    import numpy as np

    distances: Any = 0.0
    differences: Any = 0.0
    for stream, (ours, theirs) in enumerate(pairs):
        first, second = sum(ours), sum(theirs)
        dealt, rest = shuffled_counts(ours, theirs, seed=seed, stream=2 * stream)
        distances = distances + np.abs(dealt / first - rest / second).sum(axis=1) / 2
        # a Gini does not ask which option is the favourite, and neither may its test: favourite is held to favourite
        ranked = (sorted(ours, reverse=True), sorted(theirs, reverse=True))
        dealt, rest = shuffled_counts(*ranked, seed=seed, stream=2 * stream + 1)
        differences = differences + _ginis(dealt, first) - _ginis(rest, second)
    seen_distance, seen_difference = line["TVD"] * len(pairs), abs(line["Gini_Difference"]) * len(pairs)
    return {
        "P_Gini": (1 + int(np.count_nonzero(np.abs(differences) >= seen_difference - 1e-9))) / (1 + SHUFFLES),
        "P_TVD": (1 + int(np.count_nonzero(distances >= seen_distance - 1e-9))) / (1 + SHUFFLES),
    }


def _ginis(counts: NDArray[Any], total: int) -> NDArray[np.float64]:
    return gini_of_rank_sums(rank_sums(counts), counts.shape[1], total)


def _distance(ours: Sequence[int], theirs: Sequence[int]) -> float:
    first, second = sum(ours), sum(theirs)
    return math.fsum(abs(one / first - other / second) for one, other in zip(ours, theirs, strict=True)) / 2


def _finding(line: Mapping[str, Any]) -> str:
    if not line["Cells"]:
        return "no root cell in common"
    collapse, choices = line["P_Gini_Holm"] < CHANCE_LIMIT, line["P_TVD_Holm"] < CHANCE_LIMIT
    if collapse:
        return f"{line['Model'] if line['Gini_Difference'] > 0 else line['Other_Model']} is more collapsed"
    return "other choices, alike collapsed" if choices else "no difference shown"


def _defined(report: Report) -> bool:
    value = report.measures.get("Gini", math.nan)
    return isinstance(value, float) and not math.isnan(value)
