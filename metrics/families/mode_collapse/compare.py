"""Models side by side: ranked by how collapsed they are, and which differences are not noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from scoresheet.metrics.core import Column, Page, Report
from scoresheet.metrics.families.mode_collapse.alike import likeness, shuffles_for, smallest_p
from scoresheet.metrics.families.mode_collapse.declared import question_key
from scoresheet.metrics.families.mode_collapse.measures import GINI, NORMALIZED
from scoresheet.metrics.families.mode_collapse.summary import ALL_LEVEL_COLUMNS, level_columns
from scoresheet.metrics.families.mode_collapse.verdicts import CHANCE_LIMIT
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.stats.concentration import gini
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.tables import frame_of_rows

_HOLM: Final = "The same after Holm's correction for both tests of all pairs."
Roots = Mapping[tuple[str, Any], Mapping[str, int]]  # (sheet, path) → option → how often it was chosen

DIFFERENCES: Final = (
    Column("Model", "One model.", "key"),
    Column("Other_Model", "The other.", "key"),
    Column(
        "Cells",
        "Root cells that both models have: sheets of the same name (or one each, unnamed), same options.",
        "count",
    ),
    Column("TVD", "Total variation distance between the two root distributions: 0 alike, 1 disjoint.", "score"),
    Column("P_TVD", "Permutation test: chance of such a distance if both chose alike.", "chance"),
    Column("P_TVD_Holm", _HOLM, "chance"),
    Column("Gini", "Mean Gini of the model's root cells.", "score"),
    Column("Other_Gini", "That of the other.", "score"),
    Column("Gini_Difference", "The model's less the other's.", "score"),
    Column("Expected_Difference", "The same if both chose alike: a smaller sample has a larger Gini.", "score"),
    Column("P_Gini", "Permutation test: chance of a difference as far from that if both chose alike.", "chance"),
    Column("P_Gini_Holm", _HOLM, "chance"),
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
    return Page("Models", frame_of_rows([column.name for column in columns], rows), columns)


def differences_page(reports: Sequence[Report], seed: int) -> Page:
    """Return every two models: how far their root choices and Ginis are apart, and whether that is noise."""
    couples = list(combinations(sorted(reports, key=lambda report: report.model), 2))
    shuffles = shuffles_for(2 * len(couples))
    lines = [_difference(one, other, seed, shuffles) for one, other in couples]
    corrected = iter(holm([line[p_value] for line in lines for p_value in ("P_TVD", "P_Gini")]))
    for line in lines:
        line |= {"P_TVD_Holm": next(corrected), "P_Gini_Holm": next(corrected)}
        line["Finding"] = _finding(line, smallest_p(shuffles))
    rows = [[line[column.name] for column in DIFFERENCES] for line in lines]
    return Page("Differences", frame_of_rows([column.name for column in DIFFERENCES], rows), DIFFERENCES)


def _difference(one: Report, other: Report, seed: int, shuffles: int) -> dict[str, Any]:
    line: dict[str, Any] = {column.name: math.nan for column in DIFFERENCES}
    pairs = _pairs(one.extra or {}, other.extra or {})
    line |= {"Model": one.model, "Other_Model": other.model, "Cells": len(pairs)}
    if not pairs:
        return line
    alike = likeness(pairs, seed=seed, most=shuffles)
    return line | {
        "TVD": alike.distance,
        "P_TVD": alike.p_distance,
        "Gini": mean(gini(ours) for ours, _ in pairs),
        "Other_Gini": mean(gini(theirs) for _, theirs in pairs),
        "Gini_Difference": alike.difference,
        "Expected_Difference": alike.expected,
        "P_Gini": alike.p_difference,
    }


def _pairs(ours: Roots, theirs: Roots) -> list[tuple[list[int], list[int]]]:
    """Return the counts of the root cells that two models have in common, option beside option."""
    mine, others = ({sheet: counts for (sheet, _), counts in roots.items()} for roots in (ours, theirs))
    single = len(mine) == len(others) == 1 and any(map(is_default_sheet_name, (*mine, *others)))
    pairs = []
    for sheet, counts in mine.items():
        # one question each, whatever its name
        other = next(iter(others.values())) if single else others.get(_counterpart(sheet, mine, others), {})
        if counts.keys() == other.keys() and any(counts.values()) and any(other.values()) and len(counts) > 1:
            pairs.append((list(counts.values()), [other[option] for option in counts]))
    return pairs


def _counterpart(sheet: str, ours: Iterable[str], theirs: Iterable[str]) -> str:
    """Return the sheet of this name; one of another case only where neither model has two such."""
    if sheet in theirs:
        return sheet
    alike = [[name for name in names if question_key(name) == question_key(sheet)] for names in (ours, theirs)]
    return alike[1][0] if len(alike[0]) == len(alike[1]) == 1 else ""


def _finding(line: Mapping[str, Any], smallest: float) -> str:
    if not line["Cells"]:
        return "no root cell in common"
    if line["P_Gini_Holm"] < CHANCE_LIMIT:
        more = line["Gini_Difference"] > line["Expected_Difference"]
        return f"{line['Model'] if more else line['Other_Model']} is more collapsed"
    if line["P_TVD_Holm"] < CHANCE_LIMIT:
        return "other choices, alike collapsed"
    # no shuffle of this pair came near what was seen, and the correction asks for more shuffles than are dealt
    hidden = min(line["P_TVD"], line["P_Gini"]) <= smallest
    return "too many pairs to tell" if hidden else "no difference shown"


def _defined(report: Report) -> bool:
    value = report.measures.get("Gini", math.nan)
    return isinstance(value, float) and not math.isnan(value)
